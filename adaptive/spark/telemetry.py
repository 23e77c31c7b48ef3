"""What a task tells the driver about the adaptive loop of its worker.

A report has a column of its own, in a row that Spark counts and then drops: it goes the
way of the partials, so that Spark takes it once for each task that succeeds.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import takewhile
from typing import Any

import psutil
import pyarrow as pa

from adaptive.loop.history import History, SwapRecord, VariantUse, described
from adaptive.runtime.adaptation import Adaptation
from adaptive.spark.executor import Siblings
from adaptive.spark.heartbeat import zero
from codegen_llvm import Encoding, InputLayout
from ir import VariantSpec
from ir.json_form import spec_from_json, spec_to_json

REPORT = "report"  # the column
# The text has everything. What Spark adds up over tasks stands beside it: with micro-batches of
# 100,000 rows, 19 of 357 samples of the tasks' threads in the JVM were in the generation of code,
# anew in each task, that takes values out of texts and adds them up.
REPORT_TYPE = pa.struct(
    {
        "text": pa.string(),
        "rows": pa.int64(),
        "guard_exits": pa.int64(),
        "began_ms": pa.int64(),
        "ended_ms": pa.int64(),
        "variant": pa.string(),
    }
)
# Spark keeps the latest 100 micro-batches with the reports of all tasks. A quiet task
# takes some 400 bytes, a swap as many.
MOST_BYTES = 16 * 1024
_LONGEST_VARIANT = 200


@dataclass(frozen=True, slots=True)
class RowCounts:
    """What a task without an aggregate has put out, and what time that took."""

    kept: int  # rows that have passed
    elapsed_ns: int  # of the whole task
    given_ns: int  # of that, in which Spark took rows from it


@dataclass(frozen=True, slots=True)
class TaskReport:
    """What variants did in a task, and what else happened in its worker since the last report."""

    executor: str
    pid: int
    partition: int
    rows: int  # that this task has read
    uses: tuple[VariantUse, ...] = ()
    swaps: tuple[SwapRecord, ...] = ()
    events: tuple[str, ...] = ()
    left_out: int = 0  # entries that made the text too long, the oldest
    began_ms: int = 0  # of the executor's clock, since the epoch
    ended_ms: int = 0
    times_ns: Mapping[str, int] = field(default_factory=dict)  # of its parts, where asked for
    counts: RowCounts | None = None  # without an aggregate

    @property
    def variant(self) -> str:
        """The variant that did the most rows, in words."""
        most = max(self.uses, key=lambda use: use.rows, default=None)
        return "" if most is None else described(most.spec)

    @property
    def guard_exits(self) -> int:
        """How often a guard failed."""
        return sum(use.guard_exits for use in self.uses)


class Reporter:
    """The loop of a plan in a worker, and how much of its history the driver knows."""

    def __init__(self, loop: Adaptation, siblings: Siblings) -> None:
        self.loop, self._siblings = loop, siblings
        self._before = self._told = self._telling = History()
        self._began_ms = 0

    def begin(self) -> None:
        """A task begins; what one that failed has done before it is nobody's."""
        self._before = self.loop.history
        self._began_ms = _clock_ms()

    def report(self, rows: int) -> TaskReport:
        """What the driver does not know yet; `told` confirms that it has left."""
        self._telling = self.loop.history
        return TaskReport(
            executor_name(),
            os.getpid(),
            _partition(),
            rows,
            tuple(_more_used(self._telling, self._before)),
            tuple(_after(self._telling.swaps, self._told.swaps[-1:])),
            self._telling.events[len(self._told.events) :],
            began_ms=self._began_ms,
            ended_ms=_clock_ms(),
        )

    def told(self) -> None:
        """The last report is on its way."""
        self._told = self._telling

    def share(self) -> None:
        """A task has ended, well or not: other workers of the executor may learn from it."""
        self._siblings.tell(self.loop)


def _more_used(now: History, before: History) -> list[VariantUse]:
    """What each variant did between two looks."""
    known = {(use.spec, use.layout): use for use in before}
    more = []
    for use in now:
        old = known.get((use.spec, use.layout))
        if old is not None:
            use = replace(
                use,
                rows=use.rows - old.rows,
                elapsed_ns=use.elapsed_ns - old.elapsed_ns,
                guard_exits=use.guard_exits - old.guard_exits,
            )
        if use.rows or use.guard_exits:
            more.append(use)
    return more


def _after(swaps: tuple[SwapRecord, ...], last: tuple[SwapRecord, ...]) -> list[SwapRecord]:
    """Those behind the last one; found by identity, since a loop forgets its oldest swaps."""
    known = last[0] if last else None
    return list(takewhile(lambda swap: swap is not known, reversed(swaps)))[::-1]


def _clock_ms() -> int:
    return time.time_ns() // 1_000_000


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


@lru_cache(maxsize=1)
def executor_name() -> str:
    """Spark's id of the executor, or its folder where that cannot be seen.

    The id is on the command line of the JVM, which is the parent of the workers' parent.
    """
    try:
        for process in psutil.Process().parents()[:2]:
            words = process.cmdline()
            if "--executor-id" in words[:-1]:
                return str(words[words.index("--executor-id") + 1])
            if "org.apache.spark.deploy.SparkSubmit" in words:
                return "driver"
    except psutil.Error:
        pass
    return os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]


def report_row(
    report: TaskReport, columns: pa.Schema, never_null: frozenset[str]
) -> pa.RecordBatch:
    """A row with the report and nothing else; Spark refuses nulls in some columns."""
    arrays = [
        zero(field.type) if field.name in never_null else pa.nulls(1, field.type)
        for field in columns
    ]
    arrays[columns.get_field_index(REPORT)] = pa.array([_columns(report)], REPORT_TYPE)
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def _columns(report: TaskReport) -> dict[str, Any]:
    return {
        "text": report_text(report),
        "rows": report.rows,
        "guard_exits": report.guard_exits,
        "began_ms": report.began_ms,
        "ended_ms": report.ended_ms,
        "variant": report.variant[:_LONGEST_VARIANT] or None,  # none: no row came
    }


def without_report(partials: pa.RecordBatch) -> pa.RecordBatch:
    """Partials with the column of reports, and none in it."""
    return partials.append_column(REPORT, pa.nulls(partials.num_rows, REPORT_TYPE))


def report_text(report: TaskReport) -> str:
    """The report as JSON of limited length; the oldest swaps and the smallest uses go first."""
    document: dict[str, Any] = {
        "executor": report.executor,
        "pid": report.pid,
        "partition": report.partition,
        "rows": report.rows,
        "variant": report.variant[:_LONGEST_VARIANT],
        "guard_exits": report.guard_exits,
        "began_ms": report.began_ms,
        "ended_ms": report.ended_ms,
        **({"times_ns": report.times_ns} if report.times_ns else {}),
        **({} if report.counts is None else {"counts": asdict(report.counts)}),
    }
    entries: dict[str, list[Any]] = {
        "uses": [_use(use) for use in sorted(report.uses, key=lambda use: use.rows)],
        "swaps": [_swap(swap) for swap in report.swaps],
        "events": list(report.events),
    }
    room = MOST_BYTES - len(json.dumps(document)) - 100  # for names and punctuation
    left_out = report.left_out
    for name, wanted in entries.items():
        document[name] = kept = _last_fitting(wanted, room)
        room -= len(json.dumps(kept))
        left_out += len(wanted) - len(kept)
    return json.dumps({**document, "left_out": left_out}, separators=(",", ":"))


def _last_fitting(entries: list[Any], room: int) -> list[Any]:
    """As many of the last entries as there is room for."""
    first = len(entries)
    while first and room > 0:
        room -= len(json.dumps(entries[first - 1])) + 2
        first -= room > 0
    return entries[first:]


def _use(use: VariantUse) -> dict[str, Any]:
    return {
        "spec": spec_to_json(use.spec),
        "encodings": [encoding.value for encoding in use.layout.encodings],
        "has_nulls": use.layout.has_nulls,
        "reason": use.reason,
        "rows": use.rows,
        "elapsed_ns": use.elapsed_ns,
        "guard_exits": use.guard_exits,
    }


def _swap(swap: SwapRecord) -> dict[str, Any]:
    return {
        "at_rows": swap.at_rows,
        "worker": swap.worker,
        "spec": spec_to_json(swap.spec),
        "reason": swap.reason,
        "signal": swap.signal,
        "before_ns": swap.before_ns,
        "after_ns": swap.after_ns,
    }


def parsed_report(text: str) -> TaskReport:
    """The report that a worker wrote."""
    found = json.loads(text)
    return TaskReport(
        found["executor"],
        found["pid"],
        found["partition"],
        found["rows"],
        tuple(_parsed_use(**use) for use in found["uses"]),
        tuple(
            SwapRecord(**{**swap, "spec": _parsed_spec(swap["spec"])}) for swap in found["swaps"]
        ),
        tuple(found["events"]),
        found["left_out"],
        found["began_ms"],
        found["ended_ms"],
        found.get("times_ns", {}),
        RowCounts(**found["counts"]) if "counts" in found else None,
    )


def _parsed_use(
    spec: str, encodings: list[str], has_nulls: bool, reason: str, **counts: int
) -> VariantUse:
    layout = InputLayout(tuple(map(Encoding, encodings)), has_nulls)
    return VariantUse(_parsed_spec(spec), layout, reason, **counts)


@lru_cache(maxsize=1024)
def _parsed_spec(text: str) -> VariantSpec:
    """Cached, so that the records of a variant share it."""
    return spec_from_json(text)
