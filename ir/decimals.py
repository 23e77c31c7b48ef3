"""Decimal numbers as Spark computes with them: types of results, rounding, range.

A value is an unscaled integer together with its scale. Java computes products and
quotients to 39 digits first, and Spark then rounds to the scale of the result's
type, so some results are rounded twice; both roundings are half up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ir.errors import IrTypeError
from ir.types import INT64, MAX_PRECISION, DataType, DecimalType, decimal

# Java's context of one digit more than the largest decimal, for products and quotients.
CONTEXT_DIGITS = MAX_PRECISION + 1
# What is kept behind the point when a result has too many digits.
_LEAST_SCALE = 6


class Scaled(NamedTuple):
    """The number `unscaled / 10**scale`."""

    unscaled: int
    scale: int


def bounded(precision: int, scale: int) -> DecimalType:
    """The type with these digits, cut to the most that a decimal can have."""
    return decimal(min(precision, MAX_PRECISION), min(scale, MAX_PRECISION))


def adjusted(precision: int, scale: int) -> DecimalType:
    """The type with these digits; if they are too many, the integer digits come first."""
    if precision <= MAX_PRECISION:
        return decimal(precision, scale)
    whole = precision - scale
    return decimal(MAX_PRECISION, max(MAX_PRECISION - whole, min(scale, _LEAST_SCALE)))


def ideal_digits(function: str, left: DecimalType, right: DecimalType) -> tuple[int, int]:
    """The precision and scale that hold every result of an operation."""
    left_whole, right_whole = left.precision - left.scale, right.precision - right.scale
    scale = max(left.scale, right.scale)
    match function:
        case "add" | "subtract":
            return max(left_whole, right_whole) + scale + 1, scale
        case "multiply":
            return left.precision + right.precision + 1, left.scale + right.scale
        case "divide":
            scale = max(_LEAST_SCALE, left.scale + right.precision + 1)
            return left_whole + right.scale + scale, scale
        case "remainder" | "pmod":
            return min(left_whole, right_whole) + scale, scale
    raise IrTypeError(f"{function} of decimals is not defined")


def result_type(function: str, types: Sequence[DataType]) -> DataType:
    """The type of an operation on two decimals, as Spark derives it."""
    left, right = types
    assert isinstance(left, DecimalType)
    assert isinstance(right, DecimalType)
    if function in ("remainder", "pmod", "int_divide"):
        _check_quotient(function, left, right)
    if function == "int_divide":
        return INT64
    return adjusted(*ideal_digits(function, left, right))


def may_overflow(function: str, types: Sequence[DataType]) -> bool:
    """Whether some result of an operation has more digits than its type."""
    if len(types) != 2:
        return False
    left, right = types
    assert isinstance(left, DecimalType)
    assert isinstance(right, DecimalType)
    if function == "int_divide":
        return left.precision - left.scale + right.scale > MAX_PRECISION
    if function == "pmod":  # the divisor is added to what is negative
        return right.precision - right.scale > left.precision - left.scale
    return ideal_digits(function, left, right)[0] > MAX_PRECISION


def whole_type(type_: DecimalType) -> DecimalType:
    """The type of a decimal rounded to an integer: one digit more, for the carry."""
    return type_ if type_.scale == 0 else decimal(type_.precision - type_.scale + 1, 0)


def rounded_digits(type_: DecimalType, digits: int) -> tuple[int, int]:
    """The precision and scale that hold every number rounded to `digits` behind the point."""
    whole = type_.precision - type_.scale + 1
    if digits < 0:
        return max(whole, 1 - digits), 0
    scale = min(type_.scale, digits)
    return whole + scale, scale


def rounded_type(type_: DecimalType, digits: int) -> DecimalType:
    """The type of a rounded decimal: one digit more, for the carry, if there can be one more."""
    return bounded(*rounded_digits(type_, digits))


def divided_half_up(dividend: int, divisor: int) -> int:
    """The nearest integer to a quotient; halves go away from zero."""
    magnitude = (2 * abs(dividend) + abs(divisor)) // (2 * abs(divisor))
    return magnitude if (dividend < 0) == (divisor < 0) else -magnitude


def rescaled(number: Scaled, scale: int) -> int:
    """The unscaled integer of a number at another scale, rounded half up."""
    if scale >= number.scale:
        return int(number.unscaled * 10 ** (scale - number.scale))
    return divided_half_up(number.unscaled, 10 ** (number.scale - scale))


def in_context(number: Scaled) -> Scaled:
    """A number rounded to the digits that Java computes with."""
    surplus = len(str(abs(number.unscaled))) - CONTEXT_DIGITS
    if surplus <= 0:
        return number
    # A carry to one more digit leaves a power of ten, which needs no second rounding.
    return Scaled(rescaled(number, number.scale - surplus), number.scale - surplus)


def fits(unscaled: int, type_: DecimalType) -> bool:
    """Whether a decimal type has enough digits."""
    return type_.low <= unscaled <= type_.high


def computed(function: str, numbers: Sequence[Scaled], result: DataType) -> int | None:
    """The unscaled result of a function in its type, or None if that has too few digits."""
    match function:
        case "negate":
            return -numbers[0].unscaled
        case "abs":
            return abs(numbers[0].unscaled)
        case "ceil":
            return rounded_up(numbers[0])
        case "floor":
            return rounded_down(numbers[0])
        case "int_divide":
            whole = quotient(*numbers)
            # Checked as a decimal of the most digits, and then cut to 64 bits.
            return _low_bits(whole) if abs(whole) < 10**MAX_PRECISION else None
    assert isinstance(result, DecimalType)
    made = rescaled(_EXACT[function](*numbers), result.scale)
    return made if fits(made, result) else None


def quotient(left: Scaled, right: Scaled) -> int:
    """The integer part of a quotient, toward zero."""
    scale = max(left.scale, right.scale)
    dividend, divisor = rescaled(left, scale), rescaled(right, scale)
    magnitude = abs(dividend) // abs(divisor)
    return magnitude if (dividend < 0) == (divisor < 0) else -magnitude


def rounded_down(number: Scaled) -> int:
    """The greatest integer that is not greater."""
    return number.unscaled // int(10**number.scale)


def rounded_up(number: Scaled) -> int:
    """The least integer that is not less."""
    return -rounded_down(Scaled(-number.unscaled, number.scale))


def _low_bits(value: int) -> int:
    return (value - INT64.low) % (1 << 64) + INT64.low


def _check_quotient(function: str, left: DecimalType, right: DecimalType) -> None:
    """Java cannot divide where the integer quotient may have more digits than it computes with."""
    if left.precision - left.scale + right.scale > CONTEXT_DIGITS:
        raise IrTypeError(
            f"{function} of {left} and {right} may need more than {CONTEXT_DIGITS} digits;"
            " cast to decimals with fewer digits"
        )


def _sum(left: Scaled, right: Scaled) -> Scaled:
    scale = max(left.scale, right.scale)
    return Scaled(rescaled(left, scale) + rescaled(right, scale), scale)


def _difference(left: Scaled, right: Scaled) -> Scaled:
    return _sum(left, Scaled(-right.unscaled, right.scale))


def _product(left: Scaled, right: Scaled) -> Scaled:
    return in_context(Scaled(left.unscaled * right.unscaled, left.scale + right.scale))


def _ratio(left: Scaled, right: Scaled) -> Scaled:
    """To 39 digits behind the point, however many there are before it."""
    shift = CONTEXT_DIGITS + right.scale - left.scale
    return Scaled(divided_half_up(left.unscaled * 10**shift, right.unscaled), CONTEXT_DIGITS)


def _remainder(left: Scaled, right: Scaled) -> Scaled:
    whole = quotient(left, right)
    return _difference(left, Scaled(whole * right.unscaled, right.scale))


def _positive_remainder(left: Scaled, right: Scaled) -> Scaled:
    rest = _remainder(left, right)
    return rest if rest.unscaled >= 0 else _remainder(_sum(rest, right), right)


_EXACT: dict[str, Callable[[Scaled, Scaled], Scaled]] = {
    "add": _sum,
    "subtract": _difference,
    "multiply": _product,
    "divide": _ratio,
    "remainder": _remainder,
    "pmod": _positive_remainder,
}
