"""Columns of partitioned directories: Spark's values, in keys, filters and aggregates."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from adaptive.spark import sharing
from tests.spark.comparison import (
    EVENTS_DDL,
    assert_same_batch,
    assert_same_stream,
    events,
    reasons,
    session,
    stream,
    taken_over,
    write_files,
)

NOTHING = "__HIVE_DEFAULT_PARTITION__"
FOLDERS = [
    ("2024-01-01", "1", "a b"),
    ("2024-01-02", "-7", "%C3%BC%2Fx"),
    ("2024-01-02", NOTHING, NOTHING),
    (NOTHING, "2147483647", ""),
]


@pytest.fixture
def partitioned(data: Path) -> Path:
    """Files in folders, one of them with a column of its own where a partition has the value."""
    for number, (day, level, name) in enumerate(FOLDERS):
        folder = data / f"Day={day}" / f"level={level}" / (f"name={name}" if name else "name=x")
        folder.mkdir(parents=True)
        rows = [("view", n % 3, 20 * number + n / 2, n * number) for n in range(40)]
        table = events(rows)
        if number == 1:
            table = table.append_column("level", pa.array([99] * 40, pa.int32()))
        write_files(folder, [table], number, group_rows=9)
    return data


def shapes(df: DataFrame) -> list[DataFrame]:
    """Queries that use partition columns in each place."""
    return [
        df.groupBy("Day", "level", "name").agg(F.sum("value"), F.count("*")),
        df.where("level < 5 and name like 'a%'").groupBy("campaign_id").agg(F.sum("value")),
        df.where("level is null or value > 20")
        .groupBy(F.upper("name"), F.expr("level % 2"))
        .agg(F.max("Day"), F.min("level"), F.sum(F.expr("level * 1L + value")), F.avg("price")),
    ]


def test_batch(spark: SparkSession, partitioned: Path) -> None:
    df = spark.read.parquet(str(partitioned))
    assert dict(df.dtypes)["Day"] == "date"
    for query in shapes(df):
        assert_same_batch(query)
    assert_same_batch(df.select(F.col("level").alias("l")).where("l = 1").groupBy("l").count())
    df.createOrReplaceTempView("in_folders")
    spark.createDataFrame([(1, "one")], "level int, label string").createOrReplaceTempView("labels")
    text = "with v as (select * from in_folders where level > 0) select label, sum(value) from v"
    assert len(assert_same_batch(spark.sql(f"{text} join labels using (level) group by 1"))) == 1


def test_spark_leaves_out_directories(spark: SparkSession, partitioned: Path) -> None:
    (broken,) = partitioned.glob(f"Day={NOTHING}/*/*/*.parquet")
    broken.write_bytes(b"whoever opens this fails" * 9)
    df = spark.read.parquet(str(partitioned))
    query = df.where("value >= 0 and Day >= date'2024-01-01'").where("level > -8").groupBy("level")
    assert_same_batch(query.agg(F.sum("value")))


def test_tables_of_the_catalog(spark: SparkSession, partitioned: Path) -> None:
    df = spark.read.parquet(str(partitioned)).where("value < 9")
    df.write.partitionBy("level", "name").saveAsTable("partitioned_clicks")
    try:
        table = spark.table("partitioned_clicks")
        assert_same_batch(table.where("level = 1").groupBy("name").agg(F.sum("value")))
        assert_same_batch(table.groupBy("level", "name").count())
    finally:
        spark.sql("drop table partitioned_clicks")


def test_declared_types(spark: SparkSession, partitioned: Path) -> None:
    df = spark.read.schema(EVENTS_DDL + ", level bigint, Day string, name string")
    df = df.parquet(str(partitioned))
    assert_same_batch(df.groupBy("level", "Day").agg(F.max("name"), F.sum("level")))


def test_stream(spark: SparkSession, partitioned: Path, tmp_path: Path) -> None:
    df = stream(spark, partitioned, EVENTS_DDL + ", Day date, level int, name string")
    df = df.withWatermark("event_time", "5 seconds").where("name is null or name <> 'x'")
    window = F.window("event_time", "10 seconds")
    query = df.groupBy(window, "level", "Day").agg(F.sum("value"), F.max("name"))
    assert_same_stream(query, "append", tmp_path)


def test_partitions_that_come_after_the_query(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Spark would find the column by then; ours is the listing's, and must not be null instead."""
    query = taken_over(stream(spark, data, "x bigint, day int").groupBy("day").count())
    (data / "day=1").mkdir()
    pq.write_table(pa.table({"x": [1, 2]}), data / "day=1" / "part.parquet")
    writer = query.writeStream.format("noop").outputMode("update")
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    with pytest.raises(StreamingQueryException, match="Invalid batch"):
        writer.trigger(availableNow=True).start().awaitTermination()


def test_a_name_that_the_listing_needs(spark: SparkSession, data: Path) -> None:
    (data / "length=1").mkdir()
    pq.write_table(pa.table({"x": [1]}), data / "length=1" / "part.parquet")
    df = spark.read.parquet(str(data))
    assert "`length` has a name" in reasons(df.groupBy("length").count())
    assert_same_batch(df.groupBy("x").count())


def large_file(path: Path, seed: int, count: int = 40_000) -> None:
    """Some 760 KiB in 20 row groups, and no two of its rows alike."""
    times = pa.array([(n * 37 + seed) % count * 1_000 for n in range(count)]).cast(
        pa.timestamp("us", "UTC")
    )
    table = pa.table({"t": times, "k": [n % 7 for n in range(count)], "v": range(count)})
    pq.write_table(table, path, row_group_size=2_000, compression="none")
    os.utime(path, (1_700_000_000 + seed,) * 2)


@pytest.fixture
def large_files(data: Path) -> Path:
    for number, name in enumerate(("a", "b"), 1):
        (data / f"part={number}").mkdir()
        large_file(data / f"part={number}" / f"{name}.parquet", number)
    (data / "part=2" / "none.parquet").touch()
    return data


def test_large_files_are_cut_as_the_user_says(spark: SparkSession, large_files: Path) -> None:
    with session(spark, **{"spark.sql.files.maxPartitionBytes": "128kb"}):
        df = spark.read.parquet(str(large_files / "part=1"))
        plan = taken_over(df.groupBy("k").count())._jdf.queryExecution().executedPlan().toString()
        assert "CartesianProduct" in plan
        assert "Range (0, 6, step=1, splits=6)" in plan
        assert "whose bytes 6 tasks share" in str(ad.explain(df.groupBy("k").count()))
        df = spark.read.parquet(str(large_files))
        assert_same_batch(df.groupBy("part", "k").agg(F.sum("v"), F.count("*"), F.max("t")))


def test_large_files_keep_all_cores_busy(
    spark: SparkSession, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file becomes a task a core; rows, micro-batches and the watermark stay as they are.

    So does the checkpoint: the query began when files were small.
    """
    monkeypatch.setitem(sharing.WORTH_CUTTING, "parquet", 100_000)
    monkeypatch.setattr(sharing, "LEAST_TASK", 1_000)
    plans = []
    for number in (1, 2):
        (data / f"part={number}").mkdir()
        large_file(data / f"part={number}" / "a.parquet", number, 40_000 if number == 2 else 400)
        (data / f"part={number}" / "none.parquet").touch()
        df = stream(spark, data, "t timestamp, k bigint, v bigint, part int")
        df = df.withWatermark("t", "1 second")
        windowed = df.groupBy(F.window("t", "10 seconds"), "part").agg(F.sum("v"))
        plans.append(taken_over(windowed)._jdf.queryExecution().analyzed().toString())
        assert_same_stream(windowed, "append", tmp_path)
    assert ["Range (0, 2, step=1, splits=Some(2))" in plan for plan in plans] == [False, True]
