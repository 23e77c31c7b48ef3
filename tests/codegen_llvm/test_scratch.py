"""Strings that a row makes: memory grows while a kernel runs, and every row starts anew."""

from __future__ import annotations

import pytest

from adaptive.runtime import PlanRunner
from ir import (
    BOOL,
    INT32,
    INT64,
    STRING,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    EvaluationError,
    Expr,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Schema,
    SelectRows,
    Sink,
    Source,
    Tier,
    VariantSpec,
    evaluate,
)
from policies import Fixed
from tests.arrow import canonical, from_table, to_batch

SCHEMA = Schema((Field("s", STRING), Field("n", INT64)))
S, N = Column("s", STRING), Column("n", INT64)
TWICE = Call("concat", (S, S))
ROWS = [{"s": c * (17 * i % 301) if i % 7 else None, "n": i} for i, c in enumerate("abcdé" * 40)]
SPECS = {
    "blocks": (SelectRows(16),),
    "one block": (SelectRows(),),
    "rows": (),
}


def plan(predicate: Expr, key: Expr, longest: Expr) -> Sink:
    """Count by a key what a filter keeps, and the greatest text."""
    calls = (AggregateCall("count"), AggregateCall("max", longest))
    named = tuple(NamedAggregate(f"r{i}", call) for i, call in enumerate(calls))
    return Sink(
        Aggregate(Filter(Source("in", SCHEMA), predicate), None, (Named("k", key),), named), "out"
    )


def at_least(text: Expr, size: int) -> Expr:
    """Whether a text has this many bytes."""
    return Call("ge", (Call("octet_length", (text,)), Literal(size, INT32)))


def of_text(function: str, *args: Expr) -> Expr:
    """A function of the text."""
    return Call(function, (S, *args))


SHORT = of_text("left", Literal(2, INT32))  # a part of the batch: nothing is made
LETTERS = Call("concat_ws", (Literal("-", STRING), of_text("upper"), Call("reverse", (S,))))

PLANS = {
    "filter": plan(at_least(TWICE, 100), N, N),
    "key": plan(Call("is_not_null", (N,)), TWICE, N),
    "aggregate": plan(Call("is_not_null", (N,)), Call("remainder", (N, Literal(3, INT64))), TWICE),
    "all": plan(at_least(TWICE, 10), Call("concat", (S, TWICE)), Call("concat", (TWICE, TWICE))),
    "texts": plan(
        Call("like", (of_text("lower"), Literal("%_%", STRING))),
        LETTERS,
        of_text("replace", Literal("é", STRING), TWICE),
    ),
    "parts": plan(Call("ne", (SHORT, Literal("aa", STRING))), SHORT, Call("trim", (TWICE, SHORT))),
    "branch": plan(
        Literal(True, BOOL),
        Call("case_when", (at_least(S, 200), TWICE, Call("concat", (S, Literal("!", STRING))))),
        Call("coalesce", (TWICE, Call("concat", (Literal("none", STRING),)))),
    ),
}


@pytest.mark.parametrize("dictionary", [(), ("s",)], ids=["plain", "dictionary"])
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", PLANS)
def test_memory_grows_at_any_row(name: str, spec: str, dictionary: tuple[str, ...]) -> None:
    runner = PlanRunner(PLANS[name], Fixed(VariantSpec(Tier.SPECULATIVE, (), SPECS[spec])))
    for begin, end in ((0, 1), (1, 90), (90, 200)):
        runner.consume(to_batch(ROWS[begin:end], SCHEMA, frozenset(dictionary)))
    assert canonical(from_table(runner.finish())) == canonical(evaluate(PLANS[name], ROWS))


@pytest.mark.parametrize("spec", SPECS)
def test_a_row_starts_anew(spec: str) -> None:
    """A million bytes are made in all, but never more than 600 for a row."""
    runner = PlanRunner(PLANS["all"], Fixed(VariantSpec(Tier.SPECULATIVE, (), SPECS[spec])))
    rows = [{"s": "x" * 60, "n": i} for i in range(2000)]
    runner.consume(to_batch(rows, SCHEMA))
    assert runner.scratch_bytes <= 2048


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("where", ["filter", "aggregate"])
def test_an_error_names_its_row(where: str, spec: str) -> None:
    inverse = Call("int_divide", (Literal(1, INT64), Call("subtract", (N, Literal(77, INT64)))))
    fails = Call("is_not_null", (inverse,))
    made = plan(fails if where == "filter" else Call("is_not_null", (N,)), N, inverse)
    runner = PlanRunner(made, Fixed(VariantSpec(Tier.SPECULATIVE, (), SPECS[spec])))
    runner.consume(to_batch(ROWS[:30], SCHEMA))
    with pytest.raises(EvaluationError, match="at row 47 of the batch") as raised:
        runner.consume(to_batch(ROWS[30:], SCHEMA))
    assert raised.value.row == 47
    assert raised.value.condition == "DIVIDE_BY_ZERO"
