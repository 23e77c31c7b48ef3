"""Experiment `spark-profile`: where the time of one warm micro-batch of YSB goes, with Kodiak.

From the query's progress (`durationMs`, the state operator), from Spark's stages, and from timers
in the workers, which run only when the session asks for them (`spark.kodiak.profile`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from rich.console import Console

from adaptive.demo.session import local_session
from adaptive.spark.task_times import SETTING
from experiments.findings import Cell, Grid
from experiments.measure import Samples
from experiments.record import Record
from experiments.spark_data import SEED
from experiments.spark_runs import KODIAK, Side
from experiments.spark_workloads import WORKLOADS

CORES = 2
RUNS = 6  # the fastest one counts

Parts = dict[str, float]  # milliseconds


def run(scale: float, console: Console) -> Record:
    """Where the time of a warm micro-batch goes: listing, decoding, kernel, merge, commit."""
    workload = WORKLOADS[0]
    rows = workload.scaled_rows(scale)
    folder = workload.files(rows)
    with local_session(CORES) as spark:
        spark.conf.set(SETTING, "true")
        side = Side(KODIAK, workload, spark, folder)
        profiles = [profiled_run(spark, side) for _ in range(RUNS)]
    best = min(profiles, key=lambda parts: parts["trigger"])
    triggers = tuple(round(parts["trigger"] * 1e6) for parts in profiles)
    grid = Grid(
        f"one micro-batch of {rows:,} rows, the fastest of {RUNS}",
        ("part", "ms", "of the trigger"),
        tuple(_row(name, ms, best["trigger"]) for name, ms in best.items()),
    )
    return Record(
        "spark-profile", scale, rows, SEED, (Samples("trigger", triggers),), {}, (), (grid,)
    )


def profiled_run(spark: SparkSession, side: Side) -> Parts:
    """The parts of the micro-batch that reads all files."""
    first_stage = _next_stage(spark)
    with TemporaryDirectory(prefix="kodiak-") as checkpoint:
        query = side.writer(checkpoint).format("noop").start()
        query.awaitTermination()
    return parts_of(query, list(_stage_times(spark, first_stage)))


def parts_of(query: StreamingQuery, stages: list[float]) -> Parts:
    """Milliseconds by part; those of tasks are the longest task's."""
    progress = next(p for p in query.recentProgress if p.numInputRows > 0)
    spent = dict(progress.durationMs)
    scan, merge = [*stages, 0.0, 0.0][:2]
    parts: Parts = {
        "trigger": spent["triggerExecution"],
        "list files": spent.get("latestOffset", 0) + spent.get("getBatch", 0),
        "plan the query": spent.get("queryPlanning", 0),
        "write offsets": spent.get("walCommit", 0),
        "scan stage": scan,
    }
    parts |= {f"  worker: {name}": ms for name, ms in worker_times(progress).items()}
    parts["merge stage"] = merge
    for operator in progress.stateOperators:
        parts["  state: updates, added up over tasks"] = operator.allUpdatesTimeMs
        parts["  state: commit, added up over tasks"] = operator.commitTimeMs
    parts["rest of addBatch"] = max(0.0, spent.get("addBatch", 0) - scan - merge)
    parts["commit"] = spent.get("commitOffsets", 0)
    return parts


def worker_times(progress: Any) -> Parts:
    """The longest time of each part among the tasks, as they reported it."""
    found: Parts = {}
    for metrics in progress.observedMetrics.values():
        for text in metrics["metrics"]["reports"]:
            times = json.loads(text).get("times_ns", {})
            # The listing comes while rows are asked for.
            waited = times.get("wait for the listing", 0)
            if "read and decode" in times:
                times["read and decode"] -= waited
            for name, ns in times.items():
                found[name] = max(found.get(name, 0.0), ns / 1e6)
    return found


def _next_stage(spark: SparkSession) -> int:
    number = 0
    while _stage(spark, number) is not None:
        number += 1
    return number


def _stage_times(spark: SparkSession, first: int) -> Iterator[float]:
    """The milliseconds of each stage that ran, from its submission to its end."""
    number = first
    while (stage := _stage(spark, number)) is not None:
        if stage.completionTime().isDefined() and stage.submissionTime().isDefined():
            begin, end = stage.submissionTime().get(), stage.completionTime().get()
            yield float(end.getTime() - begin.getTime())
        number += 1


def _stage(spark: SparkSession, number: int) -> Any:
    from py4j.protocol import Py4JJavaError

    try:
        return spark._jsc.sc().statusStore().lastStageAttempt(number)
    except Py4JJavaError:
        return None


def _row(name: str, ms: float, trigger: float) -> tuple[Cell, ...]:
    return (name, float(ms), f"{100 * ms / trigger:.0f} %")
