"""Aggregates that are not bound to a stream yet."""

from __future__ import annotations

from dataclasses import dataclass, replace

import ir
from adaptive.api.coercion import call, fitting_types, implicit
from adaptive.api.expression import Expression, bound
from adaptive.api.literals import UNTYPED


@dataclass(frozen=True, slots=True, eq=False)
class Aggregation(Expression):
    """An aggregate of the rows of a group; it has a value only inside `agg`."""

    function: str
    argument: Expression | None = None
    mode: ir.EvalMode = ir.EvalMode.ANSI
    condition: Expression | None = None
    parameters: tuple[ir.Scalar, ...] = ()

    def where(self, condition: Expression) -> Aggregation:
        """The same over only the rows of the group for which a condition is true."""
        joined = condition if self.condition is None else self.condition & condition
        return replace(self, condition=joined)

    filter = where

    def bind(self, schema: ir.Schema) -> ir.Expr:
        raise ir.IrError(
            f"{self.function} is an aggregate: use it in .group_by(...).agg({self.function}=...),"
            " and name its result column in later steps"
        )

    def bind_call(self, schema: ir.Schema) -> ir.AggregateCall:
        """The typed aggregate over the rows of a stream."""
        argument = self._over_condition(schema)
        if argument is None:
            return ir.AggregateCall(self.function, None, self.mode, self.parameters)
        [type_] = fitting_types([argument], lambda types: self._call(implicit(argument, types[0])))
        return self._call(implicit(argument, type_))

    def _call(self, argument: ir.Expr) -> ir.AggregateCall:
        return ir.AggregateCall(self.function, argument, self.mode, self.parameters)

    def _over_condition(self, schema: ir.Schema) -> ir.Expr | None:
        """The argument; one that a condition excludes is null, which aggregates skip."""
        argument = None if self.argument is None else self._plain(self.argument, schema)
        if self.condition is None:
            return argument
        counted = ir.Literal(1, ir.INT32) if argument is None else argument
        null = ir.Literal(None, UNTYPED)
        return call("case_when", (self._plain(self.condition, schema), counted, null))

    def _plain(self, expression: Expression, schema: ir.Schema) -> ir.Expr:
        """An expression over rows, which has no aggregate in it."""
        for part in expression.walk():
            if isinstance(part, Aggregation):
                raise ir.IrError(
                    f"{part.function} inside {self.function}: aggregate again with a second"
                    " .group_by(...).agg(...) over the results"
                )
        return bound(expression, schema)
