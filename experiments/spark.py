"""Experiment `spark`: stream queries by Spark alone and with Kodiak, on the same files and session.

Both take turns, warm. What counts is the time of the triggers that read rows, as Spark itself
reports it (`triggerExecution` in the query's progress). Shown beside are the time of the whole
query, from building it to its end, and the CPU time of all its processes, which other programs on
the machine disturb less. Rows go to Spark's `noop` sink, which computes and drops them. A first run
of each side is not timed: what comes out of every micro-batch is added up and compared. Runs that
are timed must put out as many rows as that one did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession
from rich.console import Console

import adaptive as ad
from adaptive.demo.session import local_session
from experiments.findings import Cell, Grid, Target
from experiments.measure import Contestant, Samples, measure
from experiments.progress import progress_on
from experiments.record import Record
from experiments.reference import WrongAnswer
from experiments.spark_data import SEED
from experiments.spark_runs import KODIAK, SPARK, Run, Side, best_ns, first_difference
from experiments.spark_workloads import WORKLOADS, SparkWorkload

CORES = 2
ROUNDS = 3
# Besides the run that is compared. After one, the JVM is still compiling: a query that both
# sides run alike became 15 % faster from the first timed run to the third. After two, what follows
# a scan was still slow: YSB took 0.65 s with Kodiak where it took 0.55 to 0.6 later on.
WARMUPS = 4

Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """All that was measured of one workload; pairs are of Spark and Kodiak."""

    workload: SparkWorkload
    rows: int  # that the counted triggers read
    samples: tuple[Samples, ...]
    triggers_ns: tuple[int, ...]  # the best time of each trigger that counts, added up
    whole_ns: tuple[int, ...]  # the best
    cpu_ns: tuple[int, ...]  # the least
    native: str  # how much of it, in words
    reasons: tuple[str, ...]  # why not all

    @property
    def ratio(self) -> float:
        """How many times as fast as Spark's Kodiak's triggers are."""
        spark, kodiak = self.triggers_ns
        return spark / kodiak

    @property
    def whole_ratio(self) -> float:
        """The same of whole queries."""
        spark, kodiak = self.whole_ns
        return spark / kodiak

    @property
    def cpu_ratio(self) -> float:
        """The same of CPU time."""
        spark, kodiak = self.cpu_ns
        return spark / kodiak

    @property
    def target(self) -> Target:
        """What is asked for."""
        return Target(f"{self.workload.name}: over Spark alone", self.ratio, self.workload.needed)

    def cells(self) -> tuple[Cell, ...]:
        """Its line in the table."""
        speeds = (self.rows * 1e3 / ns for ns in self.triggers_ns)
        seconds = (ns / 1e9 for ns in self.triggers_ns)
        ratios = (self.ratio, self.whole_ratio, self.cpu_ratio)
        return (self.workload.name, self.rows, *seconds, *speeds, *ratios)


def run(scale: float, console: Console, only: Sequence[str] = ()) -> Record:
    """Stream queries on Spark, with Kodiak over Spark alone: files, join, windows, filters."""
    chosen = [workload for workload in WORKLOADS if not only or workload.name in only]
    measured = []
    with local_session(CORES) as spark, progress_on(console) as progress:
        task = progress.add_task("", total=len(chosen))
        for workload in chosen:

            def announce(what: str, name: str = workload.name) -> None:
                progress.update(task, description=f"{name}: {what.removeprefix(f'{name}: ')}")

            measured.append(measure_workload(workload, scale, spark, announce))
            progress.console.print(f"{workload.name}: {measured[-1].ratio:.2f}", highlight=False)
            progress.advance(task)
    return record_of(measured, scale)


def measure_workload(
    workload: SparkWorkload, scale: float, spark: SparkSession, announce: Announce
) -> Measured:
    """Let both sides take turns on one workload."""
    announce("making files")
    folder = workload.files(workload.scaled_rows(scale))
    sides = [Side(name, workload, spark, folder) for name in (SPARK, KODIAK)]
    announce("comparing results")
    expected, found = (side.sums() for side in sides)
    difference = first_difference(expected, found)
    if difference is not None:
        raise WrongAnswer(f"{workload.name}: {difference}")
    check = rows_check(sum(batch.rows for batch in expected))
    rows = workload.counted_rows(scale)
    contestants = [Contestant(f"{workload.name}: {s.name}", s.run, rows=rows) for s in sides]
    samples = measure(contestants, rounds=ROUNDS, warmups=WARMUPS, check=check, announce=announce)
    timed = [side.runs[WARMUPS:] for side in sides]
    explanation = ad.explain(sides[1].frame())
    return Measured(
        workload,
        rows,
        samples,
        tuple(map(best_ns, timed)),
        tuple(min(run.whole_ns for run in runs) for runs in timed),
        tuple(min(run.cpu_ns for run in runs) for runs in timed),
        explanation.summary,
        explanation.all_reasons,
    )


def rows_check(rows_out: int) -> Callable[[str, Run], None]:
    """A check that a run put out as many rows as the one that was compared."""

    def check(name: str, result: Run) -> None:
        if result.rows_out != rows_out:
            raise WrongAnswer(f"{name} puts out {result.rows_out:,} rows, not {rows_out:,}")

    return check


def native_line(one: Measured) -> str:
    """How much of a workload ran natively, and why not all of it."""
    why = f" ({'; '.join(one.reasons)})" if one.reasons else ""
    return f"{one.workload.name}: {one.native}{why}"


def record_of(measured: Sequence[Measured], scale: float) -> Record:
    """All workloads as one record."""
    columns = ("workload", "rows", "Spark s", "Kodiak s", "Spark M/s", "Kodiak M/s")
    grid = Grid(
        f"triggers that read rows, best of {ROUNDS}, {CORES} cores, warm",
        (*columns, "ratio", "whole query", "CPU"),
        tuple(one.cells() for one in measured),
    )
    return Record(
        "spark",
        scale,
        max((one.rows for one in measured), default=0),
        SEED,
        tuple(sample for one in measured for sample in one.samples),
        {one.workload.name: one.ratio for one in measured}
        | {f"{one.workload.name}, whole query": one.whole_ratio for one in measured}
        | {f"{one.workload.name}, CPU": one.cpu_ratio for one in measured},
        tuple(map(native_line, measured)),
        (grid,),
        tuple(one.target for one in measured),
    )
