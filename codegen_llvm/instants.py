"""Functions of timestamps in generated code: parts in UTC, truncation, arithmetic."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm.arithmetic import checked, float_to_integer, lossy
from codegen_llvm.builder import I1, I32, I64, I128, KernelContext, i64
from codegen_llvm.civil import (
    Civil,
    civil,
    floor_divide,
    floor_remainder,
    month_length,
    plus_months,
)
from codegen_llvm.dates import date_start
from codegen_llvm.values import Value, any_null
from ir import INT64, Call
from ir.calendar import DAY_US, SECOND_US
from ir.expr import constant
from ir.instants import MONTH_SECONDS, ROUNDING
from ir.time_units import (
    DATE_UNITS,
    HOUR_US,
    MINUTE_US,
    UNIT_MONTHS,
    UNIT_US,
    step_unit,
    truncation_unit,
)

_OVERFLOW = "DATETIME_OVERFLOW"
# No two timestamps are so many months apart.
_MOST_MONTHS = 12_000_000
_FIRST_MIDNIGHT = -(-INT64.low // DAY_US) * DAY_US
DOUBLE = ll.DoubleType()


def lower_time_part(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """hour, minute, second, microsecond: of the period around them, how many have passed."""
    period, unit = _PARTS[call.function]
    rest = floor_remainder(cx, args[0].payload, period)
    return Value(call.type, cx.b.trunc(cx.b.udiv(rest, i64(unit)), I32), args[0].null)


def lower_second_with_fraction(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The seconds of the minute as a decimal of six digits behind the point."""
    rest = floor_remainder(cx, args[0].payload, MINUTE_US)
    return Value(call.type, cx.b.zext(rest, I128), args[0].null)


def lower_unix(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """unix_seconds, unix_millis: rounded down; unix_timestamp goes toward zero."""
    payload = args[0].payload
    if call.function == "unix_timestamp":
        return Value(call.type, cx.b.sdiv(payload, i64(SECOND_US)), args[0].null)
    unit = SECOND_US if call.function == "unix_seconds" else 1_000
    return Value(call.type, floor_divide(cx, payload, unit), args[0].null)


def lower_from_unix(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """timestamp_seconds, timestamp_millis: integers must fit, floats saturate."""
    (value,) = args
    if value.type.is_float:
        return _from_float_seconds(cx, call, value)
    unit = SECOND_US if call.function == "timestamp_seconds" else 1_000
    payload, lost = checked(cx, "smul", value.payload, i64(unit))
    return _bounded(cx, call, Value(call.type, payload, value.null), lost)


def _from_float_seconds(cx: KernelContext, call: Call, value: Value) -> Value:
    micros = cx.b.fmul(value.payload, ll.Constant(DOUBLE, float(SECOND_US)))
    size = cx.b.call(cx.external("llvm.fabs.f64", DOUBLE, DOUBLE), [value.payload])
    no_number = cx.b.not_(cx.b.fcmp_ordered("<", size, ll.Constant(DOUBLE, float("inf"))))
    null = no_number if value.null is None else cx.b.or_(value.null, no_number)
    return Value(call.type, float_to_integer(cx, micros, INT64), null)


def lower_date_trunc(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The start of the period that a time is in; null for an unknown unit."""
    moment, unit = args[1], truncation_unit(constant(call, 0))
    if unit is None or args[0].null is not None:
        return Value(call.type, moment.payload, ll.Constant(I1, 1))
    if unit == "microsecond":
        return moment
    if unit in DATE_UNITS:
        days = floor_divide(cx, moment.payload, DAY_US)
        start = cx.b.mul(date_start(cx, unit, days), i64(DAY_US))
    else:
        rest = floor_remainder(cx, moment.payload, UNIT_US[unit])
        start = cx.b.sub(moment.payload, rest)
    # What would be before all timestamps has wrapped around.
    lost = cx.b.icmp_signed(">", start, moment.payload)
    return _bounded(cx, call, Value(call.type, start, moment.null), lost)


def lower_timestamp_add(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """A time some units later."""
    _, count, moment = args
    unit = step_unit(call.function, constant(call, 0))
    null = any_null(cx, count, moment)
    if unit in UNIT_MONTHS:
        payload, lost = _months_later(cx, moment.payload, count.payload, UNIT_MONTHS[unit])
    elif UNIT_US[unit] < DAY_US:
        length, too_long = checked(cx, "smul", count.payload, i64(UNIT_US[unit]))
        payload, too_late = checked(cx, "sadd", moment.payload, length)
        lost = cx.b.or_(too_long, too_late)
    else:  # the product may be too long for 64 bits where the sum is not
        length = cx.b.mul(cx.b.sext(count.payload, I128), ll.Constant(I128, UNIT_US[unit]))
        payload, lost = _narrowed(cx, cx.b.add(cx.b.sext(moment.payload, I128), length))
    return _bounded(cx, call, Value(call.type, payload, null), lost)


def _months_later(
    cx: KernelContext, moment: ll.Value, count: ll.Value, months: int
) -> tuple[ll.Value, ll.Value]:
    limit = _MOST_MONTHS // months
    shifted = cx.b.add(count, i64(limit))
    far = cx.b.icmp_unsigned(">", shifted, i64(2 * limit))
    step = cx.b.mul(cx.b.select(far, i64(0), count), i64(months))
    days = floor_divide(cx, moment, DAY_US)
    time = cx.b.sub(moment, cx.b.mul(days, i64(DAY_US)))
    later = cx.b.sext(plus_months(cx, days, step), I128)
    start = cx.b.mul(later, ll.Constant(I128, DAY_US))
    payload, lost = _narrowed(cx, cx.b.add(start, cx.b.sext(time, I128)))
    return payload, cx.b.or_(far, lost)


def lower_timestamp_diff(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """How many whole units there are from one time to another, toward zero."""
    _, start, end = args
    unit = step_unit(call.function, constant(call, 0))
    null = any_null(cx, start, end)
    if unit == "microsecond":
        payload, lost = checked(cx, "ssub", end.payload, start.payload)
        return _bounded(cx, call, Value(call.type, payload, null), lost)
    if unit in UNIT_MONTHS:
        months = _months_between(cx, start.payload, end.payload)
        payload = cx.b.sdiv(months, i64(UNIT_MONTHS[unit]))
    else:
        payload = _units_between(cx, start.payload, end.payload, UNIT_US[unit])
    return Value(call.type, payload, null)


def _units_between(cx: KernelContext, start: ll.Value, end: ll.Value, unit: int) -> ll.Value:
    """Quotients and remainders are subtracted apart: the times' difference may need 65 bits."""
    whole = [floor_divide(cx, moment, unit) for moment in (start, end)]
    rest = [floor_remainder(cx, moment, unit) for moment in (start, end)]
    count = cx.b.sub(whole[1], whole[0])
    part = cx.b.sub(rest[1], rest[0])
    return _toward_zero(cx, count, part)


def _toward_zero(cx: KernelContext, count: ll.Value, part: ll.Value) -> ll.Value:
    """`count` and a part of less than one unit, as one number without its fraction."""
    zero = i64(0)
    over = cx.b.and_(cx.b.icmp_signed(">", count, zero), cx.b.icmp_signed("<", part, zero))
    under = cx.b.and_(cx.b.icmp_signed("<", count, zero), cx.b.icmp_signed(">", part, zero))
    return cx.b.add(cx.b.sub(count, cx.b.zext(over, I64)), cx.b.zext(under, I64))


def _months_between(cx: KernelContext, start: ll.Value, end: ll.Value) -> ll.Value:
    """Java's: a day is taken off first if the time of day is not reached, then days compared."""
    day, last = (floor_divide(cx, moment, DAY_US) for moment in (start, end))
    time, last_time = (floor_remainder(cx, moment, DAY_US) for moment in (start, end))
    part = cx.b.sub(last_time, time)
    reached = cx.b.add(day, _toward_zero(cx, cx.b.sub(last, day), part))
    return cx.b.sdiv(cx.b.sub(_packed(cx, reached), _packed(cx, day)), i64(32))


def lower_months_between(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Months with a fraction; a rounding flag that is null makes the result null."""
    b, (end, start, _) = cx.b, args
    days = [floor_divide(cx, moment.payload, DAY_US) for moment in (end, start)]
    times = [floor_remainder(cx, moment.payload, DAY_US) for moment in (end, start)]
    last, first = (civil(cx, day) for day in days)
    months = b.add(b.mul(b.sub(last.year, first.year), i64(12)), b.sub(last.month, first.month))
    whole = b.sitofp(months, DOUBLE)
    between = b.mul(b.sub(last.day, first.day), i64(DAY_US // SECOND_US))
    seconds = [b.udiv(time, i64(SECOND_US)) for time in times]
    between = b.add(between, b.sub(*seconds))
    made = b.fadd(whole, b.fdiv(b.sitofp(between, DOUBLE), ll.Constant(DOUBLE, MONTH_SECONDS)))
    if constant(call, 2):
        made = _rounded_to_8_digits(cx, made)
    at_ends = b.and_(_is_last_of_month(cx, last), _is_last_of_month(cx, first))
    is_whole = b.or_(at_ends, b.icmp_signed("==", last.day, first.day))
    result = Value(call.type, b.select(is_whole, whole, made), any_null(cx, *args))
    lacks_midnight = [b.icmp_signed("<", m.payload, i64(_FIRST_MIDNIGHT)) for m in (end, start)]
    lost = b.and_(b.or_(*lacks_midnight), b.not_(is_whole))
    return _bounded(cx, call, result, lost)


def _is_last_of_month(cx: KernelContext, date: Civil) -> ll.Value:
    return cx.b.icmp_signed("==", date.day, month_length(cx, date.year, date.month))


def _rounded_to_8_digits(cx: KernelContext, value: ll.Value) -> ll.Value:
    """As Java rounds: halves go up."""
    power, half = ll.Constant(DOUBLE, ROUNDING), ll.Constant(DOUBLE, 0.5)
    scaled = cx.b.fadd(cx.b.fmul(value, power), half)
    floor = cx.b.call(cx.external("llvm.floor.f64", DOUBLE, DOUBLE), [scaled])
    return cx.b.fdiv(floor, power)


def _packed(cx: KernelContext, days: ll.Value) -> ll.Value:
    date = civil(cx, days)
    months = cx.b.add(cx.b.mul(date.year, i64(12)), date.month)
    return cx.b.add(cx.b.mul(months, i64(32)), date.day)


def _narrowed(cx: KernelContext, wide: ll.Value) -> tuple[ll.Value, ll.Value]:
    """The low 64 bits, and whether they are not all."""
    narrow = cx.b.trunc(wide, I64)
    return narrow, cx.b.icmp_signed("!=", cx.b.sext(narrow, I128), wide)


def _bounded(cx: KernelContext, call: Call, made: Value, lost: ll.Value) -> Value:
    return lossy(cx, call, made, lost, _OVERFLOW, legacy_is_null=True)


# The period that a part belongs to, and its unit.
_PARTS: dict[str, tuple[int, int]] = {
    "hour": (DAY_US, HOUR_US),
    "minute": (HOUR_US, MINUTE_US),
    "second": (MINUTE_US, SECOND_US),
    "microsecond": (SECOND_US, 1),
}
INSTANT_LOWERINGS: dict[str, Callable[[KernelContext, Call, list[Value]], Value]] = {
    **dict.fromkeys(_PARTS, lower_time_part),
    "second_with_fraction": lower_second_with_fraction,
    **dict.fromkeys(("unix_seconds", "unix_millis", "unix_timestamp"), lower_unix),
    **dict.fromkeys(("timestamp_seconds", "timestamp_millis"), lower_from_unix),
    "date_trunc": lower_date_trunc,
    "timestamp_add": lower_timestamp_add,
    "timestamp_diff": lower_timestamp_diff,
    "months_between": lower_months_between,
}
