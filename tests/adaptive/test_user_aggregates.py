"""Aggregates that users write as functions over expressions: types that follow, and the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import ir
from adaptive import Engine, stream
from adaptive import functions as f
from adaptive.api import Aggregation
from tests.arrow import canonical, from_table, to_batch

SALES = stream({"shop": "int64", "time": "timestamp", "price": "double", "quantity": "int"})
SCHEMA = [*SALES.plan.walk()][-1].schema


def average_price(**changed: Any) -> Aggregation:
    """The example of `f.aggregate`, with parts of it replaced."""
    parts: dict[str, Any] = {
        "initial": {"paid": 0.0, "items": 0},
        "accumulate": lambda state, price, quantity: {
            "paid": state.paid + price * quantity,
            "items": state.items + quantity,
        },
        "merge": lambda left, right: {
            "paid": left.paid + right.paid,
            "items": left.items + right.items,
        },
        "result": lambda state: state.paid / state.items,
        "name": "average_price",
    }
    return f.aggregate("price", "quantity", **(parts | changed))


def squares() -> Aggregation:
    """A state of one value that can be taken out again."""
    return f.aggregate(
        "quantity",
        initial=0,
        accumulate=lambda total, quantity: total + quantity * quantity,
        merge=lambda left, right: left + right,
        inverse=lambda left, right: left - right,
        name="squares",
    )


def best() -> Aggregation:
    """A state that is null until there is a value."""
    return f.aggregate(
        "price",
        initial=f.lit(None).cast("double"),
        accumulate=f.greatest,
        merge=f.greatest,
        name="best",
    )


def definition_of(aggregation: Aggregation) -> ir.UserAggregate:
    """What an aggregate is bound to."""
    definition = aggregation.bind_call(SCHEMA).definition
    assert definition is not None
    return definition


def test_types_follow_from_what_is_stored() -> None:
    """Whole numbers count in 64 bits, and a state is null only where it may become so."""
    assert definition_of(average_price()).state.fields == (
        ir.Field("paid", ir.FLOAT64, False),
        ir.Field("items", ir.INT64, False),
    )
    halves = average_price(initial={"paid": 0, "items": 0}, result=lambda state: state.paid)
    assert definition_of(halves).state["paid"] == ir.Field("paid", ir.FLOAT64, False)
    assert definition_of(best()).state.fields == (ir.Field("state", ir.FLOAT64, True),)


WINDOWS = {
    "tumbling": f.window("time", "10 seconds"),
    "sliding": f.window("time", "10 seconds", "2 seconds"),
    "session": f.session_window("time", "1 second"),
    "count": f.count_window(7),
    "sliding count": f.count_window(9, 3),
}


@pytest.mark.parametrize("window", WINDOWS)
def test_every_window(window: str) -> None:
    """Prices are whole, so that sums do not depend on their order."""
    query = SALES.group_by(WINDOWS[window], "shop").agg(
        average=average_price(),
        squares=squares().where(f.col("price") > 2),
        best=best(),
        median=f.median("price"),
        ninth=f.percentile("quantity", 0.9),
        mode=f.mode("quantity"),
        different=f.count_distinct("price"),
    )
    rows: list[dict[str, ir.Scalar]] = [
        {
            "shop": i * i % 5,
            "time": i * 100_000 + (i // 40) * 3_000_000,
            "price": None if i % 11 == 0 else float(i * 7 % 10),
            "quantity": None if i % 13 == 0 else i % 4 + 1,
        }
        for i in range(600)
    ]
    evaluator = ir.StreamEvaluator(query.plan)
    wanted = canonical([*evaluator.push(rows), *evaluator.finish()])
    for threads in (0, 2):
        with Engine(query, threads=threads) as engine:
            made = [engine.push(to_batch(rows, SCHEMA)), engine.finish()]
        assert canonical(from_table(pa.concat_tables(made))) == wanted


WRONG: list[tuple[str, Callable[[], Aggregation]]] = [
    (
        "accumulate takes 1 inputs behind the state, but 2 are given",
        lambda: average_price(accumulate=lambda state, price: {}),
    ),
    (
        "merge must return a dict with exactly the keys 'paid', 'items'",
        lambda: average_price(merge=lambda left, right: {"paid": left.paid}),
    ),
    ("a state of several values needs a result", lambda: average_price(result=None)),
    (
        r"this null has no type; write f.lit\(None\).cast",
        lambda: f.aggregate("price", initial=None, accumulate=f.greatest, merge=f.greatest),
    ),
    (
        "the initial state .* is no constant",
        lambda: f.aggregate("price", initial=f.lit(1) + 1, accumulate=f.least, merge=f.least),
    ),
    (
        "the state 'state' starts as bool and becomes",
        lambda: f.aggregate(
            "price",
            initial=True,
            accumulate=lambda state, price: price,
            merge=lambda left, right: left,
        ),
    ),
]


@pytest.mark.parametrize(("message", "build"), WRONG, ids=[message for message, _ in WRONG])
def test_what_is_wrong_is_said(message: str, build: Callable[[], Aggregation]) -> None:
    with pytest.raises(ir.IrError, match=message):
        SALES.group_by("shop").agg(r=build())
