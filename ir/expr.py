"""Expressions: immutable, typed trees over the columns of one row."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ir.casts import can_cast, cast_can_be_null, cast_can_fail, refusal
from ir.decimals import may_overflow, rounded_digits
from ir.errors import IrSchemaError, IrTypeError
from ir.functions import function_named
from ir.patterns import is_pattern
from ir.signatures import EvalMode, Failure, Nulls
from ir.time_units import may_leave_range
from ir.types import (
    BINARY,
    BOOL,
    DATE,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    DataType,
    DecimalType,
    Field,
    Schema,
)

Scalar: TypeAlias = bool | int | float | str | bytes | None


class Expr:
    """A value computed from one row; knows its type, nullability and whether it can fail."""

    __slots__ = ()

    type: DataType
    nullable: bool
    can_fail: bool

    @property
    def children(self) -> tuple[Expr, ...]:
        """The operand expressions, in order."""
        return ()

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        """The same expression over other operands, validated again."""
        return self

    def walk(self) -> Iterator[Expr]:
        """This expression and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def columns(self) -> frozenset[str]:
        """The names of the columns that the expression reads."""
        return frozenset(node.name for node in self.walk() if isinstance(node, Column))


@dataclass(frozen=True, slots=True)
class Column(Expr):
    """A column of the input row."""

    name: str
    type: DataType
    nullable: bool = True
    can_fail: bool = field(default=False, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Literal(Expr):
    """A constant; dates are days and timestamps microseconds since the epoch, decimals unscaled.

    Equality distinguishes 0.0 from -0.0 and finds NaN equal to NaN, because two
    plans are the same only when they compute the same.
    """

    value: Scalar = field(compare=False)
    type: DataType
    nullable: bool = field(init=False, repr=False, compare=False)
    can_fail: bool = field(default=False, init=False, repr=False, compare=False)
    identity: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _check_literal(self.value, self.type)
        object.__setattr__(self, "nullable", self.value is None)
        object.__setattr__(self, "identity", repr(self.value))


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A function of `ir.functions` applied to arguments."""

    function: str
    args: tuple[Expr, ...]
    mode: EvalMode = EvalMode.ANSI
    type: DataType = field(init=False, repr=False, compare=False)
    nullable: bool = field(init=False, repr=False, compare=False)
    can_fail: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        row = function_named(self.function)
        types = [arg.type for arg in self.args]
        object.__setattr__(self, "type", row.result_type(types, _constants(self)))
        object.__setattr__(self, "nullable", _call_nullable(self))
        fails = self.mode is EvalMode.ANSI and may_lose(self)
        object.__setattr__(self, "can_fail", fails or any(arg.can_fail for arg in self.args))

    @property
    def children(self) -> tuple[Expr, ...]:
        """The arguments."""
        return self.args

    def with_children(self, children: tuple[Expr, ...]) -> Call:
        """The same function of other arguments."""
        return Call(self.function, children, self.mode)


@dataclass(frozen=True, slots=True)
class Cast(Expr):
    """A conversion to another type, with Spark's rounding, overflow and forms of text."""

    child: Expr
    type: DataType
    mode: EvalMode = EvalMode.ANSI
    nullable: bool = field(init=False, repr=False, compare=False)
    can_fail: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        source, target, mode = self.child.type, self.type, self.mode
        if not can_cast(source, target, mode):
            raise IrTypeError(refusal(source, target, mode))
        nullable = self.child.nullable or cast_can_be_null(source, target, mode)
        object.__setattr__(self, "nullable", nullable)
        fails = self.child.can_fail or cast_can_fail(source, target, mode)
        object.__setattr__(self, "can_fail", fails)

    @property
    def children(self) -> tuple[Expr, ...]:
        """The value that is converted."""
        return (self.child,)

    def with_children(self, children: tuple[Expr, ...]) -> Cast:
        """The same conversion of another value."""
        return Cast(children[0], self.type, self.mode)


def may_lose(call: Call) -> bool:
    """Whether some arguments have no representable result, whatever the mode makes of it."""
    failure = function_named(call.function).failure
    if call.function in ("round", "bround"):
        return _rounding_may_overflow(call)
    if failure is Failure.RANGE:
        return may_leave_range(call.function, _constants(call), call.args[0].type.is_integer)
    if failure is not Failure.NONE and call.args[0].type.is_decimal:
        types = [arg.type for arg in call.args]
        divides = failure is not Failure.OVERFLOW and not _is_nonzero_literal(call.args[1])
        return divides or may_overflow(call.function, types)
    match failure:
        case Failure.NONE | Failure.RANGE:
            return False
        case Failure.OVERFLOW:
            return call.type.is_integer
        case Failure.ZERO:
            return not _is_nonzero_literal(call.args[1])
        case Failure.ZERO_OR_OVERFLOW:
            divisor = call.args[1]
            return not (_is_nonzero_literal(divisor) and divisor != Literal(-1, divisor.type))
        case Failure.PATTERN:
            return not _is_pattern_literal(call.args[1])


def _rounding_may_overflow(call: Call) -> bool:
    """Only places before the point can carry into one that a type does not have."""
    value, digits = call.args[0].type, constant(call, 1)
    assert isinstance(digits, int)
    if isinstance(value, DecimalType):
        return digits < 0 and rounded_digits(value, digits)[0] > MAX_PRECISION
    return value.is_integer and digits < 0


def constant(call: Call, position: int) -> Scalar:
    """The value of an argument that must be a literal."""
    arg = call.args[position]
    if not isinstance(arg, Literal):
        raise IrTypeError(
            f"{call.function} needs a constant as argument {position + 1}; it says what is computed"
        )
    return arg.value


def _constants(call: Call) -> dict[int, object]:
    positions = function_named(call.function).constants
    return {at: constant(call, at) for at in positions if at < len(call.args)}


def conjuncts(predicate: Expr) -> Iterator[Expr]:
    """The parts of a predicate that are joined by `and`, in evaluation order."""
    match predicate:
        case Call("and", (left, right)):
            yield from conjuncts(left)
            yield from conjuncts(right)
        case _:
            yield predicate


def conjunction(parts: tuple[Expr, ...]) -> Expr:
    """The parts joined by `and`, in order; the inverse of `conjuncts`."""
    if not parts:
        return Literal(True, BOOL)
    joined = parts[0]
    for part in parts[1:]:
        joined = Call("and", (joined, part))
    return joined


def substitute(expr: Expr, mapping: Mapping[str, Expr]) -> Expr:
    """The expression with columns replaced by name, its nullability derived again."""
    if isinstance(expr, Column):
        return mapping.get(expr.name, expr)
    if not expr.children:
        return expr
    return expr.with_children(tuple(substitute(child, mapping) for child in expr.children))


def check_columns(role: str, expr: Expr, schema: Schema) -> None:
    """Every column that the expression reads exists with the type that it expects."""
    for node in expr.walk():
        if not isinstance(node, Column):
            continue
        if node.name not in schema:
            listed = ", ".join(schema.names) or "none"
            raise IrSchemaError(f"{role} reads column {node.name!r}; there are: {listed}")
        there = schema[node.name]
        if there.type != node.type or (there.nullable and not node.nullable):
            raise IrTypeError(
                f"{role} reads {Field(node.name, node.type, node.nullable)},"
                f" but the input has {there}; rebind the expression"
            )


def _call_nullable(call: Call) -> bool:
    by_zero_or_try = may_lose(call) and (
        call.mode is EvalMode.TRY or (call.mode is EvalMode.LEGACY and _legacy_is_null(call))
    )
    match function_named(call.function).nulls:
        case Nulls.ANY:
            return by_zero_or_try or any(arg.nullable for arg in call.args)
        case Nulls.ALL:
            return all(arg.nullable for arg in call.args)
        case Nulls.FIRST:
            return call.args[0].nullable
        case Nulls.NEVER:
            return False
        case Nulls.SOME:
            return True
        case Nulls.BRANCHES:
            return any(arg.nullable for arg in (*call.args[1:-1:2], call.args[-1]))


def _legacy_is_null(call: Call) -> bool:
    """Whether what cannot be represented is null in LEGACY mode, too, and does not wrap."""
    never_wraps = call.function in ("divide", "int_divide", "remainder", "pmod", "like")
    calendar = function_named(call.function).failure is Failure.RANGE
    return never_wraps or calendar or call.args[0].type.is_decimal


def _is_nonzero_literal(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.value is not None and expr.value != 0


def _is_pattern_literal(expr: Expr) -> bool:
    """Whether a pattern is known, and right; a null one is never looked at."""
    if not isinstance(expr, Literal):
        return False
    return expr.value is None or is_pattern(str(expr.value))


def _check_literal(value: Scalar, type_: DataType) -> None:
    """Reject a value that its type cannot hold, before it reaches generated code."""
    if value is None:
        return
    if type_ is BOOL:
        legal = isinstance(value, bool)
    elif type_ is STRING:
        legal = isinstance(value, str)
    elif type_ is BINARY:
        legal = isinstance(value, bytes)
    elif type_.is_float:
        legal = isinstance(value, float)
    else:
        legal = isinstance(value, int) and not isinstance(value, bool) and _fits(value, type_)
    if not legal:
        raise IrTypeError(f"{value!r} is not a literal of type {type_}")
    if isinstance(value, float) and type_.bits == 32 and math.isfinite(value):
        _check_float32(value)
    if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
        raise IrTypeError(f"{value!r} holds half a surrogate pair, which UTF-8 cannot encode")


def _fits(value: int, type_: DataType) -> bool:
    if type_.is_decimal:
        return type_.low <= value <= type_.high
    bits = {DATE: 32, TIMESTAMP: 64}.get(type_) or type_.bits
    return -(1 << (bits - 1)) <= value < (1 << (bits - 1))


def _check_float32(value: float) -> None:
    try:
        exact = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        exact = None
    if exact != value:
        raise IrTypeError(f"{value!r} is not a float32; round it first or use float64")
