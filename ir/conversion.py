"""What casts mean: a value of one type as a value of another, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from ir import parsing, parsing_times, printing
from ir.arithmetic import convert, convertible, fits, round_to, saturate, wrap
from ir.calendar import DAY_US, SECOND_US
from ir.casts import is_always_null
from ir.decimals import Scaled, rescaled
from ir.decimals import fits as digits_fit
from ir.expr import Scalar
from ir.regions import WrittenTimes, local_times
from ir.types import (
    BINARY,
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    STRING,
    TIMESTAMP,
    DataType,
    DecimalType,
)

# Up to so many digits, Spark has a decimal as a long and cuts it exactly; it goes through
# float64 with more, on the way to an integer of 32 bits or fewer.
COMPACT_DIGITS = 18


class Lost(NamedTuple):
    """A value has no counterpart: Spark's error condition, and whether LEGACY raises it, too."""

    condition: str
    in_legacy: bool = False
    in_try: bool = False


OVERFLOW = Lost("CAST_OVERFLOW")
INVALID = Lost("CAST_INVALID_INPUT")
TOO_MANY_DIGITS = Lost("NUMERIC_VALUE_OUT_OF_RANGE")
NO_DECIMAL = Lost("NUMERIC_OUT_OF_SUPPORTED_RANGE")
TIME_OVERFLOW = Lost("ARITHMETIC_OVERFLOW", in_legacy=True)
NO_RULES = Lost("TIME_ZONE_RULES_MISSING", in_legacy=True, in_try=True)

Result: TypeAlias = Scalar | Lost


def converted(value: Scalar, source: DataType, target: DataType, *, legacy: bool) -> Result:
    """A value that is not null as another type; LEGACY wraps around where others lose it."""
    if source == target:
        return value
    if is_always_null(source, target):
        return None
    if isinstance(target, DecimalType):
        return _to_decimal(value, source, target)
    return _CONVERSIONS[_kind(target)](value, source, target, legacy)


def to_text(value: Scalar, source: DataType, *, legacy: bool = False) -> str:
    """A value as text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, float):
        return printing.float_text(value, source)
    if source is BOOL:
        return "true" if value else "false"
    assert isinstance(value, int)
    if isinstance(source, DecimalType):
        shown = printing.scientific_decimal_text if legacy else printing.decimal_text
        return shown(value, source.scale)
    written = {DATE: printing.date_text, TIMESTAMP: printing.timestamp_text}
    return written.get(source, str)(value)


def _to_text(value: Scalar, source: DataType, target: DataType, legacy: bool) -> Result:
    return to_text(value, source, legacy=legacy)


def _to_binary(value: Scalar, source: DataType, target: DataType, legacy: bool) -> Result:
    """The bytes of a text; of an integer, the highest first."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    assert isinstance(value, int)
    return value.to_bytes(source.bits // 8, "big", signed=True)


def _to_bool(value: Scalar, source: DataType, target: DataType, legacy: bool) -> Result:
    if isinstance(value, str):
        return _or_invalid(parsing.parse_bool(value))
    return value != 0


def _to_integer(value: Scalar, source: DataType, target: DataType, legacy: bool) -> Result:
    if isinstance(value, str):
        return _or_invalid(parsing.parse_integer(value, target, legacy=legacy))
    assert isinstance(value, int | float)
    if source is TIMESTAMP:
        seconds = int(value) // SECOND_US
        return seconds if fits(seconds, target) else OVERFLOW
    if isinstance(source, DecimalType):
        value = _whole(int(value), source, target, legacy)
    if legacy or convertible(value, target):
        # LEGACY takes a decimal's low 64 bits first, which changes nothing: narrower ones follow.
        return convert(value, target)
    return OVERFLOW


def _whole(unscaled: int, source: DecimalType, target: DataType, legacy: bool) -> int | float:
    """A decimal without its fraction, toward zero."""
    if source.precision > COMPACT_DIGITS and target is not INT64 and not legacy:
        return parsing.nearest_float(Fraction(unscaled, 10**source.scale), FLOAT64)
    return _truncated(Scaled(unscaled, source.scale))


def _to_float(value: Scalar, source: DataType, target: DataType, legacy: bool) -> Result:
    if isinstance(value, str):
        return _or_invalid(parsing.parse_float(value, target))
    assert isinstance(value, int | float)
    if isinstance(source, DecimalType):
        return parsing.nearest_float(Fraction(int(value), 10**source.scale), target)
    if source is TIMESTAMP:
        return round_to(float(value) / SECOND_US, target)  # rounded twice, as in Java
    return convert(value, target)


def _to_decimal(value: Scalar, source: DataType, target: DecimalType) -> Result:
    """Rounded half up to the target's scale; NaN and infinity are null."""
    number: Scaled | None
    if isinstance(value, str):
        number = parsing.parse_decimal(value)
        if number is None:
            return INVALID
        if parsing.is_too_large(number):
            return NO_DECIMAL
    elif isinstance(value, float):
        number = float_digits(value)
        if number is None:
            return None
    else:
        assert isinstance(value, int)
        number = Scaled(int(value), scale_of(source))
    made = rounded(number, target)
    return TOO_MANY_DIGITS if made is None else made


def scale_of(source: DataType) -> int:
    """How many digits of an integer are behind the point: of a timestamp, parts of a second."""
    if isinstance(source, DecimalType):
        return source.scale
    return 6 if source is TIMESTAMP else 0


def rounded(number: Scaled, target: DecimalType) -> int | None:
    """The unscaled integer of a number in a type, or None if it has too many digits."""
    surplus = number.scale - target.scale
    if not number.unscaled or surplus > len(str(abs(number.unscaled))):
        return 0
    made = rescaled(number, target.scale)
    return made if digits_fit(made, target) else None


def float_digits(value: float) -> Scaled | None:
    """The digits that Java writes a float64 with; None of NaN and infinity."""
    if not math.isfinite(value):
        return None
    if value == 0:
        return Scaled(0, 1)
    digits, exponent = printing.shortest_digits(abs(value), FLOAT64)
    return Scaled(-digits if value < 0 else digits, -exponent)


def _to_date(value: Scalar, source: DataType, target: DataType, legacy: bool) -> Result:
    if isinstance(value, str):
        return _or_invalid(parsing_times.parse_date(value))
    assert isinstance(value, int)
    return value // DAY_US


def _to_timestamp(value: Scalar, source: DataType, target: DataType, legacy: bool) -> Result:
    """Numbers are seconds; whole ones saturate, and decimals wrap around."""
    if isinstance(value, str):
        return written_timestamp(value, local_times())
    if isinstance(value, float):
        return _float_to_timestamp(value, legacy)
    assert isinstance(value, int)
    if source is BOOL:
        return int(value)
    if source is DATE:
        made = value * DAY_US
        return made if fits(made, INT64) else TIME_OVERFLOW
    if isinstance(source, DecimalType):
        return wrap(_truncated(Scaled(value * SECOND_US, source.scale)), INT64)
    return min(max(value * SECOND_US, INT64.low), INT64.high)


def written_timestamp(text: str, times: WrittenTimes) -> int | Lost:
    """The moment that a text means."""
    try:
        moment = parsing_times.parse_timestamp(text, times)
    except parsing_times.RulesMissing:
        return NO_RULES
    return INVALID if moment is None else moment


def _float_to_timestamp(value: float, legacy: bool) -> Result:
    if not math.isfinite(value):
        return INVALID
    made = value * SECOND_US
    if legacy or (math.isfinite(made) and convertible(made, INT64)):
        return saturate(made, INT64)
    return OVERFLOW


def _truncated(number: Scaled) -> int:
    size = abs(number.unscaled) // int(10**number.scale)
    return -size if number.unscaled < 0 else size


def _or_invalid(parsed: Scalar) -> Result:
    return INVALID if parsed is None else parsed


def _kind(target: DataType) -> DataType:
    if target.is_integer:
        return INT64
    return FLOAT64 if target is FLOAT32 else target


_CONVERSIONS: dict[DataType, Callable[[Scalar, DataType, DataType, bool], Result]] = {
    BOOL: _to_bool,
    INT64: _to_integer,
    FLOAT64: _to_float,
    STRING: _to_text,
    BINARY: _to_binary,
    DATE: _to_date,
    TIMESTAMP: _to_timestamp,
}
