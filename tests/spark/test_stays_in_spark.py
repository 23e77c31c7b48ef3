"""What has no native form comes back unchanged, and `explain` says why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

import adaptive as ad
from tests.spark.comparison import (
    EVENTS_DDL,
    events,
    reasons,
    session,
    stream,
    write_files,
)


@pytest.fixture
def clicks(spark: SparkSession, data: Path) -> DataFrame:
    write_files(data, [events([("view", 1, 1, 1)])])
    return spark.read.schema(EVENTS_DDL).parquet(str(data))


plus_one = F.udf(lambda x: x + 1, LongType())

CASES: dict[str, tuple[Callable[[DataFrame], DataFrame], str]] = {
    "no aggregate": (lambda df: df.select("value"), "neither an aggregate nor a filter"),
    "mode": (lambda df: df.agg(F.mode("value")), "equally frequent"),
    "string function": (lambda df: df.groupBy(F.initcap("event_type")).count(), "InitCap"),
    "like with a wrong pattern": (
        lambda df: df.where(r"event_type like '\\a'").agg(F.count("*")),
        "ESC_IN_THE_MIDDLE",
    ),
    "like of columns with an escape": (
        lambda df: df.where("event_type like event_type escape '!'").agg(F.count("*")),
        "leave ESCAPE out",
    ),
    "regular expression": (
        lambda df: df.where("event_type rlike 'a'").agg(F.count("*")),
        "RLike has no native form",
    ),
    "concat_ws of an array": (
        lambda df: df.agg(F.max(F.expr("concat_ws(',', array(event_type))"))),
        "CreateArray",
    ),
    "logarithm of a base": (lambda df: df.agg(F.sum(F.log(2.0, "price"))), "ln(x) / ln(base)"),
    "rint": (lambda df: df.agg(F.sum(F.rint("price"))), "Rint has no native form"),
    "udf": (lambda df: df.agg(F.sum(plus_one("campaign_id"))), "column expressions"),
    "digits of decimals that Spark may round": (
        lambda df: df.agg(F.max(F.abs(F.col("value").cast("decimal(17,9)")).cast("int"))),
        "cast to bigint first",
    ),
    "join below": (
        lambda df: df.join(df, "campaign_id", "full").groupBy("campaign_id").count(),
        "FullOuter join",
    ),
    "union below": (lambda df: df.union(df).groupBy("campaign_id").count(), "Union"),
    "limit below": (lambda df: df.limit(3).groupBy("campaign_id").count(), "Limit"),
    "dropDuplicates": (lambda df: df.dropDuplicates().groupBy("value").count(), "Deduplicate"),
    "rollup": (lambda df: df.rollup("campaign_id").count(), "rollup, cube"),
    "clock": (
        lambda df: df.where(F.col("event_time") < F.current_timestamp()).agg(F.count("*")),
        "pass the time as a literal",
    ),
    "random": (lambda df: df.where(F.rand() < 0.5).agg(F.count("*")), "Rand"),
    "file name": (lambda df: df.groupBy(F.input_file_name()).count(), "InputFileName"),
    "file metadata": (lambda df: df.groupBy("_metadata.file_size").count(), "_metadata"),
    "observe": (lambda df: df.observe("o", F.count("*")).agg(F.sum("value")), "CollectMetrics"),
    "uuid": (lambda df: df.groupBy("value").agg(F.expr("uuid()")), "next to the aggregates"),
}


@pytest.mark.parametrize("case", CASES)
def test_reasons(clicks: DataFrame, case: str) -> None:
    query, expected = CASES[case]
    assert expected in reasons(query(clicks))


def test_other_sources(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(5).selectExpr("string(id)").write.text(str(tmp_path / "text"))
    assert "Parquet" in reasons(spark.read.text(str(tmp_path / "text")).groupBy("value").count())
    assert "Range" in reasons(spark.range(5).groupBy("id").count())
    rate = spark.readStream.format("rate").load().groupBy("value").count()
    assert not ad.explain(rate).is_native


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("timestamp_ntz", "timestamp_ntz"),
        ("struct<a:int>", "struct<a:int>"),
        ("string collate UNICODE_CI", "collate"),
    ],
)
def test_types(spark: SparkSession, data: Path, type_: str, expected: str) -> None:
    df = spark.read.schema(f"x {type_}, y int").parquet(str(data))
    assert expected in reasons(df.groupBy("y").agg(F.max("x")))
    assert ad.explain(df.groupBy("y").count()).is_native


def test_bytes_as_text(spark: SparkSession, data: Path) -> None:
    df = spark.read.schema("x binary").parquet(str(data))
    assert "read the column as string" in reasons(df.groupBy(F.col("x").cast("string")).count())


def test_letters_as_java_maps_them(spark: SparkSession, clicks: DataFrame) -> None:
    with session(spark, **{"spark.sql.icu.caseMappings.enabled": "false"}):
        assert "caseMappings" in reasons(clicks.groupBy(F.upper("event_type")).count())


def test_varchar_columns(spark: SparkSession) -> None:
    spark.sql("create table short_text (x varchar(5), y int) using parquet")
    try:
        df = spark.table("short_text")
        assert "declare it as string" in reasons(df.groupBy("x").count())
        assert ad.explain(df.groupBy("y").count()).is_native
    finally:
        spark.sql("drop table short_text")


def test_cached_input(clicks: DataFrame) -> None:
    cached = clicks.where("value > 0").cache()
    try:
        assert "cache" in reasons(cached.groupBy("value").count())
    finally:
        cached.unpersist(blocking=True)
    assert ad.explain(cached.groupBy("value").count()).is_native


def test_unknown_reader_options(spark: SparkSession, data: Path) -> None:
    df = spark.read.schema(EVENTS_DDL).option("surprise", "1").parquet(str(data))
    assert "surprise" in reasons(df.groupBy("value").count())


def test_a_window_of_another_time_than_the_watermark(spark: SparkSession, data: Path) -> None:
    df = stream(spark, data, EVENTS_DDL + ", other timestamp").withWatermark(
        "event_time", "1 second"
    )
    assert "different columns" in reasons(df.groupBy(F.window("other", "9 seconds")).count())


def test_a_key_that_may_fail_for_rows_that_are_filtered_out(
    spark: SparkSession, data: Path
) -> None:
    df = stream(spark, data).withWatermark("event_time", "1 second")
    df = df.where(F.col("event_time") < F.timestamp_seconds(F.lit(50)))
    df = df.groupBy(F.window("event_time", "10 seconds"), F.expr("value + 1")).count()
    assert "before withWatermark" in reasons(df)


def test_what_other_queries_cache_is_nothing_to_a_common_table(
    spark: SparkSession, clicks: DataFrame
) -> None:
    clicks.createOrReplaceTempView("clicks_beside_a_cache")
    text = "with t as (select * from clicks_beside_a_cache) select count(*) from t"
    cached = spark.range(3).cache()
    try:
        assert ad.explain(spark.sql(text)).is_fully_native
    finally:
        cached.unpersist(blocking=True)
