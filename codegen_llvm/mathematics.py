"""Bits, roots, powers, rounding and extremes in generated code."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm.arithmetic import float_to_integer, lossy
from codegen_llvm.builder import I1, KernelContext
from codegen_llvm.comparisons import compare
from codegen_llvm.values import Value, any_null, choose, null_bit
from ir import INT64, Call

DOUBLE = ll.DoubleType()
_BIT_OPS: dict[str, Callable[..., ll.Value]] = {
    "bit_and": ll.IRBuilder.and_,
    "bit_or": ll.IRBuilder.or_,
    "bit_xor": ll.IRBuilder.xor,
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


def lower_sqrt(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The square root, NaN of what is negative."""
    return Value(call.type, _intrinsic(cx, "sqrt", args[0].payload), args[0].null)


def lower_exp(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """e to a power."""
    return Value(call.type, _library(cx, "exp", args[0].payload), args[0].null)


def lower_ln(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The natural logarithm, null of zero and below."""
    (value,) = args
    outside = cx.b.fcmp_ordered("<=", value.payload, ll.Constant(DOUBLE, 0.0))
    null = outside if value.null is None else cx.b.or_(value.null, outside)
    return Value(call.type, _library(cx, "log", value.payload), null)


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
