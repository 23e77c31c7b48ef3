"""Ranges of integers that sampled rows showed, made wider to hold those that they did not."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from ir.types import BOOL, DATE, STRING, TIMESTAMP, DataType

_OF_TYPE = {BOOL: (0, 1), DATE: (-(2**31), 2**31 - 1), TIMESTAMP: (-(2**63), 2**63 - 1)}
_CODES = (0, 2**31 - 1)  # of a dictionary


@dataclass(frozen=True, slots=True)
class Domain:
    """The integers that a value can be at all."""

    low: int
    high: int
    dictionary: str | None = None  # the string column, where they are codes of its dictionary


def domain_of(type_: DataType, column: str | None = None) -> Domain | None:
    """The domain of a type; a string's are the codes of its column's dictionary."""
    if type_ == STRING:
        return Domain(*_CODES, column)
    if type_.is_integer:
        return Domain(type_.low, type_.high)
    limits = _OF_TYPE.get(type_)
    return None if limits is None else Domain(*limits)


def widened(low: int, high: int, domain: Domain, slack: float) -> tuple[int, int]:
    """A range with a margin of that share of the span on each side, within the domain.

    Its ends are on multiples of a power of two about as large as the margin, so that
    samples that differ a little give the same range, and so the same variant. A range
    without negative numbers stays without.
    """
    margin = ceil((high - low + 1) * slack)
    grain = 1 << (margin - 1).bit_length() if margin > 1 else 1
    least = max(domain.low, 0) if low >= 0 else domain.low
    wide_low = (low - margin) // grain * grain
    wide_high = -(-(high + margin + 1) // grain) * grain - 1
    return min(low, max(least, wide_low)), max(high, min(domain.high, wide_high))
