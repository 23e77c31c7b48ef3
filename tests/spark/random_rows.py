"""Random rows for random queries: values that are awkward, with nulls in every column."""

from __future__ import annotations

import math
import random
from decimal import Decimal

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tests import json_texts

# The columns of the files, and one that is a folder, or a column that only some files have.
DDL = f"{json_texts.DDL}, part int"
SCHEMA = pa.schema(
    [
        pa.field("flag", pa.bool_()),
        pa.field("small", pa.int8()),
        pa.field("short", pa.int16()),
        pa.field("number", pa.int32()),
        pa.field("big", pa.int64()),
        pa.field("ratio", pa.float64()),
        pa.field("narrow", pa.float32()),
        pa.field("kind", pa.string()),
        pa.field("day", pa.date32()),
        pa.field("time", pa.timestamp("us", tz="UTC")),
        pa.field("price", pa.decimal128(9, 2)),
        pa.field("part", pa.int32()),
    ]
)
# Multiples of a quarter add up exactly in any order; the rest are the awkward ones.
_FLOATS = [0.0, -0.0, 0.25, -1.75, 2.5, 1024.0, math.nan, math.inf]
_VALUES: dict[str, list[object]] = {
    "flag": [True, False],
    "small": [-128, -1, 0, 1, 2, 127],
    "short": [-300, 0, 1, 2, 32767],
    "number": [-7, -1, 0, 1, 2, 3, 100_000],
    "big": [-(2**40), -1, 0, 1, 5, 2**40],
    "ratio": list(_FLOATS),
    "narrow": list(_FLOATS),
    "kind": ["", "a", "b", "view", "größe", "a longer string than most"],
    "day": [-1, 0, 1, 20_000],
    "price": [Decimal("0.01"), Decimal("-0.05"), Decimal("12.50"), Decimal("1234.56")],
    "part": [0, 1, 2],
}
# A small table to join with: some keys come twice or never, some are null.
CODES_DDL = "code_kind string, code_number int, label string, weight bigint"
_CODES = [
    *(("a", 1, "first", 10), ("view", 2, "second", -3), ("view", 3, "first", None)),
    *(("b", -7, None, 2**40), (None, None, "nobody", 99), ("unused", 8, "third", 0)),
    ("größe", 1, "größer", 5),
]


def random_table(rng: random.Random, rows: int, first_s: float, last_s: float) -> pa.Table:
    """Rows with nulls in every column and times between two moments."""
    columns = {
        name: [None if rng.random() < 0.1 else rng.choice(values) for _ in range(rows)]
        for name, values in _VALUES.items()
    }
    times = [round(rng.uniform(first_s, last_s) * 1e6) for _ in range(rows)]
    columns["time"] = [None if rng.random() < 0.05 else time for time in times]
    return pa.table([pa.array(columns[f.name], f.type) for f in SCHEMA], schema=SCHEMA)


def codes(spark: SparkSession) -> DataFrame:
    """The table that queries join with, also as the view `random_codes`."""
    df = spark.createDataFrame(_CODES, CODES_DDL)
    df.createOrReplaceTempView("random_codes")
    return df
