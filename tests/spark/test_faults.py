"""Files that are missing, empty, broken or of other types, and workers that are killed."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.conftest import spark_environment
from tests.spark.comparison import (
    EVENTS_DDL,
    Received,
    assert_same_batch,
    assert_same_stream,
    events,
    session,
    stream,
    taken_over,
    write_files,
)

# Spark's own reader fails with an error of the JVM that PySpark does not translate.
FAILURES = (PySparkException, Py4JJavaError)
GOOD = events([("view", 1, 1, 10), ("view", 2, 12, 20)])


def totals(df: DataFrame) -> DataFrame:
    return df.groupBy("campaign_id").agg(F.sum("value"), F.count("*"))


def assert_both_fail(df: DataFrame, condition: str) -> None:
    with pytest.raises(FAILURES, match=condition):
        df.collect()
    with pytest.raises(FAILURES, match=condition):
        taken_over(df).collect()


def settings(
    spark: SparkSession, where: str, name: str
) -> tuple[dict[str, str], AbstractContextManager[None]]:
    """A setting as reader option or as session configuration."""
    if where == "option":
        return {name: "true"}, nullcontext()
    return {}, session(spark, **{f"spark.sql.files.{name}": "true"})


def test_empty_files_are_skipped(spark: SparkSession, data: Path) -> None:
    """Without rows, and without even a byte."""
    write_files(data, [GOOD, GOOD.slice(0, 0)])
    (data / "zero.parquet").touch()
    assert_same_batch(totals(spark.read.schema(EVENTS_DDL).parquet(str(data))))


@pytest.mark.parametrize("where", ["option", "session"])
def test_a_file_that_is_not_parquet(spark: SparkSession, data: Path, where: str) -> None:
    write_files(data, [GOOD])
    (data / "text.parquet").write_text("this is not a Parquet file")
    options, context = settings(spark, where, "ignoreCorruptFiles")
    df = spark.read.schema(EVENTS_DDL).options(**options).parquet(str(data))
    with context:
        assert len(assert_same_batch(totals(df))) == 2
    if where == "session":
        assert_both_fail(totals(df), "FAILED_READ_FILE")


@pytest.mark.parametrize("where", ["option", "session"])
def test_a_file_that_vanished(spark: SparkSession, data: Path, where: str) -> None:
    """Listed when the DataFrame was made, and gone when it runs."""
    write_files(data, [GOOD, GOOD])
    options, context = settings(spark, where, "ignoreMissingFiles")
    df = spark.read.schema(EVENTS_DDL).options(**options).parquet(str(data))
    (data / "part-001.parquet").unlink()
    with context:
        assert {row[1] for row in assert_same_batch(totals(df))} == {10, 20}
    if where == "session":
        assert_both_fail(totals(df), "FAILED_READ_FILE.FILE_NOT_EXIST")


def test_a_file_that_vanished_between_two_runs_of_a_stream(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """It breaks the second micro-batch, which is run again when the file is gone."""
    write_files(data, [GOOD, GOOD])
    (data / "part-001.parquet").write_text("this is not a Parquet file")
    df = totals(stream(spark, data, ignoreMissingFiles="true"))
    queries = {"native": df, "adapted": taken_over(df)}
    for name, query in queries.items():
        with pytest.raises(FAILURES, match="FAILED_READ_FILE"):
            Received(query, "update", tmp_path / name).batches()
    (data / "part-001.parquet").unlink()
    native, adapted = (
        Received(query, "update", tmp_path / name).batches() for name, query in queries.items()
    )
    assert adapted == native == [(1, [])]


def test_ignored_files_in_a_stream(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    write_files(data, [GOOD, GOOD, GOOD])
    (data / "part-001.parquet").write_text("this is not a Parquet file")
    df = totals(stream(spark, data, ignoreCorruptFiles="true"))
    assert_same_stream(df, "update", tmp_path)


def test_missing_columns_and_other_cases(spark: SparkSession, data: Path) -> None:
    pq.write_table(pa.table({"CAMPAIGN_ID": [1, 2]}), data / "a.parquet")
    pq.write_table(pa.table({"value": pa.array([3], pa.int32())}), data / "b.parquet")
    assert_same_batch(totals(spark.read.schema(EVENTS_DDL).parquet(str(data))))
    with session(spark, **{"spark.sql.caseSensitive": "true"}):
        df = totals(spark.read.schema(EVENTS_DDL).parquet(str(data)))
        assert assert_same_batch(df) == [(None, 3, 3)]


@pytest.mark.parametrize(
    ("there", "declared"),
    [
        (pa.array([1, -7, None], pa.int32()), "bigint"),
        (pa.array([1, 2**32 - 1], pa.uint32()), "bigint"),
        (pa.array([1, 255, None], pa.uint8()), "smallint"),
        (pa.array([1, 300, -40_000], pa.int32()), "tinyint"),
        (pa.array([1.5, None], pa.float32()), "double"),
        (pa.array([1, -7], pa.int32()), "double"),
        (pa.array([b"a", None, b"b"], pa.binary()), "string"),
        (pa.array(["a", None, "a"]).dictionary_encode(), "string"),
        (pa.array(["a", None], pa.large_string()), "string"),
        (pa.array([1, -1, None], pa.timestamp("ms", "UTC")), "timestamp"),
        (pa.array([1, -1, None], pa.timestamp("us")), "timestamp"),
        (pa.array([1, -1, None], pa.timestamp("us", "Asia/Tokyo")), "timestamp"),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_types_that_are_widened(
    spark: SparkSession, data: Path, there: pa.Array, declared: str
) -> None:
    pq.write_table(pa.table({"x": there}), data / "a.parquet")
    df = spark.read.schema(f"x {declared}").parquet(str(data))
    assert_same_batch(df.groupBy("x").count())


def test_int96_timestamps(spark: SparkSession, data: Path) -> None:
    times = pa.array([0, -1, 1_767_225_600_123_456, None], pa.timestamp("us"))
    table = pa.table({"x": times})
    pq.write_table(table, data / "a.parquet", use_deprecated_int96_timestamps=True)
    assert_same_batch(spark.read.parquet(str(data)).groupBy("x").count())


@pytest.mark.parametrize(
    ("there", "declared"),
    [
        (pa.array([1, 2], pa.int64()), "int"),
        (pa.array([1, 2], pa.timestamp("ns", "UTC")), "timestamp"),
        (pa.array(["1"]), "bigint"),
        (pa.array([1.5], pa.float64()), "float"),
        (pa.array([{"a": 1}]), "string"),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_types_that_are_refused(
    spark: SparkSession, data: Path, there: pa.Array, declared: str
) -> None:
    pq.write_table(pa.table({"x": there}), data / "a.parquet")
    df = spark.read.schema(f"x {declared}").parquet(str(data)).groupBy("x").count()
    with pytest.raises(FAILURES):
        df.collect()
    with pytest.raises(FAILURES, match=r"column 'x' is .*, but the query reads it as"):
        taken_over(df).collect()


KILLED_WORKER = '''
import os
import signal
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from adaptive import adaptive
from policies import Fixed, Generalize


class KillFirstAttempt(Fixed):
    """A fixed policy sees every batch, so it can end its worker in the middle of a task."""

    mark = sys.argv[2]

    def decide(self, profile):
        if profile.rows > 100:
            try:
                os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass  # this is the second attempt
        return Generalize("test")


folder, mark = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2,4]")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
stream = spark.readStream.schema("k bigint, v bigint").parquet(folder)
query = adaptive(policy=KillFirstAttempt(), mode="always")(
    lambda df: df.groupBy("k").agg(F.sum("v").alias("s"), F.count("*").alias("n"))
)
rows = []
(
    query(stream)
    .writeStream.outputMode("complete")
    .option("checkpointLocation", mark + ".checkpoint")
    .foreachBatch(lambda df, _: rows.extend(df.orderBy("k").collect()))
    .trigger(availableNow=True)
    .start()
    .awaitTermination()
)
print("RESULT", [tuple(row) for row in rows])
'''


@pytest.mark.long
def test_a_killed_worker_is_run_again_and_the_result_is_exact(data: Path, tmp_path: Path) -> None:
    """Needs a session of its own: `local[2]` does not run a task twice, `local[2,4]` does."""
    table = pa.table({"k": [n % 3 for n in range(900)], "v": list(range(900))})
    write_files(data, [table] * 4)
    script, mark = tmp_path / "killed_worker.py", tmp_path / "killed"
    script.write_text(KILLED_WORKER)
    done = subprocess.run(
        [sys.executable, str(script), str(data), str(mark)],
        env={**os.environ, **spark_environment()},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert mark.exists(), done.stderr[-3000:]
    expected = [(k, 4 * sum(range(k, 900, 3)), 1200) for k in range(3)]
    assert f"RESULT {expected}" in done.stdout, done.stderr[-3000:]
