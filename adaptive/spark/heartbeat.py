"""Heartbeats: event times that move the watermark but belong to rows that are filtered out.

Where a filter on event time stays above the watermark, Spark's watermark has seen
the rows that the filter drops. The native code drops them first, so it also sends
the greatest event time from before the filter, for each key, because a filter on a
key may be pushed below the watermark as well. Spark drops these rows behind the
watermark. A heartbeat where none is needed would advance the watermark too early.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

BEAT = "beat"
ALIVE = "alive"
TIME_TYPE = pa.timestamp("us", tz="UTC")


def zero(type_: pa.DataType) -> pa.Array:
    """One value of a type whose bytes are all zero."""
    buffers = [None, *(pa.py_buffer(bytes(64)) for _ in range(type_.num_buffers - 1))]
    return pa.Array.from_buffers(type_, 1, buffers)


def alive_condition(time_column: str) -> str:
    """True for all but heartbeats.

    It must read the time column, or the optimizer would push it below the
    watermark; and ALIVE must never be null, or an inferred `is not null` would be.
    """
    return f"coalesce({time_column} <= {ALIVE}, true)"


def with_alive(partials: pa.RecordBatch, time_column: str) -> pa.RecordBatch:
    """Partials marked as rows that stay; those without a time stay whatever the mark."""
    times = pc.fill_null(partials.column(time_column), pa.scalar(0, TIME_TYPE))
    return partials.append_column(ALIVE, times)


def beating(
    beats: pa.RecordBatch, columns: pa.Schema, time_column: str, never_null: frozenset[str]
) -> pa.RecordBatch:
    """Rows in the shape of partials that carry nothing but keys and time."""
    beats = beats.filter(pc.is_valid(beats.column(BEAT)))
    times = beats.column(BEAT)
    before = pc.subtract(times.cast(pa.int64()), 1).cast(TIME_TYPE)
    made = {time_column: times, ALIVE: before}
    arrays = []
    for field in columns:
        if field.name in made:
            arrays.append(made[field.name])
        elif field.name in beats.schema.names:
            arrays.append(beats.column(field.name))
        elif field.name in never_null:  # a key from a table, which is not known here
            arrays.append(zero(field.type).take(pa.array([0] * beats.num_rows, pa.int64())))
        else:
            arrays.append(pa.nulls(beats.num_rows, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=columns)
