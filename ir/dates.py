"""Dates: their parts and arithmetic, as Java does it, down to where 32 bits wrap around."""

from __future__ import annotations

from collections.abc import Callable

from ir.arithmetic import fits, remainder, wrap
from ir.calendar import civil, days_of
from ir.errors import Unrepresentable
from ir.time_units import date_truncation_unit, weekday_named
from ir.types import INT32

# Java's LocalDate has no others.
LAST_YEAR = 999_999_999


def _first_of_month(months: int) -> int:
    """The first day of a month, counted from year 0."""
    made = days_of(months // 12, months % 12 + 1, 1)
    assert made is not None
    return made


def _month_number(day: int) -> int:
    year, month, _ = civil(day)
    return year * 12 + month - 1


def year(day: int) -> int:
    """The year; year 0 is the one before year 1."""
    return civil(day)[0]


def quarter(day: int) -> int:
    """1 to 4."""
    return (civil(day)[1] + 2) // 3


def day_of_year(day: int) -> int:
    """1 to 366."""
    return day - _first_of_month(year(day) * 12) + 1


def weekday(day: int) -> int:
    """0 for Monday to 6 for Sunday."""
    return (day + 3) % 7


def day_of_week(day: int) -> int:
    """1 for Sunday to 7 for Saturday."""
    return (day + 4) % 7 + 1


def _thursday(day: int) -> int:
    """The day of the same week that decides which year the week belongs to."""
    return day - weekday(day) + 3


def week_of_year(day: int) -> int:
    """The ISO week, 1 to 53: weeks start on Monday, the first has the year's first Thursday."""
    return (day_of_year(_thursday(day)) - 1) // 7 + 1


def last_day(day: int) -> int:
    """The last day of the month."""
    return wrap(_first_of_month(_month_number(day) + 1) - 1, INT32)


def next_day(day: int, name: object) -> int:
    """The first day after this one that has a name; the subtraction may wrap around, as in Java."""
    gap = remainder(wrap(weekday_named("next_day", name) - 1 - day, INT32), 7)
    return wrap(day + 1 + (gap + 7) % 7, INT32)


def plus_months(day: int, months: int) -> int:
    """The same day of another month, or that month's last day; of any size."""
    month = _month_number(day) + months
    first, behind = _first_of_month(month), _first_of_month(month + 1)
    return min(first + civil(day)[2], behind) - 1


def _in_range(day: int) -> int:
    if not fits(day, INT32):
        raise Unrepresentable("ARITHMETIC_OVERFLOW")
    return day


def make_date(year: int, month: int, day: int) -> int:
    """The date with these parts."""
    made = days_of(year, month, day) if abs(year) <= LAST_YEAR else None
    if made is None:
        raise Unrepresentable("DATETIME_FIELD_OUT_OF_BOUNDS")
    return _in_range(made)


def date_start(unit: str, day: int) -> int:
    """The first day of the week, month, quarter or year; of any size, except for weeks."""
    match unit:
        case "week":
            return next_day(wrap(day - 7, INT32), "monday")
        case "month":
            return _first_of_month(_month_number(day))
        case "quarter":
            return _first_of_month(_month_number(day) // 3 * 3)
    return _first_of_month(year(day) * 12)


def truncated_date(day: int, text: object) -> int | None:
    """The first day of a period, null of an unknown one; a quarter must have one, others wrap."""
    unit = date_truncation_unit(text)
    if unit is None:
        return None
    made = date_start(unit, day)
    return _in_range(made) if unit == "quarter" else wrap(made, INT32)


DATE_MEANINGS: dict[str, Callable[..., int | None]] = {
    "year": year,
    "quarter": quarter,
    "month": lambda day: civil(day)[1],
    "day": lambda day: civil(day)[2],
    "dayofyear": day_of_year,
    "dayofweek": day_of_week,
    "weekday": weekday,
    "weekofyear": week_of_year,
    "yearofweek": lambda day: year(_thursday(day)),
    "last_day": last_day,
    "next_day": next_day,
    "date_add": lambda day, days: wrap(day + days, INT32),
    "date_sub": lambda day, days: wrap(day - days, INT32),
    "datediff": lambda end, start: wrap(end - start, INT32),
    "add_months": lambda day, months: _in_range(plus_months(day, months)),
    "make_date": make_date,
    "trunc": truncated_date,
    "unix_date": lambda day: day,
    "date_from_unix_date": lambda day: day,
}
