"""Session and count windows in the engine: the loop that serves all, results exact meanwhile."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pyarrow as pa
import pytest

import ir
from adaptive import Engine, Stream, stream
from adaptive import functions as f
from adaptive.api.windows import WindowOver
from adaptive.loop.history import History
from ir import GENERIC, FilterOrder, NoNulls, Tier, VariantSpec
from tests.arrow import canonical, from_table
from tests.bets import Erratic

COLUMNS = tuple("abd")
TEXT = "a text in which nobody finds the number {}"
WINDOWS = {"session": f.session_window("t", "100 milliseconds"), "count": f.count_window(5)}
TURNS = (
    GENERIC,
    VariantSpec(Tier.SPECULATIVE, (), ()),
    VariantSpec(Tier.SPECULATIVE, (NoNulls(("b", "k")),), (*GENERIC.hints, FilterOrder((3,)))),
    VariantSpec(Tier.SPECULATIVE, (), (*GENERIC.hints, FilterOrder((3,), (0, 1, 2)))),
)


def query(window: WindowOver) -> Stream:
    """Behind four filters: a dear one that drops few rows, and a cheap one that drops most."""
    columns = {"t": "timestamp", "k": "int64", "s": "string"} | dict.fromkeys(COLUMNS, "int64")
    made = stream(columns).watermark("t", "10 milliseconds")
    made = made.filter(f.col("s").contains("the number 1"))
    for name, least in (("a", 10), ("b", 10), ("d", 95)):
        made = made.filter(f.col(name) >= least)
    return made.group_by(window, "k").agg(n=f.count(), total=f.sum("a"), least=f.min("b"))


def batch(rows: int, first: int, nulls: bool = False) -> pa.RecordBatch:
    """A row a millisecond, some late; numbers below 100 that are not sorted in any way."""
    numbers = range(first, first + rows)
    columns: dict[str, Sequence[int | None]] = {
        name: [(n * (7919 + 2 * place) + place) // 11 % 100 for n in numbers]
        for place, name in enumerate(COLUMNS)
    }
    if nulls:
        columns["b"] = [None if n % 3 else v for n, v in enumerate(columns["b"])]
    times = pa.array([n * 1000 + n % 7 * 3000 for n in numbers], pa.int64())
    keys = pa.array([n * 31 % 37 for n in numbers], pa.int64())
    texts = pa.array([TEXT.format(n % 11 and 1) for n in numbers])
    arrays = {"t": times.cast(pa.timestamp("us", tz="UTC")), "k": keys, "s": texts}
    arrays |= {name: pa.array(values, pa.int64()) for name, values in columns.items()}
    return pa.record_batch(arrays)


def expected(query: Stream, rows: pa.Table) -> list[str]:
    """What the evaluator makes of all rows."""
    evaluator = ir.StreamEvaluator(query.plan)
    return canonical(evaluator.push(from_table(rows)) + evaluator.finish())


@pytest.mark.parametrize("window", WINDOWS)
def test_variants_take_turns_however_rows_are_cut(window: str) -> None:
    """Batches and threads change nothing, and the history has each row once."""
    asked = query(WINDOWS[window])
    rows = pa.Table.from_batches([batch(250, n, nulls=n % 3 == 1) for n in range(0, 6_000, 250)])
    wanted = expected(asked, rows)
    assert len(wanted) > 30
    for threads, size in ((0, 250), (0, 999), (2, 250), (2, 6_000), (3, 999)):
        policy = Erratic(variants=TURNS, seed=3)
        with Engine(asked, threads, policy, morsel_rows=70) as engine:
            pieces = rows.combine_chunks().to_batches(max_chunksize=size)
            tables = [engine.push(piece) for piece in pieces]
            tables.append(engine.finish())
            history = engine.history()
        assert canonical(from_table(pa.concat_tables(tables))) == wanted
        assert sum(use.rows for use in history) == 6_000
        assert len({use.spec for use in history}) == len(TURNS)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_thread_waits_for_one_that_is_far_behind(
    window: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly all rows have one key, so that all but one thread have little to add."""
    monkeypatch.setattr("adaptive.engine.parted_work._MOST_WAITING", 0)
    asked = query(WINDOWS[window])
    rows = pa.Table.from_batches([batch(6_000, 0)])
    hot = pa.array([0 if n % 50 else n for n in range(6_000)], pa.int64())
    rows = rows.set_column(1, "k", hot)
    wanted = expected(asked, rows)
    for threads in (2, 3):
        with Engine(asked, threads, "generic", morsel_rows=20) as engine:
            made = [engine.push(piece) for piece in rows.to_batches(max_chunksize=500)]
            made.append(engine.finish())
        assert canonical(from_table(pa.concat_tables(made))) == wanted


@pytest.mark.parametrize("threads", [0, 2])
@pytest.mark.parametrize("window", WINDOWS)
def test_an_error_tells_the_row_wherever_it_is_added(window: str, threads: int) -> None:
    """Also where another morsel is in work by then; the engine ends with it."""
    made = stream({"t": "timestamp", "k": "int64", "v": "int64"}).watermark("t", "0 seconds")
    asked = made.group_by(WINDOWS[window], "k").agg(worst=f.max(f.col("v") + 1))
    values = [n if n != 777 else 2**63 - 1 for n in range(3_000)]
    times = pa.array(range(3_000), pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    keys = [n % 5 for n in range(3_000)]
    rows = pa.table({"t": times, "k": keys, "v": values})
    engine = Engine(asked, threads, morsel_rows=10)

    def fail() -> None:
        for piece in rows.to_batches(max_chunksize=300):
            engine.push(piece)
        engine.flush()

    with pytest.raises(ir.EvaluationError, match=r"v = 9223372036854775807") as raised:
        fail()
    assert raised.value.row == 177
    engine.close()


@pytest.mark.parametrize("threads", [0, 3])
def test_the_key_of_a_late_row_is_not_evaluated(threads: int) -> None:
    """So it cannot fail; such keys are not divided among threads."""
    made = stream({"t": "timestamp", "k": "int64"}).watermark("t", "0 seconds")
    asked = made.group_by(WINDOWS["session"], key=f.col("k") + 1).agg(n=f.count())
    late = [0] * 90 + [2**63 - 1] * 10
    moments = [n * 1_000_000 for n in range(90)] + [0] * 10
    times = pa.array(moments, pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    rows = pa.record_batch({"t": times, "k": late})
    with Engine(asked, threads, morsel_rows=7) as engine:
        made_of = [engine.push(rows), engine.finish()]
        assert engine.late_rows == 10
    assert sum(pa.concat_tables(made_of)["n"].to_pylist()) == 90


def adopted(history: History) -> list[FilterOrder]:
    """The orders that were faster in a trial, and run since."""
    faster = (s for s in history.swaps if s.after_ns and s.before_ns and s.after_ns < s.before_ns)
    return [order for swap in faster if (order := swap.spec.find(FilterOrder)) is not None]


@pytest.mark.parametrize("threads", [0, 2])
@pytest.mark.parametrize("window", WINDOWS)
def test_the_loop_adopts_an_order_of_filters(window: str, threads: int) -> None:
    """By itself, from sampled rows, and keeps it; what comes out is what generic gives."""
    asked, rows, deadline = query(WINDOWS[window]), batch(300_000, 0), time.monotonic() + 60
    pushed, made = 0, 0
    with Engine(asked, threads) as engine:
        while time.monotonic() < deadline:
            made += engine.push(rows).num_rows
            pushed += 1
            if adopted(engine.history()):
                break
        made += engine.finish().num_rows
        history = engine.history()
    order, *_ = adopted(history)
    assert (*order.first, *order.then)[0] == 3
    assert sum(use.rows for use in history) == pushed * rows.num_rows
    with Engine(asked, 0, "generic") as engine:
        generic = sum(engine.push(rows).num_rows for _ in range(pushed))
        assert made == generic + engine.finish().num_rows
