"""The meaning of the aggregate functions: what they make of a group's values, in order."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import ClassVar, Protocol

from ir import decimals
from ir.aggregates import AggregateCall, sum_type
from ir.arithmetic import compare, fits, square_root, wrap
from ir.decimals import Scaled
from ir.errors import EvaluationError
from ir.evaluate import evaluate_expr
from ir.expr import Scalar
from ir.holistic import CountDistinct, Mode, Percentile
from ir.signatures import EvalMode
from ir.text_form import aggregate_text
from ir.types import INT64, DecimalType
from ir.user_aggregates import UserAggregate


class Accumulator(Protocol):
    """The running aggregate of one group."""

    @property
    def add(self) -> Callable[..., None]:
        """Takes the arguments' values in a row; none is null unless the call takes nulls."""

    def result(self) -> Scalar: ...


class Count:
    """The number of values."""

    def __init__(self, call: AggregateCall) -> None:
        self.count = 0

    def add(self, *values: Scalar) -> None:
        self.count += 1

    def result(self) -> Scalar:
        return self.count


class IntegerSum:
    """The exact sum; one that does not fit int64 fails, wraps or becomes null at the end.

    So it does not depend on the order of the rows. Spark's does: there, a sum
    fails also where only a part of it does not fit.
    """

    def __init__(self, call: AggregateCall) -> None:
        self.call = call
        self.total = 0
        self.is_null = True

    def add(self, value: Scalar) -> None:
        assert isinstance(value, int)
        self.is_null = False
        self.total += value

    def result(self) -> Scalar:
        if self.is_null:
            return None
        if fits(self.total, INT64):
            return self.total
        match self.call.mode:
            case EvalMode.ANSI:
                raise EvaluationError("ARITHMETIC_OVERFLOW", aggregate_text(self.call))
            case EvalMode.LEGACY:
                return wrap(self.total, INT64)
        return None


class FloatSum:
    """A sum in float64 from 0.0, so that a sum of negative zeros is 0.0 as in Spark."""

    def __init__(self, call: AggregateCall) -> None:
        self.total = 0.0
        self.count = 0

    def add(self, value: Scalar) -> None:
        assert isinstance(value, int | float)
        self.total += float(value)
        self.count += 1

    def result(self) -> Scalar:
        return self.total if self.count else None


class Average(FloatSum):
    """The float64 sum of the values as float64, divided by their number."""

    def result(self) -> Scalar:
        return self.total / self.count if self.count else None


class Product(FloatSum):
    """The product in float64."""

    def __init__(self, call: AggregateCall) -> None:
        super().__init__(call)
        self.total = 1.0

    def add(self, value: Scalar) -> None:
        assert isinstance(value, int | float)
        self.total *= float(value)
        self.count += 1


class DecimalSum:
    """The exact sum; one with more digits than its type fails or becomes null at the end."""

    def __init__(self, call: AggregateCall) -> None:
        self.call = call
        self.total = 0
        self.count = 0

    def add(self, value: Scalar) -> None:
        assert isinstance(value, int)
        self.total += value
        self.count += 1

    def result(self) -> Scalar:
        if not self.count:
            return None
        if not decimals.fits(self.total, sum_type(self.argument)):
            return self._lost("ARITHMETIC_OVERFLOW")
        return self._result()

    @property
    def argument(self) -> DecimalType:
        """The type of the values."""
        assert self.call.argument is not None
        assert isinstance(self.call.argument.type, DecimalType)
        return self.call.argument.type

    def _result(self) -> Scalar:
        return self.total

    def _lost(self, condition: str) -> Scalar:
        if self.call.mode is EvalMode.ANSI:
            raise EvaluationError(condition, aggregate_text(self.call))
        return None


class DecimalAverage(DecimalSum):
    """The exact sum, divided as decimals are: to 39 digits, and then to those of the result."""

    def _result(self) -> Scalar:
        parts = (Scaled(self.total, self.argument.scale), Scaled(self.count, 0))
        made = decimals.computed("divide", parts, self.call.type)
        return self._lost("NUMERIC_VALUE_OUT_OF_RANGE") if made is None else made


class Extreme:
    """The first value that no other one precedes (min, bool_and) or follows (max, bool_or)."""

    def __init__(self, call: AggregateCall) -> None:
        self.sign = 1 if call.function in ("max", "bool_or") else -1
        self.best: Scalar = None

    def add(self, value: Scalar) -> None:
        if self.best is None or self.sign * compare(value, self.best) > 0:
            self.best = value

    def result(self) -> Scalar:
        return self.best


class Variance:
    """Number, mean and sum of squared differences from it, updated as Spark does."""

    def __init__(self, call: AggregateCall) -> None:
        self.call = call
        self.count = 0.0
        self.mean = 0.0
        self.m2 = 0.0

    def add(self, value: Scalar) -> None:
        assert isinstance(value, float)
        self.count += 1.0
        delta = value - self.mean
        step = delta / self.count
        self.mean += step
        self.m2 += delta * (delta - step)

    def result(self) -> Scalar:
        """A sample of one value has no variance."""
        divisor = self.count - (1.0 if self.call.function.endswith("_samp") else 0.0)
        if divisor <= 0.0:
            return None
        variance = self.m2 / divisor
        return square_root(variance) if self.call.function.startswith("stddev") else variance


class Kept:
    """The first or the last value in the order of arrival."""

    def __init__(self, call: AggregateCall) -> None:
        self.keeps_first = call.function == "first"
        self.values: list[Scalar] = []

    def add(self, value: Scalar) -> None:
        if not (self.keeps_first and self.values):
            self.values = [value]

    def result(self) -> Scalar:
        return self.values[0] if self.values else None


class Bits:
    """All values joined bit by bit."""

    _OPERATIONS: ClassVar[dict[str, Callable[[int, int], int]]] = {
        "bit_and": operator.and_,
        "bit_or": operator.or_,
        "bit_xor": operator.xor,
    }

    def __init__(self, call: AggregateCall) -> None:
        self.join = self._OPERATIONS[call.function]
        self.bits: int | None = None

    def add(self, value: Scalar) -> None:
        assert isinstance(value, int)
        self.bits = value if self.bits is None else self.join(self.bits, value)

    def result(self) -> Scalar:
        return self.bits


class UserDefined:
    """The state of an aggregate that a user has defined."""

    def __init__(self, definition: UserAggregate) -> None:
        self.definition = definition
        self.state = self._named(evaluate_expr(value, {}) for value in definition.initial)

    def add(self, *values: Scalar) -> None:
        row = {**self.state, **dict(zip(self.definition.inputs.names, values, strict=True))}
        self.state = self._named(evaluate_expr(e, row) for e in self.definition.accumulate)

    def result(self) -> Scalar:
        return evaluate_expr(self.definition.result, self.state)

    def _named(self, values: Iterable[Scalar]) -> dict[str, Scalar]:
        return dict(zip(self.definition.state.names, values, strict=True))


def accumulator(call: AggregateCall) -> Accumulator:
    """A new accumulator for one group."""
    if call.definition is not None:
        return UserDefined(call.definition)
    match call.function:
        case "count":
            return Count(call)
        case "sum":
            if call.type.is_decimal:
                return DecimalSum(call)
            return IntegerSum(call) if call.type is INT64 else FloatSum(call)
        case "avg":
            return DecimalAverage(call) if call.type.is_decimal else Average(call)
        case "min" | "max" | "bool_and" | "bool_or":
            return Extreme(call)
        case "var_pop" | "var_samp" | "stddev_pop" | "stddev_samp":
            return Variance(call)
        case "first" | "last":
            return Kept(call)
        case "bit_and" | "bit_or" | "bit_xor":
            return Bits(call)
        case "product":
            return Product(call)
        case "median" | "percentile":
            return Percentile(call)
        case "mode":
            return Mode(call)
        case "count_distinct":
            return CountDistinct(call)
    raise TypeError(f"{call.function} has no meaning yet; add it to ir.accumulators")
