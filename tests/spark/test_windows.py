"""Sliding and session windows: the same rows in the same micro-batches as in Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
import ir
from adaptive.runtime import PlanRunner
from adaptive.spark.sliding import windows_of_slices
from tests.spark.comparison import (
    EVENTS_DDL,
    assert_same_batch,
    assert_same_stream,
    events,
    reasons,
    session,
    stream,
    write_files,
)

# Later files hold rows that are late for some of their windows, for all, or for none.
FILES = [
    events([("view", 1, 1, 10), ("view", 2, 2.5, 20), ("click", 1, 3, 5), ("view", 1, 1.2, 7)]),
    events([("view", 1, 12, 1), ("view", None, 31, 2), ("view", 3, None, 4), ("view", 1, 2, 9)]),
    events([("view", 1, 45, 3), ("view", 2, 15, 100), ("view", 2, 22, 200), ("click", 1, 90, 1)]),
    events([("view", 4, 46, None), ("view", 1, 19, 4), ("view", 1, 24, 1000), ("view", 1, 61, 6)]),
]
SLIDING = {
    "whole slides": ("20 seconds", "5 seconds", "2 seconds"),
    "slides that do not divide the size": ("20 seconds", "6 seconds", "1 second"),
    "sixty windows a row": ("60 seconds", "1 second", None),
}


def sliding(name: str) -> Column:
    size, slide, start = SLIDING[name]
    return F.window("event_time", size, slide, start)


def revenue(df: DataFrame, window: Column) -> DataFrame:
    return (
        df.where(F.col("event_type") == "view")
        .withWatermark("event_time", "10 seconds")
        .groupBy(window.alias("w"), "campaign_id")
        .agg(F.sum("value"), F.count("*"), F.avg("price"), F.max("event_time"))
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("whole slides", "append"),
        ("slides that do not divide the size", "append"),
        ("slides that do not divide the size", "update"),
        ("whole slides", "complete"),
        ("sixty windows a row", "update"),
    ],
)
def test_sliding_windows_with_late_rows(
    spark: SparkSession, data: Path, tmp_path: Path, name: str, mode: str
) -> None:
    write_files(data, FILES)
    native = assert_same_stream(revenue(stream(spark, data), sliding(name)), mode, tmp_path)
    rows = [row for _, batch in native for row in batch]
    assert len(rows) > 10
    if mode == "append":  # windows of the row of 1000 were open for it, and others were not
        with_late = [row for row in rows if row[2] is not None and row[2] >= 1000]
        assert 0 < len(with_late) < len([row for row in rows if row[1] == 1])


def test_sliding_windows_of_a_table(spark: SparkSession, data: Path) -> None:
    """Times before 1970 as well; the slices are as long as sizes and slides have in common."""
    rows = [("view", n % 3, n * 0.7 - 20, n) for n in range(60)]
    write_files(data, [events(rows), events([(None, None, None, None)])])
    df = spark.read.schema(EVENTS_DDL).parquet(str(data))
    for name in SLIDING:
        made = df.groupBy(sliding(name), "campaign_id").agg(F.sum("value"), F.min("price"))
        assert_same_batch(made.where("campaign_id <> 2"))
    made = df.groupBy(sliding("slides that do not divide the size")).count()
    text = str(ad.explain(made))
    assert "2 s of event_time" in text
    assert "windows of 20 s every 6 s" in text


def test_sliding_windows_behind_a_filter_on_event_time(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """The rows that it drops have moved the watermark."""
    write_files(data, FILES)
    df = stream(spark, data).withWatermark("event_time", "10 seconds")
    df = df.where(F.col("event_time") < F.timestamp_seconds(F.lit(60)))
    df = df.groupBy(sliding("slides that do not divide the size")).agg(F.sum("value"))
    assert_same_stream(df, "append", tmp_path)


def test_a_filter_on_sliding_windows_stays_above_the_watermark(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Rows of windows that it drops have moved the watermark."""
    write_files(data, FILES)
    df = revenue(stream(spark, data), sliding("whole slides"))
    df = df.where(F.col("w.start") < F.timestamp_seconds(F.lit(15)))
    native = assert_same_stream(df, "append", tmp_path)
    assert sum(len(rows) for _, rows in native) > 5


def test_windows_of_sliding_windows_behind_a_filter_on_event_time(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Spark asks of each sliding window whether it has a time; of rows dropped there is none."""
    write_files(data, FILES)
    df = stream(spark, data).withWatermark("event_time", "10 seconds")
    df = df.where(F.col("event_time") < F.timestamp_seconds(F.lit(35)))
    df = df.groupBy(sliding("whole slides").alias("w")).agg(F.sum("value").alias("s"))
    df = df.groupBy(F.window(F.window_time("w"), "30 seconds")).agg(F.sum("s"))
    native = assert_same_stream(df, "append", tmp_path)
    assert any(rows for _, rows in native)


@pytest.mark.long
def test_sessions_of_a_table(spark: SparkSession, data: Path) -> None:
    """Rows exactly a gap apart, and sessions across tasks that begin in the midst of each other."""
    times = [0, 5, 5, 10, 15.000001, 16, 30, 34, 38.999999, 43.999998, 60, 64.999999, -3, -8, -13.1]
    rows = [("view", n % 2, time, n) for n, time in enumerate(times)]
    write_files(data, [events(rows[0::3]), events(rows[1::3]), events(rows[2::3])])
    settings = {
        "spark.sql.files.maxPartitionBytes": "1",
        "spark.sql.session.timeZone": "Asia/Kathmandu",
    }
    with session(spark, **settings):
        df = spark.read.schema(EVENTS_DDL).parquet(str(data))
        assert_same_batch(df.groupBy(sliding("whole slides")).agg(F.sum("value"), F.avg("value")))
        window = F.session_window("event_time", "5 seconds")
        totals = [F.sum("value"), F.count("*"), F.max("event_time"), F.avg("price")]
        assert len(assert_same_batch(df.groupBy(window.alias("s"), "campaign_id").agg(*totals))) > 6
        made = df.groupBy(window).agg(F.median("value"), F.stddev("price"))
        assert_same_batch(made.where("session_window.start is not null"))
        assert "sessions that end after 5 s" in str(ad.explain(df.groupBy(window).count()))


def test_sessions_of_a_stream(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """Without a watermark no row is late, and later rows join sessions of earlier batches."""
    write_files(data, FILES)
    window = F.session_window("event_time", "7 seconds")
    df = stream(spark, data)
    made = df.groupBy(window, "campaign_id").agg(F.sum("value"), F.min("price"))
    assert_same_stream(made, "complete", tmp_path)
    late = df.withWatermark("event_time", "10 seconds").groupBy(window, "campaign_id").count()
    assert "drops each late row by itself" in reasons(late)


def test_gaps_without_a_fixed_length(spark: SparkSession, data: Path) -> None:
    df = spark.read.schema(EVENTS_DDL).parquet(str(data))
    gap = F.when(F.col("value") > 1, "5 seconds").otherwise("9 seconds")
    assert "differs from row to row" in reasons(
        df.groupBy(F.session_window("event_time", gap)).count()
    )
    assert "hours" in reasons(df.groupBy(F.session_window("event_time", "1 day")).count())


@pytest.mark.parametrize("most_bytes", [1 << 30, 0], ids=["at the end", "again and again"])
def test_slices_become_windows_in_the_worker(most_bytes: int) -> None:
    """Each is in all windows that hold it, also where memory is short and windows leave early."""
    time = ir.Column("t", ir.TIMESTAMP)
    window = ir.SlidingWindow(time, 20, 6, 1)
    source = ir.Source("files", ir.Schema((ir.Field("t", ir.TIMESTAMP), ir.Field("v", ir.INT64))))
    value = ir.Column("v", ir.INT64)
    calls = [
        ir.AggregateCall("sum", value),
        ir.AggregateCall("count"),
        ir.AggregateCall("max", time),
    ]
    named = tuple(ir.NamedAggregate(f"a{n}", call) for n, call in enumerate(calls))
    slices = ir.Sink(ir.Aggregate(source, window.slices, (), named), "slices")
    windows = windows_of_slices(slices, window)
    assert windows is not None
    rows = [(-15, 1), (-3, 2), (4, 3), (4, 4), (5, 5), (40, 6)]
    expected: dict[int, list[tuple[int, int]]] = {}
    for at, number in rows:
        for start, _ in window.windows_of(at):
            expected.setdefault(start, []).append((number, at))
    runner = PlanRunner(slices)
    times = pa.array([at for at, _ in rows]).cast(pa.timestamp("us", "UTC"))
    runner.consume(pa.record_batch({"t": times, "v": pa.array([v for _, v in rows])}))
    found: dict[int, list[int]] = {}
    for batch in windows.merged(runner.drain(), most_bytes):
        starts, ends, sums, counts, latest = (c.cast(pa.int64()).to_pylist() for c in batch.columns)
        for start, end, total, count, last in zip(starts, ends, sums, counts, latest, strict=True):
            assert end - start == window.slide_us  # the end of windows is for Spark to compute
            before = found.get(start, [0, 0, -100])
            found[start] = [before[0] + total, before[1] + count, max(before[2], last)]
    assert found == {
        start: [sum(v for v, _ in held), len(held), max(at for _, at in held)]
        for start, held in expected.items()
    }
