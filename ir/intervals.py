"""Ranges of values: which operations have a result for all rows of some ranges, and which range.

A range is the least and the greatest value that is not null; decimals count in units of their
last digit. Most functions are monotone in each argument, so that the ends of their arguments'
ranges are evaluated and tell all between: a value is lost at one of the ends, or nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import NamedTuple

from ir.arithmetic import fits
from ir.calendar import DAY_US
from ir.casts import can_cast, cast_can_fail
from ir.errors import EvaluationError
from ir.evaluate import evaluate_expr
from ir.expr import Call, Cast, Column, Expr, Literal, may_lose
from ir.signatures import EvalMode
from ir.time_units import UNIT_MONTHS, step_unit
from ir.types import BOOL, DATE, INT32, INT64, TIMESTAMP, DataType


class Interval(NamedTuple):
    """All integers from `low` to `high`."""

    low: int
    high: int


class Outcome(NamedTuple):
    """The range of an operation's results, and whether none is lost, in any mode."""

    range: Interval | None
    is_sure: bool


Ranges = Mapping[str, Interval]
_Rule = Callable[[Call, list[Interval]], Outcome]

_LIMITS = {
    BOOL: Interval(0, 1),
    DATE: Interval(INT32.low, INT32.high),
    TIMESTAMP: Interval(INT64.low, INT64.high),
}


def range_of_type(type_: DataType) -> Interval | None:
    """All values of a type, or None where they do not count as integers."""
    if type_.is_integer or type_.is_decimal:
        return Interval(type_.low, type_.high)
    return _LIMITS.get(type_)


def prove(expr: Expr, ranges: Ranges) -> Expr:
    """The expression with mode EXACT for what never loses a value of columns in these ranges.

    What is not in `ranges` may have any value of its type. Nulls are no matter: they are passed
    on before anything is computed.
    """
    return _prove(expr, ranges)[0]


def range_of(expr: Expr, ranges: Ranges) -> Interval | None:
    """The values that an expression may have where it has one."""
    return _prove(expr, ranges)[1]


def _prove(expr: Expr, ranges: Ranges) -> tuple[Expr, Interval | None]:
    match expr:
        case Column(name, type_):
            return expr, _within(ranges.get(name), range_of_type(type_))
        case Literal(value, type_):
            if range_of_type(type_) is None:
                return expr, None
            return expr, Interval(int(value or 0), int(value or 0))
    pairs = [_prove(child, ranges) for child in expr.children]
    children = tuple(child for child, _ in pairs)
    known = [range_ for _, range_ in pairs]
    if children != expr.children:
        expr = expr.with_children(children)
    assert isinstance(expr, Call | Cast)
    outcome = _cast(expr, known[0]) if isinstance(expr, Cast) else _call(expr, known)
    if outcome.is_sure and expr.mode is EvalMode.ANSI and _loses(expr):
        expr = _exactly(expr)
    return expr, outcome.range


def _loses(expr: Call | Cast) -> bool:
    """Whether the operation itself can fail for some values of its arguments' types."""
    if isinstance(expr, Cast):
        return cast_can_fail(expr.child.type, expr.type, expr.mode)
    return may_lose(expr)


def _exactly(expr: Call | Cast) -> Call | Cast:
    if isinstance(expr, Cast):
        return Cast(expr.child, expr.type, EvalMode.EXACT)
    return Call(expr.function, expr.args, EvalMode.EXACT)


def _within(assumed: Interval | None, of_type: Interval | None) -> Interval | None:
    """What is in both; an assumption that no value of the type meets says nothing."""
    if assumed is None or of_type is None:
        return of_type
    both = Interval(max(assumed.low, of_type.low), min(assumed.high, of_type.high))
    return both if both.low <= both.high else of_type


def _any_of(type_: DataType) -> Outcome:
    return Outcome(range_of_type(type_), is_sure=False)


def _cast(cast: Cast, known: Interval | None) -> Outcome:
    """Between numbers, dates and times, all casts but those that wrap around are monotone."""
    source, target = cast.child.type, cast.type
    wraps = source.is_decimal and target == TIMESTAMP
    whole = range_of_type(target) is not None and target != BOOL
    if known is None or not whole or wraps or not can_cast(source, target):
        return _any_of(target)
    return _at_ends(lambda ends: Cast(_literal(ends[0], source), target), target, [known])


def _call(call: Call, known: list[Interval | None]) -> Outcome:
    """By the function's rule; one for constants where arguments are texts or floats."""
    if call.function in _FIXED:
        return Outcome(_FIXED[call.function], is_sure=True)
    if call.function in _LOCAL:
        return _local(call, known)
    rule = _RULES.get(call.function)
    if rule is None or range_of_type(call.type) is None:
        return _any_of(call.type)
    ranges = [
        range_ if range_ is not None else Interval(0, 0) if isinstance(arg, Literal) else None
        for arg, range_ in zip(call.args, known, strict=True)
    ]
    complete = [range_ for range_ in ranges if range_ is not None]
    return rule(call, complete) if len(complete) == len(ranges) else _any_of(call.type)


def _monotone(call: Call, known: list[Interval]) -> Outcome:
    """In each argument, whatever the others are; the direction may depend on them."""

    def at(ends: tuple[int, ...]) -> Expr:
        args = tuple(
            arg if isinstance(arg, Literal) else _literal(end, arg.type)
            for arg, end in zip(call.args, ends, strict=True)
        )
        return Call(call.function, args)

    return _at_ends(at, call.type, known)


def _at_ends(
    make: Callable[[tuple[int, ...]], Expr], type_: DataType, known: list[Interval]
) -> Outcome:
    """The results where each argument is at one of its ends; unsure if there is none for one."""
    found = []
    for ends in set(product(*known)):
        try:
            value = evaluate_expr(make(ends), {})
        except EvaluationError:
            return _any_of(type_)
        if not isinstance(value, int):
            return _any_of(type_)
        found.append(int(value))
    return Outcome(Interval(min(found), max(found)), is_sure=True)


def _literal(value: int, type_: DataType) -> Literal:
    return Literal(bool(value) if type_ == BOOL else value, type_)


def _wrapping(exact: Callable[[int, int], int]) -> _Rule:
    """A function of two dates or numbers of days that wraps around beyond 32 bits."""

    def rule(call: Call, known: list[Interval]) -> Outcome:
        found = [exact(*ends) for ends in product(*known)]
        made = Interval(min(found), max(found))
        inside = fits(made.low, INT32) and fits(made.high, INT32)
        return Outcome(made, is_sure=True) if inside else _any_of(call.type)

    return rule


def _ordered(call: Call, known: list[Interval]) -> Outcome:
    """A monotone function of a date that wraps around near the last one, or near the first."""
    made = _monotone(call, known)
    days = known[0]
    year = 366
    inside = INT32.low + year <= days.low and days.high <= INT32.high - year
    return made if inside else _any_of(call.type)


def _abs(call: Call, known: list[Interval]) -> Outcome:
    (value,) = known
    ends = _monotone(call, known)
    if not ends.is_sure or ends.range is None or not value.low < 0 < value.high:
        return ends
    return Outcome(Interval(0, ends.range.high), is_sure=True)


def _divided(call: Call, known: list[Interval]) -> Outcome:
    """Monotone on either side of zero; of decimals, the low bits of a quotient are taken."""
    divisor = known[1]
    if divisor.low <= 0 <= divisor.high:
        return _any_of(call.type)
    made = _monotone(call, known)
    cut = call.function == "int_divide" and call.args[0].type.is_decimal
    return Outcome(range_of_type(call.type), made.is_sure) if cut else made


def _remainder(call: Call, known: list[Interval]) -> Outcome:
    """Of the dividend's sign, and less than the divisor."""
    value, divisor = known
    if call.type.is_decimal:
        # Their digits are fixed by the types; only zero has no remainder.
        safe = not divisor.low <= 0 <= divisor.high and not _too_many_digits(call)
        return Outcome(range_of_type(call.type), safe)
    most = max(abs(divisor.low), abs(divisor.high), 1) - 1
    made = Interval(max(min(value.low, 0), -most), min(max(value.high, 0), most))
    return Outcome(made, is_sure=not divisor.low <= 0 <= divisor.high)


def _pmod(call: Call, known: list[Interval]) -> Outcome:
    """Below the divisor if that is positive; of a negative one, a sum may wrap around."""
    if call.type.is_decimal:
        return _remainder(call, known)
    value, divisor = known
    if divisor.low <= 0:
        return Outcome(range_of_type(call.type), is_sure=divisor.high < 0)
    high = divisor.high - 1
    return Outcome(Interval(0, min(value.high, high) if value.low >= 0 else high), is_sure=True)


def _too_many_digits(call: Call) -> bool:
    """Whether a remainder may be lost for another reason than a divisor that is zero."""
    value, divisor = call.args
    return may_lose(Call(call.function, (value, Literal(1, divisor.type))))


def _bits(call: Call, known: list[Interval]) -> Outcome:
    """Of numbers without a sign: `and` keeps bits of both, the others have no higher bit."""
    if any(one.low < 0 for one in known):
        return Outcome(range_of_type(call.type), is_sure=True)
    if call.function == "bit_and":
        return Outcome(Interval(0, min(one.high for one in known)), is_sure=True)
    bits = max(one.high for one in known).bit_length()
    return Outcome(Interval(0, (1 << bits) - 1), is_sure=True)


def _shifted_right(call: Call, known: list[Interval]) -> Outcome:
    return _monotone(call, known) if isinstance(call.args[1], Literal) else _any_of(call.type)


def _hull(call: Call, known: list[Interval]) -> Outcome:
    """One of the arguments."""
    low, high = min(one.low for one in known), max(one.high for one in known)
    return Outcome(Interval(low, high), is_sure=True)


def _extreme(call: Call, known: list[Interval]) -> Outcome:
    """At least, or at most, each of the arguments; a null one does not count."""
    if any(arg.nullable for arg in call.args):
        return _hull(call, known)
    pick = max if call.function == "greatest" else min
    made = Interval(pick(one.low for one in known), pick(one.high for one in known))
    return Outcome(made, is_sure=True)


def _case_when(call: Call, known: list[Interval]) -> Outcome:
    return _hull(call, [*known[1:-1:2], known[-1]])


def _make_date(call: Call, known: list[Interval]) -> Outcome:
    """Where every month has such a day, dates are in the order of their parts."""
    _, month, day = known
    if month.low < 1 or month.high > 12 or day.low < 1 or day.high > 28:
        return _any_of(call.type)
    return _monotone(call, known)


def _steps(call: Call, known: list[Interval]) -> Outcome:
    """Months have 28 to 31 days, and a day that there is not becomes one a little before."""
    unit = step_unit(call.function, _constant(call.args[0]))
    if unit not in UNIT_MONTHS:
        return _monotone(call, known)
    if call.function == "timestamp_diff":
        return Outcome(range_of_type(call.type), is_sure=True)
    _, count, moment = known
    months = [end * UNIT_MONTHS[unit] for end in count]
    least, most = min(28 * months[0], 31 * months[0]), max(28 * months[1], 31 * months[1])
    low, high = moment.low + (least - 31) * DAY_US, moment.high + (most + 31) * DAY_US
    return _time_between(call, low, high)


def _local(call: Call, known: list[Interval | None]) -> Outcome:
    """Clocks are less than a day ahead of UTC or behind it, and change by less than a day."""
    value = known[1]
    if value is None:
        return _any_of(call.type)
    if call.function == "local_date":
        days = Interval((value.low - DAY_US) // DAY_US, (value.high + DAY_US) // DAY_US)
        return Outcome(days, is_sure=True)
    unit = DAY_US if call.function == "day_start" else 1
    return _time_between(call, value.low * unit - 2 * DAY_US, value.high * unit + 2 * DAY_US)


def _time_between(call: Call, low: int, high: int) -> Outcome:
    inside = fits(low, INT64) and fits(high, INT64)
    return Outcome(Interval(low, high), is_sure=True) if inside else _any_of(call.type)


def _constant(arg: Expr) -> object:
    assert isinstance(arg, Literal)
    return arg.value


_LOCAL = frozenset(("local_date", "to_local", "from_local", "day_start"))
_FIXED: dict[str, Interval] = {
    "quarter": Interval(1, 4),
    "month": Interval(1, 12),
    "day": Interval(1, 31),
    "dayofyear": Interval(1, 366),
    "dayofweek": Interval(1, 7),
    "weekday": Interval(0, 6),
    "weekofyear": Interval(1, 53),
    "hour": Interval(0, 23),
    "minute": Interval(0, 59),
    "second": Interval(0, 59),
    "microsecond": Interval(0, 999_999),
    "second_with_fraction": Interval(0, 59_999_999),
    "local_time": Interval(0, DAY_US - 1),
    **dict.fromkeys(("length", "octet_length", "ascii"), Interval(0, INT32.high)),
    **dict.fromkeys(("instr", "locate_from"), Interval(0, INT32.high)),
}
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("add", "subtract", "multiply", "negate"), _monotone),
    **dict.fromkeys(("ceil", "floor", "round", "bround"), _monotone),
    "abs": _abs,
    "divide": _divided,
    "int_divide": _divided,
    "remainder": _remainder,
    "pmod": _pmod,
    **dict.fromkeys(("bit_and", "bit_or", "bit_xor"), _bits),
    "bit_not": _monotone,
    "shiftright": _shifted_right,
    "greatest": _extreme,
    "least": _extreme,
    "coalesce": _hull,
    "case_when": _case_when,
    **dict.fromkeys(("year", "unix_date", "date_from_unix_date"), _monotone),
    **dict.fromkeys(("yearofweek", "last_day", "next_day", "trunc"), _ordered),
    "date_add": _wrapping(lambda day, days: day + days),
    "date_sub": _wrapping(lambda day, days: day - days),
    "datediff": _wrapping(lambda end, start: end - start),
    "add_months": _monotone,
    "make_date": _make_date,
    **dict.fromkeys(("unix_seconds", "unix_millis", "unix_micros", "unix_timestamp"), _monotone),
    **dict.fromkeys(("timestamp_seconds", "timestamp_millis", "timestamp_micros"), _monotone),
    "date_trunc": _monotone,
    "timestamp_add": _steps,
    "timestamp_diff": _steps,
}
