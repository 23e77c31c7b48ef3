"""Catalyst's functions of dates and timestamps, and of rounding, as IR expressions.

Parts of a timestamp are those of the session's time zone. The functions of the IR are of UTC, so
in another zone they are taken of the local time (`ir.local_times`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, children, class_name, sql_text
from adaptive.spark.zone_rules import named_zone_literal, truncation_keeps_offset, zone_literal
from ir import Call, Cast, EvalMode, Expr, Literal
from ir.arithmetic import quotient, remainder
from ir.calendar import DAY_US
from ir.time_units import DATE_UNITS, UNIT_US, step_unit, truncation_unit

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


def local(node: JavaObject, time: Expr) -> Expr:
    """A timestamp as its date and time in the zone of a function."""
    zone = zone_literal(node.zoneId())
    return time if zone is None else Call("to_local", (zone, time))


def instant(node: JavaObject, made: Expr, near: Expr) -> Expr:
    """The timestamp of a date and time in the zone, with the offset of another if it can be."""
    zone = zone_literal(node.zoneId())
    return made if zone is None else Call("from_local", (zone, made, near))


def in_zone(translator: ExprTranslator, node: JavaObject) -> Expr:
    """A part of the time of day."""
    (time,) = _operands(translator, node)
    zone = zone_literal(node.zoneId())
    if zone is not None:
        time = Call("local_time", (zone, time))
    return Call(IN_ZONE[class_name(node)], (time,))


def utc_conversion(translator: ExprTranslator, node: JavaObject) -> Expr:
    """from_utc_timestamp and to_utc_timestamp: what clocks show there, as if it were UTC."""
    time, name = _operands(translator, node)
    if not isinstance(name, Literal) or name.value is None:
        raise StaysInSpark(f"`{sql_text(node)}`: only a constant zone has a native form")
    zone = named_zone_literal(str(name.value))
    if zone is None:
        return time
    function = "to_local" if class_name(node) == "FromUTCTimestamp" else "from_local"
    return Call(function, (zone, time))


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
    zone = zone_literal(node.zoneId())
    known = truncation_unit(unit.value) if isinstance(unit, Literal) else None
    if zone is None or known in _ZONE_FREE_TRUNCATIONS:
        return Call("date_trunc", (unit, time))
    if known in DATE_UNITS:
        day = Call("trunc", (Call("local_date", (zone, time)), unit))
        near = (time,) if truncation_keeps_offset() else ()
        return Call("day_start", (zone, day, *near))
    start = Call("date_trunc", (unit, Call("to_local", (zone, time))))
    return Call("from_local", (zone, start, time))


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
    count, time = _operands(translator, node)
    args = (_text(name), _widened(count, ir.INT64))
    if UNIT_US.get(step_unit("timestamp_add", name), DAY_US) < DAY_US:
        return Call("timestamp_add", (*args, time))
    return instant(node, Call("timestamp_add", (*args, local(node, time))), time)


def timestamp_diff(translator: ExprTranslator, node: JavaObject) -> Expr:
    """Spark counts by the clock, so even hours depend on the zone."""
    times = [local(node, time) for time in _operands(translator, node)]
    return Call("timestamp_diff", (_text(str(node.unit())), *times))


def months_between(translator: ExprTranslator, node: JavaObject) -> Expr:
    """Months with a fraction; Spark rounds to 8 digits unless it is told not to."""
    require_utc(node)
    return Call("months_between", _operands(translator, node))


def add_interval(translator: ExprTranslator, node: JavaObject) -> Expr:
    """A timestamp and a constant interval of days, hours, minutes and seconds.

    Whole days are added by the calendar, and the rest to the instant behind them.
    """
    operand, interval = children(node)
    length_us = _constant_interval(translator, node, interval, "interval day")
    time = translator.translate(operand)
    days, rest_us = quotient(length_us, DAY_US), remainder(length_us, DAY_US)
    if days == 0 or zone_literal(node.zoneId()) is None:
        return _later(time, "microsecond", length_us)
    moved = instant(node, _later(local(node, time), "day", days), time)
    return _later(moved, "microsecond", rest_us) if rest_us else moved


def add_months_to_timestamp(translator: ExprTranslator, node: JavaObject) -> Expr:
    """A timestamp and a constant interval of years and months."""
    operand, interval = children(node)
    months = _constant_interval(translator, node, interval, "interval year")
    time = translator.translate(operand)
    return instant(node, _later(local(node, time), "month", months), time)


def _later(time: Expr, unit: str, count: int) -> Expr:
    return Call("timestamp_add", (_text(unit), Literal(count, ir.INT64), time))


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
    **dict.fromkeys(("FromUTCTimestamp", "ToUTCTimestamp"), utc_conversion),
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
