"""CSV files through the fused scan against Spark's own reader."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import ir
from adaptive.scan import CorruptRecords, CsvScan, RecordError, RecordMode
from adaptive.scan.csv_records import CsvLines
from codegen_llvm import CsvForm
from tests.csv_texts import COLUMNS, random_line
from tests.json_texts import DDL
from tests.spark.comparison import (
    EVENTS_DDL,
    assert_same_batch,
    assert_same_stream,
    reasons,
    rows_of,
    taken_over,
)
from tests.spark.text_files import cut, outcome, scan_rows, schema_of, spark_rows, write_texts

SCHEMA = schema_of(DDL)


def _lines(rng: random.Random, count: int, null: str = "") -> list[bytes]:
    """Lines that the native scan is sure of."""
    reader = CsvLines(SCHEMA, tuple(range(len(COLUMNS))), CsvForm(null=null), len(COLUMNS))
    lines: list[bytes] = []
    while len(lines) < count:
        line = random_line(rng)
        try:
            CorruptRecords().rows(line, reader.read)
        except RecordError:
            continue
        lines.append(line)
    return lines


@pytest.mark.parametrize(
    ("seed", "mode", "columns", "null"),
    [
        (0, "PERMISSIVE", COLUMNS, ""),
        (1, "DROPMALFORMED", COLUMNS, "NA"),
        (2, "DROPMALFORMED", ["big", "kind", "time", "narrow"], ""),
        (3, "PERMISSIVE", ["day", "price", "flag", "kind"], "NA"),
    ],
)
def test_odd_lines_are_read_as_spark_reads_them(
    spark: SparkSession, tmp_path: Path, seed: int, mode: str, columns: list[str], null: str
) -> None:
    rng = random.Random(seed)
    path = tmp_path / "odd.csv"
    ending = rng.choice([b"\n", b"\r\n", b"\r"])
    path.write_bytes(ending.join([b"a header", *_lines(rng, 2000, null)]))
    schema = ir.Schema(tuple(field for field in SCHEMA if field.name in columns))
    files = spark.read.schema(DDL).options(mode=mode, nullValue=null, header="true").csv(str(path))
    corrupt = CorruptRecords(RecordMode(mode))
    scan = CsvScan(schema, tuple(COLUMNS), CsvForm(null=null), True, corrupt)
    assert scan_rows(scan, cut(path, 5), schema) == spark_rows(files, schema)


def test_queries_over_odd_lines(spark: SparkSession, data: Path) -> None:
    rng = random.Random(21)
    write_texts(data, [b"\n".join(_lines(rng, 400)) for _ in range(2)], ".csv")
    for mode in ("PERMISSIVE", "DROPMALFORMED"):
        files = spark.read.schema(DDL).option("mode", mode).csv(str(data))
        latest = F.expr("unix_micros(max(time))")
        assert_same_batch(files.where("kind is null or big > 1").groupBy("flag").agg(latest))
        assert_same_batch(files.agg(F.count("*")))


@pytest.mark.parametrize(
    ("line", "fails"),
    [
        ("view,1,x", False),  # the query does not read the third column
        ("view,bad,2", True),
        ("click,bad,2", False),  # the reader drops it by its filter first
        ("view", False),
    ],
)
def test_failfast_fails_where_spark_fails(
    spark: SparkSession, data: Path, line: str, fails: bool
) -> None:
    write_texts(data, [b"view,7,7\n" + line.encode()], ".csv")
    reader = spark.read.schema("kind string, big bigint, number int").option("mode", "FAILFAST")
    query = reader.csv(str(data)).where("kind = 'view'").groupBy("kind").agg(F.sum("big"))
    expected = outcome(query)
    assert (expected is True) == fails
    assert outcome(taken_over(query)) == expected


def test_a_stream_with_headers_and_another_separator(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    rng = random.Random(5)
    texts = []
    for number in range(3):
        lines = ["event_type|campaign_id|event_time|value|price"]
        for _ in range(200):
            time = f"2026-01-01T00:00:{rng.randrange(15) + 15 * number:02}.250Z"
            kind, price = rng.choice(["view", '"view"', "click", ""]), rng.choice(["1.25", "x"])
            lines.append(f"{kind}|{rng.randrange(5)}|{time}|{rng.randrange(100)}|{price}")
        texts.append("\n".join(lines).encode())
    write_texts(data, texts[:2], ".csv")
    (data / "part-002.csv.gz").write_bytes(gzip.compress(texts[2]))
    reader = spark.readStream.schema(EVENTS_DDL).options(header="true", sep="|")
    query = (
        reader.option("maxFilesPerTrigger", 1)
        .csv(str(data))
        .where("event_type = 'view'")
        .withWatermark("event_time", "3 seconds")
        .groupBy(F.window("event_time", "5 seconds"), "campaign_id")
        .agg(F.sum("value"), F.count("price"))
    )
    batches = assert_same_stream(query, "append", tmp_path)
    assert sum(len(rows) for _, rows in batches) > 10


def test_what_stays_in_spark(spark: SparkSession, data: Path) -> None:
    write_texts(data, [b"view,1"], ".csv")
    ddl = "kind string, big bigint, _corrupt_record string"

    def reason(column: str = "big", **options: str) -> str:
        files: DataFrame = spark.read.schema(ddl).options(**options).csv(str(data))
        return reasons(files.groupBy("kind").agg(F.max(column)))

    for option, value in [("multiLine", "true"), ("comment", "#"), ("escape", "^"), ("sep", "::")]:
        assert option.lower() in reason(**{option: value}).lower()
    assert "enforceschema" in reason(enforceSchema="false")
    assert "_corrupt_record" in reason("_corrupt_record")


def test_bad_columns_that_only_the_aggregate_reads_stay_in_spark(
    spark: SparkSession, data: Path
) -> None:
    """Spark does not read them for what is above it, so it keeps the record."""
    write_texts(data, [b"view,1,2\nclick,bad,3\nview,4,5"], ".csv")
    ddl = "kind string, big bigint, value bigint"
    strict = spark.read.schema(ddl).option("mode", "DROPMALFORMED").csv(str(data))
    both = strict.groupBy("kind").agg(F.max("big").alias("big"), F.sum("value").alias("value"))
    assert_same_batch(both)
    assert_same_batch(both.where("value > 0"))
    above = both.agg(F.count("*"), F.max("value"))
    assert "it depends on `big` which records are bad" in reasons(above)
    assert [tuple(row) for row in above.collect()] == [(2, 7)]


def test_a_quote_that_only_spark_understands_is_an_error(spark: SparkSession, data: Path) -> None:
    write_texts(data, [b'view,1\n"a"b,2'], ".csv")
    files = spark.read.schema("kind string, big bigint").csv(str(data))
    with pytest.raises(Exception, match="not escaped, which only Spark can read"):
        rows_of(taken_over(files.groupBy("kind").agg(F.sum("big"))))
