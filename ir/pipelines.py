"""Pipelines: the parts of a plan that one kernel runs, and their flattened form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ir.errors import IrError
from ir.expr import Column, Expr, conjuncts, substitute
from ir.operators import (
    Aggregate,
    Filter,
    Named,
    NamedAggregate,
    Project,
    Sink,
    check_columns,
)
from ir.types import Field, Schema
from ir.windows import TumblingWindow


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Steps that a row takes without waiting for other rows, and where it ends.

    `steps` are in the order of the data flow, the first one next to the input.
    """

    index: int
    input: Schema
    steps: tuple[Filter | Project, ...]
    end: Aggregate | Sink


@dataclass(frozen=True, slots=True)
class RowProgram:
    """A pipeline that ends in an aggregate, flattened to expressions over its input.

    `input` holds only the columns that are read. A row passes when each of
    `filters`, evaluated in order, is true; the first that is not ends the row.
    """

    input: Schema
    filters: tuple[Expr, ...]
    window: TumblingWindow | None
    keys: tuple[Named, ...]
    aggregates: tuple[NamedAggregate, ...]
    output: Schema

    def __post_init__(self) -> None:
        for expr in self.expressions():
            check_columns("row program", expr, self.input)

    def expressions(self) -> Iterator[Expr]:
        """Every expression that the program evaluates for a row, in order."""
        yield from self.filters
        if self.window is not None:
            yield self.window.time
        yield from (key.expr for key in self.keys)
        for aggregate in self.aggregates:
            if aggregate.call.argument is not None:
                yield aggregate.call.argument


def cut(plan: Sink) -> tuple[Pipeline, ...]:
    """The pipelines of a plan in the order of the data flow; the last one ends in the sink."""
    pipelines: list[Pipeline] = []
    steps: list[Filter | Project] = []
    start = plan.schema
    for operator in reversed(tuple(plan.walk())):
        match operator:
            case Filter() | Project():
                steps.append(operator)
            case Aggregate() | Sink():
                pipelines.append(Pipeline(len(pipelines), start, tuple(steps), operator))
                steps, start = [], operator.schema
            case _:
                start = operator.schema
    return tuple(pipelines)


def flatten(pipeline: Pipeline) -> RowProgram:
    """The row program of a pipeline that ends in an aggregate.

    Projections are substituted, which keeps their laziness: a column that only
    rows behind a filter read is computed only for those.
    """
    end = pipeline.end
    if not isinstance(end, Aggregate):
        raise IrError("a pipeline that ends in a sink has no row program; run it in the host")
    filters, columns = _run_steps(pipeline)
    window = end.window and end.window.over(substitute(end.window.time, columns))
    program = RowProgram(
        pipeline.input,
        filters,
        window,
        _substitute_keys(end.keys, columns),
        _substitute_aggregates(end.aggregates, columns),
        end.schema,
    )
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
    window = program.window and program.window.over(substitute(program.window.time, narrowed))
    return RowProgram(
        Schema(fields),
        tuple(substitute(part, narrowed) for part in program.filters),
        window,
        _substitute_keys(program.keys, narrowed),
        _substitute_aggregates(program.aggregates, narrowed),
        program.output,
    )


def _run_steps(pipeline: Pipeline) -> tuple[tuple[Expr, ...], Mapping[str, Expr]]:
    """The filters over input columns, and what each column at the end is made of."""
    columns: Mapping[str, Expr] = _as_columns(pipeline.input)
    filters: list[Expr] = []
    for step in pipeline.steps:
        match step:
            case Filter(_, predicate):
                for part in conjuncts(predicate):
                    filters.extend(_split(substitute(part, columns)))
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


def _substitute_keys(keys: tuple[Named, ...], mapping: Mapping[str, Expr]) -> tuple[Named, ...]:
    return tuple(Named(key.name, substitute(key.expr, mapping)) for key in keys)


def _substitute_aggregates(
    aggregates: tuple[NamedAggregate, ...], mapping: Mapping[str, Expr]
) -> tuple[NamedAggregate, ...]:
    return tuple(
        NamedAggregate(
            made.name,
            made.call.over(made.call.argument and substitute(made.call.argument, mapping)),
        )
        for made in aggregates
    )


def _needed(program: RowProgram) -> Schema:
    """The input columns that some expression reads, in input order."""
    read = frozenset().union(*(expr.columns() for expr in program.expressions()))
    return Schema(tuple(field for field in program.input if field.name in read))
