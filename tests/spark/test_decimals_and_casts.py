"""Decimals and casts on Spark: the same rows, natively and through `adaptive`."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from tests.spark.comparison import assert_same_batch, session, write_files


def money(*values: str | None) -> list[Decimal | None]:
    return [None if value is None else Decimal(value) for value in values]


TABLE = pa.table(
    {
        "g": [1, 2, 1, None, 2, 1],
        "a": pa.array(money("1.25", "-999.99", None, "0.05", "12.34", "1.25"), pa.decimal128(5, 2)),
        "b": pa.array(
            money("1.25", "9999999999999999.9999", "3", None, "-0.0001", "7"), pa.decimal128(20, 4)
        ),
        "c": pa.array(
            money("12345678901234567890.5", None, "-1", "0", "1e-18", "9"), pa.decimal128(38, 18)
        ),
        "s": ["1.5", "x", " 7 ", "2020-02-29", None, "yes"],
        "t": pa.array([0, 1, -1, 10**15, None, 1_577_934_245_120_000], pa.timestamp("us", "UTC")),
        "i": pa.array([1, 2, 3, None, 5, -7], pa.int32()),
        "f": pa.array([1.0, -2.5, 0.1, None, 1e3, 128.9]),
    }
)
SELECTED = {
    "arithmetic": "a + b, a - i, a * b, a / 3, try_divide(b, a), -a, abs(a), a % 0.5, a div 2",
    "comparisons": "a = b, a < i, a between 1 and b, a in (1.25, 12.34), a <=> b, c > a",
    "choices": "greatest(a, b), least(a, i), coalesce(a, i), nvl(a, 0), nullif(a, 1.25),"
    " case when a > 1 then a else c end, if(g = 1, a, b), ceil(a), floor(b)",
    "from text": "try_cast(s as int), try_cast(s as double), try_cast(s as decimal(10,2)),"
    " try_cast(s as date), try_cast(s as boolean), try_cast(s as bigint)",
    "to text": "cast(a as string), cast(c as string), cast(t as string), cast(i as string),"
    " cast(cast(t as date) as string), cast(g = 1 as string)",
    "numbers": "cast(a as int), cast(c as double), cast(b as float), cast(i as decimal(12,2)),"
    " cast(t as bigint), cast(t as double), cast(i as timestamp), cast(a as timestamp),"
    " try_cast(c as decimal(10,1)), try_cast(f as tinyint), cast(t as decimal(20,6))",
}


@pytest.fixture
def rows(spark: SparkSession, data: Path) -> DataFrame:
    write_files(data, [TABLE, TABLE.slice(2)])
    return spark.read.parquet(str(data))


def counted(rows: DataFrame, columns: str) -> DataFrame:
    """The rows of some columns, with how often each occurs: so that an aggregate computes them."""
    made = rows.selectExpr(*split(columns)).toDF(*(f"r{i}" for i in range(len(split(columns)))))
    return made.groupBy(*made.columns).count()


def split(columns: str) -> list[str]:
    """Expressions that are separated by commas outside parentheses."""
    parts, depth = [""], 0
    for char in columns:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("name", SELECTED)
def test_expressions(rows: DataFrame, spark: SparkSession, name: str, ansi: str) -> None:
    with session(spark, **{"spark.sql.ansi.enabled": ansi}):
        query = counted(rows, SELECTED[name])
        assert ad.explain(query).is_native
        assert_same_batch(query)


def test_aggregates_and_keys(rows: DataFrame) -> None:
    numbers = [f(column) for column in "abc" for f in (F.min, F.max, F.count)]
    assert_same_batch(rows.groupBy("g").agg(F.sum("a"), F.sum("b"), F.sum("c"), *numbers))
    assert_same_batch(rows.groupBy("a", "b").agg(F.count("*"), F.sum(F.expr("a * i"))))


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("cast(s as int)", "CAST_INVALID_INPUT"),
        ("cast(s as decimal(5,2))", "CAST_INVALID_INPUT"),
        ("cast(b as tinyint)", "CAST_OVERFLOW"),
        ("cast(c as decimal(5,2))", "NUMERIC_VALUE_OUT_OF_RANGE"),
        ("b * c * c", "NUMERIC_VALUE_OUT_OF_RANGE"),
    ],
)
def test_errors_have_spark_conditions(rows: DataFrame, text: str, condition: str) -> None:
    query = rows.agg(F.max(F.expr(text)))
    with pytest.raises(PySparkException, match=condition):
        query.collect()
    with pytest.raises(PySparkException, match=condition):
        ad.adaptive(query).collect()


def test_a_file_with_fewer_digits_than_declared(spark: SparkSession, data: Path) -> None:
    write_files(data, [TABLE.select(["a"])])
    wider = spark.read.schema("a decimal(9,2)").parquet(str(data))
    assert_same_batch(wider.agg(F.sum("a"), F.max("a")))


def test_what_depends_on_the_session(rows: DataFrame, spark: SparkSession) -> None:
    with session(spark, **{"spark.sql.decimalOperations.allowPrecisionLoss": "false"}):
        explained = ad.explain(rows.agg(F.max(F.expr("c * c"))))
        assert "allowPrecisionLoss" in str(explained)
