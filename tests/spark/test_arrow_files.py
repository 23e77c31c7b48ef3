"""Arrow IPC files through Spark: the same rows, whether the query is taken over or not."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from tests.spark.comparison import (
    EVENTS_DDL,
    assert_same_batch,
    assert_same_rows,
    assert_same_stream,
    events,
    rows_of,
    write_arrow,
    write_files,
)


@pytest.fixture
def tables() -> list[pa.Table]:
    made = [
        events([("view", n % 5, 10 * file + n / 3, n), ("click", None, None, None)] * 3)
        for file in range(3)
        for n in [file * 4]
    ]
    codes = made[1].column("event_type").dictionary_encode()
    made[1] = made[1].set_column(0, "event_type", codes).drop_columns("price")
    return made


@pytest.fixture
def folder(data: Path, tables: list[pa.Table]) -> Path:
    """Three files in two partitions; one has strings as codes and lacks a column."""
    for number, table in enumerate(tables):
        (data / f"part={number % 2}").mkdir(exist_ok=True)
        write_arrow(data / f"part={number % 2}" / f"{number}.arrow", table, number, 2)
    return data


def totals(df: DataFrame) -> DataFrame:
    return (
        df.where("event_type = 'view'")
        .groupBy("campaign_id", "part")
        .agg(F.sum("value"), F.avg("price"), F.max("event_time"))
    )


def test_tables(spark: SparkSession, folder: Path, tmp_path: Path, tables: list[pa.Table]) -> None:
    """The same rows as those of the same tables as Parquet files."""
    for number, table in enumerate(tables):
        (tmp_path / f"parquet/part={number % 2}").mkdir(exist_ok=True, parents=True)
        write_files(tmp_path / f"parquet/part={number % 2}", [table], number)
    parquet = spark.read.schema(EVENTS_DDL).parquet(str(tmp_path / "parquet"))
    arrow = ad.read_arrow(spark, str(folder), EVENTS_DDL)
    assert arrow.schema == parquet.schema
    assert_same_rows(rows_of(arrow), rows_of(parquet))
    assert_same_rows(assert_same_batch(totals(arrow)), rows_of(totals(parquet)))
    assert "scan Arrow table" in str(ad.explain(totals(arrow)))
    pruned = ad.read_arrow(spark, str(folder), pathGlobFilter="0.arrow")
    assert pruned.schema == parquet.schema
    assert_same_batch(pruned.where("part = 0").groupBy("part").count())
    labels = spark.createDataFrame([(0, "even"), (1, "odd")], "part int, label string")
    joined = arrow.where("part = 0").join(labels, "part").groupBy("label").agg(F.sum("value"))
    assert len(assert_same_batch(joined)) == 1
    with pytest.raises(ValueError, match="no option 'mergeSchema'"):
        ad.read_arrow(spark, str(folder), mergeSchema="true")
    with pytest.raises(ValueError, match="column 'x' has type array<int>"):
        ad.read_arrow(spark, str(folder), "x array<int>")


def test_streams(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    df = ad.read_arrow_stream(spark, str(folder), EVENTS_DDL, maxFilesPerTrigger="1")
    df = df.withWatermark("event_time", "5 seconds").where("event_type = 'view'")
    query = df.groupBy(F.window("event_time", "10 seconds"), "part").agg(F.sum("value"))
    native = assert_same_stream(query, "append", tmp_path)
    assert any(rows for _, rows in native)
