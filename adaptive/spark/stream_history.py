"""The history of a streaming query: what the loops of all workers did, by micro-batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from adaptive.loop.history import History, SwapRecord, VariantUse, described

_SHOWN = 20  # lines of a list in the text form


@dataclass(frozen=True, slots=True)
class WorkerUse(VariantUse):
    """How one variant has done in one worker; without a worker, in workers of the past."""

    executor: str = ""
    pid: int = 0


@dataclass(frozen=True, slots=True)
class WorkerSwap(SwapRecord):
    """A change of variant in one worker; `at_rows` counts the rows of that worker."""

    executor: str = ""
    pid: int = 0
    batch_id: int = 0  # of the micro-batch that reported it


@dataclass(frozen=True, slots=True)
class MicroBatch:
    """What the native part of a query did in one micro-batch."""

    batch_id: int
    run_id: str
    rows: int  # read from files; Spark's own count is one of files
    tasks: int
    guard_exits: int
    duration_ms: int
    variants: tuple[str, ...]  # those that did the most rows of a task, in words
    kept: int | None = None  # rows that have passed, where nothing is aggregated

    @property
    def name(self) -> tuple[str, int]:
        """What no other micro-batch has."""
        return (self.run_id, self.batch_id)

    @property
    def rows_per_second(self) -> float:
        """The rows over the time of the whole micro-batch."""
        return 1000 * self.rows / self.duration_ms if self.duration_ms else 0.0


class StreamHistory(History):
    """Variants by worker; `swaps` are in the order in which they were reported.

    `rows` and the uses are of all micro-batches, `batches` and `swaps` the latest ones.
    """

    def __init__(
        self,
        uses: Iterable[WorkerUse] = (),
        swaps: Sequence[WorkerSwap] = (),
        events: Sequence[str] = (),
        batches: Sequence[MicroBatch] = (),
        rows: int = 0,
    ) -> None:
        super().__init__(uses, swaps, events)
        self.batches = tuple(batches)
        self.rows = rows

    @classmethod
    def joined(cls, histories: Iterable[History]) -> StreamHistory:
        """Those of several queries, one after the other."""
        parts = [part for part in histories if isinstance(part, StreamHistory)]
        every = History.joined(parts)
        return cls(
            (use for use in every if isinstance(use, WorkerUse)),
            [swap for swap in every.swaps if isinstance(swap, WorkerSwap)],
            every.events,
            [batch for part in parts for batch in part.batches],
            sum(part.rows for part in parts),
        )

    def to_arrow(self) -> pa.Table:
        """A row for each worker, variant and way to lie in memory."""
        return _with_columns(super().to_arrow(), self, ("executor", "pid"))

    def swaps_to_arrow(self) -> pa.Table:
        """A row for each change of variant."""
        return _with_columns(super().swaps_to_arrow(), self.swaps, ("batch_id", "executor", "pid"))

    def batches_to_arrow(self) -> pa.Table:
        """A row for each micro-batch."""
        return pa.Table.from_pylist([asdict(batch) for batch in self.batches], schema=_BATCHES)

    def __str__(self) -> str:
        workers = len({(use.executor, use.pid) for use in self if isinstance(use, WorkerUse)})
        lines = [f"{self.rows:,} rows in {len(self.batches):,} micro-batches, {workers} workers"]
        lines += _shortened("variants", [_use_text(use) for use in self])
        lines += _shortened("swaps", [_swap_text(swap) for swap in self.swaps])
        lines += _shortened("events", self.events)
        return "\n".join(lines)


def worker_name(record: VariantUse | SwapRecord) -> str:
    """Executor and process, where they are known."""
    if isinstance(record, WorkerUse | WorkerSwap) and record.pid:
        return f"{record.executor}/{record.pid}"
    return "earlier workers"


def times_text(swap: SwapRecord) -> str:
    """The nanoseconds of a row before and after, where a swap was judged by them."""
    if swap.before_ns is None or swap.after_ns is None:
        return ""
    return f"{swap.before_ns:.2f} -> {swap.after_ns:.2f}"


def _use_text(use: VariantUse) -> str:
    exits = f", {use.guard_exits:,} guard exits" if use.guard_exits else ""
    did = f"{use.rows:,} rows, {use.ns_per_row:.2f} ns/row{exits}"
    return f"{worker_name(use)}  {described(use.spec)}: {did}"


def _swap_text(swap: SwapRecord) -> str:
    batch = swap.batch_id if isinstance(swap, WorkerSwap) else 0
    times = times_text(swap)
    judged = f", {times} ns/row" if times else ""
    what = f"{described(swap.spec)} by {swap.signal}{judged}: {swap.reason}"
    return f"batch {batch}  {worker_name(swap)}  at {swap.at_rows:,} rows  {what}"


def _shortened(title: str, lines: Sequence[str]) -> list[str]:
    """A list with its title; of very many lines, the last."""
    if not lines:
        return []
    left = len(lines) - _SHOWN
    first = [f"  {left:,} before these"] if left > 0 else []
    return [f"{title}:", *first, *(f"  {line}" for line in lines[-_SHOWN:])]


def _with_columns(table: pa.Table, records: Sequence[Any], names: tuple[str, ...]) -> pa.Table:
    """The table with more attributes of the records in front."""
    for place, name in enumerate(names):
        values = [getattr(record, name) for record in records]
        column = pa.array(values, pa.string() if name == "executor" else pa.int64())
        table = table.add_column(place, name, column)
    return table


_BATCHES = pa.schema(
    [
        ("batch_id", pa.int64()),
        ("run_id", pa.string()),
        ("rows", pa.int64()),
        ("tasks", pa.int64()),
        ("guard_exits", pa.int64()),
        ("duration_ms", pa.int64()),
        ("variants", pa.list_(pa.string())),
        ("kept", pa.int64()),
    ]
)
