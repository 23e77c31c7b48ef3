"""A variant whose assumptions fail costs time, never rows: guards, deopts and what is counted."""

from __future__ import annotations

import pyarrow as pa
import pytest

from adaptive.runtime import PlanRunner
from adaptive.runtime.binding import bind
from adaptive.runtime.group_kernels import GroupKernels
from adaptive.runtime.state import GroupState
from codegen_llvm import slot_layout
from codegen_llvm.abi import Exit
from ir import (
    GENERIC,
    INT64,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    Field,
    Filter,
    KeysInRange,
    Literal,
    Named,
    NamedAggregate,
    NoNulls,
    Schema,
    Sink,
    Source,
    Tier,
    TumblingWindow,
    VariantSpec,
)
from ir.pipelines import cut, flatten
from policies import Fixed
from tests.arrow import from_table

K, V = Column("k", INT64), Column("v", INT64)
SCHEMA = Schema((Field("k", INT64), Field("v", INT64)))
QUERY = Sink(
    Aggregate(
        Filter(Source("in", SCHEMA), Call("ge", (V, Literal(0, INT64)))),
        None,
        (Named("k", K),),
        (
            NamedAggregate("n", AggregateCall("count")),
            NamedAggregate("s", AggregateCall("sum", V)),
        ),
    ),
    "out",
)


def dense(low: int, high: int) -> VariantSpec:
    """A bet on a range of keys."""
    return VariantSpec(Tier.SPECULATIVE, (KeysInRange(((low, high),)),))


def batch(keys: list[int | None], values: list[int | None] | None = None) -> pa.RecordBatch:
    """Rows with these keys."""
    numbers = values or [1] * len(keys)
    return pa.record_batch({"k": pa.array(keys, pa.int64()), "v": pa.array(numbers, pa.int64())})


def results(spec: VariantSpec, *batches: pa.RecordBatch) -> tuple[list[object], PlanRunner]:
    """What a fixed variant makes of batches, in order of keys."""
    runner = PlanRunner(QUERY, Fixed(spec))
    for one in batches:
        runner.consume(one)
    rows = from_table(runner.finish())
    return sorted((str(row["k"]), row["n"], row["s"]) for row in rows), runner


@pytest.mark.parametrize("at", [0, 1, 2500, 4998, 4999])
@pytest.mark.parametrize("outside", [-1, 10, 2**63 - 1, -(2**63), None])
def test_a_row_outside_is_not_lost_wherever_it_is(at: int, outside: int | None) -> None:
    """On the first row, on the last one, between: below the range, above it, or null."""
    keys: list[int | None] = [n % 10 for n in range(5000)]
    keys[at] = outside
    expected, _ = results(GENERIC, batch(keys))
    found, runner = results(dense(0, 9), batch(keys))
    assert found == expected
    assert sum(use.guard_exits for use in runner.history) == 1


def test_every_row_outside() -> None:
    """The stretches that are left to the generic variant double, so exits are few."""
    keys: list[int | None] = [n % 10 for n in range(100_000)]
    expected, _ = results(GENERIC, batch(keys))
    found, runner = results(dense(100, 200), batch(keys))
    assert found == expected
    assert 1 <= runner.history[0].guard_exits <= 8


def test_groups_of_both_forms_are_merged() -> None:
    """The same key in the array, in the hash table, and in an array of another range."""
    first, second = batch([1, 2, 3, 50]), batch([1, 50, 2])
    found, _ = results(dense(0, 9), first, second)
    assert found == [("1", 2, 2), ("2", 2, 2), ("3", 1, 1), ("50", 2, 2)]


def test_a_range_at_the_ends_of_int64() -> None:
    """Differences wrap, and are compared without sign."""
    low, high = -(2**63), 2**63 - 1
    keys: list[int | None] = [low, low + 1, low + 2, high, 0]
    expected, _ = results(GENERIC, batch(keys))
    for spec in (dense(low, low + 1), dense(high - 1, high), dense(-1, 1)):
        assert results(spec, batch(keys))[0] == expected


def test_a_sum_that_leaves_64_bits_is_set_aside() -> None:
    """Only the total must fit, in an array as well."""
    most = 2**63 - 1
    schema = batch([1, 1, 1], [most, 5, 0])
    runner = PlanRunner(
        Sink(
            Aggregate(
                Source("in", SCHEMA),
                None,
                (Named("k", K),),
                (NamedAggregate("s", AggregateCall("sum", V)),),
            ),
            "out",
        ),
        Fixed(dense(0, 9)),
    )
    runner.consume(schema)
    runner.consume(batch([1], [-5]))
    assert from_table(runner.finish()) == [{"k": 1, "s": most}]


def test_a_column_that_should_have_no_nulls_is_guarded_by_arrows_count() -> None:
    """The whole batch is left to the generic variant; the next one is not."""
    spec = VariantSpec(Tier.SPECULATIVE, (NoNulls(("v",)),))
    with_nulls = batch([1, 2, None], [1, None, 3])
    without = batch([1, 2, None], [1, 2, 3])
    expected, _ = results(GENERIC, with_nulls, without)
    found, runner = results(spec, with_nulls, without)
    assert found == expected
    assert sum(use.guard_exits for use in runner.history) == 1


def test_what_is_counted() -> None:
    """Rows, those that passed, exits, rows left to generic, and time."""
    program = flatten(cut(QUERY)[0])
    kernels = GroupKernels(program, GroupState(slot_layout(program, slice_is_key=False), 0))
    rows = batch([1, 2, 99, 3], [1, -1, 1, 1])
    kernels.begin(bind(rows, program.input), 0, 4)
    assert kernels.run(dense(0, 9)) == Exit.DONE
    seen = kernels.take()
    assert (seen.rows, seen.rows_passed) == (4, 3)
    assert (seen.guard_exits, seen.generic_rows) == (1, 2)
    assert seen.elapsed_ns > 0
    assert kernels.take().rows == 0


def test_a_mark_parts_what_was_seen() -> None:
    """What was before it and what came behind are together what came in all."""
    program = flatten(cut(QUERY)[0])
    kernels = GroupKernels(program, GroupState(slot_layout(program, slice_is_key=False), 0))
    rows = bind(batch([1, 2, 99, 3], [1, -1, 1, 1]), program.input)
    for begin, end in ((0, 3), (3, 4)):
        kernels.begin(rows, begin, end)
        assert kernels.run(GENERIC) == Exit.DONE
        if not begin:
            kernels.mark()
    behind_rows, behind_ns, behind_passed = kernels.since_mark()
    whole = kernels.peek()
    before, behind = kernels.take_marked(), kernels.take()
    assert (before.rows, before.rows_passed) == (3, 2)
    assert (behind.rows, behind.rows_passed) == (behind_rows, behind_passed) == (1, 1)
    assert behind.elapsed_ns == behind_ns
    assert before.plus(behind) == whole
    assert kernels.take().rows == 0


def test_arrays_of_ranges_that_nobody_bets_on_are_given_back() -> None:
    """When their slices have ended: an array takes the memory of its whole range."""
    program = flatten(cut(WINDOWED)[0])
    kernels = GroupKernels(program, GroupState(slot_layout(program, slice_is_key=False), 0))
    for bet in (dense(0, 9), dense(0, 99_999), dense(0, 8)):
        run_all(kernels, bet, timed([1, 2], [0, 1]))
    wide = kernels.states.bytes
    pieces = kernels.states.detach(10, 10)
    assert sum(len(tables) for tables in pieces.values()) == 3
    run_all(kernels, dense(0, 8), timed([1], [10]))
    kernels.states.detach(20, 10)
    assert kernels.states.bytes < wide / 100


def test_rows_scattered_over_time_do_not_get_an_array_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Beyond a limit of memory, further slices are the generic variant's."""
    monkeypatch.setattr("adaptive.runtime.states._MOST_DENSE_BYTES", 100_000)
    program = flatten(cut(WINDOWED)[0])
    kernels = GroupKernels(program, GroupState(slot_layout(program, slice_is_key=False), 0))
    times = [10 * n for n in range(3000)]
    run_all(kernels, dense(0, 999), timed([1] * len(times), times))
    assert sum(state.bytes for state in kernels.states.all() if state.layout.dense) <= 100_000
    assert kernels.states.groups == len(times)
    assert kernels.take().guard_exits > 0


T = Column("t", TIMESTAMP)
WINDOWED = Sink(
    Aggregate(
        Source("in", Schema((Field("t", TIMESTAMP, nullable=False), Field("k", INT64)))),
        TumblingWindow(T, 10),
        (Named("k", K),),
        (NamedAggregate("n", AggregateCall("count")),),
    ),
    "out",
)


def timed(keys: list[int], times: list[int]) -> pa.RecordBatch:
    """Rows with these keys at these microseconds."""
    column = pa.array(times, pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    return pa.record_batch({"t": column, "k": pa.array(keys, pa.int64())})


def run_all(kernels: GroupKernels, spec: VariantSpec, rows: pa.RecordBatch) -> None:
    """All rows of a batch, with a table for each slice that comes."""
    kernels.begin(bind(rows, kernels.program.input), 0, rows.num_rows)
    while (code := kernels.run(spec)) != Exit.DONE:
        assert code == Exit.NEW_SLICE
        kernels.state.add_slice(int(kernels.driver.args.detail))
