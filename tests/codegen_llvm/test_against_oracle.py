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
    Sink,
    Source,
    evaluate,
)
from policies import Fixed
from tests.arrow import canonical, from_table, to_batch
from tests.bets import Erratic
from tests.codegen_llvm.guesses import grouped_plans, many_rows, variants
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


def keys_of(plan: Sink) -> int:
    """How many keys the groups of a plan have."""
    (grouped,) = (node for node in plan.walk() if isinstance(node, Aggregate))
    return len(grouped.keys)


@st.composite
def policies(draw: st.DrawFn, plan: Sink) -> Fixed:
    """A bet made without a look at the data, so that many are wrong."""
    return Fixed(draw(st.sampled_from(draw(variants(keys_of(plan), source_of(plan).schema.names)))))


def check(case: tuple[Sink, Rows], data: st.DataObject) -> None:
    """One case: any split into batches, any layout, any bet."""
    plan, rows = case
    dictionary = frozenset(data.draw(st.sets(st.sampled_from(source_of(plan).schema.names))))
    check_run(plan, rows, expected_of(plan, rows), data.draw(policies(plan)), dictionary, data)


def expected_of(plan: Sink, rows: Rows) -> Rows | None:
    """What the evaluator gives, or None if that is an error."""
    try:
        return evaluate(plan, rows)
    except EvaluationError:
        return None


def check_run(
    plan: Sink,
    rows: Rows,
    expected: Rows | None,
    policy: Fixed,
    dictionary: frozenset[str],
    data: st.DataObject,
) -> None:
    """Rows in batches of any size give the expected result, or fail."""
    schema = source_of(plan).schema
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    runner = PlanRunner(plan, policy, most_slices=data.draw(st.sampled_from((1, 3, 1024))))
    if expected is None:
        with pytest.raises(EvaluationError):
            run(runner, rows, schema, dictionary, cuts, data)
        return
    made, spilled = run(runner, rows, schema, dictionary, cuts, data)
    # Groups of several tables are combined: floats are then added in another order.
    if spilled or policy != Fixed():
        any_float = rounded_columns(plan)
        assert canonical(one_zero(made), any_float) == canonical(one_zero(expected), any_float)
    else:
        assert canonical(made) == canonical(expected)
    assert runner.groups == 0


def one_zero(rows: Rows) -> Rows:
    """-0.0 as 0.0: which of them a minimum keeps depends on which comes first."""
    return [{k: 0.0 if v == 0.0 else v for k, v in row.items()} for row in rows]


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


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
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


@settings(max_examples=90, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=integer_key_cases(), data=st.data())
def test_integer_keys(case: tuple[Sink, Rows], data: st.DataObject) -> None:
    """Keys that collide, become null, wrap, or mark unused slots."""
    check(case, data)


TABLES, TURNS = 2, 4


def check_turns(plan: Sink, data: st.DataObject) -> None:
    """Variants that take turns from batch to batch; some of them are the same code."""
    schema = source_of(plan).schema
    chosen = data.draw(variants(keys_of(plan), schema.names))
    for _ in range(TABLES):
        rows = data.draw(many_rows(schema))
        expected = expected_of(plan, rows)
        for _ in range(TURNS):
            policy = Erratic(variants=chosen, seed=data.draw(st.integers(0, 99)))
            check_run(plan, rows, expected, policy, frozenset(), data)


@pytest.mark.parametrize("part", range(4))
def test_wrong_guesses_take_turns(part: int) -> None:
    """Guards fail on first and last rows and all the time, between rows of hot keys and others.

    Four parts of 35 plans, each with 2 tables in 4 ways, are 1,120 cases.
    """

    @seed(part)
    @settings(max_examples=35, deadline=None, suppress_health_check=list(HealthCheck))
    @given(plan=grouped_plans(), data=st.data())
    def run(plan: Sink, data: st.DataObject) -> None:
        check_turns(plan, data)

    run()


fresh = settings(
    deadline=None,
    database=None,
    derandomize=False,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_fuzz(fuzz_seeds: Iterator[int]) -> None:
    """The same, with new seeds for as long as asked; a failure prints its seed."""
    for number in fuzz_seeds:

        @seed(number)
        @settings(fresh, max_examples=200)
        @given(case=st.one_of(cases(), integer_key_cases()), data=st.data())
        def run(case: tuple[Sink, Rows], data: st.DataObject) -> None:
            check(case, data)

        @seed(number)
        @settings(fresh, max_examples=30)
        @given(plan=grouped_plans(), data=st.data())
        def run_in_turns(plan: Sink, data: st.DataObject) -> None:
            check_turns(plan, data)

        run()
        run_in_turns()
