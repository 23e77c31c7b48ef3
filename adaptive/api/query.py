"""Streams as immutable queries: each step gives another stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import pyarrow as pa

import ir
from adaptive.api.aggregation import Aggregation
from adaptive.api.arrival import with_arrival
from adaptive.api.column_types import TypeLike, schema_of
from adaptive.api.durations import Duration, duration_us
from adaptive.api.expression import (
    Alias,
    ColumnName,
    Expression,
    bound,
    column_of,
    named,
    unknown_column,
    value_of,
)
from adaptive.api.grouping import aggregated
from adaptive.api.windows import WindowOver
from adaptive.runtime.binding import arrow_schema


def stream(schema: Mapping[str, TypeLike] | pa.Schema | ir.Schema, name: str = "events") -> Stream:
    """The rows of a source, as a query that has no step yet.

    Columns are nullable unless their type says otherwise, as in `"int64 not null"`.
    """
    return Stream(ir.Source(name, schema_of(schema)))


@dataclass(frozen=True, slots=True)
class Stream:
    """A query over a stream; `plan` is what an engine runs."""

    node: ir.Operator
    sink: str = "results"

    @property
    def plan(self) -> ir.Sink:
        """The query as IR, as it is written: engines optimise it."""
        return ir.Sink(self.node, self.sink)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the results."""
        return arrow_schema(self.node.schema)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the results."""
        return self.node.schema.names

    def watermark(self, column: str, delay: Duration, lateness: Duration = "0 seconds") -> Stream:
        """Say how late rows may come by the time in a column, right after the source.

        Windows end when the greatest time less `delay` has passed their end by
        `lateness`; rows that come later than that are dropped and counted.
        """
        if column not in self.node.schema:
            raise ir.IrSchemaError(unknown_column(column, self.columns))
        return self._then(
            ir.Watermark(self.node, column, duration_us(delay), duration_us(lateness))
        )

    def filter(self, condition: Expression) -> Stream:
        """Keep the rows for which a condition is true; behind `agg`, the results."""
        if not isinstance(condition, Expression):
            raise ir.IrTypeError(
                f"filter takes a condition such as f.col('value') > 0, got {condition!r}"
            )
        return self._then(ir.Filter(self.node, bound(condition, self.node.schema)))

    where = filter

    def having(self, condition: Expression) -> Stream:
        """Keep the results of `agg` for which a condition is true."""
        if not any(isinstance(node, ir.Aggregate) for node in self.node.walk()):
            raise ir.IrError("having filters the results of .agg(...); before it use .filter")
        return self.filter(condition)

    def select(self, *columns: str | Expression, **named_columns: object) -> Stream:
        """Make these columns of each row: names, expressions, or name=expression."""
        made = [named(column_of(column), self.node.schema) for column in columns]
        for name, value in named_columns.items():
            made.append(named(Alias(value_of(value), name), self.node.schema))
        if not made:
            raise ir.IrError("select needs at least one column")
        return self._then(ir.Project(self.node, tuple(made)))

    def with_column(self, name: str, value: object) -> Stream:
        """Add a column, or replace the one of that name."""
        made = named(Alias(value_of(value), name), self.node.schema)
        columns = [made if one.name == name else one for one in self._kept()]
        if name not in self.node.schema:
            columns.append(made)
        return self._then(ir.Project(self.node, tuple(columns)))

    def drop(self, *names: str) -> Stream:
        """Leave columns out."""
        self._check_names(names)
        kept = tuple(one for one in self._kept() if one.name not in names)
        return self._then(ir.Project(self.node, kept))

    def rename(self, names: Mapping[str, str]) -> Stream:
        """Give columns other names: {"old": "new"}."""
        self._check_names(tuple(names))
        renamed = (ir.Named(names.get(one.name, one.name), one.expr) for one in self._kept())
        return self._then(ir.Project(self.node, tuple(renamed)))

    def group_by(self, *groups: str | Expression | WindowOver, **keys: object) -> GroupedStream:
        """Group rows by a window, if one is given, and by keys; `agg` follows."""
        windows = [group for group in groups if isinstance(group, WindowOver)]
        if len(windows) > 1:
            raise ir.IrError(
                "group_by takes one window; for windows over windows, group the results of"
                " .agg(...) again by f.window('window_end', ...)"
            )
        written = [column_of(group) for group in groups if not isinstance(group, WindowOver)]
        written += [Alias(value_of(value), name) for name, value in keys.items()]
        return GroupedStream(self, windows[0] if windows else None, tuple(written))

    def agg(self, *aggregates: Expression, **named_aggregates: Expression) -> Stream:
        """Aggregate all rows into one result, which comes at the end of the stream."""
        return self.group_by().agg(*aggregates, **named_aggregates)

    def __str__(self) -> str:
        return ir.plan_text(self.plan).rstrip()

    __repr__ = __str__

    def __getattr__(self, name: str) -> NoReturn:
        advice = _ELSEWHERE.get(name)
        raise AttributeError(
            f"a stream has no {name!r}" + (f": {advice}" if advice else ""), name=name, obj=self
        )

    def _then(self, node: ir.Operator) -> Stream:
        return Stream(node, self.sink)

    def _kept(self) -> list[ir.Named]:
        return [named(ColumnName(name), self.node.schema) for name in self.columns]

    def _check_names(self, names: tuple[str, ...]) -> None:
        for name in names:
            if name not in self.node.schema:
                raise ir.IrSchemaError(unknown_column(name, self.columns))


# What users of Spark look for.
_ELSEWHERE = {
    "withColumn": "write with_column",
    "withColumnRenamed": "write rename({'old': 'new'})",
    "groupBy": "write group_by",
    "withWatermark": "write watermark, right after the source",
    "join": "joins are not supported; run this part in Spark",
    "union": "unions are not supported; push both streams into one engine",
    "distinct": "group by the columns: .group_by('a', 'b').agg()",
    "limit": "take the rows that you need from the results",
    "orderBy": "a stream has no end to sort; sort the results",
    "writeStream": "pass the stream to Engine and push batches",
}


@dataclass(frozen=True, slots=True)
class GroupedStream:
    """A stream that is grouped and waits for its aggregates."""

    stream: Stream
    window: WindowOver | None
    keys: tuple[Expression, ...]

    def agg(self, *aggregates: Expression, **named_aggregates: Expression) -> Stream:
        """One result row for each group: its window's bounds, its keys, its aggregates.

        An aggregate may be part of a larger expression: `f.sum("a") / f.count()`.
        """
        node = self.stream.node
        if self.window is not None and self.window.by_arrival:
            node = with_arrival(node)
        written = (
            *map(self._checked, aggregates),
            *(Alias(self._checked(value), name) for name, value in named_aggregates.items()),
        )
        window = None if self.window is None else self.window.bind(node.schema)
        keys = tuple(named(key, node.schema) for key in self.keys)
        return Stream(aggregated(node, window, keys, written), self.stream.sink)

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"a grouped stream has no {name!r}: first aggregate it,"
            " .group_by(...).agg(total=f.sum('value'))",
            name=name,
            obj=self,
        )

    def _checked(self, value: Any) -> Expression:
        if not isinstance(value, Expression):
            raise ir.IrTypeError(f"agg takes aggregates such as f.sum('value'), got {value!r}")
        if not any(isinstance(part, Aggregation) for part in value.walk()):
            raise ir.IrError(
                "agg takes aggregates such as f.sum('value'); group by a plain column, or take"
                " f.min or f.max of it"
            )
        return value
