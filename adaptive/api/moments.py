"""Correlation, covariance, skewness and kurtosis, written as users' aggregates are.

Values are added and groups merged as Spark does it, so that rounding is nearly
Spark's; rows with a null input are skipped.
"""

from __future__ import annotations

from typing import Any

from adaptive.api.aggregation import Aggregation
from adaptive.api.expression import Apply, Constant, Convert, Expression, When, column_of
from adaptive.api.user_aggregation import Parts, UserAggregation
from ir import FLOAT64, EvalMode

State = dict[str, Expression]


def covar_pop(x: object, y: object) -> Aggregation:
    """The covariance of two numbers of each row."""
    return _pair("covar_pop", x, y, lambda s: _unless(s.n == 0, s.co / s.n))


def covar_samp(x: object, y: object) -> Aggregation:
    """The covariance of a sample; one row has none."""
    return _pair("covar_samp", x, y, lambda s: _unless(s.n <= 1, s.co / (s.n - 1)))


def corr(x: object, y: object) -> Aggregation:
    """Pearson's correlation of two numbers of each row; null where one is always the same."""
    return _pair("corr", x, y, _correlation)


def skewness(value: object) -> Aggregation:
    """How far values lean to one side of their mean; null where all are the same."""
    return _single(
        "skewness",
        value,
        lambda s: _unless(
            s.m2 == 0, Apply("sqrt", (s.n,)) * s.m3 / Apply("sqrt", (s.m2 * s.m2 * s.m2,))
        ),
    )


def kurtosis(value: object) -> Aggregation:
    """How much weight values have far from their mean, less that of a normal distribution."""
    return _single("kurtosis", value, lambda s: _unless(s.m2 == 0, s.n * s.m4 / (s.m2 * s.m2) - 3))


def _correlation(s: Any) -> Expression:
    root = Apply("sqrt", (s.xx * s.yy,))
    return _unless((s.xx == 0) | (s.yy == 0), Apply("divide", (s.co, root), EvalMode.TRY))


def _pair(name: str, x: object, y: object, result: Any) -> Aggregation:
    initial = dict.fromkeys(("n", "x", "y", "co", "xx", "yy"), 0.0)
    parts = Parts(initial, _add_pair, _merge_pairs, result, None)
    return UserAggregation(name, inputs=(_float(x), _float(y)), parts=parts)


def _single(name: str, value: object, result: Any) -> Aggregation:
    initial = dict.fromkeys(("n", "mean", "m2", "m3", "m4"), 0.0)
    parts = Parts(initial, _add_single, _merge_singles, result, None)
    return UserAggregation(name, inputs=(_float(value),), parts=parts)


def _add_pair(s: Any, first: Expression, second: Expression) -> State:
    n = s.n + 1
    from_x, from_y = first - s.x, second - s.y
    x, y = s.x + from_x / n, s.y + from_y / n
    return {
        "n": n,
        "x": x,
        "y": y,
        "co": s.co + from_x * (second - y),
        "xx": s.xx + from_x * (first - x),
        "yy": s.yy + from_y * (second - y),
    }


def _merge_pairs(s: Any, o: Any) -> State:
    n, both = s.n + o.n, s.n * o.n
    from_x, from_y = o.x - s.x, o.y - s.y
    step_x, step_y = _share(from_x, n), _share(from_y, n)
    return {
        "n": n,
        "x": s.x + step_x * o.n,
        "y": s.y + step_y * o.n,
        "co": s.co + o.co + from_x * step_y * both,
        "xx": s.xx + o.xx + from_x * step_x * both,
        "yy": s.yy + o.yy + from_y * step_y * both,
    }


def _add_single(s: Any, value: Expression) -> State:
    n = s.n + 1
    away = value - s.mean
    step = away / n
    m2 = s.m2 + away * (away - step)
    m3 = s.m3 - 3 * step * m2 + away * (away * away - step * step)
    m4 = s.m4 - 4 * step * m3 - 6 * step * step * m2
    return {
        "n": n,
        "mean": s.mean + step,
        "m2": m2,
        "m3": m3,
        "m4": m4 + away * (away * away * away - step * step * step),
    }


def _merge_singles(s: Any, o: Any) -> State:
    n, both = s.n + o.n, s.n * o.n
    away = o.mean - s.mean
    step = _share(away, n)
    squares = s.n * s.n - both + o.n * o.n
    m3 = s.m3 + o.m3 + step * step * away * both * (s.n - o.n)
    m4 = s.m4 + o.m4 + step * step * step * away * both * squares
    return {
        "n": n,
        "mean": s.mean + step * o.n,
        "m2": s.m2 + o.m2 + away * step * both,
        "m3": m3 + 3 * step * (s.n * o.m2 - o.n * s.m2),
        "m4": m4
        + 6 * step * step * (s.n * s.n * o.m2 + o.n * o.n * s.m2)
        + 4 * step * (s.n * o.m3 - o.n * s.m3),
    }


def _share(difference: Expression, n: Expression) -> Expression:
    """A difference divided by the number of values, of which there may be none."""
    return When((n == 0, Constant(0.0))).otherwise(difference / n)


def _unless(none: Expression, value: Expression) -> Expression:
    return When((none, Constant(None))).otherwise(value)


def _float(value: object) -> Expression:
    return Convert(column_of(value), FLOAT64)
