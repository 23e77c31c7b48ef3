"""Users' aggregates that are not bound to a stream yet: functions over expressions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import ir
from adaptive.api.aggregation import Aggregation
from adaptive.api.coercion import call, common_type, implicit
from adaptive.api.expression import ColumnName, Expression, bound, value_of
from adaptive.api.literals import UNTYPED, literal_as

# The state of an aggregate that is a single value.
_SINGLE = "state"
# How often types of a state may widen: a sum of decimals would do so for ever.
_MOST_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Parts:
    """What a user writes: values to start with, and functions from expressions to expressions."""

    initial: object
    accumulate: Callable[..., Any]
    merge: Callable[..., Any]
    result: Callable[..., Any] | None
    inverse: Callable[..., Any] | None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the state."""
        return tuple(self.initial) if isinstance(self.initial, Mapping) else (_SINGLE,)

    def state(self, before: str = "") -> Any:
        """A state as functions get it: an expression, or an object with one for each name."""
        if not isinstance(self.initial, Mapping):
            return ColumnName(before + _SINGLE)
        return SimpleNamespace(**{name: ColumnName(before + name) for name in self.names})

    def columns(self, role: str, made: object) -> list[Expression]:
        """What a function returned, by column of the state."""
        if not isinstance(self.initial, Mapping):
            return [value_of(made)]
        if not isinstance(made, Mapping) or set(made) != set(self.names):
            listed = ", ".join(map(repr, self.names))
            raise ir.IrError(f"{role} must return a dict with exactly the keys {listed}")
        return [value_of(made[name]) for name in self.names]

    def literals(self) -> list[ir.Literal]:
        """The initial state; a whole number counts in 64 bits."""
        values = self.initial.values() if isinstance(self.initial, Mapping) else [self.initial]
        return [_constant(value) for value in values]

    def inputs(self, given: int) -> list[str]:
        """Names for the inputs of a row: as `accumulate` calls them, if it does."""
        parameters = list(inspect.signature(self.accumulate).parameters.values())
        if any(one.kind is one.VAR_POSITIONAL for one in parameters):
            return [f"input{number}" for number in range(given)]
        names = [one.name for one in parameters[1:]]
        return [f"{name}_" if name in self.names else name for name in names]


@dataclass(frozen=True, slots=True, eq=False)
class UserAggregation(Aggregation):
    """An aggregate that a user has written."""

    inputs: tuple[Expression, ...] = ()
    parts: Parts | None = None

    def bind_call(self, schema: ir.Schema) -> ir.AggregateCall:
        """The typed aggregate over the rows of a stream."""
        assert self.parts is not None
        arguments = [self._plain(expression, schema) for expression in self.inputs]
        names = self.parts.inputs(len(arguments))
        if len(names) != len(arguments):
            raise ir.IrError(
                f"{self.function}: accumulate takes {len(names)} inputs behind the state, but"
                f" {len(arguments)} are given"
            )
        fields = (ir.Field(n, a.type, False) for n, a in zip(names, arguments, strict=True))
        definition = _definition(self.function, self.parts, ir.Schema(tuple(fields)))
        given = self._where(arguments, schema)
        return ir.AggregateCall(
            self.function, given[0] if given else None, more=tuple(given[1:]), definition=definition
        )

    def _where(self, arguments: list[ir.Expr], schema: ir.Schema) -> list[ir.Expr]:
        """The arguments; the first is null where a condition excludes the row."""
        if self.condition is None:
            return arguments
        if not arguments:
            raise ir.IrError(f"{self.function} has no input that a condition could exclude")
        null = ir.Literal(None, UNTYPED)
        condition = self._plain(self.condition, schema)
        return [call("case_when", (condition, arguments[0], null)), *arguments[1:]]


def _definition(name: str, parts: Parts, inputs: ir.Schema) -> ir.UserAggregate:
    """The typed definition."""
    literals = parts.literals()
    state = _state(name, parts, literals, inputs)
    steps = _steps(parts, state, inputs)
    fitted = {role: _fitted(exprs, state) for role, exprs in steps.items()}
    return ir.UserAggregate(
        name,
        inputs,
        state,
        tuple(_as(value, field.type) for value, field in zip(literals, state, strict=True)),
        fitted["accumulate"],
        fitted["merge"],
        _result(name, parts, state),
        fitted.get("inverse", ()),
    )


def _state(name: str, parts: Parts, literals: Sequence[ir.Literal], inputs: ir.Schema) -> ir.Schema:
    """The columns of the state, as wide as what is stored in them."""
    named = zip(parts.names, literals, strict=True)
    fields = [ir.Field(column, value.type, value.value is None) for column, value in named]
    for _ in range(_MOST_ROUNDS):
        steps = _steps(parts, ir.Schema(tuple(fields)), inputs).values()
        widened = [_widened(name, f, [step[i] for step in steps]) for i, f in enumerate(fields)]
        if widened == fields:
            break
        fields = widened
    return ir.Schema(tuple(fields))


def _steps(parts: Parts, state: ir.Schema, inputs: ir.Schema) -> dict[str, list[ir.Expr]]:
    """The expressions that make a new state, over a state of these types."""
    here, there = parts.state(), parts.state(ir.OTHER)
    row = [ColumnName(name) for name in inputs.names]
    both = ir.Schema((*state, *(ir.Field(ir.OTHER + f.name, f.type, f.nullable) for f in state)))
    made = {"accumulate": (parts.accumulate(here, *row), ir.Schema((*state, *inputs)))}
    made["merge"] = (parts.merge(here, there), both)
    if parts.inverse is not None:
        made["inverse"] = (parts.inverse(here, there), both)
    return {
        role: [bound(column, scope) for column in parts.columns(role, value)]
        for role, (value, scope) in made.items()
    }


def _widened(name: str, field: ir.Field, stored: Sequence[ir.Expr]) -> ir.Field:
    """The field with room for everything that is stored in it."""
    there = ir.Column(field.name, field.type, field.nullable)
    type_ = common_type([there, *stored])
    if type_ is None:
        listed = ", ".join(str(expr.type) for expr in stored)
        raise ir.IrTypeError(
            f"{name}: the state {field.name!r} starts as {field.type} and becomes {listed}; cast"
        )
    return ir.Field(field.name, type_, field.nullable or any(e.nullable for e in stored))


def _fitted(exprs: Sequence[ir.Expr], state: ir.Schema) -> tuple[ir.Expr, ...]:
    return tuple(implicit(expr, field.type) for expr, field in zip(exprs, state, strict=True))


def _result(name: str, parts: Parts, state: ir.Schema) -> ir.Expr:
    if parts.result is None and len(parts.names) > 1:
        raise ir.IrError(f"{name}: a state of several values needs a result")
    here = parts.state() if len(parts.names) > 1 or parts.result else ColumnName(parts.names[0])
    return bound(value_of(here if parts.result is None else parts.result(here)), state)


def _constant(value: object) -> ir.Literal:
    made = bound(value_of(value), ir.Schema(()))
    if not isinstance(made, ir.Literal):
        raise ir.IrError(f"the initial state {ir.expr_text(made)} is no constant; compute it first")
    if isinstance(value, int) and made.type.is_integer:
        return _as(made, ir.INT64)
    return made


def _as(literal: ir.Literal, type_: ir.DataType) -> ir.Literal:
    made = literal if literal.type == type_ else literal_as(literal, type_, ir.EvalMode.ANSI)
    if not isinstance(made, ir.Literal):
        raise ir.IrTypeError(f"the initial state is {literal.type}; write it as a {type_}")
    return made
