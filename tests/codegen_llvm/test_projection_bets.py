"""Variants of projections, drawn without a look at the data, give what the evaluator gives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from adaptive.runtime import Projection
from ir import (
    GENERIC,
    INT64,
    Call,
    Column,
    EvaluationError,
    Field,
    Filter,
    FilterOrder,
    Literal,
    Named,
    NoNulls,
    Project,
    Scalar,
    Schema,
    Sink,
    Source,
    Tier,
    VariantSpec,
    evaluate,
)
from policies import Fixed
from tests.arrow import canonical, from_table, to_batch
from tests.bets import Erratic
from tests.codegen_llvm.guesses import NAMES, many_rows, projected_plans, variants

Rows = list[dict[str, Scalar]]
QUICKLY = settings(deadline=None, suppress_health_check=list(HealthCheck))


def results(made: object) -> list[str]:
    """Rows in order, in a form in which equal results are equal."""
    return [shown for row in from_table(made) for shown in canonical([row])]  # type: ignore[arg-type]


def check(plan: Sink, data: st.DataObject) -> None:
    """The variants take turns from piece to piece of the rows, of which some have no nulls."""
    *_, source = plan.walk()
    assert isinstance(source, Source)
    rows: Rows = data.draw(many_rows(source.schema))
    drawn = (*data.draw(variants(1, NAMES)), VariantSpec(Tier.SPECULATIVE, (), ()))
    projection = Projection(plan, Erratic(variants=drawn, seed=data.draw(st.integers(0, 99))))
    step = data.draw(st.sampled_from((1, 7, 30, 200)))
    for begin in range(0, len(rows), step):
        piece = rows[begin : begin + step]
        batch = to_batch(piece, source.schema)
        try:
            expected = evaluate(plan, piece)
        except EvaluationError:
            with pytest.raises(EvaluationError):
                projection.run(batch)
            continue
        made = projection.run(batch)
        made.validate(full=True)
        assert results(made) == [shown for row in expected for shown in canonical([row])]


@settings(QUICKLY, max_examples=60)
@given(plan=projected_plans(), data=st.data())
def test_a_wrong_guess_costs_time_never_rows(plan: Sink, data: st.DataObject) -> None:
    check(plan, data)


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_fuzz(fuzz_seeds: Iterator[int]) -> None:
    """The same with new seeds for as long as asked; a failure prints its seed."""
    for number in fuzz_seeds:

        @seed(number)
        @settings(QUICKLY, max_examples=60, database=None, derandomize=False)
        @given(plan=projected_plans(), data=st.data())
        def run(plan: Sink, data: st.DataObject) -> None:
            check(plan, data)

        run()


A, B = Column("a", INT64), Column("b", INT64)
SCHEMA = Schema((Field("a", INT64), Field("b", INT64)))
NOT_ZERO = Call("ne", (A, Literal(0, INT64)))
DIVIDED = Call("ge", (Call("int_divide", (Literal(8, INT64), A)), Literal(2, INT64)))
LARGE = Call("ge", (B, Literal(5, INT64)))


def plan_of(*filters: Call) -> Sink:
    node: Source | Filter = Source("in", SCHEMA)
    for predicate in filters:
        node = Filter(node, predicate)
    return Sink(Project(node, (Named("a", A), Named("b", B))), "out")


@pytest.mark.parametrize("hints", [(), GENERIC.hints], ids=["branches", "blocks"])
def test_no_filter_moves_past_one_that_can_fail(hints: tuple[object, ...]) -> None:
    """One that protects it stays before it, and one behind it does not hide its failure."""
    order = FilterOrder((2,), (1, 0))
    spec = VariantSpec(Tier.SPECULATIVE, (), (*hints, order))  # type: ignore[arg-type]
    rows: Rows = [{"a": n % 5, "b": n % 11} for n in range(100)]
    plan = plan_of(NOT_ZERO, DIVIDED, LARGE)
    made = Projection(plan, Fixed(spec)).run(to_batch(rows, SCHEMA))
    assert made.to_pylist() == evaluate(plan, rows)
    with pytest.raises(EvaluationError, match="DIVIDE_BY_ZERO"):
        Projection(plan_of(DIVIDED, LARGE), Fixed(spec)).run(to_batch(rows[:3], SCHEMA))


def test_a_null_where_there_should_be_none_leaves_the_batch_to_the_generic_variant() -> None:
    """Its nulls are counted before the variant runs, and it is told as a guard that failed."""
    spec = VariantSpec(Tier.SPECULATIVE, (NoNulls(("b",)),))
    projection, plan = Projection(plan_of(LARGE), Fixed(spec)), plan_of(LARGE)
    some: Rows = [{"a": None, "b": n} for n in range(9)]
    for rows in (some, [*some, {"a": 1, "b": None}], some):
        assert projection.run(to_batch(rows, SCHEMA)).to_pylist() == evaluate(plan, rows)
    projection.leave()
    assert sum(use.guard_exits for use in projection.history) == 1
    assert sum(use.rows for use in projection.history) == 28
