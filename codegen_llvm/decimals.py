"""Decimal arithmetic in generated code: unscaled 128-bit integers, wider ones in between.

Which width an operation needs follows from the digits of its types, so that
most of them are plain 128-bit instructions without any check.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm.arithmetic import is_zero, lossy
from codegen_llvm.builder import I1, I64, I128, KernelContext, new_function
from codegen_llvm.values import Value, any_null
from codegen_llvm.wide_division import divide, divide_by_any, divide_half_up
from ir import Call, Cast, DataType, DecimalType
from ir.decimals import CONTEXT_DIGITS, ideal_digits
from ir.decimals import may_overflow as types_may_overflow
from ir.types import MAX_PRECISION

I256, I512 = ll.IntType(256), ll.IntType(512)
# The most decimal digits that fit a signed integer.
_DIGITS = {128: 38, 256: 76, 512: 153}
_TOO_LARGE = "NUMERIC_VALUE_OUT_OF_RANGE"
# Powers of ten beyond this one do not fit 128 bits, so larger ones are divided by in two steps.
_MOST_POWER = 38


def lower_decimal_sum(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """add, subtract."""
    left, right = (decimal_of(arg.type) for arg in call.args)
    digits, scale = ideal_digits(call.function, left, right)
    wide = width_of(digits)
    first, second = (
        scaled_up(cx, cx.b.sext(value.payload, wide) if wide != I128 else value.payload, by)
        for value, by in zip(args, (scale - left.scale, scale - right.scale), strict=True)
    )
    operation = cx.b.add if call.function == "add" else cx.b.sub
    return _rounded(cx, call, operation(first, second), scale, any_null(cx, *args))


def lower_decimal_multiply(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The product; what has more than 39 digits is rounded to these first, as in Java."""
    left, right = (decimal_of(arg.type) for arg in call.args)
    null = any_null(cx, *args)
    if not types_may_overflow(call.function, [left, right]):
        factors = [
            _narrow(cx, value.payload, type_)
            for value, type_ in zip(args, (left, right), strict=True)
        ]
        return Value(call.type, cx.b.mul(*factors), null)
    target = decimal_of(call.type)
    drop = left.scale + right.scale - target.scale
    product = _product_function(cx.module, drop, target.precision)
    made = cx.b.call(product, [args[0].payload, args[1].payload])
    payload, lost = cx.b.extract_value(made, 0), cx.b.extract_value(made, 1)
    return overflowing(cx, call, Value(call.type, payload, null), lost)


def lower_decimal_divide(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The quotient to 39 digits behind the point, then rounded to the result's scale."""
    left, right = (decimal_of(arg.type) for arg in call.args)
    zero = is_zero(cx, args[1])
    divisor = _nonzero(cx, args[1].payload, zero)
    ratio = ratio_function(cx.module, left, right.scale, decimal_of(call.type))
    result = cx.b.call(ratio, [args[0].payload, divisor])
    payload, lost = cx.b.extract_value(result, 0), cx.b.extract_value(result, 1)
    made = Value(call.type, payload, any_null(cx, *args))
    made = lossy(cx, call, made, zero, "DIVIDE_BY_ZERO", legacy_is_null=True)
    if not types_may_overflow(call.function, [left, right]):
        return made
    return overflowing(cx, call, made, lost)


def lower_decimal_remainder(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """remainder, with the dividend's sign; pmod adds a positive divisor to what is negative."""
    left, right = (decimal_of(arg.type) for arg in call.args)
    zero, scale = is_zero(cx, args[1]), max(left.scale, right.scale)
    _, rest = _divided(cx, call, args, _nonzero(cx, args[1].payload, zero))
    negative = cx.b.icmp_signed("<", args[0].payload, ll.Constant(I128, 0))
    signed = cx.b.select(negative, cx.b.neg(rest), rest)
    if call.function == "pmod":
        signed = _made_positive(cx, signed, args[1].payload, scale - right.scale)
    made = Value(call.type, args[0].payload, any_null(cx, *args))
    made = lossy(cx, call, made, zero, "REMAINDER_BY_ZERO", legacy_is_null=True)
    return _rounded(cx, call, signed, scale, made.null)


def _made_positive(cx: KernelContext, rest: ll.Value, divisor: ll.Value, by: int) -> ll.Value:
    """A negative remainder by a negative divisor stays: the sum would be cut to it again."""
    zero = ll.Constant(rest.type, 0)
    wide = divisor if rest.type == I128 else cx.b.sext(divisor, rest.type)
    total = cx.b.add(rest, scaled_up(cx, wide, by))
    negative, positive = cx.b.icmp_signed("<", rest, zero), cx.b.icmp_signed(">", wide, zero)
    return cx.b.select(cx.b.and_(negative, positive), total, rest)


def lower_decimal_int_divide(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The integer part of a quotient: checked as a decimal, and then cut to 64 bits."""
    left, right = (decimal_of(arg.type) for arg in call.args)
    zero = is_zero(cx, args[1])
    whole, _ = _divided(cx, call, args, _nonzero(cx, args[1].payload, zero))
    first, second = (cx.b.icmp_signed("<", value.payload, ll.Constant(I128, 0)) for value in args)
    signed = cx.b.select(cx.b.xor(first, second), cx.b.neg(whole), whole)
    made = Value(call.type, cx.b.trunc(signed, I64), any_null(cx, *args))
    made = lossy(cx, call, made, zero, "DIVIDE_BY_ZERO", legacy_is_null=True)
    if not types_may_overflow(call.function, [left, right]):
        return made
    return overflowing(cx, call, made, _exceeds(cx, whole, MAX_PRECISION))


def lower_decimal_sign(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """negate, abs: there is no number without its opposite."""
    (value,) = args
    opposite = cx.b.neg(value.payload)
    if call.function == "negate":
        return Value(call.type, opposite, value.null)
    negative = cx.b.icmp_signed("<", value.payload, ll.Constant(I128, 0))
    return Value(call.type, cx.b.select(negative, opposite, value.payload), value.null)


def lower_decimal_rounding(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """ceil, floor."""
    (value,) = args
    source = decimal_of(value.type)
    if source.scale == 0:
        return value
    negative = cx.b.icmp_signed("<", value.payload, ll.Constant(I128, 0))
    size = cx.b.select(negative, cx.b.neg(value.payload), value.payload)
    whole, rest = divide(cx, size, power_of_ten(I128, source.scale))
    away = negative if call.function == "floor" else cx.b.not_(negative)
    inexact = cx.b.icmp_unsigned("!=", rest, ll.Constant(I128, 0))
    grown = cx.b.add(whole, cx.b.zext(cx.b.and_(away, inexact), I128))
    return Value(call.type, cx.b.select(negative, cx.b.neg(grown), grown), value.null)


DECIMAL_LOWERINGS: dict[str, Callable[[KernelContext, Call, list[Value]], Value]] = {
    "add": lower_decimal_sum,
    "subtract": lower_decimal_sum,
    "multiply": lower_decimal_multiply,
    "divide": lower_decimal_divide,
    "remainder": lower_decimal_remainder,
    "pmod": lower_decimal_remainder,
    "int_divide": lower_decimal_int_divide,
    "negate": lower_decimal_sign,
    "abs": lower_decimal_sign,
    "ceil": lower_decimal_rounding,
    "floor": lower_decimal_rounding,
}


def decimal_of(type_: DataType) -> DecimalType:
    """The type as a decimal type."""
    assert isinstance(type_, DecimalType)
    return type_


def power_of_ten(type_: ll.IntType, exponent: int) -> ll.Constant:
    """A constant power of ten."""
    return ll.Constant(type_, 10**exponent)


def scaled_up(cx: KernelContext, value: ll.Value, by: int) -> ll.Value:
    """An integer times a power of ten, which it has the bits for."""
    return value if by == 0 else cx.b.mul(value, power_of_ten(value.type, by))


def rescaled(cx: KernelContext, value: ll.Value, drop: int) -> ll.Value:
    """A signed integer without its last `drop` digits, rounded half up; or with more."""
    if drop <= 0:
        return scaled_up(cx, value, -drop)
    zero = ll.Constant(value.type, 0)
    negative = cx.b.icmp_signed("<", value, zero)
    size = cx.b.select(negative, cx.b.sub(zero, value), value)
    made = _dropped(cx, size, drop)
    return cx.b.select(negative, cx.b.sub(zero, made), made)


def overflowing(cx: KernelContext, expr: Call | Cast, made: Value, lost: ll.Value) -> Value:
    """A value that may have too many digits: an error, or null also in LEGACY mode."""
    return lossy(cx, expr, made, lost, _TOO_LARGE, legacy_is_null=True)


def exceeds(cx: KernelContext, value: ll.Value, digits: int) -> ll.Value:
    """Whether a signed integer has more decimal digits than these."""
    zero = ll.Constant(value.type, 0)
    negative = cx.b.icmp_signed("<", value, zero)
    return _exceeds(cx, cx.b.select(negative, cx.b.sub(zero, value), value), digits)


def ratio_function(
    module: ll.Module, left: DecimalType, right_scale: int, result: DecimalType
) -> ll.Function:
    """The function `(dividend, divisor) -> (quotient, whether it has too many digits)`."""
    name = f"decimal.divide.{left.precision}.{left.scale}.{right_scale}.{result}"
    if name in module.globals:
        return module.globals[name]
    cx = _function(module, name)
    negative, (dividend, divisor) = _signs_apart(cx, *cx.function.args)
    shift = CONTEXT_DIGITS + right_scale - left.scale
    wide = width_of(left.precision + shift)
    long = scaled_up(cx, cx.b.zext(dividend, wide), shift)
    made = divide_half_up(cx, long, divisor)
    made = _dropped(cx, made, CONTEXT_DIGITS - result.scale)
    _return(cx, negative, made, _exceeds(cx, made, result.precision))
    return cx.function


def _product_function(module: ll.Module, drop: int, precision: int) -> ll.Function:
    """The function `(a, b) -> (a * b without the last digits, whether it has too many)`."""
    name = f"decimal.multiply.{drop}.{precision}"
    if name in module.globals:
        return module.globals[name]
    cx = _function(module, name)
    negative, (left, right) = _signs_apart(cx, *cx.function.args)
    product = cx.b.mul(cx.b.zext(left, I256), cx.b.zext(right, I256))
    with cx.b.if_then(_exceeds(cx, product, CONTEXT_DIGITS), likely=False):
        _return_rounded_twice(cx, negative, product, drop, precision)
    made = _dropped(cx, product, drop)
    _return(cx, negative, made, _exceeds(cx, made, precision))
    return cx.function


def _return_rounded_twice(
    cx: KernelContext, negative: ll.Value, product: ll.Value, drop: int, precision: int
) -> None:
    """Round to 39 digits, then drop what is left to drop; with nothing left it is too large."""
    surplus: ll.Value = ll.Constant(I64, 0)
    for digits in range(CONTEXT_DIGITS, 2 * MAX_PRECISION):
        surplus = cx.b.add(surplus, cx.b.zext(_exceeds(cx, product, digits), I64))
    table = powers(cx.module)
    first = divide_half_up(cx, product, power_at(cx, table, surplus))
    left = cx.b.sub(ll.Constant(I64, drop), surplus)
    too_large = cx.b.icmp_signed("<=", left, ll.Constant(I64, 0))
    safe = cx.b.select(too_large, ll.Constant(I64, 1), left)
    second = divide_half_up(cx, first, power_at(cx, table, safe))
    _return(cx, negative, second, cx.b.or_(too_large, _exceeds(cx, second, precision)))


def powers(module: ll.Module) -> ll.Value:
    """The address of a table of the powers of ten that fit 128 bits."""
    name = "decimal.powers"
    if name not in module.globals:
        values = [10**exponent for exponent in range(_MOST_POWER + 1)]
        array = ll.Constant(ll.ArrayType(I128, len(values)), values)
        made = ll.GlobalVariable(module, array.type, name)
        made.linkage, made.global_constant, made.initializer = "private", True, array
    return ll.FormattedConstant(ll.PointerType(), module.globals[name].get_reference())


def power_at(cx: KernelContext, table: ll.Value, exponent: ll.Value) -> ll.Value:
    """10 to a power between 0 and 38."""
    return cx.b.load(cx.element(table, exponent, I128), typ=I128)


def _dropped(cx: KernelContext, size: ll.Value, drop: int) -> ll.Value:
    """An unsigned integer without its last digits, rounded half up."""
    if drop <= 0:
        return scaled_up(cx, size, -drop)
    if drop <= _MOST_POWER:
        return divide_half_up(cx, size, power_of_ten(I128, drop))
    half = ll.Constant(size.type, 5 * 10 ** (drop - 1))
    cut, _ = divide(cx, cx.b.add(size, half), power_of_ten(I128, _MOST_POWER))
    return divide(cx, cut, power_of_ten(I128, drop - _MOST_POWER))[0]


def _rounded(
    cx: KernelContext, call: Call, exact: ll.Value, scale: int, null: ll.Value | None
) -> Value:
    """An exact result in the call's type, checked where it may have too many digits."""
    target = decimal_of(call.type)
    made = rescaled(cx, exact, scale - target.scale)
    payload = made if made.type == I128 else cx.b.trunc(made, I128)
    value = Value(call.type, payload, null)
    if not types_may_overflow(call.function, [arg.type for arg in call.args]):
        return value
    return overflowing(cx, call, value, exceeds(cx, made, target.precision))


def _divided(
    cx: KernelContext, call: Call, args: list[Value], divisor: ll.Value
) -> tuple[ll.Value, ll.Value]:
    """The sizes of integer quotient and remainder at the larger of both scales."""
    left, right = (decimal_of(arg.type) for arg in call.args)
    scale = max(left.scale, right.scale)
    _, (first, second) = _signs_apart(cx, args[0].payload, divisor)
    digits = [type_.precision - type_.scale + scale for type_ in (left, right)]
    wide = width_of(max(digits))
    dividend = scaled_up(cx, _extended(cx, first, wide), scale - left.scale)
    if digits[1] <= _DIGITS[128]:
        whole, rest = divide(cx, dividend, scaled_up(cx, second, scale - right.scale))
        return whole, rest if wide == I128 else cx.b.zext(rest, wide)
    longer = scaled_up(cx, _extended(cx, second, wide), scale - right.scale)
    return divide_by_any(cx, dividend, longer)


def _extended(cx: KernelContext, value: ll.Value, wide: ll.IntType) -> ll.Value:
    return value if wide == value.type else cx.b.zext(value, wide)


def width_of(digits: int) -> ll.IntType:
    """The narrowest integer that has these decimal digits."""
    return ll.IntType(min(bits for bits, most in _DIGITS.items() if digits <= most))


def _narrow(cx: KernelContext, value: ll.Value, type_: DecimalType) -> ll.Value:
    """A number of 18 digits or fewer as LLVM sees that it fits 64 bits: one multiplication."""
    return cx.b.sext(cx.b.trunc(value, I64), I128) if type_.precision <= 18 else value


def _exceeds(cx: KernelContext, size: ll.Value, digits: int) -> ll.Value:
    return cx.b.icmp_unsigned(">=", size, power_of_ten(size.type, digits))


def _nonzero(cx: KernelContext, divisor: ll.Value, zero: ll.Value) -> ll.Value:
    """The divisor, or 1 where there is none to divide by."""
    if isinstance(zero, ll.Constant) and not zero.constant:
        return divisor
    return cx.b.select(zero, ll.Constant(I128, 1), divisor)


def _signs_apart(
    cx: KernelContext, left: ll.Value, right: ll.Value
) -> tuple[ll.Value, tuple[ll.Value, ll.Value]]:
    """Whether product and quotient are negative, and the sizes of both."""
    zero = ll.Constant(I128, 0)
    first, second = (cx.b.icmp_signed("<", value, zero) for value in (left, right))
    sizes = (
        cx.b.select(first, cx.b.neg(left), left),
        cx.b.select(second, cx.b.neg(right), right),
    )
    return cx.b.xor(first, second), sizes


def _function(module: ll.Module, name: str) -> KernelContext:
    pair = ll.LiteralStructType([I128, I1])
    cx = new_function(module, name, pair, (I128, I128))
    cx.function.linkage = "internal"
    return cx


def _return(cx: KernelContext, negative: ll.Value, size: ll.Value, lost: ll.Value) -> None:
    narrow = size if size.type == I128 else cx.b.trunc(size, I128)
    signed = cx.b.select(negative, cx.b.neg(narrow), narrow)
    pair = ll.Constant(ll.LiteralStructType([I128, I1]), ll.Undefined)
    cx.b.ret(cx.b.insert_value(cx.b.insert_value(pair, signed, 0), lost, 1))
