"""Compiled filters and projections give what the evaluator gives, in order."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive.runtime import Projection, UnsupportedPlan, arrow_schema
from codegen_llvm import unsupported_in_engine
from ir import (
    BINARY,
    BOOL,
    FLOAT32,
    FLOAT64,
    GENERIC,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    EvaluationError,
    Expr,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Operator,
    Project,
    Scalar,
    Schema,
    SelectRows,
    Sink,
    Source,
    Tier,
    VariantSpec,
    cut,
    decimal,
    evaluate,
    flatten_projection,
)
from policies import Fixed
from tests.arrow import canonical, from_table, to_batch
from tests.strategies import any_plans, rows_for

Rows = list[dict[str, Scalar]]
SPECS = [GENERIC, *(VariantSpec(Tier.SPECULATIVE, (), (SelectRows(n),)) for n in (1, 7))]


def is_projection(plan: Sink) -> bool:
    """Whether a plan has no aggregate and code generation takes it."""
    return len(cut(plan)) == 1 and not unsupported_in_engine(plan)


def source_of(plan: Sink) -> Source:
    """The source of a plan."""
    *_, source = plan.walk()
    assert isinstance(source, Source)
    return source


@st.composite
def cases(draw: st.DrawFn) -> tuple[Sink, Rows]:
    plan = draw(any_plans().filter(is_projection))
    return plan, draw(rows_for(source_of(plan).schema, max_size=40))


def results(batch: pa.RecordBatch) -> list[str]:
    """Rows in order, in a form in which equal results are equal."""
    if not batch.schema.names:
        return ["[]"] * batch.num_rows
    return [shown for row in from_table(pa.table(batch)) for shown in canonical([row])]


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(), data=st.data())
def test_any_projection(case: tuple[Sink, Rows], data: st.DataObject) -> None:
    """Any plan without an aggregate, any split, any layout, any size of blocks."""
    plan, rows = case
    schema = source_of(plan).schema
    dictionary = frozenset(data.draw(st.sets(st.sampled_from(schema.names))))
    projection = Projection(plan, Fixed(data.draw(st.sampled_from(SPECS))))
    cut_at = data.draw(st.integers(0, len(rows)))
    for piece in (rows[:cut_at], rows[cut_at:]):
        batch = to_batch(piece, schema, dictionary, data.draw(st.integers(0, 9)))
        try:
            expected = evaluate(plan, piece)
        except EvaluationError:
            with pytest.raises(EvaluationError):
                projection.run(batch)
            continue
        made = projection.run(batch)
        made.validate(full=True)
        assert made.schema == arrow_schema(plan.schema)
        assert results(made) == [shown for row in expected for shown in canonical([row])]


S, N = Column("s", STRING), Column("n", INT64)
SCHEMA = Schema((Field("s", STRING), Field("n", INT64)))
SOURCE = Source("in", SCHEMA)
ROWS: Rows = [
    {"s": c * (17 * i % 301) if i % 7 else None, "n": i} for i, c in enumerate("abcdé" * 40)
]


def plan_of(*columns: Expr, where: Expr | None = None) -> Sink:
    node: Operator = SOURCE if where is None else Filter(SOURCE, where)
    return Sink(Project(node, tuple(Named(f"c{i}", e) for i, e in enumerate(columns))), "out")


@pytest.mark.parametrize("dictionary", [(), ("s",)], ids=["plain", "dictionary"])
@pytest.mark.parametrize("where", [None, Call("ne", (N, Literal(3, INT64)))], ids=["all", "some"])
@pytest.mark.parametrize("spec", SPECS)
def test_memory_for_strings_grows_at_any_row(
    spec: VariantSpec, where: Expr | None, dictionary: tuple[str, ...]
) -> None:
    """Memory of the output and of the row grow in turn, for two columns."""
    twice = Call("concat", (S, S))
    plan = plan_of(S, Call("concat", (twice, S)), N, Call("coalesce", (twice, S)), where=where)
    projection = Projection(plan, Fixed(spec))
    for begin, end in ((0, 1), (1, 90), (90, 200), (0, 200)):
        made = projection.run(to_batch(ROWS[begin:end], SCHEMA, frozenset(dictionary)))
        expected = evaluate(plan, ROWS[begin:end])
        assert results(made) == [shown for row in expected for shown in canonical([row])]


@pytest.mark.parametrize("where", ["filter", "column"])
def test_an_error_names_its_row(where: str) -> None:
    inverse = Call("int_divide", (Literal(1, INT64), Call("subtract", (N, Literal(77, INT64)))))
    fails = Call("is_not_null", (inverse,))
    plan = plan_of(N, where=fails) if where == "filter" else plan_of(S, inverse)
    projection = Projection(plan)
    assert projection.run(to_batch(ROWS[:77], SCHEMA)).num_rows == 77
    with pytest.raises(EvaluationError, match="at row 47 of the batch") as raised:
        projection.run(to_batch(ROWS[30:], SCHEMA))
    assert raised.value.condition == "DIVIDE_BY_ZERO"
    assert projection.run(to_batch(ROWS[:77], SCHEMA)).num_rows == 77


def test_columns_that_are_passed_on_are_not_copied() -> None:
    batch = to_batch(ROWS, SCHEMA)
    made = Projection(plan_of(N, S, Call("add", (N, Literal(1, INT64))))).run(batch)
    for position, name in ((0, "n"), (1, "s")):
        there = batch.column(name).buffers()
        assert [b and b.address for b in made.column(position).buffers()] == [
            b and b.address for b in there
        ]


def test_results_do_not_share_memory_with_later_ones() -> None:
    projection = Projection(plan_of(Call("concat", (S, S)), N, where=Call("ge", (N, N))))
    first = projection.run(to_batch(ROWS[:50], SCHEMA))
    kept = first.to_pylist()
    projection.run(to_batch(ROWS[100:150], SCHEMA))
    assert first.to_pylist() == kept


def test_no_columns_and_no_rows() -> None:
    nothing = Projection(Sink(Project(Filter(SOURCE, Call("gt", (N, Literal(9, INT64)))), ()), "o"))
    assert nothing.run(to_batch(ROWS[:20], SCHEMA)).num_rows == 10
    empty = Projection(plan_of(S, Call("concat", (S,)))).run(to_batch([], SCHEMA))
    assert (empty.num_rows, empty.schema.names) == (0, ["c0", "c1"])


def test_decimals_and_binaries() -> None:
    money = decimal(20, 2)
    schema = Schema((Field("m", money), Field("b", BINARY), Field("t", TIMESTAMP, False)))
    m, b, t = Column("m", money), Column("b", BINARY), Column("t", TIMESTAMP, False)
    rows: Rows = [
        {"m": 10**19 * (-1) ** i if i % 3 else None, "b": b"\xff" * i, "t": i} for i in range(9)
    ]
    doubled = Named("doubled", Call("add", (m, m)))
    kept = Filter(Source("in", schema), Call("is_not_null", (m,)))
    columns = (Named("m", m), doubled, Named("b", b), Named("t", t))
    for source in (kept, kept.source):
        plan = Sink(Project(source, columns), "out")
        made = Projection(plan).run(to_batch(rows, schema, shift=3))
        assert results(made) == [s for row in evaluate(plan, rows) for s in canonical([row])]


def test_the_steps_above_an_aggregate() -> None:
    """The last pipeline of a plan is a projection over what the aggregate makes."""
    grouped = Aggregate(
        SOURCE, None, (Named("s", S),), (NamedAggregate("n", AggregateCall("sum", N)),)
    )
    plan = Sink(Filter(grouped, Call("gt", (Column("n", INT64), Literal(9, INT64)))), "out")
    *_, last = cut(plan)
    projection = Projection(flatten_projection(last))
    made = projection.run(to_batch([{"s": "a", "n": 9}, {"s": "b", "n": 10}], SCHEMA))
    assert made.to_pylist() == [{"s": "b", "n": 10}]
    with pytest.raises(UnsupportedPlan, match="last pipeline"):
        Projection(plan)
    assert unsupported_in_engine(plan) == ()
    assert unsupported_in_engine(plan_of(Literal(True, BOOL))) == ()


@pytest.mark.parametrize("function", ["round", "bround"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 2.5])
def test_constants_that_are_no_numbers_are_rounded(function: str, value: float) -> None:
    """LLVM computes with constants itself, and drops code that would use an undefined one."""
    for type_ in (FLOAT32, FLOAT64):
        call = Call(function, (Literal(value, type_), Literal(0, INT32)))
        source = Source("in", Schema((Field("a", INT64),)))
        plan = Sink(Project(source, (Named("x", call), Named("a", Column("a", INT64)))), "out")
        rows = [{"a": 1}, {"a": 2}]
        made = Projection(plan).run(to_batch(rows, source.schema))
        assert results(made) == [s for row in evaluate(plan, rows) for s in canonical([row])]
