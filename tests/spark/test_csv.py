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
from adaptive.spark.text_sources import csv_form
from codegen_llvm import CsvForm
from tests.csv_texts import COLUMNS, random_line
from tests.json_texts import DDL
from tests.spark.comparison import (
    EVENTS_DDL,
    assert_same_batch,
    assert_same_stream,
    reasons,
    taken_over,
)
from tests.spark.text_files import cut, outcome, scan_rows, schema_of, spark_rows, write_texts

SCHEMA = schema_of(DDL)
CORRUPT = "_corrupt_record"


def _lines(rng: random.Random, count: int) -> list[bytes]:
    """Lines that the native scan is sure of."""
    reader = CsvLines(SCHEMA, tuple(range(len(COLUMNS))), CsvForm(), len(COLUMNS))
    lines: list[bytes] = []
    while len(lines) < count:
        line = random_line(rng)
        try:
            CorruptRecords().rows(line, reader.read)
        except RecordError:
            continue
        lines.append(line)
    return lines


FORMS: list[dict[str, str]] = [
    {},
    {"nullValue": "NA", "escape": '"'},
    {"emptyValue": "E", "comment": "v", "nanValue": "N", "positiveInf": "P"},
    {"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true", "sep": ";"},
    {"quote": "'", "escape": "^"},
    {"quote": "", "escape": "", "comment": "#"},
]


@pytest.mark.parametrize(
    ("seed", "mode", "columns"),
    [
        (0, "PERMISSIVE", [*COLUMNS, CORRUPT]),
        (1, "DROPMALFORMED", COLUMNS),
        (2, "DROPMALFORMED", ["big", "kind", "time", "narrow"]),
        (3, "PERMISSIVE", ["day", "price", "flag", "kind"]),
        (4, "PERMISSIVE", ["price", "kind", CORRUPT]),
        (5, "PERMISSIVE", [*COLUMNS, CORRUPT]),
    ],
)
def test_odd_lines_are_read_as_spark_reads_them(
    spark: SparkSession, tmp_path: Path, seed: int, mode: str, columns: list[str]
) -> None:
    rng, options = random.Random(seed), FORMS[seed]
    form, separator = csv_form(options), options.get("sep", ",").encode()
    lines = [line.replace(b",", separator) for line in _lines(rng, 2000)]
    if form.trims_leading:
        lines = [line.replace(b";", rng.choice([b" ;", b"; ", b" ; ", b"\t;"])) for line in lines]
    path = tmp_path / "odd.csv"
    path.write_bytes(rng.choice([b"\n", b"\r\n", b"\r"]).join([b"a header", *lines]))
    ddl = f"{DDL}, {CORRUPT} string"
    schema = ir.Schema(tuple(field for field in schema_of(ddl) if field.name in columns))
    reader = spark.read.schema(ddl).options(mode=mode, header="true", **options)
    corrupt = CorruptRecords(RecordMode(mode), CORRUPT if CORRUPT in columns else None)
    scan = CsvScan(schema, tuple(COLUMNS), form, True, corrupt)
    assert scan_rows(scan, cut(path, 5), schema) == spark_rows(reader.csv(str(path)), schema)


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

    kept = {"multiLine": "true", "sep": "::", "escape": "::", "nanValue": "0", "maxColumns": "9"}
    kept |= {"lineSep": "\n", "unescapedQuoteHandling": "SKIP_VALUE", "quote": ","}
    for option, value in kept.items():
        assert (option.lower() if value != "," else "sep") in reason(**{option: value}).lower()
    assert "enforceschema" in reason(enforceSchema="false")


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


def test_queries_over_the_text_of_corrupt_lines(spark: SparkSession, data: Path) -> None:
    write_texts(data, [b"\n".join(_lines(random.Random(22), 300))], ".csv")
    files = spark.read.schema(f"{DDL}, {CORRUPT} string").csv(str(data))
    counts = map(F.count, COLUMNS)
    rows = assert_same_batch(files.groupBy(CORRUPT, "kind").agg(F.count("*"), *counts))
    assert sum(row[0] is not None for row in rows) > 50
    assert_same_batch(files.where(f"{CORRUPT} is not null").groupBy("big").agg(F.count("*")))
    assert_same_batch(files.where("big > 1").groupBy("flag").agg(F.max(CORRUPT)))


def test_spaces_before_the_first_separator_break_sparks_parser(
    spark: SparkSession, data: Path
) -> None:
    write_texts(data, [b"view,1\n  ,2"], ".csv")
    reader = spark.read.schema("kind string, big bigint").option("ignoreTrailingWhiteSpace", "true")
    query = reader.csv(str(data)).groupBy("kind").agg(F.sum("big"))
    for frame in (query, taken_over(query)):
        with pytest.raises(Exception, match="MALFORMED_CSV_RECORD"):
            frame.collect()
