"""Values in generated code: a payload, and whether it is null."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I32, KernelContext, llvm_type
from ir import DataType, Literal


@dataclass(frozen=True, slots=True)
class Value:
    """An expression's value in registers.

    `null` is None where the value cannot be null; then no code for nulls is
    made. The payload of a null is arbitrary, but always safe to compute with.
    Strings and binaries have the address of their bytes as payload, and a length.
    """

    type: DataType
    payload: ll.Value
    null: ll.Value | None = None
    length: ll.Value | None = None


def constant(cx: KernelContext, literal: Literal) -> Value:
    """A literal as a value."""
    null = ll.Constant(I1, 1) if literal.value is None else None
    if literal.type.is_bytes:
        data = literal_bytes(literal)
        return Value(literal.type, cx.constant_bytes(data), null, ll.Constant(I32, len(data)))
    value = 0 if literal.value is None else literal.value  # not `or`: -0.0 is false too
    if literal.type.is_float:
        value = float(value)
    payload = ll.Constant(llvm_type(literal.type), value)
    return Value(literal.type, payload, null)


def literal_bytes(literal: Literal) -> bytes:
    """The bytes of a literal string or binary; none of a null."""
    value = literal.value or ""
    return value if isinstance(value, bytes) else str(value).encode()


def any_null(cx: KernelContext, *values: Value) -> ll.Value | None:
    """Whether one of the values is null, or None where none can be."""
    nulls = [value.null for value in values if value.null is not None]
    if not nulls:
        return None
    joined = nulls[0]
    for null in nulls[1:]:
        joined = cx.b.or_(joined, null)
    return joined


def is_true(cx: KernelContext, value: Value) -> ll.Value:
    """Whether a bool is true: neither false nor null."""
    if value.null is None:
        return value.payload
    return cx.b.and_(value.payload, cx.b.not_(value.null))


def null_bit(value: Value) -> ll.Value:
    """The null flag as a bit, also where it cannot be set."""
    return ll.Constant(I1, 0) if value.null is None else value.null


def choose(cx: KernelContext, condition: ll.Value, yes: Value, no: Value) -> Value:
    """`yes if condition else no`, without a branch."""
    null = None
    if yes.null is not None or no.null is not None:
        null = cx.b.select(condition, null_bit(yes), null_bit(no))
    length = cx.b.select(condition, yes.length, no.length) if yes.length is not None else None
    return Value(yes.type, cx.b.select(condition, yes.payload, no.payload), null, length)
