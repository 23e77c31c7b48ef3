"""The table of aggregate functions and the call of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ir.errors import IrTypeError
from ir.expr import Expr
from ir.functions import EvalMode
from ir.types import FLOAT64, INT64, DataType


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """What is known about an aggregate without running it."""

    name: str
    result: Callable[[str, DataType | None], DataType]
    empty_is_null: bool  # the result of a group without any non-null argument
    can_overflow: bool = False


def _count(name: str, argument: DataType | None) -> DataType:
    return INT64


def _sum(name: str, argument: DataType | None) -> DataType:
    """Integers add up in int64 and floats in float64, as in Spark."""
    if argument is None or not argument.is_numeric:
        raise IrTypeError(f"{name} needs a number, got {argument}; cast it first")
    return INT64 if argument.is_integer else FLOAT64


def _average(name: str, argument: DataType | None) -> DataType:
    _sum(name, argument)
    return FLOAT64


def _extreme(name: str, argument: DataType | None) -> DataType:
    if argument is None:
        raise IrTypeError(f"{name} needs an argument")
    return argument


_ROWS = (
    AggregateFunction("count", _count, empty_is_null=False),
    AggregateFunction("sum", _sum, empty_is_null=True, can_overflow=True),
    AggregateFunction("min", _extreme, empty_is_null=True),
    AggregateFunction("max", _extreme, empty_is_null=True),
    AggregateFunction("avg", _average, empty_is_null=True),
)
AGGREGATES: dict[str, AggregateFunction] = {row.name: row for row in _ROWS}


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """An aggregate of one argument over the rows of a group; `count` may have none.

    Nulls in the argument are skipped. `mode` says what an overflowing integer
    sum does: raise (ANSI), wrap (LEGACY) or give null (TRY).
    """

    function: str
    argument: Expr | None = None
    mode: EvalMode = EvalMode.ANSI
    type: DataType = field(init=False, repr=False, compare=False)
    nullable: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        row = AGGREGATES.get(self.function)
        if row is None:
            known = ", ".join(AGGREGATES)
            raise IrTypeError(f"unknown aggregate {self.function!r}; known: {known}")
        argument = self.argument
        object.__setattr__(self, "type", row.result(self.function, _type_of(argument)))
        loses = row.can_overflow and self.type is INT64 and self.mode is EvalMode.TRY
        empty = row.empty_is_null and argument is not None and argument.nullable
        object.__setattr__(self, "nullable", empty or loses)

    def over(self, argument: Expr | None) -> AggregateCall:
        """The same aggregate of another argument."""
        return AggregateCall(self.function, argument, self.mode)


def _type_of(argument: Expr | None) -> DataType | None:
    return None if argument is None else argument.type
