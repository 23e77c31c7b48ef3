"""Variants that share groups with other threads, and those that do not, on the same slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest

from adaptive import Engine, stream
from adaptive import functions as f
from adaptive.api import Stream
from adaptive.engine.grid import LEAST, NEVER
from adaptive.engine.slice_worker import SliceWorker, own_worker
from adaptive.engine.sliced_work import Strategy
from adaptive.engine.topology import Node, Topology
from adaptive.runtime import fixed_variant
from adaptive.runtime.binding import bind
from adaptive.runtime.combine import combine
from adaptive.runtime.kernels import code_spec
from adaptive.runtime.shared_state import SharedSlices
from adaptive.runtime.state import Table
from codegen_llvm import slot_layout
from ir import (
    GENERIC,
    HotKeys,
    KeysInRange,
    NoNulls,
    ShareGroups,
    Tier,
    VariantSpec,
    cut,
    flatten,
    optimize,
)
from policies import Fixed
from tests.bets import Erratic

SECOND = 1_000_000
SHARED = VariantSpec(Tier.SPECULATIVE, (), (*GENERIC.hints, ShareGroups()))
DENSE = VariantSpec(Tier.SPECULATIVE, (KeysInRange(((0, 9),)),))
BOTH = VariantSpec(Tier.SPECULATIVE, DENSE.assumptions, SHARED.hints)
WITHOUT_NULLS = VariantSpec(Tier.SPECULATIVE, (NoNulls(("v",)),), SHARED.hints)

Sums = dict[int, int | None]  # by key


def events() -> Stream:
    """Rows with keys, times and numbers."""
    schema = {"k": "int64", "t": "timestamp", "v": "int64"}
    return stream(schema).watermark("t", "3 seconds")


def sums(size: int | None, slide: int | None = None) -> Stream:
    """Their sums by key, in windows of so many seconds or in none."""
    grouped = events().group_by("k")
    if size is not None:
        window = f.window("t", f"{size} seconds", f"{slide or size} seconds")
        grouped = events().group_by(window, "k")
    return grouped.agg(s=f.sum("v"), n=f.count())


def batch(*rows: tuple[int, float, int | None]) -> pa.RecordBatch:
    """Rows of key, seconds and number."""
    k, t, v = zip(*rows, strict=True)
    times = pa.array([int(s * SECOND) for s in t], pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    return pa.record_batch({"k": pa.array(k, pa.int64()), "t": times, "v": pa.array(v, pa.int64())})


class Pair:
    """Two threads' workers that may share groups, in slices of ten seconds."""

    def __init__(self) -> None:
        self.program = flatten(cut(optimize(sums(10).plan))[0])
        shared = slot_layout(self.program, slice_is_key=False, shared=True)
        self.slices = SharedSlices(shared, 10 * SECOND)
        own = slot_layout(self.program, slice_is_key=False)
        self.workers = [own_worker(self.program, own, self.slices) for _ in range(2)]

    def run(self, number: int, spec: VariantSpec, *rows: tuple[int, float, int | None]) -> None:
        """Rows for one of them."""
        worker = self.workers[number]
        bound = bind(batch(*rows), self.program.input)
        worker.kernels.begin(bound, 0, bound.rows)
        worker.begin(0)
        assert worker.run(spec, NEVER, LEAST) is None

    def own(self, number: int, boundary: int) -> dict[int, Sums]:
        """What one of them hands out when it passes a window's end, by seconds."""
        sealed = self.workers[number].seal(boundary * SECOND)
        return {start // SECOND: self.sums(pieces) for start, pieces in sealed.items()}

    def closed(self, boundary: int) -> dict[tuple[int, int | None], Sums]:
        """What both have shared, once both have passed, by slice and by what was closed."""
        pieces = self.slices.close(boundary * SECOND)
        places = [(p.place.start // SECOND, p.place.after) for p in pieces]
        return dict(zip(places, (self.sums(p.tables) for p in pieces), strict=True))

    def sums(self, tables: list[Table]) -> Sums:
        """The sums of all these tables."""
        made = combine(self.program, tables).export()
        return dict(zip(made["k"].to_pylist(), made["s"].to_pylist(), strict=True))


def own_groups(worker: SliceWorker) -> int:
    """How many groups lie in tables of a worker's own."""
    return sum(s.groups for s in worker.kernels.states.all() if not s.layout.shared)


def test_rows_of_one_slice_lie_in_all_forms() -> None:
    """Those that came while groups were shared are in one table, those of before in two."""
    pair = Pair()
    for number in (0, 1):
        pair.run(number, GENERIC, (1, 1, 1), (2, 1, 1))
        pair.run(number, SHARED, (1, 2, 10), (3, 2, 10))
        pair.run(number, DENSE, (1, 3, 100), (50, 3, 100))
        pair.run(number, SHARED, (50, 3, 1000))
    own = {0: {1: 101, 2: 1, 50: 100}}
    assert pair.own(0, 10) == own
    assert pair.own(1, 10) == own
    assert pair.closed(10) == {(0, None): {1: 20, 3: 20, 50: 2000}}


def test_shared_rows_wait_for_the_thread_that_passes_last() -> None:
    """Who has passed shares no more with who has not: its rows belong to later windows."""
    pair = Pair()
    pair.run(0, SHARED, (1, 1, 1))
    assert pair.own(0, 10) == {}
    pair.run(0, SHARED, (1, 2, 10), (1, 12, 100))
    pair.run(1, SHARED, (1, 3, 1000), (1, 13, 10_000))
    pair.own(1, 10)
    assert pair.closed(10) == {(0, None): {1: 1001}}
    assert pair.closed(20) == {(0, 10 * SECOND): {1: 10}, (10, None): {1: 10_100}}


def test_who_shares_for_the_first_time_knows_what_it_has_passed() -> None:
    """Its rows of a slice that has ended are not those of a thread that is still there."""
    pair = Pair()
    pair.run(0, GENERIC, (1, 1, 1))
    assert pair.own(0, 10) == {0: {1: 1}}
    pair.run(0, SHARED, (1, 2, 10))
    pair.run(1, SHARED, (1, 3, 100))
    pair.own(1, 10)
    assert pair.closed(10) == {(0, None): {1: 100}}
    assert pair.closed(20) == {(0, 10 * SECOND): {1: 10}}


def test_groups_that_nobody_shares_any_more_cost_no_memory() -> None:
    """Slices go by without a table for a form that no variant uses."""
    pair = Pair()
    for number in (0, 1):
        pair.run(number, SHARED, *((k, 1, 1) for k in range(5000)))
    assert pair.slices.bytes > 0
    for end in (10, 20, 30):
        for number in (0, 1):
            pair.own(number, end)
            pair.run(number, GENERIC, (1, end + 1, 1))
        pair.closed(end)
        assert pair.slices.bytes == 0


def test_shared_tables_begin_as_large_as_ones_own() -> None:
    """Not full at once, which would leave several tables to merge."""
    pair = Pair()
    rows = [(k, 1, 1) for k in range(10_000)]
    pair.run(0, GENERIC, *rows)
    pair.run(0, SHARED, *rows)
    pair.own(0, 10)
    (piece,) = pair.slices.close(10 * SECOND)
    assert [table.groups for table in piece.tables] == [10_000]


def test_an_array_of_keys_is_not_shared() -> None:
    """A variant with both has arrays of its own; keys beyond are left to the generic one."""
    pair = Pair()
    for number in (0, 1):
        pair.run(number, BOTH, (1, 1, 1), (50, 1, 1))
        assert own_groups(pair.workers[number]) == 2
    assert pair.slices.bytes == 0


def test_a_guard_that_fails_leaves_to_groups_of_ones_own() -> None:
    """The next batch is shared again."""
    pair = Pair()
    pair.run(0, WITHOUT_NULLS, (1, 1, None), (2, 1, 1))
    assert own_groups(pair.workers[0]) == 2
    pair.run(0, WITHOUT_NULLS, (2, 1, 10))
    assert pair.own(0, 10) == {0: {1: None, 2: 1}}
    assert pair.closed(10) == {(0, None): {2: 10}}


def test_code_knows_sharing_from_the_layout_only() -> None:
    """The hint is no part of what is compiled, and such code can be banned as any bet."""
    stripped = code_spec(SHARED)
    assert stripped == VariantSpec(Tier.SPECULATIVE)
    hot = HotKeys(((1,),))
    assert code_spec(VariantSpec(Tier.SPECULATIVE, (), (ShareGroups(), hot))).hints == (hot,)


@dataclass(frozen=True)
class Way:
    """How an engine is to run."""

    threads: int
    strategy: Strategy
    nodes: Topology | None = None


TWO_NODES = Topology((Node(0, (0, 1)), Node(1, (2, 3))))
TURNS = (SHARED, GENERIC, DENSE, BOTH)


def stream_of_events(rows: int = 30_000) -> list[pa.RecordBatch]:
    """Batches whose times go up, and back by up to 40 seconds: some rows are late."""
    rng = np.random.default_rng(7)
    back = rng.uniform(0, 40, rows) * (rng.random(rows) < 0.1)
    times = np.sort(rng.uniform(0, 120, rows)) - back
    keys, values = rng.integers(0, 300, rows) % rng.integers(1, 300, rows), rng.integers(0, 9, rows)
    made = list(zip(keys.tolist(), times.tolist(), values.tolist(), strict=True))
    return [batch(*made[i : i + 3000]) for i in range(0, rows, 3000)]


def results(query: Stream, way: Way, policy: Fixed) -> tuple[list[tuple[object, ...]], int]:
    """All rows of the result, in order, and how many came too late; memory is given back."""
    engine = Engine(
        query, way.threads, policy, strategy=way.strategy, morsel_rows=300, topology=way.nodes
    )
    with engine:
        made = [engine.push(one) for one in stream_of_events()]
        made.append(engine.finish())
        late = engine.late_rows
        assert sum(work.bytes for work in engine._made.works) == 0
    rows = pa.concat_tables(made).to_pylist()
    return sorted(tuple(map(str, row.values())) for row in rows), late


@pytest.mark.parametrize("way", [Way(2, "auto"), Way(3, "auto"), Way(4, "auto", TWO_NODES)])
@pytest.mark.parametrize("window", [(10, None), (20, 5), (None, None)], ids=str)
def test_turns_of_all_forms(window: tuple[int | None, int | None], way: Way) -> None:
    """From morsel to morsel another form, in any thread: the result is that of one thread."""
    query = sums(*window)
    want = results(query, Way(0, "independent"), Fixed())
    assert results(query, way, Erratic(variants=TURNS)) == want
    assert (want[1] > 0) == (window[0] is not None)


def bytes_shared(way: Way, policy: Fixed) -> int | None:
    """The memory of shared groups of an engine with open windows; None if it may have none."""
    with Engine(sums(3600), way.threads, policy, strategy=way.strategy) as engine:
        for one in stream_of_events(6000):
            engine.push(one)
        engine.flush()
        (work,) = engine._made.works
        slices = work._slices  # type: ignore[attr-defined]
        return None if slices is None else int(slices.bytes)


@pytest.mark.parametrize(
    ("way", "policy", "shares"),
    [
        (Way(2, "auto"), Fixed(SHARED), True),
        (Way(2, "auto"), Fixed(), False),
        (Way(2, "auto"), Fixed(BOTH), False),
        (Way(1, "auto"), Fixed(SHARED), None),
        (Way(0, "auto"), Fixed(SHARED), None),
        (Way(2, "independent"), Fixed(SHARED), None),
        (Way(2, "shared"), Fixed(), True),
        (Way(2, "shared"), Fixed(BOTH), True),
        (Way(1, "shared"), Fixed(DENSE), True),
    ],
    ids=str,
)
def test_who_shares(way: Way, policy: Fixed, shares: bool | None) -> None:
    """By itself, as the policy says and with several threads; else as the strategy says."""
    found = bytes_shared(way, policy)
    assert (None if found is None else found > 0) == shares


def test_a_policy_that_shares_from_the_start_fills_nothing_else() -> None:
    """Every row is in the shared tables, in each thread."""
    with Engine(sums(3600), 2, Fixed(SHARED), morsel_rows=300) as engine:
        for one in stream_of_events(6000):
            engine.push(one)
        engine.flush()
        (work,) = engine._made.works
        workers: list[SliceWorker] = work._workers  # type: ignore[attr-defined]
        assert [own_groups(worker) for worker in workers] == [0, 0]
        assert sum(worker.rows_passed for worker in workers) == 6000


def generic_history(
    monkeypatch: pytest.MonkeyPatch, query: Stream, batches: list[pa.RecordBatch]
) -> tuple[pa.Table, list[bool]]:
    """What the generic policy makes of batches on two threads, and whether variants shared."""
    monkeypatch.setattr(fixed_variant, "MANY_GROUPS", 16)
    results = []
    with Engine(query, 2, "generic", morsel_rows=50) as engine:
        for one in batches:
            results.append(engine.push(one))
            results.append(engine.flush())
        results.append(engine.finish())
        ran = [use.spec.find(ShareGroups) is not None for use in engine.history()]
    return pa.concat_tables(results), ran


def numbered(start: float, keys: int, rows: int = 400) -> pa.RecordBatch:
    """Rows of so many keys from a second on, within five seconds."""
    every = range(rows)
    return batch(*((i % keys, start + 5 * i / rows, i if i % 7 else None) for i in every))


@pytest.mark.parametrize("size", [10, None])
@pytest.mark.parametrize("unlocked", [True, False])
def test_generic_threads_share_very_many_groups(
    monkeypatch: pytest.MonkeyPatch, size: int | None, unlocked: bool
) -> None:
    """Own and shared groups of one window become one result; few groups are not shared."""
    window = () if size is None else (f.window("t", f"{size} seconds"),)
    made = [f.sum("v").alias("s"), f.max("v").alias("m")]
    made += [] if unlocked else [f.stddev("v").alias("d")]
    query = events().group_by(*window, "k").agg(*made)
    batches = [numbered(5 * i, 100) for i in range(6)]
    batches += [numbered(30 + 10 * i, 3) for i in range(12)]
    together, ran = generic_history(monkeypatch, query, batches)
    with Engine(query, 2, "generic", strategy="independent") as engine:
        results = [engine.push(one) for one in batches]
        alone = pa.concat_tables([*results, engine.finish()])
    order = [(name, "ascending") for name in together.column_names[: 1 + 2 * len(window)]]
    exact = [name for name in together.column_names if name != "d"]
    assert together.select(exact).sort_by(order) == alone.select(exact).sort_by(order)
    assert any(ran) == unlocked  # where a lock is needed, groups stay with their threads
    assert not all(ran)
