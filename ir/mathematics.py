"""Functions of float64 that the C library computes, with Spark's results outside their domain."""

from __future__ import annotations

import math
from collections.abc import Callable

from ir.arithmetic import natural_logarithm

# Spark has null at and below this value, where Java has minus infinity and NaN.
ASYMPTOTES: dict[str, float] = {"ln": 0.0, "log2": 0.0, "log10": 0.0, "log1p": -1.0}


def _total(function: Callable[[float], float]) -> Callable[[float], float]:
    """C's function where Python raises: NaN outside the domain, infinite where it is too large."""

    def meaning(value: float) -> float:
        try:
            return function(value)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.copysign(math.inf, function(math.copysign(1.0, value)))

    return meaning


def _logarithm(
    function: Callable[[float], float], asymptote: float
) -> Callable[[float], float | None]:
    return lambda value: None if value <= asymptote else function(value)


def binary_logarithm(value: float) -> float | None:
    """A quotient of natural logarithms, as in Spark: of 2^29 it is not quite 29."""
    natural = natural_logarithm(value)
    return None if natural is None else natural / math.log(2.0)


MATH_MEANINGS: dict[str, Callable[[float], float | None]] = {
    "log2": binary_logarithm,
    "log10": _logarithm(math.log10, ASYMPTOTES["log10"]),
    "log1p": _logarithm(math.log1p, ASYMPTOTES["log1p"]),
    **{
        name: _total(getattr(math, name))
        for name in (
            *("expm1", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan"),
            *("sinh", "cosh", "tanh", "degrees", "radians"),
        )
    },
}
