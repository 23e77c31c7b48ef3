"""Values as text, in generated code: their bytes lie in scratch memory until the next row."""

from __future__ import annotations

from functools import partial

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, I128, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.civil import civil, floor_divide, floor_remainder
from codegen_llvm.print_digits import (
    DECIMAL_DIGITS,
    MOST_INTEGER_BYTES,
    write_byte,
    write_decimal_digits,
    write_integer,
    write_unsigned,
)
from codegen_llvm.print_floats import MOST_FLOAT_BYTES, write_float
from codegen_llvm.values import Value
from ir import BOOL, DATE, STRING, TIMESTAMP, DataType, DecimalType
from ir.calendar import DAY_US, SECOND_US
from ir.printing import LEAST_DECIMAL_EXPONENT

_DATE_BYTES, _TIMESTAMP_BYTES, _DECIMAL_BYTES = 16, 40, 48
_WORDS = (b"false", b"true")


def lower_to_text(cx: KernelContext, value: Value, *, legacy: bool) -> Value:
    """A value as text; a decimal in LEGACY mode may have an exponent."""
    type_ = value.type
    if type_.is_bytes:
        return Value(STRING, value.payload, value.null, value.length)
    if type_ == BOOL:
        return _word(cx, value)
    if isinstance(type_, DecimalType):
        return _made(cx, value, _DECIMAL_BYTES, _decimal_writer(cx, type_, legacy))
    if type_.is_float:
        place = cx.scratch(i64(MOST_FLOAT_BYTES))
        size = write_float(cx, place, value.payload)
        return Value(STRING, place, value.null, cx.b.trunc(size, I32))
    return _integer_text(cx, value, type_)


def _word(cx: KernelContext, value: Value) -> Value:
    false, true = (cx.constant_bytes(word) for word in _WORDS)
    lengths = [ll.Constant(I32, len(word)) for word in _WORDS]
    payload = cx.b.select(value.payload, true, false)
    return Value(STRING, payload, value.null, cx.b.select(value.payload, lengths[1], lengths[0]))


def _integer_text(cx: KernelContext, value: Value, type_: DataType) -> Value:
    wide = value.payload
    if wide.type != I64:
        wide = cx.b.sext(wide, I64)
    long = Value(type_, wide, value.null)
    if type_ == DATE:
        function = shared_function(cx.module, "write.date", I64, (PTR, I64), _build_date)
        return _made(cx, long, _DATE_BYTES, function)
    if type_ == TIMESTAMP:
        function = shared_function(cx.module, "write.timestamp", I64, (PTR, I64), _build_timestamp)
        return _made(cx, long, _TIMESTAMP_BYTES, function)
    place = cx.scratch(i64(MOST_INTEGER_BYTES))
    return Value(STRING, place, value.null, cx.b.trunc(write_integer(cx, place, wide), I32))


def _made(cx: KernelContext, value: Value, most_bytes: int, function: ll.Function) -> Value:
    place = cx.scratch(i64(most_bytes))
    size = cx.b.call(function, [place, value.payload])
    return Value(STRING, place, value.null, cx.b.trunc(size, I32))


def _build_date(cx: KernelContext) -> None:
    place, days = cx.function.args
    end = cx.local(I64, i64(0))
    _write_date(cx, place, days, end)
    cx.b.ret(end.value)


def _write_date(cx: KernelContext, place: ll.Value, days: ll.Value, end: Local) -> None:
    """Years of five digits have a sign, so that they sort as what they are."""
    date = civil(cx, days)
    negative = cx.b.icmp_signed("<", date.year, i64(0))
    late = cx.b.icmp_signed(">", date.year, i64(9999))
    for met, sign in ((negative, "-"), (late, "+")):
        with cx.b.if_then(met):
            write_byte(cx, place, sign)
            end.add(i64(1))
    year = cx.b.select(negative, cx.b.neg(date.year), date.year)
    end.add(write_unsigned(cx, cx.at(place, end.value), year, 4))
    for part in (date.month, date.day):
        _put(cx, place, end, "-")
        end.add(write_unsigned(cx, cx.at(place, end.value), part, 2))


def _build_timestamp(cx: KernelContext) -> None:
    place, moment = cx.function.args
    end = cx.local(I64, i64(0))
    _write_date(cx, place, floor_divide(cx, moment, DAY_US), end)
    of_day = floor_remainder(cx, moment, DAY_US)
    seconds, micros = cx.b.udiv(of_day, i64(SECOND_US)), cx.b.urem(of_day, i64(SECOND_US))
    minutes = cx.b.udiv(seconds, i64(60))
    hours = cx.b.udiv(minutes, i64(60))
    parts = (hours, cx.b.urem(minutes, i64(60)), cx.b.urem(seconds, i64(60)))
    for before, part in zip(" ::", parts, strict=True):
        _put(cx, place, end, before)
        end.add(write_unsigned(cx, cx.at(place, end.value), part, 2))
    with cx.b.if_then(cx.b.icmp_signed("!=", micros, i64(0))):
        _put(cx, place, end, ".")
        end.add(write_unsigned(cx, cx.at(place, end.value), micros, 6))
        with cx.forever("zero") as after:
            last = cx.b.load(cx.at(place, cx.b.sub(end.value, i64(1))), typ=I8)
            cx.branch_if(cx.b.icmp_signed("!=", last, ll.Constant(I8, ord("0"))), after)
            end.add(i64(-1))
    cx.b.ret(end.value)


def _decimal_writer(cx: KernelContext, type_: DecimalType, legacy: bool) -> ll.Function:
    # Only what has more than six digits behind the point may need an exponent.
    scientific = legacy and type_.scale > -LEAST_DECIMAL_EXPONENT
    name = f"write.decimal.{type_.scale}{'.legacy' if scientific else ''}"
    build = partial(_build_decimal, scale=type_.scale, scientific=scientific)
    return shared_function(cx.module, name, I64, (PTR, I128), build)


def _build_decimal(cx: KernelContext, scale: int, scientific: bool) -> None:
    place, value = cx.function.args
    negative = cx.b.icmp_signed("<", value, ll.Constant(I128, 0))
    size = cx.b.select(negative, cx.b.neg(value), value)
    digits = cx.stack(ll.ArrayType(I8, DECIMAL_DIGITS + 1))
    first = write_decimal_digits(cx, digits, size)
    end = cx.local(I64, cx.b.zext(negative, I64))
    with cx.b.if_then(negative):
        write_byte(cx, place, "-")
    if scientific:
        _return_scientific(cx, place, digits, first, scale, end)
    point = DECIMAL_DIGITS - scale
    most = i64(point - 1)  # at least one digit is before the point
    start = cx.b.select(cx.b.icmp_signed("<", first, most), first, most)
    _copy(cx, place, end, cx.at(digits, start), cx.b.sub(i64(point), start))
    if scale:
        _put(cx, place, end, ".")
        _copy(cx, place, end, cx.at(digits, point), i64(scale))
    cx.b.ret(end.value)


def _return_scientific(
    cx: KernelContext, place: ll.Value, digits: ll.Value, first: ll.Value, scale: int, end: Local
) -> None:
    """With an exponent, where the first digit is far behind the point."""
    count = cx.b.sub(i64(DECIMAL_DIGITS), first)
    exponent = cx.b.sub(count, i64(1 + scale))
    with cx.b.if_then(cx.b.icmp_signed("<", exponent, i64(LEAST_DECIMAL_EXPONENT))):
        _copy(cx, place, end, cx.at(digits, first), i64(1))
        with cx.b.if_then(cx.b.icmp_signed(">", count, i64(1))):
            _put(cx, place, end, ".")
            behind = cx.at(digits, cx.b.add(first, i64(1)))
            _copy(cx, place, end, behind, cx.b.sub(count, i64(1)))
        _put(cx, place, end, "E")
        end.add(write_integer(cx, cx.at(place, end.value), exponent))
        cx.b.ret(end.value)


def _put(cx: KernelContext, place: ll.Value, end: Local, character: str) -> None:
    write_byte(cx, cx.at(place, end.value), character)
    end.add(i64(1))


def _copy(
    cx: KernelContext, place: ll.Value, end: Local, source: ll.Value, count: ll.Value
) -> None:
    cx.copy_bytes(cx.at(place, end.value), source, count)
    end.add(count)
