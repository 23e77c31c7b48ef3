"""Pipelines: the parts of a plan that one kernel runs, and their flattened form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ir.errors import IrError
from ir.expr import Column, Expr, check_columns, conjuncts, substitute
from ir.intervals import Ranges, prove
from ir.operators import (
    Aggregate,
    Filter,
    Named,
    NamedAggregate,
    Project,
    Sink,
    Watermark,
)
from ir.types import Field, Schema
from ir.windows import TimeWindow, TumblingWindow, Window, over_time, time_of


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Steps that a row takes without waiting for other rows, and where it ends.

    `steps` are in the order of the data flow, the first one next to the input.
    """

    index: int
    input: Schema
    steps: tuple[Filter | Project, ...]
    end: Aggregate | Sink
    watermark: str | None = None  # the input column that time is told by


@dataclass(frozen=True, slots=True)
class RowProgram:
    """A pipeline that ends in an aggregate, flattened to expressions over its input.

    `input` holds only the columns that are read. A row passes when each of
    `filters`, evaluated in order, is true; the first that is not ends the row.
    """

    input: Schema
    filters: tuple[Expr, ...]
    window: Window | None
    keys: tuple[Named, ...]
    aggregates: tuple[NamedAggregate, ...]
    output: Schema
    watermark: str | None = None  # the input column whose times close windows

    def __post_init__(self) -> None:
        for expr in self.expressions():
            check_columns("row program", expr, self.input)

    @property
    def slices(self) -> TumblingWindow | None:
        """The pieces of time that rows are grouped by, where the window is made of such."""
        return self.window.slices if isinstance(self.window, TimeWindow) else None

    def expressions(self) -> Iterator[Expr]:
        """Every expression that the program evaluates for a row, in order."""
        yield from self.filters
        time = time_of(self.window)
        if time is not None:
            yield time
        yield from (key.expr for key in self.keys)
        for aggregate in self.aggregates:
            yield from aggregate.call.arguments

    def mapped(self, change: Callable[[Expr], Expr]) -> RowProgram:
        """The same program with each of its expressions changed; `output` stays as it is."""
        time = time_of(self.window)
        changed = self.window
        if self.window is not None and time is not None:
            changed = over_time(self.window, change(time))
        return replace(
            self,
            filters=tuple(map(change, self.filters)),
            window=changed,
            keys=tuple(Named(key.name, change(key.expr)) for key in self.keys),
            aggregates=tuple(
                NamedAggregate(one.name, one.call.map_arguments(change)) for one in self.aggregates
            ),
        )

    def proven(self, ranges: Ranges) -> RowProgram:
        """The same for columns in these ranges: nothing checks what cannot be lost then."""
        return self.mapped(partial(prove, ranges=ranges))


@dataclass(frozen=True, slots=True)
class ProjectionProgram:
    """A pipeline that ends in a sink, flattened: the rows that pass, and the columns made of them.

    `input` holds only the columns that are read; `filters` are as in a row program.
    """

    input: Schema
    filters: tuple[Expr, ...]
    columns: tuple[Named, ...]
    output: Schema

    def __post_init__(self) -> None:
        for expr in self.expressions():
            check_columns("projection", expr, self.input)

    def expressions(self) -> Iterator[Expr]:
        """Every expression that the program evaluates for a row, in order."""
        yield from self.filters
        yield from (column.expr for column in self.columns)

    def mapped(self, change: Callable[[Expr], Expr]) -> ProjectionProgram:
        """The same projection with each of its expressions changed; `output` stays as it is."""
        columns = tuple(Named(column.name, change(column.expr)) for column in self.columns)
        return replace(self, filters=tuple(map(change, self.filters)), columns=columns)

    def proven(self, ranges: Ranges) -> ProjectionProgram:
        """The same for columns in these ranges: nothing checks what cannot be lost then."""
        return self.mapped(partial(prove, ranges=ranges))

    @property
    def filtering(self) -> RowProgram:
        """Which rows pass, as a program that makes nothing of them."""
        return RowProgram(self.input, self.filters, None, (), (), Schema(()))

    def without_nulls(self, columns: frozenset[str]) -> ProjectionProgram:
        """The same for input without nulls in these columns; `output` stays as it is."""
        fields = tuple(
            Field(f.name, f.type, f.nullable and f.name not in columns) for f in self.input
        )
        narrowed = _as_columns(fields)
        filters = tuple(substitute(part, narrowed) for part in self.filters)
        made = _substitute_named(self.columns, narrowed)
        return ProjectionProgram(Schema(fields), filters, made, self.output)


def cut(plan: Sink) -> tuple[Pipeline, ...]:
    """The pipelines of a plan in the order of the data flow; the last one ends in the sink."""
    pipelines: list[Pipeline] = []
    steps: list[Filter | Project] = []
    start, watermark = plan.schema, None
    for operator in reversed(tuple(plan.walk())):
        match operator:
            case Watermark(_, column):
                watermark = column
            case Filter() | Project():
                steps.append(operator)
            case Aggregate() | Sink():
                made = Pipeline(len(pipelines), start, tuple(steps), operator, watermark)
                pipelines.append(made)
                steps, start, watermark = [], operator.schema, None
            case _:
                start = operator.schema
    return tuple(pipelines)


def flatten(pipeline: Pipeline) -> RowProgram:
    """The row program of a pipeline that ends in an aggregate.

    Projections are substituted, which keeps their laziness: a column that only
    rows behind a filter read is computed only for those. What the types alone prove to
    lose no value is marked so.
    """
    end = pipeline.end
    if not isinstance(end, Aggregate):
        raise IrError("a pipeline that ends in a sink has no row program; use flatten_projection")
    filters, columns = _run_steps(pipeline)
    window = _substitute_window(end.window, columns)
    program = RowProgram(
        pipeline.input,
        filters,
        window,
        _substitute_named(end.keys, columns),
        _substitute_aggregates(end.aggregates, columns),
        end.schema,
        pipeline.watermark,
    ).proven({})
    return replace(program, input=_needed(program))


def flatten_projection(pipeline: Pipeline) -> ProjectionProgram:
    """The projection of a pipeline that ends in a sink, its steps substituted as in `flatten`."""
    if not isinstance(pipeline.end, Sink):
        raise IrError("a pipeline that ends in an aggregate is no projection; use flatten")
    filters, columns = _run_steps(pipeline)
    named = tuple(Named(field.name, columns[field.name]) for field in pipeline.end.schema)
    program = ProjectionProgram(pipeline.input, filters, named, pipeline.end.schema).proven({})
    return replace(program, input=_needed(program))


def narrow_nulls(program: RowProgram, columns: frozenset[str]) -> RowProgram:
    """The same program for input where these columns hold no null.

    `output` stays as it is: variants of one pipeline are interchangeable.
    """
    unknown = columns - set(program.input.names)
    if unknown:
        raise IrError(f"cannot assume {sorted(unknown)} free of nulls: the program reads no such")
    fields = tuple(
        Field(f.name, f.type, f.nullable and f.name not in columns) for f in program.input
    )
    narrowed = _as_columns(fields)
    window = _substitute_window(program.window, narrowed)
    return RowProgram(
        Schema(fields),
        tuple(substitute(part, narrowed) for part in program.filters),
        window,
        _substitute_named(program.keys, narrowed),
        _substitute_aggregates(program.aggregates, narrowed),
        program.output,
        program.watermark,
    )


def _run_steps(pipeline: Pipeline) -> tuple[tuple[Expr, ...], Mapping[str, Expr]]:
    """The filters over input columns, and what each column at the end is made of."""
    columns: Mapping[str, Expr] = _as_columns(pipeline.input)
    filters: list[Expr] = []
    for step in pipeline.steps:
        match step:
            case Filter(_, predicate):
                for part in conjuncts(predicate):
                    filters.extend(_split(prove(substitute(part, columns), {})))
            case Project(_, made):
                columns = {named.name: substitute(named.expr, columns) for named in made}
    return tuple(filters), columns


def _split(part: Expr) -> Iterable[Expr]:
    """The conjuncts that substitution brought to light, unless splitting could hide an error.

    In `a and b` as a value, b is evaluated also where a is null; as two filters it is not.
    """
    return (part,) if part.can_fail else conjuncts(part)


def _as_columns(fields: Iterable[Field]) -> dict[str, Expr]:
    return {field.name: Column(field.name, field.type, field.nullable) for field in fields}


def _substitute_window(window: Window | None, mapping: Mapping[str, Expr]) -> Window | None:
    time = time_of(window)
    if window is None or time is None:
        return window
    return over_time(window, substitute(time, mapping))


def _substitute_named(named: tuple[Named, ...], mapping: Mapping[str, Expr]) -> tuple[Named, ...]:
    return tuple(Named(one.name, substitute(one.expr, mapping)) for one in named)


def _substitute_aggregates(
    aggregates: tuple[NamedAggregate, ...], mapping: Mapping[str, Expr]
) -> tuple[NamedAggregate, ...]:
    def change(argument: Expr) -> Expr:
        return substitute(argument, mapping)

    return tuple(NamedAggregate(one.name, one.call.map_arguments(change)) for one in aggregates)


def _needed(program: RowProgram | ProjectionProgram) -> Schema:
    """The input columns that some expression or the watermark reads, in input order."""
    read = frozenset().union(*(expr.columns() for expr in program.expressions()))
    if isinstance(program, RowProgram) and program.watermark is not None:
        read |= {program.watermark}
    return Schema(tuple(field for field in program.input if field.name in read))
