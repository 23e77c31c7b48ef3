"""Windows that are not bound to a stream yet."""

from __future__ import annotations

from dataclasses import dataclass

import ir
from adaptive.api.coercion import implicit
from adaptive.api.expression import Expression, bound


class WindowOver:
    """A way to cut a stream into windows, for `group_by`."""

    __slots__ = ()

    def bind(self, schema: ir.Schema) -> ir.Window:
        """The windows over the columns of a schema."""
        raise NotImplementedError

    @property
    def by_arrival(self) -> bool:
        """Whether the windows go by the time at which rows come."""
        return False


@dataclass(frozen=True, slots=True, eq=False)
class TimeWindows(WindowOver):
    """Windows of one size, of which one starts every `slide_us`."""

    time: Expression
    size_us: int
    slide_us: int
    offset_us: int

    def bind(self, schema: ir.Schema) -> ir.Window:
        """Tumbling where the slide is the size; the offset is taken modulo the slide."""
        time = time_over(self.time, schema)
        offset_us = self.offset_us % self.slide_us if self.slide_us > 0 else 0
        if self.slide_us == self.size_us:
            return ir.TumblingWindow(time, self.size_us, offset_us)
        return ir.SlidingWindow(time, self.size_us, self.slide_us, offset_us)

    @property
    def by_arrival(self) -> bool:
        return is_arrival(self.time)


@dataclass(frozen=True, slots=True, eq=False)
class SessionWindows(WindowOver):
    """Windows of a key that end when it has no row for `gap_us`."""

    time: Expression
    gap_us: int

    def bind(self, schema: ir.Schema) -> ir.Window:
        return ir.SessionWindow(time_over(self.time, schema), self.gap_us)

    @property
    def by_arrival(self) -> bool:
        return is_arrival(self.time)


@dataclass(frozen=True, slots=True, eq=False)
class CountWindows(WindowOver):
    """Windows of a number of rows of a key."""

    size: int
    slide: int

    def bind(self, schema: ir.Schema) -> ir.Window:
        return ir.CountWindow(self.size, self.slide)


@dataclass(frozen=True, slots=True, eq=False)
class ArrivalTime(Expression):
    """The time at which a row comes to the engine; only windows go by it."""

    def bind(self, schema: ir.Schema) -> ir.Expr:
        if ir.ARRIVAL not in schema:
            raise ir.IrError(
                "processing_time() is the time of a window: write"
                " .group_by(f.window(f.processing_time(), '10 seconds'))"
            )
        return ir.Column(ir.ARRIVAL, ir.TIMESTAMP, nullable=False)


def is_arrival(time: Expression) -> bool:
    """Whether an expression has to do with the time at which rows come."""
    return any(isinstance(part, ArrivalTime) for part in time.walk())


def time_over(time: Expression, schema: ir.Schema) -> ir.Expr:
    """The time of a window; a date is its midnight."""
    made = bound(time, schema)
    return implicit(made, ir.TIMESTAMP) if made.type is ir.DATE else made
