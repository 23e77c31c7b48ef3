"""Streaming queries: the same rows in the same micro-batches as in Spark."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from tests.spark.comparison import (
    EVENTS_DDL,
    assert_same_batch,
    assert_same_stream,
    events,
    reasons,
    stream,
    write_files,
)

# Later files hold rows that are late: behind the watermark, or behind only in part.
FILES = [
    events([("view", 1, 1, 10), ("view", 2, 2, 20), ("click", 1, 3, 5), (None, 1, 4, 7)]),
    events([("view", 1, 12, 1), ("view", None, 31, 2), ("view", 3, None, 4), ("view", 1, 2, 9)]),
    events([("view", 1, 45, 3), ("view", 2, 3, 100), ("view", 2, 27, 200), ("click", 1, 90, 1)]),
    events(
        [("view", 4, 46, None), ("view", 4, 44, None), ("view", 1, 1, 1000), ("view", 1, 61, 6)]
    ),
]


def revenue(df: DataFrame) -> DataFrame:
    return (
        df.where(F.col("event_type") == "view")
        .withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "10 seconds"), "campaign_id")
        .agg(
            F.sum("value").alias("revenue"),
            F.count("*").alias("rows"),
            F.avg("price").alias("mean"),
            F.max("event_time").alias("last"),
        )
    )


@pytest.mark.parametrize("mode", ["append", "update", "complete"])
def test_output_modes_with_watermark_and_late_rows(
    spark: SparkSession, data: Path, tmp_path: Path, mode: str
) -> None:
    write_files(data, FILES)
    native = assert_same_stream(revenue(stream(spark, data)), mode, tmp_path)
    rows = [row for _, batch in native for row in batch]
    assert rows
    if mode == "append":  # the row of 1000 came after its window was closed
        assert all(row[2] is None or row[2] < 1000 for row in rows)


@pytest.mark.parametrize(
    ("shape", "mode"),
    [("window", "update"), ("keys", "update"), ("keys", "complete"), ("global", "update")],
)
def test_without_watermark(
    spark: SparkSession, data: Path, tmp_path: Path, shape: str, mode: str
) -> None:
    write_files(data, FILES)
    groups = {
        "window": [F.window("event_time", "20 seconds", startTime="7 seconds")],
        "keys": [F.col("event_type"), (F.col("campaign_id") + 1).alias("next")],
        "global": [],
    }[shape]
    df = stream(spark, data).groupBy(*groups).agg(F.sum("value"), F.count("price"), F.min("value"))
    assert_same_stream(df, mode, tmp_path)


def test_the_watermark_follows_the_latest_row_of_a_group(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """With any earlier time of the group, a row of the last file would not be late."""
    files = [
        [("view", 1, 5, 1)],
        [("view", 1, 41, 2), ("view", 1, 59, 4), ("view", 1, 50, 8), ("click", 1, 500, 16)],
        [("view", 1, 35, 32), ("view", 1, 48, 64)],
        [("view", 1, 36, 128), ("view", 1, 47, 256)],
    ]
    write_files(data, map(events, files))
    df = stream(spark, data).where("event_type = 'view'").withWatermark("event_time", "10 seconds")
    df = df.groupBy(F.window("event_time", "20 seconds"), "campaign_id").agg(F.sum("value"))
    native = assert_same_stream(df, "update", tmp_path)
    sums = [[row[2] for row in rows] for _, rows in native if rows]
    assert sums == [[1], [14], [32, 78], [334]]  # the row of 128 was late


def test_a_filter_on_a_key_above_the_aggregate_moves_below_the_watermark(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Spark pushes it below, so that rows of other keys do not advance the watermark."""
    write_files(data, FILES)
    df = revenue(stream(spark, data)).where("campaign_id = 2")
    assert_same_stream(df, "append", tmp_path)


def test_a_filter_on_the_window_above_the_aggregate_stays_above_the_watermark(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    write_files(data, FILES)
    df = revenue(stream(spark, data)).where(F.col("window.start") < F.timestamp_seconds(F.lit(20)))
    assert_same_stream(df, "append", tmp_path)


KEYS_OF_TIME = {
    "one value": ("second(event_time) div 30", "k = 0"),
    "nulls": ("nullif(second(event_time) div 30, 0)", "k is null"),
    "a name for a name": ("second(later) div 30", "k <> 1"),
}


@pytest.mark.parametrize(("key", "condition"), KEYS_OF_TIME.values(), ids=KEYS_OF_TIME)
def test_a_filter_on_a_key_of_event_time_stays_above_the_watermark(
    spark: SparkSession, data: Path, tmp_path: Path, key: str, condition: str
) -> None:
    write_files(data, FILES)
    df = stream(spark, data).withWatermark("event_time", "10 seconds")
    df = df.withColumn("later", F.col("event_time")).withColumn("key", F.expr(key))
    df = df.groupBy(F.window("event_time", "10 seconds"), F.col("key").alias("k")).count()
    native = assert_same_stream(df.where(condition), "append", tmp_path)
    assert any(rows for _, rows in native)


def test_a_filter_on_a_key_of_event_time_and_another_column(
    spark: SparkSession, data: Path
) -> None:
    """Rows without the other column do not move Spark's watermark, though the filter is above."""
    write_files(data, FILES)
    df = stream(spark, data).withWatermark("event_time", "10 seconds")
    key = (F.second("event_time") + F.col("campaign_id")).alias("k")
    df = df.groupBy(F.window("event_time", "10 seconds"), key).count()
    assert ad.explain(df).is_native
    assert "which is computed from event time" in reasons(df.where("k < 30"))


def test_a_filter_above_the_watermark_that_ignores_event_time(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Spark evaluates it before the watermark, whatever the order in the query."""
    write_files(data, FILES)
    df = stream(spark, data).withWatermark("event_time", "5 seconds").where("event_type = 'view'")
    df = df.groupBy(F.window("event_time", "10 seconds")).agg(F.sum("value"))
    assert_same_stream(df, "append", tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("mode", ["append", "update"])
def test_a_filter_on_event_time_above_the_watermark(
    spark: SparkSession, data: Path, tmp_path: Path, mode: str
) -> None:
    """The rows that it drops have moved the watermark."""
    rows: list[list[tuple[str, int, float, int]]] = [
        [("view", 1, 5, 1), ("view", 2, 6, 2)],
        [("view", 1, 17, 4), ("view", 2, 70, 8), ("click", 1, 300, 16)],
        [("view", 1, 8, 32), ("view", 2, 33, 64)],
        [("view", 1, 9, 128), ("view", 2, 48, 256)],
    ]
    write_files(data, map(events, rows))
    df = stream(spark, data).withWatermark("event_time", "10 seconds")
    df = df.where(
        (F.col("event_time") < F.timestamp_seconds(F.lit(60)))
        & ~F.col("event_type").eqNullSafe("click")
    )
    df = df.groupBy(F.window("event_time", "20 seconds"), "campaign_id").agg(F.sum("value"))
    assert_same_stream(df, mode, tmp_path / "all")
    assert_same_stream(df.where("campaign_id = 1"), mode, tmp_path / "one")


def test_event_time_itself_as_the_key(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    write_files(data, FILES)
    df = stream(spark, data).withWatermark("event_time", "10 seconds").groupBy("event_time").count()
    assert_same_stream(df, "append", tmp_path)


def test_a_watermark_without_a_window(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    write_files(data, FILES)
    df = stream(spark, data).withWatermark("event_time", "10 seconds")
    df = df.groupBy("campaign_id").agg(F.avg("value"), F.max("event_type"))
    assert_same_stream(df, "update", tmp_path)


def test_an_aggregate_of_windows_of_windows(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """The lower aggregate is native, the upper one stays in Spark."""
    write_files(data, FILES)
    df = revenue(stream(spark, data))
    df = df.groupBy(F.window(F.window_time("window"), "30 seconds")).agg(F.sum("revenue"))
    assert_same_stream(df, "append", tmp_path)


def test_having_and_a_join_to_a_static_table(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    write_files(data, FILES)
    names = spark.createDataFrame([(1, "one"), (2, "two")], "campaign_id bigint, name string")
    joined = revenue(stream(spark, data)).join(names, "campaign_id").where("revenue > 5")
    df = joined.select("window", "name", "revenue")
    assert_same_stream(df, "append", tmp_path)


def test_restart_from_a_checkpoint(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """Stopped after two files and started again with two more, in a new query."""
    for number, part in enumerate([FILES[:2], FILES[2:]]):
        write_files(data, part, first=2 * number)
        assert_same_stream(revenue(stream(spark, data)), "append", tmp_path)


def test_unused_partition_columns(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    for day, part in enumerate(FILES[:2]):
        (data / f"day={day}").mkdir()
        write_files(data / f"day={day}", [part], first=day)
    df = stream(spark, data, EVENTS_DDL + ", day int")
    assert_same_stream(df.groupBy("campaign_id").count(), "update", tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("asked", [False, True], ids=["unasked", "asked"])
def test_row_groups_within_one_window(
    spark: SparkSession, data: Path, tmp_path: Path, asked: bool
) -> None:
    """Times that are only cut into windows are not decoded; the watermark must not notice.

    The latest rows of each file do not pass, so the watermark follows an earlier one.
    """
    random = Random(5)
    files = []
    for start in (0, 18, 40, 39, 75):
        rows = [("view", random.randrange(3), start + i / 4, i) for i in range(60)]
        rows += [("click", 1, start + 15 + i / 4, 1) for i in range(40)]
        files.append(events(rows if start != 40 else random.sample(rows, len(rows))))
    write_files(data, files, group_rows=7)
    latest = [F.max("event_time").alias("latest")] if asked else []
    df = (
        stream(spark, data)
        .where(F.col("event_type") == "view")
        .withWatermark("event_time", "3 seconds")
        .groupBy(F.window("event_time", "5 seconds"), "campaign_id")
        .agg(F.sum("value").alias("total"), *latest)
    )
    native = assert_same_stream(df, "append", tmp_path)
    assert sum(bool(rows) for _, rows in native) > 2


def test_row_groups_within_one_window_and_a_filter_on_the_key_above(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Spark evaluates it below the watermark, which then follows the latest row of that key."""
    files = []
    for start in (0, 20, 40):
        rows = [("view", 2 if i in (3, 13) else 1, start + i / 2, i) for i in range(40)]
        files.append(events(rows))
    write_files(data, files, group_rows=10)
    df = stream(spark, data).withWatermark("event_time", "1 second")
    df = df.groupBy(F.window("event_time", "5 seconds"), "campaign_id").agg(F.sum("value"))
    native = assert_same_stream(df.where("campaign_id = 2"), "append", tmp_path)
    assert len(native[1][1]) == 1  # a second less, and it would come out later


@pytest.mark.parametrize("asked", [False, True], ids=["unasked", "asked"])
def test_row_groups_within_one_window_of_a_table(
    spark: SparkSession, data: Path, asked: bool
) -> None:
    """The same without a watermark, where only the window counts, unless the query asks."""
    rows = [("view", i % 3, i / 4, i) for i in range(200)]
    write_files(data, [events(rows)], group_rows=6)
    latest = [F.max("event_time")] if asked else []
    df = spark.read.parquet(str(data)).groupBy(F.window("event_time", "5 seconds"), "campaign_id")
    assert_same_batch(df.agg(F.sum("value"), *latest))


def test_a_common_table_under_a_filter_and_over_the_watermark(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Where the watermark is, Spark's optimizer is asked about a part of the plan."""
    write_files(data, FILES)
    watermarked = stream(spark, data).withWatermark("event_time", "10 seconds")
    watermarked.createOrReplaceTempView("watermarked")
    df = spark.sql(
        "with twice as (select *, value * 2 as double_value from watermarked)"
        " select window, campaign_id, sum(double_value) from twice where value <> 2"
        " group by window(event_time, '10 seconds'), campaign_id"
    )
    assert_same_stream(df, "append", tmp_path)
