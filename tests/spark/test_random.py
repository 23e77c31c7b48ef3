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
    write_files(data, [random_table(rng, rows, 0, 100) for rows in (300, rng.choice([0, 1]), 300)])
    ansi = "true" if seed % 4 else "false"
    with session(spark, **{"spark.sql.ansi.enabled": ansi}):
        query = random_query(rng)
        rows = assert_same_batch(query.build(spark.read.schema(DDL).parquet(str(data))))
    assert rows, "nothing was compared: take another seed"


@pytest.mark.parametrize(
    ("seed", "mode", "watermark"),
    [
        # Delays that are no multiple of a window, so that each second of watermark counts.
        (100, "append", "7 seconds"),
        (111, "append", "3 seconds"),
        (102, "append", "13 seconds"),
        (103, "update", "7 seconds"),
        (104, "update", None),
        (105, "complete", "7 seconds"),
        (106, "complete", None),
        (118, "update", "13 seconds"),
    ],
)
def test_streaming_with_late_rows(
    spark: SparkSession, data: Path, tmp_path: Path, seed: int, mode: str, watermark: str | None
) -> None:
    """Each file reaches back into the time of the files before it."""
    rng = random.Random(seed)
    tables = [random_table(rng, 200, 20 * n - 30, 20 * n + 10) for n in range(4)]
    write_files(data, tables)
    query = random_query(rng, windowed=watermark is not None)
    df = query.build(stream(spark, data, DDL), watermark)
    batches = assert_same_stream(df, mode, tmp_path)
    assert any(rows for _, rows in batches), "nothing was compared: take another seed"
