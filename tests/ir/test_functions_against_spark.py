"""Functions of numbers, dates and timestamps: the evaluator gives what Spark gives."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from decimal import Decimal

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from ir import (
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Call,
    Column,
    DataType,
    DecimalType,
    EvaluationError,
    Expr,
    Literal,
    Scalar,
    decimal,
    evaluate_expr,
)
from ir.arithmetic import round_to
from tests.ir.fact import same

pytestmark = pytest.mark.spark

MONEY, RATE, HUGE = decimal(20, 4), decimal(5, 2), decimal(38, 10)
# What ends in `_near` is near enough for no function to fail.
COLUMNS: dict[str, DataType] = {
    **{"b": INT8, "h": INT16, "i": INT32, "j": INT32, "n": INT64},
    **{"x": FLOAT64, "s": FLOAT32, "m": MONEY, "r": RATE, "w": HUGE},
    **{"d": DATE, "e": DATE, "d_near": DATE, "t": TIMESTAMP, "u": TIMESTAMP},
    **{"t_near": TIMESTAMP, "u_near": TIMESTAMP, "n_near": INT64, "i_near": INT32},
}
NONZERO = {"b_not_0": INT8, "i_not_0": INT32, "n_not_0": INT64}
NONZERO |= {"x_not_0": FLOAT64, "s_not_0": FLOAT32, "r_not_0": RATE}
COLUMNS |= NONZERO
# How Spark makes a column of a type from integers, and integers from values.
MADE = {DATE: "date_from_unix_date({0})", TIMESTAMP: "timestamp_micros({0})"}
SHOWN = {DATE: "unix_date({0})", TIMESTAMP: "unix_micros({0})"}
NAMES = {INT8: "tinyint", INT16: "smallint", INT32: "int", INT64: "bigint"}
NAMES |= {FLOAT64: "double", FLOAT32: "float", DATE: "int", TIMESTAMP: "bigint"}


def col(name: str) -> Column:
    return Column(name, COLUMNS[name])


def word(text: str) -> Literal:
    return Literal(text, STRING)


def calls(functions: str, *names: str) -> Iterator[tuple[str, Expr]]:
    """Functions that have the same name in Spark."""
    for function in functions.split():
        yield f"{function}({', '.join(names)})", Call(function, tuple(map(col, names)))


def rounded(name: str, *digits: int) -> Iterator[tuple[str, Expr]]:
    for function in ("round", "bround"):
        for count in digits:
            yield f"{function}({name}, {count})", Call(function, (col(name), Literal(count, INT32)))


UNITS = ("MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH")
UNITS += ("QUARTER", "YEAR")
WORDS = (*UNITS, "yy", "yyyy", "mon", "Mm", "dd", "decade", "week ")


def with_units() -> Iterator[tuple[str, Expr]]:
    for unit in UNITS:
        count, time, late = col("n_near"), col("t_near"), col("u_near")
        added = Call("timestamp_add", (word(unit), count, time))
        yield f"timestampadd({unit}, n_near, t_near)", added
        between = Call("timestamp_diff", (word(unit), time, late))
        yield f"timestampdiff({unit}, t_near, u_near)", between
        if unit != "MICROSECOND":
            between = Call("timestamp_diff", (word(unit), col("t"), col("u")))
            yield f"timestampdiff({unit}, t, u)", between
    for text in WORDS:
        yield f"date_trunc('{text}', t_near)", Call("date_trunc", (word(text), col("t_near")))
        day = "d_near" if text == "QUARTER" else "d"
        yield f"trunc({day}, '{text}')", Call("trunc", (col(day), word(text)))
    for flag in (True, False):
        args = (col("t_near"), col("u_near"), Literal(flag, BOOL))
        yield f"months_between(t_near, u_near, {flag})", Call("months_between", args)
    for name in ("SU", "mon", "Tuesday", "we", "THU", "fri", "saturday"):
        yield f"next_day(d, '{name}')", Call("next_day", (col("d"), word(name)))


EXACT: dict[str, Expr] = dict(
    (
        *calls("year quarter month day dayofyear dayofweek weekday weekofyear last_day", "d"),
        *calls("unix_date", "d"),
        *calls("date_add date_sub", "d", "i"),
        *calls("datediff", "d", "e"),
        *calls("add_months", "d_near", "i_near"),
        ("extract(yearofweek from d)", Call("yearofweek", (col("d"),))),
        *calls("hour minute second unix_seconds unix_millis unix_micros unix_timestamp", "t"),
        ("extract(second from t)", Call("second_with_fraction", (col("t"),))),
        *calls("date_from_unix_date", "i"),
        *calls("timestamp_micros", "n"),
        *calls("timestamp_millis timestamp_seconds", "n_near"),
        *calls("timestamp_seconds", "x"),
        *with_units(),
        *rounded("x", -3, -1, 0, 1, 2, 3, 7, 15),
        *rounded("s", -1, 0, 2, 5),
        *rounded("m", -3, -1, 0, 1, 2, 4, 9),
        *rounded("r", -7, -1, 0, 1),
        *rounded("w", 0, 3, 9),
        *rounded("n_near", -3, -1, 0, 2),
        *rounded("b", 0, -3),
        *rounded("h", 1, -5),
        *rounded("i", -10, -11),
        *calls("shiftleft shiftright shiftrightunsigned", "i", "j"),
        *calls("shiftleft shiftright shiftrightunsigned", "n", "j"),
        *(pair for a, b in zip("binxsm", NONZERO, strict=True) for pair in calls("pmod", a, b)),
    )
)
CLOSE: dict[str, Expr] = dict(
    (
        *calls("log2 log10 log1p expm1 cbrt sin cos tan asin acos atan", "x"),
        *calls("sinh cosh tanh degrees radians", "x"),
    )
)

NEAR = {"d_near": 10**6, "i_near": 10**5, "n_near": 10**5, "t_near": 10**17, "u_near": 10**17}


def any_value(rng: random.Random, name: str) -> Scalar:
    """A value of a column, about one in ten null."""
    type_ = COLUMNS[name]
    if name in NONZERO:
        return _number(rng, type_) or _one(type_)
    if rng.random() < 0.1:
        return None
    if name in NEAR:
        return rng.randint(-NEAR[name], NEAR[name]) // rng.choice((1, 1, 1000))
    return _number(rng, type_)


def _one(type_: DataType) -> Scalar:
    return 1.0 if type_.is_float else 1


def _number(rng: random.Random, type_: DataType) -> Scalar:
    if type_.is_float:
        edges = (0.0, -0.0, math.nan, math.inf, -math.inf, 0.5, 2.5, -1.005)
        short = rng.randint(-(10**7), 10**7) / 10 ** rng.randint(0, 6)
        return round_to(rng.choice((rng.choice(edges), short, short, rng.gauss(0, 1))), type_)
    own = {DATE: INT32, TIMESTAMP: INT64}.get(type_, type_)
    edges = (own.low, own.low + 1, own.high, 0, 1, -1)
    size = rng.randint(0, own.high) >> rng.randint(0, own.bits - 2)
    return rng.choice((rng.choice(edges), size, size, -size, -size))


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Scalar]]:
    rng = random.Random(7)
    return [{name: any_value(rng, name) for name in COLUMNS} for _ in range(300)]


@pytest.fixture(scope="module")
def frame(spark: SparkSession, rows: list[dict[str, Scalar]]) -> DataFrame:
    """Dates and times come as integers: Python has only the years 1 to 9999."""
    schema = ", ".join(f"{name} {NAMES.get(t, t.name)}" for name, t in COLUMNS.items())
    values = [tuple(_sent(row[name], COLUMNS[name]) for name in COLUMNS) for row in rows]
    columns = (f"{MADE.get(t, '{0}').format(name)} as {name}" for name, t in COLUMNS.items())
    return spark.createDataFrame(values, schema).coalesce(1).selectExpr(*columns).cache()


def _sent(value: Scalar, type_: DataType) -> object:
    if isinstance(type_, DecimalType) and isinstance(value, int):
        return Decimal((int(value < 0), tuple(map(int, str(abs(value)))), -type_.scale))
    return value


def _received(value: object) -> Scalar:
    if isinstance(value, Decimal):
        sign, digits, _ = value.as_tuple()
        return int("".join(map(str, digits))) * (-1 if sign else 1)
    return value  # type: ignore[return-value]


def _close(left: Scalar, right: Scalar) -> bool:
    if not isinstance(left, float) or not isinstance(right, float):
        return left is right
    both_nan = math.isnan(left) and math.isnan(right)
    return both_nan or math.isclose(left, right, rel_tol=1e-12)


def test_values(frame: DataFrame, rows: list[dict[str, Scalar]]) -> None:
    pairs = EXACT | CLOSE
    texts = [SHOWN.get(expr.type, "{0}").format(sql) for sql, expr in pairs.items()]
    selected = frame.selectExpr(*(f"{text} as c{i}" for i, text in enumerate(texts)))
    wrong = []
    for row, made in zip(rows, selected.collect(), strict=True):
        for (sql, expr), value in zip(pairs.items(), made, strict=True):
            expected, agree = evaluate_expr(expr, row), _close if sql in CLOSE else same
            if not agree(expected, _received(value)):
                given = {name: row[name] for name in expr.columns()}
                wrong.append((sql, given, f"here {expected}", f"in Spark {value}"))
    assert not wrong, f"{len(wrong)}: {wrong[:9]}"


def test_types(frame: DataFrame) -> None:
    pairs = EXACT | CLOSE
    made = frame.selectExpr(*(f"{sql} as c{i}" for i, sql in enumerate(pairs)))
    for field, (sql, expr) in zip(made.schema, pairs.items(), strict=True):
        names = NAMES | {DATE: "date", TIMESTAMP: "timestamp"}
        assert field.dataType.simpleString() == names.get(expr.type, expr.type.name), sql


def _call(function: str, *args: tuple[Scalar, DataType]) -> Expr:
    return Call(function, tuple(Literal(value, type_) for value, type_ in args))


INTEGER, CALENDAR = "ARITHMETIC_OVERFLOW", "DATETIME_OVERFLOW"
FIRST, LAST = "timestamp_micros(-9223372036854775807 - 1)", "timestamp_micros(9223372036854775807)"
MIN, MAX = (INT64.low, TIMESTAMP), (INT64.high, TIMESTAMP)
ONE, YEAR = (1, INT64), (INT64.high, INT64)
FAILURES: dict[str, tuple[Expr, str]] = {
    "round(127Y, -1)": (_call("round", (127, INT8), (-1, INT32)), INTEGER),
    "bround(9223372036854775807, -19)": (
        _call("bround", (INT64.high, INT64), (-19, INT32)),
        INTEGER,
    ),
    "round(cast(6e37 as decimal(38,0)), -38)": (
        _call("round", (6 * 10**37, decimal(38, 0)), (-38, INT32)),
        "NUMERIC_VALUE_OUT_OF_RANGE",
    ),
    "pmod(5, 0)": (_call("pmod", (5, INT32), (0, INT32)), "REMAINDER_BY_ZERO"),
    "pmod(cast(-1 as decimal(1,0)), cast(100 as decimal(3,0)))": (
        _call("pmod", (-1, decimal(1, 0)), (100, decimal(3, 0))),
        "NUMERIC_VALUE_OUT_OF_RANGE",
    ),
    "make_date(2021, 2, 29)": (
        _call("make_date", (2021, INT32), (2, INT32), (29, INT32)),
        "DATETIME_FIELD_OUT_OF_BOUNDS",
    ),
    "make_date(10000000, 1, 1)": (
        _call("make_date", (10_000_000, INT32), (1, INT32), (1, INT32)),
        INTEGER,
    ),
    "add_months(date_from_unix_date(2147483647), 1)": (
        _call("add_months", (INT32.high, DATE), (1, INT32)),
        INTEGER,
    ),
    "trunc(date_from_unix_date(-2147483647), 'quarter')": (
        _call("trunc", (-INT32.high, DATE), ("quarter", STRING)),
        INTEGER,
    ),
    f"date_trunc('second', {FIRST})": (_call("date_trunc", ("second", STRING), MIN), CALENDAR),
    f"date_trunc('year', {FIRST})": (_call("date_trunc", ("year", STRING), MIN), CALENDAR),
    f"timestampadd(MONTH, 1, {LAST})": (
        _call("timestamp_add", ("month", STRING), ONE, MAX),
        CALENDAR,
    ),
    f"timestampadd(DAY, 1, {LAST})": (_call("timestamp_add", ("day", STRING), ONE, MAX), CALENDAR),
    # The sum would fit, but what is added does not.
    f"timestampadd(HOUR, 3000000000, {FIRST})": (
        _call("timestamp_add", ("hour", STRING), (3_000_000_000, INT64), MIN),
        CALENDAR,
    ),
    f"timestampdiff(MICROSECOND, {FIRST}, {LAST})": (
        _call("timestamp_diff", ("microsecond", STRING), MIN, MAX),
        CALENDAR,
    ),
    f"months_between({FIRST}, timestamp_seconds(0), true)": (
        _call("months_between", MIN, (0, TIMESTAMP), (True, BOOL)),
        CALENDAR,
    ),
    "timestamp_seconds(9223372036855)": (
        _call("timestamp_seconds", (9_223_372_036_855, INT64)),
        CALENDAR,
    ),
    "timestamp_millis(9223372036854776)": (
        _call("timestamp_millis", (9_223_372_036_854_776, INT64)),
        CALENDAR,
    ),
}


@pytest.mark.parametrize("sql", FAILURES)
def test_failures(spark: SparkSession, sql: str) -> None:
    """Where Java's arithmetic raises, Spark's error has no condition."""
    expr, condition = FAILURES[sql]
    with pytest.raises(EvaluationError) as here:
        evaluate_expr(expr, {})
    assert here.value.condition == condition
    with pytest.raises(PySparkException) as there:
        spark.sql(f"select {sql}").collect()
    assert (there.value.getCondition() or CALENDAR).partition(".")[0] == condition
