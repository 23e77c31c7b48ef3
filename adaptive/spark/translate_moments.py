"""Variances and covariances of partials, in the form of the buffers that Spark's functions have.

The textbook formula, the mean of squares less the square of the mean, loses all digits where
the mean is large. Sums of integers and of short decimals are exact here, and a whole number
near the mean is taken out of them before anything is rounded: of what remains, at most half
cancels. Other numbers have no exact sums. In a table, number, mean and squared differences of
each partial are collected and joined as Spark joins them; in the state of a stream such a list
would grow with every micro-batch, so streams of them stay in Spark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, class_name, sql_text
from adaptive.spark.merges import Partials
from ir import AggregateCall, Call, Cast, DecimalType, Expr, Literal

if TYPE_CHECKING:
    from adaptive.spark.translate_aggregate import AggregateTranslator

# The sum of products of such numbers has at most 37 digits.
MOST_DIGITS = 13
_INTEGER_DIGITS: dict[ir.DataType, int] = {ir.INT8: 3, ir.INT16: 5, ir.INT32: 10}
# Buffers of Spark's classes: number, mean and squared differences of one argument; or number,
# means and products of differences of two, and for Corr also the squared differences of each.
_WITH_SQUARES = "Corr"


@dataclass(frozen=True, slots=True)
class Whole:
    """An argument as an integer: `digits` long, and `scale` digits of it behind the point."""

    expr: Expr
    digits: int
    scale: int


def moments_buffer(
    translator: AggregateTranslator, function: JavaObject, arguments: list[Expr]
) -> tuple[str, ...]:
    """SQL for the parts of the function's buffer; means are not needed for results."""
    wholes = [_whole(argument) for argument in arguments]
    if len(arguments) == 1:
        if wholes[0] is not None:
            return _one_exact(translator.partials, wholes[0])
        _require_table(translator, function)
        return _one_joined(translator.partials, arguments[0])
    if wholes[0] is None or wholes[1] is None:
        raise StaysInSpark(
            f"`{sql_text(function)}` of {arguments[0].type} has no exact merge; cast the arguments"
            f" to int, or to decimals of {MOST_DIGITS} digits or fewer"
        )
    with_squares = class_name(function) == _WITH_SQUARES
    return _two_exact(translator.partials, wholes[0], wholes[1], with_squares)


def _require_table(translator: AggregateTranslator, function: JavaObject) -> None:
    if translator.is_streaming:
        raise StaysInSpark(
            f"`{sql_text(function)}`: in a stream, only integers up to int and decimals of"
            f" {MOST_DIGITS} digits or fewer can be merged exactly, because the state of Spark's"
            " function takes rows and no partial moments; cast the argument"
        )


def _whole(argument: Expr) -> Whole | None:
    """The argument of a cast to double, if it is an integer but for its scale."""
    match argument:
        case Call("case_when", (condition, value, Literal(value=None))):  # a FILTER clause
            found = _whole(value)
            return None if found is None else _where(found, condition)
    inner = argument.child if isinstance(argument, Cast) else argument
    if inner.type in _INTEGER_DIGITS:
        return Whole(Cast(inner, ir.INT64), _INTEGER_DIGITS[inner.type], 0)
    if isinstance(inner.type, DecimalType) and inner.type.precision <= MOST_DIGITS:
        digits, scale = inner.type.precision, inner.type.scale
        power = Literal(10**scale, ir.decimal(scale + 1, 0))
        unscaled = Call("multiply", (inner, power))
        return Whole(Cast(unscaled, ir.INT64), digits, scale)
    return None


def _one_exact(partials: Partials, x: Whole) -> tuple[str, ...]:
    count = _count(partials, x.expr)
    return (f"cast({count} as double)", "0D", _difference(partials, count, x, x))


def _two_exact(partials: Partials, x: Whole, y: Whole, with_squares: bool) -> tuple[str, ...]:
    """Rows count where both are there."""
    x, y = _where_present(x, y.expr), _where_present(y, x.expr)
    count = _count(partials, x.expr)
    buffer = (f"cast({count} as double)", "0D", "0D", _difference(partials, count, x, y))
    if not with_squares:
        return buffer
    return (*buffer, _difference(partials, count, x, x), _difference(partials, count, y, y))


def _where_present(value: Whole, other: Expr) -> Whole:
    """The value where the other one is not null either."""
    return _where(value, Call("is_not_null", (other,))) if other.nullable else value


def _where(value: Whole, condition: Expr) -> Whole:
    null = Literal(None, value.expr.type)
    return Whole(Call("case_when", (condition, value.expr, null)), value.digits, value.scale)


def _count(partials: Partials, value: Expr) -> str:
    return f"coalesce(sum({partials.column(AggregateCall('count', value))}), 0L)"


def _difference(partials: Partials, count: str, x: Whole, y: Whole) -> str:
    """The sum of the products of what x and y differ from their means by."""
    sum_x, sum_y = _sum(partials, x), _sum(partials, y)
    products = f"sum({partials.column(AggregateCall('sum', _product(x, y)))})"
    near_x, near_y = (
        f"cast(round(try_divide(cast({total} as double), {count})) as decimal(19,0))"
        for total in (sum_x, sum_y)
    )
    rows = f"cast({count} as decimal(19,0))"
    shifted = (
        f"({products} - {near_x} * {sum_y} - {near_y} * {sum_x} + {rows} * {near_x} * {near_y})"
    )
    rest_x, rest_y = f"({sum_x} - {rows} * {near_x})", f"({sum_y} - {rows} * {near_y})"
    rest = f"try_divide(cast({rest_x} as double) * cast({rest_y} as double), {count})"
    return f"(cast({shifted} as double) - {rest}) / {10.0 ** (x.scale + y.scale)!r}D"


def _sum(partials: Partials, value: Whole) -> str:
    wide = Cast(value.expr, ir.decimal(19, 0))
    return f"sum({partials.column(AggregateCall('sum', wide))})"


def _product(x: Whole, y: Whole) -> Expr:
    """In 64 bits where that will do: a product of decimals takes several times as long."""
    if x.digits + y.digits <= 20 and x.scale == y.scale == 0:
        return Cast(Call("multiply", (x.expr, y.expr)), ir.decimal(19, 0))
    left, right = (Cast(value.expr, ir.decimal(value.digits, 0)) for value in (x, y))
    return Call("multiply", (left, right))


def _one_joined(partials: Partials, argument: Expr) -> tuple[str, ...]:
    count, mean, variance = (
        partials.column(AggregateCall(name, argument)) for name in ("count", "avg", "var_pop")
    )
    part = f"named_struct('n', cast({count} as double), 'mean', {mean}, 'm2', {variance} * {count})"
    parts = f"collect_list({part}) filter (where {count} > 0)"
    none = "named_struct('n', 0D, 'mean', 0D, 'm2', 0D)"
    joined = (
        "(a, b) -> named_struct('n', a.n + b.n,"
        " 'mean', a.mean + (b.mean - a.mean) / (a.n + b.n) * b.n,"
        " 'm2', a.m2 + b.m2 + (b.mean - a.mean) * ((b.mean - a.mean) / (a.n + b.n)) * a.n * b.n)"
    )
    whole = f"coalesce(sum({count}), 0L)"
    squares = f"aggregate({parts}, {none}, {joined}, a -> a.m2)"
    return (f"cast({whole} as double)", "0D", squares)
