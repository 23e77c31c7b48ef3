"""Running a query natively and through `adaptive`, and comparing row by row."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

import adaptive as ad
from policies import Policy

Query = Callable[[DataFrame], DataFrame]
Rows = list[tuple[Any, ...]]

# The first file's modification time; later files are a second apart, so that a
# stream reads them in the order in which they were written.
_FIRST_MTIME = 1_700_000_000

EVENTS = pa.schema(
    [
        pa.field("event_type", pa.string()),
        pa.field("campaign_id", pa.int64()),
        pa.field("event_time", pa.timestamp("us", tz="UTC")),
        pa.field("value", pa.int32()),
        pa.field("price", pa.float64()),
    ]
)
EVENTS_DDL = "event_type string, campaign_id bigint, event_time timestamp, value int, price double"


def events(rows: Iterable[tuple[str | None, int | None, float | None, int | None]]) -> pa.Table:
    """Events from (type, campaign, seconds, value); the price is a quarter of the value."""
    kinds, campaigns, seconds, values = zip(*rows, strict=True)
    times = [None if s is None else round(s * 1_000_000) for s in seconds]
    prices = [None if v is None else v / 4 for v in values]
    return pa.table([kinds, campaigns, times, values, prices], schema=EVENTS)


def write_files(
    folder: Path, tables: Iterable[pa.Table], first: int = 0, group_rows: int | None = None
) -> None:
    """Parquet files that a stream reads one by one, in this order."""
    for number, table in enumerate(tables, first):
        path = folder / f"part-{number:03}.parquet"
        hidden = folder / f"_{path.name}"
        pq.write_table(table, hidden, row_group_size=group_rows)
        os.utime(hidden, (_FIRST_MTIME + number, _FIRST_MTIME + number))
        hidden.rename(path)


def write_arrow(path: Path, table: pa.Table, number: int, rows: int | None = None) -> None:
    """An Arrow IPC file with batches of so many rows, which a stream reads by its number."""
    hidden = path.with_name(f"_{path.name}")
    with pa.ipc.new_file(hidden, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    os.utime(hidden, (_FIRST_MTIME + number, _FIRST_MTIME + number))
    hidden.rename(path)


def stream(
    spark: SparkSession, folder: Path, schema: Any = EVENTS_DDL, **options: str
) -> DataFrame:
    """The files as a stream, one file a micro-batch."""
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).options(**options)
    return reader.parquet(str(folder))


class Received:
    """What a sink receives, batch by batch, until the files are used up."""

    def __init__(self, df: DataFrame, mode: str, checkpoint: Path) -> None:
        self._batches: list[tuple[int, Rows]] = []
        self._query = (
            df.writeStream.outputMode(mode)
            .option("checkpointLocation", str(checkpoint))
            .foreachBatch(lambda out, number: self._batches.append((number, rows_of(out))))
            .trigger(availableNow=True)
            .start()
        )

    @property
    def guard_exits(self) -> int:
        """How often a bet was wrong, as the workers have reported."""
        return sum(use.guard_exits for use in ad.history(self._query))

    def batches(self) -> list[tuple[int, Rows]]:
        """All of them; waits for the query to end."""
        self._query.awaitTermination()
        return self._batches


def rows_of(df: DataFrame) -> Rows:
    """The rows in an order that does not depend on how they were computed."""
    return sorted((tuple(row) for row in df.collect()), key=_sort_key)


def _sort_key(row: tuple[Any, ...]) -> str:
    """Floats come last and rounded, because their last digits may differ between runs."""
    exact = [v for v in row if not isinstance(v, float)]
    return repr((exact, [f"{v:.6g}" for v in row if isinstance(v, float)]))


def assert_same_rows(actual: Rows, expected: Rows) -> None:
    """Exact for all but floating-point numbers, which agree to 1e-9."""
    assert len(actual) == len(expected), (actual, expected)
    for left, right in zip(actual, expected, strict=True):
        assert len(left) == len(right)
        for a, b in zip(left, right, strict=True):
            assert _same(a, b), (left, right)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return type(a) is type(b) and bool(a == b)


def taken_over(df: DataFrame, policy: Policy | None = None) -> DataFrame:
    """The adapted DataFrame, with the same schema as before; fails if it stays in Spark."""
    adapted = ad.adaptive(df, mode="always", policy=policy or "adaptive")
    assert adapted is not df
    assert adapted.schema == df.schema
    assert adapted.columns == df.columns
    return adapted


def assert_same_batch(df: DataFrame) -> Rows:
    """A batch query gives the same rows through `adaptive` as in Spark."""
    expected = rows_of(df)
    assert_same_rows(rows_of(taken_over(df)), expected)
    return expected


def assert_same_stream(df: DataFrame, mode: str, checkpoints: Path) -> list[tuple[int, Rows]]:
    """A streaming query gives the same rows in the same micro-batches."""
    both = [  # at the same time, because a micro-batch is mostly waiting
        Received(taken_over(df), mode, checkpoints / f"adapted-{mode}"),
        Received(df, mode, checkpoints / f"native-{mode}"),
    ]
    adapted, native = (received.batches() for received in both)
    assert [number for number, _ in adapted] == [number for number, _ in native]
    for (_, actual), (_, expected) in zip(adapted, native, strict=True):
        assert_same_rows(actual, expected)
    return native


@contextmanager
def session(spark: SparkSession, **settings: str) -> Iterator[None]:
    """Session settings for the time of a test."""
    before = {key: spark.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            spark.conf.unset(key)
            if old is not None:
                spark.conf.set(key, old)


def reasons(df: DataFrame) -> str:
    """Why a DataFrame comes back unchanged; fails if it does not."""
    assert ad.adaptive(df) is df
    explanation = ad.explain(df)
    assert not explanation.is_native
    return "\n".join(explanation.all_reasons)
