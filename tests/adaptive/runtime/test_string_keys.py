"""Arrays of groups by codes of strings: wrong ranges, new values, batches of other layouts."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive import Engine
from adaptive.runtime import PlanRunner
from adaptive.runtime.adaptation import AdaptiveLoop
from adaptive.runtime.binding import bind
from adaptive.runtime.combine import combine
from adaptive.runtime.group_kernels import GroupKernels
from adaptive.runtime.key_dictionary import KeyDictionaries
from adaptive.runtime.state import GroupState
from codegen_llvm import can_be_dense, slot_layout
from codegen_llvm.abi import Exit
from ir import (
    BINARY,
    GENERIC,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    DataType,
    Expr,
    Field,
    KeysInRange,
    Named,
    NamedAggregate,
    Prefetch,
    Schema,
    SelectRows,
    Sink,
    SlidingWindow,
    Source,
    Tier,
    TumblingWindow,
    VariantSpec,
    Watermark,
    Window,
    cut,
    flatten,
)
from policies import Fixed
from tests.arrow import from_table
from tests.bets import Erratic, ranges

K, N, T = Column("k", STRING), Column("n", INT64), Column("t", TIMESTAMP, False)
SCHEMA = Schema((Field("k", STRING), Field("n", INT64), Field("t", TIMESTAMP, False)))
SECOND = 1_000_000
Texts = list[str | None]


def query(*keys: Expr, window: Window | None = None) -> Sink:
    """Rows and their sum for each group."""
    source = Watermark(Source("in", SCHEMA), "t", 0) if window else Source("in", SCHEMA)
    named = tuple(Named(f"key{position}", key) for position, key in enumerate(keys))
    calls = (AggregateCall("count"), AggregateCall("sum", N))
    made = tuple(NamedAggregate(name, call) for name, call in zip("cs", calls, strict=True))
    return Sink(Aggregate(source, window, named, made), "out")


def dense(*ranges: tuple[int, int], hints: tuple[SelectRows | Prefetch, ...] = ()) -> VariantSpec:
    """A bet on codes."""
    return VariantSpec(Tier.SPECULATIVE, (KeysInRange(ranges),), (*GENERIC.hints, *hints))


def batch(
    keys: Texts, *, dictionary: Texts | None = None, plain: bool = False, start: int = 0
) -> pa.RecordBatch:
    """Rows with these keys, by codes of this dictionary or one of their own; one a second."""
    array = pa.array(keys, pa.string())
    if dictionary is not None:
        codes = pa.array([None if k is None else dictionary.index(k) for k in keys], pa.int32())
        array = pa.DictionaryArray.from_arrays(codes, pa.array(dictionary, pa.string()))
    elif not plain:
        array = array.dictionary_encode()
    times = [(start + row) * SECOND for row in range(len(keys))]
    numbers = pa.array([row % 7 for row in range(len(keys))], pa.int64())
    stamps = pa.array(times, pa.timestamp("us", tz="UTC"))
    return pa.record_batch({"k": array, "n": numbers, "t": stamps})


def letters(count: int, *, of: str = "abcdefghij") -> Texts:
    """Keys whose codes are in alphabetical order: each comes early."""
    return [of[row % len(of)] for row in range(count)]


def results(
    spec: VariantSpec, *batches: pa.RecordBatch, plan: Sink | None = None
) -> tuple[Counter[str], PlanRunner]:
    """What a fixed variant makes of batches."""
    runner = PlanRunner(plan or query(K), Fixed(spec))
    for one in batches:
        runner.consume(one)
    return Counter(map(str, from_table(runner.finish()))), runner


def exits(runner: PlanRunner) -> int:
    """How often a guard has failed."""
    return sum(use.guard_exits for use in runner.history)


@pytest.mark.parametrize("at", [0, 1, 2500, 4998, 4999])
@pytest.mark.parametrize("outside", ["new", "", None])
def test_a_row_outside_is_not_lost_wherever_it_is(at: int, outside: str | None) -> None:
    """On the first row, on the last one, between: a value that comes later, or a null."""
    keys = letters(5000)
    keys[at] = outside
    whole = batch(keys, dictionary=[*letters(10), "new", ""])
    expected, _ = results(GENERIC, whole)
    found, runner = results(dense((0, 9)), whole)
    assert found == expected
    assert exits(runner) == 1


def test_codes_in_range_never_leave() -> None:
    expected, _ = results(GENERIC, batch(letters(5000)))
    found, runner = results(dense((0, 9)), batch(letters(5000)))
    assert found == expected
    assert exits(runner) == 0


@pytest.mark.parametrize("low_high", [(3, 5), (0, 0), (9, 9), (10, 20), (-5, 20), (-9, -1)])
def test_wrong_ranges(low_high: tuple[int, int]) -> None:
    """Too narrow at either end, of other codes, and of numbers that no string has."""
    batches = [batch(letters(3000)), batch(letters(100))]
    expected, _ = results(GENERIC, *batches)
    assert results(dense(low_high), *batches)[0] == expected


def test_a_dictionary_for_each_batch_with_other_codes() -> None:
    """The same strings in another order, some missing, some twice, some that nobody has."""
    luck, batches = Random(3), list[pa.RecordBatch]()
    for number in range(8):
        values: Texts = [*luck.sample("abcdefghij", 10), "unused"]
        values = values[number % 3 :] + values[:2]
        keys = [luck.choice(values[:-3]) for _ in range(500)]
        batches.append(batch(keys, dictionary=values))
    expected, _ = results(GENERIC, *batches)
    found, runner = results(dense((0, 10)), *batches)
    assert found == expected
    assert exits(runner) == 0
    assert results(dense((0, 4)), *batches)[0] == expected


def test_plain_and_dictionary_batches() -> None:
    """Plain strings have no codes: those batches run without the array, and groups are merged."""
    batches = [batch(letters(50), plain=bool(number % 2)) for number in range(5)]
    expected, _ = results(GENERIC, *batches)
    found, runner = results(dense((0, 9)), *batches)
    assert found == expected
    assert exits(runner) == 0
    assert results(dense((0, 3)), *batches)[0] == expected


@pytest.mark.parametrize("wanted", [((0, 9), (0, 6)), ((0, 4), (0, 6)), ((0, 9), (2, 4))])
def test_a_string_and_an_integer(wanted: tuple[tuple[int, int], ...]) -> None:
    for plan, bet in (query(K, N), wanted), (query(N, K), wanted[::-1]):
        batches = [batch(letters(999)), batch([*letters(30), None, "new"]), batch(letters(99))]
        expected, _ = results(GENERIC, *batches, plan=plan)
        assert results(dense(*bet), *batches, plan=plan)[0] == expected


def test_the_same_string_twice() -> None:
    """Two keys of one column have the same codes."""
    expected, _ = results(GENERIC, batch(letters(100)), plan=query(K, K))
    found, runner = results(dense((0, 9), (0, 9)), batch(letters(100)), plan=query(K, K))
    assert (found, exits(runner)) == (expected, 0)


def test_groups_are_asked_for_ahead() -> None:
    """Also those of codes that are not in the range, and of nulls."""
    keys = [*letters(300), None, "new", *letters(100)]
    expected, _ = results(GENERIC, batch(keys))
    for hint in Prefetch(1), Prefetch(16):
        assert results(dense((0, 9), hints=(hint,)), batch(keys))[0] == expected


@pytest.mark.parametrize(
    ("key", "type_", "plain", "wanted"),
    [
        (K, STRING, False, True),
        (K, STRING, True, False),
        (Call("upper", (K,)), STRING, False, False),
        (Column("k", BINARY), BINARY, True, False),
    ],
)
def test_which_keys_have_codes(key: Expr, type_: DataType, plain: bool, wanted: bool) -> None:
    schema = Schema((Field("k", type_), *tuple(SCHEMA)[1:]))
    counted = (NamedAggregate("c", AggregateCall("count")),)
    plan = Sink(Aggregate(Source("in", schema), None, (Named("key0", key),), counted), "out")
    program = flatten(cut(plan)[0])
    rows = batch(letters(3), plain=plain)
    if type_ == BINARY:
        rows = rows.set_column(0, "k", rows.column("k").cast(pa.binary()))
    assert can_be_dense(program, bind(rows, program.input).layout) is wanted


def test_strings_beyond_the_dictionarys_limit() -> None:
    """They have no code, so the generic variant takes them."""
    expected, _ = results(GENERIC, batch(letters(200)), batch(letters(100, of="xyz")))
    small = KeyDictionaries(most_strings=11)
    program = flatten(cut(query(K))[0])
    kernels = GroupKernels(program, GroupState(slot_layout(program, slice_is_key=False), 0))
    seen = []
    for rows in batch(letters(200)), batch(letters(100, of="xyz")):
        kernels.begin(bind(rows, program.input), 0, rows.num_rows, small)
        assert kernels.run(dense((0, 99))) == Exit.DONE
        seen.append(kernels.take().guard_exits)
    assert seen == [0, 1]
    assert len(small.of("k")) == 11
    tables = (table for state in kernels.states.all() for table in state.tables.values())
    merged = pa.Table.from_batches([combine(program, tables).export()])
    assert Counter(map(str, from_table(merged))) == expected


@st.composite
def random_batches(draw: st.DrawFn) -> list[pa.RecordBatch]:
    """Some plain, most with a dictionary in an order of its own, which may say a value twice."""
    made = []
    for _ in range(draw(st.integers(1, 5))):
        values: Texts = draw(st.lists(st.sampled_from(("", *"abcdefg", "éé")), min_size=1))
        keys = draw(st.lists(st.sampled_from((*values, None)), max_size=20))
        plain = not draw(st.integers(0, 4))
        made.append(batch(keys, dictionary=None if plain else values, plain=plain))
    return made


@pytest.mark.parametrize("keys", [(K,), (K, N), (N, K, K)])
@settings(max_examples=150, deadline=None)
@given(batches=random_batches(), data=st.data())
def test_bets_that_change_from_batch_to_batch(
    keys: tuple[Column, ...], batches: list[pa.RecordBatch], data: st.DataObject
) -> None:
    """Ranges that nobody looked at the data for, and the generic variant in between."""
    bets = [dense(*data.draw(ranges(len(keys))).ranges) for _ in range(3)]
    policy = Erratic(variants=(*bets, GENERIC), seed=data.draw(st.integers(0, 99)))
    runner, wanted = PlanRunner(query(*keys), policy), Counter[tuple[object, ...]]()
    for one in batches:
        runner.consume(one)
        columns = [one[key.name].to_pylist() for key in keys]
        wanted.update(zip(*columns, strict=True))
    found = from_table(runner.finish())
    names = [f"key{position}" for position in range(len(keys))]
    assert Counter({tuple(row[name] for name in names): row["c"] for row in found}) == wanted
    assert len(found) == len(wanted)


# -- windows ------------------------------------------------------------------------------------


WINDOWS = {
    "tumbling": TumblingWindow(T, 40 * SECOND),
    "sliding": SlidingWindow(T, 60 * SECOND, 20 * SECOND),
}


def windows(plan: Sink, spec: VariantSpec, threads: int, stream: list[pa.RecordBatch]) -> list[str]:
    """The results of an engine."""
    with Engine(plan, threads, Fixed(spec), morsel_rows=16) as engine:
        tables = [engine.push(rows) for rows in stream]
        tables.append(engine.finish())
    return sorted(map(str, from_table(pa.concat_tables(tables))))


@pytest.mark.parametrize("threads", [0, 1, 3])
@pytest.mark.parametrize("window", ["tumbling", "sliding"])
def test_windows_over_threads(window: str, threads: int) -> None:
    """Groups of all threads and both forms are merged, and taken out where windows slide."""
    luck, stream, start = Random(threads), list[pa.RecordBatch](), 0
    for number in range(30):
        values: Texts = luck.sample("abcdefghijklmnopqrstuvwxyz", 4 + number // 2)
        keys: Texts = [luck.choice([*values, None]) for _ in range(luck.randint(1, 40))]
        plain = number % 7 == 3
        stream.append(batch(keys, dictionary=None if plain else values, plain=plain, start=start))
        start += len(keys)
    plan = query(K, window=WINDOWS[window])
    expected = windows(plan, GENERIC, 0, stream)
    for last in 3, 12, 25:
        assert windows(plan, dense((0, last)), threads, stream) == expected


# -- the loop -----------------------------------------------------------------------------------


def random_batch(values: int, luck: np.random.Generator, rows: int = 500_000) -> pa.RecordBatch:
    """Many rows, with codes of a dictionary in an order of its own."""
    strings = pa.array([f"campaign {number}" for number in luck.permutation(values)])
    codes = pa.array(luck.integers(0, values, rows), pa.int32())
    numbers = pa.array(luck.integers(0, 100, rows))
    stamps = pa.array(np.zeros(rows, np.int64), pa.timestamp("us", tz="UTC"))
    keys = pa.DictionaryArray.from_arrays(codes, strings)
    return pa.record_batch({"k": keys, "n": numbers, "t": stamps})


def consume_until(runner: PlanRunner, loop: AdaptiveLoop, of: pa.RecordBatch, high: int) -> int:
    """Repeat a batch until the active variant bets on codes up to `high`; returns how often."""
    for count in range(1, 1500):
        runner.consume(of)
        bet = loop.active.spec.find(KeysInRange)
        if loop.active.signal != "trial" and bet is not None and bet.ranges[0][1] >= high:
            assert bet.ranges[0][0] == 0
            return count
    raise AssertionError(f"no bet on {high} codes: {[s.reason for s in loop.history.swaps]}")


def test_the_loop_finds_codes_and_more_of_them() -> None:
    """New values get the next codes: guards fail, rows are profiled again, the array grows."""
    luck = np.random.default_rng(5)
    few, many = random_batch(1000, luck), random_batch(3000, luck)
    loop = AdaptiveLoop(flatten(cut(query(K))[0]))
    runner = PlanRunner(query(K), loop=loop)
    times = [consume_until(runner, loop, few, 999), consume_until(runner, loop, many, 2999)]
    found = runner.finish().sort_by("key0")
    sums = []
    for rows, count in zip((few, many), times, strict=True):
        repeated = pa.table({"key0": rows["k"].cast(pa.string()), "s": rows["n"]})
        of_one = repeated.group_by("key0").aggregate([("s", "count"), ("s", "sum")])
        sums.append(of_one.set_column(1, "c", pc.multiply(of_one["s_count"], count)))
        sums[-1] = sums[-1].set_column(2, "s", pc.multiply(of_one["s_sum"], count))
    total = pa.concat_tables(sums).group_by("key0").aggregate([("c", "sum"), ("s", "sum")])
    wanted = total.sort_by("key0").rename_columns(["key0", "c", "s"])
    assert found.select(["key0", "c", "s"]).to_pydict() == wanted.to_pydict()
    assert sum(use.guard_exits for use in loop.history) > 0
