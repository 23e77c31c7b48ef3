"""Aggregates that run in one thread: windows over the results of other windows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import pyarrow as pa

from adaptive.engine.grid import LEAST, NEVER, WindowGrid
from adaptive.engine.order import by_columns, order_of
from adaptive.engine.slice_worker import own_worker
from adaptive.engine.sliding import subtracts
from adaptive.engine.tumbling import windows_of
from adaptive.runtime.binding import bind
from adaptive.runtime.combine import combine
from adaptive.runtime.export import empty_group, export_table, is_global
from adaptive.runtime.keyed_windows import KeyedWindows
from adaptive.runtime.state import Table
from codegen_llvm import SlotLayout, slot_layout
from ir import GENERIC
from ir.operators import WINDOW_START
from ir.pipelines import RowProgram
from ir.windows import CountWindow, SessionWindow, TimeWindow


class Stage(Protocol):
    """An aggregate over the results of another, in one thread."""

    def consume(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Add rows; yields what is final by that."""

    def advance(self, watermark: int) -> Iterator[pa.RecordBatch]:
        """Time goes on; yields what is final by that, in the order of windows."""

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The stream ends; yields what was still open."""

    @property
    def bytes(self) -> int:
        """The memory of the groups."""

    def release(self) -> None:
        """Give the memory back."""


class TimeWindowStage:
    """Tumbling or sliding windows, or none, over results."""

    def __init__(self, program: RowProgram) -> None:
        window = program.window
        self._grid = WindowGrid.of(window) if isinstance(window, TimeWindow) else None
        self._worker = own_worker(program, slice_layout(program, self._grid))
        self._windows = None if self._grid is None else windows_of(program, self._grid)
        self._program = program
        self._closed_to: int | None = None
        self._rows = 0

    def consume(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        bound = bind(batch, self._program.input)
        self._worker.kernels.begin(bound, 0, bound.rows)
        self._worker.begin(self._rows)
        self._rows += bound.rows
        self._worker.run(GENERIC, NEVER, LEAST)
        yield from ()

    def advance(self, watermark: int) -> Iterator[pa.RecordBatch]:
        if self._grid is None or self._windows is None:
            return
        boundary = self._grid.last_end(watermark)
        if self._closed_to is not None and boundary <= self._closed_to:
            return
        for start, pieces in self._worker.seal(boundary).items():
            self._windows.add(start, pieces, self._closed_to)
        self._closed_to = boundary
        yield from self._windows.close(boundary)

    def finish(self) -> Iterator[pa.RecordBatch]:
        sealed = self._worker.seal_all()
        if self._windows is None:
            yield from groups_of(self._program, [p for pieces in sealed.values() for p in pieces])
            return
        for start, pieces in sealed.items():
            self._windows.add(start, pieces, self._closed_to)
        yield from self._windows.close_all()

    @property
    def bytes(self) -> int:
        return self._worker.bytes + (0 if self._windows is None else self._windows.bytes)

    def release(self) -> None:
        if self._windows is not None:
            self._windows.release()


class KeyedStage:
    """Session or count windows over results."""

    def __init__(self, program: RowProgram) -> None:
        self._windows = KeyedWindows(program, delay_us=None, lateness_us=0)
        self._program = program

    def consume(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        self._windows.consume(batch)
        yield from self._taken()

    def advance(self, watermark: int) -> Iterator[pa.RecordBatch]:
        self._windows.advance(watermark)
        yield from self._taken()

    def finish(self) -> Iterator[pa.RecordBatch]:
        self._windows.finish()
        made = [batch for batch in self._windows.take() if batch.num_rows]
        names = [key.name for key in self._program.keys]
        if made and isinstance(self._program.window, CountWindow):
            yield by_columns(pa.concat_batches(made), [*names, WINDOW_START])
        elif made:
            yield by_columns(pa.concat_batches(made), order_of(self._program))

    @property
    def bytes(self) -> int:
        return self._windows.state_bytes

    def release(self) -> None:
        self._windows.release()

    def _taken(self) -> Iterator[pa.RecordBatch]:
        made = [batch for batch in self._windows.take() if batch.num_rows]
        if made:
            yield by_columns(pa.concat_batches(made), order_of(self._program))


def slice_layout(
    program: RowProgram, *grids: WindowGrid | None, shared: bool = False
) -> SlotLayout:
    """The layout of slices; they count their rows where that is needed.

    It is to take them out of windows again, and to tell how many are late for one
    of several queries.
    """
    overlap = any(grid is not None and grid.size_us != grid.slice_us for grid in grids)
    counts_rows = len(grids) > 1 or (overlap and subtracts(program))
    return slot_layout(program, slice_is_key=False, counts_rows=counts_rows, shared=shared)


def groups_of(program: RowProgram, pieces: list[Table]) -> Iterator[pa.RecordBatch]:
    """The result of an aggregate without a window, made of these pieces."""
    if not pieces:
        if is_global(program):
            yield empty_group(program)
        return
    if len(pieces) == 1:
        yield export_table(program, pieces[0])
    else:
        combined = combine(program, pieces)
        yield combined.export()
        combined.release()
    for piece in pieces:
        piece.release()


def stage_of(program: RowProgram) -> Stage:
    """What runs a program over the results of another."""
    if isinstance(program.window, SessionWindow | CountWindow):
        return KeyedStage(program)
    return TimeWindowStage(program)
