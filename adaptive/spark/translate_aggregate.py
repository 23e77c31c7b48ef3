"""Aggregate functions as partial aggregates and the merge that Spark does over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, children, class_name, option, sql_text
from adaptive.spark.translate_expr import ExprTranslator, eval_mode, replacement
from ir import AggregateCall, Call, Cast, DecimalType, EvalMode, Expr, Literal, NamedAggregate
from ir.types import MAX_PRECISION


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


Merge = SameFunction | MergeSql


class Partials:
    """The partial aggregates of a fragment; equal ones are computed once."""

    def __init__(self) -> None:
        self._names: dict[AggregateCall, str] = {}

    def __contains__(self, call: object) -> bool:
        return call in self._names

    def column(self, call: AggregateCall) -> str:
        """The name of the column that holds this partial aggregate."""
        return self._names.setdefault(call, f"a{len(self._names)}")

    @property
    def named(self) -> tuple[NamedAggregate, ...]:
        """The partial aggregates in the order of their columns."""
        return tuple(NamedAggregate(name, call) for call, name in self._names.items())


class AggregateTranslator:
    """Decomposes the aggregate functions of one query."""

    def __init__(self, expressions: ExprTranslator, partials: Partials) -> None:
        self._expressions = expressions
        self._partials = partials

    def translate(self, node: JavaObject) -> Merge:
        """How Spark merges this AggregateExpression; its partials are added on the way."""
        if node.isDistinct():
            raise StaysInSpark(f"`{sql_text(node)}`: DISTINCT needs all values in one place")
        function = node.aggregateFunction()
        while class_name(function) not in FUNCTIONS:
            instead = replacement(function)
            if instead is None:
                known = ", ".join(sorted(name.lower() for name in FUNCTIONS))
                raise StaysInSpark(
                    f"`{sql_text(node)}`: {class_name(function)} has no native form;"
                    f" native aggregates are {known}"
                )
            function = instead
        return FUNCTIONS[class_name(function)](self, function, option(node.filter()))

    def sum(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """Integers are added exactly and floats to rounding."""
        mode = eval_mode(function.evalContext())
        if mode is EvalMode.TRY:
            raise StaysInSpark(
                f"`{sql_text(function)}`: a partial that overflows would have to be told from"
                " one that is null; use sum"
            )
        argument = self._argument(function, condition)
        call = AggregateCall("sum", argument, mode)
        if isinstance(argument.type, DecimalType):
            return self._decimal_sum(function, call)
        return SameFunction(self._partials.column(call), function)

    def _decimal_sum(self, function: JavaObject, call: AggregateCall) -> Merge:
        """Partials have ten digits more than values, and the sum of partials gets no others."""
        argument = call.argument
        assert argument is not None
        assert isinstance(argument.type, DecimalType)
        if call.mode is EvalMode.LEGACY and argument.type.precision > MAX_PRECISION - 10:
            raise StaysInSpark(
                f"`{sql_text(function)}`: a partial that overflows would have to be told from"
                " one that is null; use ANSI mode, or cast to a decimal of 28 digits or fewer"
            )
        return MergeSql(f"cast(sum({self._partials.column(call)}) as {call.type})")

    def extreme(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """The least of the least, the greatest of the greatest."""
        argument = self._argument(function, condition)
        call = AggregateCall(class_name(function).lower(), argument)
        return SameFunction(self._partials.column(call), function)

    def count(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """Counts are added up; no rows at all count as 0."""
        column = self._partials.column(AggregateCall("count", self._counted(function, condition)))
        return MergeSql(f"coalesce(sum({column}), 0L)")

    def average(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """The sum in double and the count, as Spark accumulates; no values give null."""
        argument = self._argument(function, condition)
        if not argument.type.is_numeric:
            raise StaysInSpark(f"`{sql_text(function)}`: avg of {argument.type} has no native form")
        if argument.type.is_decimal:
            raise StaysInSpark(
                f"`{sql_text(function)}`: Spark may compute the average of a decimal in double;"
                " write sum(x) / count(x)"
            )
        as_float = argument if argument.type is ir.FLOAT64 else Cast(argument, ir.FLOAT64)
        total = self._partials.column(AggregateCall("sum", as_float))
        count = self._partials.column(AggregateCall("count", argument))
        return MergeSql(f"try_divide(sum({total}), sum({count}))")

    def _argument(self, function: JavaObject, condition: JavaObject | None) -> Expr:
        """The argument; one that a FILTER clause excludes is null, which aggregates skip."""
        argument = self._expressions.translate(children(function)[0])
        if condition is None:
            return argument
        null = Literal(None, argument.type)
        return Call("case_when", (self._expressions.translate(condition), argument, null))

    def _counted(self, function: JavaObject, condition: JavaObject | None) -> Expr | None:
        if len(children(function)) != 1:
            raise StaysInSpark(f"`{sql_text(function)}`: count one column at a time")
        argument = self._argument(function, condition)
        return argument if argument.nullable or argument.can_fail else None


FUNCTIONS: dict[str, Callable[[AggregateTranslator, JavaObject, JavaObject | None], Merge]] = {
    "Sum": AggregateTranslator.sum,
    "Count": AggregateTranslator.count,
    "Min": AggregateTranslator.extreme,
    "Max": AggregateTranslator.extreme,
    "Average": AggregateTranslator.average,
}
