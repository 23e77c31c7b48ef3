"""The engine: push Arrow batches, get the results of windows, in one process and without a JVM."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Literal

import numpy as np
import pyarrow as pa

import ir
from adaptive.api import Stream
from adaptive.engine.choice import VariantChoice
from adaptive.engine.flow import Flow, WhenFull
from adaptive.engine.grid import WindowGrid
from adaptive.engine.projected_work import ProjectedWork
from adaptive.engine.query import OnResult, QueryWindows, Results
from adaptive.engine.sliced_work import SlicedWork
from adaptive.engine.stages import slice_layout
from adaptive.runtime.binding import bind
from adaptive.runtime.runner import UnsupportedPlan
from codegen_llvm import unsupported_in_engine
from ir.windows import TimeWindow
from policies import Fixed, Policy

QUEUE_BYTES = 256 * 1024 * 1024


class EngineClosed(RuntimeError):
    """The engine has ended; make a new one."""


class Engine:
    """Runs a query over the batches that are pushed.

    `threads=0` runs it on the caller's thread; by default there is a thread for
    each CPU. `policy` is "adaptive", "generic" or a policy of your own.
    `queue_bytes` limits the batches that wait for the threads: `push` then
    blocks, or raises with `when_full="raise"`. `clock` gives the time in
    microseconds that processing-time windows go by. `morsel_rows` fixes the rows
    that a thread takes at a time.
    """

    def __init__(
        self,
        query: Stream | ir.Sink,
        threads: int | None = None,
        policy: Literal["adaptive", "generic"] | Policy = "adaptive",
        *,
        queue_bytes: int = QUEUE_BYTES,
        when_full: WhenFull = "block",
        on_result: OnResult | None = None,
        clock: Callable[[], int] | None = None,
        morsel_rows: int | None = None,
    ) -> None:
        plan = query.plan if isinstance(query, Stream) else query
        self._workers = _thread_count(threads)
        self._choice = VariantChoice(_policy(policy))
        self._morsel_rows = morsel_rows
        self._arrival = _Arrival(plan, clock or _now_us)
        self._results = Results(plan.schema, on_result)
        self._ended: str | None = None
        self._build(ir.optimize(plan), queue_bytes, when_full)
        self._flow.start()

    def _build(self, plan: ir.Sink, queue_bytes: int, when_full: WhenFull) -> None:
        ir.verify(plan)
        reasons = unsupported_in_engine(plan)
        if reasons:
            raise UnsupportedPlan("; ".join(reasons))
        watermark = next((n for n in plan.walk() if isinstance(n, ir.Watermark)), None)
        first, *rest = ir.cut(plan)
        workers = max(1, self._workers)
        self._windows: QueryWindows | None = None
        self._work: SlicedWork | ProjectedWork
        if isinstance(first.end, ir.Sink):
            projection = ir.flatten_projection(first)
            self._input: ir.Schema = projection.input
            self._work = ProjectedWork(projection, self._results.add, workers, self._morsel_rows)
        else:
            program = ir.flatten(first)
            self._input = program.input
            window = program.window
            grid = WindowGrid.of(window) if isinstance(window, TimeWindow) else None
            delay_us = 0 if watermark is None else watermark.delay_us + watermark.lateness_us
            self._windows = QueryWindows(program, grid, rest, self._results)
            layout = slice_layout(program, grid)
            self._work = SlicedWork(
                program,
                layout,
                grid,
                delay_us,
                self._windows,
                workers,
                self._choice,
                self._morsel_rows,
            )
        self._watermark = watermark
        column = None if watermark is None else watermark.column
        self._flow = Flow(
            self._work, self._workers, column, capacity_bytes=queue_bytes, when_full=when_full
        )
        if isinstance(self._work, SlicedWork):
            self._work.flow = self._flow

    @property
    def schema(self) -> pa.Schema:
        """The columns of the results."""
        return self._results.schema

    @property
    def late_rows(self) -> int:
        """How many rows came when all their windows were closed; they are in no result."""
        return self._work.late_rows

    @property
    def rows(self) -> int:
        """How many rows were pushed."""
        return self._flow.rows

    @property
    def state_bytes(self) -> int:
        """The memory of open windows."""
        above = 0 if self._windows is None else self._windows.bytes
        return self._work.bytes + above

    def push(self, batch: pa.RecordBatch | pa.Table) -> pa.Table:
        """Add rows; returns the results that have become final since the last call."""
        self._check_open()
        pieces = batch.to_batches() if isinstance(batch, pa.Table) else [batch]
        for piece in pieces:
            piece = self._arrival.stamped(piece)
            self._flow.push(piece, bind(piece, self._input))
        return self._results.take()

    def punctuate(self, time_us: int) -> pa.Table:
        """Time goes on to `time_us` without a row; returns the results that are final by now."""
        self._check_open()
        if self._watermark is None:
            raise ir.IrError(
                "punctuate moves the watermark, and the query has none: write"
                " stream(...).watermark('event_time', '10 seconds')"
            )
        self._flow.punctuate(int(time_us))
        return self._results.take()

    def poll(self) -> pa.Table:
        """The results that have become final since the last call; processing time goes on."""
        self._check_open()
        if self._arrival.is_used:
            self._flow.punctuate(self._arrival.now())
        self._flow.check()
        return self._results.take()

    def flush(self) -> pa.Table:
        """Wait until all that was pushed is done; returns the results that are final by then."""
        self._check_open()
        self._flow.wait()
        return self._results.take()

    def finish(self) -> pa.Table:
        """End the stream; returns the results that were not fetched, open windows included."""
        self._check_open()
        try:
            self._flow.wait()
            self._flow.stop()
            self._work.finish()
        finally:
            self._end("finished")
        return self._results.take()

    def close(self) -> None:
        """Stop and drop what is open; closing again does nothing."""
        if self._ended is None:
            self._end("closed")

    def _end(self, how: str) -> None:
        self._ended = how
        self._flow.stop()
        if self._windows is not None:
            self._windows.release()

    def _check_open(self) -> None:
        self._flow.check()
        if self._ended is not None:
            raise EngineClosed(f"the engine is {self._ended}; make a new one for more rows")

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _thread_count(threads: int | None) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if threads < 0:
        raise ValueError(f"threads must be 0 (the caller's own) or more, got {threads}")
    return threads


def _policy(policy: str | Policy) -> Policy:
    if not isinstance(policy, str):
        return policy
    if policy not in ("adaptive", "generic"):
        raise ValueError(f"policy is 'adaptive', 'generic' or a Policy, got {policy!r}")
    return Fixed()


def _now_us() -> int:
    return time.time_ns() // 1000


class _Arrival:
    """Fills the column with the time at which rows come, where a query goes by it."""

    def __init__(self, plan: ir.Sink, clock: Callable[[], int]) -> None:
        *_, source = plan.walk()
        self.is_used = ir.ARRIVAL in source.schema
        self._clock = clock
        self._last = 0

    def now(self) -> int:
        """The time, which never goes back."""
        self._last = max(self._last, self._clock())
        return self._last

    def stamped(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with the time of its arrival."""
        if not self.is_used:
            return batch
        times = pa.array(np.full(batch.num_rows, self.now(), np.int64))
        return batch.append_column(ir.ARRIVAL, times.cast(pa.timestamp("us", tz="UTC")))
