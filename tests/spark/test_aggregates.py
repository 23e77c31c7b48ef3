"""Aggregate functions, one by one and together: the same results as in Spark."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from tests.spark.comparison import (
    assert_same_batch,
    assert_same_stream,
    events,
    rows_of,
    session,
    stream,
    taken_over,
    write_files,
)

SCHEMA = pa.schema(
    [
        pa.field("k", pa.string()),
        pa.field("flag", pa.bool_()),
        pa.field("i8", pa.int8()),
        pa.field("i32", pa.int32()),
        pa.field("i64", pa.int64()),
        pa.field("f32", pa.float32()),
        pa.field("f64", pa.float64()),
        pa.field("short", pa.decimal128(9, 2)),
        pa.field("long", pa.decimal128(25, 3)),
        pa.field("text", pa.string()),
        pa.field("time", pa.timestamp("us", "UTC")),
    ]
)


def table(rng: Random, rows: int, first_s: float = 0) -> pa.Table:
    """Some rows; numbers are far from zero and close to each other."""
    columns = {
        "k": rng.choices(["a", "b", "c", None], k=rows),
        "flag": [rng.random() < 0.9 for _ in range(rows)],
        "i8": [rng.randrange(-128, 128) for _ in range(rows)],
        "i32": [2_000_000 + rng.randrange(20) for _ in range(rows)],
        "i64": [rng.randrange(10**6) + 10**12 for _ in range(rows)],
        "f32": [rng.choice([0.25, -1.5, 3.75]) for _ in range(rows)],
        "f64": [1e6 + rng.random() for _ in range(rows)],
        "short": [Decimal(rng.randrange(10**9)).scaleb(-2) for _ in range(rows)],
        "long": [Decimal(rng.randrange(10**24)).scaleb(-3) for _ in range(rows)],
        "text": rng.choices(["", "x", "größe"], k=rows),
        "time": [round((first_s + rng.random() * 40) * 1e6) for _ in range(rows)],
    }
    some = {
        name: [None if name not in ("k", "time") and rng.random() < 0.1 else v for v in values]
        for name, values in columns.items()
    }
    return pa.table([pa.array(some[f.name], f.type) for f in SCHEMA], schema=SCHEMA)


@pytest.fixture
def numbers(spark: SparkSession, data: Path) -> DataFrame:
    rng = Random(3)
    only = table(rng, 1).set_column(0, SCHEMA.field("k"), pa.array(["only"]))
    write_files(data, [table(rng, 200), table(rng, 150), only, SCHEMA.empty_table()])
    return spark.read.parquet(str(data))


MERGED_BY_THEMSELVES = [
    *(f"bit_{op}(i8)" for op in ("and", "or", "xor")),
    "bit_or(i64)",
    "every(i8 > -100)",
    "some(flag)",
    "any(i8 = 5)",
    "bool_and(flag) filter (where i8 > 0)",
    "count_if(flag)",
    "count(i8, text, flag)",
    "count(i8, flag) filter (where i64 % 2 = 0)",
    "try_sum(i8)",
    "try_sum(f64)",
    "try_sum(short)",
    "try_avg(i32)",
    "try_avg(short)",
    "sum(short)",
    "sum(long)",
    "avg(short)",
    "avg(long)",
    "avg(long) filter (where flag)",
    "avg(short - 4999999.99)",
    "first(k)",
    "last(k, true)",
    "any_value(k)",
]
MOMENTS = [
    "var_pop(i8)",
    "variance(i32)",
    "stddev(i32)",
    "stddev_pop(short)",
    "stddev_samp(i32) filter (where flag)",
    "var_samp(i64)",
    "stddev(f64)",
    "var_pop(f32)",
    "var_pop(f64) filter (where flag)",
    "covar_pop(i8, short)",
    "covar_samp(i32, i8)",
    "corr(i8, i32)",
    "corr(short, i8) filter (where flag)",
]
EXACT_MOMENTS = [text for text in MOMENTS if "f32" not in text and "64" not in text]


def expressions(texts: list[str]) -> list[F.Column]:
    return [F.expr(text).alias(f"r{n}") for n, text in enumerate(texts)]


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_functions_of_partials(numbers: DataFrame, spark: SparkSession, ansi: str) -> None:
    with session(spark, **{"spark.sql.ansi.enabled": ansi}):
        df = numbers.groupBy("k").agg(F.product("f32"), *expressions(MERGED_BY_THEMSELVES))
        assert_same_batch(df)
        assert_same_batch(numbers.groupBy("k").agg(*expressions(MOMENTS[:8])))
        assert_same_batch(numbers.groupBy("k").agg(*expressions(MOMENTS[8:])))


def test_functions_of_no_rows(numbers: DataFrame) -> None:
    none = numbers.where("i8 > 1000")
    keyless = [text for text in MERGED_BY_THEMSELVES if "(k" not in text]
    for texts in (keyless, MOMENTS[2:10:2]):
        assert len(assert_same_batch(none.agg(*expressions(texts)))) == 1


def test_variances_are_not_lost_beside_a_large_mean(numbers: DataFrame) -> None:
    """It is a hundred million times as large as they are; Spark's own result is off by 4e-9."""
    numbers = numbers.select(F.expr("i32 + 2000000000 as i32"))
    values = [v for (v,) in numbers.collect() if v is not None]
    mean = math.fsum(values) / len(values)
    exact = math.fsum((v - mean) ** 2 for v in values) / len(values)
    ((found,),) = taken_over(numbers.agg(F.var_pop("i32"))).collect()
    assert math.isclose(found, exact, rel_tol=1e-12)


VALUES = [
    [
        "median(i8)",
        "percentile_cont(0.25) within group (order by i8 desc)",
        *(f"{function}(distinct i8)" for function in ("count", "sum", "avg")),
        "approx_count_distinct(i8)",
        "avg(i8)",
        "count(*)",
    ],
    ["median(f64)", "percentile(f64, array(0.0, 0.3, 1.0))", "sum(f64)", "stddev(distinct f64)"],
    ["percentile(i64, 0.9) filter (where flag)", "max(i64)"],
    ["approx_count_distinct(text, 0.01)", "min(text)", "avg(short)"],
    ["count(distinct text, flag) filter (where i8 > 0)", "count(text)", "var_pop(i8)"],
]


def test_functions_of_values(numbers: DataFrame) -> None:
    for texts in VALUES:
        assert_same_batch(numbers.groupBy("k").agg(*expressions(texts)))
    assert_same_batch(numbers.where("i8 > 1000").agg(F.median("i8"), F.expr("count(distinct i8)")))


def test_averages_without_the_rule_for_short_decimals(
    numbers: DataFrame, spark: SparkSession
) -> None:
    """Then Spark divides them as decimals, and rounds otherwise."""
    rule = "org.apache.spark.sql.catalyst.optimizer.DecimalAggregates"
    with session(spark, **{"spark.sql.optimizer.excludedRules": rule}):
        assert_same_batch(numbers.groupBy("k").agg(F.avg("short"), F.sum("short")))


def test_sums_that_leave_their_type(spark: SparkSession, data: Path) -> None:
    """With TRY they are null, wherever they leave it: within a partial or between two."""
    big = pa.array([2**62, 2**62, 2**62, None], pa.int64())
    nines = pa.array([Decimal("9" * 28)] * 4, pa.decimal128(28, 0))
    write_files(data, [pa.table({"i": big, "d": nines}), pa.table({"i": big, "d": nines})])
    with session(spark, **{"spark.sql.files.maxPartitionBytes": "1"}):
        df = spark.read.parquet(str(data))
        rows = assert_same_batch(df.agg(*map(F.expr, ("try_sum(i)", "try_sum(d)", "try_avg(d)"))))
    assert rows == [(None, Decimal((10**28 - 1) * 8), Decimal("9" * 28 + ".0000"))]


def test_a_stream_without_window(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """Running aggregates of keys, and of all rows, with functions of all kinds."""
    rng = Random(4)
    write_files(data, [table(rng, 60) for _ in range(3)])
    df = stream(spark, data, spark.read.parquet(str(data)).schema)
    assert_same_stream(df.groupBy("k").agg(*expressions(MERGED_BY_THEMSELVES)), "update", tmp_path)
    wanted = [*EXACT_MOMENTS[:6], "approx_count_distinct(i64)", "try_sum(i64)", "avg(long)"]
    assert_same_stream(df.agg(*expressions(wanted)), "complete", tmp_path)


@pytest.mark.parametrize("mode", ["append", "update"])
def test_values_of_windows_with_late_rows(
    spark: SparkSession, data: Path, tmp_path: Path, mode: str
) -> None:
    rng = Random(5)
    write_files(data, [table(rng, 60, 15 * n) for n in range(4)])
    df = stream(spark, data, spark.read.parquet(str(data)).schema)
    df = df.withWatermark("time", "7 seconds").where("time < timestamp_seconds(70)")
    window = F.window("time", "20 seconds", "10 seconds")
    wanted = ["median(i8)", "percentile(i8, 0.9)", "sum(i64)", "stddev(short)", "max(time)"]
    native = assert_same_stream(df.groupBy(window, "k").agg(*expressions(wanted)), mode, tmp_path)
    assert sum(bool(rows) for _, rows in native) > 2


REASONS = {
    "stddev(f64)": "cast the argument",
    "var_pop(i64)": "cast the argument",
    "corr(f64, i8)": "no exact merge",
    "first(i8)": "use min",
    "last(i8)": "use max",
    "first(k) filter (where flag)": "use min",
    "max_by(i8, i32)": "equally great",
    "mode(i8)": "equally frequent",
    "collect_list(i8)": "every row",
    "collect_set(i8)": "order of its values",
    "listagg(text)": "every row",
    "approx_percentile(i8, 0.5)": "use percentile",
    "percentile_disc(0.5) within group (order by i8)": "use percentile_cont",
    "percentile(i8, 0.5, i32)": "frequencies",
    "skewness(i8)": "third moments",
    "regr_slope(i8, i32)": "RegrSlope has no native form",
}


def test_reasons(spark: SparkSession, numbers: DataFrame, data: Path) -> None:
    streamed = stream(spark, data, numbers.schema)
    for text, expected in REASONS.items():
        (reason,) = ad.explain(streamed.groupBy("k").agg(F.expr(text))).all_reasons
        assert expected in reason, text
    (reason,) = ad.explain(streamed.agg(F.median("i8"), F.median("f64"))).all_reasons
    assert "two different expressions" in reason
    (reason,) = ad.explain(streamed.agg(F.countDistinct("i8"))).all_reasons
    assert "approx_count_distinct" in reason
    (reason,) = ad.explain(numbers.agg(F.expr("max_by(distinct i8, i32)"))).all_reasons
    assert "equally great" in reason


def test_filters_of_distinct_rows(spark: SparkSession, data: Path) -> None:
    """A row that a FILTER clause excludes is neither counted nor a value of its own."""
    write_files(data, [events([("view", 1, n, n % 3) for n in range(9)])])
    df = spark.read.parquet(str(data))
    made = df.agg(F.expr("count(distinct value) filter (where value > 0)"))
    assert rows_of(taken_over(made)) == [(2,)]
