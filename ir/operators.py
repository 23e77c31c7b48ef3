"""Operators: the immutable nodes of a stream query, each with its output schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ir.aggregates import AGGREGATES, AggregateCall
from ir.errors import IrError, IrTypeError
from ir.expr import Expr, check_columns
from ir.types import BOOL, INT64, TIMESTAMP, Field, Schema
from ir.windows import CountWindow, Window, time_of

WINDOW_START = "window_start"
WINDOW_END = "window_end"
# The time at which a row came: a column that whoever runs the query adds to each batch.
ARRIVAL = "arrival_time"


@dataclass(frozen=True, slots=True)
class Named:
    """An expression and the name of the column that it makes."""

    name: str
    expr: Expr

    @property
    def field(self) -> Field:
        """The column that it makes."""
        return Field(self.name, self.expr.type, self.expr.nullable)


@dataclass(frozen=True, slots=True)
class NamedAggregate:
    """An aggregate and the name of the column that it makes."""

    name: str
    call: AggregateCall

    @property
    def field(self) -> Field:
        """The column that it makes."""
        return Field(self.name, self.call.type, self.call.nullable)


class Operator:
    """A node of a plan; `source` is what it reads from."""

    __slots__ = ()

    schema: Schema

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The operators that this one reads from."""
        return ()

    def walk(self) -> Iterator[Operator]:
        """This operator and all below it, the sink first."""
        yield self
        for source in self.inputs:
            yield from source.walk()


@dataclass(frozen=True, slots=True)
class Source(Operator):
    """Where rows come from; the columns are as the source declares them."""

    name: str
    schema: Schema


@dataclass(frozen=True, slots=True)
class Watermark(Operator):
    """How far out of order the rows of a source may come, by the time in `column`.

    Behind each row, the watermark is the greatest time so far less `delay_us`. A
    window is closed for good, and its result made, as soon as the watermark is
    `lateness_us` past its end; a row that comes for closed windows only is late.
    """

    source: Operator
    column: str
    delay_us: int
    lateness_us: int = 0
    schema: Schema = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.source, Source):
            raise IrError("a watermark is declared right after the source, before other steps")
        if self.source.schema[self.column].type is not TIMESTAMP:
            there = self.source.schema[self.column].type
            raise IrTypeError(f"a watermark needs a timestamp, {self.column!r} is {there}")
        for name in ("delay_us", "lateness_us"):
            if getattr(self, name) < 0:
                raise IrError(f"a watermark's {name} must not be negative: {getattr(self, name)}")
        object.__setattr__(self, "schema", self.source.schema)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The source whose time is watched."""
        return (self.source,)


@dataclass(frozen=True, slots=True)
class LookUp(Operator):
    """Give each row the columns of a small table's rows that have its keys.

    A row comes once for each partner in the table, or once with nulls if it has none; `found`
    tells which. With `once`, partners only count as found. Keys are equal as in Spark's
    joins: null equals nothing, NaN equals NaN, -0.0 is 0.0. The table is no part of the plan:
    whoever runs the plan has it, under this name.
    """

    source: Operator
    table: str
    keys: tuple[Expr, ...]
    columns: Schema
    found: str
    once: bool = False
    schema: Schema = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.source, Source | LookUp):
            raise IrError("a look-up comes right after the source, before other steps")
        if not self.keys:
            raise IrError(f"a look-up in {self.table!r} needs a key")
        for key in self.keys:
            check_columns(f"look-up in {self.table!r}", key, self.source.schema)
            if key.can_fail:
                raise IrError(f"a key of the look-up in {self.table!r} can fail; cast it with try")
        if self.once and len(self.columns):
            raise IrError("a look-up that only tells what was found has no columns")
        added = tuple(Field(column.name, column.type) for column in self.columns)
        found = Field(self.found, BOOL, nullable=False)
        schema = Schema((*self.source.schema, *added, found))
        object.__setattr__(self, "schema", schema)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The operator whose rows are looked up."""
        return (self.source,)

    @property
    def table_schema(self) -> Schema:
        """What the table has: its keys, named by position, and the columns that rows get."""
        keys = (Field(key_name(place), key.type) for place, key in enumerate(self.keys))
        return Schema((*keys, *self.columns))


def key_name(position: int) -> str:
    """The name of a key in the table of a look-up."""
    return f"key{position}"


@dataclass(frozen=True, slots=True)
class Filter(Operator):
    """Keep rows whose predicate is true; a null predicate drops the row.

    The parts of a conjunction are tested in order and the first that is not
    true ends the row, so a later part that would fail is not reached.
    """

    source: Operator
    predicate: Expr
    schema: Schema = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.predicate.type is not BOOL:
            raise IrTypeError(f"filter needs a bool predicate, got {self.predicate.type}")
        check_columns("filter", self.predicate, self.source.schema)
        object.__setattr__(self, "schema", self.source.schema)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The operator whose rows are filtered."""
        return (self.source,)


@dataclass(frozen=True, slots=True)
class Project(Operator):
    """Compute columns from each row; a column that nobody reads is never computed."""

    source: Operator
    columns: tuple[Named, ...]
    schema: Schema = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for column in self.columns:
            check_columns(f"project {column.name!r}", column.expr, self.source.schema)
        object.__setattr__(self, "schema", Schema(tuple(c.field for c in self.columns)))

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The operator whose rows are projected."""
        return (self.source,)


@dataclass(frozen=True, slots=True)
class Aggregate(Operator):
    """Group rows by window and keys and aggregate each group.

    The output is `window_start` and `window_end` (where there is a window), the
    keys, the aggregates. Keys group as in Spark: null equals null, NaN equals
    NaN, -0.0 is 0.0. Without window and keys there is one group, even of no rows.
    """

    source: Operator
    window: Window | None
    keys: tuple[Named, ...]
    aggregates: tuple[NamedAggregate, ...]
    schema: Schema = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.aggregates and not self.keys and self.window is None:
            raise IrError("an aggregate needs a window, a key or an aggregate function")
        for role, expr in self.expressions():
            check_columns(role, expr, self.source.schema)
        object.__setattr__(self, "schema", Schema(tuple(self._fields())))

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The operator whose rows are grouped."""
        return (self.source,)

    def expressions(self) -> Iterator[tuple[str, Expr]]:
        """Every expression over an input row, with its role for messages."""
        time = time_of(self.window)
        if time is not None:
            yield "window", time
        for key in self.keys:
            yield f"key {key.name!r}", key.expr
        for aggregate in self.aggregates:
            for argument in aggregate.call.arguments:
                yield f"aggregate {aggregate.name!r}", argument

    def _fields(self) -> Iterable[Field]:
        if self.window is not None:
            bound = INT64 if isinstance(self.window, CountWindow) else TIMESTAMP
            yield Field(WINDOW_START, bound, nullable=False)
            yield Field(WINDOW_END, bound, nullable=False)
        for key in self.keys:
            yield key.field
        is_global = self.window is None and not self.keys
        for aggregate in self.aggregates:
            made = aggregate.field
            # A global group may be empty, and then its sum is null whatever the column says.
            yield Field(
                made.name, made.type, made.nullable or (is_global and empty_null(aggregate))
            )


def empty_null(aggregate: NamedAggregate) -> bool:
    """Whether the aggregate of no rows is null, although its type may not say so."""
    row = AGGREGATES.get(aggregate.call.function)
    return row is not None and row.empty_is_null


@dataclass(frozen=True, slots=True)
class Sink(Operator):
    """Where the rows go; the root of every plan."""

    source: Operator
    name: str
    schema: Schema = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", self.source.schema)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The operator whose rows are delivered."""
        return (self.source,)
