"""Operators above native aggregates, and ways to write a query: the same rows as in Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from tests.spark.comparison import (
    assert_same_batch,
    assert_same_stream,
    events,
    stream,
    write_files,
)

# Files reach back into the time of files before them.
FILES = [
    events([("view" if n % 3 else "click", n % 4, 12 * file + n * 0.9, n) for n in range(20)])
    for file in range(3)
]
SUMS = """
    with views as (
        select campaign_id % 3 as c, value * 2 as v, event_time from {source}
        where event_type = 'view'
    ),
    sums as (
        select window(event_time, '20 seconds', '5 seconds') as w, c, sum(v) as s, stddev(v) as d,
               approx_count_distinct(v) as a
        from views group by 1, 2
    )
    select w.end as until, c, s, round(d, 6) as d, a from sums where s > 10 and c <> 1
"""


def both(spark: SparkSession, data: Path) -> tuple[DataFrame, DataFrame]:
    """The files as a table and as a stream with a watermark."""
    write_files(data, FILES)
    streamed = stream(spark, data).withWatermark("event_time", "4 seconds")
    return spark.read.schema(streamed.schema).parquet(str(data)), streamed


@pytest.mark.long
def test_text_with_common_tables_over_a_view(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    table, streamed = both(spark, data)
    table.createOrReplaceTempView("event_table")
    streamed.createOrReplaceTempView("event_stream")
    assert assert_same_batch(spark.sql(SUMS.format(source="event_table")))
    native = assert_same_stream(spark.sql(SUMS.format(source="event_stream")), "append", tmp_path)
    assert any(rows for _, rows in native)


@pytest.mark.long
def test_a_union_of_two_aggregates(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """Each has a fragment of its own, and of the stream they share the watermark."""
    for df in both(spark, data):
        tumbling = df.groupBy(F.window("event_time", "10 seconds").alias("w")).agg(
            F.count("*").alias("n"), F.median("value").alias("m")
        )
        clicks = df.where("event_type = 'click'")
        sliding = clicks.groupBy(F.window("event_time", "10 seconds", "4 seconds").alias("w"))
        union = tumbling.union(sliding.agg(F.count("*"), F.avg("price"))).where("n > 1")
        assert len(ad.explain(union).fragments) == 2
        if df.isStreaming:
            assert_same_stream(union, "append", tmp_path)
        else:
            assert_same_batch(union.orderBy("w", "n"))


@pytest.mark.long
def test_a_second_aggregate_over_sliding_windows(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Windows of windows, by the time that Spark gives to a window; a join and a filter on top."""
    table, streamed = both(spark, data)
    names = spark.createDataFrame([(0, "none"), (2, "two")], "campaign_id bigint, name string")
    for df in (table, streamed):
        low = df.groupBy(F.window("event_time", "6 seconds", "3 seconds"), "campaign_id").agg(
            F.sum("value").alias("total"), F.max("price").alias("top")
        )
        low = low.join(F.broadcast(names), "campaign_id", "left").where("top is not null")
        high = low.groupBy(F.window(F.window_time("window"), "12 seconds"), "name").agg(
            F.max("total"), F.avg("top"), F.count("*")
        )
        made = high.select("window.start", F.coalesce("name", F.lit("other")), "max(total)")
        if df.isStreaming:
            assert_same_stream(made, "append", tmp_path)
        else:
            assert_same_batch(made)
