"""One query of an engine: its windows, what is above them, and the results not yet fetched."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa

from adaptive.engine.downstream import Downstream
from adaptive.engine.passage import Handed
from adaptive.engine.sharing import Share
from adaptive.engine.stages import groups_of
from adaptive.engine.tumbling import windows_of
from adaptive.runtime.binding import arrow_schema
from ir import Pipeline, Schema
from ir.pipelines import RowProgram

OnResult = Callable[[pa.Table], None]


class Results:
    """What has become final and was not fetched; any thread may add to it."""

    def __init__(self, schema: Schema, on_result: OnResult | None = None) -> None:
        self.schema = arrow_schema(schema)
        self._batches: list[pa.RecordBatch] = []
        self._nothing = pa.Table.from_batches([], self.schema)
        self._lock = threading.Lock()
        self._on_result = on_result

    def add(self, batch: pa.RecordBatch) -> None:
        """Keep a result, or give it to who asked for that.

        What the optimiser finds out about nulls does not change the schema.
        """
        if not batch.schema.equals(self.schema):
            batch = pa.RecordBatch.from_arrays(batch.columns, schema=self.schema)
        if self._on_result is not None:
            self._on_result(pa.Table.from_batches([batch]))
            return
        with self._lock:
            self._batches.append(batch)

    def take(self) -> pa.Table:
        """All results so far."""
        if not self._batches:
            return self._nothing
        with self._lock:
            batches, self._batches = self._batches, []
        return pa.Table.from_batches(batches, self.schema)


class QueryWindows:
    """The windows of one query over the slices that threads hand over."""

    def __init__(
        self,
        program: RowProgram,
        share: Share,
        own: RowProgram,
        rest: Sequence[Pipeline],
        results: Results,
    ) -> None:
        self._program, self._share = program, share
        self._windows = None if share.grid is None else windows_of(program, share.grid)
        self._above = Downstream(own, rest, results.add)

    @property
    def bytes(self) -> int:
        """The memory of slices and stages above."""
        return self._above.bytes + (0 if self._windows is None else self._windows.bytes)

    @property
    def late_rows(self) -> int:
        """The rows that were late for this query, but not for others that share its slices."""
        return 0 if self._windows is None else self._windows.late_rows

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

    def _send(self, batches: Iterable[pa.RecordBatch]) -> None:
        for batch in batches:
            self._above.accept(self._share.of(batch))


class QueriesWindows:
    """The windows of all queries that share slices."""

    def __init__(self, queries: Sequence[QueryWindows]) -> None:
        self._queries = queries

    def pass_to(self, boundary: int, handed: Sequence[Handed]) -> None:
        """Close the windows of each query that end by a time."""
        self._share(handed)
        for query in self._queries:
            query.pass_to(boundary, handed)

    def finish(self, handed: Sequence[Handed]) -> None:
        """Close all windows of each query."""
        self._share(handed)
        for query in self._queries:
            query.finish(handed)

    def _share(self, handed: Sequence[Handed]) -> None:
        """A piece is given back when the last query needs it no more."""
        if len(self._queries) > 1:
            for one in handed:
                for piece in one.pieces:
                    piece.share(len(self._queries))
