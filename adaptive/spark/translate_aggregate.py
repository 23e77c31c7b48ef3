"""Aggregate functions as partial aggregates and the merge that Spark does over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import SparkSession

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, children, class_name, option, sql_text
from adaptive.spark.merges import FromBuffer, Merge, MergeSql, OverValues, Partials, SameFunction
from adaptive.spark.translate_expr import ExprTranslator, eval_mode, replacement
from adaptive.spark.translate_moments import moments_buffer
from ir import AggregateCall, Call, Cast, DecimalType, EvalMode, Expr, Literal
from ir.types import MAX_PRECISION

# Up to so many digits, Spark's optimizer averages decimals as doubles.
AVERAGED_AS_DOUBLE = 11
MOMENTS = frozenset(
    {"StddevPop", "StddevSamp", "VariancePop", "VarianceSamp"}
    | {"CovPopulation", "CovSample", "Corr"}
)
ADVICE: dict[str, str] = {
    "CollectList": "it keeps every row, so there is nothing to aggregate beforehand",
    "CollectSet": "the order of its values is that of their arrival",
    "ListAgg": "it keeps every row, so there is nothing to aggregate beforehand",
    "First": "which row is the first is known only where all rows meet; use min",
    "Last": "which row is the last is known only where all rows meet; use max",
    "MaxBy": "of rows that are equally great Spark takes any; use max(struct(...))",
    "MinBy": "of rows that are equally small Spark takes any; use min(struct(...))",
    "Mode": "of values that are equally frequent Spark takes any",
    "ApproximatePercentile": "its sketch depends on the order of rows; use percentile",
    "PercentileDisc": "Spark's function takes no frequencies; use percentile_cont",
    "HistogramNumeric": "its bins depend on the order of rows",
    "Skewness": "third moments have no exact merge; leave it to Spark in a query of its own",
    "Kurtosis": "fourth moments have no exact merge; leave it to Spark in a query of its own",
}


class AggregateTranslator:
    """Decomposes the aggregate functions of one query; `keys` are the columns of its keys."""

    def __init__(
        self,
        expressions: ExprTranslator,
        partials: Partials,
        keys: Mapping[Expr, str],
        is_streaming: bool,
    ) -> None:
        self._expressions = expressions
        self._keys = keys
        self.partials = partials
        self.is_streaming = is_streaming

    def translate(self, node: JavaObject) -> Merge:
        """How Spark merges this AggregateExpression; its partials are added on the way."""
        function = self._known(node)
        condition = option(node.filter())
        if node.isDistinct():
            return self._distinct(function, condition)
        return FUNCTIONS[class_name(function)](self, function, condition)

    def _known(self, node: JavaObject) -> JavaObject:
        """The function, or what Spark runs in its place."""
        function = node.aggregateFunction()
        while class_name(function) not in FUNCTIONS:
            instead = replacement(function)
            if instead is None:
                kind = class_name(function)
                known = ", ".join(sorted(name.lower() for name in FUNCTIONS))
                advice = ADVICE.get(kind, f"native aggregates are {known}")
                raise StaysInSpark(f"`{sql_text(node)}`: {kind} has no native form; {advice}")
            function = instead
        return function

    def _distinct(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """Each value comes once from a task, and Spark counts or adds up those that differ."""
        if self.is_streaming:
            raise StaysInSpark(
                f"`{sql_text(function)}`: Spark has no DISTINCT in streams;"
                " use approx_count_distinct"
            )
        if class_name(function) not in {"Count", "Sum", "Average", *MOMENTS}:
            raise StaysInSpark(
                f"`{sql_text(function)}`: DISTINCT has a native form in count, sum, avg, variance"
                " and stddev"
            )
        return OverValues(function, self._carried(function, condition), is_distinct=True)

    def _carried(
        self, function: JavaObject, condition: JavaObject | None, count: int | None = None
    ) -> tuple[str, ...]:
        """The columns with the values of the first arguments of a function."""
        columns = self.partials.carry(self.arguments(function, condition, count))
        if columns is None:
            raise StaysInSpark(
                f"`{sql_text(function)}`: all values of two different expressions would have to be"
                " kept; compute one of them in a query of its own"
            )
        return columns

    def sum(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """Integers are added exactly and floats to rounding."""
        mode = eval_mode(function.evalContext())
        argument = self.argument(function, condition)
        if isinstance(argument.type, DecimalType):
            return self._decimal_sum(function, AggregateCall("sum", argument, mode))
        if mode is EvalMode.TRY and argument.type.is_integer:
            # In digits to spare, so that what does not fit is told from what is null.
            wide = AggregateCall("sum", Cast(argument, ir.decimal(19, 0)))
            return MergeSql(f"try_cast(sum({self.partials.column(wide)}) as bigint)")
        return SameFunction(self.partials.column(AggregateCall("sum", argument, mode)), function)

    def _decimal_sum(self, function: JavaObject, call: AggregateCall) -> Merge:
        """Partials have ten digits more than values, and the sum of partials gets no others."""
        _require_room(function, call)
        column = self.partials.column(call)
        if call.mode is EvalMode.TRY:
            return MergeSql(f"try_cast(try_sum({column}) as {call.type})")
        return MergeSql(f"cast(sum({column}) as {call.type})")

    def same(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """The least of the least, the bits of bits, the product of products."""
        call = AggregateCall(SAME[class_name(function)], self.argument(function, condition))
        return SameFunction(self.partials.column(call), function)

    def count(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """Counts are added up; no rows at all count as 0."""
        counted = AggregateCall("count", self._counted(function, condition))
        return MergeSql(f"coalesce(sum({self.partials.column(counted)}), 0L)")

    def average(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """The sum in double and the count, as Spark accumulates; no values give null."""
        argument = self.argument(function, condition)
        if not argument.type.is_numeric:
            raise StaysInSpark(f"`{sql_text(function)}`: avg of {argument.type} has no native form")
        if isinstance(argument.type, DecimalType):
            return self._decimal_average(function, argument, argument.type)
        as_float = argument if argument.type is ir.FLOAT64 else Cast(argument, ir.FLOAT64)
        total = self.partials.column(AggregateCall("sum", as_float))
        count = self.partials.column(AggregateCall("count", argument))
        return MergeSql(f"try_divide(sum({total}), sum({count}))")

    def _decimal_average(self, function: JavaObject, argument: Expr, type_: DecimalType) -> Merge:
        """Few digits are averaged as doubles of unscaled numbers, more by Spark's own division."""
        mode = EvalMode(str(function.evalMode().toString()).lower())
        call = AggregateCall("sum", argument, mode)
        _require_room(function, call)
        total = self.partials.column(call)
        count = self.partials.column(AggregateCall("count", argument))
        if type_.precision > AVERAGED_AS_DOUBLE or not _averages_as_double():
            whole = f"coalesce(cast(sum({total}) as {call.type}), cast(0 as {call.type}))"
            return FromBuffer(function, (whole, f"coalesce(sum({count}), 0L)"))
        unscaled = f"cast({total} * cast(1{'0' * type_.scale} as decimal(12,0)) as double)"
        mean = f"try_divide(sum({unscaled}), sum({count})) / {10.0**type_.scale!r}D"
        result = ir.decimal(type_.precision + 4, type_.scale + 4)
        return MergeSql(f"cast({mean} as {result})")

    def percentile(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """Each value comes once from a task, with the number of its rows."""
        *_, frequency = children(function)
        if class_name(frequency) != "Literal" or int(frequency.value()) != 1:
            raise StaysInSpark(
                f"`{sql_text(function)}`: frequencies have no native form; leave them out"
            )
        (value,) = self._carried(function, condition, 1)
        rows = self.partials.column(AggregateCall("count"))
        return OverValues(function, (value, None, rows))

    def approximate_distinct(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """How often a value comes makes no difference to the sketch."""
        return OverValues(function, self._carried(function, condition))

    def moments(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """Variances and covariances, from exact sums or by Spark's own way of merging."""
        arguments = self.arguments(function, condition)
        return FromBuffer(function, moments_buffer(self, function, arguments))

    def of_key(self, function: JavaObject, condition: JavaObject | None) -> Merge:
        """The first or last of values that are all the same."""
        column = self._keys.get(self.argument(function, None)) if condition is None else None
        if column is None:
            kind = class_name(function)
            raise StaysInSpark(f"`{sql_text(function)}`: {kind} has no native form; {ADVICE[kind]}")
        return SameFunction(column, function)

    def argument(self, function: JavaObject, condition: JavaObject | None) -> Expr:
        """The first argument."""
        return self.arguments(function, condition, 1)[0]

    def arguments(
        self, function: JavaObject, condition: JavaObject | None, count: int | None = None
    ) -> list[Expr]:
        """The first ones; those that a FILTER clause excludes are null, which aggregates skip."""
        made = [self._expressions.translate(child) for child in children(function)[:count]]
        if condition is None:
            return made
        holds = self._expressions.translate(condition)
        return [Call("case_when", (holds, a, Literal(None, a.type))) for a in made]

    def _counted(self, function: JavaObject, condition: JavaObject | None) -> Expr | None:
        """What is null where a row does not count; None if every row does."""
        arguments = self.arguments(function, condition)
        asked = [a for a in arguments if a.nullable or a.can_fail]
        if len(asked) <= 1:
            return asked[0] if asked else None
        present = Call("is_not_null", (asked[0],))
        for argument in asked[1:]:
            present = Call("and", (present, Call("is_not_null", (argument,))))
        return Call("case_when", (present, Literal(1, ir.INT32), Literal(None, ir.INT32)))


def _require_room(function: JavaObject, call: AggregateCall) -> None:
    """A partial that may overflow must fail then: null is for groups without values."""
    assert call.argument is not None
    assert isinstance(call.argument.type, DecimalType)
    if call.mode is not EvalMode.ANSI and call.argument.type.precision > MAX_PRECISION - 10:
        raise StaysInSpark(
            f"`{sql_text(function)}`: a partial that overflows would have to be told from"
            " one that is null; use ANSI mode, or cast to a decimal of 28 digits or fewer"
        )


def _averages_as_double() -> bool:
    """Whether Spark's optimizer has the rule for it, which users can leave out."""
    excluded = SparkSession.active().conf.get("spark.sql.optimizer.excludedRules", "") or ""
    return "DecimalAggregates" not in excluded


# Functions whose partials are merged by themselves, by the name of the native one.
SAME: dict[str, str] = {
    "Min": "min",
    "Max": "max",
    "BitAndAgg": "bit_and",
    "BitOrAgg": "bit_or",
    "BitXorAgg": "bit_xor",
    "Product": "product",
}
FUNCTIONS: dict[str, Callable[[AggregateTranslator, JavaObject, JavaObject | None], Merge]] = {
    "Sum": AggregateTranslator.sum,
    "Count": AggregateTranslator.count,
    "Average": AggregateTranslator.average,
    "Percentile": AggregateTranslator.percentile,
    "HyperLogLogPlusPlus": AggregateTranslator.approximate_distinct,
    "First": AggregateTranslator.of_key,
    "Last": AggregateTranslator.of_key,
    **dict.fromkeys(SAME, AggregateTranslator.same),
    **dict.fromkeys(MOMENTS, AggregateTranslator.moments),
}
