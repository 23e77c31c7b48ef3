"""What queries are written with: columns, constants, functions, aggregates and windows.

`from adaptive import functions as f`. Text as an argument of a function is the
name of a column (`f.sum("value")`), beside an operator it is a constant
(`f.col("type") == "view"`). Every function of `ir.FUNCTIONS` but those of time zones,
and every aggregate of `ir.AGGREGATES`, is here under its name and under Spark's; one
that can fail also as `try_...`, which gives null instead.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

import ir
from adaptive.api import moments, texts
from adaptive.api.aggregation import Aggregation
from adaptive.api.durations import Duration, duration_us
from adaptive.api.expression import (
    Apply,
    ColumnName,
    Constant,
    Expression,
    When,
    column_of,
    value_of,
)
from adaptive.api.fields import field_function
from adaptive.api.user_aggregation import Parts, UserAggregation
from adaptive.api.windows import ArrivalTime, CountWindows, SessionWindows, TimeWindows, WindowOver
from ir.aggregates import ALIASES
from ir.local_times import LOCAL_MEANINGS
from ir.signatures import Failure

# Spark's names of functions that the IR calls something else.
SPARK_NAMES: dict[str, str] = {
    **ALIASES,
    "bitwise_not": "bit_not",
    "btrim": "trim",
    "ceiling": "ceil",
    "char_length": "length",
    "character_length": "length",
    "date_diff": "datediff",
    "dateadd": "date_add",
    "dayofmonth": "day",
    "equal_null": "eq_null_safe",
    "isnotnull": "is_not_null",
    "isnull": "is_null",
    "lcase": "lower",
    "len": "length",
    "mod": "remainder",
    "negative": "negate",
    "power": "pow",
    "signum": "sign",
    "substr": "substring",
    "timestampadd": "timestamp_add",
    "timestampdiff": "timestamp_diff",
    "to_unix_timestamp": "unix_timestamp",
    "ucase": "upper",
}
# Arguments that are text themselves and not the name of a column, by function and position.
TEXTS: dict[str, tuple[int, ...]] = {
    "concat_ws": (0,),
    "date_trunc": (0,),
    "instr": (1,),
    "next_day": (1,),
    "substring_index": (1,),
    "timestamp_add": (0,),
    "timestamp_diff": (0,),
    "translate": (1, 2),
    "trunc": (1,),
}


def col(name: str) -> Expression:
    """A column of the stream that the expression is used on."""
    return ColumnName(name)


def lit(value: object) -> Expression:
    """A constant; a datetime without a zone is UTC."""
    return value_of(value)


def when(condition: Expression, value: object) -> When:
    """A value where a condition is true; `.when(...)` and `.otherwise(...)` may follow."""
    return When((condition, value_of(value)))


def expr_if(condition: Expression, yes: object, no: object) -> Expression:
    """One value where a condition is true, another where it is false or null."""
    return Apply("case_when", (condition, value_of(yes), value_of(no)))


def nullif(value: object, other: object) -> Expression:
    """The value, or null where it equals the other one."""
    kept = column_of(value)
    return expr_if(Apply("eq", (kept, column_of(other))), Constant(None), kept)


def nvl(value: object, instead: object) -> Expression:
    """The value, or another one where it is null."""
    return Apply("coalesce", (column_of(value), column_of(instead)))


ifnull = nvl


def nvl2(tested: object, present: object, absent: object) -> Expression:
    """One value where a column is not null, another where it is."""
    test = Apply("is_not_null", (column_of(tested),))
    return expr_if(test, column_of(present), column_of(absent))


def zeroifnull(value: object) -> Expression:
    """The number, or 0 where it is null."""
    return nvl(value, 0)


def nullifzero(value: object) -> Expression:
    """The number, or null where it is 0."""
    return nullif(value, 0)


def extract(field: str, source: object) -> Expression:
    """A field of a date or timestamp by its name; seconds are a decimal with their fraction."""
    return Apply(field_function(field), (column_of(source),))


date_part = datepart = extract


def count(value: object = "*") -> Aggregation:
    """How many rows a group has, or how many of them have a value that is not null."""
    is_star = isinstance(value, str) and value == "*"
    return Aggregation("count", None if is_star else column_of(value))


def percentile(value: object, fraction: float) -> Aggregation:
    """The value that a fraction of a group's values is below, in proportion between two.

    `f.percentile("latency", 0.99)`; `f.median` is that at one half.
    """
    return Aggregation("percentile", column_of(value), parameters=(float(fraction),))


def first(value: object, ignorenulls: bool = False) -> Aggregation:
    """The value of a group's first row, or of the first that has one."""
    return Aggregation("first", column_of(value), parameters=(ignorenulls,))


def last(value: object, ignorenulls: bool = False) -> Aggregation:
    """The value of a group's last row, or of the last that has one."""
    return Aggregation("last", column_of(value), parameters=(ignorenulls,))


def aggregate(
    *inputs: object,
    initial: object,
    accumulate: Callable[..., object],
    merge: Callable[..., object],
    result: Callable[..., object] | None = None,
    inverse: Callable[..., object] | None = None,
    name: str = "user_aggregate",
) -> Aggregation:
    """An aggregate of your own, written as expressions and compiled like the built-in ones.

    The state of a group is one value, or several by name. `accumulate` gets a state
    and the inputs of a row and gives the new state; `merge` does so with two states
    (groups are made in pieces); `result` is computed when a window closes. With
    `inverse`, which takes the second state out of the first, sliding windows need not
    be combined anew. Rows with a null input are skipped. The functions are called
    once, with expressions: use `f.when` and not `if`.

        average_price = f.aggregate(
            "price",
            "quantity",
            initial={"paid": 0.0, "items": 0},
            accumulate=lambda state, price, quantity: {
                "paid": state.paid + price * quantity,
                "items": state.items + quantity,
            },
            merge=lambda left, right: {
                "paid": left.paid + right.paid,
                "items": left.items + right.items,
            },
            result=lambda state: state.paid / state.items,
        )
        stream(...).group_by(f.window("time", "10 seconds"), "shop").agg(price=average_price)
    """
    parts = Parts(initial, accumulate, merge, result, inverse)
    return UserAggregation(name, inputs=tuple(map(column_of, inputs)), parts=parts)


corr, covar_pop, covar_samp = moments.corr, moments.covar_pop, moments.covar_samp
skewness, kurtosis = moments.skewness, moments.kurtosis


def window(
    time: str | Expression,
    size: Duration,
    slide: Duration | None = None,
    offset: Duration = "0 seconds",
) -> WindowOver:
    """Windows of one size by time; with `slide`, one starts every so often and they overlap.

    Windows start at multiples of the slide since 1970 in UTC, plus `offset`.
    """
    size_us = duration_us(size)
    slide_us = size_us if slide is None else duration_us(slide)
    return TimeWindows(column_of(time), size_us, slide_us, duration_us(offset))


def session_window(time: str | Expression, gap: Duration) -> WindowOver:
    """Windows of each key that end when it has had no row for `gap`."""
    return SessionWindows(column_of(time), duration_us(gap))


def count_window(size: int, slide: int | None = None) -> WindowOver:
    """Windows of a number of rows of each key; with `slide`, one starts every so many rows."""
    return CountWindows(size, size if slide is None else slide)


# Functions of texts that PySpark gives other arguments than the IR.
like, ilike = texts.like, texts.ilike
locate, position = texts.locate, texts.position
lpad, rpad = texts.lpad, texts.rpad
replace = texts.replace


def processing_time() -> Expression:
    """The time at which rows come to the engine, for `window` and `session_window`."""
    return ArrivalTime()


# Those of time zones take all rules of a zone as text, which only plans of Spark have.
_SCALARS = {name: row for name, row in ir.FUNCTIONS.items() if name not in LOCAL_MEANINGS}


def __getattr__(name: str) -> Callable[..., Expression]:
    """A function or aggregate of the tables, by the IR's name or Spark's."""
    mode = ir.EvalMode.TRY if name.startswith("try_") else ir.EvalMode.ANSI
    plain = name.removeprefix("try_")
    known = SPARK_NAMES.get(plain) or ALIASES.get(plain, plain)
    scalar, aggregate = _SCALARS.get(known), ir.AGGREGATES.get(known)
    if mode is ir.EvalMode.TRY and not (scalar and scalar.failure is not Failure.NONE):
        scalar = None
    if scalar is None and aggregate is None:
        raise AttributeError(_unknown(name))
    return _builder(name, known, mode)


def __dir__() -> list[str]:
    return sorted({*globals(), *SPARK_NAMES, *ALIASES, *_SCALARS, *ir.AGGREGATES})


def _builder(name: str, known: str, mode: ir.EvalMode) -> Callable[..., Expression]:
    def build(*args: object) -> Expression:
        if known in ir.AGGREGATES and not _is_scalar_call(known, len(args)):
            return _aggregation(known, args, mode)
        texts = TEXTS.get(known, ())
        operands = (value_of(a) if i in texts else column_of(a) for i, a in enumerate(args))
        return Apply(known, tuple(operands), mode)

    build.__name__ = build.__qualname__ = name
    return build


def _aggregation(name: str, args: tuple[object, ...], mode: ir.EvalMode) -> Aggregation:
    if len(args) != 1:
        raise ir.IrTypeError(f"{name} takes one argument, got {len(args)}")
    return Aggregation(name, column_of(args[0]), mode)


def _is_scalar_call(name: str, arguments: int) -> bool:
    """Whether so many arguments are those of a scalar function: an aggregate may share its name."""
    if name not in ir.FUNCTIONS:
        return False
    least, most = ir.FUNCTIONS[name].arity
    return least <= arguments and (most is None or arguments <= most)


def _unknown(name: str) -> str:
    close = get_close_matches(name, __dir__(), n=1)
    meant = f"; did you mean {close[0]!r}?" if close else ""
    return f"there is no function {name!r}{meant}"
