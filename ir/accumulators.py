"""The meaning of the aggregate functions: what they make of a group's values, in order."""

from __future__ import annotations

from typing import Protocol

from ir.aggregates import AggregateCall
from ir.arithmetic import compare, fits, wrap
from ir.errors import EvaluationError
from ir.expr import Scalar
from ir.functions import EvalMode
from ir.text_form import aggregate_text
from ir.types import INT64


class Accumulator(Protocol):
    """The running aggregate of one group; `add` is never given a null."""

    def add(self, value: Scalar) -> None: ...

    def result(self) -> Scalar: ...


class Count:
    """The number of values."""

    def __init__(self, call: AggregateCall) -> None:
        self.count = 0

    def add(self, value: Scalar) -> None:
        self.count += 1

    def result(self) -> Scalar:
        return self.count


class IntegerSum:
    """A sum in int64 that fails, wraps or becomes null as soon as it overflows."""

    def __init__(self, call: AggregateCall) -> None:
        self.call = call
        self.total = 0
        self.is_null = True
        self.lost = False

    def add(self, value: Scalar) -> None:
        assert isinstance(value, int)
        self.is_null = False
        self.total += value
        if not fits(self.total, INT64):
            self._overflow()

    def result(self) -> Scalar:
        return None if self.is_null or self.lost else self.total

    def _overflow(self) -> None:
        match self.call.mode:
            case EvalMode.ANSI:
                raise EvaluationError("ARITHMETIC_OVERFLOW", aggregate_text(self.call))
            case EvalMode.LEGACY:
                self.total = wrap(self.total, INT64)
            case EvalMode.TRY:
                self.lost = True  # for good: later values do not bring the sum back


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


class Extreme:
    """The first value that no other one precedes (min) or follows (max)."""

    def __init__(self, call: AggregateCall) -> None:
        self.sign = 1 if call.function == "max" else -1
        self.best: Scalar = None

    def add(self, value: Scalar) -> None:
        if self.best is None or self.sign * compare(value, self.best) > 0:
            self.best = value

    def result(self) -> Scalar:
        return self.best


def accumulator(call: AggregateCall) -> Accumulator:
    """A new accumulator for one group."""
    match call.function:
        case "count":
            return Count(call)
        case "sum":
            return IntegerSum(call) if call.type is INT64 else FloatSum(call)
        case "avg":
            return Average(call)
        case "min" | "max":
            return Extreme(call)
    raise TypeError(f"{call.function} has no meaning yet; add it to ir.accumulators")
