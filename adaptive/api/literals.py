"""Python values as constants of a query, typed as Spark types them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TypeAlias

import ir

Value: TypeAlias = bool | int | float | str | bytes | date | datetime | Decimal | None

# The type of `None` until something says which one: it never reaches a plan.
UNTYPED = ir.DataType("null")

DAY_US = 86_400_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def literal_of(value: object) -> ir.Literal:
    """The constant for a Python value; a datetime without a zone is UTC."""
    match value:
        case None:
            return ir.Literal(None, UNTYPED)
        case bool():
            return ir.Literal(value, ir.BOOL)
        case int():
            return ir.Literal(value, _integer_type(value))
        case float():
            return ir.Literal(value, ir.FLOAT64)
        case str():
            return ir.Literal(value, ir.STRING)
        case bytes():
            return ir.Literal(value, ir.BINARY)
        case datetime():
            return ir.Literal(microseconds(value), ir.TIMESTAMP)
        case date():
            return ir.Literal(days(value), ir.DATE)
        case Decimal():
            return _decimal(value)
    raise ir.IrTypeError(f"{value!r} is no constant of a query; {_advice(value)}")


def _advice(value: object) -> str:
    if isinstance(value, timedelta):
        return (
            "a timedelta is for windows and watermarks: f.window('t', timedelta(seconds=10)),"
            " or beside + and -: f.col('t') + timedelta(hours=1)"
        )
    if isinstance(value, list | tuple | set):
        return "for one of several values write f.col('x').isin(1, 2)"
    return "constants are None, bool, int, float, str, bytes, date, datetime and Decimal"


def _integer_type(value: int) -> ir.DataType:
    for type_ in (ir.INT32, ir.INT64):
        if type_.low <= value <= type_.high:
            return type_
    raise ir.IrTypeError(f"{value} does not fit 64 bits; write it as Decimal('{value}') or float")


def microseconds(moment: datetime) -> int:
    """A time as microseconds since 1970 in UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def days(day: date) -> int:
    """A date as days since 1970."""
    return (day - _EPOCH.date()).days


def _decimal(value: Decimal) -> ir.Literal:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ir.IrTypeError(f"{value} is no decimal number of a query; write float('{value}')")
    scale = max(0, -exponent)
    unscaled = int("".join(map(str, digits))) * 10 ** max(0, exponent)
    precision = max(len(str(unscaled)), scale)
    type_ = ir.type_named(f"decimal({precision},{scale})")
    return ir.Literal(-unscaled if sign else unscaled, type_)


def literal_as(literal: ir.Literal, type_: ir.DataType, mode: ir.EvalMode) -> ir.Expr:
    """A constant as another type, computed now; one that fails is left to fail with a row."""
    if literal.type == type_:
        return literal
    if literal.value is None:
        return ir.Literal(None, type_)
    return _computed(ir.Cast(literal, type_, mode))


def _computed(cast: ir.Cast) -> ir.Expr:
    try:
        return ir.Literal(ir.evaluate_expr(cast, {}), cast.type)
    except ir.EvaluationError:
        return cast
