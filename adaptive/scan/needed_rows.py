"""Which rows of files a plan needs: those that its filters keep, as far as that is known early."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adaptive.scan.code_filters import early_filters
from adaptive.scan.skipping import Range, needed_ranges
from ir import Expr, Sink


def nobody(rows: int) -> None:
    """Rows that are left out and not counted."""


@dataclass(frozen=True, slots=True)
class NeededRows:
    """What a scan may leave rows out by; it need not, the plan filters again."""

    ranges: tuple[Range, ...] = ()  # row groups without a row in all of them
    filters: tuple[Expr, ...] = ()  # rows that do not pass
    left_out: Callable[[int], None] = nobody  # is told how many rows of row groups were


ALL_ROWS = NeededRows()


def needed_rows(plan: Sink, left_out: Callable[[int], None] = nobody) -> NeededRows:
    """The rows that a plan without heartbeats needs."""
    return NeededRows(needed_ranges(plan), early_filters(plan), left_out)
