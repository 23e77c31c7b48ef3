"""Random queries through `adaptive` against Spark, batch and streaming."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.comparison import (
    assert_same_batch,
    assert_same_stream,
    session,
    stream,
    write_files,
)
from tests.spark.queries import DDL, random_query, random_table


@pytest.mark.parametrize("seed", range(20))
def test_batch(spark: SparkSession, data: Path, seed: int) -> None:
    rng = random.Random(seed)
    write_files(data, [random_table(rng, rng.choice([0, 1, 300]), 0, 100) for _ in range(3)])
    ansi = "true" if seed % 4 else "false"
    with session(spark, **{"spark.sql.ansi.enabled": ansi}):
        query = random_query(rng)
        assert_same_batch(query.build(spark.read.schema(DDL).parquet(str(data))))


@pytest.mark.parametrize(
    ("seed", "mode", "watermark"),
    [
        (100, "append", "5 seconds"),
        (101, "append", "0 seconds"),
        (102, "append", "20 seconds"),
        (103, "update", "5 seconds"),
        (104, "update", None),
        (105, "complete", "5 seconds"),
        (106, "complete", None),
        (107, "update", "15 seconds"),
    ],
)
def test_streaming_with_late_rows(
    spark: SparkSession, data: Path, tmp_path: Path, seed: int, mode: str, watermark: str | None
) -> None:
    """Each file reaches back into the time of the files before it."""
    rng = random.Random(seed)
    tables = [random_table(rng, 200, 20 * n - 30, 20 * n + 10) for n in range(4)]
    write_files(data, tables)
    query = random_query(rng, windowed=True if mode == "append" else None)
    assert_same_stream(query.build(stream(spark, data, DDL), watermark), mode, tmp_path)
