"""Functions of dates in generated code."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm.arithmetic import lossy
from codegen_llvm.builder import I1, I32, I64, KernelContext, i64
from codegen_llvm.civil import (
    Civil,
    civil,
    days_from_civil,
    floor_divide,
    floor_remainder,
    month_length,
    plus_months,
)
from codegen_llvm.values import Value, any_null
from ir import Call
from ir.dates import LAST_YEAR
from ir.expr import constant
from ir.time_units import date_truncation_unit, weekday_named

_MONDAY = weekday_named("next_day", "monday")
Part = Callable[[KernelContext, ll.Value], ll.Value]


def lower_date_part(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """A number that follows from a date."""
    days = cx.b.sext(args[0].payload, I64)
    made = _PARTS[call.function](cx, days)
    return Value(call.type, cx.b.trunc(made, I32), args[0].null)


def lower_same_number(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """unix_date and its inverse, and those of microseconds: only the type is another."""
    return Value(call.type, args[0].payload, args[0].null)


def lower_date_sum(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """date_add, date_sub, datediff: 32 bits wrap around in every mode."""
    operation = cx.b.add if call.function == "date_add" else cx.b.sub
    payload = operation(args[0].payload, args[1].payload)
    return Value(call.type, payload, any_null(cx, *args))


def lower_add_months(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The same day some months later, or the last one of that month."""
    day, months = (cx.b.sext(arg.payload, I64) for arg in args)
    return _date(cx, call, plus_months(cx, day, months), any_null(cx, *args))


def lower_make_date(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Year, month and day as a date, if there is that day."""
    year, month, day = (cx.b.sext(arg.payload, I64) for arg in args)
    wrong = _outside(cx, month, 1, 12)
    # Where the month is wrong, any length will do.
    length = month_length(cx, year, month)
    wrong = cx.b.or_(wrong, _outside(cx, day, 1, 31))
    wrong = cx.b.or_(wrong, cx.b.icmp_signed(">", day, length))
    wrong = cx.b.or_(wrong, _outside(cx, year, -LAST_YEAR, LAST_YEAR))
    one = i64(1)
    sure = Civil(year, cx.b.select(wrong, one, month), cx.b.select(wrong, one, day))
    days = days_from_civil(cx, sure)
    made = Value(call.type, cx.b.trunc(days, I32), any_null(cx, *args))
    made = lossy(cx, call, made, wrong, "DATETIME_FIELD_OUT_OF_BOUNDS", legacy_is_null=True)
    lost = cx.b.and_(_too_long(cx, days), cx.b.not_(wrong))
    return lossy(cx, call, made, lost, "ARITHMETIC_OVERFLOW", legacy_is_null=True)


def lower_next_day(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The first day after another that is a given one of the week."""
    wanted = weekday_named(call.function, constant(call, 1))
    return Value(call.type, _next_day(cx, args[0].payload, wanted), any_null(cx, *args))


def lower_trunc(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The first day of a week, month, quarter or year; null of anything else."""
    value, unit = args[0], date_truncation_unit(constant(call, 1))
    if unit is None:
        return Value(call.type, value.payload, ll.Constant(I1, 1))
    if unit == "week":
        before = cx.b.sub(value.payload, ll.Constant(I32, 7))
        return Value(call.type, _next_day(cx, before, _MONDAY), value.null)
    start = date_start(cx, unit, cx.b.sext(value.payload, I64))
    if unit == "quarter":
        return _date(cx, call, start, value.null)
    return Value(call.type, cx.b.trunc(start, I32), value.null)


def date_start(cx: KernelContext, unit: str, days: ll.Value) -> ll.Value:
    """The first day of the week, month, quarter or year that a day is in."""
    if unit == "week":
        return cx.b.sub(days, _weekday(cx, days))
    date = civil(cx, days)
    if unit == "month":
        return cx.b.add(cx.b.sub(days, date.day), i64(1))
    month = i64(1)
    if unit == "quarter":
        before = cx.b.urem(cx.b.sub(date.month, i64(1)), i64(3))
        month = cx.b.sub(date.month, before)
    return days_from_civil(cx, Civil(date.year, month, i64(1)))


def _date(cx: KernelContext, call: Call, days: ll.Value, null: ll.Value | None) -> Value:
    """A number of days as a date, if it is one."""
    made = Value(call.type, cx.b.trunc(days, I32), null)
    lost = _too_long(cx, days)
    return lossy(cx, call, made, lost, "ARITHMETIC_OVERFLOW", legacy_is_null=True)


def _too_long(cx: KernelContext, days: ll.Value) -> ll.Value:
    back = cx.b.sext(cx.b.trunc(days, I32), I64)
    return cx.b.icmp_signed("!=", back, days)


def _outside(cx: KernelContext, value: ll.Value, low: int, high: int) -> ll.Value:
    """One unsigned comparison for both bounds: below `low`, the difference wraps."""
    return cx.b.icmp_unsigned(">", cx.b.sub(value, i64(low)), i64(high - low))


def _next_day(cx: KernelContext, day: ll.Value, wanted: int) -> ll.Value:
    """In 32 bits, which wrap around as they do in Java."""
    seven = ll.Constant(I32, 7)
    gap = cx.b.srem(cx.b.sub(ll.Constant(I32, wanted - 1), day), seven)
    gap = cx.b.srem(cx.b.add(gap, seven), seven)
    return cx.b.add(cx.b.add(day, ll.Constant(I32, 1)), gap)


def _weekday(cx: KernelContext, days: ll.Value) -> ll.Value:
    return floor_remainder(cx, cx.b.add(days, i64(3)), 7)


def _day_of_week(cx: KernelContext, days: ll.Value) -> ll.Value:
    return cx.b.add(floor_remainder(cx, cx.b.add(days, i64(4)), 7), i64(1))


def _quarter(cx: KernelContext, days: ll.Value) -> ll.Value:
    return cx.b.udiv(cx.b.add(civil(cx, days).month, i64(2)), i64(3))


def _day_of_year(cx: KernelContext, days: ll.Value) -> ll.Value:
    return cx.b.add(cx.b.sub(days, date_start(cx, "year", days)), i64(1))


def _thursday(cx: KernelContext, days: ll.Value) -> ll.Value:
    """The day of the week that decides which year the week belongs to."""
    return cx.b.add(date_start(cx, "week", days), i64(3))


def _week_of_year(cx: KernelContext, days: ll.Value) -> ll.Value:
    before = cx.b.sub(_day_of_year(cx, _thursday(cx, days)), i64(1))
    return cx.b.add(floor_divide(cx, before, 7), i64(1))


def _last_day(cx: KernelContext, days: ll.Value) -> ll.Value:
    date = civil(cx, days)
    left = cx.b.sub(month_length(cx, date.year, date.month), date.day)
    return cx.b.add(days, left)


_PARTS: dict[str, Part] = {
    "year": lambda cx, days: civil(cx, days).year,
    "quarter": _quarter,
    "month": lambda cx, days: civil(cx, days).month,
    "day": lambda cx, days: civil(cx, days).day,
    "dayofyear": _day_of_year,
    "dayofweek": _day_of_week,
    "weekday": _weekday,
    "weekofyear": _week_of_year,
    "yearofweek": lambda cx, days: civil(cx, _thursday(cx, days)).year,
    "last_day": _last_day,
}
DATE_LOWERINGS: dict[str, Callable[[KernelContext, Call, list[Value]], Value]] = {
    **dict.fromkeys(_PARTS, lower_date_part),
    **dict.fromkeys(("unix_date", "date_from_unix_date"), lower_same_number),
    **dict.fromkeys(("unix_micros", "timestamp_micros"), lower_same_number),
    **dict.fromkeys(("date_add", "date_sub", "datediff"), lower_date_sum),
    "add_months": lower_add_months,
    "make_date": lower_make_date,
    "next_day": lower_next_day,
    "trunc": lower_trunc,
}
