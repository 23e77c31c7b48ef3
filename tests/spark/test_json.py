"""JSON lines through the fused scan against Spark's own reader."""

from __future__ import annotations

import bz2
import gzip
import random
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from adaptive.scan import CorruptRecords, JsonScan, RecordError, RecordMode
from adaptive.scan.json_records import read_record
from tests.json_texts import COLUMNS, DDL, random_line
from tests.spark.comparison import (
    EVENTS_DDL,
    assert_same_batch,
    assert_same_stream,
    reasons,
    rows_of,
    session,
    taken_over,
)
from tests.spark.text_files import cut, outcome, scan_rows, schema_of, spark_rows, write_texts

CORRUPT = "_corrupt_record"
LATEST_DAY = "datediff(max(day), date'1970-01-01')"  # Python has no days of most years


def _lines(rng: random.Random, count: int, oddity: float = 0.3) -> list[bytes]:
    """Lines that the native scan is sure of, also where their text is asked for."""
    schema, corrupt = schema_of(DDL), CorruptRecords(RecordMode.PERMISSIVE, CORRUPT)
    lines: list[bytes] = []
    while len(lines) < count:
        line = random_line(rng, oddity)
        try:
            corrupt.rows(line, lambda text: read_record(text, schema))
        except RecordError:
            continue
        lines.append(line)
    return lines


@pytest.mark.parametrize("seed", range(3))
def test_odd_records_are_read_as_spark_reads_them(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    """All columns of all types, and the text of corrupt records, from a file in pieces."""
    rng = random.Random(seed)
    path = tmp_path / "odd.json"
    path.write_bytes(rng.choice([b"\n", b"\r\n", b"\r"]).join(_lines(rng, 2000)))
    schema = schema_of(f"{DDL}, {CORRUPT} string")
    expected = spark_rows(spark.read.schema(f"{DDL}, {CORRUPT} string").json(str(path)), schema)
    scan = JsonScan(schema, CorruptRecords(RecordMode.PERMISSIVE, CORRUPT))
    assert scan_rows(scan, cut(path, 7), schema) == expected


@pytest.mark.long
@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED"])
def test_queries_over_odd_records(spark: SparkSession, data: Path, mode: str) -> None:
    rng = random.Random(17)
    write_texts(data, [b"\n".join(_lines(rng, 500)) for _ in range(2)], ".json")
    files = spark.read.schema(DDL).option("mode", mode).json(str(data))
    assert_same_batch(
        files.groupBy("kind", "flag").agg(F.count("*"), F.sum("small"), F.expr(LATEST_DAY))
    )
    assert_same_batch(files.where("kind = 'view'").groupBy("number").agg(F.max("time")))
    assert_same_batch(files.where("kind is null or big > 1").groupBy("flag").agg(F.count("*")))
    with session(spark, **{"spark.sql.json.filterPushdown.enabled": "false"}):
        assert_same_batch(files.where("kind is null or big > 1").agg(F.count("*"), F.sum("small")))


def test_filters_on_names_that_come_twice(spark: SparkSession, data: Path) -> None:
    """Which filter the reader asks first decides what becomes of the record."""
    rng = random.Random(20)
    lines = []
    for number in range(240):
        names = rng.choices("xyz", k=number % 4 + 2)
        fields = ",".join(f'"{name}":{rng.randrange(-1, 2)}' for name in names)
        lines.append(f"{{{fields}}}")
    write_texts(data, ["\n".join(lines).encode()], ".json")
    for mode in ("PERMISSIVE", "DROPMALFORMED"):
        reader = spark.read.schema("x int, y int, z int").option("mode", mode)
        for condition in (
            "x is not null and (x > 0 or z > 0) and (x > 0 or y > 0)",
            "(x is null or y > 0) and (x > -5 or z > 0) and (y is null or z is null or z > 0)",
            "(x > 0 or y > 0 or z > 0) and x > -1 and (y is null or x > 0)",
        ):
            query = reader.json(str(data)).where(condition).groupBy("x", "y", "z")
            assert assert_same_batch(query.agg(F.count("*")))


def test_the_text_of_corrupt_records_is_a_column(spark: SparkSession, data: Path) -> None:
    write_texts(data, [b"\n".join(_lines(random.Random(18), 300))], ".json")
    files = spark.read.schema(f"{DDL}, {CORRUPT} string").json(str(data))
    rows = assert_same_batch(files.groupBy(CORRUPT, "kind").agg(F.count("*")))
    assert sum(row[0] is not None for row in rows) > 50
    assert_same_batch(files.where(f"{CORRUPT} is not null").groupBy("big").agg(F.count("*")))


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "fails"),
    [
        ('{"kind":"view","big":1}', False),
        ('{"kind":"view","big":"bad"}', True),
        ('{"kind":"click","big":"bad"}', False),  # the reader drops it by its filter first
        ('{"big":"bad","kind":"click"}', False),
        ('{"kind":"click",', False),
        ('{"kind":"view",', True),
        ('{"other":"view", x', True),
        ('{"kind":"view","number":"bad"}', False),  # the query does not read the column
    ],
)
def test_failfast_fails_where_spark_fails(
    spark: SparkSession, data: Path, line: str, fails: bool
) -> None:
    write_texts(data, [b'{"kind":"view","big":7}\n' + line.encode()], ".json")
    files = spark.read.schema(DDL).option("mode", "FAILFAST").json(str(data))
    query = files.where("kind = 'view'").groupBy("kind").agg(F.sum("big"))
    expected = outcome(query)
    assert (expected is True) == fails
    assert outcome(taken_over(query)) == expected


def test_a_join_with_a_small_table(spark: SparkSession, data: Path) -> None:
    write_texts(data, [b"\n".join(_lines(random.Random(19), 300))], ".json")
    table = spark.createDataFrame([("view", 1), ("click", 2)], "kind string, code int")
    joined = spark.read.schema(DDL).json(str(data)).join(table, "kind").where("flag")
    assert assert_same_batch(joined.groupBy("code").agg(F.count("*"), F.sum("small")))
    joined.createOrReplaceTempView("odd_records")
    text = "with p as (select * from odd_records where big > 1) select kind, max(small) from p"
    assert assert_same_batch(spark.sql(f"{text} group by kind"))


def _events(rng: random.Random, rows: int, first_s: int, last_s: int) -> bytes:
    lines = []
    for _ in range(rows):
        seconds = rng.uniform(first_s, last_s)
        time = f"2026-01-01T00:{int(seconds) // 60:02}:{seconds % 60:06.3f}Z"
        kind, value = rng.choice(["view", "click"]), rng.randrange(100)
        line = (
            f'{{"event_type":"{kind}","campaign_id":{rng.randrange(5)},"event_time":"{time}"'
            f',"value":{value},"price":{value / 4}}}'
        )
        lines.append(line if rng.random() < 0.9 else random_line(rng).decode(errors="replace"))
    return "\n".join(lines).encode()


def test_a_stream_of_compressed_and_plain_files(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    rng = random.Random(3)
    texts = [_events(rng, 200, 20 * n, 20 * n + 40) for n in range(4)]
    write_texts(data, [texts[0]], ".json")
    for number, (suffix, pack) in enumerate(
        [(".gz", gzip.compress), (".bz2", bz2.compress), ("", bytes)], 1
    ):
        write_texts(data / "..", [pack(texts[number])], f"-{number}.json{suffix}")
        made = data.parent / f"part-000-{number}.json{suffix}"
        made.rename(data / f"part-00{number}.json{suffix}")
    stream = spark.readStream.schema(EVENTS_DDL).option("maxFilesPerTrigger", 1).json(str(data))
    query = (
        stream.where("event_type = 'view'")
        .withWatermark("event_time", "7 seconds")
        .groupBy(F.window("event_time", "10 seconds"), "campaign_id")
        .agg(F.sum("value"), F.count("*"), F.max("price"))
    )
    batches = assert_same_stream(query, "append", tmp_path)
    assert sum(len(rows) for _, rows in batches) > 10


def test_what_stays_in_spark(spark: SparkSession, data: Path) -> None:
    write_texts(data, [b'{"kind":"view"}'], ".json")

    def reason(df: DataFrame) -> str:
        return reasons(df.groupBy("kind").agg(F.max("time")))

    for option, value in [("multiLine", "true"), ("timestampFormat", "yyyy"), ("lineSep", "\n")]:
        files = spark.read.schema(DDL).option(option, value).json(str(data))
        assert option.lower() in reason(files)
    files = spark.read.schema(DDL).json(str(data))
    nested = spark.read.schema("kind string, inner struct<a:int>").json(str(data))
    assert "struct" in reasons(nested.groupBy("inner.a").agg(F.count("*")))


def test_a_file_that_vanishes(spark: SparkSession, data: Path) -> None:
    write_texts(data, [b'{"kind":"view"}', b'{"kind":"click"}'], ".json")
    query = taken_over(spark.read.schema(DDL).json(str(data)).groupBy("kind").agg(F.count("*")))
    lenient = spark.read.schema(DDL).option("ignoreMissingFiles", "true").json(str(data))
    skipping = taken_over(lenient.groupBy("kind").agg(F.count("*")))
    (data / "part-001.json").unlink()
    with pytest.raises(Exception, match="FILE_NOT_EXIST"):
        query.collect()
    assert rows_of(skipping) == [("view", 1)]


def test_all_columns_are_compared() -> None:
    assert len(COLUMNS) == len(schema_of(DDL))
