"""Threads that hammer one table: contention, many groups, strings, overflow, full tables."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from adaptive.runtime import PlanRunner
from adaptive.runtime.shared_state import SharedSlices, SharedState
from codegen_llvm import slot_layout
from codegen_llvm.abi import Exit
from ir import (
    FLOAT64,
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
    Schema,
    Sink,
    Source,
    TumblingWindow,
    cut,
    decimal,
    flatten,
)
from tests.arrow import canonical, from_table
from tests.sharing import Sharing

THREADS, ROWS = 3, 60_000
ROUNDS = 8  # so that a kernel is still busy when the last thread starts
MONEY = decimal(20, 4)
COLUMNS = {"k": INT64, "word": STRING, "t": TIMESTAMP, "v": INT64, "f": FLOAT64, "m": MONEY}
SCHEMA = Schema(tuple(Field(n, type_, n in ("v", "f", "m")) for n, type_ in COLUMNS.items()))
WINDOW = TumblingWindow(Column("t", TIMESTAMP, False), 1_000_000)


def column(name: str) -> Column:
    """A column of the input."""
    return Column(name, SCHEMA[name].type, SCHEMA[name].nullable)


def call(function: str, argument: str | None = None, **options: object) -> AggregateCall:
    """A call over a column, or over rows."""
    return AggregateCall(function, None if argument is None else column(argument), **options)  # type: ignore[arg-type]


WORDS = {
    "count": (call("count", "v"), call("max", "f")),
    "sum": (call("min", "v"), call("sum", "v")),
    "float": (call("sum", "f"), call("max", "v")),
    "bits": (call("bit_xor", "v"), call("min", "f")),
}
LOCKED = (
    *(call("count"), call("sum", "v"), call("sum", "m"), call("min", "word"), call("max", "word")),
    *(call("first", "word"), call("last", "v"), call("max", "m"), call("bit_xor", "v")),
)


def plan_of(
    *calls: AggregateCall, keys: tuple[str, ...] = ("k",), window: TumblingWindow | None = None
) -> Sink:
    """A plan that groups by some columns."""
    named = tuple(NamedAggregate(f"r{i}", one) for i, one in enumerate(calls))
    keyed = tuple(Named(name, column(name)) for name in keys)
    return Sink(Aggregate(Source("in", SCHEMA), window, keyed, named), "out")


def batch(seed: int, keys: int, rows: int = ROWS, values: int = 1000) -> pa.RecordBatch:
    """Random rows, a tenth of the values null, times out of order in ten windows."""
    rng = np.random.default_rng(seed)
    k = rng.integers(0, keys, rows)
    v = rng.integers(-values, values, rows)
    null = rng.random(rows) < 0.1
    arrays = {
        "k": pa.array(k),
        "word": pa.array([f"{'word ' * (n % 5)}{n}" for n in k.tolist()]),
        "t": pa.array(rng.integers(0, 10_000_000, rows), pa.timestamp("us", "UTC")),
        "v": pa.array(v, mask=null),
        "f": pa.array(v.astype(float), mask=null),
        "m": pa.array(v % 1000, mask=null).cast(pa.decimal128(20, 0)).cast(pa.decimal128(20, 4)),
    }
    return pa.RecordBatch.from_pydict(arrays)


def alone(plan: Sink, batches: list[pa.RecordBatch]) -> list[str]:
    """What one thread makes of all rows."""
    runner = PlanRunner(plan)
    for one in batches:
        for _ in range(ROUNDS):
            runner.consume(one)
    return canonical(from_table(runner.finish()))


def together(sharing: Sharing, batches: list[pa.RecordBatch]) -> list[str]:
    """What threads make of them, each of one batch, several times."""
    numbers = range(0, ROUNDS * ROWS * len(batches), ROWS)
    sharing.run(
        [
            [(base, one) for base in numbers[i * ROUNDS : (i + 1) * ROUNDS]]
            for i, one in enumerate(batches)
        ]
    )
    return canonical(from_table(pa.Table.from_batches([sharing.result()])))


@pytest.mark.parametrize(
    ("calls", "groups", "keys", "window"),
    [
        (WORDS["count"], 1, (), None),
        (WORDS["sum"], 1, ("k",), None),
        (WORDS["sum"], 5, ("word",), WINDOW),
        (WORDS["float"], 20_000, ("k",), None),
        (WORDS["bits"], 1_000, ("word", "k"), WINDOW),
        (LOCKED, 1, (), None),
        (LOCKED, 5, ("word",), WINDOW),
        (LOCKED, 20_000, ("k",), None),
        (LOCKED, 1_000, ("word", "k"), WINDOW),
    ],
)
def test_hammered_tables(
    calls: tuple[AggregateCall, ...],
    groups: int,
    keys: tuple[str, ...],
    window: TumblingWindow | None,
) -> None:
    """No update is lost and no group made twice, few or many, with numbers or strings.

    Floats are whole numbers here, so their sum does not depend on the order.
    """
    plan = plan_of(*calls, keys=keys, window=window)
    batches = [batch(seed, groups) for seed in range(THREADS)]
    sharing = Sharing(flatten(cut(plan)[0]))
    assert sharing.layout.locked == (calls is LOCKED)
    assert together(sharing, batches) == alone(plan, batches)


def test_full_tables_are_left_for_larger_ones() -> None:
    """Threads go on in the next table, each when it has to; all of them are merged."""
    plan = plan_of(*LOCKED, keys=("word",))
    batches = [batch(seed, 30_000) for seed in range(THREADS)]
    sharing = Sharing(flatten(cut(plan)[0]), first_groups=1)
    assert together(sharing, batches) == alone(plan, batches)
    assert Exit.GROW_TABLE in sharing.exits
    assert Exit.GROW_ARENA in sharing.exits


@pytest.mark.parametrize("extra", [(), (call("first", "word"),)], ids=["words", "locks"])
def test_sums_beyond_64_bits(extra: tuple[AggregateCall, ...]) -> None:
    """Carries of all threads add up: the total is exact on its way through any overflow."""
    plan = plan_of(call("sum", "v", mode=EvalMode.TRY), *extra)
    batches = [batch(seed, 3, values=2**63 - 1) for seed in range(THREADS)]
    sharing = Sharing(flatten(cut(plan)[0]))
    work = [[(0, one)] for one in batches]
    sharing.run(work)
    window = sharing.merged()
    made = window.table.slots[window.table.slots["tag"] & 1 == 1]
    totals = {
        int(slot["key0"]): (int(slot["agg0.high"]) << 64) + int(slot["agg0.low"]) for slot in made
    }
    expected: dict[int, int] = {0: 0, 1: 0, 2: 0}
    for one in batches:
        for key, value in zip(
            one.column("k").to_pylist(), one.column("v").to_pylist(), strict=True
        ):
            expected[key] += value or 0
    assert totals == expected
    assert any(not -(2**63) <= total < 2**63 for total in expected.values())


def counts() -> SharedSlices:
    """Shared counts by key in slices of a second."""
    program = flatten(cut(plan_of(call("count"), window=WINDOW))[0])
    return SharedSlices(slot_layout(program, False, shared=True), WINDOW.size_us)


def slots_in_use(state: SharedState) -> int:
    """Where the slots are that a thread goes on in when it meets a group of its current slice."""
    state.current.add_arena(1)
    return int(state.current.block.slots)


def test_rows_behind_a_closed_window_are_kept_apart() -> None:
    """A thread that has passed a window's end shares no table with one that has not."""
    slices, second = counts(), 1_000_000
    before, after = slices.state(0), slices.state(0)
    assert slots_in_use(before) == slots_in_use(after)
    after.passed = second
    after.add_slice(0)
    assert slots_in_use(before) != slots_in_use(after)
    assert slots_in_use(slices.state(0, passed=second)) == slots_in_use(after)
    before.add_slice(second)
    after.add_slice(second)
    assert slots_in_use(before) == slots_in_use(after)  # of this slice, nothing is closed


def test_memory_is_taken_when_a_thread_meets_a_group() -> None:
    """A state that no kernel uses costs nothing, however many slices go by."""
    slices, second = counts(), 1_000_000
    state = slices.state(0)
    state.add_slice(second)
    assert (slices.bytes, state.bytes) == (0, 0)
    slots_in_use(state)
    assert slices.bytes > 0
    assert state.current.block.slice_start == second


def test_what_is_closed() -> None:
    """All that ended when the last thread passed; what came later stays for the next window."""
    slices, second = counts(), 1_000_000
    slices.table(0, None).block.count = 5
    slices.table(0, second).block.count = 6
    slices.table(second, second).block.count = 7
    slices.table(3 * second, second)
    closed = slices.close(second)
    assert [(p.place.start, p.place.after, p.groups) for p in closed] == [(0, None, 5)]
    closed = slices.close(2 * second)
    assert [(p.place.start, p.place.after, p.groups) for p in closed] == [
        (0, second, 6),
        (second, None, 7),
    ]
    assert slices.bytes > 0
    assert slices.close_all() == []  # without groups
    assert slices.bytes == 0


def test_the_next_slice_is_as_large_as_the_last() -> None:
    """So that tables are full only while a stream grows."""
    slices = counts()
    first = slices.table(0, None)
    larger = slices.table(0, None, full=first)
    assert larger.block.limit >= 8 * first.block.limit
    assert slices.table(0, None, full=first) is larger  # another thread was there before
    larger.block.count = 100_000
    slices.close(1_000_000)
    assert slices.table(5_000_000, None).block.limit >= 100_000


def test_a_first_slice_is_as_large_as_expected() -> None:
    """Who has had groups of its own knows how many there are; less is no news."""
    slices = counts()
    slices.expect(100_000)
    slices.expect(10)
    assert slices.table(0, None).block.limit >= 100_000


def test_only_shared_layouts_are_shared() -> None:
    """The error says which layout."""
    program = flatten(cut(plan_of(call("count")))[0])
    with pytest.raises(ValueError, match="shared=True"):
        SharedSlices(slot_layout(program, False), None)


@pytest.mark.parametrize("type_", [INT64, FLOAT64, MONEY], ids=str)
def test_locks_only_where_words_do_not_suffice(type_: DataType) -> None:
    """A decimal has two words that belong together."""
    name = next(n for n, t in COLUMNS.items() if t == type_ and n != "k")
    program = flatten(cut(plan_of(call("max", name)))[0])
    assert slot_layout(program, False, shared=True).locked == (type_ == MONEY)
    assert not slot_layout(program, False).locked


def test_several_words_need_a_lock() -> None:
    """One lock costs less than two atomic additions."""
    for calls, locked in (
        ((call("count"), call("min", "v"), call("max", "f")), False),
        ((call("count"), call("sum", "v")), True),
        ((call("avg", "f"),), True),
    ):
        program = flatten(cut(plan_of(*calls))[0])
        assert slot_layout(program, False, shared=True).locked == locked
