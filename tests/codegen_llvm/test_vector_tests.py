"""Filters over so many rows that they are tested by vectors give what the evaluator gives."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive.runtime import PlanRunner
from ir import (
    BOOL,
    GENERIC,
    INT32,
    INT64,
    STRING,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Column,
    Expr,
    Field,
    Filter,
    Literal,
    NamedAggregate,
    Scalar,
    Schema,
    Sink,
    Source,
    Tier,
    ValuesInRange,
    VariantSpec,
    evaluate,
)
from policies import Fixed
from tests.arrow import canonical, from_table, to_batch

NAMES = ("a", "bb", "cc", "")
KIND, LONG, SHORT = Column("kind", STRING), Column("long", INT64), Column("short", INT32)
SCHEMA = Schema((Field("kind", STRING), Field("long", INT64), Field("short", INT32)))
SMALL = VariantSpec(Tier.SPECULATIVE, (ValuesInRange("long", -3, 3), ValuesInRange("short", -3, 3)))
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def numbers(column: Column) -> st.SearchStrategy[Expr]:
    """A column, a constant, or arithmetic that is vectorised where ranges prove it."""
    literals = st.integers(-2, 2).map(lambda value: Literal(value, column.type))
    leaf: st.SearchStrategy[Expr] = st.just(column) | literals
    if column is LONG:
        leaf |= st.just(Cast(SHORT, INT64))
    two = st.builds(
        lambda f, a, b: Call(f, (a, b)),
        st.sampled_from(("add", "subtract", "multiply")),
        leaf,
        leaf,
    )
    one = st.builds(lambda f, a: Call(f, (a,)), st.sampled_from(("negate", "abs")), leaf | two)
    return leaf | leaf | two | one | one.map(lambda made: Cast(made, column.type))


@st.composite
def atoms(draw: st.DrawFn) -> Expr:
    """A predicate with a form over vectors, or nearly one."""
    column = draw(st.sampled_from((LONG, SHORT, KIND)))
    if column is KIND:
        name = Literal(draw(st.sampled_from(NAMES)), STRING)
        call = draw(st.sampled_from(("eq", "ne", "is_null", "is_not_null")))
        return Call(call, (column, name) if call in ("eq", "ne") else (column,))
    low, high = draw(numbers(column)), draw(numbers(column))
    call = draw(st.sampled_from((*COMPARISONS, "between", "is_null")))
    if call == "is_null":
        return Call(call, (column,))
    return Call(call, (column, low, high) if call == "between" else (low, high))


PREDICATES = st.recursive(
    atoms(),
    lambda inner: (
        st.builds(lambda one: Call("not", (one,)), inner)
        | st.builds(lambda f, a, b: Call(f, (a, b)), st.sampled_from(("and", "or")), inner, inner)
    ),
    max_leaves=4,
)


@st.composite
def many_rows(draw: st.DrawFn) -> list[dict[str, Scalar]]:
    """From 16 to 70 rows, as vectors take 16; with or without nulls."""
    missing = st.none() if draw(st.booleans()) else st.nothing()
    row = st.fixed_dictionaries(
        {
            "kind": missing | st.sampled_from(NAMES),
            "long": missing | st.integers(-3, 3),
            "short": missing | st.integers(-3, 3),
        }
    )
    some = draw(st.lists(row, min_size=1, max_size=12))
    count = draw(st.integers(16, 70))
    return [some[number * 7 % len(some)] for number in range(count)]


@settings(max_examples=80)
@given(
    predicates=st.lists(PREDICATES, min_size=1, max_size=2),
    rows=many_rows(),
    dictionary=st.booleans(),
    spec=st.sampled_from((GENERIC, SMALL, SMALL)),
)
def test_filters(
    predicates: list[Expr], rows: list[dict[str, Scalar]], dictionary: bool, spec: VariantSpec
) -> None:
    source = Source("rows", SCHEMA)
    node: Source | Filter = source
    for predicate in predicates:
        assert predicate.type is BOOL
        node = Filter(node, predicate)
    calls = (
        NamedAggregate("n", AggregateCall("count")),
        NamedAggregate("s", AggregateCall("sum", LONG)),
    )
    plan = Sink(Aggregate(node, None, (), calls), "out")
    runner = PlanRunner(plan, Fixed(spec))
    runner.consume(to_batch(rows, SCHEMA, frozenset({"kind"}) if dictionary else frozenset()))
    assert canonical(from_table(runner.finish())) == canonical(evaluate(plan, rows))
