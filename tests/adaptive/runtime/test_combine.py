"""Window tables by example: bounds, overflow, compaction, strings, threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pytest

from adaptive.runtime import PlanRunner
from adaptive.runtime.combine import _PROGRAMS, WindowTable, combine, joined
from adaptive.runtime.export import export_table
from adaptive.runtime.state import GroupState, Table
from codegen_llvm import SlotLayout, slot_layout
from ir import (
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Column,
    DataType,
    EvalMode,
    EvaluationError,
    Field,
    Named,
    NamedAggregate,
    Schema,
    Sink,
    Source,
    TumblingWindow,
    cut,
    flatten,
)
from ir.pipelines import RowProgram


def query(
    *calls: AggregateCall, key: DataType = INT64, window: TumblingWindow | None = None
) -> RowProgram:
    """A program with one key `k` over columns k, v and s."""
    schema = Schema(
        (
            Field("k", key, False),
            Field("v", INT64),
            Field("s", STRING, False),
            Field("t", TIMESTAMP, False),
        )
    )
    named = tuple(NamedAggregate(f"r{i}", call) for i, call in enumerate(calls))
    keys = (Named("k", Column("k", key, False)),)
    return flatten(cut(Sink(Aggregate(Source("in", schema), window, keys, named), "out"))[0])


V, S, T = Column("v", INT64), Column("s", STRING, False), Column("t", TIMESTAMP, False)
SUM = AggregateCall("sum", V)


class _Runner(PlanRunner):
    """Fills pieces of a given layout."""

    def __init__(self, program: RowProgram, layout: SlotLayout) -> None:
        schema = Schema(tuple(program.input))
        source = Source("in", schema)
        plan = Sink(Aggregate(source, program.window, program.keys, program.aggregates), "out")
        super().__init__(plan)
        self.start_with(GroupState(layout, 0))

    @property
    def table(self) -> Table:
        """The piece."""
        return self.generic.current


def piece(
    program: RowProgram,
    counts_rows: bool = True,
    layout: SlotLayout | None = None,
    **columns: list[object],
) -> Table:
    """A piece of these rows; what is not given is 0 or empty."""
    rows = max(map(len, columns.values()))
    arrays = {}
    for field in program.input:
        values = columns.get(field.name, ["" if field.type == STRING else 0] * rows)
        arrow = {"string": pa.string(), "timestamp": pa.timestamp("us", "UTC")}
        arrays[field.name] = pa.array(values, arrow.get(field.type.name, pa.int64()))
    runner = _Runner(program, layout or slot_layout(program, False, counts_rows))
    runner.consume(pa.RecordBatch.from_pydict(arrays))
    keep.append(runner)  # its arena holds the strings
    return runner.table


keep: list[PlanRunner] = []


def rows(batch: pa.RecordBatch) -> list[tuple[object, ...]]:
    """The rows of a batch, ordered by key."""
    return sorted(tuple(row.values()) for row in batch.to_pylist())


def test_one_piece_is_exported_as_it_is() -> None:
    """Without a merge, with the window's bounds."""
    program = query(SUM, window=TumblingWindow(T, 1_000_000))
    made = export_table(program, piece(program, k=[1, 2, 1], v=[5, 6, 7]), 10, 20)
    assert made.column("window_start").cast(pa.int64()).to_pylist() == [10, 10]
    assert made.column("window_end").cast(pa.int64()).to_pylist() == [20, 20]
    assert rows(made.drop_columns(["window_start", "window_end"])) == [(1, 12), (2, 6)]


def test_groups_without_rows_disappear() -> None:
    """A group is there as long as it has rows, also with a sum of 0 or of nulls."""
    program = query(SUM)
    first = piece(program, k=[1, 2, 3], v=[5, 6, None])
    second = piece(program, k=[1, 3, 4], v=[-5, 1, None])
    window = combine(program, [first, second])
    assert rows(window.export()) == [(1, 0), (2, 6), (3, 1), (4, None)]
    window.remove(second)
    assert window.groups == 3
    assert sorted(rows(window.export()), key=str) == [(1, 5), (2, 6), (3, None)]
    window.remove(first)
    assert (window.groups, window.export().num_rows) == (0, 0)
    window.add(second)
    assert sorted(rows(window.export()), key=str) == [(1, -5), (3, 1), (4, None)]


@pytest.mark.parametrize(
    ("mode", "expected"), [(EvalMode.LEGACY, -(2**63)), (EvalMode.TRY, None), (EvalMode.ANSI, None)]
)
def test_a_total_that_does_not_fit(mode: EvalMode, expected: int | None) -> None:
    """It raises, wraps or is null when it is exported; taking a part out makes it fit again."""
    program = query(AggregateCall("sum", V, mode))
    most, one = piece(program, k=[1], v=[2**63 - 1]), piece(program, k=[1], v=[1])
    window = combine(program, [most, one])
    if mode is EvalMode.ANSI:
        with pytest.raises(EvaluationError, match=r"ARITHMETIC_OVERFLOW.*r0"):
            window.export()
    else:
        assert rows(window.export()) == [(1, expected)]
    window.remove(one)
    assert rows(window.export()) == [(1, 2**63 - 1)]


def test_dead_groups_are_left_behind() -> None:
    """Keys that come and go, as text, do not fill the memory."""
    program = query(AggregateCall("count"), key=STRING)
    window = WindowTable(program)
    sizes = []
    for round_ in range(30):
        made = piece(program, k=[f"key {round_} {i}" * 20 for i in range(500)])
        window.add(made)
        window.remove(made)
        sizes.append(window.bytes)
        assert window.groups == 0
    assert max(sizes[10:]) <= max(sizes[:10])


def test_strings_move_to_the_window() -> None:
    """Keys and extremes outlive the piece that they came from."""
    program = query(AggregateCall("min", S), AggregateCall("max", S), key=STRING)
    window = WindowTable(program)
    words = [f"{'x' * (i % 40)}{i}" for i in range(2000)]
    for begin in range(0, 2000, 500):
        part = words[begin : begin + 500]
        window.add(piece(program, k=[w[-1] for w in part], s=part))
        keep.clear()
    expected = [
        (digit, min(w for w in words if w[-1] == digit), max(w for w in words if w[-1] == digit))
        for digit in "0123456789"
    ]
    assert rows(window.export()) == expected


def test_what_cannot_be_taken_out() -> None:
    """The errors say what to do."""
    program = query(SUM)
    plain = piece(program, counts_rows=False, k=[1], v=[1])
    window = combine(program, [plain])
    assert rows(window.export()) == [(1, 1)]
    with pytest.raises(ValueError, match="counts_rows=True"):
        window.remove(plain)
    with pytest.raises(ValueError, match="not added"):
        WindowTable(program).remove(piece(program, k=[1], v=[1]))


def test_a_large_piece_behind_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for it before it is added: its groups come in the order of their hashes."""
    program = query(SUM)
    small, large = (piece(program, k=list(range(n)), v=[1] * n) for n in (10, 20_000))
    window, grown = combine(program, [small]), []
    grow = Table.grow

    def noted(table: Table, code: Any, at_least: int = 0) -> None:
        grown.append(at_least)
        grow(table, code, at_least)

    monkeypatch.setattr(Table, "grow", noted)
    window.add(large)
    assert grown == [20_000]
    assert window.groups == 20_000


def test_window_tables_on_threads() -> None:
    """Different window tables are filled at once, from shared pieces."""
    program = query(SUM, AggregateCall("count"))
    pieces = [piece(program, k=list(range(i, i + 3000)), v=[i] * 3000) for i in range(4)]

    def total(_: int) -> int:
        window = combine(program, pieces)
        made = window.export()
        window.release()
        return sum(made.column("r0").to_pylist()) * 10_000 + made.num_rows

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(total, range(32))) == {(0 + 1 + 2 + 3) * 3000 * 10_000 + 3003}


def test_equal_programs_are_compiled_once() -> None:
    """A new engine makes an equal program for the same query."""
    first, second, other = query(SUM), query(SUM), query(AggregateCall("min", V))
    assert first is not second
    assert _PROGRAMS.get(first) is _PROGRAMS.get(second)
    assert _PROGRAMS.get(other) is not _PROGRAMS.get(first)


def test_pieces_of_one_layout_are_joined_in_the_largest() -> None:
    """Whatever they hold: new groups, known ones, strings, nulls; the table grows as needed."""
    program = query(SUM, AggregateCall("max", S), AggregateCall("count", None))
    layout = slot_layout(program, False)
    many = list(range(500))
    first = piece(program, layout=layout, k=[1, 2, 2], v=[5, None, 7], s=["a", "b", "c"])
    second = piece(program, layout=layout, k=many, v=many, s=[str(k) for k in many])
    third = piece(program, layout=layout, k=[2, 900], v=[1, None], s=["x", "y"])
    whole = joined(program, [first, second, third])
    assert whole is second
    expected = {k: (k, k, str(k), 1) for k in many}
    expected |= {1: (1, 6, "a", 2), 2: (2, 10, "x", 4), 900: (900, None, "y", 1)}
    assert rows(export_table(program, second)) == sorted(expected.values())


@pytest.mark.parametrize("mode", [EvalMode.ANSI, EvalMode.LEGACY, EvalMode.TRY])
def test_a_sum_that_leaves_64_bits_among_joined_pieces(mode: EvalMode) -> None:
    """It counts as in a window table: groups before it, behind it and itself count once."""
    program = query(AggregateCall("sum", V, mode=mode), AggregateCall("count", V))
    layout, most = slot_layout(program, False), 2**63 - 1
    keys = list(range(100))
    values = [most if k == 50 else k for k in keys]
    pieces = [piece(program, layout=layout, k=keys, v=v) for v in (values, values, [-1] * 100)]
    pieces += [piece(program, layout=layout, k=[50], v=[-most]) for _ in range(2)]
    whole = joined(program, pieces)
    expected = [(k, 2 * k - 1, 3) if k != 50 else (k, -1, 5) for k in keys]
    table = whole.table if isinstance(whole, WindowTable) else whole
    assert rows(export_table(program, table)) == expected
    assert isinstance(whole, WindowTable) == (mode is not EvalMode.LEGACY)
