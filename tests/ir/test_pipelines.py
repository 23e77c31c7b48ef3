"""Cutting plans into pipelines and flattening them, by IR equality and against the evaluator."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir import (
    BOOL,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Column,
    EvaluationError,
    Field,
    Filter,
    IrError,
    Literal,
    Named,
    NamedAggregate,
    Project,
    RowProgram,
    Scalar,
    Schema,
    Sink,
    Source,
    TumblingWindow,
    conjunction,
    cut,
    evaluate,
    flatten,
    narrow_nulls,
)
from tests.ir.build import (
    CAMPAIGN,
    EVENT_TYPE,
    EVENTS,
    FLAG,
    REVENUE,
    RISKY,
    TIME,
    VALUE,
    call,
    long,
    patiently,
)
from tests.strategies import any_plans, plans, rows_for


def outcome(plan: Sink, rows: list[dict[str, Scalar]]) -> str:
    """The text of the result, because NaN is not equal to itself; or that it fails."""
    try:
        return repr(evaluate(plan, rows))
    except EvaluationError:
        return "fails"


def replayed(program: RowProgram) -> Sink:
    """The program as a plan."""
    source = Filter(Source("in", program.input), conjunction(program.filters))
    return Sink(Aggregate(source, program.window, program.keys, program.aggregates), "out")


def test_a_plan_is_cut_behind_each_aggregate() -> None:
    first, second = cut(REVENUE)
    assert (first.index, second.index) == (0, 1)
    assert first.input == EVENTS.schema
    assert [type(step) for step in first.steps] == [Filter, Project]
    assert first.end is REVENUE.source
    assert second.input == REVENUE.schema
    assert second.steps == ()
    assert second.end is REVENUE


def test_a_plan_without_an_aggregate_is_one_pipeline() -> None:
    plan = Sink(Filter(EVENTS, FLAG), "out")
    (only,) = cut(plan)
    assert only.steps == (plan.source,)
    assert only.end is plan


def test_flattening_substitutes_projections_and_drops_columns_that_nobody_reads() -> None:
    assert flatten(cut(REVENUE)[0]) == RowProgram(
        Schema(
            (
                Field("event_type", STRING),
                Field("campaign_id", INT64, nullable=False),
                Field("event_time", TIMESTAMP),
                Field("value", INT64),
            )
        ),
        (call("eq", EVENT_TYPE, Literal("view", STRING)),),
        TumblingWindow(TIME, 10_000_000),
        (Named("campaign_id", CAMPAIGN),),
        (
            NamedAggregate("revenue", AggregateCall("sum", VALUE)),
            NamedAggregate("events", AggregateCall("count")),
        ),
        REVENUE.schema,
    )


def test_a_later_projection_reads_the_columns_of_an_earlier_one() -> None:
    doubled = Project(EVENTS, (Named("value", call("add", VALUE, VALUE)),))
    swapped = Project(doubled, (Named("x", call("negate", VALUE)),))
    count = (NamedAggregate("n", AggregateCall("max", Column("x", INT64))),)
    program = flatten(cut(Sink(Aggregate(swapped, None, (), count), "out"))[0])
    assert program.aggregates[0].call.argument == call("negate", call("add", VALUE, VALUE))
    assert program.input.names == ("value",)


def filters_of(predicate_column: Named) -> tuple[object, ...]:
    project = Project(EVENTS, (predicate_column,))
    kept = Filter(project, Column(predicate_column.name, BOOL))
    count = (NamedAggregate("n", AggregateCall("count")),)
    return flatten(cut(Sink(Aggregate(kept, None, (), count), "out"))[0]).filters


def test_a_projected_conjunction_is_split_only_if_that_hides_no_error() -> None:
    is_five = call("eq", VALUE, long(5))
    assert filters_of(Named("p", call("and", FLAG, is_five))) == (FLAG, is_five)
    failing = call("and", FLAG, RISKY)
    assert filters_of(Named("p", failing)) == (failing,)


def test_a_count_of_all_rows_reads_no_column() -> None:
    count = (NamedAggregate("n", AggregateCall("count")),)
    program = flatten(cut(Sink(Aggregate(EVENTS, None, (), count), "out"))[0])
    assert program.input == Schema(())


def test_a_pipeline_that_ends_in_a_sink_has_no_row_program() -> None:
    with pytest.raises(IrError, match="ends in a sink"):
        flatten(cut(REVENUE)[1])


def test_narrowing_derives_nullability_again() -> None:
    program = flatten(cut(REVENUE)[0])
    assert program.filters[0].nullable
    narrowed = narrow_nulls(program, frozenset({"event_type", "value"}))
    assert [f.name for f in narrowed.input if f.nullable] == ["event_time"]
    assert not narrowed.filters[0].nullable
    assert not narrowed.aggregates[0].call.nullable
    assert narrowed.window == program.window
    assert narrowed.output == program.output


def test_narrowing_an_unknown_column_is_an_error() -> None:
    with pytest.raises(IrError, match="'flag'"):
        narrow_nulls(flatten(cut(REVENUE)[0]), frozenset({"flag"}))


@patiently
@given(st.data())
def test_a_row_program_computes_what_the_plan_does(data: st.DataObject) -> None:
    plan = data.draw(plans())
    program = flatten(cut(plan)[0])
    rows = data.draw(rows_for(list(plan.walk())[-1].schema))
    assert outcome(replayed(program), rows) == outcome(plan, rows)


@patiently
@given(any_plans())
def test_pipelines_are_the_plan_in_pieces(plan: Sink) -> None:
    pipelines = cut(plan)
    flow = [node for p in pipelines for node in (*p.steps, p.end)]
    assert flow == list(plan.walk())[-2::-1]
    for before, after in pairwise(pipelines):
        assert after.input == before.end.schema
