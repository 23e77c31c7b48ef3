"""One query of an engine: its windows, what is above them, and the results not yet fetched."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from adaptive.engine.downstream import Downstream
from adaptive.engine.grid import WindowGrid
from adaptive.engine.passage import Handed
from adaptive.engine.sliced import SlicedWindows
from adaptive.engine.stages import groups_of
from adaptive.runtime.binding import arrow_schema
from ir import Pipeline, Schema
from ir.pipelines import RowProgram

OnResult = Callable[[pa.Table], None]


class Results:
    """What has become final and was not fetched; any thread may add to it."""

    def __init__(self, schema: Schema, on_result: OnResult | None = None) -> None:
        self.schema = arrow_schema(schema)
        self._batches: list[pa.RecordBatch] = []
        self._lock = threading.Lock()
        self._on_result = on_result

    def add(self, batch: pa.RecordBatch) -> None:
        """Keep a result, or give it to who asked for that.

        What the optimiser finds out about nulls does not change the schema.
        """
        batch = pa.RecordBatch.from_arrays(batch.columns, schema=self.schema)
        if self._on_result is not None:
            self._on_result(pa.Table.from_batches([batch]))
            return
        with self._lock:
            self._batches.append(batch)

    def take(self) -> pa.Table:
        """All results so far."""
        with self._lock:
            batches, self._batches = self._batches, []
        return pa.Table.from_batches(batches, self.schema)


class QueryWindows:
    """The windows of a query over the slices that threads hand over."""

    def __init__(
        self, program: RowProgram, grid: WindowGrid | None, rest: Sequence[Pipeline], out: Results
    ) -> None:
        self._program = program
        self._windows = None if grid is None else SlicedWindows(program, grid)
        self._above = Downstream(program, rest, out.add)

    @property
    def bytes(self) -> int:
        """The memory of slices and stages above."""
        return self._above.bytes + (0 if self._windows is None else self._windows.bytes)

    def pass_to(self, boundary: int, handed: Sequence[Handed]) -> None:
        """Close the windows that end by a time."""
        assert self._windows is not None
        self._take(handed)
        self._send(self._windows.close(boundary))
        self._above.advance(boundary)

    def finish(self, handed: Sequence[Handed]) -> None:
        """Close all windows."""
        if self._windows is None:
            self._send(groups_of(self._program, [p for one in handed for p in one.pieces]))
        else:
            self._take(handed)
            self._send(self._windows.close_all())
        self._above.finish()

    def release(self) -> None:
        """Give the memory back."""
        self._above.release()
        if self._windows is not None:
            self._windows.release()

    def _take(self, handed: Sequence[Handed]) -> None:
        assert self._windows is not None
        for one in handed:
            self._windows.add(one.start, one.pieces, one.after)

    def _send(self, batches: Iterator[pa.RecordBatch]) -> None:
        for batch in batches:
            self._above.accept(batch)
