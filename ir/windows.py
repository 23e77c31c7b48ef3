"""Window definitions: how an aggregate cuts the stream into finite pieces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ir.errors import IrError, IrTypeError
from ir.expr import Expr
from ir.types import TIMESTAMP


@dataclass(frozen=True, slots=True)
class TumblingWindow:
    """Windows of `size_us` that do not overlap and start at `offset_us` + k * size.

    A row belongs to the window that holds its time; a row without a time to none.
    """

    time: Expr
    size_us: int
    offset_us: int = 0

    def __post_init__(self) -> None:
        _check_time(self.time)
        _check_positive("size", self.size_us)
        _check_offset(self.offset_us, self.size_us, "size")

    def start_of(self, time_us: int) -> int:
        """The start of the window that holds a time; floor division, also before 1970."""
        return time_us - (time_us - self.offset_us) % self.size_us

    def windows_of(self, time_us: int) -> Iterator[tuple[int, int]]:
        """The bounds of the windows that hold a time."""
        start = self.start_of(time_us)
        yield start, start + self.size_us

    @property
    def slide_us(self) -> int:
        """From the start of one window to the next."""
        return self.size_us

    @property
    def slices(self) -> TumblingWindow:
        """The pieces of time that windows are made of: here, the windows."""
        return self

    def over(self, time: Expr) -> TumblingWindow:
        """The same windows over another time expression."""
        return TumblingWindow(time, self.size_us, self.offset_us)


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """Windows of `size_us` of which one starts every `slide_us`, at `offset_us` + k * slide.

    So each row is in `size / slide` windows, or one more.
    """

    time: Expr
    size_us: int
    slide_us: int
    offset_us: int = 0

    def __post_init__(self) -> None:
        _check_time(self.time)
        _check_positive("size", self.size_us)
        _check_positive("slide", self.slide_us)
        if self.slide_us > self.size_us:
            raise IrError(
                f"a slide of {self.slide_us} microseconds is more than the window's size of"
                f" {self.size_us}: rows between windows would be lost; slide by at most the size"
            )
        _check_offset(self.offset_us, self.slide_us, "slide")

    def windows_of(self, time_us: int) -> Iterator[tuple[int, int]]:
        """The bounds of the windows that hold a time, the earliest first."""
        last = time_us - (time_us - self.offset_us) % self.slide_us
        first = time_us - self.size_us + 1
        first += (self.offset_us - first) % self.slide_us
        for start in range(first, last + 1, self.slide_us):
            yield start, start + self.size_us

    @property
    def slices(self) -> TumblingWindow:
        """The pieces of time that windows are made of: each begins and ends at their edges."""
        size = math.gcd(self.size_us, self.slide_us)
        return TumblingWindow(self.time, size, self.offset_us % size)

    def over(self, time: Expr) -> SlidingWindow:
        """The same windows over another time expression."""
        return SlidingWindow(time, self.size_us, self.slide_us, self.offset_us)


@dataclass(frozen=True, slots=True)
class SessionWindow:
    """Windows of a key that end when the key has no row for `gap_us`."""

    time: Expr
    gap_us: int

    def __post_init__(self) -> None:
        _check_time(self.time)
        _check_positive("gap", self.gap_us)

    def over(self, time: Expr) -> SessionWindow:
        """The same windows over another time expression."""
        return SessionWindow(time, self.gap_us)


@dataclass(frozen=True, slots=True)
class CountWindow:
    """Windows of `size` rows of a key, of which one starts every `slide` rows.

    Rows are numbered by key from 0, in order of arrival; a window's bounds are such numbers.
    """

    size: int
    slide: int

    def __post_init__(self) -> None:
        for name, value in (("size", self.size), ("slide", self.slide)):
            if value <= 0:
                raise IrError(f"a count window needs a positive {name}, got {value} rows")
        if self.slide > self.size:
            raise IrError(
                f"a slide of {self.slide} rows is more than the window's size of {self.size}:"
                " rows between windows would be lost; slide by at most the size"
            )

    def windows_of(self, number: int) -> Iterator[tuple[int, int]]:
        """The bounds of the windows that hold a row, the earliest first."""
        last = number - number % self.slide
        first = max(0, number - self.size + 1)
        first += -first % self.slide
        for start in range(first, last + 1, self.slide):
            yield start, start + self.size


TimeWindow: TypeAlias = TumblingWindow | SlidingWindow
Window: TypeAlias = TumblingWindow | SlidingWindow | SessionWindow | CountWindow


def time_of(window: Window | None) -> Expr | None:
    """The time that a window goes by, if it goes by time."""
    return None if window is None or isinstance(window, CountWindow) else window.time


def over_time(window: Window, time: Expr | None) -> Window:
    """The same windows over another time expression; those of counts have none."""
    if isinstance(window, CountWindow):
        return window
    if time is None:
        raise IrError("a window over time needs a time expression")
    return window.over(time)


def _check_time(time: Expr) -> None:
    if time.type is not TIMESTAMP:
        raise IrTypeError(f"a window needs a timestamp, got {time.type}; cast it first")


def _check_positive(name: str, value: int) -> None:
    if value <= 0:
        raise IrError(f"a window needs a positive {name}, got {value} microseconds")


def _check_offset(offset_us: int, step_us: int, step: str) -> None:
    if not 0 <= offset_us < step_us:
        raise IrError(
            f"a window's offset must be in [0, {step_us}) microseconds,"
            f" got {offset_us}; take it modulo the {step}"
        )
