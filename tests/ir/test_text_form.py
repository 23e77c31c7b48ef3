"""The readable text: goldens, parentheses, and that different meanings read differently."""

from __future__ import annotations

import math
from itertools import product

import pytest

from ir import (
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    Call,
    Cast,
    Column,
    EvalMode,
    Expr,
    Literal,
    Named,
    Project,
    Sink,
    TumblingWindow,
    expr_text,
    plan_text,
)
from tests.ir.build import CAMPAIGN, EVENTS, FLAG, REVENUE, TIME, TRUE, VALUE, call, long

A, B = (Column(name, INT64) for name in "ab")
P, Q, R = (Column(name, BOOL) for name in "pqr")

TEXTS: list[tuple[Expr, str]] = [
    (call("add", A, call("multiply", A, B)), "a + a * b"),
    (call("multiply", call("add", A, B), B), "(a + b) * b"),
    (call("subtract", A, call("subtract", A, B)), "a - (a - b)"),
    (call("subtract", call("subtract", A, B), B), "a - b - b"),
    (Call("add", (A, long(1)), EvalMode.LEGACY), "a +[legacy] 1"),
    (Call("int_divide", (A, B), EvalMode.TRY), "a div[try] b"),
    (call("negate", long(5)), "negate(5)"),
    (call("or", call("and", P, Q), R), "p and q or r"),
    (call("and", P, call("or", Q, R)), "p and (q or r)"),
    (call("and", P, call("and", Q, R)), "p and (q and r)"),
    (call("not", call("and", P, Q)), "not (p and q)"),
    (call("and", call("not", P), Q), "not p and q"),
    (call("eq", call("eq", A, B), P), "(a = b) = p"),
    (call("is_null", call("add", A, B)), "a + b is null"),
    (call("is_not_null", call("eq", A, B)), "(a = b) is not null"),
    (call("not", call("is_null", A)), "not a is null"),
    (call("between", A, long(1), B), "a between 1 and b"),
    (call("in", A, long(1), long(None)), "a in (1, int64 null)"),
    (call("case_when", P, A, Q, B, long(0)), "case when p then a when q then b else 0 end"),
    (call("coalesce", A, B), "coalesce(a, b)"),
    (Call("abs", (A,), EvalMode.LEGACY), "abs[legacy](a)"),
    (call("bit_and", A, call("bit_not", B)), "bit_and(a, bit_not(b))"),
    (call("greatest", A, B, long(0)), "greatest(a, b, 0)"),
    (Cast(A, INT32), "cast(a as int32)"),
    (Cast(A, INT32, EvalMode.TRY), "cast[try](a as int32)"),
    (Literal(5, INT32), "int32 5"),
    (Literal(-0.0, FLOAT64), "-0.0"),
    (Literal(math.nan, FLOAT64), "nan"),
    (Literal(0.5, FLOAT32), "float32 0.5"),
    (Literal(19_000, DATE), "date '2022-01-08'"),
    (Literal(2_932_897, DATE), "date 2932897"),
    (Literal(1, TIMESTAMP), "timestamp '1970-01-01 00:00:00.000001'"),
    (Literal(INT64.high, TIMESTAMP), "timestamp 9223372036854775807"),
    (Literal("it's\n\\ é😀", STRING), "'it\\'s\\n\\\\ é😀'"),
    (Column("event time", INT64), "`event time`"),
    (Column("null", INT64), "`null`"),
    (Column("a`b", INT64), "`a\\`b`"),
]


@pytest.mark.parametrize(("expr", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_the_text_of_an_expression(expr: Expr, text: str) -> None:
    assert expr_text(expr) == text


def test_the_text_of_a_plan() -> None:
    assert plan_text(REVENUE) == (
        "sink out: window_start: timestamp, window_end: timestamp, campaign_id: int64,"
        " revenue: int64?, events: int64\n"
        "  aggregate by tumbling(at, 10 s), campaign_id: revenue = sum(value), events = count(*)\n"
        "    project campaign_id, at = event_time, value\n"
        "      filter event_type = 'view'\n"
        "        source events: event_type: string?, campaign_id: int64, event_time: timestamp?,"
        " value: int64?, flag: bool?\n"
    )


def test_a_window_shows_its_offset_and_the_largest_unit_that_divides_it() -> None:
    window = TumblingWindow(TIME, 90_000_000, 1_500)
    plan = Aggregate(EVENTS, window, (Named("k", CAMPAIGN),), ())
    assert plan_text(plan).splitlines()[0] == (
        "aggregate by tumbling(event_time, 90 s, offset 1500 us), k = campaign_id"
    )


def test_a_plan_without_columns_says_so() -> None:
    assert plan_text(Sink(Project(EVENTS, ()), "out")).startswith(
        "sink out: no columns\n  project no columns\n"
    )


def test_what_is_not_ansi_shows_where_it_is() -> None:
    total = Call("add", (call("add", VALUE, VALUE), VALUE), EvalMode.TRY)
    assert expr_text(total) == "value + value +[try] value"
    assert expr_text(call("and", FLAG, TRUE)) == "flag and true"


def small_expressions(depth: int) -> list[Expr]:
    """All expressions up to a depth of a few functions that bind differently."""
    if depth == 0:
        return [A, Literal(-1, INT64)]
    below = small_expressions(depth - 1)
    made: list[Expr] = list(below)
    for left, right in product(below, below):
        made += (call("add", left, right), call("subtract", left, right))
        made += (Call("multiply", (left, right), EvalMode.TRY), call("coalesce", left, right))
    return [*made, *(call("negate", one) for one in below)]


def small_predicates(depth: int) -> list[Expr]:
    """The same for predicates."""
    if depth == 0:
        return [P, Literal(None, BOOL)]
    below = small_predicates(depth - 1)
    made: list[Expr] = [*below, *(call("not", one) for one in below)]
    made += (call("is_null", one) for one in below)
    for left, right in product(below, below):
        made += (call(name, left, right) for name in ("and", "or", "eq", "lt"))
        made += (call("in", left, right), call("between", left, right, P))
        made.append(call("case_when", left, right, P))
    return made


@pytest.mark.parametrize("exprs", [small_expressions(2), small_predicates(2)], ids=["n", "p"])
def test_different_expressions_read_differently(exprs: list[Expr]) -> None:
    distinct = set(exprs)
    assert len(distinct) > 1_000
    assert len({expr_text(expr) for expr in distinct}) == len(distinct)
