"""The windows of one query over slices: which are open, and what they have in the end."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from adaptive.engine.grid import WindowGrid
from adaptive.engine.sliding import Pieces, combination, release_all
from adaptive.runtime.export import export_table, rows_of
from ir.pipelines import RowProgram


class _Pending(NamedTuple):
    """Pieces of a slice that are in windows which end at `ready` or later."""

    ready: int
    start: int
    pieces: Pieces


class SlicedWindows:
    """The open windows of a query: slices go in, results come out in the order of windows."""

    def __init__(self, program: RowProgram, grid: WindowGrid) -> None:
        self.program = program
        self.grid = grid
        self._closed_to: int | None = None  # the end of the last window that was closed
        self._live: list[int] = []  # the slices that are combined, in order
        self._pending: list[_Pending] = []
        self.late_rows = 0  # those that others who share the slices still had windows for
        self._combined = combination(program, grid.size_us // grid.slice_us)

    @property
    def bytes(self) -> int:
        """The memory of all slices and of what was made of them."""
        waiting = (piece for pending in self._pending for piece in pending.pieces)
        return self._combined.bytes + sum(piece.bytes for piece in waiting)

    def add(self, start: int, pieces: Pieces, after: int | None) -> None:
        """Pieces of a slice, of rows that came when windows were closed up to `after`.

        So they are in no window that ends by then, though it may close only now.
        """
        ready = start + self.grid.slice_us
        self._pending.append(
            _Pending(ready if after is None else max(ready, after + 1), start, pieces)
        )

    def close(self, closed_to: int) -> Iterator[pa.RecordBatch]:
        """Yields the results of the windows that end by a time, the earliest first."""
        end = self._next_end()
        while end is not None and end <= closed_to:
            self._evict(end - self.grid.size_us)
            self._integrate(end)
            yield from self._result(end)
            self._closed_to = end
            end = self._next_end()
        last = self.grid.last_end(closed_to)
        self._closed_to = last if self._closed_to is None else max(self._closed_to, last)
        self._evict(self.grid.first_open_slice(self._closed_to))

    def close_all(self) -> Iterator[pa.RecordBatch]:
        """Yields the results of all windows with rows."""
        starts = [*self._live, *(pending.start for pending in self._pending)]
        if starts:
            yield from self.close(max(map(self.grid.final_end, starts)))
        for late in self._pending:
            self._drop(late.pieces)
        self._pending = []

    def release(self) -> None:
        """Give the memory back."""
        self._combined.release()
        for pending in self._pending:
            release_all(pending.pieces)

    def _next_end(self) -> int | None:
        """The end of the next window that has rows: windows without are passed over."""
        ends = [self.grid.first_end(start) for start in self._live[:1]]
        ends += [
            max(self.grid.first_end(p.start), self.grid.next_end(p.ready - 1))
            for p in self._pending
        ]
        if not ends:
            return None
        if self._closed_to is None:
            return min(ends)
        return max(min(ends), self.grid.next_end(self._closed_to))

    def _integrate(self, end: int) -> None:
        """Combine the pieces that the window which ends at `end` is the first to have."""
        waiting = []
        for pending in sorted(self._pending, key=lambda p: p.start):
            if pending.ready > end:
                waiting.append(pending)
                continue
            if pending.start < end - self.grid.size_us:
                self._drop(pending.pieces)
                continue
            if pending.start not in self._live:
                insort(self._live, pending.start)
            self._combined.add(pending.start, pending.pieces)
        self._pending = waiting

    def _drop(self, pieces: Pieces) -> None:
        """Rows that are late for all windows of this query."""
        self.late_rows += sum(rows_of(piece) for piece in pieces)
        release_all(pieces)

    def _evict(self, before: int) -> None:
        while self._live and self._live[0] < before:
            self._combined.evict(self._live.pop(0))

    def _result(self, end: int) -> Iterator[pa.RecordBatch]:
        table = self._combined.table()
        if table.live:
            yield export_table(self.program, table, end - self.grid.size_us, end)
