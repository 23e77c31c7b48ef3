"""The workloads in Polars, on its streaming engine unless only the other one can do it.

Import this only in a process of its own: Polars reads its number of threads when it is
imported. Windows are computed by integer division of times as numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import lru_cache

import polars as pl
import pyarrow as pa

from experiments.workloads import SECOND_US, Stream, Workload, stream_of

Query = Callable[[pl.LazyFrame, Workload, Stream], pl.DataFrame]

KEY_ROOM = 1 << 32
VALUE = pl.col("value")
AGGREGATES: Mapping[str, pl.Expr] = {
    "sum": VALUE.sum(),
    "avg": VALUE.mean(),
    "stddev": VALUE.std(),
    "median": VALUE.median(),
    "mode": VALUE.mode().first(),
}


def run(workload: Workload, rows: int, way: str) -> tuple[pa.Table, int]:
    """The query's result, in no particular order, and the nanoseconds that it took."""
    stream = stream_of(workload, rows)
    events = _frame(stream).lazy()
    query = formulations(workload)[way]
    started_ns = time.perf_counter_ns()
    result = query(events, workload, stream)
    return result.to_arrow(), time.perf_counter_ns() - started_ns


def formulations(workload: Workload) -> Mapping[str, Query]:
    """The ways to write a workload's query, by name."""
    match workload.window:
        case "tumbling":
            return {"grouped": _grouped, "packed": _packed}
        case "count":
            return {"counted": _counted, "listed": _listed}
        case "sliding":
            if workload.size == SECOND_US:
                return {"single": _single}
            return {"expanded": _expanded, "framed": _framed}


@lru_cache(maxsize=1)
def _frame(stream: Stream) -> pl.DataFrame:
    """The stream in Polars' own memory; only strings are copied."""
    frame = pl.from_arrow(stream.table, rechunk=False)
    assert isinstance(frame, pl.DataFrame)
    return frame.with_columns(pl.col("event_time").to_physical())


def _views(events: pl.LazyFrame) -> pl.LazyFrame:
    return events.filter(pl.col("event_type") == "view")


def _grouped(events: pl.LazyFrame, workload: Workload, stream: Stream) -> pl.DataFrame:
    window = (pl.col("event_time") // workload.size).alias("w")
    grouped = _views(events).group_by(window, "campaign_id")
    results = grouped.agg(AGGREGATES[workload.aggregate].alias("result"))
    start = (pl.col("w") * workload.size).alias("window_start")
    return results.select(start, "campaign_id", "result").collect(engine="streaming")


def _packed(events: pl.LazyFrame, workload: Workload, stream: Stream) -> pl.DataFrame:
    """Window and key as one number, since keys have less than 32 bits: one column to hash."""
    packed = (pl.col("event_time") // workload.size * KEY_ROOM + pl.col("campaign_id")).alias("p")
    results = _views(events).group_by(packed).agg(AGGREGATES[workload.aggregate].alias("result"))
    start = (pl.col("p") // KEY_ROOM * workload.size).alias("window_start")
    key = (pl.col("p") % KEY_ROOM).alias("campaign_id")
    return results.select(start, key, "result").collect(engine="streaming")


def _slices(events: pl.LazyFrame) -> pl.DataFrame:
    """Sum and count for each second and key."""
    second = (pl.col("event_time") // SECOND_US).alias("s")
    grouped = _views(events).group_by(second, "campaign_id")
    count = pl.len().cast(pl.Int64).alias("c")
    return grouped.agg(VALUE.sum().alias("v"), count).collect(engine="streaming")


def _single(events: pl.LazyFrame, workload: Workload, stream: Stream) -> pl.DataFrame:
    """Windows of one slice are just groups."""
    second = (pl.col("event_time") // SECOND_US).alias("s")
    results = _views(events).group_by(second, "campaign_id").agg(VALUE.sum().alias("result"))
    closed = results.filter(pl.col("s") * SECOND_US < stream.last_end_us)
    start = (pl.col("s") * SECOND_US).alias("window_start")
    return closed.select(start, "campaign_id", "result").collect(engine="streaming")


def _expanded(events: pl.LazyFrame, workload: Workload, stream: Stream) -> pl.DataFrame:
    """Each slice is added to the n windows that it is in."""
    n = workload.size // SECOND_US
    earlier = pl.LazyFrame({"k": range(n)}, schema={"k": pl.Int64})
    expanded = _slices(events).lazy().join(earlier, how="cross")
    windows = expanded.select((pl.col("s") - pl.col("k")).alias("s"), "campaign_id", "v")
    closed = windows.filter((pl.col("s") + n) * SECOND_US <= stream.last_end_us)
    results = closed.group_by("s", "campaign_id").agg(pl.col("v").sum().alias("result"))
    start = (pl.col("s") * SECOND_US).alias("window_start")
    return results.select(start, "campaign_id", "result").collect(engine="streaming")


def _framed(events: pl.LazyFrame, workload: Workload, stream: Stream) -> pl.DataFrame:
    """A moving frame over all seconds of all keys; the streaming engine loses their order."""
    n = workload.size // SECOND_US
    slices = _slices(events)
    first, last = slices.select(pl.col("s").min()).item(), stream.last_end_us // SECOND_US
    seconds = pl.DataFrame({"s": pl.int_range(first, last, eager=True)})
    keys = slices.select(pl.col("campaign_id").unique())
    grid = keys.join(seconds, how="cross")
    grid = grid.join(slices, on=["campaign_id", "s"], how="left", maintain_order="left")
    moving = [
        pl.col(name).fill_null(0).rolling_sum(n, min_samples=1).over("campaign_id")
        for name in ("v", "c")
    ]
    start = ((pl.col("s") - (n - 1)) * SECOND_US).alias("window_start")
    present = grid.with_columns(moving).filter(pl.col("c") > 0)
    return present.select(start, "campaign_id", pl.col("v").alias("result"))


def _counted(events: pl.LazyFrame, workload: Workload, stream: Stream) -> pl.DataFrame:
    """Number the rows of each key, then group."""
    number = VALUE.cum_count().over("campaign_id").cast(pl.Int64) - 1
    window = (number // workload.size * workload.size).alias("window_start")
    numbered = _views(events).select("campaign_id", "value", window)
    results = numbered.group_by("campaign_id", "window_start").agg(VALUE.sum().alias("result"))
    return results.collect(engine="streaming")


def _listed(events: pl.LazyFrame, workload: Workload, stream: Stream) -> pl.DataFrame:
    """A list of values for each key, cut into windows."""
    number = pl.int_range(pl.len(), dtype=pl.Int64)
    window = (number // workload.size * workload.size).alias("window_start")
    lists = _views(events).group_by("campaign_id").agg("value", window)
    rows = lists.explode("value", "window_start")
    results = rows.group_by("campaign_id", "window_start").agg(VALUE.sum().alias("result"))
    return results.collect(engine="streaming")
