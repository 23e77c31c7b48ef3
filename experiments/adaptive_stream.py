"""A drifting stream, pushed batch by batch through an engine; each push is timed on its own."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from adaptive import Engine
from adaptive.demo.ysb_data import START_US
from experiments.adaptive_clock import run_delay_ns
from experiments.adaptive_data import BLOCK_US, Array, in_order
from experiments.adaptive_reference import Sums, Tally, block_sums
from experiments.drift_workloads import Drift, Phase
from experiments.workloads import SEED
from policies import Policy

BATCHES = 4  # in a block
SPARE_TIMES = 4  # arrays for the times of batches, used in turns
TIME_TYPE = pa.timestamp("us", tz="UTC")
RECOVERED = 0.9  # of the later speed
CALM_BATCHES = 8  # that must be as fast for it to be over

PolicyLike: TypeAlias = Literal["adaptive", "generic"] | Policy


@dataclass(frozen=True, slots=True)
class Size:
    """How much is pushed: of a full phase, so many blocks of so many rows."""

    block_rows: int
    blocks: int

    @property
    def batch_rows(self) -> int:
        """The rows of a batch."""
        return self.block_rows // BATCHES

    def blocks_of(self, drift: Drift) -> int:
        """The blocks of each phase of a workload."""
        return max(4, round(self.blocks * drift.share))


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The events of a phase without their absolute times, and what they add up to."""

    batches: tuple[pa.RecordBatch, ...]  # without times
    times_us: tuple[Array, ...]  # of each batch, from the start of the block
    sums: Mapping[int, Sums]

    def batch(self, position: int, start_us: int, room: Array) -> pa.RecordBatch:
        """A batch at its time; `room` is for the times."""
        np.add(self.times_us[position], start_us, out=room)
        without = self.batches[position]
        times = pa.Array.from_buffers(TIME_TYPE, len(room), [None, pa.py_buffer(room)])
        return pa.RecordBatch.from_arrays(
            [*without.columns, times], names=[*without.schema.names, "event_time"]
        )


def block_of(drift: Drift, phase: Phase, size: Size) -> Block:
    """Make the events of a phase."""
    random = np.random.default_rng([SEED, *phase.name.encode()])
    columns = phase.make(size.block_rows, random)
    times_us = columns.pop("event_time", in_order(size.block_rows))
    arrays = [pa.array(c) if isinstance(c, np.ndarray) else c for c in columns.values()]
    rows = pa.RecordBatch.from_arrays(arrays, names=list(columns))
    starts = range(0, size.batch_rows * BATCHES, size.batch_rows)
    return Block(
        tuple(rows.slice(at, size.batch_rows) for at in starts),
        tuple(times_us[at : at + size.batch_rows] for at in starts),
        block_sums(drift, rows, times_us),
    )


def blocks_of(drift: Drift, size: Size) -> tuple[Block, ...]:
    """The block of each phase; phases that come again have the same one."""
    made = {phase.name: block_of(drift, phase, size) for phase in dict.fromkeys(drift.phases)}
    return tuple(made[phase.name] for phase in drift.phases)


@dataclass(frozen=True, slots=True)
class Course:
    """How long each batch of a run took, in phases of equally many batches."""

    batch_rows: int
    elapsed_ns: tuple[int, ...]  # without what other programs took of the CPU
    delays_ns: tuple[int, ...]  # what they took
    ended_ns: tuple[int, ...]  # when each push had ended, by the wall clock
    phase_batches: int
    windows: int
    history: Any = None

    @property
    def total_ns(self) -> int:
        """The time of all batches."""
        return sum(self.elapsed_ns)

    @property
    def wall_ns(self) -> int:
        """The time of all batches by the wall clock."""
        return self.total_ns + sum(self.delays_ns)

    @property
    def rows(self) -> int:
        """The rows of all batches."""
        return self.batch_rows * len(self.elapsed_ns)

    def after(self, blocks: int) -> Course:
        """The same without the first blocks, as one phase."""
        if not blocks:
            return self
        cut = blocks * BATCHES
        rest = self.elapsed_ns[cut:]
        ended_ns = tuple(ns - self.ended_ns[cut - 1] for ns in self.ended_ns[cut:])
        return replace(
            self,
            elapsed_ns=rest,
            delays_ns=self.delays_ns[cut:],
            ended_ns=ended_ns,
            phase_batches=len(rest),
        )

    def phase(self, number: int) -> tuple[int, ...]:
        """The times of one phase's batches."""
        first = number * self.phase_batches
        return self.elapsed_ns[first : first + self.phase_batches]

    def phase_ns(self, number: int) -> int:
        """The time of one phase."""
        return sum(self.phase(number))

    def steady_ns(self, number: int) -> float:
        """The time of a row in the second half of a phase: a block of usual batches."""
        return sum(usual_times(self.phase(number))) / (BATCHES * self.batch_rows)

    def drop(self, number: int) -> tuple[int, int]:
        """For how long a phase is slower than in its second half: of processing, and in all.

        Batches at the same place of their blocks are compared, because some close windows.
        """
        times = self.phase(number)
        usual = usual_times(times)
        slow = [ns * RECOVERED > usual[at % BATCHES] for at, ns in enumerate(times)]
        calm = next(
            (at for at in range(len(slow)) if not any(slow[at : at + CALM_BATCHES])), len(slow)
        )
        first = number * self.phase_batches
        begin = self.ended_ns[first - 1] if first else 0
        end = self.ended_ns[first + calm - 1] if calm else begin
        return sum(times[:calm]), end - begin


def usual_times(times: Sequence[int]) -> list[float]:
    """The median time of the batches at each place of a block, in the second half."""
    half = len(times) // 2
    half -= half % BATCHES
    return [median(times[half + place :: BATCHES]) for place in range(BATCHES)]


@dataclass(frozen=True, slots=True)
class Passage:
    """Blocks one after another, each so many times."""

    drift: Drift
    blocks: tuple[Block, ...]
    repeats: int

    def batches(self, tally: Tally) -> Iterator[pa.RecordBatch]:
        """All batches, in order; the tally is told ahead."""
        rooms = [np.empty_like(self.blocks[0].times_us[0]) for _ in range(SPARE_TIMES)]
        for number in range(len(self.blocks) * self.repeats):
            block = self.blocks[number // self.repeats]
            tally.expect(number, block.sums)
            for position in range(BATCHES):
                room = rooms[position % SPARE_TIMES]
                yield block.batch(position, START_US + number * BLOCK_US, room)


def course_of(name: str, passage: Passage, policy: PolicyLike, result: str = "result") -> Course:
    """Push everything, time each push, and compare each window with what it should hold."""
    drift = passage.drift
    tally = Tally(drift, START_US, result)
    elapsed_ns, delays_ns, ended_ns = [], [], []
    with Engine(drift.query(result), 0, policy) as engine:
        begin_ns = time.perf_counter_ns()
        for batch in passage.batches(tally):
            delay_ns, started_ns = run_delay_ns(), time.perf_counter_ns()
            results = engine.push(batch)
            now_ns = time.perf_counter_ns()
            delays_ns.append(run_delay_ns() - delay_ns)
            elapsed_ns.append(now_ns - started_ns - delays_ns[-1])
            ended_ns.append(now_ns - begin_ns)
            tally.take(name, results)
        tally.take(name, engine.finish())
        tally.end(name, engine.late_rows)
        history = engine.history()
    return Course(
        len(passage.blocks[0].times_us[0]),
        tuple(elapsed_ns),
        tuple(delays_ns),
        tuple(ended_ns),
        passage.repeats * BATCHES,
        tally.windows,
        history,
    )


def warm_up(passage: Passage, result: str) -> None:
    """Compile the generic variant for each way in which the batches lie in memory."""
    room = np.empty_like(passage.blocks[0].times_us[0])
    for block in dict.fromkeys(passage.blocks):
        with Engine(passage.drift.query(result), 0, "generic") as engine:
            engine.push(block.batch(0, START_US, room).slice(0, 1_000))
            engine.finish()
