"""Casts from and to decimals, in generated code."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.arithmetic import float_to_integer, lossy, out_of_range
from codegen_llvm.builder import (
    I1,
    I8,
    I64,
    I128,
    KernelContext,
    i64,
    llvm_type,
    shared_function,
)
from codegen_llvm.decimals import (
    decimal_of,
    exceeds,
    overflowing,
    power_at,
    power_of_ten,
    powers,
    rescaled,
    width_of,
)
from codegen_llvm.parse_floats import read_text
from codegen_llvm.print_digits import (
    DECIMAL_DIGITS,
    write_byte,
    write_decimal_digits,
    write_integer,
)
from codegen_llvm.print_floats import DOUBLE, shortest_digits
from codegen_llvm.values import Value
from codegen_llvm.wide_division import divide
from ir import BOOL, FLOAT64, INT64, TIMESTAMP, Cast, DataType, DecimalType, EvalMode
from ir.casts import cast_can_lose
from ir.conversion import COMPACT_DIGITS, scale_of
from ir.types import MAX_PRECISION

# Up to these, an integer and a power of ten are exact floats, and their quotient rounds once.
_EXACT = {"strtod": (2**53, 22), "strtof": (2**24, 10)}
_MOST_FLOAT_DIGITS = 17
_TIMESTAMP_SCALE = 6
_BUFFER_BYTES = 64
_PAIR = ll.LiteralStructType([I128, I1])


def lower_to_decimal(cx: KernelContext, cast: Cast, value: Value) -> Value:
    """A number or timestamp, rounded half up to the target's scale."""
    source, target = value.type, decimal_of(cast.type)
    if source.is_float:
        return _float_to_decimal(cx, cast, value)
    digits, scale = _digits(source), scale_of(source)
    wide = width_of(max(MAX_PRECISION, digits + target.scale - scale))
    extend = cx.b.zext if source == BOOL else cx.b.sext
    payload = value.payload if value.payload.type == wide else extend(value.payload, wide)
    made = rescaled(cx, payload, scale - target.scale)
    narrow = made if wide == I128 else cx.b.trunc(made, I128)
    result = Value(target, narrow, value.null)
    if not cast_can_lose(source, target):
        return result
    return overflowing(cx, cast, result, exceeds(cx, made, target.precision))


def lower_to_integer(cx: KernelContext, cast: Cast, value: Value) -> Value:
    """Toward zero; a decimal of many digits goes through float64, as in Spark."""
    source, target = decimal_of(value.type), cast.type
    is_legacy = cast.mode is EvalMode.LEGACY
    if source.precision > COMPACT_DIGITS and target != INT64 and not is_legacy:
        near = Value(FLOAT64, to_float(cx, value.payload, source, DOUBLE), value.null)
        made = Value(target, float_to_integer(cx, near.payload, target), value.null)
        lost = out_of_range(cx, near, target)
    else:
        whole = Value(source, _whole(cx, value.payload, source.scale), value.null)
        made = Value(target, cx.b.trunc(whole.payload, llvm_type(target)), value.null)
        lost = out_of_range(cx, whole, target)
    if not cast_can_lose(source, target):
        return made
    return lossy(cx, cast, made, lost, "CAST_OVERFLOW")


def to_float(cx: KernelContext, payload: ll.Value, source: DecimalType, type_: ll.Type) -> ll.Value:
    """The nearest float: a quotient of exact floats, or what C reads from the digits."""
    reader = "strtod" if isinstance(type_, ll.DoubleType) else "strtof"

    def build(inner: KernelContext) -> None:
        _build_to_float(inner, source.scale, reader, type_)

    name = f"decimal.{reader}.{source.scale}"
    function = shared_function(cx.module, name, type_, (I128,), build)
    return cx.b.call(function, [payload])


def to_micros(cx: KernelContext, payload: ll.Value, source: DecimalType) -> ll.Value:
    """Seconds as microseconds: the low 64 bits of what is before the point."""
    behind = source.scale - _TIMESTAMP_SCALE
    if behind > 0:
        return cx.b.trunc(_whole(cx, payload, behind), I64)
    return cx.b.mul(cx.b.trunc(payload, I64), i64(10**-behind))


def _digits(source: DataType) -> int:
    """How many digits the integers of a type have at most."""
    if isinstance(source, DecimalType):
        return source.precision
    return len(str((INT64 if source in (TIMESTAMP, BOOL) else source).high))


def _whole(cx: KernelContext, value: ll.Value, scale: int) -> ll.Value:
    """A signed i128 without its last digits, toward zero."""
    if scale == 0:
        return value
    negative = cx.b.icmp_signed("<", value, ll.Constant(I128, 0))
    size = cx.b.select(negative, cx.b.neg(value), value)
    kept, _ = divide(cx, size, power_of_ten(I128, scale))
    return cx.b.select(negative, cx.b.neg(kept), kept)


def _build_to_float(cx: KernelContext, scale: int, reader: str, type_: ll.Type) -> None:
    (value,) = cx.function.args
    negative = cx.b.icmp_signed("<", value, ll.Constant(I128, 0))
    size = cx.b.select(negative, cx.b.neg(value), value)
    most, most_power = _EXACT[reader]
    if scale <= most_power:
        with cx.b.if_then(cx.b.icmp_unsigned("<=", size, ll.Constant(I128, most))):
            whole = cx.b.sitofp(cx.b.trunc(value, I64), type_)
            cx.b.ret(cx.b.fdiv(whole, ll.Constant(type_, 10.0**scale)))
    buffer = cx.stack(ll.ArrayType(I8, _BUFFER_BYTES))
    write_decimal_digits(cx, buffer, size)
    write_byte(cx, cx.at(buffer, DECIMAL_DIGITS), "e")
    exponent = cx.at(buffer, DECIMAL_DIGITS + 1)
    end = cx.at(exponent, write_integer(cx, exponent, i64(-scale)))
    cx.b.store(ll.Constant(I8, 0), end)
    made = read_text(cx, reader, type_, buffer)
    cx.b.ret(cx.b.select(negative, cx.b.fneg(made), made))


def _float_to_decimal(cx: KernelContext, cast: Cast, value: Value) -> Value:
    """The digits that Java would write, rounded half up; NaN and infinity are null."""
    target, payload = decimal_of(cast.type), value.payload
    wide = payload if payload.type == DOUBLE else cx.b.fpext(payload, DOUBLE)
    function = shared_function(
        cx.module, "float.decimal", _PAIR, (DOUBLE, I64, I128), _build_float_to_decimal
    )
    limits = [i64(target.scale), ll.Constant(I128, target.high)]
    made = cx.b.call(function, [wide, *limits])
    size = cx.b.call(cx.external("llvm.fabs.f64", DOUBLE, DOUBLE), [wide])
    endless = cx.b.not_(cx.b.fcmp_ordered("<", size, ll.Constant(DOUBLE, float("inf"))))
    null = endless if value.null is None else cx.b.or_(value.null, endless)
    result = Value(target, cx.b.extract_value(made, 0), null)
    return overflowing(cx, cast, result, cx.b.extract_value(made, 1))


def _build_float_to_decimal(cx: KernelContext) -> None:
    """The function `(value, scale, greatest) -> (unscaled, whether it has too many digits)`."""
    value, scale, high = cx.function.args
    size = cx.b.call(cx.external("llvm.fabs.f64", DOUBLE, DOUBLE), [value])
    is_number = cx.b.fcmp_ordered("<", size, ll.Constant(DOUBLE, float("inf")))
    is_positive = cx.b.fcmp_ordered(">", size, ll.Constant(DOUBLE, 0.0))
    with cx.b.if_then(cx.b.not_(cx.b.and_(is_number, is_positive))):
        _return(cx, ll.Constant(I128, 0), ll.Constant(I1, 0))
    number, power = shortest_digits(cx, size)
    power = cx.b.add(power, scale)
    with cx.b.if_then(cx.b.icmp_signed(">", power, i64(MAX_PRECISION))):
        _return(cx, ll.Constant(I128, 0), ll.Constant(I1, 1))
    with cx.b.if_then(cx.b.icmp_signed("<", power, i64(-_MOST_FLOAT_DIGITS - 1))):
        _return(cx, ll.Constant(I128, 0), ll.Constant(I1, 0))
    made = cx.local(I128, ll.Constant(I128, 0))
    table, lost = powers(cx.module), cx.local(I1, ll.Constant(I1, 0))
    with cx.b.if_else(cx.b.icmp_signed("<", power, i64(0))) as (shorter, longer):
        with shorter:
            unit = cx.b.trunc(power_at(cx, table, cx.b.neg(power)), I64)
            rounded = cx.b.udiv(cx.b.add(number, cx.b.udiv(unit, i64(2))), unit)
            made.set(cx.b.zext(rounded, I128))
        with longer:
            product = _long_product(cx, number, power_at(cx, table, power))
            made.set(cx.b.trunc(product, I128))
            lost.set(cx.b.icmp_unsigned(">", product, cx.b.zext(high, product.type)))
    lost.set(cx.b.or_(lost.value, cx.b.icmp_unsigned(">", made.value, high)))
    negative = cx.b.fcmp_ordered("<", value, ll.Constant(DOUBLE, 0.0))
    _return(cx, cx.b.select(negative, cx.b.neg(made.value), made.value), lost.value)


def _long_product(cx: KernelContext, number: ll.Value, factor: ll.Value) -> ll.Value:
    long = ll.IntType(192)
    return cx.b.mul(cx.b.zext(number, long), cx.b.zext(factor, long))


def _return(cx: KernelContext, value: ll.Value, lost: ll.Value) -> None:
    pair = cx.b.insert_value(ll.Constant(_PAIR, ll.Undefined), value, 0)
    cx.b.ret(cx.b.insert_value(pair, lost, 1))
