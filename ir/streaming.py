"""The meaning of plans: over all rows at once, or row by row as a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias

from ir.arithmetic import compare
from ir.evaluate import Row, evaluate_expr
from ir.expr import Column, Expr, Scalar, conjuncts, substitute
from ir.operators import (
    Aggregate,
    Filter,
    LookUp,
    Operator,
    Project,
    Sink,
    Source,
    Watermark,
    key_name,
)
from ir.windowing import WindowedGroups
from ir.windows import SessionWindow, SlidingWindow, TumblingWindow, Window, time_of

Tables: TypeAlias = Mapping[str, Sequence[Row]]
_NO_TABLES: Tables = MappingProxyType({})


def evaluate(
    plan: Operator, rows: Iterable[Row], tables: Tables = _NO_TABLES
) -> list[dict[str, Scalar]]:
    """The rows that an operator makes of its source's rows: by window, then by key.

    `tables` are those of look-ups, by name.
    """
    names = plan.schema.names
    return [{name: row[name] for name in names} for row in _rows(plan, rows, tables)]


class LazyRow(Mapping[str, Scalar]):
    """A projected row whose columns are computed when they are first read."""

    def __init__(self, columns: Mapping[str, Expr], source: Row) -> None:
        self._columns = columns
        self._source = source
        self._known: dict[str, Scalar] = {}

    def __getitem__(self, name: str) -> Scalar:
        if name not in self._known:
            self._known[name] = evaluate_expr(self._columns[name], self._source)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def _rows(node: Operator, rows: Iterable[Row], tables: Tables) -> Iterator[Row]:
    match node:
        case Source(_, schema):
            yield from ({name: row[name] for name in schema.names} for row in rows)
        case Sink(source) | Watermark(source):
            yield from _rows(source, rows, tables)
        case LookUp(source, table):
            known = tables[table]
            partnered = (looked_up(node, row, known) for row in _rows(source, rows, tables))
            yield from chain.from_iterable(partnered)
        case Filter(source, predicate):
            yield from (row for row in _rows(source, rows, tables) if passes(predicate, row))
        case Project(source, columns):
            made = {column.name: column.expr for column in columns}
            yield from (LazyRow(made, row) for row in _rows(source, rows, tables))
        case Aggregate(source):
            groups = WindowedGroups(node)
            yield from chain.from_iterable(
                groups.add(row, None) for row in _rows(source, rows, tables)
            )
            yield from groups.finish()
        case _:
            raise TypeError(f"{type(node).__name__} has no meaning yet; add it to ir.streaming")


def looked_up(node: LookUp, row: Row, table: Sequence[Row]) -> Iterator[Row]:
    """The row with the columns of each partner that it has in a table."""
    keys = [evaluate_expr(key, row) for key in node.keys]
    partners = [other for other in table if _has_keys(other, keys)]
    if node.once:
        partners = partners[:1]
    for other in partners:
        yield {**row, **{name: other[name] for name in node.columns.names}, node.found: True}
    if not partners:
        yield {**row, **dict.fromkeys(node.columns.names), node.found: False}


def _has_keys(row: Row, keys: Sequence[Scalar]) -> bool:
    """Whether a row of a table has these keys; null equals nothing."""
    theirs = (row[key_name(place)] for place in range(len(keys)))
    pairs = list(zip(keys, theirs, strict=True))
    return all(a is not None and b is not None and compare(a, b) == 0 for a, b in pairs)


def passes(predicate: Expr, row: Row) -> bool:
    """Whether a filter keeps a row.

    The parts of a conjunction are tested one by one, so that a part that is null
    ends the row. An `and` as a value would still evaluate its right side then:
    Spark's generated filters make the same difference.
    """
    return all(evaluate_expr(part, row) is True for part in conjuncts(predicate))


class StreamEvaluator:
    """A plan as a stream: rows in by arrival, the rows that become final out.

    Behind every row, time goes on: the watermark of the source closes windows of
    the first aggregate; that no more results can come for these is the watermark
    of an aggregate above it, and so on.
    """

    def __init__(self, plan: Sink) -> None:
        self._names = plan.schema.names
        nodes = tuple(plan.walk())[::-1]
        declared = next((n for n in nodes if isinstance(n, Watermark)), None)
        self._watermark = declared
        self._greatest: int | None = None
        self._stages = _stages(nodes, 0 if declared is None else declared.lateness_us)

    @property
    def late_rows(self) -> int:
        """How many rows came when all their windows were closed."""
        return sum(stage.groups.late_rows for stage in self._stages if stage.groups is not None)

    def push(self, rows: Iterable[Row]) -> list[dict[str, Scalar]]:
        """Add rows; returns what became final."""
        made = []
        for row in rows:
            made += self._flow(0, row, self._now())
            if self._watermark is not None and row[self._watermark.column] is not None:
                time = row[self._watermark.column]
                assert isinstance(time, int)
                made += self.punctuate(time)
        return [{name: row[name] for name in self._names} for row in made]

    def punctuate(self, time_us: int) -> list[dict[str, Scalar]]:
        """Time goes on to `time_us`, as if a row with that time had come."""
        if self._watermark is None:
            return []
        self._greatest = time_us if self._greatest is None else max(self._greatest, time_us)
        now = self._now()
        made = [] if now is None else self._advance(0, now)
        return [{name: row[name] for name in self._names} for row in made]

    def finish(self) -> list[dict[str, Scalar]]:
        """The stream ends; returns what was still open."""
        made: list[Row] = []
        for number, stage in enumerate(self._stages):
            for row in [] if stage.groups is None else stage.groups.finish():
                made += self._flow(number + 1, row, stage.watermark_above)
        return [{name: row[name] for name in self._names} for row in made]

    def _now(self) -> int | None:
        if self._watermark is None or self._greatest is None:
            return None
        return self._greatest - self._watermark.delay_us

    def _flow(self, number: int, row: Row, watermark: int | None) -> list[Row]:
        """Send a row through the stages from `number` on."""
        if number == len(self._stages):
            return [row]
        stage = self._stages[number]
        stepped = stage.step(row)
        if stepped is None:
            return []
        if stage.groups is None:
            return self._flow(number + 1, stepped, watermark)
        made: list[Row] = []
        for result in stage.groups.add(stepped, watermark):
            made += self._flow(number + 1, result, stage.watermark_above)
        return made

    def _advance(self, number: int, watermark: int) -> list[Row]:
        """Close windows of a stage, send their results on, then do so above it."""
        if number == len(self._stages) or self._stages[number].groups is None:
            return []
        stage = self._stages[number]
        assert stage.groups is not None
        made: list[Row] = []
        for result in list(stage.groups.advance(watermark)):
            made += self._flow(number + 1, result, stage.watermark_above)
        bound = self._bound_above(number, watermark)
        if bound is not None:
            stage.watermark_above = bound
            made += self._advance(number + 1, bound)
        return made

    def _bound_above(self, number: int, watermark: int) -> int | None:
        """The watermark of the next stage, once this one has closed up to its own."""
        stage = self._stages[number]
        assert stage.groups is not None
        if number + 1 == len(self._stages):
            return None
        closed_to = watermark - stage.groups.lateness_us
        return watermark_above(stage.groups.node.window, self._stages[number + 1].time, closed_to)


@dataclass
class _Stage:
    """Filters and projections, and the aggregate that they end in, if they do."""

    steps: tuple[Filter | Project, ...]
    groups: WindowedGroups | None
    time: Expr | None = None  # the aggregate's time, over the rows that the stage is given
    watermark_above: int | None = None

    def step(self, row: Row) -> Row | None:
        """The row behind the steps, or None if a filter drops it."""
        for step in self.steps:
            match step:
                case Filter(_, predicate):
                    if not passes(predicate, row):
                        return None
                case Project(_, columns):
                    row = LazyRow({column.name: column.expr for column in columns}, row)
        return row


def _stages(nodes: tuple[Operator, ...], lateness_us: int) -> list[_Stage]:
    stages: list[_Stage] = []
    steps: list[Filter | Project] = []
    for node in nodes:
        match node:
            case Filter() | Project():
                steps.append(node)
            case Aggregate():
                time = time_of(node.window)
                for step in reversed(steps):
                    if isinstance(step, Project) and time is not None:
                        time = substitute(time, {c.name: c.expr for c in step.columns})
                groups = WindowedGroups(node, 0 if stages else lateness_us)
                stages.append(_Stage(tuple(steps), groups, time))
                steps = []
            case Sink():
                stages.append(_Stage(tuple(steps), None))
    return stages


def watermark_above(below: Window | None, time: Expr | None, closed_to: int) -> int | None:
    """The watermark of windows by `time` over the results of other windows.

    All windows that end at `closed_to` or before have had their results, so a
    result that is still to come has a greater end. Of other times than the
    bounds of a window nothing is known.
    """
    match below, time:
        case (TumblingWindow() | SlidingWindow() | SessionWindow(), Column("window_end")):
            return closed_to + 1
        case (TumblingWindow() | SlidingWindow(), Column("window_start")):
            return closed_to + 1 - below.size_us
    return None
