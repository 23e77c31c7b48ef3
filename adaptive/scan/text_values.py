"""What Spark's JSON and CSV readers make of a text: moments, days, decimals."""

from __future__ import annotations

import re

import ir
from ir.calendar import days_of
from ir.decimals import Scaled
from ir.parsing import parse_decimal, with_ascii_digits
from ir.parsing_times import RulesMissing, parse_date, parse_timestamp
from ir.regions import WrittenTimes, local_times
from ir.types import MAX_PRECISION

# Before this day, text that is a number of days means one of the Julian calendar.
_FIRST_GREGORIAN_DAY = -141427
# The Julian calendar from March of the year -4800 on.
_JULIAN_DAYS = 2_440_588 + 32_082
_FOUR_YEARS = 1461
_INT = re.compile(r"[+-]?[0-9]+")
_INT32 = range(-(2**31), 2**31)
_LONGEST_INT = 30  # characters of digits that may be a number of 64 bits, without their zeros
_MOST_POWER = 2**29  # Java gives up larger powers of ten, and takes hours for some below that
_DIGITS_OF_A_BIT = 0.30103


class BadField(ValueError):
    """A text or token is no value of the column's type."""


class Unsure(ValueError):
    """The meaning that Spark gives to this text is not known here."""


def timestamp_of(text: str, times: WrittenTimes | None = None) -> int:
    """The microsecond that a text names, by the rules of a reader or those of this machine."""
    known = local_times() if times is None else times
    for form in (text, text.replace("GMT", "")):  # old versions of Spark wrote it
        found = _moment(form, known)
        if found is not None:
            return found
    raise BadField(f"{text!r} is no timestamp")


def _moment(text: str, times: WrittenTimes) -> int | None:
    if not text:
        return None
    try:
        return parse_timestamp(text, times)
    except RulesMissing as problem:
        raise Unsure(f"the timestamp {text!r} is in the zone of a region; {problem}") from problem


def plain_date_of(text: str) -> int:
    """The day that a text names."""
    for form in (text, text.replace("GMT", "")):
        found = parse_date(form)
        if found is not None:
            return found
    raise BadField(f"{text!r} is no date")


def date_of(text: str) -> int:
    """The same, and a plain number counts the days since 1970."""
    try:
        return plain_date_of(text)
    except BadField:
        return _day_number(text)


def _day_number(text: str) -> int:
    day = _java_int(text)
    if day is None or day not in _INT32:
        raise BadField(f"{text!r} is no date")
    return _from_julian(day) if day < _FIRST_GREGORIAN_DAY else day


def _from_julian(day: int) -> int:
    """The day with the same date that a day of the Julian calendar has there."""
    quarters = 4 * (day + _JULIAN_DAYS) + 3
    year, day_of_year = quarters // _FOUR_YEARS, quarters % _FOUR_YEARS // 4
    month = (5 * day_of_year + 2) // 153  # from March on
    day_of_month = day_of_year - (153 * month + 2) // 5
    begin = days_of(year - 4800 + month // 10, (month + 2) % 12 + 1, 1)
    assert begin is not None
    return begin + day_of_month


def integer_of(text: str, type_: ir.DataType) -> int:
    """A number without a fraction, as Java parses one."""
    number = _java_int(text)
    if number is None or not type_.low <= number <= type_.high:
        raise BadField(f"{text!r} is no {type_}")
    return number


def _java_int(text: str) -> int | None:
    """A number with digits of any script, unless it is too large for anything."""
    plain = with_ascii_digits(text)
    if _INT.fullmatch(plain) is None:
        return None
    size = plain.lstrip("+-").lstrip("0")
    if len(size) > _LONGEST_INT:
        return None
    return -int(size or "0") if plain.startswith("-") else int(size or "0")


def decimal_of(text: str, type_: ir.DecimalType) -> int:
    """The unscaled decimal of a text without spaces, rounded half up to the type's scale.

    Commas are left out, wherever they are.
    """
    has_spaces = min(text[:1], text[-1:]) <= " "
    number = None if has_spaces else parse_decimal(text.replace(",", ""))
    if number is None:
        raise BadField(f"{text!r} is no decimal")
    unscaled = _at_scale(number, type_.scale)
    if unscaled is None or abs(unscaled) > type_.high:
        raise BadField(f"{text!r} has too many digits for {type_}")
    return unscaled


def _at_scale(number: Scaled, scale: int) -> int | None:
    """Rounded half up; None where it has too many digits for any type, or for Java."""
    if not number.unscaled:
        return 0
    raised = scale - number.scale
    if raised > MAX_PRECISION or -raised > _MOST_POWER:
        return None
    if raised >= 0:
        return int(number.unscaled * 10**raised)
    if number.unscaled.bit_length() * _DIGITS_OF_A_BIT + 1 < -raised:
        return 0
    divisor = 10**-raised
    size = int((2 * abs(number.unscaled) + divisor) // (2 * divisor))
    return -size if number.unscaled < 0 else size
