"""ROUND and BROUND in generated code: integers and decimals by division, floats with care.

A float is rounded as the shortest decimal number that reads back as it. Numbers of 15
digits are told apart by their floats, so up to there a comparison with the float of the
tie decides; what has more digits takes the C library's way through text, about 1 us.
"""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.arithmetic import lossy
from codegen_llvm.builder import I1, I8, I32, I64, I128, PTR, KernelContext, i64, new_function
from codegen_llvm.decimals import decimal_of, exceeds, overflowing, power_of_ten, scaled_up
from codegen_llvm.values import Value
from codegen_llvm.wide_division import divide
from ir import Call
from ir.expr import constant, may_lose
from ir.types import MAX_PRECISION

DOUBLE, FLOAT = ll.DoubleType(), ll.FloatType()
# Powers of ten that a float64 holds exactly, and the digits that it tells apart.
_EXACT_POWER = 22
_SURE_DIGITS = 15
# The powers of ten that fit an unsigned integer of 64 bits.
_MOST_POWER = 19
_TEXT_BYTES = 64
# The bits that a float64 has more than a float32, and the least float32 with all its own.
_NARROW_BITS = 29
_LEAST_NORMAL = 2.0**-126
# All digits of any float are nearer to the point.
_FARTHEST = 400


def lower_rounded(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """round, bround."""
    value, digits = args[0], constant(call, 1)
    assert isinstance(digits, int)
    half_even = call.function == "bround"
    if value.type.is_float:
        payload = _rounded_float(cx, value.payload, digits, half_even)
        return Value(call.type, payload, value.null)
    if value.type.is_decimal:
        return _rounded_decimal(cx, call, value, digits, half_even)
    return _rounded_integer(cx, call, value, digits, half_even)


def _rounded_integer(
    cx: KernelContext, call: Call, value: Value, digits: int, half_even: bool
) -> Value:
    """Of 64 bits without a sign: there is room for the carry, also for that of 2^63."""
    if digits >= 0:
        return value
    narrow = value.payload.type
    if -digits > _MOST_POWER:
        return Value(call.type, ll.Constant(narrow, 0), value.null)
    wide = value.payload if narrow == I64 else cx.b.sext(value.payload, I64)
    negative = cx.b.icmp_signed("<", wide, i64(0))
    size = cx.b.select(negative, cx.b.neg(wide), wide)
    unit = i64(10**-digits)
    kept = cx.b.udiv(size, unit)
    rest = cx.b.sub(size, cx.b.mul(kept, unit))
    made = cx.b.mul(_nearest(cx, kept, rest, unit, half_even), unit)
    most = cx.b.add(i64(call.type.high), cx.b.zext(negative, I64))
    lost = cx.b.icmp_unsigned(">", made, most)
    signed = cx.b.select(negative, cx.b.neg(made), made)
    payload = signed if narrow == I64 else cx.b.trunc(signed, narrow)
    return lossy(cx, call, Value(call.type, payload, value.null), lost, "ARITHMETIC_OVERFLOW")


def _rounded_decimal(
    cx: KernelContext, call: Call, value: Value, digits: int, half_even: bool
) -> Value:
    source, target = decimal_of(value.type), decimal_of(call.type)
    drop = source.scale - digits
    if drop <= 0:
        return Value(call.type, value.payload, value.null)
    zero = ll.Constant(I128, 0)
    if drop > MAX_PRECISION:
        return Value(call.type, zero, value.null)
    negative = cx.b.icmp_signed("<", value.payload, zero)
    size = cx.b.select(negative, cx.b.neg(value.payload), value.payload)
    unit = power_of_ten(I128, drop)
    kept = _nearest(cx, *divide(cx, size, unit), unit, half_even)
    wide = ll.IntType(256)
    # A carry to 10^38 still fits 128 bits, times the places that became zeros it may not.
    made = scaled_up(cx, cx.b.zext(kept, wide) if digits < 0 else kept, target.scale - digits)
    narrow = cx.b.trunc(made, I128) if made.type == wide else made
    signed = cx.b.select(negative, cx.b.neg(narrow), narrow)
    rounded = Value(call.type, signed, value.null)
    if not may_lose(call):
        return rounded
    return overflowing(cx, call, rounded, exceeds(cx, made, target.precision))


def _nearest(
    cx: KernelContext, kept: ll.Value, rest: ll.Value, unit: ll.Value, half_even: bool
) -> ll.Value:
    """A quotient, or one more if the remainder is more than half of the divisor."""
    other = cx.b.sub(unit, rest)
    up = cx.b.icmp_unsigned(">", rest, other)
    tie = cx.b.icmp_unsigned("==", rest, other)
    if half_even:
        tie = cx.b.and_(tie, cx.b.trunc(kept, I1))
    return cx.b.add(kept, cx.b.zext(cx.b.or_(up, tie), kept.type))


def _rounded_float(cx: KernelContext, payload: ll.Value, digits: int, half_even: bool) -> ll.Value:
    """The quick way, and over it the slow one where that is not sure."""
    digits = max(-_FARTHEST, min(digits, _FARTHEST))
    is_float32 = payload.type == FLOAT
    value = cx.b.fpext(payload, DOUBLE) if is_float32 else payload
    slow = _slow_function(cx.module, digits, half_even, payload.type)
    if abs(digits) > _EXACT_POWER:
        return cx.b.call(slow, [value])
    size = cx.b.call(cx.external("llvm.fabs.f64", DOUBLE, DOUBLE), [value])
    power = ll.Constant(DOUBLE, 10.0 ** abs(digits))
    scaled = cx.b.fmul(size, power) if digits >= 0 else cx.b.fdiv(size, power)
    sure = cx.b.fcmp_ordered("<", scaled, ll.Constant(DOUBLE, 10.0 ** (_SURE_DIGITS - 1)))
    kept = _compared_with_tie(cx, size, scaled, digits, half_even)
    near = cx.b.fdiv(kept, power) if digits >= 0 else cx.b.fmul(kept, power)
    signed = _signed(cx, near, value)
    if is_float32:
        sure = cx.b.and_(sure, _narrows_surely(cx, near))
        signed = cx.b.fptrunc(signed, FLOAT)
    made = cx.variable(payload.type, signed)
    with cx.b.if_then(cx.b.not_(sure), likely=False):
        cx.b.store(cx.b.call(slow, [value]), made)
    return cx.b.load(made, typ=payload.type)


def _narrows_surely(cx: KernelContext, size: ll.Value) -> ll.Value:
    """Whether a float64 that was rounded already gives the same float32 as the exact number.

    It may not where it is a tie of float32, and where that has fewer digits.
    """
    low = cx.b.and_(cx.b.bitcast(size, I64), i64((1 << _NARROW_BITS) - 1))
    is_tie = cx.b.icmp_unsigned("==", low, i64(1 << (_NARROW_BITS - 1)))
    is_small = cx.b.fcmp_ordered("<", size, ll.Constant(DOUBLE, _LEAST_NORMAL))
    is_zero = cx.b.fcmp_ordered("==", size, ll.Constant(DOUBLE, 0.0))
    return cx.b.or_(is_zero, cx.b.not_(cx.b.or_(is_tie, is_small)))


def _compared_with_tie(
    cx: KernelContext, size: ll.Value, scaled: ll.Value, digits: int, half_even: bool
) -> ll.Value:
    """The integer that a scaled number is rounded to.

    Quotient and product of exact numbers are rounded once, so the tie's float is exact: a
    size that equals it was written as the tie, any other is on the side that it shows.
    """
    below = cx.b.call(cx.external("llvm.floor.f64", DOUBLE, DOUBLE), [scaled])
    one, two = ll.Constant(DOUBLE, 1.0), ll.Constant(DOUBLE, 2.0)
    twice = cx.b.fadd(cx.b.fmul(below, two), one)
    half = ll.Constant(DOUBLE, 2.0 * 10.0**digits if digits >= 0 else 10.0**-digits / 2.0)
    tie = cx.b.fdiv(twice, half) if digits >= 0 else cx.b.fmul(twice, half)
    up = cx.b.fcmp_ordered(">", size, tie)
    at_tie = cx.b.fcmp_ordered("==", size, tie)
    if half_even:
        # Saturating: of NaN, the plain conversion is undefined, and so is a branch by it.
        whole = cx.external("llvm.fptosi.sat.i64.f64", I64, DOUBLE)
        at_tie = cx.b.and_(at_tie, cx.b.trunc(cx.b.call(whole, [below]), I1))
    return cx.b.fadd(below, cx.b.uitofp(cx.b.or_(up, at_tie), DOUBLE))


def _signed(cx: KernelContext, size: ll.Value, like: ll.Value) -> ll.Value:
    """A size with the sign of a number; zero has none."""
    is_negative = cx.b.fcmp_ordered("<", like, ll.Constant(like.type, 0.0))
    is_zero = cx.b.fcmp_ordered("==", size, ll.Constant(size.type, 0.0))
    return cx.b.select(cx.b.and_(is_negative, cx.b.not_(is_zero)), cx.b.fneg(size), size)


def _slow_function(module: ll.Module, digits: int, half_even: bool, result: ll.Type) -> ll.Function:
    """The function `value -> rounded`, through the text of the value's shortest decimal."""
    parse = "strtod" if result == DOUBLE else "strtof"
    name = f"round.{parse}.{digits}.{'even' if half_even else 'up'}"
    if name in module.globals:
        return module.globals[name]
    cx = new_function(module, name, result, (DOUBLE,))
    cx.function.linkage = "internal"
    (value,) = cx.function.args
    text = cx.stack(ll.ArrayType(I8, _TEXT_BYTES))
    size = cx.b.call(cx.external("llvm.fabs.f64", DOUBLE, DOUBLE), [value])
    same = value if result == DOUBLE else cx.b.fptrunc(value, result)
    is_number = cx.b.fcmp_ordered("<", size, ll.Constant(DOUBLE, float("inf")))
    with cx.b.if_then(cx.b.not_(is_number), likely=False):
        cx.b.ret(same)
    unscaled, exponent = _shortest(cx, text, size)
    drop = cx.b.sub(i64(-digits), exponent)
    with cx.b.if_then(cx.b.icmp_signed("<=", drop, i64(0))):
        cx.b.ret(cx.b.fadd(same, ll.Constant(result, 0.0)))  # also of -0.0
    with cx.b.if_then(cx.b.icmp_signed(">=", drop, i64(_MOST_POWER))):
        cx.b.ret(ll.Constant(result, 0.0))
    unit = cx.variable(I64, i64(1))
    with cx.loop(i64(0), drop, "place"):
        cx.b.store(cx.b.mul(cx.b.load(unit, typ=I64), i64(10)), unit)
    divisor = cx.b.load(unit, typ=I64)
    kept, rest = cx.b.udiv(unscaled, divisor), cx.b.urem(unscaled, divisor)
    made = _nearest(cx, kept, rest, divisor, half_even)
    _print(cx, text, b"%lldE%d\0", made, ll.Constant(I32, -digits))
    cx.b.ret(_signed(cx, _read(cx, parse, result, text), same))
    return cx.function


def _shortest(cx: KernelContext, text: ll.Value, size: ll.Value) -> tuple[ll.Value, ll.Value]:
    """The integer and the power of ten of the shortest decimal that reads back as a number."""
    most = 17
    places = cx.variable(I64, i64(_SURE_DIGITS))
    for count in range(_SURE_DIGITS, most + 1):
        behind = ll.Constant(I32, count - 1)
        if count == _SURE_DIGITS:
            _print(cx, text, b"%.*e\0", behind, size)
            continue
        wrong = cx.b.fcmp_ordered("!=", _read(cx, "strtod", DOUBLE, text), size)
        with cx.b.if_then(wrong):
            _print(cx, text, b"%.*e\0", behind, size)
            cx.b.store(i64(count), places)
    count = cx.b.load(places, typ=I64)
    unscaled = cx.variable(I64, _digit(cx, text, i64(0)))
    with cx.loop(i64(2), cx.b.add(count, i64(1)), "digit") as place:  # behind the point
        moved = cx.b.mul(cx.b.load(unscaled, typ=I64), i64(10))
        cx.b.store(cx.b.add(moved, _digit(cx, text, place)), unscaled)
    parse = cx.external("strtol", I64, PTR, PTR, I32)
    behind_e = cx.at(text, cx.b.add(count, i64(2)))
    exponent = cx.b.call(parse, [behind_e, ll.Constant(PTR, None), ll.Constant(I32, 10)])
    exponent = cx.b.sub(exponent, cx.b.sub(count, i64(1)))
    return cx.b.load(unscaled, typ=I64), exponent


def _digit(cx: KernelContext, text: ll.Value, place: ll.Value) -> ll.Value:
    char = cx.b.load(cx.at(text, place), typ=I8)
    return cx.b.zext(cx.b.sub(char, ll.Constant(I8, ord("0"))), I64)


def _print(cx: KernelContext, text: ll.Value, form: bytes, *values: ll.Value) -> None:
    name = "snprintf"
    known = cx.module.globals.get(name)
    if known is None:
        kind = ll.FunctionType(I32, (PTR, I64, PTR), var_arg=True)
        known = ll.Function(cx.module, kind, name)
    cx.b.call(known, [text, i64(_TEXT_BYTES), cx.constant_bytes(form), *values])


def _read(cx: KernelContext, parse: str, result: ll.Type, text: ll.Value) -> ll.Value:
    return cx.b.call(cx.external(parse, result, PTR, PTR), [text, ll.Constant(PTR, None)])
