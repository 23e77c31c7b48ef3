"""The tables of joins on the worker's side: taken from a task's listing, kept from task to task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from adaptive.runtime.look_up import LookUpTable
from ir import LookUp, Sink

# The latest table of each look-up of a worker, whatever its plan: they are small.
_KEPT: dict[LookUp, LookUpTable] = {}
_MOST_KEPT = 64


class TableRows:
    """The look-ups of a plan; a listing brings their tables, in each of its rows."""

    def __init__(self, plan: Sink) -> None:
        nodes = reversed(tuple(plan.walk()))
        self._nodes = [node for node in nodes if isinstance(node, LookUp)]
        self._tables: list[LookUpTable] = []

    def taken_from(self, listing: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The listing as it is, after the tables are taken from its first row."""
        for batch in listing:
            if not self._tables and batch.num_rows:
                self._tables = [_kept(node, batch) for node in self._nodes]
            yield batch

    def join(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Rows of the files with the columns of all tables."""
        for table in self._tables:
            rows = table.join(rows)
        return rows


def _kept(node: LookUp, batch: pa.RecordBatch) -> LookUpTable:
    """The table in a listing, or the one of an earlier task if it holds the same."""
    whole = batch.column(node.table)
    rows = whole.values.slice(
        whole.offsets[0].as_py(), pa.compute.list_value_length(whole)[0].as_py()
    )
    table = pa.Table.from_batches([pa.RecordBatch.from_struct_array(rows)])
    known = _KEPT.get(node)
    if known is None or not known.table.equals(table):
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        # A copy: what Spark sends is memory of the batch, with the table once for each file.
        known = _KEPT[node] = LookUpTable(node, _copied(table))
    return known


def _copied(table: pa.Table) -> pa.Table:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()
