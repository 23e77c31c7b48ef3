"""The queries that engines are compared on, and the streams of events that they run over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adaptive.demo.ysb_data import ROWS_PER_SECOND, START_US, ysb_batch

SEED = 42
SECOND_US = 1_000_000
TUMBLING_US = 10 * SECOND_US
SLIDE_US = SECOND_US
BATCH_ROWS = 1 << 20

Encoding = Literal["codes", "strings"]


@dataclass(frozen=True, slots=True)
class Workload:
    """The YSB query (views only, by campaign) with another aggregate, window or number of keys.

    `size` is in microseconds, or in rows of a key for windows of counts.
    """

    name: str
    window: Literal["tumbling", "sliding", "count"] = "tumbling"
    size: int = TUMBLING_US
    aggregate: Literal["sum", "avg", "stddev", "median", "mode"] = "sum"
    keys: int = 10_000
    encoding: Encoding = "strings"
    repeats: int = 1

    @property
    def result_type(self) -> pa.DataType:
        """The type of the aggregate's result."""
        return pa.int64() if self.aggregate in ("sum", "mode") else pa.float64()

    @property
    def step(self) -> int:
        """How far apart windows start."""
        return SLIDE_US if self.window == "sliding" else self.size


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """The events of one workload, in order of time."""

    events: pa.RecordBatch  # the first of all repetitions, in one piece
    batches: tuple[pa.RecordBatch, ...]

    @property
    def rows(self) -> int:
        """How many events there are."""
        return sum(batch.num_rows for batch in self.batches)

    @property
    def last_end_us(self) -> int:
        """The latest end of a window of whole seconds that the last event closes."""
        last: int = self.batches[-1].column("event_time")[-1].value
        return last - last % SECOND_US

    @property
    def table(self) -> pa.Table:
        """All batches as one table, without a copy."""
        return pa.Table.from_batches(self.batches)


YSB = Workload("ysb")
YSB_CODES = Workload("ysb, codes", encoding="codes")

# The overlap of windows shows only after the longest of them, 100 s, has passed: 8 times the
# rows of the others are 200 s at the default scale.
SLIDING_REPEATS = 8

FAMILIES: dict[str, tuple[Workload, ...]] = {
    "YSB": (YSB, YSB_CODES),
    "keys": (
        Workload("1 key", keys=1),
        Workload("100 keys", keys=100),
        Workload("1M keys", keys=1_000_000),
    ),
    "aggregates": (
        Workload("avg", aggregate="avg"),
        Workload("stddev", aggregate="stddev"),
        Workload("median", aggregate="median"),
        Workload("mode", aggregate="mode"),
    ),
    "concurrent windows": tuple(
        Workload(f"{n} concurrent", "sliding", n * SECOND_US, repeats=SLIDING_REPEATS)
        for n in (1, 10, 100)
    ),
    "count windows": (
        Workload("count 10", "count", 10),
        Workload("count 1k", "count", 1_000),
        Workload("count 100k", "count", 100_000),
    ),
}


def workloads() -> Iterator[Workload]:
    """All workloads, those that share a stream after one another."""
    return (workload for family in FAMILIES.values() for workload in family)


def is_ysb(workload: Workload) -> bool:
    """Whether the workload is the query of the benchmark itself, with any number of keys."""
    return workload.window == "tumbling" and workload.aggregate == "sum"


def result_schema(workload: Workload) -> pa.Schema:
    """The columns that a contestant's result has."""
    counted = workload.window == "count"
    return pa.schema(
        [
            ("window_start", pa.int64() if counted else pa.timestamp("us", tz="UTC")),
            ("campaign_id", pa.int64()),
            ("result", workload.result_type),
        ]
    )


def stream_of(workload: Workload, rows: int) -> Stream:
    """The events of a workload: `rows` of them, `workload.repeats` times at later times."""
    return _stream(workload.keys, workload.encoding, workload.repeats, rows)


@lru_cache(maxsize=1)
def _stream(keys: int, encoding: Encoding, repeats: int, rows: int) -> Stream:
    """Only times are made anew for a repetition, so 80 M rows take 1 GB and not 3."""
    events = ysb_batch(rows, keys, SEED, dictionary=encoding == "codes")
    span_us = -(-rows * SECOND_US // ROWS_PER_SECOND)
    batches = []
    for repeat in range(repeats):
        shifted = later(events, repeat * span_us)
        batches += [shifted.slice(at, BATCH_ROWS) for at in range(0, rows, BATCH_ROWS)]
    return Stream(events, tuple(batches))


def later(events: pa.RecordBatch, by_us: int) -> pa.RecordBatch:
    """The same events at later times."""
    if by_us == 0:
        return events
    at = events.schema.get_field_index("event_time")
    field = events.schema.field(at)
    times = pc.add(events.column(at).cast(pa.int64()), by_us).cast(field.type)
    return events.set_column(at, field, times)


def first_window(workload: Workload) -> int:
    """The start of the first window that a row of the stream is in."""
    if workload.window == "count":
        return 0
    return START_US - workload.size + workload.step


def views_of(batch: pa.RecordBatch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time, key and value of the views of a batch."""
    views = batch.filter(pc.equal(batch.column("event_type"), "view"))
    names = ("event_time", "campaign_id", "value")
    time_us, keys, values = (views.column(n).cast(pa.int64()).to_numpy() for n in names)
    return time_us, keys, values
