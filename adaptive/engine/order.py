"""The order in which results come, where what is above depends on it."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ir.operators import WINDOW_END, WINDOW_START
from ir.pipelines import RowProgram
from ir.windows import CountWindow, SessionWindow


def depends_on_order(program: RowProgram) -> bool:
    """Whether an aggregate goes by the order in which rows come."""
    kept = any(aggregate.call.function in ("first", "last") for aggregate in program.aggregates)
    return kept or isinstance(program.window, CountWindow)


def order_of(program: RowProgram) -> list[str]:
    """The columns by which `ir` orders results that become final together."""
    keys = [key.name for key in program.keys]
    match program.window:
        case SessionWindow():
            return [WINDOW_END, WINDOW_START, *keys]
        case CountWindow():
            return []  # in the order in which they are complete
    return keys


def by_columns(batch: pa.RecordBatch, names: list[str]) -> pa.RecordBatch:
    """Rows in the order of some columns, null first."""
    if not names:
        return batch
    columns = [c for name in names for c in (pc.is_valid(batch[name]), batch[name])]
    keys = pa.RecordBatch.from_arrays(columns, names=[str(i) for i in range(len(columns))])
    by = [(name, "ascending") for name in keys.schema.names]
    return batch.take(pc.sort_indices(keys, sort_keys=by))
