"""Pieces of one window in several forms: where an array has all keys, it takes the others in."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive.runtime import PlanRunner
from adaptive.runtime.binding import bind
from adaptive.runtime.combine import WindowTable, combine, joined, prepare_arrays, takes_groups
from adaptive.runtime.export import export_table
from adaptive.runtime.group_kernels import GroupKernels
from adaptive.runtime.shared_state import SharedSlices
from adaptive.runtime.state import Table
from codegen_llvm import slot_layout
from codegen_llvm.abi import Exit
from ir import (
    GENERIC,
    INT32,
    INT64,
    STRING,
    Aggregate,
    AggregateCall,
    Column,
    EvaluationError,
    Field,
    KeysInRange,
    Named,
    NamedAggregate,
    Schema,
    Sink,
    Source,
    Tier,
    VariantSpec,
)
from ir.pipelines import RowProgram
from policies import Fixed
from tests.adaptive.runtime.test_combine import rows

SCHEMA = Schema(
    (Field("k", INT64), Field("l", INT32, False), Field("v", INT64), Field("s", STRING, False))
)
ARROW = pa.schema([("k", pa.int64()), ("l", pa.int32()), ("v", pa.int64()), ("s", pa.string())])
V, S = Column("v", INT64), Column("s", STRING, False)
CALLS = (
    AggregateCall("sum", V),
    AggregateCall("count", None),
    AggregateCall("max", S),
    AggregateCall("avg", V),
)
MOST = 2**63 - 1
Row = tuple[int | None, int, int | None, str]
Ranges = tuple[tuple[int, int], ...]


def plan(keys: int) -> Sink:
    columns = (Column("k", INT64), Column("l", INT32, False))[:keys]
    named = tuple(NamedAggregate(f"r{i}", call) for i, call in enumerate(CALLS))
    grouped = tuple(Named(column.name, column) for column in columns)
    return Sink(Aggregate(Source("in", SCHEMA), None, grouped, named), "out")


kept: list[PlanRunner] = []  # their arenas hold the strings


def pieces_of(
    keys: int, some: Sequence[Row], ranges: Ranges | None
) -> tuple[RowProgram, list[Table]]:
    """The tables of some rows: an array for these ranges, and what does not fit into it."""
    bets = () if ranges is None else (KeysInRange(ranges),)
    policy = Fixed(VariantSpec(Tier.SPECULATIVE, bets, ())) if bets else None
    runner = PlanRunner(plan(keys), policy)
    runner.consume(
        pa.RecordBatch.from_pylist([dict(zip("klvs", row, strict=True)) for row in some], ARROW)
    )
    kept.append(runner)
    states = [state for state in runner._kernels.states.all() if state.groups]
    return runner.program, [state.current for state in states]


def prepare(program: RowProgram, tables: Sequence[Table]) -> None:
    layouts = [table.layout for table in tables]
    for layout in filter(lambda layout: takes_groups(program, layout), layouts):
        prepare_arrays(program, layout, layouts)


def exported(program: RowProgram, whole: Table | WindowTable) -> list[tuple[object, ...]]:
    table = whole.table if isinstance(whole, WindowTable) else whole
    return rows_with_nulls(export_table(program, table))


def rows_with_nulls(batch: pa.RecordBatch) -> list[tuple[object, ...]]:
    return sorted((tuple(row.values()) for row in batch.to_pylist()), key=repr)


def test_an_array_takes_in_a_hash_table_and_a_narrower_array() -> None:
    program, hashed = pieces_of(1, [(k, 0, k, "h") for k in range(0, 90, 3)], None)
    _, narrow = pieces_of(1, [(k, 0, 1, "n") for k in range(10)], ((0, 9),))
    _, wide = pieces_of(1, [(k, 0, None, "w") for k in range(50)], ((0, 99),))
    tables = [*hashed, *narrow, *wide]
    prepare(program, tables)
    expected = rows_with_nulls(combine(program, tables).export())
    whole = joined(program, tables)
    assert whole is wide[0]
    assert exported(program, whole) == expected


def shared_pieces(program: RowProgram, some: Sequence[Row]) -> list[Table]:
    """The table of some rows that several threads could have filled: its sums have 128 bits."""
    slices = SharedSlices(slot_layout(program, slice_is_key=False, shared=True), None)
    kernels = GroupKernels(program, slices.state(0))
    columns = [dict(zip("klvs", row, strict=True)) for row in some]
    batch = pa.RecordBatch.from_pylist(columns, ARROW)
    kernels.begin(bind(batch, program.input), 0, len(some))
    assert kernels.run(GENERIC) is Exit.DONE
    return [table for piece in slices.close_all() for table in piece.tables]


@pytest.mark.parametrize("other", [7, MOST])
def test_an_array_takes_in_a_table_that_threads_share(other: int) -> None:
    """A sum that fits in the shared one, and perhaps not in what both make."""
    program, array = pieces_of(1, [(n, 0, 7, "a") for n in range(9)], ((0, 9),))
    some = [(n, 0, other, "s") for n in range(3)] + [(1, 0, -MOST, "s")]
    tables = [*array, *shared_pieces(program, some)]
    prepare(program, tables)
    expected = rows_with_nulls(combine(program, tables).export()) if other == 7 else None
    whole = joined(program, tables)
    assert (whole is array[0]) == (other == 7)
    if expected is not None:
        assert exported(program, whole) == expected


def test_without_code_for_it_a_new_table_is_made() -> None:
    """Nobody waits for a compiler at the end of a window."""
    program, hashed = pieces_of(2, [(1, 2, 3, "h")], None)
    _, array = pieces_of(2, [(1, 2, 4, "a")], ((0, 3), (0, 3)))
    whole = joined(program, [*hashed, *array])
    assert isinstance(whole, WindowTable)
    assert rows(whole.export()) == [(1, 2, 7, 2, "h", 3.5)]


@pytest.mark.parametrize("k", [100, -1, None])
def test_keys_that_an_array_does_not_have_go_on_in_a_new_table(k: int | None) -> None:
    program, hashed = pieces_of(1, [(3, 0, 1, "h"), (k, 0, 5, "o"), (4, 0, 2, "h")], None)
    _, array = pieces_of(1, [(n, 0, 10, "a") for n in range(10)], ((0, 9),))
    tables = [*hashed, *array]
    prepare(program, tables)
    expected = rows_with_nulls(combine(program, tables).export())
    whole = joined(program, tables)
    assert isinstance(whole, WindowTable)
    assert exported(program, whole) == expected


def test_a_sum_that_leaves_64_bits_in_an_array() -> None:
    program, hashed = pieces_of(1, [(n, 0, MOST if n == 5 else n, "h") for n in range(9)], None)
    _, back = pieces_of(1, [(5, 0, -MOST, "b")], None)
    _, array = pieces_of(1, [(n, 0, 7, "a") for n in range(9)], ((0, 9),))
    tables = [*array, *hashed, *back]
    prepare(program, tables)
    whole = joined(program, tables)
    assert isinstance(whole, WindowTable)
    expected = [(n, n + 7, 2) for n in range(9) if n != 5]
    found = [row[:3] for row in exported(program, whole)]
    assert found == sorted([*expected, (5, 7, 3)], key=repr)


NUMBERS = st.one_of(st.integers(-3, 12), st.none())
KEYS = st.one_of(st.integers(-2, 12), st.none())
ROWS = st.lists(st.tuples(KEYS, st.integers(-1, 4), NUMBERS, st.text(max_size=3)), max_size=30)
EXTREME = st.tuples(KEYS, st.integers(-1, 4), st.sampled_from((MOST, -MOST)), st.just(""))
RANGE = st.tuples(st.integers(-3, 4), st.sampled_from((0, 2, 9, 20))).map(
    lambda drawn: (drawn[0], drawn[0] + drawn[1])
)
RANGES = st.one_of(st.none(), st.tuples(RANGE, RANGE))
PIECES = st.lists(st.tuples(ROWS, EXTREME, RANGES), min_size=2, max_size=4)


@given(st.sampled_from((1, 2)), PIECES)
def test_whatever_the_forms_the_groups_are_those_of_a_new_table(
    keys: int, drawn: list[tuple[list[Row], Row, Ranges | None]]
) -> None:
    kept.clear()
    tables: list[Table] = []
    for some, extreme, ranges in drawn:
        program, made = pieces_of(keys, [*some, extreme], None if ranges is None else ranges[:keys])
        tables += made
    prepare(program, tables)
    try:
        wanted = rows_with_nulls(combine(program, tables).export())
    except EvaluationError:  # a total beyond 64 bits
        with pytest.raises(EvaluationError, match="ARITHMETIC_OVERFLOW"):
            exported(program, joined(program, tables))
    else:
        assert exported(program, joined(program, tables)) == wanted
