"""Aggregates that users write as expressions, in the way of Trill."""

from __future__ import annotations

from dataclasses import dataclass

from ir.errors import IrError, IrTypeError
from ir.expr import Column, Expr, Literal, check_columns
from ir.types import Field, Schema

OTHER = "other."  # before the name of a state's column: that of the state merged, or taken out


@dataclass(frozen=True, slots=True)
class UserAggregate:
    """What a group starts with, what a row makes of it, and what comes out.

    `accumulate` has the new value of each column of the state, over the columns of
    the state and the inputs of a row. `merge`, and `inverse` where the aggregate
    has one, are over the columns of two states, the second's with `OTHER` before
    their names. `result` is over one state. A row with a null input is skipped, so
    inputs are never null. It is for the user to see to it that merging the states
    of two sets of rows gives the state of all of them, that merging the initial
    state changes nothing, and that `inverse` undoes `merge`.
    """

    name: str
    inputs: Schema
    state: Schema
    initial: tuple[Literal, ...]
    accumulate: tuple[Expr, ...]
    merge: tuple[Expr, ...]
    result: Expr
    inverse: tuple[Expr, ...] = ()

    def __post_init__(self) -> None:
        if not self.state.fields:
            raise IrError(f"{self.name} has no state; give it a value to start with")
        for field in self.inputs:
            if field.nullable:
                raise IrTypeError(
                    f"{self.name}: rows with a null {field.name!r} are skipped,"
                    " so it is declared as one that is never null"
                )
        self._check("initial", self.initial, Schema(()))
        self._check("accumulate", self.accumulate, Schema((*self.state, *self.inputs)))
        pair = Schema((*self.state, *(_other(field) for field in self.state)))
        self._check("merge", self.merge, pair)
        if self.inverse:
            self._check("inverse", self.inverse, pair)
        check_columns(f"{self.name}: result", self.result, self.state)

    def _check(self, role: str, exprs: tuple[Expr, ...], scope: Schema) -> None:
        """There is an expression for each column of the state, of its type."""
        if len(exprs) != len(self.state):
            raise IrError(
                f"{self.name}: {role} has {len(exprs)} values for a state of {len(self.state)};"
                " give one for each"
            )
        for field, expr in zip(self.state, exprs, strict=True):
            where = f"{self.name}: {role} of {field.name!r}"
            check_columns(where, expr, scope)
            if expr.type != field.type or (expr.nullable and not field.nullable):
                made = Field(field.name, expr.type, expr.nullable)
                raise IrTypeError(f"{where} makes {made}, but the state has {field}; cast it")


def other_column(field: Field) -> Column:
    """A column of the second state in `merge` and `inverse`."""
    made = _other(field)
    return Column(made.name, made.type, made.nullable)


def _other(field: Field) -> Field:
    return Field(OTHER + field.name, field.type, field.nullable)
