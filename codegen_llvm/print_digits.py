"""Integers as digits of text, in generated code."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I64, I128, PTR, KernelContext, i64, shared_function
from codegen_llvm.wide_division import divide

_VOID = ll.VoidType()
_HALF_DIGITS = 19  # of which an unsigned integer of 64 bits has any
# All digits of a decimal, with a zero before: so that there is one before any point.
DECIMAL_DIGITS = 2 * _HALF_DIGITS + 1
MOST_INTEGER_BYTES = 20


def write_digits(cx: KernelContext, place: ll.Value, value: ll.Value, count: ll.Value) -> None:
    """Write the last digits of an unsigned i64, as many as wanted."""
    function = shared_function(cx.module, "write.digits", _VOID, (PTR, I64, I64), _build_digits)
    cx.b.call(function, [place, value, count])


def write_unsigned(
    cx: KernelContext, place: ll.Value, value: ll.Value, least_digits: int = 1
) -> ll.Value:
    """Write an unsigned i64, with zeros before it if it is short; returns how many bytes."""
    count = _count_digits(cx, value)
    short = cx.b.icmp_signed("<", count, i64(least_digits))
    count = cx.b.select(short, i64(least_digits), count)
    write_digits(cx, place, value, count)
    return count


def write_integer(cx: KernelContext, place: ll.Value, value: ll.Value) -> ll.Value:
    """Write a signed i64; returns how many bytes."""
    function = shared_function(cx.module, "write.integer", I64, (PTR, I64), _build_integer)
    return cx.b.call(function, [place, value])


def write_byte(cx: KernelContext, place: ll.Value, character: str) -> None:
    """Write a character of ASCII."""
    cx.b.store(ll.Constant(I8, ord(character)), place)


def write_decimal_digits(cx: KernelContext, place: ll.Value, size: ll.Value) -> ll.Value:
    """Write all 39 digits of an unsigned i128; returns where the first is that is not 0.

    That of zero is the last one.
    """
    high, low = divide(cx, size, ll.Constant(I128, 10**_HALF_DIGITS))
    write_byte(cx, place, "0")
    write_digits(cx, cx.at(place, 1), cx.b.trunc(high, I64), i64(_HALF_DIGITS))
    tail = cx.at(place, 1 + _HALF_DIGITS)
    write_digits(cx, tail, cx.b.trunc(low, I64), i64(_HALF_DIGITS))
    first = cx.local(I64, i64(0))
    with cx.forever("zero") as after:
        digit = cx.b.load(cx.at(place, first.value), typ=I8)
        cx.branch_if(cx.b.icmp_signed("!=", digit, ll.Constant(I8, ord("0"))), after)
        cx.branch_if(cx.b.icmp_signed("==", first.value, i64(DECIMAL_DIGITS - 1)), after)
        first.add(i64(1))
    return first.value


def _count_digits(cx: KernelContext, value: ll.Value) -> ll.Value:
    function = shared_function(cx.module, "count.digits", I64, (I64,), _build_count)
    return cx.b.call(function, [value])


def _build_digits(cx: KernelContext) -> None:
    place, value, count = cx.function.args
    rest = cx.local(I64, value)
    with cx.loop(i64(0), count, "digit") as index:
        digit = cx.b.trunc(cx.b.urem(rest.value, i64(10)), I8)
        at = cx.at(place, cx.b.sub(cx.b.sub(count, i64(1)), index))
        cx.b.store(cx.b.add(digit, ll.Constant(I8, ord("0"))), at)
        rest.set(cx.b.udiv(rest.value, i64(10)))
    cx.b.ret_void()


def _build_count(cx: KernelContext) -> None:
    (value,) = cx.function.args
    count: ll.Value = i64(1)
    for digits in range(1, MOST_INTEGER_BYTES):
        longer = cx.b.icmp_unsigned(">=", value, i64(10**digits))
        count = cx.b.add(count, cx.b.zext(longer, I64))
    cx.b.ret(count)


def _build_integer(cx: KernelContext) -> None:
    place, value = cx.function.args
    negative = cx.b.icmp_signed("<", value, i64(0))
    with cx.b.if_then(negative):
        write_byte(cx, place, "-")
    sign = cx.b.zext(negative, I64)
    size = cx.b.select(negative, cx.b.neg(value), value)
    cx.b.ret(cx.b.add(sign, write_unsigned(cx, cx.at(place, sign), size)))
