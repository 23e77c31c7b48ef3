"""Row groups that are left out have no row that passes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ir
from adaptive.runtime.binding import arrow_type
from adaptive.scan import ParquetScan, Piece
from adaptive.scan.skipping import Range, needed_ranges
from ir import (
    Aggregate,
    AggregateCall,
    Call,
    Column,
    Expr,
    Field,
    Filter,
    Literal,
    NamedAggregate,
    Schema,
    Sink,
    Source,
)

TYPES = [ir.INT8, ir.INT16, ir.INT32, ir.INT64, ir.DATE, ir.TIMESTAMP]


def plan(schema: Schema, *filters: Expr) -> Sink:
    rows: ir.Operator = Source("files", schema)
    for predicate in filters:
        rows = Filter(rows, predicate)
    return Sink(
        Aggregate(rows, None, (), (NamedAggregate("n", AggregateCall("count", None)),)), "s"
    )


@st.composite
def predicates(draw: st.DrawFn, column: Column) -> Expr:
    def literal() -> Literal:
        return Literal(draw(st.none() | st.integers(-2, 2)), column.type)

    function = draw(st.sampled_from(["eq", "lt", "le", "gt", "ge", "ne", "between", "in", "or"]))
    if function in ("between", "in"):
        return Call(function, (column, literal(), literal()))
    if function == "or":
        return Call("or", (Call("eq", (column, literal())), Call("is_null", (column,))))
    sides = (column, literal()) if draw(st.booleans()) else (literal(), column)
    return Call(function, sides)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), type_=st.sampled_from(TYPES))
def test_every_row_that_passes_is_read(
    tmp_path: Path, data: st.DataObject, type_: ir.DataType
) -> None:
    values = data.draw(st.lists(st.none() | st.integers(-2, 2), min_size=1, max_size=20))
    wanted = data.draw(st.sampled_from([type_, ir.INT64] if type_.is_integer else [type_]))
    column = Column("x", wanted)
    filters = data.draw(st.lists(predicates(column), min_size=1, max_size=2))
    array = pa.array(values, pa.int64() if type_ is ir.TIMESTAMP else pa.int32())
    path = tmp_path / "f"
    pq.write_table(pa.table({"x": array.cast(arrow_type(type_))}), path, row_group_size=3)
    schema = Schema((Field("x", wanted),))
    scan = ParquetScan(schema, ranges=needed_ranges(plan(schema, *filters)))
    raw = pa.int64() if wanted in (ir.INT64, ir.TIMESTAMP) else pa.int32()
    read = [
        x for b in scan.read(Piece(str(path))) for x in b.column(0).cast(raw).to_pylist()
    ]  # fmt: skip

    def passing(rows: list[int | None]) -> list[int | None]:
        return [x for x in rows if all(ir.evaluate_expr(f, {"x": x}) is True for f in filters)]

    assert passing(read) == passing(values)


@pytest.mark.parametrize(
    ("predicate", "left"),
    [
        (Call("ge", (Column("x", ir.INT64), Literal(25, ir.INT64))), 10),
        (Call("eq", (Literal(15, ir.INT64), Column("x", ir.INT64))), 10),
        (Call("in", (Column("x", ir.INT64), *(Literal(v, ir.INT64) for v in (3, 12)))), 20),
        (Call("is_not_null", (Column("nothing", ir.INT64),)), 0),
        (Call("lt", (Column("missing", ir.DATE), Literal(1, ir.DATE))), 0),
        (Call("gt", (Column("x", ir.INT64), Literal(None, ir.INT64))), 30),
        (Call("ne", (Column("x", ir.INT64), Literal(5, ir.INT64))), 30),
    ],
)
def test_row_groups_are_left_out(tmp_path: Path, predicate: Expr, left: int) -> None:
    nothing = pa.nulls(30, pa.int64())
    pq.write_table(
        pa.table({"x": range(30), "nothing": nothing}), tmp_path / "f", row_group_size=10
    )
    names = {"x": ir.INT64, "nothing": ir.INT64, "missing": ir.DATE}
    schema = Schema(tuple(Field(name, type_) for name, type_ in names.items()))
    scan = ParquetScan(schema, ranges=needed_ranges(plan(schema, predicate)))
    assert sum(b.num_rows for b in scan.read(Piece(str(tmp_path / "f")))) == left


def test_numbers_that_mean_something_else_are_read(tmp_path: Path) -> None:
    """As `tinyint`, 300 is 44: what the footer tells is about other values."""
    pq.write_table(pa.table({"x": pa.array([300], pa.int32())}), tmp_path / "f")
    scan = ParquetScan(Schema((Field("x", ir.INT8),)), ranges=(Range("x", 44, 44),))
    assert sum(b.num_rows for b in scan.read(Piece(str(tmp_path / "f")))) == 1


def test_plans_without_an_aggregate() -> None:
    x = Column("x", ir.INT64)
    rows = Filter(Source("files", Schema((Field("x", ir.INT64),))), Call("is_not_null", (x,)))
    assert needed_ranges(Sink(rows, "rows")) == (Range("x"),)
