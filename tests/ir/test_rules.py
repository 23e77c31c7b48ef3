"""Rewrite rules by IR equality, what they must leave alone, and that meaning survives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir import (
    BOOL,
    INT8,
    INT32,
    INT64,
    STRING,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Column,
    EvalMode,
    EvaluationError,
    Expr,
    Filter,
    IrError,
    Literal,
    Named,
    NamedAggregate,
    Operator,
    PassReport,
    Project,
    Scalar,
    Schema,
    Sink,
    Source,
    evaluate,
    optimize,
    verify,
)
from ir.passes import PASSES
from ir.rewrite import MAX_ROUNDS, Pass, run_passes
from ir.rules import (
    drop_true_filters,
    fold_constants,
    merge_filters,
    prune_columns,
    push_filters_below_projections,
    simplify_and,
    simplify_case_when,
    simplify_or,
)
from tests.ir.build import (
    CAMPAIGN,
    EVENT_TYPE,
    EVENTS,
    FALSE,
    FLAG,
    REVENUE,
    RISKY,
    TIME,
    TRUE,
    UNKNOWN,
    VALUE,
    call,
    long,
    patiently,
)
from tests.strategies import any_plans, rows_for

COUNT = (NamedAggregate("n", AggregateCall("count")),)
IS_FIVE = call("eq", VALUE, long(5))
FAILING = call("int_divide", long(1), long(0))
FAILING_AND = call("and", FLAG, RISKY)


def test_merge_filters() -> None:
    assert merge_filters(Filter(Filter(EVENTS, FLAG), RISKY)) == Filter(EVENTS, FAILING_AND)
    assert merge_filters(Filter(EVENTS, FLAG)) is None


def test_drop_true_filters() -> None:
    assert drop_true_filters(Filter(EVENTS, TRUE)) == EVENTS
    assert drop_true_filters(Filter(EVENTS, UNKNOWN)) is None


def test_push_filters_below_projections() -> None:
    columns = (Named("x", call("add", VALUE, long(1))), Named("unread", CAMPAIGN))
    above = Filter(Project(EVENTS, columns), call("eq", Column("x", INT64), long(5)))
    below = Filter(EVENTS, call("eq", call("add", VALUE, long(1)), long(5)))
    assert push_filters_below_projections(above) == Project(below, columns)


def test_a_filter_stays_above_a_projection_where_the_push_would_hide_an_error() -> None:
    p = Column("p", BOOL)
    assert (
        push_filters_below_projections(Filter(Project(EVENTS, (Named("p", FAILING_AND),)), p))
        is None
    )
    assert push_filters_below_projections(
        Filter(Project(EVENTS, (Named("p", call("and", FLAG, IS_FIVE)),)), p)
    ) == Project(
        Filter(EVENTS, call("and", FLAG, IS_FIVE)), (Named("p", call("and", FLAG, IS_FIVE)),)
    )


FOLDED: list[tuple[Expr, Expr | None]] = [
    (call("add", long(1), long(2)), long(3)),
    (call("add", long(1), long(None)), long(None)),
    (call("not", TRUE), FALSE),
    (call("not", UNKNOWN), UNKNOWN),
    (Cast(long(5), INT8), Literal(5, INT8)),
    (call("add", long(1), VALUE), None),
    (FAILING, None),
    (Call("int_divide", (long(1), long(0)), EvalMode.TRY), long(None)),
    (call("add", long(INT64.high), long(1)), None),
    (Call("add", (long(INT64.high), long(1)), EvalMode.LEGACY), long(INT64.low)),
    (long(1), None),
    (VALUE, None),
]


@pytest.mark.parametrize(("expr", "expected"), FOLDED)
def test_fold_constants(expr: Expr, expected: Expr | None) -> None:
    assert fold_constants(expr) == expected


AND_CASES: list[tuple[tuple[Expr, Expr], Expr | None]] = [
    ((TRUE, FLAG), FLAG),
    ((FLAG, TRUE), FLAG),
    ((TRUE, FAILING_AND), FAILING_AND),
    ((FALSE, FLAG), FALSE),
    ((FALSE, RISKY), FALSE),
    ((FLAG, FALSE), FALSE),
    ((RISKY, FALSE), None),
    ((UNKNOWN, FLAG), None),
    ((FLAG, UNKNOWN), None),
]


@pytest.mark.parametrize(("args", "expected"), AND_CASES)
def test_simplify_and(args: tuple[Expr, Expr], expected: Expr | None) -> None:
    assert simplify_and(Call("and", args)) == expected


OR_CASES: list[tuple[tuple[Expr, Expr], Expr | None]] = [
    ((FALSE, FLAG), FLAG),
    ((FLAG, FALSE), FLAG),
    ((TRUE, RISKY), TRUE),
    ((FLAG, TRUE), TRUE),
    ((RISKY, TRUE), None),
    ((UNKNOWN, FLAG), None),
    ((FALSE, FAILING_AND), None),
]


@pytest.mark.parametrize(("args", "expected"), OR_CASES)
def test_simplify_or(args: tuple[Expr, Expr], expected: Expr | None) -> None:
    assert simplify_or(Call("or", args)) == expected


CASES: list[tuple[tuple[Expr, ...], Expr | None]] = [
    ((TRUE, VALUE, long(0)), VALUE),
    ((FALSE, VALUE, long(0)), long(0)),
    ((UNKNOWN, VALUE, long(0)), long(0)),
    ((FLAG, VALUE, TRUE, long(1), FAILING), call("case_when", FLAG, VALUE, long(1))),
    ((FALSE, FAILING, FLAG, VALUE, long(0)), call("case_when", FLAG, VALUE, long(0))),
    ((FLAG, VALUE, long(0)), None),
    ((TRUE, FAILING_AND, FLAG), None),
]


@pytest.mark.parametrize(("args", "expected"), CASES)
def test_simplify_case_when(args: tuple[Expr, ...], expected: Expr | None) -> None:
    assert simplify_case_when(Call("case_when", args)) == expected


def narrowed(*names: str) -> Source:
    return Source("events", Schema(tuple(f for f in EVENTS.schema if f.name in names)))


def test_prune_columns_narrows_projections_and_the_source() -> None:
    wide = (Named("k", CAMPAIGN), Named("unread", call("negate", VALUE)))
    key = (Named("k", Column("k", INT64, nullable=False)),)

    def plan(source: Operator, columns: tuple[Named, ...]) -> Sink:
        return Sink(Aggregate(Project(Filter(source, FLAG), columns), None, key, COUNT), "out")

    pruned = plan(narrowed("campaign_id", "flag"), wide[:1])
    assert prune_columns(plan(EVENTS, wide)) == pruned


def test_prune_columns_keeps_what_the_sink_delivers_and_the_order_of_the_source() -> None:
    plan = Sink(Project(EVENTS, (Named("b", VALUE), Named("a", EVENT_TYPE))), "out")
    assert prune_columns(plan).schema == plan.schema
    assert list(prune_columns(plan).walk())[-1] == narrowed("event_type", "value")


def test_optimize_ends_with_one_filter_next_to_a_narrow_source() -> None:
    messy = Filter(
        Project(
            Filter(EVENTS, call("and", TRUE, call("eq", VALUE, call("add", long(2), long(3))))),
            (Named("on", FLAG), Named("value", VALUE), Named("at", TIME)),
        ),
        Column("on", BOOL),
    )
    plan = Sink(Aggregate(messy, None, (), COUNT), "out")
    source = narrowed("value", "flag")
    expected = Project(Filter(source, call("and", IS_FIVE, FLAG)), ())
    assert optimize(plan) == Sink(Aggregate(expected, None, (), COUNT), "out")


def test_every_pass_is_reported_with_what_it_changed() -> None:
    reports: list[PassReport] = []
    made = optimize(REVENUE, reports.append)
    assert [r.name for r in reports] == [p.name for p in PASSES] * 2
    assert [r.name for r in reports if r.changed] == ["prune_columns"]
    assert reports[-1].plan == made


def test_a_pass_that_makes_an_illegal_plan_is_named() -> None:
    def breaks(plan: Sink) -> Sink:
        broken = Sink(Filter(EVENTS, FLAG), "out")
        object.__setattr__(broken.source, "predicate", VALUE)
        return broken

    with pytest.raises(IrError, match=r"pass wreck made an illegal plan: sink\.filter: "):
        run_passes(REVENUE, (Pass("wreck", breaks),))


def test_passes_that_undo_each_other_end() -> None:
    plan = Sink(EVENTS, "a")
    names: list[str] = []

    def rename(before: Sink) -> Sink:
        return Sink(before.source, "b" if before.name == "a" else "a")

    run_passes(plan, (Pass("rename", rename),), lambda report: names.append(report.name))
    assert len(names) == MAX_ROUNDS


def outcome(plan: Sink, rows: list[dict[str, Scalar]]) -> str:
    """The text of the result, because NaN is not equal to itself; or that it fails."""
    try:
        return repr(evaluate(plan, rows))
    except EvaluationError:
        return "fails"


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_optimizing_keeps_the_meaning(data: st.DataObject) -> None:
    plan = data.draw(any_plans())
    better = optimize(plan)
    verify(better)
    assert [(f.name, f.type) for f in better.schema] == [(f.name, f.type) for f in plan.schema]
    rows = data.draw(rows_for(list(plan.walk())[-1].schema))
    assert outcome(better, rows) == outcome(plan, rows)


@patiently
@given(any_plans())
def test_optimizing_again_changes_nothing(plan: Sink) -> None:
    once = optimize(plan)
    assert optimize(once) == once


def test_a_long_text_is_not_made_for_the_plan() -> None:
    """`repeat('x', 2147483647)` would take two gigabytes before a row comes."""
    count = Literal(2**31 - 1, INT32)
    assert fold_constants(Call("repeat", (Literal("x", STRING), count))) is None
    small = Call("repeat", (Literal("x", STRING), Literal(3, INT32)))
    assert fold_constants(small) == Literal("xxx", STRING)
