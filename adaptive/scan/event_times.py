"""Which row groups must have their event times decoded, and which need not.

Event time is nearly unique, so it is the column that costs most to decode: on
YSB 14 of 24 ns a row. A plan that only cuts it into windows needs no more than
the window, and where a row group's statistics lie in one window, that is known.
What is decoded all the same is the greatest time among the rows that pass,
because Spark's watermark follows it: row groups are decoded from the latest one
back, until no other one can hold a later time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from adaptive.runtime import PlanRunner, supported_program
from adaptive.scan.footer import Span
from ir import Aggregate, AggregateCall, Call, Column, Expr, NamedAggregate, Sink
from ir.pipelines import RowProgram, cut, flatten
from ir.windows import TumblingWindow

PEAK = "peak"


@dataclass(frozen=True, slots=True)
class TimeUse:
    """A plan that uses a time column for nothing but its window and the watermark."""

    column: str
    window: TumblingWindow
    peak: (
        RowProgram | None
    )  # the greatest time of the rows that pass; None where nobody asks for it

    def fits(self, span: Span | None) -> bool:
        """Whether the times of a span are all in one window."""
        if span is None:
            return False
        return self.window.start_of(span.low) == self.window.start_of(span.high)


def time_use(plan: Sink) -> TimeUse | None:
    """How a plan uses the column of its window, or None if it needs every value.

    A `max` of the column counts as the watermark's. Whether the user also asks
    for it, the plan cannot tell: then do not ask here.
    """
    end = cut(plan)[0].end
    if not isinstance(end, Aggregate):
        return None
    program = flatten(cut(plan)[0])
    window = program.window
    if not isinstance(window, TumblingWindow) or not isinstance(window.time, Column):
        return None
    time = window.time
    calls = [aggregate.call for aggregate in program.aggregates]
    peaks = [call for call in calls if call == AggregateCall("max", time)]
    others: list[Expr] = [call.argument for call in calls if call.argument and call not in peaks]
    others += [key.expr for key in program.keys]
    others += [f for f in program.filters if f != Call("is_not_null", (time,))]
    if any(time.name in expr.columns() for expr in others):
        return None
    return TimeUse(time.name, window, supported_program(_peak_plan(end)) if peaks else None)


def _peak_plan(end: Aggregate) -> Sink:
    """The same rows, and of them only the greatest time."""
    assert isinstance(end.window, TumblingWindow)
    latest = NamedAggregate(PEAK, AggregateCall("max", end.window.time))
    return Sink(Aggregate(end.source, None, (), (latest,)), PEAK)


class TimedFile(Protocol):
    """An open file that is read by row groups."""

    def spans(self, column: str) -> list[tuple[int, Span | None]]:
        """Each row group with the span of a timestamp column, where the file tells."""
        ...

    def batches(
        self, groups: Sequence[int] | None = None, constants: Mapping[str, int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of some row groups; a column in `constants` is not decoded."""
        ...


@dataclass(frozen=True, slots=True)
class TimedGroup:
    """A row group of an open file, with the span of its times where the file tells."""

    file: TimedFile
    number: int
    span: Span | None

    def batches(self, constants: Mapping[str, int] | None = None) -> Iterator[pa.RecordBatch]:
        """Its rows."""
        return self.file.batches([self.number], constants)


def timed_rows(
    files: Iterable[TimedFile],
    use: TimeUse,
    change: Callable[[pa.RecordBatch], pa.RecordBatch] = lambda rows: rows,
) -> Iterator[pa.RecordBatch]:
    """The rows of some files, with one time for a whole row group where that will do.

    The latest row groups come first, for the peak; the others in their order. `change` makes
    of rows what the plan is about.
    """
    groups = [
        TimedGroup(file, number, span) for file in files for number, span in file.spans(use.column)
    ]
    finder = None if use.peak is None else _PeakFinder(use.peak, groups, use)
    done: set[int] = set()
    while finder is not None and (position := finder.next()) is not None:
        done.add(position)
        for batch in map(change, groups[position].batches()):
            finder.see(batch)
            yield batch
    for position, group in enumerate(groups):
        if position not in done:
            known = {use.column: group.span.low} if group.span and use.fits(group.span) else {}
            yield from map(change, group.batches(known))


class _PeakFinder:
    """Names row groups from the latest back, until no other one can hold a later time."""

    def __init__(self, peak: RowProgram, groups: list[TimedGroup], use: TimeUse) -> None:
        self._runner = PlanRunner(peak)
        fitting = [(g.span.high, i) for i, g in enumerate(groups) if g.span and use.fits(g.span)]
        self._latest = sorted(fitting)
        self._peak: int | None = None

    def see(self, batch: pa.RecordBatch) -> None:
        """Rows of the row group that was named last."""
        self._runner.consume(batch)

    def next(self) -> int | None:
        """The position of the next row group whose times are needed."""
        (found,) = self._runner.finish().column(PEAK).cast(pa.int64()).to_pylist()
        if found is not None:
            self._peak = found if self._peak is None else max(self._peak, found)
        if not self._latest or (self._peak is not None and self._latest[-1][0] <= self._peak):
            return None
        return self._latest.pop()[1]
