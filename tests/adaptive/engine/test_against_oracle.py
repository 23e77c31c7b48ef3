"""The engine gives what the evaluator gives: any query, any disorder, any batches, any threads.

A case is a query, a stream of events in batches, and a way to run it. Each query is
compiled once and gets several streams, and each stream is run in several ways: five
kinds of windows, 70 queries, 3 streams and 2 ways make 2,100 cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st

from adaptive import Engine
from adaptive.engine.sliced_work import Strategy
from ir import (
    Aggregate,
    AggregateCall,
    EvaluationError,
    NamedAggregate,
    Scalar,
    Sink,
    SlidingWindow,
    Source,
    StreamEvaluator,
    TimeWindow,
    plan_text,
)
from policies import Policy
from tests.arrow import canonical, from_table, to_batch
from tests.stream_strategies import (
    UNITS_US,
    Punctuation,
    Rows,
    Shape,
    Step,
    StreamCase,
    events,
    rounded_names,
    stream_plans,
)

WINDOWS = ("tumbling", "sliding", "session", "count", "none")
STREAMS, WAYS = 3, 2
COUNT = NamedAggregate("n", AggregateCall("count"))

# Where several rows fail, threads decide which one is first.
FAILED = "failed"
Outcome = tuple[list[str], int] | str


@dataclass(frozen=True)
class Way:
    """How an engine runs a query, and how its batches lie in memory."""

    threads: int
    morsel_rows: int | None
    strategy: Strategy
    dictionary: bool
    split: int | None  # other batches of the same rows: so many in each
    policy: Policy | Literal["adaptive"] = "adaptive"


@st.composite
def ways(draw: st.DrawFn) -> Way:
    """Every second way is without threads: there, an error is easier to find."""
    return Way(
        draw(st.sampled_from((0, 0, 0, 1, 2, 3))),
        draw(st.sampled_from((None, 1, 2, 7))),
        draw(st.sampled_from(("auto", "independent", "shared"))),
        draw(st.booleans()),
        draw(st.sampled_from((None, None, 1, 3, 1000))),
    )


@st.composite
def plans_with_streams(draw: st.DrawFn, shape: Shape) -> tuple[Sink, list[tuple[Step, ...]]]:
    """A query, and some streams of events for it."""
    unit_us = draw(st.sampled_from(UNITS_US))
    plan = draw(stream_plans(shape, unit_us))
    schema = next(node.schema for node in plan.walk() if isinstance(node, Source))
    streams = [tuple(events(draw, schema, unit_us, shape.most_rows)) for _ in range(STREAMS)]
    return plan, streams


def wanted(case: StreamCase) -> Outcome:
    """All results and the number of late rows, or that there is an error."""
    stream, made = StreamEvaluator(case.plan), list[dict[str, Scalar]]()
    try:
        for step in case.steps:
            is_rows = isinstance(step, Rows)
            made += stream.push(step.rows) if is_rows else stream.punctuate(step.time_us)
        made += stream.finish()
    except EvaluationError:
        return FAILED
    return canonical(made, rounded_names(case.plan)), stream.late_rows


def given_by_engine(case: StreamCase, way: Way) -> Outcome:
    """The same from an engine."""
    tables, schema = [], case.source.schema
    names = frozenset(f.name for f in schema if f.type.name == "string" and way.dictionary)
    try:
        with Engine(
            case.plan,
            way.threads,
            way.policy,
            strategy=way.strategy,
            morsel_rows=way.morsel_rows,
        ) as engine:
            for step in split(case.steps, way.split):
                if isinstance(step, Rows):
                    tables.append(engine.push(to_batch(step.rows, schema, names)))
                elif engine._time is not None:
                    tables.append(engine.punctuate(step.time_us))
            tables.append(engine.finish())
            late = engine.late_rows
    except EvaluationError:
        return FAILED
    made = from_table(pa.concat_tables(tables))
    return canonical(made, rounded_names(case.plan)), late


def split(steps: tuple[Step, ...], rows: int | None) -> Iterator[Step]:
    """The same steps with other batches: results must not depend on that."""
    for step in steps:
        if rows is None or isinstance(step, Punctuation):
            yield step
        else:
            for begin in range(0, len(step.rows), rows):
                yield Rows(step.rows[begin : begin + rows])


def check(plan: Sink, streams: list[tuple[Step, ...]], data: st.DataObject) -> None:
    """Every stream in some ways."""
    note(plan_text(plan))
    for steps in streams:
        case = StreamCase(plan, steps)
        want = wanted(case)
        for _ in range(WAYS):
            way = data.draw(ways())
            assert given_by_engine(case, way) == want, way


quickly = settings(
    max_examples=70,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("window", WINDOWS)
def test_the_engine_gives_what_the_evaluator_gives(window: str) -> None:
    @quickly
    @given(case=plans_with_streams(Shape(windows=(window,), most_rows=30)), data=st.data())
    def run(case: tuple[Sink, list[tuple[Step, ...]]], data: st.DataObject) -> None:
        check(*case, data)

    run()


@st.composite
def shared_queries(draw: st.DrawFn) -> tuple[list[Sink], tuple[Step, ...]]:
    """Queries of one stream that group the same rows by the same keys, by windows of their own."""
    unit_us = draw(st.sampled_from(UNITS_US))
    shape = Shape(windows=("tumbling", "sliding"), chained=False, most_rows=40)
    plan = draw(stream_plans(shape, unit_us))
    grouped = next(node for node in plan.walk() if isinstance(node, Aggregate))
    assert isinstance(grouped.window, TimeWindow)
    plans = [Sink(grouped, "first")]
    for number in range(draw(st.integers(1, 2))):
        size = draw(st.integers(1, 9)) * unit_us
        slide = draw(st.sampled_from((size, unit_us)))
        offset = draw(st.integers(0, slide - 1))
        window = SlidingWindow(grouped.window.time, size, slide, offset)
        calls = draw(st.lists(st.sampled_from(grouped.aggregates or (COUNT,)), max_size=2))
        named = tuple(NamedAggregate(f"n{i}", one.call) for i, one in enumerate((COUNT, *calls)))
        plans.append(Sink(Aggregate(grouped.source, window, grouped.keys, named), f"q{number}"))
    schema = next(node.schema for node in plan.walk() if isinstance(node, Source))
    return plans, tuple(events(draw, schema, unit_us, shape.most_rows))


@settings(quickly, max_examples=60)
@given(case=shared_queries(), threads=st.sampled_from((0, 3)), rows=st.sampled_from((None, 2)))
def test_queries_that_share_slices(
    case: tuple[list[Sink], tuple[Step, ...]], threads: int, rows: int | None
) -> None:
    """Each gives what it gives alone, late rows included."""
    plans, steps = case
    want = [wanted(StreamCase(plan, steps)) for plan in plans]
    try:
        tables, late = pushed(plans, steps, threads, rows)
    except EvaluationError:
        assert FAILED in want
        return
    for number, plan in enumerate(plans):
        made = from_table(pa.concat_tables([table[number] for table in tables]))
        assert (canonical(made, rounded_names(plan)), late[number]) == want[number]


def pushed(
    plans: list[Sink], steps: tuple[Step, ...], threads: int, rows: int | None
) -> tuple[list[dict[int, pa.Table]], dict[int, int]]:
    """The results of several queries in one engine."""
    schema = StreamCase(plans[0], steps).source.schema
    with Engine(plans, threads, morsel_rows=rows) as engine:
        tables = []
        for step in steps:
            if isinstance(step, Rows):
                tables.append(engine.push(to_batch(step.rows, schema)))
            elif engine._time is not None:
                tables.append(engine.punctuate(step.time_us))
        tables.append(engine.finish())
        return tables, engine.late_rows


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_fuzz(fuzz_seeds: Iterator[int]) -> None:
    """The same with new seeds for as long as asked; a failure prints its seed."""
    for number in fuzz_seeds:

        @seed(number)
        @settings(quickly, max_examples=100, database=None, derandomize=False)
        @given(case=plans_with_streams(Shape()), data=st.data())
        def run(case: tuple[Sink, list[tuple[Step, ...]]], data: st.DataObject) -> None:
            check(*case, data)

        run()
