"""The meaning of holistic aggregates: those that need all values of a group at its end."""

from __future__ import annotations

import math
from collections import Counter

from ir.aggregates import AggregateCall
from ir.arithmetic import normalize_key, order_key
from ir.expr import Scalar


class Values:
    """All values of a group; those that group together are made the same."""

    def __init__(self, call: AggregateCall) -> None:
        self.call = call
        self.values: list[bool | int | float | str | bytes] = []

    def add(self, value: Scalar) -> None:
        """Keep one more."""
        kept = normalize_key(value)
        assert kept is not None
        self.values.append(kept)

    def counts(self) -> Counter[object]:
        """How often each value occurs, by what orders it: NaN equals NaN there."""
        return Counter(order_key(value) for value in self.values)


class Percentile(Values):
    """The value at a fraction of the ranks, as float64; between two ranks, in proportion.

    The median is that at one half. -0.0 is 0.0 here, where Spark gives either.
    """

    def result(self) -> Scalar:
        """Computed as Spark does, which shows in the last digit."""
        if not self.values:
            return None
        ordered = sorted(self.values, key=order_key)
        fraction = self.call.parameters[0] if self.call.parameters else 0.5
        assert isinstance(fraction, float)
        position = (len(ordered) - 1) * fraction
        low, high = math.floor(position), math.ceil(position)
        left, right = (float(ordered[rank]) for rank in (low, high))
        if low == high or left == right:
            return left
        return left + (right - left) * (position - low)


class Mode(Values):
    """The most frequent value; of several, the least, where Spark's `mode` takes any of them."""

    def result(self) -> Scalar:
        """As Spark's `mode() WITHIN GROUP (ORDER BY value)`."""
        if not self.values:
            return None
        counts = self.counts()
        most = max(counts.values())
        often = (value for value in self.values if counts[order_key(value)] == most)
        return min(often, key=order_key)


class CountDistinct(Values):
    """How many different values there are."""

    def result(self) -> Scalar:
        """NaN counts once, and -0.0 with 0.0."""
        return len(self.counts())
