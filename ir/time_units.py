"""The names of units of time and days of the week, as Spark reads them."""

from __future__ import annotations

from collections.abc import Mapping

from ir.calendar import DAY_US, SECOND_US
from ir.errors import IrTypeError

MINUTE_US = 60 * SECOND_US
HOUR_US = 60 * MINUTE_US
# Units of fixed length: what adding them means does not depend on where it starts.
UNIT_US: dict[str, int] = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": SECOND_US,
    "minute": MINUTE_US,
    "hour": HOUR_US,
    "day": DAY_US,
    "week": 7 * DAY_US,
}
UNIT_MONTHS: dict[str, int] = {"month": 1, "quarter": 3, "year": 12}
# What a date can be truncated to.
DATE_UNITS = ("week", "month", "quarter", "year")
_TRUNCATIONS: dict[str, str] = {
    **{unit: unit for unit in (*UNIT_US, *UNIT_MONTHS)},
    "dd": "day",
    **dict.fromkeys(("mon", "mm"), "month"),
    **dict.fromkeys(("yyyy", "yy"), "year"),
}
_STEPS: dict[str, str] = {**{u: u for u in (*UNIT_US, *UNIT_MONTHS)}, "dayofyear": "day"}
# Counted from Thursday, because 1970-01-01 was one.
WEEKDAYS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            ("th", "thu", "thursday"),
            ("fr", "fri", "friday"),
            ("sa", "sat", "saturday"),
            ("su", "sun", "sunday"),
            ("mo", "mon", "monday"),
            ("tu", "tue", "tuesday"),
            ("we", "wed", "wednesday"),
        )
    )
    for name in names
}


def truncation_unit(text: object) -> str | None:
    """The unit to truncate a timestamp to; another text is none, and gives null."""
    return _TRUNCATIONS.get(str(text).lower())


def date_truncation_unit(text: object) -> str | None:
    """The unit to truncate a date to: a week, or something longer."""
    unit = truncation_unit(text)
    return unit if unit in DATE_UNITS else None


def step_unit(name: str, text: object) -> str:
    """The unit to add or to count in."""
    unit = _STEPS.get(str(text).lower())
    if unit is None:
        raise IrTypeError(f"{name} has no unit {text!r}; units are {', '.join(_STEPS)}")
    return unit


def weekday_named(name: str, text: object) -> int:
    """The number of a day of the week."""
    number = WEEKDAYS.get(str(text).lower())
    if number is None:
        raise IrTypeError(f"{name} has no day {text!r}; write 'monday', 'mon' or 'mo'")
    return number


def may_leave_range(function: str, constants: Mapping[int, object], of_integer: bool) -> bool:
    """Whether a result may be no date or timestamp; truncating leaves the range only downward."""
    match function:
        case "date_trunc":
            return truncation_unit(constants[0]) not in (None, "microsecond")
        case "trunc":
            return date_truncation_unit(constants[1]) == "quarter"
        case "timestamp_diff":
            return step_unit(function, constants[0]) == "microsecond"
        case "timestamp_seconds":
            return of_integer
    return True
