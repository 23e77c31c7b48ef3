"""Decimal arithmetic, keys and aggregates in generated code against the evaluator."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen_llvm import unsupported
from ir import (
    BOOL,
    Aggregate,
    AggregateCall,
    Field,
    Filter,
    Named,
    NamedAggregate,
    Scalar,
    Schema,
    Sink,
    Source,
)
from tests.codegen_llvm.test_against_oracle import check
from tests.strategies import (
    ALL_MODES,
    DECIMALS,
    MODE_MIXES,
    OTHER_DECIMALS,
    decimal_expressions,
    expressions,
    rows_for,
)

Rows = list[dict[str, Scalar]]
FUNCTIONS = ("sum", "avg", "min", "max", "count")


@st.composite
def decimal_cases(draw: st.DrawFn) -> tuple[Sink, Rows]:
    """A key and some aggregates of decimals, behind a filter on them."""
    modes = draw(st.sampled_from((*MODE_MIXES, ALL_MODES[1:])))
    types = draw(st.lists(st.sampled_from((*DECIMALS, *OTHER_DECIMALS)), min_size=1, max_size=3))
    fields = (
        Field(name, type_, draw(st.booleans())) for name, type_ in zip("abc", types, strict=False)
    )
    schema = Schema(tuple(fields))
    kept = draw(expressions(schema, BOOL, 2, modes))
    keys = [draw(decimal_expressions(schema, 1, modes)) for _ in range(draw(st.integers(0, 2)))]
    calls = [
        AggregateCall(
            draw(st.sampled_from(FUNCTIONS)),
            draw(decimal_expressions(schema, 2, modes)),
            draw(st.sampled_from(modes)),
        )
        for _ in range(draw(st.integers(1, 3)))
    ]
    source = Source("in", schema)
    grouped = Aggregate(
        Filter(source, kept) if draw(st.booleans()) else source,
        None,
        tuple(Named(f"k{i}", key) for i, key in enumerate(keys)),
        tuple(NamedAggregate(f"r{i}", call) for i, call in enumerate(calls)),
    )
    return Sink(grouped, "out"), draw(rows_for(schema, max_size=30))


@pytest.mark.long
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=decimal_cases().filter(lambda case: not unsupported(case[0])), data=st.data())
def test_decimals(case: tuple[Sink, Rows], data: st.DataObject) -> None:
    """Whatever the digits of operands and results."""
    check(case, data)
