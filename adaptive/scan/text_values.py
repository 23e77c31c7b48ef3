"""What Spark's JSON and CSV readers make of a text: moments, days, decimals."""

from __future__ import annotations

import re

import ir
from ir.decimals import Scaled
from ir.parsing import parse_decimal
from ir.parsing_times import RulesMissing, parse_date, parse_timestamp
from ir.regions import WrittenTimes, local_times

# Before this day, text that is a number of days means one of the Julian calendar.
_FIRST_GREGORIAN_DAY = -141427
_INT = re.compile(r"[+-]?[0-9]+")
_INT32 = range(-(2**31), 2**31)
_LARGEST_SCALE = 10_000


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
    if _INT.fullmatch(text) and int(text) in _INT32:
        if int(text) < _FIRST_GREGORIAN_DAY:
            raise Unsure(f"the number {text!r} is a day of the Julian calendar")
        return int(text)
    _refuse_other_digits(text)
    raise BadField(f"{text!r} is no date")


def integer_of(text: str, type_: ir.DataType) -> int:
    """A number without a fraction, as Java parses one."""
    if _INT.fullmatch(text) and type_.low <= int(text) <= type_.high:
        return int(text)
    _refuse_other_digits(text)
    raise BadField(f"{text!r} is no {type_}")


def _refuse_other_digits(text: str) -> None:
    """Java takes digits of other scripts too."""
    if any(char.isdigit() and not char.isascii() for char in text):
        raise Unsure(f"{text!r} has digits of another script")


def decimal_of(text: str, type_: ir.DecimalType) -> int:
    """The unscaled decimal of a text without spaces, rounded half up to the type's scale."""
    number = parse_decimal(text) if text == text.strip() else None
    if number is None:
        raise BadField(f"{text!r} is no decimal")
    if abs(number.scale) > _LARGEST_SCALE:
        raise Unsure(f"the decimal {text!r} has a very large exponent")
    unscaled = _at_scale(number, type_.scale)
    if abs(unscaled) > type_.high:
        raise BadField(f"{text!r} has too many digits for {type_}")
    return unscaled


def _at_scale(number: Scaled, scale: int) -> int:
    if number.scale <= scale:
        return int(number.unscaled * 10 ** (scale - number.scale))
    divisor = 10 ** (number.scale - scale)
    size = int((2 * abs(number.unscaled) + divisor) // (2 * divisor))
    return -size if number.unscaled < 0 else size
