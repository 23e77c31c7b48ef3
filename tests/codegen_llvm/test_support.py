"""Code generation says what it cannot take; what it takes is complete."""

from __future__ import annotations

from codegen_llvm import unsupported
from codegen_llvm.expressions import BRANCHING, LOWERINGS
from ir import (
    FUNCTIONS,
    INT64,
    Aggregate,
    AggregateCall,
    Column,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Schema,
    Sink,
    Source,
)
from ir.types import BOOL

SOURCE = Source("in", Schema((Field("a", INT64),)))
A = Column("a", INT64)


def counts(number: int) -> tuple[NamedAggregate, ...]:
    """Some aggregates."""
    return tuple(NamedAggregate(f"n{i}", AggregateCall("count")) for i in range(number))


def test_every_function_of_the_ir_has_a_lowering() -> None:
    """A new function without one would be left to Spark in silence."""
    assert LOWERINGS.keys() | BRANCHING == FUNCTIONS.keys()


def test_reasons() -> None:
    """One reason for each thing in the way."""
    key = (Named("a", A),)
    grouped = Aggregate(SOURCE, None, key, counts(1))
    assert unsupported(Sink(grouped, "out")) == ()
    assert "without an aggregate" in unsupported(Sink(SOURCE, "out"))[0]
    above = Filter(grouped, Literal(True, BOOL))
    assert "above the aggregate" in unsupported(Sink(above, "out"))[0]
    assert "more than 31" in unsupported(Sink(Aggregate(SOURCE, None, key, counts(31)), "out"))[0]
