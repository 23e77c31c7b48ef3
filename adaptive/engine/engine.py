"""The engine: push Arrow batches, get the results of windows, in one process and without a JVM."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Literal, TypeAlias

import pyarrow as pa

import ir
from adaptive.api import Stream
from adaptive.api.durations import Duration, duration_us
from adaptive.engine.arrival import Arrival, Clock, Ticker, wall_clock_us
from adaptive.engine.assembly import Query, assemble
from adaptive.engine.caller_flow import CallerFlow
from adaptive.engine.flow import FixedSize, Flow, ThreadFlow, WhenFull
from adaptive.engine.morsels import MorselSizes
from adaptive.engine.query import Results
from adaptive.engine.sliced_work import Strategy
from adaptive.engine.topology import Topology, by_node
from adaptive.loop.history import History
from adaptive.runtime.binder import Binder
from policies import Fixed, Policy

QueryLike: TypeAlias = Stream | ir.Sink
Queries: TypeAlias = QueryLike | Sequence[QueryLike] | Mapping[str, QueryLike]
Made: TypeAlias = Any  # a pyarrow.Table; of several queries, a dict of them

QUEUE_BYTES = 256 * 1024 * 1024


class EngineClosed(RuntimeError):
    """The engine has ended; make a new one."""


class Engine:
    """Runs a query, or several over the same stream, over the batches that are pushed.

    With a list of queries, results come as a dict by position, with a dict by
    name. Queries that group the same rows by the same keys share the work.

    `threads=0` runs on the caller's thread; by default there is a thread for each
    CPU. `policy` is "adaptive", "generic" or a policy of your own. With the
    strategy "independent", threads have groups of their own, which are merged
    when a window closes; with "shared", they fill the same ones, which is for very
    many keys; with "auto", the policy says which, and may change its mind while
    the stream runs. `queue_bytes` limits the batches that wait for the threads:
    `push` then blocks, or raises with `when_full="raise"`. `on_result` is called
    with every result instead of returning it. `clock` gives the microseconds since
    1970 that processing-time windows go by. `latency` is the time that a result may
    take from the last row that is in it ("10 milliseconds", or seconds): threads then
    take few rows at a time, or always `morsel_rows`. `topology` is the machine's
    unless given.
    """

    def __init__(
        self,
        query: Queries,
        threads: int | None = None,
        policy: Literal["adaptive", "generic"] | Policy = "adaptive",
        *,
        strategy: Strategy = "auto",
        queue_bytes: int = QUEUE_BYTES,
        when_full: WhenFull = "block",
        on_result: Any = None,
        clock: Clock = wall_clock_us,
        latency: Duration | float | None = None,
        morsel_rows: int | None = None,
        topology: Topology | None = None,
    ) -> None:
        self._names, plans = _named(query)
        threads = _thread_count(threads)
        self._arrival = Arrival(plans, clock)
        self._queries = [
            Query.of(plan, Results(plan.schema, _told(on_result, name)))
            for name, plan in zip(self._names or [None], plans, strict=True)
        ]
        self._time = _time_column(self._queries)
        machine = topology or Topology.detect()
        places = machine.assign(max(1, threads))
        self._made = assemble(self._queries, by_node(places), _policy(policy), _checked(strategy))
        self._ended: str | None = None
        learned = MorselSizes(max(1, threads), _seconds(latency))
        sizes = learned if morsel_rows is None else FixedSize(morsel_rows)
        capacity_bytes, when_full = _capacity(queue_bytes), _when_full(when_full)
        self._flow: Flow = CallerFlow(self._made.works, self._time, sizes)
        if threads:
            self._flow = ThreadFlow(
                self._made.works,
                threads,
                self._time,
                sizes=sizes,
                capacity_bytes=capacity_bytes,
                when_full=when_full,
                affinity=machine.affinity(places),
            )
        self._binders = [Binder(work.input) for work in self._made.works]
        for work in self._made.works:
            work.flow = self._flow
        self._flow.start()
        self._ticker = None
        if self._arrival.is_used and threads:
            self._ticker = Ticker(self._tick)

    @property
    def schema(self) -> Any:
        """The columns of the results; of several queries, a dict."""
        return self._each([query.results.schema for query in self._queries])

    @property
    def late_rows(self) -> Any:
        """How many rows came when all their windows were closed; they are in no result."""
        return self._each([self._late_rows(i) for i in range(len(self._queries))])

    @property
    def rows(self) -> int:
        """How many rows were pushed."""
        return self._flow.rows

    @property
    def queued_bytes(self) -> int:
        """The memory of batches that wait or are being worked on."""
        return self._flow.queued_bytes

    @property
    def state_bytes(self) -> int:
        """The memory of open windows."""
        above = sum(windows.bytes for windows in self._made.windows if windows is not None)
        return above + sum(work.bytes for work in self._made.works)

    def history(self) -> History:
        """The variants that ran, their swaps and why; also afterwards."""
        return History.joined(loop.history for loop in self._made.loops)

    def push(self, batch: pa.RecordBatch | pa.Table) -> Made:
        """Add rows; returns the results that have become final since the last call."""
        self._check_open()
        for piece in (batch,) if isinstance(batch, pa.RecordBatch) else _batches(batch):
            with self._arrival.order:
                stamped = self._arrival.stamped(piece)
                bounds = [bound(stamped) for bound in self._binders]
                self._flow.push(stamped, bounds)
        return self._take()

    def punctuate(self, time_us: int) -> Made:
        """Time goes on to `time_us` without a row; returns the results that are final by now."""
        self._check_open()
        if self._time is None:
            raise ir.IrError(
                "punctuate moves the watermark, and the query has none: write"
                " stream(...).watermark('event_time', '10 seconds')"
            )
        self._flow.punctuate(int(time_us))
        return self._take()

    def poll(self) -> Made:
        """The results that have become final since the last call; processing time goes on."""
        self._check_open()
        if self._arrival.is_used:
            self._tick()
        return self._take()

    def flush(self) -> Made:
        """Wait until all that was pushed is done; returns the results that are final by then."""
        self._check_open()
        self._flow.wait()
        return self._take()

    def finish(self) -> Made:
        """End the stream; returns the results that were not fetched, open windows included."""
        self._check_open()
        try:
            self._flow.wait()
            self._flow.stop()
            for work in self._made.works:
                work.finish()
        finally:
            self._end("finished")
        return self._take()

    def close(self) -> None:
        """Stop and drop what is open; closing again does nothing."""
        if self._ended is None:
            self._end("closed")

    def _end(self, how: str) -> None:
        self._ended = how
        if self._ticker is not None:
            self._ticker.stop()
        self._flow.stop()
        for windows in self._made.windows:
            if windows is not None:
                windows.release()
        for work in self._made.works:
            work.release()

    def _check_open(self) -> None:
        self._flow.check()
        if self._ended is not None:
            raise EngineClosed(f"the engine is {self._ended}; make a new one for more rows")

    def _take(self) -> Made:
        return self._each([query.results.take() for query in self._queries])

    def _each(self, values: Sequence[Any]) -> Any:
        """A value for each query by its name, or the value of the only one."""
        if self._names is None:
            return values[0]
        return dict(zip(self._names, values, strict=True))

    def _late_rows(self, position: int) -> int:
        windows = self._made.windows[position]
        late = self._made.works[self._made.work_of[position]].late_rows
        return late + (0 if windows is None else windows.late_rows)

    def _tick(self) -> None:
        """Processing time goes on also while no row comes."""
        with self._arrival.order:
            if not self._flow.queued_bytes:
                self._flow.punctuate(self._arrival.now())

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if error is None:
            self._flow.check_unseen()


def _named(query: Queries) -> tuple[list[Any] | None, list[ir.Sink]]:
    """The names of several queries, and the plans."""
    if not isinstance(query, Mapping | Sequence):
        return None, [_plan(query)]
    pairs = list(query.items() if isinstance(query, Mapping) else enumerate(query))
    if not pairs:
        raise ValueError("an engine needs a query")
    plans = [_plan(one) for _, one in pairs]
    columns = {tuple(_source(plan).names) for plan in plans}
    if len(columns) > 1:
        raise ir.IrSchemaError(
            "queries of one engine read the same stream: make them from one stream(...)"
        )
    return [name for name, _ in pairs], plans


def _plan(query: QueryLike) -> ir.Sink:
    if isinstance(query, Stream):
        return query.plan
    if isinstance(query, ir.Sink):
        return query
    raise TypeError(f"an engine runs streams, made with adaptive.stream(...), not {query!r}")


def _source(plan: ir.Sink) -> ir.Schema:
    """The columns of the batches: all of the source but the time of arrival."""
    schema = next(node.schema for node in plan.walk() if isinstance(node, ir.Source))
    return ir.Schema(tuple(field for field in schema if field.name != ir.ARRIVAL))


def _time_column(queries: Sequence[Query]) -> str | None:
    columns = {query.watermark.column for query in queries if query.watermark is not None}
    if len(columns) > 1:
        raise ir.IrError(
            f"the queries have watermarks by {', '.join(sorted(columns))}; an engine has one:"
            " run them in engines of their own"
        )
    return next(iter(columns), None)


def _told(on_result: Any, name: Any) -> Any:
    """Who is told of a query's results; of several, by name."""
    if on_result is None or name is None:
        return on_result
    return partial(on_result, name)


def _thread_count(threads: int | None) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if threads < 0:
        raise ValueError(f"threads must be 0 (the caller's own) or more, got {threads}")
    return threads


def _policy(policy: str | Policy) -> Policy | None:
    """A policy by its name; None is the one that a query gets by itself."""
    if not isinstance(policy, str):
        return policy
    if policy not in ("adaptive", "generic"):
        raise ValueError(f"policy is 'adaptive', 'generic' or a Policy, got {policy!r}")
    return Fixed() if policy == "generic" else None


def _seconds(latency: Duration | float | None) -> float | None:
    if latency is None or isinstance(latency, int | float):
        return latency
    return duration_us(latency) / 1e6


def _batches(batch: pa.RecordBatch | pa.Table) -> list[pa.RecordBatch]:
    if isinstance(batch, pa.Table):
        return list(batch.to_batches())
    if isinstance(batch, pa.RecordBatch):
        return [batch]
    raise TypeError(
        f"push takes a pyarrow.RecordBatch or Table, got {type(batch).__name__}:"
        " make one with pyarrow.record_batch or pyarrow.Table.from_pylist"
    )


def _capacity(queue_bytes: int) -> int:
    if queue_bytes < 1:
        raise ValueError(f"queue_bytes must be positive, got {queue_bytes}")
    return queue_bytes


def _when_full(when_full: WhenFull) -> WhenFull:
    if when_full not in ("block", "raise"):
        raise ValueError(f"when_full is 'block' or 'raise', got {when_full!r}")
    return when_full


def _checked(strategy: Strategy) -> Strategy:
    if strategy not in ("auto", "independent", "shared"):
        raise ValueError(f"strategy is 'auto', 'independent' or 'shared', got {strategy!r}")
    return strategy
