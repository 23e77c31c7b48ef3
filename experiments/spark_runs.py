"""Runs of a stream query by Spark alone and with Kodiak, with the times of their triggers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

import adaptive as ad
from experiments.spark_workloads import STARTING_TRIGGERS, SparkWorkload

SPARK, KODIAK = "Spark", "Kodiak"


@dataclass(frozen=True, slots=True)
class BatchSum:
    """What came out of a micro-batch, whatever the order of its rows."""

    number: int
    rows: int
    hashes_added: int
    hashes_mixed: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a query from building it to its end."""

    triggers_ns: tuple[int, ...]  # of those that read rows
    whole_ns: int
    cpu_ns: int  # of Python, the JVM and the workers
    rows_out: int

    @property
    def counted(self) -> tuple[int, ...]:
        """The times of the triggers that count: where there are many, not the first."""
        many = len(self.triggers_ns) > STARTING_TRIGGERS
        return self.triggers_ns[STARTING_TRIGGERS if many else 0 :]

    @property
    def counted_ns(self) -> int:
        """The time of the triggers that count."""
        return sum(self.counted)


def best_ns(runs: Sequence[Run]) -> int:
    """The best time of each trigger that counts, added up; all runs have the same ones.

    The best of three sums of 15 triggers was off by 5 per cent from run to run: something always
    disturbs one of them.
    """
    return sum(map(min, zip(*(run.counted for run in runs), strict=True)))


@dataclass(frozen=True, slots=True)
class Side:
    """A workload by Spark alone or with Kodiak, and its runs so far."""

    name: str
    workload: SparkWorkload
    spark: SparkSession
    folder: Path
    runs: list[Run] = field(default_factory=list)

    def frame(self) -> DataFrame:
        """The query, built anew."""
        frame = self.workload.query(self.workload.events(self.spark, self.folder))
        if self.name == SPARK:
            return frame
        return ad.adaptive(frame, name=self.workload.name, mode=self.workload.mode)

    def sums(self) -> list[BatchSum]:
        """What comes out of each micro-batch."""
        found: list[BatchSum] = []

        def take(rows: DataFrame, number: int) -> None:
            hashed = rows.select(F.xxhash64(*rows.columns).alias("hash"))
            added = F.sum(F.col("hash").cast("decimal(20, 0)"))
            [row] = hashed.agg(F.count("*"), added, F.bit_xor("hash")).collect()
            if row[0]:
                found.append(BatchSum(number, row[0], int(row[1]), row[2]))

        with TemporaryDirectory(prefix="kodiak-") as checkpoint:
            self.writer(checkpoint).foreachBatch(take).start().awaitTermination()
        return found

    def run(self) -> tuple[Run, int]:
        """One run into the sink that drops rows, and the nanoseconds that count of it."""
        with TemporaryDirectory(prefix="kodiak-") as checkpoint:
            begin, begin_cpu = time.perf_counter_ns(), cpu_ns()
            query = self.writer(checkpoint).format("noop").start()
            query.awaitTermination()
            whole_ns = time.perf_counter_ns() - begin
        written = sum(progress.sink.numOutputRows for progress in query.recentProgress)
        run = Run(trigger_times(query), whole_ns, cpu_ns() - begin_cpu, written)
        self.runs.append(run)
        return run, run.counted_ns

    def writer(self, checkpoint: str) -> DataStreamWriter:
        """The query with a place for its checkpoint, still without a sink."""
        writer = self.frame().writeStream.outputMode(self.workload.output_mode)
        return writer.trigger(availableNow=True).option("checkpointLocation", checkpoint)


def trigger_times(query: StreamingQuery) -> tuple[int, ...]:
    """The nanoseconds of each trigger that read rows, as Spark measured them."""
    return tuple(
        progress.durationMs["triggerExecution"] * 1_000_000
        for progress in query.recentProgress
        if progress.numInputRows > 0
    )


def cpu_ns() -> int:
    """The CPU time of this process and all that it has started: Spark's JVM and its workers."""
    process = psutil.Process()
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            total += sum(one.cpu_times()[:4])  # those of its children that have ended included
    return round(total * 1e9)


def first_difference(expected: Sequence[BatchSum], found: Sequence[BatchSum]) -> str | None:
    """Where two results part, in words; None if they are the same."""
    if len(expected) != len(found):
        return f"{len(found)} micro-batches put out rows, not {len(expected)}"
    for left, right in zip(expected, found, strict=True):
        if left != right:
            return f"micro-batch {left.number} has {left.rows:,} rows in Spark; here it is {right}"
    return None
