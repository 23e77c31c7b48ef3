"""The tables of facts are true of Spark: what the evaluator is tested on is not our opinion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from ir import BOOL, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, STRING, EvalMode, Scalar
from tests.ir.facts import (
    AGGREGATE_FACTS,
    ANSI,
    FACTS,
    ORDER_FACTS,
    ORDER_ROW,
    TRY,
    AggregateFact,
    Fact,
    Fails,
    OrderFact,
    Outcome,
    same,
)

pytestmark = pytest.mark.spark

TYPES = {
    BOOL: T.BooleanType(),
    INT8: T.ByteType(),
    INT16: T.ShortType(),
    INT32: T.IntegerType(),
    INT64: T.LongType(),
    FLOAT32: T.FloatType(),
    FLOAT64: T.DoubleType(),
    STRING: T.StringType(),
}
# Spark has a condition of its own for tinyint and smallint.
CONDITIONS = {"BINARY_ARITHMETIC_OVERFLOW": "ARITHMETIC_OVERFLOW"}
INFIX = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "int_divide": "div"}
INFIX |= {"remainder": "%", "eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
INFIX |= {"eq_null_safe": "<=>", "and": "and", "or": "or"}
FORMS = {
    "negate": "-{0}",
    "not": "not {0}",
    "is_null": "isnull({0})",
    "is_not_null": "isnotnull({0})",
    "between": "{0} between {1} and {2}",
    "case_when": "case when {0} then {1} else {2} end",
}
TRY_NAMES = {"add": "try_add", "subtract": "try_subtract", "multiply": "try_multiply"}
TRY_NAMES |= {"divide": "try_divide", "remainder": "try_mod"}


def sql(fact: Fact, mode: EvalMode, prefix: str) -> str | None:
    """The fact in SQL, or None where Spark has no `try_` form of it."""
    args = [column.name for column in fact.columns(prefix)]
    if fact.target is not None:
        function = "try_cast" if mode is TRY else "cast"
        return f"{function}({args[0]} as {TYPES[fact.target].simpleString()})"
    if mode is TRY:
        name = TRY_NAMES.get(fact.function)
        return name and f"{name}({', '.join(args)})"
    if fact.function in INFIX:
        return f"{args[0]} {INFIX[fact.function]} {args[1]}"
    if fact.function == "in":
        return f"{args[0]} in ({', '.join(args[1:])})"
    form = FORMS.get(fact.function, "coalesce({})")
    return form.format(*args) if "{0}" in form else form.format(", ".join(args))


@contextmanager
def ansi(spark: SparkSession, mode: EvalMode) -> Iterator[None]:
    """Run as the session's mode would have it; the `try_` forms run in ANSI mode."""
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", str(mode is not EvalMode.LEGACY).lower())
    try:
        yield
    finally:
        spark.conf.set("spark.sql.ansi.enabled", before or "true")


def outcome(compute: Callable[[], Scalar]) -> Outcome:
    """The value, or the error's condition."""
    try:
        return compute()
    except PySparkException as error:
        condition = str(error.getCondition())
        return Fails(CONDITIONS.get(condition, condition))


def agree(left: Outcome, right: Outcome) -> bool:
    if isinstance(left, Fails) or isinstance(right, Fails):
        return left == right
    return same(left, right)


def frame(spark: SparkSession, row: dict[str, Scalar], types: list[T.DataType]) -> DataFrame:
    """One row in columns: Spark would fold literals, and skip what is null."""
    fields = [T.StructField(name, type_) for name, type_ in zip(row, types, strict=True)]
    return spark.createDataFrame([tuple(row.values())], T.StructType(fields))


def all_at_once(spark: SparkSession, mode: EvalMode, facts: list[Fact]) -> list[Scalar]:
    """Every fact in one query, because a query costs far more than an expression."""
    row: dict[str, Scalar] = {}
    types: list[T.DataType] = []
    texts: list[str] = []
    for number, fact in enumerate(facts):
        prefix = f"f{number}_"
        row |= fact.row(prefix)
        types += [TYPES[fact.type]] * len(fact.values)
        texts.append(f"{sql(fact, mode, prefix)} as r{number}")
    return list(frame(spark, row, types).selectExpr(*texts).collect()[0])


@pytest.mark.parametrize("mode", EvalMode)
def test_facts_without_an_error(spark: SparkSession, mode: EvalMode) -> None:
    facts = [f for f in FACTS if not isinstance(f.expected[mode], Fails) and sql(f, mode, "c")]
    with ansi(spark, mode):
        made = all_at_once(spark, mode, facts)
    wrong = [
        (str(fact), value, fact.expected[mode])
        for fact, value in zip(facts, made, strict=True)
        if not agree(value, fact.expected[mode])
    ]
    assert not wrong


@pytest.mark.parametrize("fact", [f for f in FACTS if isinstance(f.expected[ANSI], Fails)], ids=str)
def test_an_error(spark: SparkSession, fact: Fact) -> None:
    with ansi(spark, ANSI):
        made = outcome(lambda: all_at_once(spark, ANSI, [fact])[0])
    assert made == fact.expected[ANSI]


@pytest.mark.parametrize("fact", ORDER_FACTS, ids=str)
def test_the_order_of_evaluation(spark: SparkSession, fact: OrderFact) -> None:
    types: list[T.DataType] = [T.LongType()] * 3 + [T.BooleanType()] * 3
    with ansi(spark, ANSI):
        result = frame(spark, ORDER_ROW, types).selectExpr(f"{fact.sql} as r")
        made = outcome(lambda: result.collect()[0]["r"])
    assert agree(made, fact.expected)


def test_a_filter_drops_a_row_at_the_first_conjunct_that_is_null(spark: SparkSession) -> None:
    types: list[T.DataType] = [T.LongType()] * 3 + [T.BooleanType()] * 3
    with ansi(spark, ANSI):
        rows = frame(spark, ORDER_ROW, types)
        assert rows.where("(no or unknown) and (one div zero = one)").collect() == []
        made = outcome(lambda: rows.where("(one div zero = one) and no").count())
    assert made == Fails("DIVIDE_BY_ZERO")


@pytest.mark.parametrize("fact", AGGREGATE_FACTS, ids=str)
def test_an_aggregate(spark: SparkSession, fact: AggregateFact) -> None:
    schema = T.StructType([T.StructField("v", TYPES[fact.type])])
    name = "try_sum" if fact.mode is TRY else fact.function
    argument = "*" if fact.function == "count" else "v"
    with ansi(spark, fact.mode):
        rows = spark.createDataFrame([(value,) for value in fact.values], schema).coalesce(1)
        made = outcome(lambda: rows.selectExpr(f"{name}({argument}) as r").collect()[0]["r"])
    assert agree(made, fact.expected)


def test_narrow_operands_of_div_are_widened_first(spark: SparkSession) -> None:
    """Why `int_divide` takes int64 only: the cast is in Spark's plan."""
    row = frame(spark, {"a": -128, "b": -1}, [T.ByteType(), T.ByteType()])
    result = row.selectExpr("a div b as r")
    assert result.schema["r"].dataType == T.LongType()
    assert result.collect()[0]["r"] == 128


def test_keys_group_by_value(spark: SparkSession) -> None:
    nan = float("nan")
    keys = [(v,) for v in (-0.0, 0.0, nan, -nan, None, None)]
    made = spark.createDataFrame(keys, "k double").groupBy("k").count().collect()
    assert sorted((repr(r["k"]), r["count"]) for r in made) == [("0.0", 2), ("None", 2), ("nan", 2)]
