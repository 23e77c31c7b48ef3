"""Queries over one stream that share slices: their rows are grouped once, for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from adaptive.engine.grid import Boundaries, SharedGrid, WindowGrid, shared_slice_us
from adaptive.runtime.binding import arrow_schema
from ir import (
    AggregateCall,
    Field,
    NamedAggregate,
    Schema,
    TumblingWindow,
)
from ir.operators import WINDOW_END, WINDOW_START
from ir.pipelines import RowProgram
from ir.types import TIMESTAMP
from ir.windows import TimeWindow, time_of


@dataclass(frozen=True)
class Share:
    """What one query takes from the groups that it shares: some of the aggregates."""

    grid: WindowGrid | None
    columns: tuple[int, ...] | None = None  # None: all of them, there is no other query
    schema: pa.Schema | None = None

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The query's own columns of a result."""
        if self.columns is None:
            return batch
        arrays = [batch.column(position) for position in self.columns]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


@dataclass(frozen=True)
class SharedProgram:
    """A program for the rows of several queries, and the share of each."""

    program: RowProgram
    shares: tuple[Share, ...]

    @property
    def boundaries(self) -> Boundaries | None:
        """The ends of all windows; None where the end of the stream is the only one."""
        grids = tuple(share.grid for share in self.shares if share.grid is not None)
        if not grids:
            return None
        return grids[0] if len(grids) == 1 else SharedGrid(grids)


def can_share(left: RowProgram, right: RowProgram) -> bool:
    """Whether two queries group the same rows by the same keys and times."""
    if not (isinstance(left.window, TimeWindow) and isinstance(right.window, TimeWindow)):
        return False
    return (
        left.filters == right.filters
        and [key.expr for key in left.keys] == [key.expr for key in right.keys]
        and time_of(left.window) == time_of(right.window)
        and left.watermark == right.watermark
    )


def shared(programs: Sequence[RowProgram]) -> SharedProgram:
    """One program for queries that can share slices."""
    if len(programs) == 1:
        window = programs[0].window
        grid = WindowGrid.of(window) if isinstance(window, TimeWindow) else None
        return SharedProgram(programs[0], (Share(grid),))
    windows = [w for p in programs if isinstance(w := p.window, TimeWindow)]
    slice_us = shared_slice_us(windows)
    calls = list(dict.fromkeys(a.call for p in programs for a in p.aggregates))
    first = programs[0]
    slices = TumblingWindow(windows[0].time, slice_us, windows[0].offset_us % slice_us)
    aggregates = tuple(NamedAggregate(f"shared{i}", call) for i, call in enumerate(calls))
    union = replace(
        first,
        input=_joined(p.input for p in programs),
        window=slices,
        aggregates=aggregates,
        output=_output(first, aggregates),
    )
    shares = (_share(p, w, slice_us, calls) for p, w in zip(programs, windows, strict=True))
    return SharedProgram(union, tuple(shares))


def groups_that_share(programs: Sequence[RowProgram]) -> Iterator[list[int]]:
    """The positions of programs, those together that share slices."""
    groups: list[list[int]] = []
    for position, program in enumerate(programs):
        for group in groups:
            if can_share(programs[group[0]], program):
                group.append(position)
                break
        else:
            groups.append([position])
    yield from groups


def _share(
    program: RowProgram, window: TimeWindow, slice_us: int, calls: list[AggregateCall]
) -> Share:
    ahead = 2 + len(program.keys)
    columns = (*range(ahead), *(ahead + calls.index(a.call) for a in program.aggregates))
    return Share(WindowGrid.of(window, slice_us), columns, arrow_schema(program.output))


def _output(program: RowProgram, aggregates: Iterable[NamedAggregate]) -> Schema:
    bounds = [Field(name, TIMESTAMP, nullable=False) for name in (WINDOW_START, WINDOW_END)]
    keys = [key.field for key in program.keys]
    return Schema((*bounds, *keys, *(aggregate.field for aggregate in aggregates)))


def _joined(schemas: Iterable[Schema]) -> Schema:
    fields = {field.name: field for schema in schemas for field in schema}
    return Schema(tuple(fields.values()))
