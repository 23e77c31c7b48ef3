"""Numbers as Spark computes with them: widths, rounding, conversion and order."""

from __future__ import annotations

import math
import struct
from typing import TypeAlias

from ir.expr import Scalar
from ir.types import BOOL, FLOAT32, INT32, DataType

Number: TypeAlias = bool | int | float
OrderKey: TypeAlias = tuple[bool, float] | int | bytes


def fits(value: int, type_: DataType) -> bool:
    """Whether an integer type can hold a value."""
    return type_.low <= value <= type_.high


def wrap(value: int, type_: DataType) -> int:
    """The value of the low bits in two's complement."""
    return (value - type_.low) % (1 << type_.bits) + type_.low


def round_to(value: float, type_: DataType) -> float:
    """The nearest value of a float type; what is too large becomes infinite."""
    if type_ is not FLOAT32:
        return value
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded


def int_to_float(value: int, type_: DataType) -> float:
    """The nearest float, ties to even, rounded once: through float64 it would be twice."""
    if type_ is not FLOAT32:
        return float(value)
    spare_bits = max(0, abs(value).bit_length() - 24)
    kept, lost = divmod(abs(value), 1 << spare_bits)
    half = (1 << spare_bits) / 2
    if lost > half or (lost == half and kept % 2 == 1):
        kept += 1
    return math.copysign(float(kept << spare_bits), value)


def quotient(left: int, right: int) -> int:
    """Integer division toward zero, as in Java."""
    magnitude = abs(left) // abs(right)
    return magnitude if (left < 0) == (right < 0) else -magnitude


def remainder(left: int, right: int) -> int:
    """The remainder with the sign of the dividend, as in Java."""
    return left - quotient(left, right) * right


def float_remainder(left: float, right: float) -> float:
    """C's fmod, which is NaN for an infinite dividend."""
    return math.nan if math.isinf(left) else math.fmod(left, right)


def positive_remainder(left: Number, right: Number, type_: DataType) -> Number:
    """The remainder, with the divisor added where it is negative, and cut again.

    Java adds int32 and int64 in their own width, where the sum may wrap around.
    """
    if type_.is_float:
        rest = float_remainder(left, right)
        return rest if not rest < 0 else float_remainder(round_to(rest + right, type_), right)
    exact = remainder(int(left), int(right))
    if exact >= 0:
        return exact
    total = exact + int(right)
    return remainder(wrap(total, type_) if type_.bits >= INT32.bits else total, int(right))


def shifted_left(value: int, by: int, type_: DataType) -> int:
    """The bits moved up; like Java, by what the low bits of `by` say."""
    return wrap(value << by % type_.bits, type_)


def shifted_right(value: int, by: int, type_: DataType) -> int:
    """The bits moved down, with copies of the sign behind them."""
    return value >> by % type_.bits


def shifted_right_unsigned(value: int, by: int, type_: DataType) -> int:
    """The bits moved down, with zeros behind them."""
    return wrap(value % (1 << type_.bits) >> by % type_.bits, type_)


def sign(value: float) -> float:
    """1 with the sign of the value; zeros and NaN are their own sign."""
    return value if value == 0 or math.isnan(value) else math.copysign(1.0, value)


def square_root(value: float) -> float:
    """The root, or NaN of what is negative."""
    return math.nan if value < 0 else math.sqrt(value)


def exponential(value: float) -> float:
    """e to a power; what is too large is infinite."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def natural_logarithm(value: float) -> float | None:
    """Null of zero and below, as in Spark; NaN of NaN."""
    return None if value <= 0 else math.log(value)


def power(base: float, exponent: float) -> float:
    """Java's pow: where C finds that 1 to any power is 1, Java has NaN for NaN and infinity."""
    if math.isnan(exponent) or (abs(base) == 1 and math.isinf(exponent)):
        return math.nan
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:  # a negative power of zero, or a root of a negative number
        if base != 0:
            return math.nan
        return math.copysign(math.inf, base) if exponent % 2 == 1 else math.inf


def float_fits(value: float, type_: DataType) -> bool:
    """Spark's range check: the bounds are compared as float64, so 2^63 passes for int64."""
    if math.isnan(value) or math.isinf(value):
        return False
    return math.floor(value) <= float(type_.high) and math.ceil(value) >= float(type_.low)


def saturate(value: float, type_: DataType) -> int:
    """Java's conversion: truncated, clamped, NaN as 0; narrow types are cut from int32."""
    if type_.bits < INT32.bits:
        return wrap(saturate(value, INT32), type_)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return type_.high if value > 0 else type_.low
    return min(max(math.trunc(value), type_.low), type_.high)


def convert(value: Number, target: DataType) -> Number:
    """The value in another type, wrapping and saturating like Java where it does not fit."""
    if target is BOOL:
        return value != 0
    if target.is_float:
        if isinstance(value, float):
            return round_to(value, target)
        return int_to_float(int(value), target)
    return saturate(value, target) if isinstance(value, float) else wrap(int(value), target)


def convertible(value: Number, target: DataType) -> bool:
    """Whether a conversion keeps the value, up to rounding."""
    if not target.is_integer:
        return True
    return float_fits(value, target) if isinstance(value, float) else fits(int(value), target)


def order_key(value: bool | int | float | str | bytes) -> OrderKey:
    """Compares as Spark does: NaN equals itself and is greatest, -0.0 is 0.0, strings by byte."""
    if isinstance(value, float):
        return (True, 0.0) if math.isnan(value) else (False, value)
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")  # bytes that a binary had
    return int(value)


def compare(left: Scalar, right: Scalar) -> int:
    """Negative, zero or positive as the left value is less, equal or greater; no nulls."""
    if left is None or right is None:
        raise TypeError("null has no order; test for it first")
    first, second = order_key(left), order_key(right)
    return int(first > second) - int(first < second)  # type: ignore[operator]


def normalize_key(value: Scalar) -> Scalar:
    """The one representative of the values that group together."""
    if isinstance(value, float):
        return math.nan if math.isnan(value) else value + 0.0  # -0.0 + 0.0 is 0.0
    return value
