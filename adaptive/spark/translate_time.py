"""Catalyst's functions of dates and timestamps, and of rounding, as IR expressions.

Parts of a timestamp are those of the session's time zone. The IR knows UTC only, so they
are taken where the zone is UTC, or where it does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, children, class_name, sql_text
from ir import Call, Cast, EvalMode, Expr, Literal
from ir.calendar import DAY_US
from ir.time_units import UNIT_US, step_unit, truncation_unit

if TYPE_CHECKING:
    from adaptive.spark.translate_expr import ExprTranslator

# The same in every zone: dates have none, and these numbers count from 1970 in UTC.
WITHOUT_ZONE: dict[str, str] = {
    "Year": "year",
    "Quarter": "quarter",
    "Month": "month",
    "DayOfMonth": "day",
    "DayOfYear": "dayofyear",
    "DayOfWeek": "dayofweek",
    "WeekDay": "weekday",
    "WeekOfYear": "weekofyear",
    "YearOfWeek": "yearofweek",
    "LastDay": "last_day",
    "NextDay": "next_day",
    "DateDiff": "datediff",
    "AddMonths": "add_months",
    "TruncDate": "trunc",
    "UnixDate": "unix_date",
    "DateFromUnixDate": "date_from_unix_date",
    "UnixSeconds": "unix_seconds",
    "UnixMillis": "unix_millis",
    "UnixMicros": "unix_micros",
}
IN_ZONE: dict[str, str] = {
    "Hour": "hour",
    "Minute": "minute",
    "Second": "second",
    "SecondWithFraction": "second_with_fraction",
}
# The types of arguments that Catalyst leaves narrower.
WIDENED: dict[str, tuple[str, tuple[ir.DataType | None, ...]]] = {
    "DateAdd": ("date_add", (None, ir.INT32)),
    "DateSub": ("date_sub", (None, ir.INT32)),
    "MillisToTimestamp": ("timestamp_millis", (ir.INT64,)),
    "MicrosToTimestamp": ("timestamp_micros", (ir.INT64,)),
}
# Units below a day have the same length in every zone.
_ZONE_FREE_TRUNCATIONS = ("microsecond", "millisecond", "second", None)


def require_utc(node: JavaObject) -> None:
    """Leave to Spark what depends on a time zone other than UTC."""
    zone = node.zoneId()
    if str(zone.normalized().toString()) != "Z":
        raise StaysInSpark(
            f"`{sql_text(node)}` depends on the session's time zone {zone.getId()};"
            " set spark.sql.session.timeZone to UTC"
        )


def in_zone(translator: ExprTranslator, node: JavaObject) -> Expr:
    """A part of a timestamp."""
    require_utc(node)
    return Call(IN_ZONE[class_name(node)], _operands(translator, node))


def widened(translator: ExprTranslator, node: JavaObject) -> Expr:
    """A function whose integers may be of any width."""
    function, types = WIDENED[class_name(node)]
    args = zip(_operands(translator, node), types, strict=True)
    return Call(function, tuple(_widened(arg, type_) for arg, type_ in args))


def timestamp_seconds(translator: ExprTranslator, node: JavaObject) -> Expr:
    """Of integers or doubles; a float would be multiplied as a float."""
    (arg,) = _operands(translator, node)
    return Call("timestamp_seconds", (_widened(arg, ir.INT64) if arg.type.is_integer else arg,))


def make_date(translator: ExprTranslator, node: JavaObject) -> Expr:
    """Without ANSI, a wrong day is null in Spark, but a year of too many digits still fails."""
    if not node.failOnError():
        raise StaysInSpark(
            f"`{sql_text(node)}`: make_date has a native form only in ANSI mode;"
            " set spark.sql.ansi.enabled to true"
        )
    return Call("make_date", _operands(translator, node))


def date_trunc(translator: ExprTranslator, node: JavaObject) -> Expr:
    """The unit comes first, and must be a constant."""
    unit, time = _operands(translator, node)
    is_free = isinstance(unit, Literal) and truncation_unit(unit.value) in _ZONE_FREE_TRUNCATIONS
    if not is_free:
        require_utc(node)
    return Call("date_trunc", (unit, time))


def unix_timestamp(translator: ExprTranslator, node: JavaObject) -> Expr:
    """Of a timestamp; the format is for texts."""
    time = translator.translate(children(node)[0])
    if time.type is not ir.TIMESTAMP:
        raise StaysInSpark(
            f"`{sql_text(node)}` of {time.type} has no native form; cast it to a timestamp"
        )
    return Call("unix_timestamp", (time,))


def timestamp_add(translator: ExprTranslator, node: JavaObject) -> Expr:
    """Days and more are longer or shorter where clocks change."""
    name = str(node.unit())
    if UNIT_US.get(step_unit("timestamp_add", name), DAY_US) >= DAY_US:
        require_utc(node)
    count, time = _operands(translator, node)
    return Call("timestamp_add", (_text(name), _widened(count, ir.INT64), time))


def timestamp_diff(translator: ExprTranslator, node: JavaObject) -> Expr:
    """Spark counts by the clock, so even hours depend on the zone."""
    require_utc(node)
    return Call("timestamp_diff", (_text(str(node.unit())), *_operands(translator, node)))


def months_between(translator: ExprTranslator, node: JavaObject) -> Expr:
    """Months with a fraction; Spark rounds to 8 digits unless it is told not to."""
    require_utc(node)
    return Call("months_between", _operands(translator, node))


def add_interval(translator: ExprTranslator, node: JavaObject) -> Expr:
    """A timestamp and a constant interval of days, hours, minutes and seconds."""
    time, interval = children(node)
    length_us = _constant_interval(translator, node, interval, "interval day")
    if abs(length_us) >= DAY_US:
        require_utc(node)
    args = (_text("microsecond"), Literal(length_us, ir.INT64), translator.translate(time))
    return Call("timestamp_add", args)


def add_months_to_timestamp(translator: ExprTranslator, node: JavaObject) -> Expr:
    """A timestamp and a constant interval of years and months."""
    require_utc(node)
    time, interval = children(node)
    months = _constant_interval(translator, node, interval, "interval year")
    args = (_text("month"), Literal(months, ir.INT64), translator.translate(time))
    return Call("timestamp_add", args)


def add_months_to_date(translator: ExprTranslator, node: JavaObject) -> Expr:
    """A date and a constant interval of years and months."""
    date, interval = children(node)
    months = _constant_interval(translator, node, interval, "interval year")
    return Call("add_months", (translator.translate(date), Literal(months, ir.INT32)))


def round_to_digits(translator: ExprTranslator, node: JavaObject) -> Expr:
    """ROUND and BROUND; what has too many digits for a decimal fails in every mode."""
    child, digits = children(node)
    value, kept = translator.translate(child), translator.computed(digits)
    function = "round" if class_name(node) == "Round" else "bround"
    ansi = bool(node.ansiEnabled()) or value.type.is_decimal
    mode = EvalMode.ANSI if ansi else EvalMode.LEGACY
    return Call(function, (value, Literal(kept, ir.INT32)), mode)


def _constant_interval(
    translator: ExprTranslator, node: JavaObject, interval: JavaObject, kind: str
) -> int:
    """The microseconds, or the months, of an interval that no row changes."""
    name = str(interval.dataType().simpleString())
    known = ("interval day", "interval hour", "interval minute", "interval second")
    wanted = known if kind == "interval day" else ("interval year", "interval month")
    value = translator.computed(interval) if name.startswith(wanted) else None
    if not isinstance(value, int):
        raise StaysInSpark(
            f"`{sql_text(node)}`: only a constant {kind}-... interval can be added natively"
        )
    return value


def _operands(translator: ExprTranslator, node: JavaObject) -> tuple[Expr, ...]:
    return tuple(translator.translate(child) for child in children(node))


def _widened(expr: Expr, type_: ir.DataType | None) -> Expr:
    if type_ is None or expr.type == type_ or not expr.type.is_integer:
        return expr
    if isinstance(expr, Literal):
        return Literal(expr.value, type_)
    return Cast(expr, type_)


def _text(value: str) -> Literal:
    return Literal(value, ir.STRING)


TIME_TRANSLATIONS: dict[str, Callable[[ExprTranslator, JavaObject], Expr]] = {
    **dict.fromkeys(IN_ZONE, in_zone),
    **dict.fromkeys(WIDENED, widened),
    **dict.fromkeys(("UnixTimestamp", "ToUnixTimestamp"), unix_timestamp),
    **dict.fromkeys(("Round", "BRound"), round_to_digits),
    "SecondsToTimestamp": timestamp_seconds,
    "MakeDate": make_date,
    "TruncTimestamp": date_trunc,
    "TimestampAdd": timestamp_add,
    "TimestampDiff": timestamp_diff,
    "MonthsBetween": months_between,
    "TimestampAddInterval": add_interval,
    "TimestampAddYMInterval": add_months_to_timestamp,
    "DateAddYMInterval": add_months_to_date,
}
