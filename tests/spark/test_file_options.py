"""Reader options and files that change: the same files in the same micro-batches as in Spark."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.spark.comparison import (
    Received,
    assert_same_batch,
    assert_same_rows,
    assert_same_stream,
    reasons,
    session,
    taken_over,
)


def write(path: Path, number: int, rows: int = 10, **options: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table({"k": [n % 3 for n in range(rows)], "x": [number] * rows})
    pq.write_table(table, path, **options)
    os.utime(path, (1_700_000_000 + number,) * 2)


def totals(spark: SparkSession, path: str, **options: str) -> DataFrame:
    df = spark.readStream.schema("k bigint, x bigint").options(**options).parquet(path)
    return df.groupBy("k", "x").agg(F.count("*"), F.sum("x"))


@pytest.fixture
def nested(data: Path) -> Path:
    """Files of several sizes in folders that are no partitions."""
    for number in range(5):
        write(data / f"year{number % 2}" / f"{number}.parquet", number, 10 * (number + 1))
    write(data / "year0" / "other.tmp", 9)
    write(data / "year0" / "deep" / "5.parquet", 5)
    return data


def test_globs_and_limits_by_size(spark: SparkSession, nested: Path, tmp_path: Path) -> None:
    size = max(f.stat().st_size for f in nested.rglob("*.parquet"))
    df = totals(spark, f"{nested}/year*", maxBytesPerTrigger=str(2 * size), fileNameOnly="true",
                pathGlobFilter="*.parquet")  # fmt: skip
    assert len(assert_same_stream(df, "update", tmp_path)) > 1


def test_the_latest_files_first_wherever_they_are(
    spark: SparkSession, nested: Path, tmp_path: Path
) -> None:
    df = totals(spark, str(nested), maxFilesPerTrigger="4", latestFirst="true",
        recursiveFileLookup="true")  # fmt: skip
    batches = assert_same_stream(df, "update", tmp_path)
    assert {row[1] for row in batches[0][1]} == {9, 5, 4, 3}
    assert {row[1] for row in batches[1][1]} == {2, 1, 0}


@pytest.mark.parametrize("way", ["delete", "archive"])
def test_files_are_cleaned_up(spark: SparkSession, tmp_path: Path, way: str) -> None:
    left: list[list[str]] = []
    seen = []
    with session(spark, **{"spark.sql.streaming.fileSource.cleaner.numThreads": "0"}):
        for name in ("adapted", "native"):
            folder = tmp_path / name / "data"
            for number in range(3):
                write(folder / f"{number}.parquet", number)
            options = {"sourceArchiveDir": str(tmp_path / name / "archive")}
            df = totals(spark, str(folder), maxFilesPerTrigger="1", cleanSource=way,
                        **(options if way == "archive" else {}))  # fmt: skip
            df = taken_over(df) if name == "adapted" else df
            seen.append(Received(df, "update", tmp_path / name / "checkpoint").batches())
            files = (tmp_path / name).rglob("*.parquet")
            left.append(sorted(str(f.relative_to(tmp_path / name)) for f in files)
                        if way == "delete" else sorted(f.name for f in files))  # fmt: skip
    for (_, adapted), (_, native) in zip(*seen, strict=True):
        assert_same_rows(adapted, native)
    assert left[0] == left[1]
    assert (len(left[0]) < 3) == (way == "delete")
    moved = list((tmp_path / "adapted" / "archive").rglob("*.parquet"))
    assert len(moved) == (0 if way == "delete" else 2)


def test_codecs_globs_and_several_paths(spark: SparkSession, data: Path) -> None:
    codecs = ["none", "snappy", "gzip", "zstd", "lz4"]
    for number, codec in enumerate(codecs):
        write(data / f"part{number % 3}" / f"{codec}.parquet", number, 3_000, compression=codec,
              row_group_size=1_000)  # fmt: skip
    reader = spark.read.option("modifiedAfter", "2023-11-14T22:13:20")  # not the first file
    df = reader.parquet(f"{data}/part[01]", str(data / "part2"))
    assert len(assert_same_batch(df.groupBy("x").agg(F.sum("k")))) == len(codecs) - 1


EVOLVED = [
    pa.table({"id": pa.array([1, 2], pa.int32()), "name": ["a", None],
              "price": pa.array([Decimal("1.25"), None], pa.decimal128(5, 2))}),
    pa.table({"extra": [[1], [2]], "NAME": ["b", "c"], "id": pa.array([2**40, 3], pa.int64()),
              "price": pa.array([Decimal("9.1250"), None], pa.decimal128(12, 4))}),
    pa.table({"id": pa.array([7, None], pa.int16()), "ratio": pa.array([0.5, 1.5], pa.float32()),
              "price": pa.array([100, -3], pa.int32())}),
]  # fmt: skip
DECLARED = "id bigint, name string, ratio double, price decimal(16,4)"


def test_schemas_that_evolve(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """Missing columns are null, others are ignored, narrower ones are widened."""
    for number, table in enumerate(EVOLVED):
        pq.write_table(table, data / f"{number}.parquet", use_dictionary=False)
        os.utime(data / f"{number}.parquet", (1_700_000_000 + number,) * 2)
    results = [F.sum("id"), F.max("price"), F.sum("ratio"), F.count("*")]
    df = spark.readStream.schema(DECLARED).option("maxFilesPerTrigger", 1).parquet(str(data))
    assert_same_stream(df.groupBy("name").agg(*results), "update", tmp_path)


def test_merged_schemas(spark: SparkSession, data: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), data / "1.parquet")
    pq.write_table(pa.table({"c": [1.5, None], "a": [3, None]}), data / "2.parquet")
    df = spark.read.option("mergeSchema", "true").parquet(str(data))
    assert sorted(df.columns) == ["a", "b", "c"]
    assert_same_batch(df.groupBy("b").agg(F.sum("a"), F.max("c"), F.count("*")))


def test_file_systems_that_only_spark_reaches(spark: SparkSession, data: Path) -> None:
    """A view of a local folder, which Hadoop makes and pyarrow does not know."""
    write(data / "0.parquet", 0)
    with session(spark, **{"fs.viewfs.mounttable.odd.link./data": f"file://{data}"}):
        df = spark.read.parquet("viewfs://odd/data")
        assert df.count() == 10
        assert "no file system for viewfs:" in reasons(df.groupBy("k").count())
