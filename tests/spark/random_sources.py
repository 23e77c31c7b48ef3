"""Random rows as files of each format, plain or in folders, with records that are corrupt."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import adaptive as ad
from adaptive.scan import CorruptRecords, RecordError, RecordMode
from adaptive.scan.csv_records import CsvLines
from adaptive.scan.json_records import read_record
from codegen_llvm import CsvForm
from tests import csv_texts, json_texts
from tests.spark.comparison import write_arrow, write_files
from tests.spark.random_rows import DDL
from tests.spark.text_files import schema_of, write_texts

FORMATS = ("parquet", "arrow", "json", "csv")
CORRUPT = "_corrupt_record"
_FOLDERS = ("part=0", "part=1", "part=__HIVE_DEFAULT_PARTITION__")
_CSV_OPTIONS: tuple[dict[str, str], ...] = (
    *({}, {"sep": "|"}, {"escape": '"', "nullValue": "NA"}, {"comment": "#", "quote": "'"}),
    {"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true"},
)
_ODD = 0.1  # the share of records that are odd, where any may be
_LAST_US = 10**9  # an odd record with a later time would end all windows


@dataclass(frozen=True)
class RandomSource:
    """How the rows are written, and how Spark is told to read them."""

    format: str
    in_folders: bool = False
    mode: str = "PERMISSIVE"
    with_texts: bool = False  # a column has the text of corrupt records
    options: tuple[tuple[str, str], ...] = ()  # how lines of CSV are written

    @property
    def is_text(self) -> bool:
        return self.format in ("json", "csv")

    @property
    def is_strict(self) -> bool:
        """Whether it matters for other columns, too, that a field is bad."""
        return self.is_text and (self.mode != "PERMISSIVE" or self.with_texts)

    def write(self, rng: random.Random, folder: Path, tables: Sequence[pa.Table]) -> None:
        """A file for each table, which a stream reads in this order."""
        for number, table in enumerate(tables):
            place = folder
            lacks = number % 2 == 1 and not (self.format == "csv" and self.mode != "PERMISSIVE")
            if self.in_folders:
                place = folder / _FOLDERS[number % len(_FOLDERS)]
                place.mkdir(exist_ok=True)
            if self.in_folders or lacks:
                table = table.drop_columns("part")
            self._write_file(rng, place, table, number)

    def _write_file(self, rng: random.Random, place: Path, table: pa.Table, number: int) -> None:
        if self.format == "parquet":
            write_files(place, [table], number)
        elif self.format == "arrow":
            write_arrow(place / f"part-{number:03}.arrow", table, number, 100)
        else:
            text = b"\n".join(self._lines(rng, table))
            text = text.replace(b",", dict(self.options).get("sep", ",").encode())
            write_texts(place, [text], f".{self.format}", number)

    def _lines(self, rng: random.Random, table: pa.Table) -> Iterator[bytes]:
        written, odd = (_json, _odd_json) if self.format == "json" else (_csv, _odd_csv)
        for row in table.to_pylist():
            is_odd = self.mode != "FAILFAST" and rng.random() < _ODD
            yield odd(rng, row) if is_odd else written(rng, row)

    def read(self, spark: SparkSession, folder: Path, *, as_stream: bool) -> DataFrame:
        """The files as a table, or as a stream of one file a micro-batch."""
        options = {"maxFilesPerTrigger": "1"} if as_stream else {}
        if self.format == "arrow":
            read = ad.read_arrow_stream if as_stream else ad.read_arrow
            return read(spark, str(folder), DDL, **options)
        if self.is_text:
            options |= {"mode": self.mode, **dict(self.options)}
        ddl = f"{DDL}, {CORRUPT} string" if self.with_texts else DDL
        reader: Any = spark.readStream if as_stream else spark.read
        made: DataFrame = (
            reader.schema(ddl).options(**options).format(self.format).load(str(folder))
        )
        return made


def random_sources(rng: random.Random, count: int) -> list[RandomSource]:
    """Sources of different formats."""
    return [_random_source(rng, format_) for format_ in rng.sample(FORMATS, k=count)]


def _random_source(rng: random.Random, format_: str) -> RandomSource:
    in_folders = rng.random() < 0.4
    if format_ not in ("json", "csv"):
        return RandomSource(format_, in_folders)
    modes = ["PERMISSIVE", "PERMISSIVE", "DROPMALFORMED", "DROPMALFORMED", "FAILFAST"]
    mode = rng.choice(modes)
    with_texts = mode == "PERMISSIVE" and rng.random() < 0.5
    options = rng.choice(_CSV_OPTIONS) if format_ == "csv" else {}
    return RandomSource(format_, in_folders, mode, with_texts, tuple(options.items()))


def _json(rng: random.Random, row: dict[str, object]) -> bytes:
    fields = [
        f'"{name}":{_json_value(value)}'
        for name, value in row.items()
        if value is not None or rng.random() < 0.5
    ]
    return ("{" + ",".join(fields) + "}").encode()


def _json_value(value: object) -> str:
    match value:
        case datetime() | date():
            return f'"{_plain(value)}"'
        case Decimal():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _csv(rng: random.Random, row: dict[str, object]) -> bytes:
    return ",".join(_csv_value(value) for value in row.values()).encode()


def _csv_value(value: object) -> str:
    match value:
        case None:
            return ""
        case "":
            return '""'
        case bool():
            return str(value).lower()
        case _:
            return _plain(value)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return str(value).replace("inf", "Infinity").replace("nan", "NaN")


def _odd_json(rng: random.Random, row: dict[str, object]) -> bytes:
    """A line at which readers disagree, with the time of the row if there is a place for it."""
    schema, modes = schema_of(DDL), CorruptRecords(RecordMode.PERMISSIVE, CORRUPT)
    time = f'{{"time":{_json_value(row["time"])},'.encode()

    def made() -> bytes:
        line = json_texts.random_line(rng)
        return time + line[1:] if line.startswith(b'{"') else line

    return _certain(made, lambda line: modes.rows(line, lambda text: read_record(text, schema)))


def _odd_csv(rng: random.Random, row: dict[str, object]) -> bytes:
    schema = schema_of(DDL)
    at = schema.names.index("time")
    reader = CsvLines(schema, tuple(range(len(schema))), CsvForm(), len(schema))

    def made() -> bytes:
        fields = csv_texts.random_line(rng).split(b",")
        if len(fields) > at:
            fields[at] = _csv_value(row["time"]).encode()
        return b",".join(fields)

    return _certain(made, lambda line: CorruptRecords().rows(line, reader.read))


def _certain(made: Callable[[], bytes], read: Callable[[bytes], Sequence[Any]]) -> bytes:
    """A line that the native scan is sure of, and without a time in the far future."""
    while True:
        line = made()
        try:
            rows = read(line)
        except RecordError:
            continue
        if all((row.get("time") or 0) < _LAST_US for row in rows):
            return line
