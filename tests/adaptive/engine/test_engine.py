"""What a user of the engine relies on, by example."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pyarrow as pa
import pytest

import ir
from adaptive import Engine, stream
from adaptive import functions as f
from adaptive.api import Stream
from adaptive.engine import EngineClosed, QueueFull
from adaptive.engine.topology import Node, Topology
from adaptive.runtime import BatchError
from tests.conftest import ROOT

SECOND = 1_000_000
SCHEMA = {"k": "int64", "t": "timestamp", "v": "int64"}


def events() -> Stream:
    return stream(SCHEMA).watermark("t", "0 seconds")


def sums(window: str = "10 seconds", slide: str | None = None) -> Stream:
    return events().group_by(f.window("t", window, slide or window), "k").agg(s=f.sum("v"))


def batch(*rows: tuple[int, float, int]) -> pa.RecordBatch:
    k, t, v = zip(*rows, strict=True) if rows else ((), (), ())
    times = pa.array([int(s * SECOND) for s in t], pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    return pa.record_batch({"k": pa.array(k, pa.int64()), "t": times, "v": pa.array(v, pa.int64())})


def seen(table: pa.Table) -> list[tuple[int, int, int]]:
    """Start in seconds, key and sum of each result."""
    starts = table["window_start"].cast(pa.int64()).to_pylist()
    rows = zip(starts, table["k"].to_pylist(), table["s"].to_pylist(), strict=True)
    return sorted((start // SECOND, k, s) for start, k, s in rows)


def test_the_example_of_the_readme() -> None:
    with Engine(sums(), threads=2) as engine:
        engine.push(batch((1, 1, 5), (2, 2, 7)))
        engine.push(batch((1, 11, 1)))
        assert seen(engine.flush()) == [(0, 1, 5), (0, 2, 7)]
        assert seen(engine.finish()) == [(10, 1, 1)]
    assert engine.rows == 3


def test_without_threads_results_are_there_at_once() -> None:
    before = threading.active_count()
    with Engine(sums(), threads=0) as engine:
        assert threading.active_count() == before
        assert seen(engine.push(batch((1, 1, 5)))) == []
        assert seen(engine.push(batch((1, 12, 1)))) == [(0, 1, 5)]
        assert engine.push(batch()).num_rows == 0


def test_tables_are_pushed_batch_by_batch() -> None:
    with Engine(sums(), threads=0) as engine:
        made = engine.push(pa.Table.from_batches([batch((1, 1, 5)), batch((1, 12, 1))]))
        assert seen(made) == [(0, 1, 5)]


def test_late_rows_are_counted() -> None:
    with Engine(sums(), threads=0) as engine:
        engine.push(batch((1, 1, 5), (1, 25, 1), (1, 2, 100), (1, 9, 100)))
        assert engine.late_rows == 2
        assert seen(engine.finish()) == [(20, 1, 1)]


def test_lateness_keeps_windows_open() -> None:
    query = stream(SCHEMA).watermark("t", "0 seconds", lateness="20 seconds")
    query = query.group_by(f.window("t", "10 seconds"), "k").agg(s=f.sum("v"))
    with Engine(query, threads=0) as engine:
        assert seen(engine.push(batch((1, 1, 5), (1, 25, 1), (1, 2, 100)))) == []
        assert seen(engine.push(batch((1, 30, 1)))) == [(0, 1, 105)]
        assert engine.late_rows == 0


def test_a_punctuation_closes_windows() -> None:
    with Engine(sums(), threads=0) as engine:
        engine.push(batch((1, 1, 5)))
        assert seen(engine.punctuate(9 * SECOND)) == []
        assert seen(engine.punctuate(10 * SECOND)) == [(0, 1, 5)]


def test_a_punctuation_needs_a_watermark() -> None:
    query = stream(SCHEMA).group_by("k").agg(s=f.sum("v"))
    with Engine(query, threads=0) as engine, pytest.raises(ir.IrError, match="watermark"):
        engine.punctuate(0)


@pytest.mark.parametrize("threads", [0, 2])
def test_processing_time(threads: int) -> None:
    """Windows go by the clock, and close also while no row comes."""
    now = [100 * SECOND]
    window = f.window(f.processing_time(), "10 seconds")
    query = stream(SCHEMA).group_by(window, "k").agg(s=f.sum("v"))
    with Engine(query, threads=threads, clock=lambda: now[0]) as engine:
        engine.push(batch((1, 0, 5), (1, 0, 6)))
        now[0] = 111 * SECOND
        made = engine.poll()
        deadline = time.monotonic() + 30
        while not made.num_rows and time.monotonic() < deadline:
            time.sleep(0.01)
            made = engine.poll()
        assert seen(made) == [(100, 1, 11)]


def test_results_may_be_sent_to_a_function() -> None:
    made: list[pa.Table] = []
    with Engine(sums(), threads=1, on_result=made.append) as engine:
        engine.push(batch((1, 1, 5), (1, 12, 1)))
        assert engine.finish().num_rows == 0
    assert [row for table in made for row in seen(table)] == [(0, 1, 5), (10, 1, 1)]


@pytest.mark.parametrize("threads", [0, 2])
def test_several_queries_share_a_stream(threads: int) -> None:
    queries = {
        "sum": sums(),
        "sliding": sums("20 seconds", "5 seconds"),
        "largest": events().group_by(f.window("t", "10 seconds"), "k").agg(s=f.max("v")),
        "views": events().filter(f.col("v") > 5).select("k", "v"),
        "sessions": events().group_by(f.session_window("t", "5 seconds"), "k").agg(s=f.sum("v")),
    }
    rows = [(i % 3, i * 0.7, i) for i in range(100)]
    with Engine(queries, threads=threads) as engine:
        made = [engine.push(batch(*rows[i : i + 7])) for i in range(0, 100, 7)]
        made.append(engine.finish())
        assert engine.late_rows == dict.fromkeys(queries, 0)
    for name, query in queries.items():
        together = pa.concat_tables([tables[name] for tables in made])
        with Engine(query, threads=0) as alone:
            wanted = pa.concat_tables([alone.push(batch(*rows)), alone.finish()])
        assert sorted(map(str, together.to_pylist())) == sorted(map(str, wanted.to_pylist()))


def test_rows_may_be_late_for_one_query_only() -> None:
    with Engine([sums("1 second"), sums("60 seconds")], threads=0) as engine:
        engine.push(batch((1, 0.5, 1), (1, 30, 1), (1, 2, 1), (1, 3, 1), (1, 31, 1), (1, 32, 1)))
        engine.finish()
        assert engine.late_rows == {0: 2, 1: 0}


def test_queries_of_one_engine_read_one_stream() -> None:
    other = stream({"x": "int64"}).agg(n=f.count())
    with pytest.raises(ir.IrSchemaError, match="the same stream"):
        Engine([sums(), other])


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_an_error_comes_with_the_next_call_and_stays(threads: int) -> None:
    query = events().group_by("k").agg(s=f.sum(f.col("v") / f.col("k")))
    engine = Engine(query, threads=threads)

    def fail() -> None:
        engine.push(batch((1, 1, 5), (0, 2, 7)))
        engine.flush()

    with pytest.raises(ir.EvaluationError, match=r"DIVIDE_BY_ZERO.*at row 1 of the batch"):
        fail()
    for call in (engine.flush, engine.finish, lambda: engine.push(batch((1, 1, 1)))):
        with pytest.raises(ir.EvaluationError, match="DIVIDE_BY_ZERO"):
            call()
    engine.close()


def test_an_error_that_nobody_saw_is_not_lost() -> None:
    query = events().group_by("k").agg(s=f.sum(f.col("v") / f.col("k")))

    def fail() -> None:
        with Engine(query, threads=1) as engine:
            engine.push(batch((0, 2, 7)))
            while engine.queued_bytes:
                time.sleep(0.001)

    with pytest.raises(ir.EvaluationError, match="DIVIDE_BY_ZERO"):
        fail()


def test_closing_twice_is_fine_and_leaves_no_thread() -> None:
    before = threading.active_count()
    engine = Engine(sums(), threads=3)
    assert threading.active_count() == before + 3
    engine.push(batch((1, 1, 5)))
    engine.close()
    engine.close()
    assert threading.active_count() == before
    with pytest.raises(EngineClosed, match="closed; make a new one"):
        engine.push(batch((1, 1, 5)))


def test_an_interrupt_leaves_no_thread() -> None:
    before = threading.active_count()

    def interrupted() -> None:
        with Engine(sums(), threads=2) as engine:
            engine.push(batch((1, 1, 5)))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert threading.active_count() == before


_INTERRUPTED = """
import signal, threading
from tests.adaptive.engine.test_engine import batch, sums
from adaptive import Engine
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
try:
    with Engine(sums(), threads=2) as engine:
        second = 0
        while True:
            second += 1
            engine.push(batch(*[(k, second, k) for k in range(50)]))
            if second == 3:
                print("ready", flush=True)
except KeyboardInterrupt:
    print([thread.name for thread in threading.enumerate()], flush=True)
"""


def test_ctrl_c_ends_a_program_that_pushes() -> None:
    """The signal comes at any moment, mostly inside of a push."""
    with subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTED], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=60)
    assert out.strip() == "['MainThread']"
    assert program.returncode == 0


def test_a_full_queue_blocks_or_raises() -> None:
    """The only thread waits in a result, so that nothing leaves the queue."""
    may_go_on = threading.Event()

    def wait(table: pa.Table) -> None:
        may_go_on.wait(30)

    engine = Engine(sums(), 1, queue_bytes=1000, when_full="raise", on_result=wait)

    def fill() -> None:
        for _ in range(100):
            engine.push(batch(*[(1, 20, 1)] * 10))

    try:
        engine.push(batch((1, 1, 5), (1, 12, 1)))
        with pytest.raises(QueueFull, match="raise queue_bytes"):
            fill()
    finally:
        may_go_on.set()
        engine.close()


def test_a_push_that_blocks_goes_on_when_there_is_room() -> None:
    with Engine(sums(), threads=1, queue_bytes=100) as engine:
        for i in range(50):
            engine.push(batch(*[(1, i, 1)] * 20))
        assert sum(s for _, _, s in seen(engine.finish())) == 200
    assert engine.queued_bytes == 0


@pytest.mark.parametrize("strategy", ["independent", "shared"])
def test_state_is_merged_by_node(strategy: str) -> None:
    """Four threads on two nodes that this machine need not have."""
    nodes = Topology((Node(0, (0, 1)), Node(1, (2, 3))))
    query = sums("20 seconds", "5 seconds")
    rows = [(i % 50, i * 0.01, 1) for i in range(20_000)]
    tables = []
    with Engine(query, threads=4, strategy=strategy, topology=nodes, morsel_rows=100) as engine:
        for i in range(0, len(rows), 1000):
            tables.append(engine.push(batch(*rows[i : i + 1000])))
        tables.append(engine.finish())
    with Engine(query, threads=0) as alone:
        wanted = [alone.push(batch(*rows)), alone.finish()]
    assert seen(pa.concat_tables(tables)) == seen(pa.concat_tables(wanted))


def test_what_is_pushed_is_checked() -> None:
    with Engine(sums(), threads=2) as engine:
        with pytest.raises(TypeError, match=r"pyarrow\.RecordBatch or Table, got list"):
            engine.push([1, 2])  # type: ignore[arg-type]
        with pytest.raises(BatchError, match="no column 'k'"):
            engine.push(pa.record_batch({"x": pa.array([1])}))
        engine.push(batch((1, 1, 5)))
        assert seen(engine.finish()) == [(0, 1, 5)]


@pytest.mark.parametrize(
    ("keyword", "message"),
    [
        ({"threads": -1}, "threads must be 0"),
        ({"policy": "best"}, "policy is 'adaptive'"),
        ({"strategy": "both"}, "strategy is 'auto', 'independent' or 'shared'"),
        ({"morsel_rows": 0}, "morsel_rows must be positive"),
        ({"queue_bytes": 0}, "queue_bytes must be positive"),
        ({"when_full": "drop"}, "when_full is 'block' or 'raise'"),
        ({"latency": -1.0}, "latency is a time in seconds"),
    ],
)
def test_options_are_checked(keyword: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Engine(sums(), **keyword)  # type: ignore[arg-type]


def test_an_engine_runs_streams() -> None:
    with pytest.raises(TypeError, match=r"adaptive\.stream"):
        Engine(7)  # type: ignore[arg-type]


def test_a_null_that_was_kept_gives_way_to_a_value_of_a_batch_without_nulls() -> None:
    kept = events().group_by("k").agg(first=f.first("v"), last=f.last("v"))
    null = pa.record_batch(
        {**{n: batch((1, 1, 0))[n] for n in "kt"}, "v": pa.array([None], pa.int64())}
    )
    with Engine(kept, threads=0) as engine:
        engine.push(null)
        engine.push(batch((1, 2, 7)))
        assert engine.finish().to_pylist() == [{"k": 1, "first": None, "last": 7}]


@pytest.mark.parametrize("threads", [0, 3])
def test_rounded_aggregates_differ_in_the_last_digits_only(threads: int) -> None:
    """Threads and sliding windows add in another order."""
    x = f.col("v") / 7.0
    aggregates = {
        "sum": f.sum(x),
        "mean": f.avg(x),
        "deviation": f.stddev(x),
        "variance": f.var_pop(x),
    }
    query = events().group_by(f.window("t", "20 seconds", "5 seconds"), "k").agg(**aggregates)
    rows = [(i % 5, i * 0.03, (i * 7919) % 1000) for i in range(5000)]
    tables = []
    with Engine(query, threads=threads, morsel_rows=64) as engine:
        for i in range(0, len(rows), 500):
            tables.append(engine.push(batch(*rows[i : i + 500])))
        tables.append(engine.finish())
    columns = [{"k": k, "t": int(t * SECOND), "v": v} for k, t, v in rows]
    wanted = {(r["window_start"], r["k"]): r for r in ir.evaluate(query.plan, columns)}
    made = pa.concat_tables(tables)
    starts = made["window_start"].cast(pa.int64()).to_pylist()
    assert len(starts) == len(wanted)
    for start, row in zip(starts, made.to_pylist(), strict=True):
        for name in aggregates:
            assert row[name] == pytest.approx(wanted[start, row["k"]][name], rel=1e-9)


def test_the_history_has_what_ran() -> None:
    with Engine(sums(), threads=0) as engine:
        engine.push(batch((1, 1, 5), (1, 2, 5)))
        engine.push(batch((1, 3, 0)).set_column(2, "v", pa.array([None], pa.int64())))
        engine.finish()
    made = engine.history().to_arrow()
    assert made["rows"].to_pylist() == [2, 1]
    assert made["has_nulls"].to_pylist() == [False, True]
    assert set(made["tier"].to_pylist()) == {"generic"}
    assert all(ns > 0 for ns in made["ns_per_row"].to_pylist())


def test_a_window_that_ends_beyond_64_bits_is_told_as_the_evaluator_does() -> None:
    """The last microseconds of the year 294247: the end wraps, and nothing is lost."""
    query = stream({"t": "timestamp"}).group_by(f.window("t", "10 seconds")).agg(n=f.count())
    times = [2**63 - 1, 5]
    with Engine(query, threads=0) as engine:
        column = pa.array(times, pa.int64()).cast(pa.timestamp("us", tz="UTC"))
        engine.push(pa.record_batch({"t": column}))
        made = engine.finish()
    evaluator = ir.StreamEvaluator(query.plan)
    evaluator.push([{"t": time} for time in times])
    ends = made["window_end"].cast(pa.int64()).to_pylist()
    assert sorted(ends) == sorted(row["window_end"] for row in evaluator.finish())


@pytest.mark.parametrize("threads", [0, 2])
def test_an_error_tells_the_values_of_its_row(threads: int) -> None:
    query = stream({"text": "string", "unused": "int64"}).select(n=f.col("text").cast("int64"))
    rows = {"text": ["1", "x" * 100, "3"], "unused": [1, 2, 3]}

    def fail() -> None:
        with Engine(query, threads=threads) as engine:
            engine.push(pa.record_batch(rows))
            engine.flush()

    with pytest.raises(ir.EvaluationError) as raised:
        fail()
    assert raised.value.row == 1
    assert raised.value.values == f"text = '{'x' * 59}..."
    assert "at row 1 of the batch, where text = 'xxx" in str(raised.value)
