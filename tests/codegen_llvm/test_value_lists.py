"""Aggregates that keep all values of a group: many values, in pieces, in memory of their own."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from adaptive import functions as f
from adaptive import stream
from adaptive.runtime import PlanRunner
from adaptive.runtime.combine import WindowTable
from adaptive.runtime.memory import Piece
from adaptive.runtime.state import Table
from codegen_llvm import slot_layout
from ir import (
    BINARY,
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Column,
    DataType,
    EvalMode,
    Field,
    Named,
    NamedAggregate,
    Scalar,
    Schema,
    Sink,
    Source,
    cut,
    decimal,
    evaluate,
    flatten,
)
from tests.arrow import canonical, from_table, to_batch

DECIMAL = decimal(20, 4)
TYPES = (
    *(INT8, INT16, INT32, INT64, FLOAT32, FLOAT64),
    *(STRING, BINARY, DATE, TIMESTAMP, BOOL, DECIMAL),
)
Rows = list[dict[str, Scalar]]


def plan_of(type_: DataType) -> Sink:
    """Everything that keeps the values of a column, by key."""
    schema = Schema((Field("k", INT64, False), Field("v", type_)))
    value = Column("v", type_)
    calls = [AggregateCall("mode", value), AggregateCall("count_distinct", value)]
    if type_.is_integer or type_.is_float:
        calls.append(AggregateCall("median", value))
        calls += [
            AggregateCall("percentile", value, EvalMode.ANSI, (fraction,))
            for fraction in (0.0, 0.1, 1.0)
        ]
    named = tuple(NamedAggregate(f"r{i}", call) for i, call in enumerate(calls))
    key = Named("k", Column("k", INT64, False))
    return Sink(Aggregate(Source("in", schema), None, (key,), named), "out")


def float32(value: float) -> float:
    """A value that float32 has."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def integer(low: int, high: int) -> Callable[[random.Random], int]:
    """Some near zero, some anywhere."""
    near = (max(low, -20), min(high, 60))
    return lambda draw: draw.choice(
        (draw.randint(*near), draw.randint(*near), draw.randint(low, high))
    )


def number(draw: random.Random) -> float:
    odd = (0.0, -0.0, math.nan, math.inf, -math.inf, 1e300, -1e-300)
    return draw.choice((draw.choice(odd), float(draw.randint(-9, 9)), draw.gauss(0, 1)))


def text(draw: random.Random) -> str:
    return draw.choice(("", "a", "é", "view", str(draw.randint(0, 99)))) * draw.choice((1, 1, 30))


VALUES: dict[DataType, Callable[[random.Random], Scalar]] = {
    **{t: integer(t.low, t.high) for t in (INT8, INT16, INT32, INT64, DECIMAL)},
    FLOAT64: number,
    FLOAT32: lambda draw: float32(max(-1e30, min(number(draw), 1e30))),
    STRING: text,
    BINARY: lambda draw: text(draw).encode() + b"\xff",
    DATE: integer(-700_000, 2_000_000),
    TIMESTAMP: integer(-(10**15), 10**15),
    BOOL: lambda draw: draw.random() < 0.6,
}


def rows_of(type_: DataType, count: int, keys: int) -> Rows:
    """Rows of which some keys have hundreds and others few, a tenth of them null."""
    draw = random.Random(f"{type_}{count}{keys}")
    return [
        {
            "k": draw.choice((0, 1, draw.randrange(keys))),
            "v": None if draw.random() < 0.1 else VALUES[type_](draw),
        }
        for _ in range(count)
    ]


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_many_values(type_: DataType) -> None:
    """Lists of several chunks, counted or sorted, give what the evaluator gives."""
    plan, rows = plan_of(type_), rows_of(type_, 2_500, 100)
    runner = PlanRunner(plan)
    schema = plan.source.inputs[0].schema
    for begin in range(0, len(rows), 700):
        runner.consume(to_batch(rows[begin : begin + 700], schema))
    assert canonical(from_table(runner.finish())) == canonical(evaluate(plan, rows))


@pytest.mark.parametrize("type_", [INT8, FLOAT64, STRING, DECIMAL], ids=str)
def test_pieces_are_joined(type_: DataType) -> None:
    """Lists are copied behind one another, also where the last chunk is not full."""
    join_pieces(type_)


def join_pieces(type_: DataType) -> None:
    """Rows in four tables, merged into one, give what the evaluator gives of all."""
    plan, rows = plan_of(type_), rows_of(type_, 1_200, 40)
    schema = plan.source.inputs[0].schema
    whole = None
    for begin in (0, 5, 400, 401):
        end = {0: 5, 5: 400, 400: 401, 401: len(rows)}[begin]
        runner = PlanRunner(plan)
        runner.consume(to_batch(rows[begin:end], schema))
        whole = whole or WindowTable(runner.program)
        for table in runner.generic.tables.values():
            whole.add(table)
    assert whole is not None
    assert canonical(from_table(whole.export())) == canonical(evaluate(plan, rows))


GUARD = 64


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[np.ndarray]]:
    """Arenas that are no larger than asked for, with bytes around them that nobody may change."""
    made: list[np.ndarray] = []

    def add_arena(table: Table, room: int) -> None:
        arena = np.full(room + 2 * GUARD, 0xA5, np.uint8)
        made.append(arena)
        table.arenas.append(Piece(arena))
        table.block.arena_next = arena.ctypes.data + GUARD
        table.block.arena_end = table.block.arena_next + room

    monkeypatch.setattr(Table, "add_arena", add_arena)
    yield made
    for arena in made:
        assert (arena[:GUARD] == 0xA5).all()
        assert (arena[-GUARD:] == 0xA5).all()


@pytest.mark.parametrize("type_", [INT8, INT64, STRING, DECIMAL], ids=str)
def test_values_stay_in_their_memory(type_: DataType, guarded: list[np.ndarray]) -> None:
    """Each time that there is no room, a kernel leaves; it writes only what it was given."""
    join_pieces(type_)
    assert len(guarded) > 50


def test_decimals_are_cast_before_they_are_ranked() -> None:
    """As the builder API does it, and Spark in effect: ranks do not change by it."""
    events = stream({"k": "int64", "v": "decimal(10,2)"})
    query = events.group_by("k").agg(median=f.median("v"), tenth=f.percentile("v", 0.1))
    draw = random.Random(5)
    rows: Rows = [{"k": i % 3, "v": draw.choice((None, draw.randint(-99, 99)))} for i in range(200)]
    runner = PlanRunner(query.plan)
    runner.consume(to_batch(rows, [*query.plan.walk()][-1].schema))
    assert canonical(from_table(runner.finish())) == canonical(evaluate(query.plan, rows))


def test_aggregates_of_one_column_share_its_values() -> None:
    """Several percentiles cost the memory of one."""
    program = flatten(cut(plan_of(INT64))[0])
    names = [field.name for field in slot_layout(program, slice_is_key=False).fields]
    assert [name for name in names if name.endswith(".next")] == ["agg0.next"]


def test_one_large_group() -> None:
    """Chunks have a greatest size; selection and sorting take any number of values."""
    draw = np.random.default_rng(3)
    values = np.concatenate([draw.integers(-(2**62), 2**62, 60_000), draw.integers(0, 9, 40_001)])
    draw.shuffle(values)
    plan = plan_of(INT64)
    runner = PlanRunner(plan)
    schema = plan.source.inputs[0].schema
    runner.consume(to_batch([{"k": 1, "v": int(v)} for v in values], schema))
    (row,) = from_table(runner.finish())
    counts = np.bincount(values[(values >= 0) & (values < 9)])
    assert row["r0"] == int(counts.argmax())
    assert row["r1"] == len(np.unique(values))
    assert row["r2"] == float(np.sort(values)[50_000])
    assert row["r3"] == float(values.min())
    assert row["r5"] == float(values.max())
