"""Casts of the evaluator are those of Spark: every pair of types, every mode, hostile values."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from adaptive.spark.catalyst import Catalyst
from ir import (
    BINARY,
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    STRING,
    TIMESTAMP,
    Cast,
    Column,
    DataType,
    DecimalType,
    EvalMode,
    EvaluationError,
    Scalar,
    evaluate_expr,
)
from ir.casts import can_cast, cast_can_be_null, cast_can_fail
from tests.ir.cast_inputs import TODAY_TEXTS, TYPES, inputs
from tests.strategies import ALL_MODES

pytestmark = pytest.mark.spark

SQL_NAMES = {"bool": "boolean", "int8": "tinyint", "int16": "smallint", "int32": "int"}
SQL_NAMES |= {"int64": "bigint", "float32": "float", "float64": "double"}
# How values reach Spark, whose Python API has no dates before year 1 or after 9999.
CARRIERS: dict[DataType, tuple[T.DataType, str]] = {
    BOOL: (T.BooleanType(), "v"),
    FLOAT32: (T.FloatType(), "v"),
    FLOAT64: (T.DoubleType(), "v"),
    STRING: (T.StringType(), "v"),
    BINARY: (T.BinaryType(), "v"),
    DATE: (T.IntegerType(), "date_from_unix_date(v)"),
    TIMESTAMP: (T.LongType(), "timestamp_micros(v)"),
}

# Floats that Java 17 writes with more digits than needed.
WRITTEN_LONGER = (2.0**-44, 1e23)
# An error costs Spark milliseconds, so not every value is tried for every one of these.
ERROR_TARGETS = (BOOL, INT8, INT32, FLOAT64, DATE, TIMESTAMP, TYPES[-5], TYPES[-3], TYPES[-1])
EVERY = 4


def sql_name(type_: DataType) -> str:
    return SQL_NAMES.get(type_.name, type_.name)


def frame(spark: SparkSession, type_: DataType) -> DataFrame:
    """The inputs of a type in order, as column v."""
    values: list[Any] = list(inputs(type_))
    if isinstance(type_, DecimalType):
        carrier, text = T.DecimalType(type_.precision, type_.scale), "v"
        values = [Decimal((int(v < 0), tuple(map(int, str(abs(v)))), -type_.scale)) for v in values]
    elif type_.is_integer:
        carrier, text = T.LongType(), f"cast(v as {sql_name(type_)})"
    else:
        carrier, text = CARRIERS[type_]
    schema = T.StructType([T.StructField("v", carrier)])
    made = spark.createDataFrame([(value,) for value in values], schema).coalesce(1)
    return made.selectExpr(f"{text} as v").cache()


def readable(text: str, type_: DataType) -> str:
    """An expression whose values Python can have."""
    if type_ is TIMESTAMP:
        return f"unix_micros({text})"
    return f"unix_date({text})" if type_ is DATE else text


def from_spark(value: Any, type_: DataType) -> Scalar:
    if isinstance(value, Decimal):
        assert isinstance(type_, DecimalType)
        return int(Fraction(value) * 10**type_.scale)
    return bytes(value) if isinstance(value, bytearray) else value


def same(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return struct.pack("d", left) == struct.pack("d", right)
    return type(left) is type(right) and left == right


def evaluated(value: Scalar, source: DataType, target: DataType, mode: EvalMode) -> object:
    cast = Cast(Column("v", source, nullable=False), target, mode)
    try:
        made = evaluate_expr(cast, {"v": value})
    except EvaluationError as error:
        assert cast.can_fail
        return error.condition
    assert made is not None or cast.nullable
    return made


def depends_on_java(value: Scalar, source: DataType, target: DataType) -> bool:
    """Before 19, Java does not always write the shortest digits of a float."""
    if not source.is_float or not (target is STRING or target.is_decimal):
        return False
    assert isinstance(value, float)
    return target is STRING or value in WRITTEN_LONGER


@pytest.fixture(scope="module")
def catalyst(spark: SparkSession) -> Catalyst:
    return Catalyst(spark)


def test_which_casts_there_are(spark: SparkSession, catalyst: Catalyst) -> None:
    cast = catalyst.singleton("org.apache.spark.sql.catalyst.expressions.Cast")
    parse = catalyst.jvm.org.apache.spark.sql.types.DataType.fromDDL
    tests = {"canAnsiCast": EvalMode.ANSI, "canCast": EvalMode.LEGACY, "canTryCast": EvalMode.TRY}
    types = {type_: parse(sql_name(type_)) for type_ in TYPES}
    wrong = [
        (name, str(source), str(target))
        for name, mode in tests.items()
        for source in TYPES
        for target in TYPES
        if getattr(cast, name)(types[source], types[target]) != can_cast(source, target, mode)
    ]
    assert not wrong, wrong


@pytest.mark.parametrize("source", TYPES, ids=str)
def test_values(spark: SparkSession, catalyst: Catalyst, source: DataType) -> None:
    """LEGACY and TRY as one query each; ANSI where it fails one by one, in the JVM."""
    rows = frame(spark, source)
    version = catalyst.jvm.java.lang.System.getProperty("java.specification.version")
    old_java = float(version) < 19
    wrong: list[object] = []
    for mode in (EvalMode.LEGACY, EvalMode.TRY):
        targets = [t for t in TYPES if can_cast(source, t, mode)]
        targets = [t for t in targets if (source, t, mode) != (DATE, TIMESTAMP, EvalMode.LEGACY)]
        spark.conf.set("spark.sql.ansi.enabled", str(mode is not EvalMode.LEGACY).lower())
        function = "cast" if mode is EvalMode.LEGACY else "try_cast"
        texts = [readable(f"{function}(v as {sql_name(t)})", t) for t in targets]
        made = rows.selectExpr(*texts).collect()
        spark.conf.set("spark.sql.ansi.enabled", "true")
        for value, row in zip(inputs(source), made, strict=True):
            for target, there in zip(targets, row, strict=True):
                here = evaluated(value, source, target, mode)
                if old_java and depends_on_java(value, source, target):
                    continue
                if not same(here, from_spark(there, target)):
                    wrong.append((mode.value, str(target), value, here, there))
    assert not wrong, wrong
    assert list(differing_errors(catalyst, rows, source)) == []


def differing_errors(catalyst: Catalyst, rows: DataFrame, source: DataType) -> Any:
    """Where ANSI raises here and not in Spark, or something else."""
    there = rows._jdf.queryExecution().executedPlan().executeCollect()
    parse = catalyst.jvm.org.apache.spark.sql.types.DataType.fromDDL
    mode = catalyst.singleton("org.apache.spark.sql.catalyst.expressions.EvalMode").ANSI()
    zone, bound = catalyst.some("UTC"), catalyst.expressions.BoundReference
    targets = [t for t in ERROR_TARGETS if can_cast(source, t)]
    for place, target in enumerate(targets):
        if not cast_can_fail(source, target, EvalMode.ANSI):
            continue
        column = bound(0, parse(sql_name(source)), True)
        cast = catalyst.expressions.Cast(column, parse(sql_name(target)), zone, mode)
        some = slice(place % EVERY, None, EVERY)
        for value, row in zip(inputs(source)[some], list(there)[some], strict=True):
            here = evaluated(value, source, target, EvalMode.ANSI)
            if evaluated(value, source, target, EvalMode.TRY) is None:
                condition = condition_of(cast, row)
                if condition != here:
                    yield str(target), value, here, condition


def condition_of(cast: Any, row: Any) -> str | None:
    """The condition of the error that a cast raises; Java's own arithmetic has none."""
    try:
        cast.eval(row)
    except Exception as error:  # py4j wraps whatever the JVM throws
        raised = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
        text = str(error)
        if "long overflow" in text:
            return "ARITHMETIC_OVERFLOW"
        condition = raised.getCondition() if raised is not None else error.getCondition()  # type: ignore[attr-defined]
        return str(condition).partition(".")[0]
    return None


def test_null_is_possible_only_where_it_is_said(spark: SparkSession) -> None:
    """A cast that is never null says so: kernels then have no code for it."""
    for source in TYPES:
        for target in TYPES:
            for mode in ALL_MODES:
                if can_cast(source, target, mode) and not cast_can_be_null(source, target, mode):
                    assert not any(
                        evaluated(value, source, target, mode) is None for value in inputs(source)
                    ), (source, target, mode)


def test_times_of_today(spark: SparkSession) -> None:
    """The day may change between the two."""
    texts = spark.createDataFrame([(t,) for t in TODAY_TEXTS], "v string")
    for _ in range(2):
        rows = texts.selectExpr("v", "unix_micros(cast(v as timestamp))").collect()
        made = {text: evaluated(text, STRING, TIMESTAMP, EvalMode.ANSI) for text in TODAY_TEXTS}
        if made == dict(map(tuple, rows)):
            return
    assert made == dict(map(tuple, rows))
