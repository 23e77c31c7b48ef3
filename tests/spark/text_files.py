"""Text files for streams, and scans of them compared with Spark's readers."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

import ir
from adaptive.scan import Piece, Scan
from adaptive.spark.types import IR_TYPES
from tests.spark.comparison import rows_of

_FIRST_MTIME = 1_700_000_000


def write_texts(folder: Path, texts: Iterable[bytes], suffix: str, first: int = 0) -> None:
    """Files that a stream reads one by one, in this order."""
    for number, text in enumerate(texts, first):
        hidden = folder / f"_{number:03}"
        hidden.write_bytes(text)
        os.utime(hidden, (_FIRST_MTIME + number, _FIRST_MTIME + number))
        hidden.rename(folder / f"part-{number:03}{suffix}")


def schema_of(ddl: str) -> ir.Schema:
    """The schema of a list of columns with Spark's names for types."""
    parts = [part.split() for part in ddl.split(", ")]
    return ir.Schema(tuple(ir.Field(name, _type(type_)) for name, type_ in parts))


def _type(name: str) -> ir.DataType:
    if name.startswith("decimal("):
        precision, scale = name.removeprefix("decimal(").removesuffix(")").split(",")
        return ir.decimal(int(precision), int(scale))
    return IR_TYPES[name]


def spark_rows(df: DataFrame, schema: ir.Schema) -> Counter[tuple[Any, ...]]:
    """The rows of a DataFrame, with times and dates as numbers, and the bytes of strings."""
    numbers = {
        ir.TIMESTAMP: "unix_micros({0})",
        ir.DATE: "datediff({0}, date'1970-01-01')",
        ir.STRING: "cast({0} as binary)",
    }
    columns = [numbers.get(f.type, "{0}").format(f"`{f.name}`") for f in schema]
    return Counter(tuple(map(_plain, row)) for row in df.selectExpr(*columns).collect())


def scan_rows(scan: Scan, pieces: Iterable[Piece], schema: ir.Schema) -> Counter[tuple[Any, ...]]:
    """The rows of a scan in the same form."""
    found: Counter[tuple[Any, ...]] = Counter()
    for piece in pieces:
        for batch in scan.read(piece):
            columns = [_numbers(batch.column(f.name), f.type).to_pylist() for f in schema]
            found.update(tuple(map(_plain, row)) for row in zip(*columns, strict=True))
    return found


def _numbers(array: Any, type_: ir.DataType) -> Any:
    casts = {ir.TIMESTAMP: "int64", ir.DATE: "int32", ir.STRING: "binary"}
    if type_ is ir.STRING and pa.types.is_dictionary(array.type):
        array = array.dictionary.cast("binary").take(array.indices)
    return array.cast(casts[type_]) if type_ in casts else array


def _plain(value: Any) -> Any:
    """Floats that are equal exactly when their bits are, all kinds of NaN being one."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else repr(value)
    return bytes(value) if isinstance(value, bytearray) else value


def outcome(df: DataFrame) -> object:
    """The rows of a query; of one that fails, whether a malformed record is why."""
    try:
        return rows_of(df)
    except (PySparkException, Py4JJavaError) as error:
        return "MALFORMED_RECORD_IN_PARSING" in str(error)


def cut(path: Path, pieces: int) -> list[Piece]:
    """A file in pieces of about equal size."""
    size = path.stat().st_size
    bounds = [size * n // pieces for n in range(pieces)]
    ends: list[int | None] = [*bounds[1:], None]
    return [
        Piece(f"file:{path}", begin, None if end is None else end - begin)
        for begin, end in zip(bounds, ends, strict=True)
    ]
