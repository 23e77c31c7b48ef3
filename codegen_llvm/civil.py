"""The Gregorian calendar in generated code: days to year, month and day, and back.

Integers of 64 bits without a branch; divisors are constants, so LLVM multiplies. Days are
moved up by whole eras of 400 years, so that all that is divided is positive.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I32, I64, KernelContext, i64
from ir.calendar import EPOCH_SHIFT, ERA_DAYS

# Enough for any day of 32 bits, and for any year of 32 bits.
_DAY_ERAS = 16_000
_YEAR_ERAS = 6_000_000


@dataclass(frozen=True, slots=True)
class Civil:
    """A date as three numbers."""

    year: ll.Value
    month: ll.Value
    day: ll.Value


def civil(cx: KernelContext, days: ll.Value) -> Civil:
    """Year, month and day of a number of days since 1970-01-01."""
    b = cx.b
    shifted = b.add(days, i64(EPOCH_SHIFT + ERA_DAYS * _DAY_ERAS))
    era = b.udiv(shifted, i64(ERA_DAYS))
    # Within an era 32 bits suffice: `year` is 1.6 times as fast as with 64.
    day_of_era = b.trunc(b.sub(shifted, b.mul(era, i64(ERA_DAYS))), I32)
    leap_days = b.sub(b.udiv(day_of_era, _i32(1_460)), b.udiv(day_of_era, _i32(36_524)))
    leap_days = b.add(leap_days, b.udiv(day_of_era, _i32(146_096)))
    year_of_era = b.udiv(b.sub(day_of_era, leap_days), _i32(365))
    day_of_year = b.sub(day_of_era, _days_of_years(cx, year_of_era))
    # Years begin in March here: the day that comes and goes is their last one.
    from_march = b.udiv(b.add(b.mul(day_of_year, _i32(5)), _i32(2)), _i32(153))
    day = b.add(b.sub(day_of_year, _days_of_months(cx, from_march)), _i32(1))
    is_next_year = b.icmp_unsigned(">=", from_march, _i32(10))
    month = b.add(from_march, b.select(is_next_year, _i32(-9), _i32(3)))
    year = b.mul(b.sub(era, i64(_DAY_ERAS)), i64(400))
    year_of_era = b.add(year_of_era, b.zext(is_next_year, I32))
    return Civil(b.add(year, b.zext(year_of_era, I64)), b.zext(month, I64), b.zext(day, I64))


def days_from_civil(cx: KernelContext, date: Civil) -> ll.Value:
    """Days since 1970-01-01 of a year of 32 bits, a month and a day."""
    b = cx.b
    is_early = b.icmp_signed("<=", date.month, i64(2))
    year = b.add(b.sub(date.year, b.zext(is_early, I64)), i64(400 * _YEAR_ERAS))
    era = b.udiv(year, i64(400))
    year_of_era = b.trunc(b.sub(year, b.mul(era, i64(400))), I32)
    from_march = b.trunc(b.add(date.month, b.select(is_early, i64(9), i64(-3))), I32)
    before = b.add(_days_of_months(cx, from_march), _days_of_years(cx, year_of_era))
    eras = b.mul(b.sub(era, i64(_YEAR_ERAS)), i64(ERA_DAYS))
    day_of_era = b.add(b.zext(before, I64), b.sub(date.day, i64(1)))
    return b.add(eras, b.sub(day_of_era, i64(EPOCH_SHIFT)))


def month_length(cx: KernelContext, year: ll.Value, month: ll.Value) -> ll.Value:
    """28 to 31."""
    b = cx.b
    by_25 = b.icmp_signed("==", b.srem(year, i64(25)), i64(0))
    # Of the years that 25 divides, those that 16 divides are leap years: 400 divides them.
    mask = b.select(by_25, i64(15), i64(3))
    is_leap = b.icmp_signed("==", b.and_(year, mask), i64(0))
    february = b.add(i64(28), b.zext(is_leap, I64))
    odd = b.and_(b.add(month, b.lshr(month, i64(3))), i64(1))
    is_february = b.icmp_signed("==", month, i64(2))
    return b.select(is_february, february, b.add(i64(30), odd))


def plus_months(cx: KernelContext, days: ll.Value, months: ll.Value) -> ll.Value:
    """The same day of another month, or that month's last day."""
    b = cx.b
    date = civil(cx, days)
    total = b.add(b.add(b.mul(date.year, i64(12)), date.month), b.sub(months, i64(1)))
    year = floor_divide(cx, total, 12)
    month = b.add(b.sub(total, b.mul(year, i64(12))), i64(1))
    most = month_length(cx, year, month)
    day = b.select(b.icmp_signed("<", date.day, most), date.day, most)
    return days_from_civil(cx, Civil(year, month, day))


def floor_divide(cx: KernelContext, value: ll.Value, divisor: int) -> ll.Value:
    """The quotient by a positive constant, rounded down."""
    quotient = cx.b.sdiv(value, ll.Constant(value.type, divisor))
    rest = cx.b.sub(value, cx.b.mul(quotient, ll.Constant(value.type, divisor)))
    below = cx.b.icmp_signed("<", rest, ll.Constant(value.type, 0))
    return cx.b.sub(quotient, cx.b.zext(below, value.type))


def floor_remainder(cx: KernelContext, value: ll.Value, divisor: int) -> ll.Value:
    """What floor division leaves: never negative."""
    rest = cx.b.srem(value, ll.Constant(value.type, divisor))
    below = cx.b.icmp_signed("<", rest, ll.Constant(value.type, 0))
    return cx.b.select(below, cx.b.add(rest, ll.Constant(value.type, divisor)), rest)


def _days_of_years(cx: KernelContext, years: ll.Value) -> ll.Value:
    """The days of so many years of an era, from its start."""
    b = cx.b
    leap_days = b.sub(b.lshr(years, _i32(2)), b.udiv(years, _i32(100)))
    return b.add(b.mul(years, _i32(365)), leap_days)


def _days_of_months(cx: KernelContext, months: ll.Value) -> ll.Value:
    """The days of so many months from March on."""
    return cx.b.udiv(cx.b.add(cx.b.mul(months, _i32(153)), _i32(2)), _i32(5))


def _i32(value: int) -> ll.Constant:
    return ll.Constant(I32, value)
