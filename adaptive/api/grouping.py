"""Aggregates of a query as IR: plain ones directly, larger expressions over hidden ones."""

from __future__ import annotations

from collections.abc import Sequence

import ir
from adaptive.api.aggregation import Aggregation
from adaptive.api.expression import Alias, ColumnName, Expression, named, rewrite
from ir.text_form import aggregate_text


def aggregated(
    source: ir.Operator,
    window: ir.Window | None,
    keys: tuple[ir.Named, ...],
    written: Sequence[Expression],
) -> ir.Operator:
    """The aggregate, and a projection above it where results are computed from several."""
    calls = _Calls(source.schema)
    results = [calls.result(expression) for expression in written]
    made = ir.Aggregate(source, window, keys, calls.named)
    bounds = made.schema.names[: len(made.schema) - len(calls.named)]
    columns = [named(ColumnName(name), made.schema) for name in bounds]
    columns += [named(result, made.schema) for result in results]
    if [column.name for column in columns] == [*made.schema.names] and _are_columns(columns):
        return made
    return ir.Project(made, tuple(columns))


def _are_columns(columns: Sequence[ir.Named]) -> bool:
    return all(isinstance(c.expr, ir.Column) and c.expr.name == c.name for c in columns)


class _Calls:
    """The aggregates that a query needs, each computed once."""

    def __init__(self, schema: ir.Schema) -> None:
        self._schema = schema
        self._names: dict[ir.AggregateCall, str] = {}

    @property
    def named(self) -> tuple[ir.NamedAggregate, ...]:
        """The aggregates in the order of their first use."""
        return tuple(ir.NamedAggregate(name, call) for call, name in self._names.items())

    def result(self, expression: Expression) -> Expression:
        """A result over the columns that the aggregates make."""
        match expression:
            case Aggregation():
                return self._column(expression)
            case Alias(Aggregation() as plain, name):
                return Alias(self._column(plain, name), name)
        if expression.label is None:
            raise ir.IrError("an expression over aggregates needs a name: agg(name=...)")
        return rewrite(expression, self._replaced)

    def _replaced(self, part: Expression) -> Expression | None:
        return self._column(part) if isinstance(part, Aggregation) else None

    def _column(self, aggregation: Aggregation, name: str | None = None) -> Expression:
        """The column of an aggregate, which is named by its text unless the user names it."""
        call = aggregation.bind_call(self._schema)
        return ColumnName(self._names.setdefault(call, name or aggregate_text(call)))
