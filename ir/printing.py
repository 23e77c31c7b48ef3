"""Values as text, as Spark's casts to string write them."""

from __future__ import annotations

import math
from fractions import Fraction

from ir.calendar import DAY_US, SECOND_US, civil
from ir.types import FLOAT32, DataType

# Java writes floats between these plainly, others with an exponent.
LEAST_PLAIN, MOST_PLAIN = -3, 7
# Java's decimals are written with an exponent below this one, unless plain digits are wanted.
LEAST_DECIMAL_EXPONENT = -6


def decimal_text(unscaled: int, scale: int) -> str:
    """A decimal number in plain digits, all of its scale shown."""
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    point = len(digits) - scale
    sign = "-" if unscaled < 0 else ""
    return sign + digits[:point] + ("." + digits[point:] if scale else "")


def scientific_decimal_text(unscaled: int, scale: int) -> str:
    """A decimal number as Java's BigDecimal writes it: small ones have an exponent."""
    digits = str(abs(unscaled))
    exponent = len(digits) - 1 - scale
    if scale == 0 or exponent >= LEAST_DECIMAL_EXPONENT:
        return decimal_text(unscaled, scale)
    sign = "-" if unscaled < 0 else ""
    point = "." if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{point}{digits[1:]}E{exponent}"


def float_text(value: float, type_: DataType) -> str:
    """The shortest digits that read back as the same float, as Java writes them from 19 on."""
    if math.isnan(value):
        return "NaN"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if math.isinf(value):
        return f"{sign}Infinity"
    if value == 0:
        return f"{sign}0.0"
    number, exponent = shortest_digits(abs(value), type_)
    digits = str(number).rstrip("0")
    point = len(str(number)) + exponent  # digits before the point
    if not LEAST_PLAIN < point <= MOST_PLAIN:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}E{point - 1}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[:point].ljust(point, '0')}.{digits[point:] or '0'}"


def shortest_digits(value: float, type_: DataType) -> tuple[int, int]:
    """The fewest digits, but two at least, and a power of ten, that round to a positive float.

    Of several with as many digits, those nearest to the value.
    """
    exact = Fraction(value)
    low, high, closed = _rounding_interval(exact, type_)
    magnitude = math.floor(math.log10(value)) + 1  # digits before the point, one off at worst
    magnitude += exact >= Fraction(10) ** magnitude
    magnitude -= exact < Fraction(10) ** (magnitude - 1)
    for digits in range(2, 18):
        unit = Fraction(10) ** (magnitude - digits)
        number = round(exact / unit)
        candidates = sorted((number, number + 1), key=lambda n: abs(n * unit - exact))
        for found in candidates:
            if low < found * unit < high or (closed and found * unit in (low, high)):
                return found, magnitude - digits
    raise AssertionError(f"{value!r} has no digits")


def date_text(day: int) -> str:
    """A day as `yyyy-mm-dd`; later years than 9999 have a plus, those before 0 a minus."""
    year, month, day_of_month = civil(day)
    sign = "+" if year > 9999 else "-" if year < 0 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day_of_month:02d}"


def timestamp_text(moment: int) -> str:
    """A moment in UTC; of the fraction of a second, the zeros at its end are left out."""
    day, of_day = divmod(moment, DAY_US)
    seconds, micros = divmod(of_day, SECOND_US)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    fraction = f".{micros:06d}".rstrip("0") if micros else ""
    return f"{date_text(day)} {clock}{fraction}"


def _rounding_interval(exact: Fraction, type_: DataType) -> tuple[Fraction, Fraction, bool]:
    """Between which numbers all round to a float, and whether these do, too."""
    bits, least = (24, -149) if type_ is FLOAT32 else (53, -1074)
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent -= exact < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - bits + 1, least)
    mantissa = exact / unit
    # Just above a power of two, the next float below is half as far.
    is_power = mantissa == 2 ** (bits - 1) and exponent - bits + 1 > least
    below = unit / 4 if is_power else unit / 2
    return exact - below, exact + unit / 2, mantissa % 2 == 0
