"""Filters and projections without an aggregate: the rows of Spark, where few of them pass."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from tests.spark.comparison import (
    EVENTS_DDL,
    assert_same_batch,
    assert_same_stream,
    events,
    reasons,
    rows_of,
    stream,
    taken_over,
    write_files,
)

FILES = [
    events([("view", n % 5, n / 3, n) for n in range(90)]),
    events([(None, 1, None, None), ("click", None, 40, 2), ("view", 3, 2, -7)]),
    events([("view", 1, 3, 100)]),
]


def selected(df: DataFrame) -> DataFrame:
    doubled = df.where("try_divide(value, 2) > 10 or event_type is null").withColumn(
        "twice", F.col("price") * 2
    )
    named = doubled.select(
        "event_type",
        "event_time",
        "twice",
        F.upper("event_type").alias("shout"),
        F.lit(1).alias("o"),
    )
    return named.where("twice < 40 or twice is null")


def test_streams(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """The rows of each micro-batch; one of them has none."""
    write_files(data, FILES)
    native = assert_same_stream(selected(stream(spark, data)), "append", tmp_path)
    assert [len(rows) for _, rows in native][:2] == [59, 1]


def test_tables(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """Below a sort and a limit of Spark's; with partition columns, by which files are left out."""
    for day in range(2):
        (data / f"day={day}").mkdir()
        write_files(data / f"day={day}", FILES[day : day + 2], first=day)
    table = spark.read.schema(EVENTS_DDL + ", day int").parquet(str(data))
    assert_same_batch(selected(table).orderBy("event_time", "twice").limit(20))
    some = table.where("day = 1 and value < 50").select("day", "value", F.col("day") + 1)
    assert len(assert_same_batch(some)) == 2
    # A file without the partition is not even opened.
    (data / "day=0" / "part-000.parquet").write_bytes(b"not Parquet")
    assert len(rows_of(taken_over(some))) == 2


def test_whether_it_pays_is_found_out_from_a_few_rows(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Few rows pass, all do, or nothing is known; the filter that drops most comes first."""
    write_files(data, [events([("view", n % 5, n, n % 200) for n in range(1000)])])
    df = stream(spark, data)
    text = str(ad.explain(df.where("value >= 0 and value < 2")))
    assert "the filters keep 1.0% of a sample of 1,000 rows" in text
    # The tree has what comes first at the bottom.
    assert text.index("filter value >= int32 0") < text.index("filter value < int32 2")
    assert "keep 100.0% of a sample" in reasons(df.where("value >= 0"))
    assert "keep 3.0% of a sample" in reasons(df.where("value < 6"))
    assert "no row passes" in reasons(df.where("value > 500"))
    few = df.where("value < 2").select("value")
    assert "fewer than 4 columns" in reasons(few)
    assert ad.explain(few.where("value < 2 and upper(event_type) like 'V%'")).is_native
    assert "neither an aggregate nor a filter" in reasons(df.select("value"))
    assert "can fail" in reasons(df.where("1 / value > 5"))
    assert "filters right above files alone" in reasons(df.join(df, "value").where("value = 1"))
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no rows yet" in reasons(stream(spark, empty).where("value = 1"))
    nested = pa.table({"k": [1, 2], "s": [{"a": 1}, {"a": 2}]})
    pq.write_table(nested, tmp_path / "nested.parquet")
    table = spark.read.parquet(str(tmp_path / "nested.parquet"))
    assert "has type struct<a:bigint>" in reasons(table.where("k = 1"))
    assert len(assert_same_batch(table.where("k = 1").select("k"))) == 1
