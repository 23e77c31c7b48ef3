"""Numbers and booleans that are written as text, as Spark's casts read them."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from ir.decimals import Scaled
from ir.types import FLOAT32, MAX_PRECISION, DataType

TRUE_WORDS = ("t", "true", "y", "yes", "1")
FALSE_WORDS = ("f", "false", "n", "no", "0")
INFINITE_WORDS = ("inf", "infinity")
# The zeros of all scripts whose digits Java's decimals take: the nine after each count up.
DIGIT_ZEROS = (
    *(0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6),
    *(0xD66, 0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0),
    *(0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0),
    *(0xAA50, 0xABF0, 0xFF10),
)
# Beyond these powers of ten, a float is infinite or zero whatever its digits.
MOST_EXPONENT = 400
_SPACES = "".join(map(chr, range(0x21)))  # what Java's trim() removes
_SPACES_AND_CONTROLS = _SPACES + "\x7f"
_INTEGER = re.compile(r"([+-]?)([0-9]*)(\.[0-9]*)?")
_FLOAT = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?[fFdD]?")
_HEX_FLOAT = re.compile(r"([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)[fFdD]?")
_DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?)([0-9]+))?")
_TO_ASCII = {zero + digit: ord("0") + digit for zero in DIGIT_ZEROS for digit in range(10)}


def trimmed(text: str) -> str:
    """The text without spaces and control characters of ASCII at both ends."""
    return text.strip(_SPACES_AND_CONTROLS)


def parse_bool(text: str) -> bool | None:
    """A word for true or false, in any case."""
    word = trimmed(text).lower()
    if word in TRUE_WORDS:
        return True
    return False if word in FALSE_WORDS else None


def parse_integer(text: str, type_: DataType, *, legacy: bool) -> int | None:
    """Digits with a sign; LEGACY also takes a fraction and drops it."""
    found = _INTEGER.fullmatch(trimmed(text))
    if found is None:
        return None
    sign, digits, fraction = found.groups()
    if (fraction is not None and not legacy) or (not digits and fraction is None):
        return None
    value = int(digits or "0")
    value = -value if sign == "-" else value
    return value if type_.low <= value <= type_.high else None


def parse_float(text: str, type_: DataType) -> float | None:
    """What Java reads as a float, and words for infinity and NaN in any case."""
    core = text.strip(_SPACES)
    special = _special(core)
    if special is not None:
        return special
    if found := _FLOAT.fullmatch(core):
        return _from_digits(found, 10, 10, type_)
    if found := _HEX_FLOAT.fullmatch(core):
        return _from_digits(found, 16, 2, type_)
    return None


def parse_decimal(text: str) -> Scaled | None:
    """Digits with a point and an exponent, as Java's BigDecimal reads them."""
    found = _DECIMAL.fullmatch(text.strip(_SPACES).translate(_TO_ASCII))
    if found is None:
        return None
    sign, whole, fraction, exponent_sign, exponent = (part or "" for part in found.groups())
    if not whole + fraction or len(exponent.lstrip("0")) > 10:
        return None
    power = int(exponent_sign + (exponent or "0"))
    scale = len(fraction) - power
    if not all(-(2**31) <= number < 2**31 for number in (power, scale)):
        return None
    return Scaled(int(sign + (whole + fraction)), scale)


def is_too_large(number: Scaled) -> bool:
    """Whether a parsed decimal has more digits before its point than any decimal type."""
    digits = len(str(abs(number.unscaled)))
    return number.unscaled != 0 and digits - number.scale > MAX_PRECISION


def nearest_float(number: Fraction, type_: DataType) -> float:
    """The nearest float, ties to even; what is too large is infinite."""
    if type_ is not FLOAT32:
        try:
            return float(number)
        except OverflowError:
            return -math.inf if number < 0 else math.inf
    size = abs(number)
    if not size:
        return 0.0
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    # 24 bits of which the last is at least 2**-149; one too many is rounded away here.
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - 23, -149)
    made = round(size / unit) * unit
    nearest = float(made) if made < 2**128 else math.inf
    return -nearest if number < 0 else nearest


def _special(core: str) -> float | None:
    sign = -1.0 if core.startswith("-") else 1.0
    if core.lower().removeprefix("+").removeprefix("-") in INFINITE_WORDS and core[1:2] not in "+-":
        return sign * math.inf
    is_nan = core.lower() == "nan" or core in ("+NaN", "-NaN")
    return math.nan if is_nan else None


def _from_digits(
    found: re.Match[str], base: int, exponent_base: int, type_: DataType
) -> float | None:
    """The float of sign, digits before and behind the point, and exponent."""
    sign, whole, fraction, exponent = (part or "" for part in found.groups())
    if not whole + fraction:
        return None
    digits = int(whole + fraction, base)
    power = int(exponent or "0") - len(fraction) * (4 if base == 16 else 1)
    size = _scaled(digits, power, exponent_base, type_)
    return -size if sign == "-" else size


def _scaled(digits: int, power: int, base: int, type_: DataType) -> float:
    """digits * base**power; powers that decide by themselves are not computed."""
    if digits == 0:
        return 0.0
    reach = digits.bit_length() * math.log(2, base) + power
    limit = MOST_EXPONENT * math.log(10, base)
    if abs(reach) > limit:
        return math.inf if reach > 0 else 0.0
    return nearest_float(digits * Fraction(base) ** power, type_)
