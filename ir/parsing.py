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
_MOST_INT_DIGITS = 4000  # Python refuses to read more than 4300 at once
_LONGEST_EXPONENT = 12  # digits; one that is longer decides by itself
_DIGITS_OF_A_BIT = 0.30103
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
    digits = digits.lstrip("0")
    if len(digits) > _MOST_INT_DIGITS:
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
    found = _DECIMAL.fullmatch(with_ascii_digits(text.strip(_SPACES)))
    if found is None:
        return None
    sign, whole, fraction, exponent_sign, exponent = (part or "" for part in found.groups())
    if not whole + fraction or len(exponent.lstrip("0")) > 10:
        return None
    power = int(exponent_sign + (exponent.lstrip("0") or "0"))
    scale = len(fraction) - power
    if not all(-(2**31) <= number < 2**31 for number in (power, scale)):
        return None
    size = int_of_digits(whole + fraction)
    return Scaled(-size if sign == "-" else size, scale)


def with_ascii_digits(text: str) -> str:
    """The text with digits of all scripts that Java knows as those of ASCII."""
    return text.translate(_TO_ASCII)


def int_of_digits(digits: str) -> int:
    """The number that any count of digits is."""
    if len(digits) <= _MOST_INT_DIGITS:
        return int(digits)
    half = len(digits) // 2
    low = digits[half:]
    shift: int = 10 ** len(low)
    return int_of_digits(digits[:half]) * shift + int_of_digits(low)


def is_too_large(number: Scaled) -> bool:
    """Whether a parsed decimal has more digits before its point than any decimal type."""
    digits = int(number.unscaled.bit_length() * _DIGITS_OF_A_BIT) + 1  # or one less
    if not number.unscaled or digits - number.scale <= MAX_PRECISION:
        return False
    limit = MAX_PRECISION + number.scale
    return limit < 0 or abs(number.unscaled) >= 10**limit


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
    digits = int_of_digits(whole + fraction) if base == 10 else int(whole + fraction, base)
    power = _power(exponent) - len(fraction) * (4 if base == 16 else 1)
    size = _scaled(digits, power, exponent_base, type_)
    return -size if sign == "-" else size


def _power(exponent: str) -> int:
    sign = exponent[:1] if exponent[:1] in ("+", "-") else ""
    size = exponent[len(sign) :].lstrip("0")
    return int(sign + (size[:_LONGEST_EXPONENT] or "0"))


def _scaled(digits: int, power: int, base: int, type_: DataType) -> float:
    """digits * base**power; powers that decide by themselves are not computed."""
    if digits == 0:
        return 0.0
    reach = digits.bit_length() * math.log(2, base) + power
    limit = MOST_EXPONENT * math.log(10, base)
    if abs(reach) > limit:
        return math.inf if reach > 0 else 0.0
    return nearest_float(digits * Fraction(base) ** power, type_)
