"""Compiled functions of local times give what the evaluator gives, in any zone at any time."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive.runtime import PlanRunner, Projection
from ir import (
    DATE,
    INT32,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
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
    evaluate,
    evaluate_expr,
)
from ir.zones import Zone
from tests.arrow import canonical, from_table, to_batch
from tests.zones import NEW_YORK, ZONES, instants, literal, zones

SCHEMA = Schema((Field("t", TIMESTAMP), Field("near", TIMESTAMP), Field("day", DATE)))
TIME, NEAR, DAY = (Column(field.name, field.type) for field in SCHEMA)
DAY_US = 86_400_000_000


def functions(zone: Zone, mode: EvalMode) -> tuple[Call, ...]:
    return (
        Call("local_date", (literal(zone), TIME)),
        Call("local_time", (literal(zone), TIME)),
        Call("to_local", (literal(zone), TIME), mode),
        Call("from_local", (literal(zone), TIME), mode),
        Call("from_local", (literal(zone), TIME, NEAR), mode),
        Call("day_start", (literal(zone), DAY), mode),
        Call("day_start", (literal(zone), DAY, NEAR), mode),
    )


@cache
def projection(zone: Zone, mode: EvalMode) -> Projection:
    made = enumerate(functions(zone, mode))
    named = tuple(Named(f"c{place}", expr) for place, expr in made)
    return Projection(Sink(Project(Source("in", SCHEMA), named), "out"))


def rows(zone: Zone) -> st.SearchStrategy[list[dict[str, Scalar]]]:
    times = st.none() | instants(zone)
    one = st.builds(
        lambda time, near, far, is_far: {
            "t": time,
            # The offset matters where both are next to one change.
            "near": near if is_far or time is None else _within(time + far),
            "day": None if near is None else _within(near) // DAY_US + is_far,
        },
        times,
        times,
        st.integers(-(10**10), 10**10),
        st.booleans(),
    )
    return st.lists(one, min_size=1, max_size=40)


def _within(moment: int) -> int:
    return max(-(2**63), min(moment, 2**63 - 1))


def assert_same(zone: Zone, data: list[dict[str, Scalar]]) -> None:
    made = from_table(projection(zone, EvalMode.TRY).run(to_batch(data, SCHEMA)))
    wanted = [
        {
            f"c{place}": evaluate_expr(expr, row)
            for place, expr in enumerate(functions(zone, EvalMode.TRY))
        }
        for row in data
    ]
    assert canonical(made) == canonical(wanted)


@pytest.mark.parametrize("zone", ZONES, ids=lambda zone: zone.name)
@given(data=st.data())
@settings(max_examples=30)
def test_known_zones(zone: Zone, data: st.DataObject) -> None:
    assert_same(zone, data.draw(rows(zone)))


@given(data=st.data())
@settings(max_examples=12)
def test_any_zone(data: st.DataObject) -> None:
    zone = data.draw(zones())
    assert_same(zone, data.draw(rows(zone)))


def test_groups_by_local_days() -> None:
    """In filters, keys and values of a kernel, whose functions are compiled apart."""
    draw = random.Random(5)
    moments = [
        draw.choice(NEW_YORK.changes_s) * 10**6 + draw.randint(-(10**11), 10**11)
        for _ in range(3_000)
    ]
    data: list[dict[str, Scalar]] = [{"t": m, "near": None, "day": None} for m in moments]
    time = Call("local_time", (literal(NEW_YORK), TIME))
    early = Call("lt", (Call("hour", (time,)), Literal(9, INT32)))
    keys = (Named("day", Call("local_date", (literal(NEW_YORK), TIME))),)
    start = Call("day_start", (literal(NEW_YORK), keys[0].expr, TIME))
    latest = NamedAggregate("m", AggregateCall("max", start))
    counted = NamedAggregate("n", AggregateCall("count", None))
    source = Filter(Source("in", SCHEMA), early)
    plan = Sink(Aggregate(source, None, keys, (latest, counted)), "out")
    runner = PlanRunner(plan)
    for begin in range(0, len(data), 700):
        runner.consume(to_batch(data[begin : begin + 700], SCHEMA))
    assert canonical(from_table(runner.finish())) == canonical(evaluate(plan, data))


@pytest.mark.parametrize("place", [2, 3, 4, 5, 6])
def test_what_is_out_of_range_is_an_error(place: int) -> None:
    end = 2**63 - 1 if place > 2 else -(2**63)
    row: dict[str, Scalar] = {"t": end, "near": end, "day": 2**31 - 1}
    expr = functions(NEW_YORK, EvalMode.ANSI)[place]
    with pytest.raises(EvaluationError, match="DATETIME_OVERFLOW"):
        evaluate_expr(expr, row)
    plan = Sink(Project(Source("in", SCHEMA), (Named("c", expr),)), "out")
    with pytest.raises(EvaluationError, match=r"DATETIME_OVERFLOW.*America/New_York#"):
        Projection(plan).run(to_batch([row], SCHEMA))
