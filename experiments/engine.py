"""Experiment `engine`: Kodiak's generic engine, C, DuckDB and Polars on the same events in memory.

Each system gets the workloads of `experiments.workloads` in every way to write them that is
known here, on one thread and on two. A first run of each way warms up and shows which ways are
far behind; the others then take turns, and the best run of the best way counts. Every result,
warm-up included, is compared with the answer of numpy. What is timed is from the first row to
all results as Arrow: not the making of connections and engines, and not compilation, which has
a table of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
from rich.console import Console
from rich.progress import Progress

from experiments.baselines.c_windows import C
from experiments.baselines.duckdb_queries import DuckDb
from experiments.baselines.polars_process import Polars
from experiments.engine_findings import Speed, findings
from experiments.kodiak_engine import Kodiak
from experiments.measure import Contestant, Samples, measure
from experiments.progress import progress_on
from experiments.record import Record
from experiments.reference import Check, check_of
from experiments.workloads import SEED, Workload, stream_of, workloads

THREADS = (1, 2)
ROUNDS = 7
LONG_ROUNDS = 3  # of streams that are repeated, so a run is as long as several of the others
FAR_BEHIND = 1.5  # times the fastest way's first run

Announce = Callable[[str], None]


class System(Protocol):
    """Who takes part; `formulations` is empty where it has no such operator."""

    @property
    def name(self) -> str:
        """Whose it is."""

    @property
    def threads(self) -> int:
        """On how many threads."""

    def formulations(self, workload: Workload, rows: int) -> tuple[str, ...]:
        """The names of the ways to write the query."""

    def run(self, workload: Workload, rows: int, way: str) -> tuple[pa.Table, int]:
        """The query's result, in no particular order, and the nanoseconds that it took."""

    def close(self) -> None:
        """Give everything back."""


@dataclass(frozen=True, slots=True)
class Measured:
    """All that was measured of one workload."""

    speeds: tuple[Speed, ...]
    samples: tuple[Samples, ...]
    compile_ns: int | None
    refusal: str | None


def run(scale: float, console: Console) -> Record:
    """Kodiak's engine against C, DuckDB and Polars: keys, aggregates, windows, 1 and 2 threads."""
    rows = round(scale * 1_000_000)
    chosen = tuple(workloads())
    with ExitStack() as stack, progress_on(console) as progress:
        systems = [stack.enter_context(closing(system)) for system in all_systems()]
        task = progress.add_task("", total=len(chosen))
        measured = {}
        for workload in chosen:
            measured[workload] = measure_workload(workload, rows, systems, progress)
            progress.advance(task)
    return record_of(measured, scale, rows)


def all_systems() -> tuple[System, ...]:
    """Every system with every number of threads."""
    return tuple(kind(threads) for kind in (Kodiak, C, DuckDb, Polars) for threads in THREADS)


def measure_workload(
    workload: Workload, rows: int, systems: Sequence[System], progress: Progress
) -> Measured:
    """Let the systems take turns on one workload."""

    def announce(name: str) -> None:
        progress.update(progress.task_ids[0], description=f"{workload.name}: {name}")

    announce("making events")
    stream = stream_of(workload, rows)
    check = check_of(workload, stream)
    kodiak = Kodiak(1)
    refusal = kodiak.refusal(workload)
    compile_ns = None if refusal else kodiak.first_result_ns(workload, rows)
    entered: dict[str, System] = {}
    contestants = []
    for system in systems:
        for way in near_ways(system, workload, rows, check, announce):
            contestants.append(contestant(system, workload, rows, way, stream.rows))
            entered[contestants[-1].name] = system
    samples = measure(
        contestants,
        rounds=ROUNDS if workload.repeats == 1 else LONG_ROUNDS,
        warmups=0,  # the first run of each way was one
        check=check,
        announce=announce,
    )
    return Measured(tuple(best_of(entered, samples, stream.rows)), samples, compile_ns, refusal)


def near_ways(
    system: System, workload: Workload, rows: int, check: Check, announce: Announce
) -> list[str]:
    """The ways of a system that are not far behind its fastest one."""
    first_ns = {}
    for way in system.formulations(workload, rows):
        announce(f"{system.name}, {way}")
        table, first_ns[way] = system.run(workload, rows, way)
        check(f"{workload.name}: {system.name} {way}", table)
    bound = min(first_ns.values(), default=0) * FAR_BEHIND
    return [way for way, elapsed_ns in first_ns.items() if elapsed_ns <= bound]


def contestant(
    system: System, workload: Workload, rows: int, way: str, events: int
) -> Contestant[pa.Table]:
    """A system with one way to write the query."""
    threads = f"{system.threads} thread{'s' if system.threads > 1 else ''}"
    name = f"{workload.name}: {system.name} {way}, {threads}"
    return Contestant(name, lambda: system.run(workload, rows, way), rows=events)


def best_of(entered: dict[str, System], samples: Sequence[Samples], events: int) -> Iterator[Speed]:
    """Of each system, the speed of its fastest way."""
    best: dict[tuple[str, int], Speed] = {}
    for one in samples:
        system = entered[one.name]
        way = one.name.partition(": ")[2].removeprefix(f"{system.name} ").rpartition(",")[0]
        speed = Speed(system.name, system.threads, way, one.million_rows_per_second(events))
        known = best.get((system.name, system.threads))
        if known is None or known.million_rows < speed.million_rows:
            best[system.name, system.threads] = speed
    yield from best.values()


def record_of(measured: dict[Workload, Measured], scale: float, rows: int) -> Record:
    """All workloads as one record."""
    speeds = {workload: one.speeds for workload, one in measured.items()}
    compile_ns = {workload.name: one.compile_ns for workload, one in measured.items()}
    found = findings(speeds, compile_ns)
    refused = (
        f"Kodiak does not run {workload.name}: {one.refusal}"
        for workload, one in measured.items()
        if one.refusal
    )
    return Record(
        "engine",
        scale,
        rows,
        SEED,
        tuple(sample for one in measured.values() for sample in one.samples),
        found.ratios,
        tuple(refused),
        found.grids,
        found.targets,
    )
