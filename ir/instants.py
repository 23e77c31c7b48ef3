"""Timestamps: parts in UTC, truncation, arithmetic, and numbers since 1970."""

from __future__ import annotations

import math
from collections.abc import Callable

from ir.arithmetic import fits, quotient, saturate
from ir.calendar import DAY_US, SECOND_US, civil
from ir.dates import date_start, plus_months
from ir.errors import Unrepresentable
from ir.time_units import (
    DATE_UNITS,
    HOUR_US,
    MINUTE_US,
    UNIT_MONTHS,
    UNIT_US,
    step_unit,
    truncation_unit,
)
from ir.types import INT64

# What months_between takes for a month, and the digits that it keeps.
MONTH_SECONDS = 31.0 * DAY_US / SECOND_US
ROUNDING = 1e8


def _in_range(moment: int) -> int:
    if not fits(moment, INT64):
        raise Unrepresentable("DATETIME_OVERFLOW")
    return moment


def truncated(unit_name: object, moment: int) -> int | None:
    """The start of the period that a time is in, null of an unknown period."""
    unit = truncation_unit(unit_name)
    if unit is None:
        return None
    if unit in DATE_UNITS:
        return _in_range(date_start(unit, moment // DAY_US) * DAY_US)
    return _in_range(moment // UNIT_US[unit] * UNIT_US[unit])


def added(unit_name: object, count: int, moment: int) -> int:
    """A time some units later; days and months of any number, but hours and less must fit."""
    unit = step_unit("timestamp_add", unit_name)
    if unit in UNIT_MONTHS:
        day, time = divmod(moment, DAY_US)
        return _in_range(plus_months(day, count * UNIT_MONTHS[unit]) * DAY_US + time)
    length = count * UNIT_US[unit]
    return _in_range(moment + (_in_range(length) if UNIT_US[unit] < DAY_US else length))


def difference(unit_name: object, start: int, end: int) -> int:
    """How many whole units there are from one time to another, toward zero."""
    unit = step_unit("timestamp_diff", unit_name)
    if unit in UNIT_MONTHS:
        return quotient(_months_between(start, end), UNIT_MONTHS[unit])
    return _in_range(quotient(end - start, UNIT_US[unit]))


def _months_between(start: int, end: int) -> int:
    """Java's: a day is taken off first if the time of day is not reached, then days are compared.

    So from 31 January, 10:00, to 1 March, 09:00, it is no month.
    """
    (day, time), (last, last_time) = divmod(start, DAY_US), divmod(end, DAY_US)
    if last > day and last_time < time:
        last -= 1
    elif last < day and last_time > time:
        last += 1
    return quotient(_packed(last) - _packed(day), 32)


def _packed(day: int) -> int:
    year, month, of_month = civil(day)
    return (year * 12 + month) * 32 + of_month


def months_between(end: int, start: int, is_rounded: bool) -> float:
    """Months with a fraction, where every month has 31 days; whole between ends of months."""
    (last, last_time), (day, time) = divmod(end, DAY_US), divmod(start, DAY_US)
    year, month, of_month = civil(day)
    last_year, last_month, last_of_month = civil(last)
    whole = float((last_year - year) * 12 + last_month - month)
    if of_month == last_of_month or all(civil(d + 1)[2] == 1 for d in (day, last)):
        return whole
    for midnight in (day * DAY_US, last * DAY_US):
        _in_range(midnight)  # there is none on the first day of all
    days = (last_of_month - of_month) * DAY_US // SECOND_US
    seconds = days + last_time // SECOND_US - time // SECOND_US
    made = whole + seconds / MONTH_SECONDS
    return math.floor(made * ROUNDING + 0.5) / ROUNDING if is_rounded else made


def from_seconds(seconds: float) -> int | None:
    """The time of a number of seconds: integers must fit, floats saturate; NaN has none."""
    if isinstance(seconds, int):
        return _in_range(seconds * SECOND_US)
    return saturate(seconds * SECOND_US, INT64) if math.isfinite(seconds) else None


INSTANT_MEANINGS: dict[str, Callable[..., float | None]] = {
    "hour": lambda moment: moment // HOUR_US % 24,
    "minute": lambda moment: moment // MINUTE_US % 60,
    "second": lambda moment: moment // SECOND_US % 60,
    "microsecond": lambda moment: moment % SECOND_US,
    # Of six digits behind the point, so its unscaled integer counts microseconds.
    "second_with_fraction": lambda moment: moment % MINUTE_US,
    "unix_seconds": lambda moment: moment // SECOND_US,
    "unix_millis": lambda moment: moment // 1_000,
    "unix_micros": lambda moment: moment,
    # Before 1970 another one than unix_seconds: toward zero.
    "unix_timestamp": lambda moment: quotient(moment, SECOND_US),
    "timestamp_seconds": from_seconds,
    "timestamp_millis": lambda millis: _in_range(millis * 1_000),
    "date_trunc": truncated,
    "timestamp_add": added,
    "timestamp_diff": difference,
    "months_between": months_between,
    "timestamp_micros": lambda micros: micros,
}
