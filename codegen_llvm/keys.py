"""The keys of groups in generated code: made comparable by their bits, and hashed."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import HASH_MULTIPLIER
from codegen_llvm.builder import I32, I64, I128, KernelContext, i64
from codegen_llvm.strings import hash_string
from codegen_llvm.values import Value
from ir import BOOL

HASH_BITS = 0xFFFF_FFFF_0000_0000  # of a tag: the upper half of its key's hash


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the current row; `null_bit` is its bit in the tag, 0 if it never is null."""

    field: str
    value: Value
    null_bit: int


def normalize_key(cx: KernelContext, value: Value) -> Value:
    """-0.0 becomes 0.0 and every NaN the same NaN, so that equal keys have equal bits."""
    payload = value.payload
    if value.type.is_float:
        zero, nan = ll.Constant(payload.type, 0.0), ll.Constant(payload.type, float("nan"))
        is_zero = cx.b.fcmp_ordered("==", payload, zero)
        payload = cx.b.select(is_zero, zero, payload)
        payload = cx.b.select(cx.b.fcmp_unordered("uno", payload, payload), nan, payload)
    if value.null is not None and not value.type.is_bytes:
        payload = cx.b.select(value.null, ll.Constant(payload.type, 0), payload)
    length = value.length
    if value.null is not None and length is not None:
        length = cx.b.select(value.null, ll.Constant(I32, 0), length)
    return Value(value.type, payload, value.null, length)


def hash_keys(cx: KernelContext, keys: list[Key]) -> ll.Value:
    """A hash whose high bits depend on every key; one multiplication for one number."""
    hash_: ll.Value | None = None
    for key in keys:
        word = _key_word(cx, key)
        if hash_ is not None:
            rotated = cx.b.or_(cx.b.shl(hash_, i64(25)), cx.b.lshr(hash_, i64(39)))
            word = cx.b.xor(rotated, word)
        hash_ = cx.b.mul(word, i64(HASH_MULTIPLIER))
    assert hash_ is not None
    return hash_


def _key_word(cx: KernelContext, key: Key) -> ll.Value:
    value = key.value
    if value.type.is_bytes:
        return hash_string(cx, value)
    word = as_integer(cx, value)
    if value.type.is_decimal:
        return _fold(cx, word)
    if word.type != I64:
        word = cx.b.zext(word, I64)
    if value.type.is_float:
        # Whole numbers as doubles differ in their upper bits only: bring those down.
        word = cx.b.xor(word, cx.b.lshr(word, i64(32)))
    return word


def _fold(cx: KernelContext, wide: ll.Value) -> ll.Value:
    """Both halves of 128 bits in 64; the upper one is only the sign of most decimals."""
    high = cx.b.trunc(cx.b.lshr(wide, ll.Constant(I128, 64)), I64)
    return cx.b.xor(cx.b.trunc(wide, I64), cx.b.mul(high, i64(HASH_MULTIPLIER)))


def as_integer(cx: KernelContext, value: Value) -> ll.Value:
    """The bits of a number, for hashing and comparing keys."""
    if value.type.is_float:
        return cx.b.bitcast(value.payload, ll.IntType(value.type.bits))
    return value.payload


def key_number(cx: KernelContext, value: Value) -> ll.Value:
    """An integer key of any kind as 64 bits with its sign; a bool is 0 or 1."""
    if value.payload.type == I64:
        return value.payload
    widen = cx.b.zext if value.type == BOOL else cx.b.sext
    return widen(value.payload, I64)
