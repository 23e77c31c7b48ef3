"""Windows that are one slice each: nothing is carried from one to the next."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from adaptive.engine.grid import WindowGrid
from adaptive.engine.morsel import later
from adaptive.engine.sliced import SlicedWindows
from adaptive.engine.sliding import Pieces, bytes_of, release_all
from adaptive.runtime.combine import WindowTable, joined
from adaptive.runtime.export import export_table, rows_of
from ir.pipelines import RowProgram


class TumblingWindows:
    """The open windows of a query: slices go in, results come out in the order of windows.

    What `SlicedWindows` does in general, in fewer steps: a window ends in the middle of a push.
    """

    def __init__(self, program: RowProgram, grid: WindowGrid) -> None:
        self._program, self._size_us = program, grid.size_us
        self._open: dict[int, Pieces] = {}
        self._closed_to: int | None = None
        self.late_rows = 0  # those that others who share the slices still had windows for

    @property
    def bytes(self) -> int:
        """The memory of all slices."""
        return bytes_of(self._open.values())

    def add(self, start: int, pieces: Pieces, after: int | None) -> None:
        """Pieces of a slice, of rows that came when windows were closed up to `after`."""
        closed_to = later(after, self._closed_to)
        if closed_to is not None and start + self._size_us <= closed_to:
            self.late_rows += sum(map(rows_of, pieces))
            release_all(pieces)
        elif start in self._open:
            self._open[start] = [*self._open[start], *pieces]
        else:
            self._open[start] = pieces

    def close(self, closed_to: int) -> Iterator[pa.RecordBatch]:
        """Yields the results of the windows that end by a time, the earliest first."""
        size_us, self._closed_to = self._size_us, later(self._closed_to, closed_to)
        ended = [start for start in self._open if start + size_us <= closed_to]
        for start in ended if len(ended) < 2 else sorted(ended):
            yield from self._result(start, self._open.pop(start))

    def close_all(self) -> Iterator[pa.RecordBatch]:
        """Yields the results of all windows with rows."""
        if self._open:
            yield from self.close(max(self._open) + self._size_us)

    def release(self) -> None:
        """Give the memory back."""
        for pieces in self._open.values():
            release_all(pieces)

    def _result(self, start: int, pieces: Pieces) -> Iterator[pa.RecordBatch]:
        try:
            whole = joined(self._program, pieces)
            table = whole.table if isinstance(whole, WindowTable) else whole
            if table.live:
                yield export_table(self._program, table, start, start + self._size_us)
            if isinstance(whole, WindowTable):
                whole.release()
        finally:
            release_all(pieces)


def windows_of(program: RowProgram, grid: WindowGrid) -> SlicedWindows | TumblingWindows:
    """The open windows of a query."""
    is_one_slice = grid.size_us == grid.slide_us == grid.slice_us
    return (TumblingWindows if is_one_slice else SlicedWindows)(program, grid)
