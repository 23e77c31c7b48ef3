"""Random expressions of dates and timestamps, as forms for `tests.strategies`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from hypothesis import strategies as st

from ir import (
    BOOL,
    DATE,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    DataType,
    Expr,
    Literal,
)


class Maker(Protocol):
    """What draws the parts of an expression."""

    draw: st.DrawFn

    def expr(self, type_: DataType, depth: int) -> Expr:
        """An expression of a type."""

    def call(self, function: str, args: tuple[Expr, ...]) -> Expr:
        """A call in a random mode."""

    def some(self, type_: DataType, depth: int, least: int, most: int) -> tuple[Expr, ...]:
        """A few expressions of one type."""


Form: TypeAlias = Callable[[Maker, DataType, int], Expr]


def _of(argument: DataType, *names: str, args: int) -> Form:
    def form(maker: Maker, type_: DataType, depth: int) -> Expr:
        name = maker.draw(st.sampled_from(names))
        return maker.call(name, maker.some(argument, depth, args, args))

    return form


# Those that Spark knows, in any case, and others.
_UNITS = ("MICROSECOND", "millisecond", "Second", "minute", "hour", "day", "week", "month")
_UNITS += ("quarter", "YEAR")
_TRUNCATIONS = (*_UNITS, "dd", "mon", "mm", "yy", "yyyy", "decade", "")


def _text(maker: Maker, *texts: str) -> Expr:
    return Literal(maker.draw(st.sampled_from(texts)), STRING)


def any_time(maker: Maker, depth: int) -> Expr:
    """A timestamp of any size: those of columns are of the years 1 to 9999."""
    match maker.draw(st.integers(0, 4)):
        case 0:
            function = maker.draw(
                st.sampled_from(("timestamp_micros", "timestamp_millis", "timestamp_seconds"))
            )
            return maker.call(function, (maker.expr(INT64, depth),))
        case 1:
            return maker.call("timestamp_seconds", (maker.expr(FLOAT64, depth),))
        case 2:
            time, count = maker.expr(TIMESTAMP, depth), maker.expr(INT64, depth)
            return maker.call("timestamp_add", (_text(maker, *_UNITS), count, time))
        case 3 if depth:
            time = any_time(maker, depth - 1)
            return maker.call("date_trunc", (_text(maker, *_TRUNCATIONS), time))
    return maker.expr(TIMESTAMP, depth)


def _of_time(*names: str) -> Form:
    def form(maker: Maker, type_: DataType, depth: int) -> Expr:
        return maker.call(maker.draw(st.sampled_from(names)), (any_time(maker, depth),))

    return form


def _times_apart(maker: Maker, type_: DataType, depth: int) -> Expr:
    times = (any_time(maker, depth), any_time(maker, depth))
    return maker.call("timestamp_diff", (_text(maker, *_UNITS), *times))


def months_apart(maker: Maker, type_: DataType, depth: int) -> Expr:
    """With a fraction of a month, rounded or not."""
    times = (any_time(maker, depth), any_time(maker, depth))
    is_rounded = Literal(maker.draw(st.sampled_from((True, False, None))), BOOL)
    return maker.call("months_between", (*times, is_rounded))


def time_near(maker: Maker, type_: DataType, depth: int) -> Expr:
    """Near to another: windows are not made for the ends of time."""
    time = maker.expr(TIMESTAMP, depth)
    if maker.draw(st.booleans()):
        return maker.call("date_trunc", (_text(maker, *_TRUNCATIONS), time))
    count = Literal(maker.draw(st.integers(-100, 100)), INT64)
    return maker.call("timestamp_add", (_text(maker, *_UNITS), count, time))


def _day_near(maker: Maker, type_: DataType, depth: int) -> Expr:
    function = maker.draw(st.sampled_from(("date_add", "date_sub", "add_months")))
    return maker.call(function, (maker.expr(DATE, depth), maker.expr(INT32, depth)))


def _day_named(maker: Maker, type_: DataType, depth: int) -> Expr:
    day = maker.expr(DATE, depth)
    if maker.draw(st.booleans()):
        return maker.call("trunc", (day, _text(maker, *_TRUNCATIONS)))
    return maker.call("next_day", (day, _text(maker, "MO", "tue", "Sunday")))


def _make_date(maker: Maker, type_: DataType, depth: int) -> Expr:
    if maker.draw(st.booleans()):
        return maker.call("make_date", maker.some(INT32, depth, 3, 3))
    bounds = ((-6_000_000, 6_000_000), (0, 12), (1, 31))
    parts = (Literal(maker.draw(st.integers(*bound)), INT32) for bound in bounds)
    return maker.call("make_date", tuple(parts))


DATES: tuple[Form, ...] = (
    _day_near,
    _day_named,
    _make_date,
    _of(DATE, "last_day", args=1),
    _of(INT32, "date_from_unix_date", args=1),
)
DATE_PARTS: tuple[Form, ...] = (
    _of(DATE, "year", "quarter", "month", "day", "dayofyear", "dayofweek", args=1),
    _of(DATE, "weekday", "weekofyear", "yearofweek", "unix_date", args=1),
    _of(DATE, "datediff", args=2),
    _of_time("hour", "minute", "second", "microsecond"),
)
TIME_NUMBERS: tuple[Form, ...] = (
    _of_time("unix_seconds", "unix_millis", "unix_micros", "unix_timestamp"),
    _times_apart,
)
