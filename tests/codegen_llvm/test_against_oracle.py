"""Every variant of random plans over random batches gives what the evaluator gives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from adaptive.runtime import PlanRunner
from codegen_llvm import unsupported
from ir import (
    DATE,
    GENERIC,
    INT32,
    INT64,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    EvaluationError,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Scalar,
    Schema,
    SelectRows,
    Sink,
    Source,
    Tier,
    VariantSpec,
    evaluate,
)
from policies import Fixed, Policy
from tests.arrow import canonical, from_table, to_batch
from tests.strategies import ALL_MODES, EXACT, expressions, plans, rows_for

Rows = list[dict[str, Scalar]]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Sink, Rows]:
    """A plan that code generation takes, and rows for it."""
    plan = draw(plans().filter(lambda plan: not unsupported(plan)))
    return plan, draw(rows_for(source_of(plan).schema, max_size=40))


def source_of(plan: Sink) -> Source:
    """The source of a plan."""
    *_, source = plan.walk()
    assert isinstance(source, Source)
    return source


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Bets made without a look at the data, so that many are wrong."""
    hints = draw(st.sampled_from(((), (SelectRows(1),), (SelectRows(7),), GENERIC.hints)))
    return Fixed(VariantSpec(Tier.SPECULATIVE, (), hints))


def check(case: tuple[Sink, Rows], data: st.DataObject) -> None:
    """One case: any split into batches, any layout, any bet."""
    plan, rows = case
    schema = source_of(plan).schema
    dictionary = frozenset(data.draw(st.sets(st.sampled_from(schema.names))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    runner = PlanRunner(
        plan,
        data.draw(policies()),
        most_slices=data.draw(st.sampled_from((1, 3, 1024))),
    )
    try:
        expected = evaluate(plan, rows)
    except EvaluationError:
        with pytest.raises(EvaluationError):
            run(runner, rows, schema, dictionary, cuts, data)
        return
    made, spilled = run(runner, rows, schema, dictionary, cuts, data)
    # Groups that were spilled are combined of parts: floats are then added in another order.
    any_float = rounded_columns(plan) if spilled else frozenset()
    assert canonical(made, any_float) == canonical(expected, any_float)
    assert runner.groups == 0


def rounded_columns(plan: Sink) -> frozenset[str]:
    """The aggregates whose result depends on the order of the rows, by rounding."""
    return frozenset(
        one.name
        for node in plan.walk()
        if isinstance(node, Aggregate)
        for one in node.aggregates
        if one.call.function not in EXACT | {"first", "last"} and one.call.type.is_float
    )


def run(  # type: ignore[no-untyped-def]
    runner: PlanRunner, rows: Rows, schema, dictionary, cuts, data
) -> tuple[Rows, bool]:
    """Push the rows in pieces, each shifted in its buffers; the results, and whether any spilled.

    A sum is checked at the end only: what comes later may make it fit.
    """
    for begin, end in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        shift = data.draw(st.integers(0, 9))
        runner.consume(to_batch(rows[begin:end], schema, dictionary, shift))
    spilled = runner.spilled
    return from_table(runner.finish()), spilled


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(), data=st.data())
def test_a_wrong_guess_costs_time_never_rows(case: tuple[Sink, Rows], data: st.DataObject) -> None:
    """Any variant, sound or not, gives the reference answer."""
    check(case, data)


@st.composite
def integer_key_cases(draw: st.DrawFn) -> tuple[Sink, Rows]:
    """One integer key, computed so that it may become null or wrap, behind a filter.

    Such keys are compared without a look at the tag where they can be, which
    random plans hardly ever reach.
    """
    type_ = draw(st.sampled_from((INT64, INT64, INT32, DATE)))
    nullable = draw(st.booleans())
    names = ("a", "b", "c")
    schema = Schema(tuple(Field(name, type_, nullable) for name in names))
    key = draw(expressions(schema, type_, 2, ALL_MODES[1:]))
    kept = Call("ne", (Column("a", type_, nullable), Literal(77, type_)))
    value = draw(expressions(schema, type_, 1, ALL_MODES[1:]))
    calls = (AggregateCall("count"), AggregateCall("min", value), AggregateCall("max", value))
    named = tuple(NamedAggregate(f"r{i}", call) for i, call in enumerate(calls))
    grouped = Aggregate(Filter(Source("in", schema), kept), None, (Named("k", key),), named)
    return Sink(grouped, "out"), draw(rows_for(schema, max_size=60))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=integer_key_cases(), data=st.data())
def test_integer_keys(case: tuple[Sink, Rows], data: st.DataObject) -> None:
    """Keys that collide, become null, wrap, or mark unused slots."""
    check(case, data)


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_fuzz(fuzz_seeds: Iterator[int]) -> None:
    """The same, with new seeds for as long as asked; a failure prints its seed."""
    for number in fuzz_seeds:

        @seed(number)
        @settings(
            max_examples=200,
            deadline=None,
            database=None,
            derandomize=False,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        )
        @given(case=st.one_of(cases(), integer_key_cases()), data=st.data())
        def run(case: tuple[Sink, Rows], data: st.DataObject) -> None:
            check(case, data)

        run()
