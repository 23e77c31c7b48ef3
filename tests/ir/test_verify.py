"""The verifier finds what was changed behind the constructors' back, and says where."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ir import (
    INT64,
    Aggregate,
    DataType,
    Field,
    Filter,
    IrError,
    Literal,
    Named,
    Project,
    Schema,
    Sink,
    Source,
    verify,
)
from tests.ir.build import CAMPAIGN, EVENTS, FLAG, RISKY, VALUE, call, long, patiently
from tests.strategies import any_plans


@patiently
@given(any_plans())
def test_what_constructors_accept_is_legal(plan: Sink) -> None:
    verify(plan)


def broken(node: Any, **changes: object) -> Any:
    """The node, changed in place as only a bug could."""
    for name, value in changes.items():
        object.__setattr__(node, name, value)
    return node


def narrowed_source() -> Source:
    return Source("events", Schema((Field("campaign_id", INT64),)))


def filtered() -> Filter:
    return Filter(EVENTS, call("and", FLAG, RISKY))


ILLEGAL: list[tuple[Any, str]] = [
    (EVENTS, "root of a plan is a Sink, got Source; wrap it in Sink"),
    (Sink(Sink(EVENTS, "a"), "b"), "one sink"),
    (Sink(broken(filtered(), source=narrowed_source()), "o"), r"sink\.filter: filter reads column"),
    (Sink(broken(filtered(), schema=Schema(())), "o"), r"sink\.filter: schema is .* rebuild"),
    (Sink(broken(filtered(), predicate=VALUE), "o"), r"sink\.filter: filter needs a bool"),
    (broken(Sink(EVENTS, "o"), source=FLAG), r"sink\.source: expected Operator, got Column"),
    (broken(Sink(EVENTS, "o"), name=None), r"sink\.name: expected str, got NoneType"),
    (
        Sink(Filter(EVENTS, call("and", FLAG, broken(call("not", FLAG), nullable=False))), "o"),
        r"sink\.filter\.predicate\.and\[1\]: nullable is False, but follows as True",
    ),
    (
        Sink(Filter(EVENTS, call("and", FLAG, broken(call("not", FLAG), args=(VALUE,)))), "o"),
        r"and\[1\]: not needs bool",
    ),
    (
        Sink(broken(Project(EVENTS, ()), columns=(broken(Named("x", FLAG), expr="x"),)), "o"),
        r"columns\[0\]\.expr: expected Expr, got str",
    ),
    (
        Sink(Project(EVENTS, (Named("x", broken(long(1), value=2**63)),)), "o"),
        r"columns\[0\]\.expr: 9223372036854775808 is not a literal of type int64",
    ),
    (
        Sink(Project(EVENTS, (Named("x", Literal(None, DataType("int64"))),)), "o"),
        "int64 is not a type of ir.types; use type_named",
    ),
    (
        Sink(broken(Aggregate(EVENTS, None, (Named("k", CAMPAIGN),), ()), keys=()), "o"),
        "needs a window, a key or an aggregate",
    ),
]


@pytest.mark.parametrize(("plan", "message"), ILLEGAL, ids=[m for _, m in ILLEGAL])
def test_an_illegal_plan_is_found_with_its_path(plan: Any, message: str) -> None:
    with pytest.raises(IrError, match=message):
        verify(plan)
