"""Bits, roots, powers, rounding and extremes in generated code."""

from __future__ import annotations

import math
from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm.arithmetic import float_to_integer, lossy
from codegen_llvm.builder import I1, KernelContext
from codegen_llvm.comparisons import compare
from codegen_llvm.values import Value, any_null, choose, null_bit
from ir import INT64, Call
from ir.mathematics import ASYMPTOTES

DOUBLE = ll.DoubleType()
_BIT_OPS: dict[str, Callable[..., ll.Value]] = {
    "bit_and": ll.IRBuilder.and_,
    "bit_or": ll.IRBuilder.or_,
    "bit_xor": ll.IRBuilder.xor,
}

_SHIFTS: dict[str, Callable[..., ll.Value]] = {
    "shiftleft": ll.IRBuilder.shl,
    "shiftright": ll.IRBuilder.ashr,
    "shiftrightunsigned": ll.IRBuilder.lshr,
}


def lower_abs(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The absolute value: of the least integer it overflows."""
    (value,) = args
    payload = value.payload
    if call.type.is_float:
        made = _intrinsic(cx, "fabs", payload)
        return Value(call.type, made, value.null)
    name = f"llvm.abs.i{payload.type.width}"
    wrapping = ll.Constant(I1, 0)
    made = cx.b.call(cx.external(name, payload.type, payload.type, I1), [payload, wrapping])
    overflow = cx.b.icmp_signed("<", made, ll.Constant(payload.type, 0))
    return lossy(cx, call, Value(call.type, made, value.null), overflow, "ARITHMETIC_OVERFLOW")


def lower_sign(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """1 or -1; zeros and NaN are their own sign."""
    (value,) = args
    payload = value.payload
    one, zero = ll.Constant(DOUBLE, 1.0), ll.Constant(DOUBLE, 0.0)
    copysign = cx.external("llvm.copysign.f64", DOUBLE, DOUBLE, DOUBLE)
    signed = cx.b.call(copysign, [one, payload])
    has_sign = cx.b.fcmp_ordered("!=", payload, zero)  # false for NaN too
    return Value(call.type, cx.b.select(has_sign, signed, payload), value.null)


def lower_bits(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """bit_and, bit_or, bit_xor."""
    left, right = args
    payload = _BIT_OPS[call.function](cx.b, left.payload, right.payload)
    return Value(call.type, payload, any_null(cx, left, right))


def lower_bit_not(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """All bits inverted."""
    return Value(call.type, cx.b.not_(args[0].payload), args[0].null)


def lower_shift(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """shiftleft, shiftright, shiftrightunsigned: by what the low bits of the number say."""
    value, by = args
    width = value.payload.type.width
    places = cx.b.and_(by.payload, ll.Constant(by.payload.type, width - 1))
    if places.type != value.payload.type:
        places = cx.b.zext(places, value.payload.type)
    payload = _SHIFTS[call.function](cx.b, value.payload, places)
    return Value(call.type, payload, any_null(cx, value, by))


def lower_sqrt(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The square root, NaN of what is negative."""
    return Value(call.type, _intrinsic(cx, "sqrt", args[0].payload), args[0].null)


def lower_library(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """A function that the C library has under the same name."""
    (value,) = args
    return Value(call.type, _library(cx, call.function, value.payload), value.null)


def lower_logarithm(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """ln, log2, log10, log1p: null at the asymptote and below."""
    (value,) = args
    asymptote = ll.Constant(DOUBLE, ASYMPTOTES[call.function])
    outside = cx.b.fcmp_ordered("<=", value.payload, asymptote)
    null = outside if value.null is None else cx.b.or_(value.null, outside)
    name = "log" if call.function in ("ln", "log2") else call.function
    made = _library(cx, name, value.payload)
    if call.function == "log2":  # a quotient, as in Spark
        made = cx.b.fdiv(made, ll.Constant(DOUBLE, math.log(2.0)))
    return Value(call.type, made, null)


def lower_angle(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """degrees, radians."""
    factor = 180.0 / math.pi if call.function == "degrees" else math.pi / 180.0
    made = cx.b.fmul(args[0].payload, ll.Constant(DOUBLE, factor))
    return Value(call.type, made, args[0].null)


def lower_pow(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Java's pow: a power that is NaN, or an infinite one of 1 or -1, gives NaN, not 1."""
    base, exponent = args
    one, infinity = ll.Constant(DOUBLE, 1.0), ll.Constant(DOUBLE, float("inf"))
    is_one = cx.b.fcmp_ordered("==", _intrinsic(cx, "fabs", base.payload), one)
    size = _intrinsic(cx, "fabs", exponent.payload)
    is_endless = cx.b.fcmp_ordered("==", size, infinity)
    is_nan = cx.b.fcmp_unordered("uno", size, size)
    undefined = cx.b.or_(is_nan, cx.b.and_(is_one, is_endless))
    made = _library(cx, "pow", base.payload, exponent.payload)
    payload = cx.b.select(undefined, ll.Constant(DOUBLE, float("nan")), made)
    return Value(call.type, payload, any_null(cx, base, exponent))


def lower_rounding(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """ceil, floor: to int64, NaN as 0; what is too large fails or saturates."""
    (value,) = args
    rounded = _intrinsic(cx, call.function, value.payload)
    made = Value(INT64, float_to_integer(cx, rounded, INT64), value.null)
    above = cx.b.fcmp_ordered(">=", rounded, ll.Constant(DOUBLE, -float(INT64.low)))
    below = cx.b.fcmp_ordered("<", rounded, ll.Constant(DOUBLE, float(INT64.low)))
    return lossy(cx, call, made, cx.b.or_(above, below), "ARITHMETIC_OVERFLOW")


def lower_extreme(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """greatest, least: the first of the equal ones, null only if all are."""
    test = "gt" if call.function == "greatest" else "lt"
    best = args[0]
    for value in args[1:]:
        wins = cx.b.or_(null_bit(best), compare(cx, test, value, best))
        if value.null is not None:
            wins = cx.b.and_(wins, cx.b.not_(value.null))
        null = None
        if best.null is not None and value.null is not None:
            null = cx.b.and_(best.null, value.null)
        chosen = choose(cx, wins, value, best)
        best = Value(call.type, chosen.payload, null, chosen.length)
    return best


def _intrinsic(cx: KernelContext, name: str, value: ll.Value) -> ll.Value:
    suffix = "f64" if value.type == DOUBLE else "f32"
    return cx.b.call(cx.external(f"llvm.{name}.{suffix}", value.type, value.type), [value])


def _library(cx: KernelContext, name: str, *args: ll.Value) -> ll.Value:
    """A function of the C library, called as it is.

    LLVM would make exp10(x) of pow(10, x), whose last digit may differ.
    """
    function = cx.external(name, DOUBLE, *(DOUBLE for _ in args))
    function.attributes.add("nobuiltin")
    return cx.b.call(function, list(args))
