"""The driver's memory of adapted streams: bounded, however long they run."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import replace

from adaptive.loop.history import SwapRecord, VariantUse
from adaptive.spark.stream_history import MicroBatch, StreamHistory, WorkerSwap, WorkerUse
from adaptive.spark.telemetry import TaskReport
from codegen_llvm import InputLayout
from ir import Tier, VariantSpec

MOST_BATCHES = 1_000  # of a query, the latest
MOST_SWAPS = 10_000
MOST_SWAPS_OF_ENDED = 1_000
MOST_EVENTS = 1_000
MOST_USES = 1_000  # variants of workers; those not used for longest are added up
MOST_ENDED = 100  # queries
MOST_RUNS = 1_000  # whose last micro-batch is known


class QueryRecord:
    """What is known of one query."""

    def __init__(self) -> None:
        self.is_ended = False
        self._uses: OrderedDict[tuple[object, ...], WorkerUse] = OrderedDict()
        self._earlier: dict[Tier, WorkerUse] = {}
        self._swaps: deque[WorkerSwap] = deque(maxlen=MOST_SWAPS)
        self._events: deque[str] = deque(maxlen=MOST_EVENTS)
        self._batches: deque[MicroBatch] = deque(maxlen=MOST_BATCHES)
        self._rows = 0

    def add(
        self, batch: MicroBatch, reports: Sequence[TaskReport], events: Sequence[str] = ()
    ) -> None:
        """A micro-batch and what its tasks have told; one that is known changes nothing."""
        if self._batches and self._batches[-1].name == batch.name:
            return
        self._batches.append(batch)
        self._rows += batch.rows
        self._events.extend(events)
        for report in reports:
            for use in report.uses:
                self._add_use(_worker_use(use, report))
            for swap in report.swaps:
                self._swaps.append(_worker_swap(swap, report, batch.batch_id))
            self._events.extend(report.events)
            if report.left_out:
                self._events.append(f"{report.left_out} entries were too many for a report")

    def end(self) -> None:
        """The query has ended, and somebody may still ask for it."""
        self.is_ended = True
        self._swaps = deque(self._swaps, maxlen=MOST_SWAPS_OF_ENDED)

    def history(self) -> StreamHistory:
        """All of it, as it is now."""
        uses = sorted(self._uses.values(), key=lambda use: (use.executor, use.pid))
        every = [*self._earlier.values(), *uses]
        return StreamHistory(every, self._swaps, self._events, self._batches, self._rows)

    def _add_use(self, use: WorkerUse) -> None:
        key = (use.executor, use.pid, use.spec, use.layout)
        self._uses[key] = _sum(self._uses.pop(key, None), use)
        if len(self._uses) > MOST_USES:
            oldest = self._uses.popitem(last=False)[1]
            tier = oldest.spec.tier
            spec = VariantSpec(tier)
            made = replace(oldest, spec=spec, layout=InputLayout(()), executor="", pid=0)
            self._earlier[tier] = _sum(self._earlier.get(tier), made)


class QueryRecords:
    """The records of all adapted streams of this process, by the id of the query."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._records: OrderedDict[str, QueryRecord] = OrderedDict()
        self._latest: OrderedDict[str, int] = OrderedDict()  # micro-batches, by run

    def add(
        self,
        query_id: str,
        batch: MicroBatch,
        reports: Sequence[TaskReport],
        events: Sequence[str] = (),
    ) -> None:
        """A micro-batch has ended."""
        with self._changed:
            self._latest[batch.run_id] = batch.batch_id
            self._latest.move_to_end(batch.run_id)
            if len(self._latest) > MOST_RUNS:
                self._latest.popitem(last=False)
            if reports:  # a micro-batch without input has none
                record = self._records.setdefault(query_id, QueryRecord())
                record.is_ended = False
                record.add(batch, reports, events)
            self._changed.notify_all()

    def end(self, query_id: str) -> None:
        """A query has ended; the oldest of those that have are forgotten."""
        with self._changed:
            record = self._records.get(query_id)
            if record is None:
                return
            record.end()
            self._records.move_to_end(query_id)
            ended = [key for key, one in self._records.items() if one.is_ended]
            for key in ended[:-MOST_ENDED]:
                del self._records[key]

    def history(self, query_id: str) -> StreamHistory | None:
        """What a query has done, or None if nothing is known of it."""
        with self._changed:
            record = self._records.get(query_id)
            return None if record is None else record.history()

    def wait_for(self, run_id: str, batch_id: int, seconds: float) -> bool:
        """Whether a micro-batch is known, now or within the time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._latest.get(run_id, -1) >= batch_id, seconds)


def _worker_use(use: VariantUse, report: TaskReport) -> WorkerUse:
    return WorkerUse(
        use.spec,
        use.layout,
        use.reason,
        use.rows,
        use.elapsed_ns,
        use.guard_exits,
        report.executor,
        report.pid,
    )


def _worker_swap(swap: SwapRecord, report: TaskReport, batch_id: int) -> WorkerSwap:
    return WorkerSwap(
        swap.at_rows,
        swap.worker,
        swap.spec,
        swap.reason,
        swap.signal,
        swap.before_ns,
        swap.after_ns,
        report.executor,
        report.pid,
        batch_id,
    )


def _sum(old: WorkerUse | None, new: WorkerUse) -> WorkerUse:
    return new if old is None else old.plus(new)
