"""Experiment `latency`: throughput and latency of the engine by the size of its input buffers.

The latency of a result is the time from when the last row that contributes to it came in to
when the engine hands the result out (`on_result`). Rows are collected in buffers of n; a full
buffer is pushed as one batch. At a stated rate, row i comes in at the time i / rate, whether or
not the engine is ready for it: what it waits for its buffer to fill and for the engine to
become free is part of its latency. At full speed a row comes in when the push of its buffer
begins, and the queue has room for few buffers. Windows are short, 1,000 rows of event time each,
so that there are many results; the event that ends a window is the one after its last row.

Throughput is that of YSB (windows of 10 s, 10,000 keys) at full speed with the same buffers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console

from adaptive import Engine
from adaptive.demo.ysb_data import START_US, ysb_batch
from experiments.findings import Grid
from experiments.kodiak_engine import query_of
from experiments.measure import Samples
from experiments.progress import progress_on
from experiments.record import Record
from experiments.reference import Array, WrongAnswer
from experiments.workloads import SECOND_US, SEED, YSB, Workload

BUFFERS = (1, 10, 100, 1_000, 10_000, 100_000)
THREADS = (0, 2)
WINDOW_ROWS = 1_000
KEYS = 100
RATE = 1_000_000  # rows in a second, where the engine can do twice as many
TARGET = "10 milliseconds"
QUEUED_BUFFERS = 4
LEAST_QUEUE_BYTES = 1 << 16
SPIN_NS = 100_000  # sleeping is not more exact than this

# Rows have a microsecond of event time each.
SHORT = Workload("short windows", size=WINDOW_ROWS, keys=KEYS)


@dataclass(frozen=True, slots=True)
class Arrivals:
    """When rows came in, in nanoseconds: those of a buffer together, or each at its time."""

    buffer: int
    pushed_ns: Array
    rate: float | None = None

    def of(self, rows: Array) -> Array:
        """The times at which these rows, by number, came in."""
        if self.rate is None:
            pushed: Array = self.pushed_ns[rows // self.buffer]
            return pushed
        due: Array = self.pushed_ns[0] + (rows - self.buffer + 1) * 1e9 / self.rate
        return due


@dataclass(frozen=True, slots=True)
class Cell:
    """What was measured with one size of buffers and one number of threads."""

    buffer: int
    threads: int
    million_rows: float  # in a second, of YSB
    full_speed_ns: Array
    rate: float
    paced_ns: Array

    @property
    def mode(self) -> str:
        """How the engine ran."""
        return f"{self.threads} threads" if self.threads else "library"


def run(scale: float, console: Console) -> Record:
    """Throughput and p50/p99 latency for buffers of 1 to 100,000 rows, library mode and threads."""
    with progress_on(console) as progress:
        task = progress.add_task("", total=len(BUFFERS) * len(THREADS))
        cells = []
        for threads in THREADS:
            for buffer in BUFFERS:
                progress.update(task, description=f"{threads} threads, buffers of {buffer:,}")
                cells.append(cell_of(buffer, threads, scale))
                progress.advance(task)
    samples = tuple(s for cell in cells for s in samples_of(cell))
    rows = max(rows_of(buffer, scale) for buffer in BUFFERS)
    return Record("latency", scale, rows, SEED, samples, {}, NOTES, (grid_of(cells),))


NOTES = (
    f"latency: from the last row of a window coming in to its result coming out; windows of"
    f" {WINDOW_ROWS:,} rows, {KEYS} keys; Engine(latency={TARGET!r})",
    "at a rate, a row comes in at its time by the rate: waiting for its buffer to fill counts",
    "at full speed, a row comes in when the push of its buffer begins",
)


def rows_of(buffer: int, scale: float) -> int:
    """At a scale of 1, rows for a hundred windows, and more where that takes few pushes."""
    rows = max(100_000, min(1_000_000, 20_000 * buffer)) * scale
    return max(2, round(max(rows, 3 * WINDOW_ROWS) / buffer)) * buffer


def cell_of(buffer: int, threads: int, scale: float) -> Cell:
    """All that is measured with one size of buffers; a first run of each query compiles."""
    rows = rows_of(buffer, scale)
    ysb = cut(ysb_batch(rows, YSB.keys, SEED, dictionary=False), buffer)
    short = cut(ysb_batch(rows, KEYS, SEED, dictionary=False, rows_per_second=SECOND_US), buffer)
    for workload, batches in ((YSB, ysb), (SHORT, short)):
        pushed(workload, threads, batches[:2], None)
    elapsed_ns = pushed(YSB, threads, ysb, None).elapsed_ns
    full = pushed(SHORT, threads, short, None)
    rate = min(RATE, rows * 1e9 / full.elapsed_ns / 2)
    paced = pushed(SHORT, threads, short, rate)
    last_rows = last_views(short)
    return Cell(
        buffer,
        threads,
        rows * 1e3 / elapsed_ns,
        full.latencies_ns(last_rows),
        rate,
        paced.latencies_ns(last_rows),
    )


def cut(events: pa.RecordBatch, buffer: int) -> list[pa.RecordBatch]:
    """The events in buffers."""
    return [events.slice(at, buffer) for at in range(0, events.num_rows, buffer)]


@dataclass(frozen=True, slots=True)
class Passed:
    """A stream that has gone through an engine."""

    elapsed_ns: int
    arrivals: Arrivals
    results: list[tuple[int, pa.Table]]  # with the time at which each came out

    def latencies_ns(self, last_rows: Array) -> Array:
        """The latency of each window that ended within the stream, in order of windows."""
        out_ns = np.zeros(len(last_rows))
        for at_ns, table in self.results:
            starts = pc.unique(table["window_start"]).cast(pa.int64()).to_numpy()
            out_ns[(starts - START_US) // WINDOW_ROWS] = at_ns
        if not out_ns.all():
            raise WrongAnswer(f"{int((out_ns == 0).sum())} windows have no result")
        latencies: Array = out_ns - self.arrivals.of(last_rows)
        return latencies


def pushed(
    workload: Workload, threads: int, batches: Sequence[pa.RecordBatch], rate: float | None
) -> Passed:
    """Push batches as fast as the engine takes them, or at a rate of rows."""
    results: list[tuple[int, pa.Table]] = []
    buffer = batches[0].num_rows
    pushed_ns = np.zeros(len(batches))
    wait = waiting(buffer, rate)
    queue_bytes = max(LEAST_QUEUE_BYTES, QUEUED_BUFFERS * batches[0].nbytes)
    with Engine(
        query_of(workload),
        threads,
        "generic",
        queue_bytes=queue_bytes,
        latency=TARGET,
        on_result=lambda table: results.append((time.perf_counter_ns(), table)),
    ) as engine:
        started_ns = time.perf_counter_ns()
        for number, batch in enumerate(batches):
            pushed_ns[number] = wait(number)
            engine.push(batch)
        engine.flush()
        elapsed_ns = time.perf_counter_ns() - started_ns
        ended = len(results)
    return Passed(elapsed_ns, Arrivals(buffer, pushed_ns, rate), results[:ended])


def waiting(buffer: int, rate: float | None) -> Callable[[int], int]:
    """A function that waits until a buffer, by number, is full, and returns the time it is due."""
    if rate is None:
        return lambda number: time.perf_counter_ns()
    started_ns = time.perf_counter_ns()

    def wait(number: int) -> int:
        due_ns = started_ns + round((number + 1) * buffer * 1e9 / rate)
        while (left_ns := due_ns - time.perf_counter_ns()) > 0:
            time.sleep(max(0, left_ns - SPIN_NS) / 1e9)
        return due_ns

    return wait


def last_views(batches: Sequence[pa.RecordBatch]) -> Array:
    """The number of the last view in each window that ends within the stream.

    Of so many rows as a window has, some are always views.
    """
    types = pa.chunked_array([batch.column("event_type") for batch in batches])
    views = np.flatnonzero(pc.equal(types, "view").to_numpy())
    ends = np.arange(WINDOW_ROWS, len(types), WINDOW_ROWS)
    found: Array = views[np.searchsorted(views, ends) - 1]
    return found


def samples_of(cell: Cell) -> tuple[Samples, Samples]:
    """The raw latencies."""
    name = f"{cell.mode}, buffers of {cell.buffer:,}"
    return (
        Samples(f"{name}: latency at full speed", tuple(map(int, cell.full_speed_ns))),
        Samples(f"{name}: latency at {cell.rate:,.0f} rows/s", tuple(map(int, cell.paced_ns))),
    )


def grid_of(cells: Sequence[Cell]) -> Grid:
    """One line for each size of buffers and mode; latencies in milliseconds."""
    columns = (
        "mode",
        "buffer",
        "YSB, M rows/s",
        "full speed, p50",
        "full speed, p99",
        "at M rows/s",
        "p50",
        "p99",
        "results",
    )
    return Grid(
        "throughput and latency (ms) by rows in a buffer", columns, tuple(map(line_of, cells))
    )


def line_of(cell: Cell) -> tuple[str | float | int, ...]:
    """The figures of one cell."""
    full = np.percentile(cell.full_speed_ns, (50, 99)) / 1e6
    paced = np.percentile(cell.paced_ns, (50, 99)) / 1e6
    return (
        cell.mode,
        cell.buffer,
        cell.million_rows,
        *map(float, full),
        cell.rate / 1e6,
        *map(float, paced),
        len(cell.paced_ns),
    )
