"""The tables of facts are true of Spark: what the evaluator is tested on is not our opinion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import zip_longest

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from ir import (
    BINARY,
    BOOL,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    Call,
    Column,
    DataType,
    EvalMode,
    Scalar,
    evaluate_expr,
)
from tests.ir.fact import ANSI, TRY, Fact, Fails, Outcome, same
from tests.ir.facts import AGGREGATE_FACTS, FACTS, ORDER_FACTS, ORDER_ROW, AggregateFact, OrderFact

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
    BINARY: T.BinaryType(),
}
# Spark has a condition of its own for tinyint and smallint.
CONDITIONS = {"BINARY_ARITHMETIC_OVERFLOW": "ARITHMETIC_OVERFLOW"}
INFIX = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "int_divide": "div"}
INFIX |= {"remainder": "%", "eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
INFIX |= {"eq_null_safe": "<=>", "and": "and", "or": "or"}
INFIX |= {"bit_and": "&", "bit_or": "|", "bit_xor": "^"}
FORMS = {
    "negate": "-{0}",
    "bit_not": "~{0}",
    "not": "not {0}",
    "is_null": "isnull({0})",
    "is_not_null": "isnotnull({0})",
    "between": "{0} between {1} and {2}",
    "like": "{0} like {1}",
    "locate_from": "locate({0}, {1}, {2})",
    "case_when": "case when {0} then {1} else {2} end",
}
TRIM_SIDES = {"trim": "both", "ltrim": "leading", "rtrim": "trailing"}
TRY_NAMES = {"add": "try_add", "subtract": "try_subtract", "multiply": "try_multiply"}
TRY_NAMES |= {"divide": "try_divide", "remainder": "try_mod"}


def sql(fact: Fact, mode: EvalMode, prefix: str) -> str | None:
    """The fact in SQL, or None where Spark has no `try_` form of it."""
    args = [column.name for column in fact.columns(prefix)]
    if fact.target is not None:
        function = "try_cast" if mode is TRY else "cast"
        return f"{function}({args[0]} as {TYPES[fact.target].simpleString()})"
    if fact.function == "like" and mode is not ANSI:
        return None  # a wrong pattern fails in every mode
    if mode is TRY:
        name = TRY_NAMES.get(fact.function)
        return name and f"{name}({', '.join(args)})"
    if fact.function in INFIX:
        return f"{args[0]} {INFIX[fact.function]} {args[1]}"
    if fact.function == "in":
        return f"{args[0]} in ({', '.join(args[1:])})"
    if len(args) == 2 and fact.function in TRIM_SIDES:
        return f"trim({TRIM_SIDES[fact.function]} {args[1]} from {args[0]})"
    if fact.function in FORMS:
        return FORMS[fact.function].format(*args)
    return f"{fact.function}({', '.join(args)})"


@contextmanager
def setting(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    """Run with another value of a setting of the session."""
    before = spark.conf.get(name)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.set(name, before or "true")


def ansi(spark: SparkSession, mode: EvalMode) -> AbstractContextManager[None]:
    """Run as the session's mode would have it; the `try_` forms run in ANSI mode."""
    value = "false" if mode is EvalMode.LEGACY else "true"
    return setting(spark, "spark.sql.ansi.enabled", value)


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


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    """One row with the arguments of all facts, in columns: Spark would fold literals.

    It is cached because a query costs far more than an expression.
    """
    types = {name: INT64 if i < 3 else BOOL for i, name in enumerate(ORDER_ROW)}
    values = dict(ORDER_ROW)
    for number, fact in enumerate(FACTS):
        values |= fact.row(f"f{number}_")
        types |= {column.name: column.type for column in fact.columns(f"f{number}_")}
    return frame(spark, types, [tuple(values.values())]).cache()


def frame(
    spark: SparkSession, types: dict[str, DataType], rows: list[tuple[Scalar, ...]]
) -> DataFrame:
    fields = [T.StructField(name, TYPES[type_]) for name, type_ in types.items()]
    return spark.createDataFrame(rows, T.StructType(fields)).coalesce(1)


FAILING = [(i, fact) for i, fact in enumerate(FACTS) if isinstance(fact.expected[ANSI], Fails)]


@pytest.mark.parametrize("mode", [EvalMode.ANSI, EvalMode.LEGACY, EvalMode.TRY])
def test_facts_without_an_error(spark: SparkSession, rows: DataFrame, mode: EvalMode) -> None:
    texts = {
        number: text
        for number, fact in enumerate(FACTS)
        if not isinstance(fact.expected[mode], Fails) and (text := sql(fact, mode, f"f{number}_"))
    }
    with ansi(spark, mode):
        made = rows.selectExpr(*texts.values()).collect()[0]
    expected = [FACTS[number].expected[mode] for number in texts]
    wrong = [
        (str(FACTS[number]), value, wanted)
        for number, value, wanted in zip(texts, made, expected, strict=True)
        if not agree(value, wanted)
    ]
    assert not wrong


@pytest.mark.parametrize(("number", "fact"), FAILING, ids=str)
def test_an_error(spark: SparkSession, rows: DataFrame, number: int, fact: Fact) -> None:
    text = sql(fact, ANSI, f"f{number}_")
    with ansi(spark, ANSI):
        made = outcome(lambda: rows.selectExpr(f"{text} as r").collect()[0]["r"])
    assert made == fact.expected[ANSI]


def test_operands_that_are_not_reached(spark: SparkSession, rows: DataFrame) -> None:
    """Each by itself: what columns of one query share, Spark computes before all of them."""
    facts = [fact for fact in ORDER_FACTS if not isinstance(fact.expected, Fails)]
    with ansi(spark, ANSI), setting(spark, "spark.sql.subexpressionElimination.enabled", "false"):
        made = rows.selectExpr(*(fact.sql for fact in facts)).collect()[0]
    wrong = [(str(f), v) for f, v in zip(facts, made, strict=True) if not agree(v, f.expected)]
    assert not wrong


REACHED = [fact for fact in ORDER_FACTS if isinstance(fact.expected, Fails)]


@pytest.mark.parametrize("fact", REACHED, ids=str)
def test_an_operand_that_is_reached(spark: SparkSession, rows: DataFrame, fact: OrderFact) -> None:
    with ansi(spark, ANSI):
        made = outcome(lambda: rows.selectExpr(f"{fact.sql} as r").collect()[0]["r"])
    assert made == fact.expected


def test_a_filter_drops_a_row_at_the_first_conjunct_that_is_null(
    spark: SparkSession, rows: DataFrame
) -> None:
    with ansi(spark, ANSI):
        assert rows.where("(no or unknown) and (one div zero = one)").count() == 0
        made = outcome(lambda: rows.where("(one div zero = one) and no").count())
    assert made == Fails("DIVIDE_BY_ZERO")


def aggregate_sql(fact: AggregateFact, column: str) -> str:
    """The call of an aggregate in Spark's SQL; of several modes, the least is asked for."""
    match fact.function:
        case "mode":
            return f"mode({column}, true)"
        case "count_distinct":
            return f"count(distinct {column})"
        case "percentile":
            return f"percentile({column}, {fact.parameters[0]})"
    return f"{'try_' if fact.mode is TRY else ''}{fact.function}({column})"


@pytest.mark.parametrize("mode", [EvalMode.ANSI, EvalMode.LEGACY, EvalMode.TRY])
def test_aggregates(spark: SparkSession, mode: EvalMode) -> None:
    """The facts of a mode side by side: aggregates skip the nulls that fill up columns."""
    facts = [f for f in AGGREGATE_FACTS if f.mode is mode and not isinstance(f.expected, Fails)]
    types = {f"v{number}": fact.type for number, fact in enumerate(facts)}
    texts = [aggregate_sql(fact, f"v{number}") for number, fact in enumerate(facts)]
    with ansi(spark, mode):
        values = list(zip_longest(*(fact.values for fact in facts)))
        made = frame(spark, types, values).selectExpr(*texts).collect()[0]
    wrong = [
        (str(fact), value)
        for fact, value in zip(facts, made, strict=True)
        if not agree(value, fact.expected)
    ]
    assert not wrong


def test_a_sum_that_does_not_fit_fails(spark: SparkSession) -> None:
    """In Spark also if only a part of it does not; which parts there are is up to the plan."""
    (fact,) = (f for f in AGGREGATE_FACTS if isinstance(f.expected, Fails))
    for values in (fact.values, (*fact.values, -1)):
        with ansi(spark, ANSI):
            column = frame(spark, {"v": fact.type}, [(value,) for value in values])
            made = outcome(lambda made=column: made.selectExpr("sum(v) as r").collect()[0]["r"])
        assert made == fact.expected


def test_narrow_operands_of_div_are_widened_first(spark: SparkSession) -> None:
    """Why `int_divide` takes int64 only: the cast is in Spark's plan."""
    result = frame(spark, {"a": INT8, "b": INT8}, [(-128, -1)]).selectExpr("a div b as r")
    assert result.schema["r"].dataType == T.LongType()
    assert result.collect()[0]["r"] == 128


def test_what_the_c_library_computes_agrees_to_the_last_digits(spark: SparkSession) -> None:
    """Java has its own implementation of these, and neither rounds correctly every time."""
    values = [(1.5, 2.5), (1e-300, -0.3), (700.25, 40.0), (3.0, -170.7), (0.1, 1e-5), (9e300, 0.99)]
    columns = {"a": FLOAT64, "b": FLOAT64}
    made = frame(spark, columns, list(values)).selectExpr("exp(a)", "exp(b)", "ln(a)", "pow(a, b)")
    a, b = (Column(name, FLOAT64) for name in columns)
    calls = [Call("exp", (a,)), Call("exp", (b,)), Call("ln", (a,)), Call("pow", (a, b))]
    for pair, row in zip(values, made.collect(), strict=True):
        bound = dict(zip(columns, pair, strict=True))
        expected = [evaluate_expr(call, bound) for call in calls]
        assert list(row) == pytest.approx(expected, rel=1e-12, abs=0.0)


def test_keys_group_by_value(spark: SparkSession) -> None:
    nan = float("nan")
    keys = [(v,) for v in (-0.0, 0.0, nan, -nan, None, None)]
    made = spark.createDataFrame(keys, "k double").groupBy("k").count().collect()
    assert sorted((repr(r["k"]), r["count"]) for r in made) == [("0.0", 2), ("None", 2), ("nan", 2)]
