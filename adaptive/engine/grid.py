"""When windows of time begin and end: integer arithmetic on their grid, nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ir.windows import TimeWindow

NEVER = (1 << 63) - 1  # a time that no row reaches
LEAST = -(1 << 63)


class Boundaries(Protocol):
    """The times at which windows end, and what is late behind each of them."""

    def last_end(self, time_us: int) -> int:
        """The greatest end of a window that is not after a time."""

    def next_end(self, time_us: int) -> int:
        """The least end of a window that is after a time."""

    def first_open_slice(self, closed_to: int) -> int:
        """The start of the earliest slice that is in a window which ends after a time."""


@dataclass(frozen=True, slots=True)
class WindowGrid:
    """Windows of `size_us`, one every `slide_us` from `offset_us`, made of slices."""

    size_us: int
    slide_us: int
    offset_us: int
    slice_us: int

    @classmethod
    def of(cls, window: TimeWindow, slice_us: int | None = None) -> WindowGrid:
        """The grid of a window; slices may be finer where queries share them."""
        return cls(
            window.size_us,
            window.slide_us,
            window.offset_us,
            window.slices.size_us if slice_us is None else slice_us,
        )

    def last_end(self, time_us: int) -> int:
        """The greatest end of a window that is not after a time."""
        return time_us - (time_us - self.offset_us - self.size_us) % self.slide_us

    def next_end(self, time_us: int) -> int:
        """The least end of a window that is after a time."""
        return self.last_end(time_us) + self.slide_us

    def first_end(self, slice_start: int) -> int:
        """The end of the earliest window that a slice is in."""
        return self.next_end(slice_start + self.slice_us - 1)

    def final_end(self, slice_start: int) -> int:
        """The end of the latest window that a slice is in."""
        return slice_start - (slice_start - self.offset_us) % self.slide_us + self.size_us

    def first_open_slice(self, closed_to: int) -> int:
        """The start of the earliest slice that is in a window which ends after a time."""
        return self.next_end(closed_to) - self.size_us


@dataclass(frozen=True, slots=True)
class SharedGrid:
    """The grids of several queries over the same slices: any slice may end a window."""

    grids: tuple[WindowGrid, ...]

    def last_end(self, time_us: int) -> int:
        """The last end of a slice."""
        first = self.grids[0]
        return time_us - (time_us - first.offset_us) % first.slice_us

    def next_end(self, time_us: int) -> int:
        """The next end of a slice."""
        return self.last_end(time_us) + self.grids[0].slice_us

    def first_open_slice(self, closed_to: int) -> int:
        """The earliest slice that a query still needs."""
        return min(grid.first_open_slice(closed_to) for grid in self.grids)


def shared_slice_us(windows: Sequence[TimeWindow]) -> int:
    """The length of the slices that all these windows can be made of."""
    apart = (window.offset_us - windows[0].offset_us for window in windows)
    return math.gcd(*(window.slices.size_us for window in windows), *apart)


def clamped(time_us: int) -> int:
    """A time in the range that kernels compare in."""
    return min(max(time_us, LEAST), NEVER)
