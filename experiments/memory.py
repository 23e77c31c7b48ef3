"""Experiment `memory`: the resident size of the process while a stream goes through a window.

One block of events is made beforehand and pushed again and again, each time with later times;
so next to nothing but the engine allocates. Results are added up and dropped, and the sum is
compared with the block's. The resident size is what the system says of the whole process:
interpreter, libraries, the block (see the first line), batches that wait, and open windows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console

from adaptive import Engine
from adaptive.demo.ysb_data import ROWS_PER_SECOND
from experiments.findings import Grid, Target
from experiments.kodiak_engine import query_of
from experiments.measure import Samples
from experiments.progress import progress_on
from experiments.record import Record
from experiments.reference import WrongAnswer
from experiments.workloads import BATCH_ROWS, SECOND_US, SEED, YSB, later, stream_of, views_of

FULL_ROWS = 500_000_000  # at a scale of 1
BLOCK_BATCHES = 4
LOOKS = 100  # at the resident size
LINES = 20  # of the table
THREADS = (0, 2)
QUEUE_BYTES = 128 * 1024 * 1024
MEGABYTE = 1_000_000
FLAT = 1.05


@dataclass(frozen=True, slots=True)
class Course:
    """The resident size in the course of a run."""

    threads: int
    rows: tuple[int, ...]
    resident_bytes: tuple[int, ...]
    elapsed_ns: int

    @property
    def mode(self) -> str:
        """How the engine ran."""
        return f"{self.threads} threads" if self.threads else "library"

    @property
    def peak_mb(self) -> float:
        """The greatest size."""
        return max(self.resident_bytes) / MEGABYTE

    @property
    def first_quarter_mb(self) -> float:
        """The greatest size in the first quarter of the run."""
        return max(self.resident_bytes[: -(-len(self.rows) // 4)]) / MEGABYTE

    @property
    def last_quarter_mb(self) -> float:
        """The greatest size in the last quarter of the run."""
        return max(self.resident_bytes[-(-len(self.rows) * 3 // 4) :]) / MEGABYTE


def run(scale: float, console: Console) -> Record:
    """The resident size while 500 M rows (at a scale of 1) go through windows of 10 s."""
    batches = max(1, round(scale * FULL_ROWS / BATCH_ROWS))
    block = stream_of(YSB, BLOCK_BATCHES * BATCH_ROWS).batches
    with progress_on(console) as progress:
        task = progress.add_task("", total=batches * len(THREADS))
        courses = []
        for threads in THREADS:
            progress.update(task, description=f"{threads} threads")
            courses.append(course_of(block, batches, threads, lambda: progress.advance(task)))
    rows = batches * BATCH_ROWS
    samples = tuple(Samples(f"Kodiak, {c.mode}", (c.elapsed_ns,), rows=rows) for c in courses)
    targets = tuple(flat_target(course) for course in courses)
    grids = (course_grid(courses), summary_grid(courses, rows))
    return Record("memory", scale, rows, SEED, samples, {}, (), grids, targets)


def course_of(
    block: tuple[pa.RecordBatch, ...], batches: int, threads: int, advance: Callable[[], None]
) -> Course:
    """Push so many batches, and look at the resident size now and then."""
    process = psutil.Process()
    rows, resident, total = [0], [process.memory_info().rss], 0
    looks = {round(batches * look / LOOKS) for look in range(1, LOOKS + 1)}
    started_ns = time.perf_counter_ns()
    with Engine(query_of(YSB), threads, "generic", queue_bytes=QUEUE_BYTES) as engine:
        for number, batch in enumerate(repeated(block, batches), start=1):
            total += sum_of(engine.push(batch))
            advance()
            if number in looks:
                rows.append(number * BATCH_ROWS)
                resident.append(process.memory_info().rss)
        total += sum_of(engine.finish())
        elapsed_ns = time.perf_counter_ns() - started_ns
        late = engine.late_rows
    check_total(block, batches, total, late)
    return Course(threads, tuple(rows), tuple(resident), elapsed_ns)


def repeated(block: tuple[pa.RecordBatch, ...], batches: int) -> Iterator[pa.RecordBatch]:
    """The block's batches one after another, later by a block each time around."""
    span_us = len(block) * BATCH_ROWS * SECOND_US // ROWS_PER_SECOND
    for number in range(batches):
        around, at = divmod(number, len(block))
        yield later(block[at], around * span_us)


def check_total(
    block: tuple[pa.RecordBatch, ...], batches: int, total: int, late_rows: int
) -> None:
    """Nothing is lost on the way."""
    sums = [int(np.sum(views_of(batch)[2])) for batch in block]
    expected = sum(sums[number % len(block)] for number in range(batches))
    if total != expected or late_rows:
        raise WrongAnswer(
            f"all results add up to {total:,}, expected {expected:,}; {late_rows:,} rows were late"
        )


def sum_of(results: pa.Table) -> int:
    """All results of a table added up."""
    return pc.sum(results["result"]).as_py() or 0


def course_grid(courses: list[Course]) -> Grid:
    """The resident size over time, in as many lines as can be read."""
    looks = range(len(courses[0].rows))
    shown = [look for look in looks if look % max(1, len(looks) // LINES) == 0]
    return Grid(
        "resident size in MB",
        ("million rows", *(course.mode for course in courses)),
        tuple(
            (
                f"{courses[0].rows[look] / 1e6:,.0f}",
                *(course.resident_bytes[look] / MEGABYTE for course in courses),
            )
            for look in shown
        ),
    )


def summary_grid(courses: list[Course], rows: int) -> Grid:
    """What became of it."""
    columns = ("mode", "M rows/s", "start MB", "peak MB", "first quarter MB", "last quarter MB")
    return Grid(
        "greatest resident size",
        columns,
        tuple(
            (
                course.mode,
                rows * 1e3 / course.elapsed_ns,
                course.resident_bytes[0] / MEGABYTE,
                course.peak_mb,
                course.first_quarter_mb,
                course.last_quarter_mb,
            )
            for course in courses
        ),
    )


def flat_target(course: Course) -> Target:
    """The last quarter needs about as much as the first."""
    name = f"{course.mode}: last quarter's greatest resident size over the first's"
    return Target(name, course.last_quarter_mb / course.first_quarter_mb, FLAT, at_most=True)
