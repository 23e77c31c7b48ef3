"""The partial aggregates of a fragment, and the ways in which Spark merges them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adaptive.spark.catalyst import JavaObject
from ir import AggregateCall, Expr, Named, NamedAggregate


@dataclass(frozen=True, slots=True)
class SameFunction:
    """The partials of one column are merged by the function itself: sum of sums, min of mins.

    Spark's own expression is kept, because it carries the evaluation mode that
    was fixed when the user's query was analyzed.
    """

    column: str
    function: JavaObject


@dataclass(frozen=True, slots=True)
class MergeSql:
    """The partials are merged by an expression over their columns."""

    text: str


@dataclass(frozen=True, slots=True)
class OverValues:
    """The function itself goes over the values of the group, each of which has come once.

    `arguments` are the columns in place of its own; None leaves an argument as it is.
    """

    function: JavaObject
    arguments: tuple[str | None, ...]
    is_distinct: bool = False


@dataclass(frozen=True, slots=True)
class FromBuffer:
    """The function's own last step, over what its buffer would hold: SQL for each part of it."""

    function: JavaObject
    buffer: tuple[str, ...]


Merge = SameFunction | MergeSql | OverValues | FromBuffer


class Partials:
    """The partial aggregates of a fragment; equal ones are computed once.

    Where there are `values`, groups are cut further by them: each value comes once for a group.
    """

    def __init__(self) -> None:
        self._names: dict[AggregateCall, str] = {}
        self._values: dict[Expr, str] = {}

    def __contains__(self, call: object) -> bool:
        return call in self._names

    def column(self, call: AggregateCall) -> str:
        """The name of the column that holds this partial aggregate."""
        return self._names.setdefault(call, f"a{len(self._names)}")

    def carry(self, values: Sequence[Expr]) -> tuple[str, ...] | None:
        """The names of the columns that hold these values; None if there are others already."""
        if self._values and set(self._values) != set(values):
            return None
        return tuple(self._values.setdefault(v, f"v{len(self._values)}") for v in values)

    @property
    def named(self) -> tuple[NamedAggregate, ...]:
        """The partial aggregates in the order of their columns."""
        return tuple(NamedAggregate(name, call) for call, name in self._names.items())

    @property
    def values(self) -> tuple[Named, ...]:
        """The values that are carried along, as more keys."""
        return tuple(Named(name, expr) for expr, name in self._values.items())
