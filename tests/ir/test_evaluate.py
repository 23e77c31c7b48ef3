"""The reference evaluator on the tables of facts that Spark itself is tested on too."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir import (
    FLOAT32,
    FLOAT64,
    INT8,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Column,
    EvalMode,
    EvaluationError,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Project,
    Scalar,
    Schema,
    Sink,
    Source,
    TumblingWindow,
    evaluate,
    evaluate_expr,
)
from tests.ir.build import (
    CAMPAIGN,
    EVENTS,
    FLAG,
    REVENUE,
    RISKY,
    TIME,
    VALUE,
    call,
    long,
    patiently,
    row,
)
from tests.ir.fact import Fact, Fails, Outcome, same
from tests.ir.facts import AGGREGATE_FACTS, FACTS, ORDER_FACTS, ORDER_ROW, AggregateFact, OrderFact
from tests.strategies import any_plans, rows_for


def outcome(compute: Callable[[], Scalar]) -> Outcome:
    """The value, or the error's condition."""
    try:
        return compute()
    except EvaluationError as error:
        return Fails(error.condition)


def agree(left: Outcome, right: Outcome) -> bool:
    if isinstance(left, Fails) or isinstance(right, Fails):
        return left == right
    return same(left, right)


@pytest.mark.parametrize("fact", FACTS, ids=str)
def test_a_fact_about_an_expression(fact: Fact) -> None:
    for mode, expected in fact.expected.items():
        made = outcome(partial(evaluate_expr, fact.expr(mode), fact.row()))
        assert agree(made, expected), (mode, made, expected)


@pytest.mark.parametrize("fact", ORDER_FACTS, ids=str)
def test_a_fact_about_the_order_of_evaluation(fact: OrderFact) -> None:
    assert agree(outcome(partial(evaluate_expr, fact.expr, ORDER_ROW)), fact.expected)


@pytest.mark.parametrize("fact", AGGREGATE_FACTS, ids=str)
def test_a_fact_about_an_aggregate(fact: AggregateFact) -> None:
    rows = [{"v": value} for value in fact.values]
    made = outcome(lambda: evaluate(fact.plan, rows)[0]["r"])
    assert agree(made, fact.expected), (made, fact.expected)


def test_a_filter_drops_a_row_at_the_first_conjunct_that_is_null() -> None:
    plan = Filter(EVENTS, call("and", FLAG, RISKY))
    assert evaluate(plan, [row(flag=None, value=0), row(flag=True, value=1)]) == [
        row(flag=True, value=1)
    ]


def test_outside_ansi_a_zero_divisor_hides_an_error_of_the_dividend() -> None:
    failing = call("int_divide", long(1), long(0))
    quotient = Call("int_divide", (failing, long(0)), EvalMode.TRY)
    assert evaluate_expr(quotient, {}) is None


def test_a_projected_column_that_nobody_reads_cannot_fail() -> None:
    bad = Named("bad", call("int_divide", long(1), VALUE))
    project = Project(EVENTS, (bad, Named("value", VALUE)))
    reading = Filter(project, call("eq", VALUE, long(0)))
    kept = Sink(Project(reading, (Named("value", VALUE),)), "out")
    assert evaluate(kept, [row(value=0)]) == [{"value": 0}]
    with pytest.raises(EvaluationError):
        evaluate(Sink(reading, "out"), [row(value=0)])


def test_a_windowed_sum_comes_in_order_of_windows_and_drops_rows_without_time() -> None:
    rows = [
        row(event_type="view", campaign_id=2, event_time=10_000_000, value=5),
        row(event_type="click", campaign_id=2, event_time=10_000_000, value=100),
        row(event_type="view", campaign_id=1, event_time=-1, value=1),
        row(event_type="view", campaign_id=2, event_time=19_999_999, value=None),
        row(event_type="view", campaign_id=2, event_time=None, value=100),
    ]
    names = ("window_start", "window_end", "campaign_id", "revenue", "events")
    assert evaluate(REVENUE, rows) == [
        dict(zip(names, (-10_000_000, 0, 1, 1, 1), strict=True)),
        dict(zip(names, (10_000_000, 20_000_000, 2, 5, 2), strict=True)),
    ]


def test_windows_start_at_their_offset() -> None:
    window = TumblingWindow(TIME, 10, offset_us=3)
    plan = Aggregate(EVENTS, window, (), (NamedAggregate("n", AggregateCall("count")),))
    made = evaluate(plan, [row(event_time=2), row(event_time=3), row(event_time=12)])
    assert made == [
        {"window_start": -7, "window_end": 3, "n": 1},
        {"window_start": 3, "window_end": 13, "n": 2},
    ]


def test_keys_group_as_in_spark() -> None:
    source = Source("in", Schema((Field("k", FLOAT64),)))
    key = Named("k", Column("k", FLOAT64))
    plan = Aggregate(source, None, (key,), (NamedAggregate("n", AggregateCall("count")),))
    made = evaluate(plan, [{"k": v} for v in (-0.0, 0.0, math.nan, -math.nan, None, None)])
    assert [same(r["k"], k) for r, k in zip(made, (None, 0.0, math.nan), strict=True)] == [True] * 3
    assert [r["n"] for r in made] == [2, 2, 2]


def test_a_global_aggregate_of_no_rows_is_one_row_and_a_grouped_one_is_none() -> None:
    aggregates = (
        NamedAggregate("n", AggregateCall("count")),
        NamedAggregate("s", AggregateCall("sum", CAMPAIGN)),
    )
    assert evaluate(Aggregate(EVENTS, None, (), aggregates), []) == [{"n": 0, "s": None}]
    grouped = Aggregate(EVENTS, None, (Named("k", CAMPAIGN),), aggregates)
    assert evaluate(grouped, []) == []


def test_keys_and_window_without_aggregates_are_the_distinct_ones() -> None:
    plan = Aggregate(EVENTS, None, (Named("k", CAMPAIGN),), ())
    made = evaluate(plan, [row(campaign_id=1), row(campaign_id=2), row(campaign_id=1)])
    assert made == [{"k": 1}, {"k": 2}]


def test_float32_arithmetic_rounds_after_each_operation() -> None:
    third = Literal(0.3333333432674408, FLOAT32)
    total = call("add", call("multiply", third, third), third)
    assert evaluate_expr(total, {}) == 0.444444477558136


def test_an_error_names_the_expression_and_the_way_out() -> None:
    with pytest.raises(EvaluationError, match=r"in `cast\(value as int8\)`\. Use try_cast"):
        evaluate_expr(Cast(VALUE, INT8), row(value=1000))


@patiently
@given(st.data())
def test_results_have_the_schema_and_its_nullability(data: st.DataObject) -> None:
    plan = data.draw(any_plans())
    source = list(plan.walk())[-1]
    try:
        made = evaluate(plan, data.draw(rows_for(source.schema)))
    except EvaluationError:
        return  # no result, so nothing to compare with the schema
    for result in made:
        assert tuple(result) == plan.schema.names
        for field in plan.schema:
            assert field.nullable or result[field.name] is not None
