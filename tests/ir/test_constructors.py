"""What is not legal fails where it is written, with a message that names the fix."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable

import pytest

from ir import (
    BINARY,
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Cast,
    Column,
    EvalMode,
    EvaluationError,
    Field,
    Filter,
    IrError,
    Literal,
    Named,
    Project,
    Schema,
    TumblingWindow,
    type_named,
)
from tests.ir.build import CAMPAIGN, EVENT_TYPE, EVENTS, FLAG, REVENUE, TIME, VALUE, call, long

INT32_VALUE = Literal(1, INT32)

ILLEGAL: list[tuple[str, Callable[[], object]]] = [
    ("unknown type 'decimal'; known types: bool", lambda: type_named("decimal")),
    ("a field needs a name; give the expression an alias", lambda: Field("", INT64)),
    ("'a' occurs twice; rename", lambda: Schema((Field("a", INT64), Field("a", INT8)))),
    ("no column 'x'; there are: event_type", lambda: EVENTS.schema["x"]),
    ("unknown function 'arsinh'; known: add", lambda: call("arsinh", VALUE)),
    ("add takes 2 arguments, got 1", lambda: call("add", VALUE)),
    ("in takes 2 to many arguments, got 1", lambda: call("in", VALUE)),
    (r"one type, got \(int64, int32\); add a cast", lambda: call("add", VALUE, INT32_VALUE)),
    ("add needs numbers, got string", lambda: call("add", EVENT_TYPE, EVENT_TYPE)),
    ("divide needs float64, got int64; add a cast", lambda: call("divide", VALUE, VALUE)),
    ("int_divide needs int64, got int32", lambda: call("int_divide", INT32_VALUE, INT32_VALUE)),
    ("bit_and needs integers, got bool; cast", lambda: call("bit_and", FLAG, FLAG)),
    ("length needs string or binary, got int64", lambda: call("length", VALUE)),
    ("greatest takes 2 to many arguments", lambda: call("greatest", VALUE)),
    ("and needs bool, got int64", lambda: call("and", VALUE, VALUE)),
    (
        "needs an else value; use a null literal",
        lambda: call("case_when", FLAG, VALUE, FLAG, VALUE),
    ),
    ("case_when needs bool conditions", lambda: call("case_when", VALUE, VALUE, VALUE)),
    ("cannot cast int64 to date; cast to timestamp first", lambda: Cast(VALUE, DATE)),
    ("int64 to binary in ansi mode, only in legacy mode", lambda: Cast(VALUE, BINARY)),
    ("300 is not a literal of type int8", lambda: Literal(300, INT8)),
    ("True is not a literal of type int64", lambda: Literal(True, INT64)),
    ("1 is not a literal of type float64", lambda: Literal(1, FLOAT64)),
    ("is not a literal of type date", lambda: Literal(2**31, DATE)),
    ("0.1 is not a float32; round it first", lambda: Literal(0.1, FLOAT32)),
    ("1e.300 is not a float32", lambda: Literal(1e300, FLOAT32)),
    ("half a surrogate pair, which UTF-8 cannot encode", lambda: Literal("\ud800", STRING)),
    ("filter needs a bool predicate, got int64", lambda: Filter(EVENTS, VALUE)),
    (
        "filter reads column 'x'; there are: event_type, campaign_id",
        lambda: Filter(EVENTS, Column("x", BOOL)),
    ),
    (
        r"project 'y' reads value: int32\?, but the input has value: int64\?; rebind",
        lambda: Project(EVENTS, (Named("y", Column("value", INT32)),)),
    ),
    (
        r"reads value: int64, but the input has value: int64\?",
        lambda: Project(EVENTS, (Named("y", Column("value", INT64, nullable=False)),)),
    ),
    ("unknown aggregate 'middle'; known: count", lambda: AggregateCall("middle", VALUE)),
    (
        "percentile needs a fraction from 0.0 to 1.0, got 1.5",
        lambda: AggregateCall("percentile", VALUE, EvalMode.ANSI, (1.5,)),
    ),
    (
        "median needs an integer or a float, got string; cast it first",
        lambda: AggregateCall("median", EVENT_TYPE),
    ),
    ("sum needs a number, got string; cast it first", lambda: AggregateCall("sum", EVENT_TYPE)),
    ("max needs an argument", lambda: AggregateCall("max")),
    ("needs a window, a key or an aggregate", lambda: Aggregate(EVENTS, None, (), ())),
    ("a window needs a timestamp, got int64; cast it first", lambda: TumblingWindow(VALUE, 1)),
    ("positive size, got 0 microseconds", lambda: TumblingWindow(TIME, 0)),
    (r"offset must be in \[0, 10\).* take it modulo", lambda: TumblingWindow(TIME, 10, 10)),
    (
        "'window_start' occurs twice; rename",
        lambda: Aggregate(EVENTS, TumblingWindow(TIME, 10), (Named("window_start", CAMPAIGN),), ()),
    ),
]


@pytest.mark.parametrize(("message", "build"), ILLEGAL, ids=[m for m, _ in ILLEGAL])
def test_illegal_ir_fails_with_advice(message: str, build: Callable[[], object]) -> None:
    with pytest.raises(IrError, match=message):
        build()


def test_literals_are_equal_when_they_compute_the_same() -> None:
    assert Literal(0.0, FLOAT64) != Literal(-0.0, FLOAT64)
    assert Literal(math.nan, FLOAT64) == Literal(math.nan, FLOAT64)
    assert Literal(1, INT64) != Literal(1, TIMESTAMP)
    assert hash(Literal(math.nan, FLOAT64)) == hash(Literal(math.nan, FLOAT64))


def test_plans_and_errors_survive_pickling_with_their_types() -> None:
    for copied in (pickle.loads(pickle.dumps(REVENUE)), copy.deepcopy(REVENUE)):
        assert copied == REVENUE
        assert copied.schema["revenue"].type is INT64
    error = pickle.loads(pickle.dumps(EvaluationError("CAST_OVERFLOW", "cast(x as int8)")))
    assert (error.condition, error.expression) == ("CAST_OVERFLOW", "cast(x as int8)")


CAN_FAIL = [
    (call("add", VALUE, VALUE), True),
    (call("add", Literal(1.0, FLOAT64), Literal(1.0, FLOAT64)), False),
    (call("int_divide", VALUE, long(2)), False),
    (call("int_divide", VALUE, long(-1)), True),
    (call("int_divide", VALUE, long(0)), True),
    (call("remainder", VALUE, long(-1)), False),
    (call("remainder", VALUE, long(None)), True),
    (call("abs", VALUE), True),
    (call("abs", Literal(1.0, FLOAT64)), False),
    (call("ceil", Literal(1.0, FLOAT64)), True),
    (Cast(VALUE, FLOAT32), False),
    (Cast(VALUE, INT32), True),
    (Cast(FLAG, INT8), False),
    (call("is_null", Cast(VALUE, INT32)), True),
]


@pytest.mark.parametrize(("expr", "expected"), CAN_FAIL)
def test_what_can_fail(expr: Cast, expected: bool) -> None:
    assert expr.can_fail is expected
