"""Look-ups in tables give what the evaluator gives, row by row."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive.runtime import PlanRunner
from adaptive.runtime.look_up import LookUpTable
from codegen_llvm import unsupported_in_engine
from ir import (
    BOOL,
    FLOAT64,
    INT64,
    STRING,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Column,
    EvalMode,
    Expr,
    Field,
    Filter,
    IrError,
    LookUp,
    Named,
    NamedAggregate,
    Operator,
    Project,
    Scalar,
    Schema,
    Sink,
    Source,
    evaluate,
    from_json,
    key_name,
    optimize,
    plan_text,
    to_json,
)
from tests.arrow import canonical, from_table, to_batch
from tests.strategies import ALL_TYPES, expressions, rows_for, schemas

Rows = list[dict[str, Scalar]]


@st.composite
def look_ups(draw: st.DrawFn, source: Operator, number: int) -> LookUp:
    """A look-up over any source, by columns or by computed keys."""
    fields = source.schema
    keys: list[Expr] = []
    for _ in range(draw(st.sampled_from([1, 1, 2, 3]))):
        field = draw(st.sampled_from(list(fields)))
        key: Expr = Column(field.name, field.type, field.nullable)
        if draw(st.integers(0, 4)) == 0:
            tries = (EvalMode.TRY,)
            computed = draw(expressions(fields, field.type, 2, tries))
            key = key if computed.can_fail else computed
        keys.append(key)
    once = draw(st.integers(0, 3)) == 0
    types = [] if once else draw(st.lists(st.sampled_from(ALL_TYPES), max_size=3))
    columns = Schema(tuple(Field(f"t{number}_{i}", type_) for i, type_ in enumerate(types)))
    return LookUp(source, f"table{number}", tuple(keys), columns, f"found{number}", once)


@st.composite
def tables_for(draw: st.DrawFn, node: LookUp, rows: Rows) -> Rows:
    """Rows of a table, whose keys are mostly keys of the rows; some of them several times."""
    known = evaluate(
        Sink(_keys_of(node), "keys"), rows, {n.table: [] for n in node.walk() if _is(n)}
    )
    table = draw(rows_for(node.table_schema, max_size=8))
    for row in table:
        if known and draw(st.integers(0, 3)):
            row.update(draw(st.sampled_from(known)))
    return table


def _is(node: Operator) -> bool:
    return isinstance(node, LookUp)


def _keys_of(node: LookUp) -> Operator:
    named = tuple(Named(key_name(place), key) for place, key in enumerate(node.keys))
    return Project(node.source, named)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[LookUp], Rows, dict[str, Rows]]:
    schema = draw(schemas())
    rows = draw(rows_for(schema, max_size=30))
    nodes: list[LookUp] = []
    tables: dict[str, Rows] = {}
    source: Operator = Source("in", schema)
    for number in range(draw(st.sampled_from([1, 1, 2]))):
        node = draw(look_ups(source, number))
        tables[node.table] = draw(tables_for(node, rows))
        nodes.append(node)
        source = node
    return nodes, rows, tables


def joined(nodes: list[LookUp], batch: pa.RecordBatch, tables: dict[str, Rows]) -> pa.RecordBatch:
    for node in nodes:
        table = pa.table(to_batch(tables[node.table], node.table_schema))
        batch = LookUpTable(node, table).join(batch)
    return batch


def shown(rows: Rows) -> list[str]:
    """Rows in order, in a form in which equal ones are equal."""
    return [text for row in rows for text in canonical([row])]


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(), data=st.data())
def test_any_look_up(case: tuple[list[LookUp], Rows, dict[str, Rows]], data: st.DataObject) -> None:
    """Any keys, any types, keys that are missing, null or there several times, any layout."""
    nodes, rows, tables = case
    schema = nodes[0].source.schema
    dictionary = frozenset(data.draw(st.sets(st.sampled_from(schema.names))))
    batch = to_batch(rows, schema, dictionary, data.draw(st.integers(0, 9)))
    made = joined(nodes, batch, tables)
    made.validate(full=True)
    expected = evaluate(nodes[-1], rows, tables)
    assert shown(from_table(pa.table(made))) == shown(expected)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(), data=st.data())
def test_groups_of_rows_with_a_partner(
    case: tuple[list[LookUp], Rows, dict[str, Rows]], data: st.DataObject
) -> None:
    """An inner join below an aggregate by a column of the table, as a kernel runs it."""
    nodes, rows, tables = case
    last = nodes[-1]
    kept = Filter(last, Column(last.found, BOOL, nullable=False))
    field = data.draw(st.sampled_from(list(last.columns) or list(last.schema)))
    key = Named("k", Column(field.name, field.type, last.schema[field.name].nullable))
    count = NamedAggregate("rows", AggregateCall("count", None))
    plan = optimize(Sink(Aggregate(kept, None, (key,), (count,)), "out"))
    assert from_json(to_json(plan)) == plan
    nodes = [node for node in reversed(list(plan.walk())) if isinstance(node, LookUp)]
    runner = PlanRunner(plan)
    schema = nodes[0].source.schema
    dictionary = frozenset(schema.names if data.draw(st.booleans()) else ())
    cut_at = data.draw(st.integers(0, len(rows)))
    for piece in (rows[:cut_at], rows[cut_at:]):
        runner.consume(joined(nodes, to_batch(piece, schema, dictionary), tables))
    expected = evaluate(plan, rows, tables)
    assert canonical(from_table(runner.finish())) == canonical(expected)


SOURCE = Source("in", Schema((Field("id", STRING), Field("x", FLOAT64), Field("n", INT64))))
ID, X = Column("id", STRING), Column("x", FLOAT64)
CAMPAIGN = Schema((Field("campaign", STRING),))


def test_equal_keys() -> None:
    """Zeros of both signs and NaNs of all kinds are equal, nulls are not."""
    node = LookUp(SOURCE, "t", (X,), Schema((Field("name", STRING),)), "found")
    values = [0.0, -0.0, math.nan, -math.nan, None, 1.5]
    rows: Rows = [{"id": "a", "x": value, "n": 1} for value in values]
    table: Rows = [
        {"key0": -0.0, "name": "zero"},
        {"key0": -math.nan, "name": "nan"},
        {"key0": None, "name": "null"},
    ]
    made = joined([node], to_batch(rows, SOURCE.schema), {"t": table})
    assert made.column("name").to_pylist() == ["zero", "zero", "nan", "nan", None, None]
    assert [row["name"] for row in evaluate(node, rows, {"t": table})] == [
        *("zero", "zero", "nan", "nan", None, None)
    ]


def test_an_empty_table() -> None:
    node = LookUp(SOURCE, "t", (ID,), CAMPAIGN, "found")
    rows: Rows = [{"id": "a", "x": 1.0, "n": 1}]
    for dictionary in (frozenset[str](), frozenset({"id"})):
        made = joined([node], to_batch(rows, SOURCE.schema, dictionary), {"t": []})
        assert from_table(pa.table(made)) == [{**rows[0], "campaign": None, "found": False}]


def test_a_table_of_a_dictionary_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches that share a dictionary cost a gather each; strings come as codes."""
    table = to_batch([{"key0": "a", "campaign": "c"}], Schema((Field("key0", STRING), *CAMPAIGN)))
    look_up = LookUpTable(LookUp(SOURCE, "t", (ID,), CAMPAIGN, "found"), pa.table(table))
    rows: Rows = [{"id": text, "x": 1.0, "n": 1} for text in ("a", "b", None)]
    batch = to_batch(rows, SOURCE.schema, frozenset({"id"}))
    first = look_up.join(batch)
    monkeypatch.setattr(look_up, "_keys", None)
    again = look_up.join(batch)
    assert again.equals(first)
    assert pa.types.is_dictionary(again.column("campaign").type)
    assert again.column("found").to_pylist() == [True, False, False]


def test_what_a_look_up_refuses() -> None:
    with pytest.raises(IrError, match="right after the source"):
        LookUp(Filter(SOURCE, Call("is_not_null", (ID,))), "t", (ID,), CAMPAIGN, "found")
    with pytest.raises(IrError, match="needs a key"):
        LookUp(SOURCE, "t", (), CAMPAIGN, "found")
    with pytest.raises(IrError, match="can fail"):
        LookUp(SOURCE, "t", (Cast(ID, INT64),), CAMPAIGN, "found")
    with pytest.raises(IrError, match="has no columns"):
        LookUp(SOURCE, "t", (ID,), CAMPAIGN, "found", once=True)


def test_text_and_the_engine() -> None:
    plan = Sink(LookUp(SOURCE, "ads", (ID, X), CAMPAIGN, "found"), "out")
    assert "look up id, x in ads, found found: campaign: string?" in plan_text(plan)
    assert "no tables" in " ".join(unsupported_in_engine(plan))


def test_columns_of_the_table_that_nobody_reads_are_not_asked_for() -> None:
    columns = Schema((Field("campaign", STRING), Field("unread", STRING)))
    node = LookUp(SOURCE, "ads", (ID,), columns, "found")
    count = NamedAggregate("rows", AggregateCall("count", None))
    key = Named("campaign", Column("campaign", STRING))
    plan = optimize(Sink(Aggregate(node, None, (key,), (count,)), "out"))
    [pruned] = [part for part in plan.walk() if isinstance(part, LookUp)]
    assert pruned.columns == CAMPAIGN
    assert pruned.source.schema.names == ("id",)
