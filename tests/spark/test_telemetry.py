"""What the loops of the workers did reaches the driver: exactly once, in bounded memory."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import adaptive as ad
from adaptive.loop.history import SwapRecord, VariantUse
from adaptive.spark import listener, query_records
from adaptive.spark.listener import ReportListener
from adaptive.spark.query_records import QueryRecords
from adaptive.spark.stream_history import MicroBatch, StreamHistory, WorkerSwap, WorkerUse
from adaptive.spark.telemetry import (
    MOST_BYTES,
    REPORT,
    TaskReport,
    parsed_report,
    report_text,
)
from adaptive.spark.worker import FragmentTask, learned
from codegen_llvm import Encoding, InputLayout
from ir import GENERIC, INSTRUMENTED, KeysInRange, Tier, VariantSpec
from policies import Fixed, Generalize
from profiler import Profile
from tests.conftest import spark_environment
from tests.spark.comparison import (
    Received,
    Rows,
    assert_same_rows,
    events,
    rows_of,
    stream,
    taken_over,
    write_files,
)
from tests.spark.test_streaming import FILES as LATE_FILES
from tests.spark.test_streaming import revenue
from tests.spark.test_worker import PLAN

LAYOUT = InputLayout((Encoding.PLAIN, Encoding.DICTIONARY), has_nulls=False)
DENSE = VariantSpec(Tier.SPECULATIVE, (KeysInRange(((0, 99),)),))
FILES = [
    events([("view", 1, 1, 10), ("view", 2, 2, 20), ("click", 1, 3, 5)]),
    events([("click", 1, 12, 1)] * 7),  # no row passes, so there is no partial
    events([("view", 1, 45, 3), ("view", None, 3, 100), ("view", 2, 27, 200), ("click", 1, 90, 1)]),
]


def totals(df: DataFrame) -> DataFrame:
    return df.where("event_type = 'view'").groupBy("campaign_id").agg(F.sum("value"), F.count("*"))


def started(df: DataFrame) -> StreamingQuery:
    return df.writeStream.outputMode("update").format("noop").start()


def finished(df: DataFrame) -> StreamingQuery:
    query = df.writeStream.outputMode("update").format("noop").trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def swap(number: int, reason: str = "because") -> SwapRecord:
    return SwapRecord(number, 0, DENSE, reason, "profile", 2.5, None)


def report(pid: int = 7, rows: int = 0, **more: Any) -> TaskReport:
    return TaskReport("3", pid, 0, rows, **more)


def batch(number: int, run: str = "run", rows: int = 1) -> MicroBatch:
    return MicroBatch(number, run, rows, 1, 0, 100, ("generic",))


# On Spark.


def test_rows_are_those_of_the_files_in_every_micro_batch(spark: SparkSession, data: Path) -> None:
    """Spark itself counts files; a micro-batch without partials counts as well."""
    write_files(data, FILES)
    query = finished(taken_over(totals(stream(spark, data))))
    history = ad.history(query)
    assert [(b.batch_id, b.rows) for b in history.batches] == [(0, 3), (1, 7), (2, 4)]
    assert history.rows == 14
    assert sum(use.rows for use in history) == 7  # the scan has left out a file of clicks
    assert all(use.executor == "driver" and use.pid for use in history)
    assert history.batches_to_arrow()["rows"].to_pylist() == [3, 7, 4]
    assert str(history).startswith("14 rows in 3 micro-batches, ")
    for progress, rows in zip(query.recentProgress, (3, 7, 4), strict=True):
        [observed] = progress["observedMetrics"].values()
        metrics = observed["metrics"]
        assert (metrics["rows_in"], metrics["guard_exits"]) == (rows, 0)
        assert metrics["variants"] == ([] if rows == 7 else ["generic"])
        assert 0 < metrics["rows_per_second"] <= 1000 * rows


def test_a_query_is_known_by_its_id_after_its_end(spark: SparkSession, data: Path) -> None:
    write_files(data, FILES[:1])
    query = finished(taken_over(totals(stream(spark, data))))
    assert ad.history(query).rows == 3
    assert ad.history(query.id).rows == 3


def test_runs_of_one_checkpoint_are_one_query(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    df = taken_over(totals(stream(spark, data)))
    for number, table in enumerate(FILES):
        write_files(data, [table], first=number)
        writer = df.writeStream.outputMode("update").format("noop").trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
        query.awaitTermination()
    history = ad.history(query)
    assert [(b.batch_id, b.rows) for b in history.batches] == [(0, 3), (1, 7), (2, 4)]
    assert len({b.run_id for b in history.batches}) == 3


@pytest.mark.long
def test_a_checkpoint_that_was_made_without_reports_goes_on(
    spark: SparkSession, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports are not part of the state."""
    adapting = sys.modules["adaptive.spark.adapt"]
    write_files(data, LATE_FILES[:2])
    with monkeypatch.context() as patched:
        patched.setattr(adapting, "FragmentTask", without_reports)
        df = taken_over(revenue(stream(spark, data)))
        assert "CollectMetrics" not in df._jdf.queryExecution().analyzed().toString()
        first = Received(df, "append", tmp_path / "adapted").batches()
    native = Received(revenue(stream(spark, data)), "append", tmp_path / "native").batches()
    assert_same_batches(first, native)
    write_files(data, LATE_FILES[2:], first=2)
    df = revenue(stream(spark, data))
    going_on = Received(taken_over(df), "append", tmp_path / "adapted").batches()
    native = Received(df, "append", tmp_path / "native").batches()
    assert_same_batches(going_on, native)
    assert any(rows for _, rows in native)


def without_reports(*values: Any, **named: Any) -> FragmentTask:
    return FragmentTask(*values, **{**named, "reports": False})


def assert_same_batches(actual: list[tuple[int, Rows]], expected: list[tuple[int, Rows]]) -> None:
    assert [number for number, _ in actual] == [number for number, _ in expected]
    for (_, found), (_, wanted) in zip(actual, expected, strict=True):
        assert_same_rows(found, wanted)


def test_swaps_arrive_with_worker_and_micro_batch(spark: SparkSession, data: Path) -> None:
    """The loop profiles after some hundred thousand rows, once its probe is compiled."""
    numbers = np.arange(400_000)
    table = pa.table({"k": numbers % 1000, "v": numbers % 7})
    df = stream(spark, data, "k bigint, v bigint").groupBy("k").agg(F.sum("v"))
    query = started(taken_over(df))
    try:
        until, files = time.monotonic() + 240, 0
        history = StreamHistory()
        while not history.swaps and time.monotonic() < until:
            write_files(data, [table, table], first=files)
            files += 2
            query.processAllAvailable()
            history = ad.history(query)
    finally:
        query.stop()
    assert history.rows == sum(use.rows for use in history) == files * len(table)
    first = history.swaps[0]
    assert isinstance(first, WorkerSwap)
    assert first.spec == INSTRUMENTED
    assert first.signal == "rows"
    assert first.reason in str(history)
    assert (first.executor, first.pid) in {(use.executor, use.pid) for use in history}
    assert 0 < first.batch_id < files
    shown = history.swaps_to_arrow().slice(0, 1).to_pylist()[0]
    assert (shown["batch_id"], shown["pid"]) == (first.batch_id, first.pid)
    assert shown["tier"] == "instrumented"


def test_two_adaptations_of_one_query_in_one_plan(spark: SparkSession, data: Path) -> None:
    """Spark refuses two observations of the same name."""
    write_files(data, FILES)
    both = [taken_over(totals(stream(spark, data))) for _ in range(2)]
    query = finished(both[0].union(both[1]))
    assert [b.rows for b in ad.history(query).batches] == [6, 14, 8]


def test_a_stream_that_is_united_with_itself_is_read_and_counted_once(
    spark: SparkSession, data: Path
) -> None:
    """Spark reads the files once for both."""
    write_files(data, FILES)
    df = taken_over(totals(stream(spark, data)))
    query = finished(df.union(df))
    assert "ReusedExchange" in query._jsq.streamingQuery().lastExecution().executedPlan().toString()
    history = ad.history(query)
    assert [b.rows for b in history.batches] == [3, 7, 4]
    assert sum(use.rows for use in history) == 7


def test_a_batch_query_reports_nothing(spark: SparkSession, data: Path) -> None:
    write_files(data, FILES)
    df = taken_over(totals(spark.read.parquet(str(data))))
    assert "CollectMetrics" not in df._jdf.queryExecution().toString()
    assert len(rows_of(df)) == 3


def test_errors_say_what_is_wrong(spark: SparkSession, data: Path) -> None:
    write_files(data, FILES[:1])
    native = finished(totals(stream(spark, data)))
    with pytest.raises(ValueError, match="has no native stream in it"):
        ad.history(native)
    with pytest.raises(ValueError, match="no micro-batch of an adapted query"):
        ad.history(native.id)
    with pytest.raises(TypeError, match="takes a streaming query or its id, got int"):
        ad.history(3)  # type: ignore[arg-type]
    # Made up, because the real class needs grpc to be installed.
    remote = type("StreamingQuery", (), {"__module__": "pyspark.sql.connect.streaming.query"})()
    with pytest.raises(ValueError, match="Spark Connect"):
        ad.history(remote)


def test_an_adapted_query_that_has_read_nothing_has_an_empty_history(
    spark: SparkSession, data: Path
) -> None:
    query = started(taken_over(totals(stream(spark, data))))
    try:
        history = ad.history(query)
    finally:
        query.stop()
    assert (list(history), history.rows, history.batches) == ([], 0, ())


KILLED_WORKER = '''
import os
import signal
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from policies import Fixed, Generalize


class KillFirstAttempt(Fixed):
    """Ends its worker in the middle of a task, once, with tasks of two files of 900 rows.

    A class of its own is asked before every batch.
    """

    mark = sys.argv[2]

    def decide(self, profile):
        if profile.rows > 2000:
            try:
                os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass  # this is the second attempt
        return Generalize("test")


folder, mark = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2,4]")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
stream = spark.readStream.schema("k bigint, v bigint").option("maxFilesPerTrigger", 4)
df = stream.parquet(folder).groupBy("k").agg(F.sum("v"))
query = (
    ad.adaptive(df, policy=KillFirstAttempt(), mode="always")
    .writeStream.outputMode("complete")
    .option("checkpointLocation", mark + ".checkpoint")
    .format("noop")
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
history = ad.history(query)
rows = [batch.rows for batch in history.batches]
print("RESULT", rows, sum(use.rows for use in history))
'''


@pytest.mark.long
def test_a_task_that_runs_twice_reports_once(data: Path, tmp_path: Path) -> None:
    """Its worker is killed when it has read one of two files, and has reported before."""
    table = pa.table({"k": [n % 3 for n in range(900)], "v": list(range(900))})
    write_files(data, [table] * 12)
    script, mark = tmp_path / "killed_worker.py", tmp_path / "killed"
    script.write_text(KILLED_WORKER)
    done = subprocess.run(
        [sys.executable, str(script), str(data), str(mark)],
        env={**os.environ, **spark_environment()},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert mark.exists(), done.stderr[-3000:]
    assert "RESULT [3600, 3600, 3600] 10800" in done.stdout, done.stdout + done.stderr[-3000:]


# The task alone.


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    for number in range(2):
        table = pa.table({"k": ["a", "b", None], "x": [number, 10, None]})
        pq.write_table(table, tmp_path / f"{number}.parquet")
    return [f"file:{tmp_path}/{number}.parquet" for number in range(2)]


def told(task: FragmentTask, paths: list[str]) -> TaskReport:
    """The report of a task: one, in the last row."""
    listing = iter([pa.record_batch({"path": pa.array(paths, pa.string())})])
    table = pa.Table.from_batches(list(task(listing)))
    *others, columns = table[REPORT].to_pylist()
    assert others == [None] * len(others)
    report = parsed_report(columns.pop("text"))
    assert columns == {name: getattr(report, name) for name in columns}
    return report


def test_a_task_tells_what_came_since_the_last_one(paths: list[str]) -> None:
    task = FragmentTask("f", PLAN, ("a0", "k0"), policy=Fixed(), reports=True)
    learned(PLAN, Fixed()).begin()
    first, second = told(task, paths), told(task, paths[:1])
    assert (first.rows, second.rows) == (6, 3)
    assert [sum(use.rows for use in one.uses) for one in (first, second)] == [6, 3]
    assert first.pid == os.getpid()
    assert first.variant == "generic"


def test_columns_that_cannot_be_null_have_a_value_beside_a_report(paths: list[str]) -> None:
    never_null = frozenset({"a0", "k0"})
    task = FragmentTask("f", PLAN, ("a0", "k0"), reports=True, never_null=never_null)
    *_, last = task(iter([pa.record_batch({"path": paths})]))
    assert last.to_pylist()[0]["a0"] == 0
    assert last.to_pylist()[0]["k0"] == ""
    empty = list(task(iter([pa.record_batch({"path": pa.array([], pa.string())})])))
    assert sum(len(one) for one in empty) == 1


def test_a_task_that_fails_or_is_left_early_tells_nothing(paths: list[str]) -> None:
    """What its variants did is forgotten; its swaps are told by the next task."""
    policy = Counting()
    task = FragmentTask("f", PLAN, ("a0", "k0"), policy=policy, reports=True)
    left = task(iter([pa.record_batch({"path": paths})]))
    next(left)
    left.close()
    with pytest.raises(Exception, match="FILE_NOT_EXIST"):
        list(task(iter([pa.record_batch({"path": [paths[0], "file:/missing"]})])))
    done = told(task, paths)
    assert sum(use.rows for use in done.uses) == done.rows == 6


class Counting(Fixed):
    """A policy that equals its like, so that its loop lives on."""

    def decide(self, profile: Profile) -> Generalize:
        return Generalize(f"{profile.rows} rows")


# The text.


def test_a_report_is_read_as_it_was_written() -> None:
    uses = (VariantUse(DENSE, LAYOUT, "narrow", 10, 30, 2), VariantUse(GENERIC, LAYOUT, "ü", 90))
    given = report(rows=100, uses=uses[::-1], swaps=(swap(1), swap(2)), events=("lost",))
    read = parsed_report(report_text(given))
    assert set(read.uses) == set(given.uses)
    assert (read.swaps, read.events, read.left_out) == (given.swaps, given.events, 0)
    document = json.loads(report_text(given))
    assert (document["rows"], document["guard_exits"], document["variant"]) == (100, 2, "generic")


def test_a_report_that_is_too_long_loses_its_oldest_swaps() -> None:
    swaps = tuple(swap(number, "x" * 300) for number in range(200))
    given = report(uses=(VariantUse(GENERIC, LAYOUT, "start", 5),), swaps=swaps, events=("e",))
    text = report_text(given)
    assert MOST_BYTES / 2 < len(text.encode()) <= MOST_BYTES
    read = parsed_report(text)
    assert len(read.uses) == 1
    assert read.swaps == swaps[-len(read.swaps) :]
    kept = len(read.swaps) + len(read.events)
    assert read.left_out == 201 - kept > 0


@pytest.mark.parametrize("what", ["uses", "swaps", "events"])
def test_a_report_is_never_longer_than_its_limit(what: str) -> None:
    made: dict[str, Any] = {
        "uses": [VariantUse(GENERIC, LAYOUT, "y" * n, n) for n in range(1000)],
        "swaps": [swap(n, "z" * 100_000) for n in range(3)],
        "events": ["ü" * n for n in range(1000)],
    }
    text = report_text(report(**{what: tuple(made[what])}))
    assert len(text.encode()) <= MOST_BYTES
    assert parsed_report(text).left_out > 0


# The driver's memory.


def test_records_add_up_by_worker() -> None:
    records = QueryRecords()
    used = VariantUse(GENERIC, LAYOUT, "start", 10, 40, 1)
    for number in range(3):
        reports = [report(pid, 10, uses=(used,), swaps=(swap(number),)) for pid in (1, 2)]
        records.add("q", batch(number, rows=20), reports)
    records.add("q", batch(2, rows=20), reports)  # Spark told it twice
    history = records.history("q")
    assert history is not None
    assert [(use.pid, use.rows, use.guard_exits) for use in history] == [(1, 30, 3), (2, 30, 3)]
    assert [(s.at_rows, s.pid, s.batch_id) for s in history.swaps] == [  # type: ignore[attr-defined]
        (number, pid, number) for number in range(3) for pid in (1, 2)
    ]
    assert history.rows == 60
    assert history[0].ns_per_row == 4.0


def test_records_of_a_query_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_BATCHES", "MOST_SWAPS", "MOST_USES", "MOST_EVENTS"):
        monkeypatch.setattr(query_records, name, 5)
    records = QueryRecords()
    for number in range(50):
        uses = (VariantUse(DENSE if number % 2 else GENERIC, LAYOUT, "", 10),)
        one = report(number + 1, 10, uses=uses, swaps=(swap(number),), events=(str(number),))
        records.add("q", batch(number, rows=10), [one])
    history = records.history("q")
    assert history is not None
    assert [b.batch_id for b in history.batches] == [45, 46, 47, 48, 49]
    assert [s.at_rows for s in history.swaps] == [45, 46, 47, 48, 49]
    assert history.events == ("45", "46", "47", "48", "49")
    assert len(history) == 5 + 2  # earlier ones are added up, generic and speculative
    assert sum(use.rows for use in history) == history.rows == 500
    assert "earlier workers  generic: 230 rows" in str(history)


class Event:
    """A progress as the JVM gives it, without the rest."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._text = json.dumps(document)

    def progress(self) -> Event:
        return self

    def json(self) -> str:
        return self._text


@pytest.mark.long
def test_a_query_that_runs_for_weeks_takes_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers come and go, and every task swaps: all limits are reached in the first half."""
    for name in ("MOST_BATCHES", "MOST_SWAPS", "MOST_USES", "MOST_EVENTS", "MOST_RUNS"):
        monkeypatch.setattr(query_records, name, getattr(query_records, name) // 20)
    records = QueryRecords()
    monkeypatch.setattr(listener, "RECORDS", records)
    listening, measured = ReportListener(), []
    uses = tuple(VariantUse(spec, LAYOUT, "x" * 100, 10, 30, 1) for spec in (GENERIC, DENSE))
    tracemalloc.start()
    try:
        for number in range(900):
            swaps = tuple(swap(number, f"{number}" * 20) for _ in range(4))
            texts = [
                report_text(report(10 * number + one, 20, uses=uses, swaps=swaps, events=("e",)))
                for one in range(2)
            ]
            progress = {
                "id": "q",
                "runId": f"run {number // 2}",
                "batchId": number,
                "batchDuration": 5,
                "observedMetrics": {
                    "kodiak_f_0": {"metrics": {"reports": texts}},
                    "other": {"n": 1},
                },
            }
            listening.onQueryProgress(Event(progress))
            if number in (449, 899):
                gc.collect()
                measured.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    history = records.history("q")
    assert history is not None
    assert history.rows == sum(use.rows for use in history) == 900 * 2 * 20
    assert (len(history.swaps), len(history.batches)) == (500, 50)
    assert measured[1] < 1.05 * measured[0]


def test_ended_queries_are_forgotten_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_records, "MOST_ENDED", 2)
    records = QueryRecords()
    for name in "abcd":
        records.add(name, batch(0, name), [report(rows=1)])
    for name in "bca":
        records.end(name)
    records.end("never seen")
    assert [name for name in "abcd" if records.history(name) is not None] == ["a", "c", "d"]
    records.add("c", batch(1, "again"), [report(rows=1)])  # it runs once more
    for name in "ad":
        records.end(name)
    assert [name for name in "abcd" if records.history(name) is not None] == ["a", "c", "d"]


def test_waiting_ends_when_the_micro_batch_is_there() -> None:
    records = QueryRecords()
    assert not records.wait_for("run", 0, 0.01)
    records.add("q", batch(3), [])
    assert records.wait_for("run", 3, 60)
    assert records.history("q") is None  # nothing was reported


def test_histories_of_queries_are_joined() -> None:
    one = StreamHistory([WorkerUse(GENERIC, LAYOUT, "", 5, pid=1)], batches=[batch(0)], rows=5)
    both = StreamHistory.joined([one, one])
    assert (both.rows, len(both.batches), [use.rows for use in both]) == (10, 2, [5, 5])
    assert both.to_arrow()["pid"].to_pylist() == [1, 1]
