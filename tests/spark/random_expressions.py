"""Random expressions and aggregates over the columns of `random_rows`, as SQL text."""

from __future__ import annotations

import random

from tests.spark.random_functions import function_calls

NUMBERS = ("number", "small", "short", "big", "derived", "level", "ratio", "narrow", "price")
KEYS = (
    *("kind", "flag", "small", "number % 3", "day", "level > 1", "ratio", "part", "price"),
    *("upper(kind)", "substring(kind, 1, 1)", "coalesce(part, number)", "second(time) % 4"),
)
# Of further functions, by a query with aggregates: those of tables are cheaper to run.
CALLS, CALLS_OF_STREAMS = 6, 2
# Needs all values of a group; two of them cannot be native.
_OF_VALUES = ("median", "percentile", "distinct")


def aggregates(rng: random.Random, columns: tuple[str, ...], *, table: bool) -> tuple[str, ...]:
    """Some aggregates, some of them over these columns as well; some only of a table."""
    calls = function_calls(rng, CALLS if table else CALLS_OF_STREAMS)
    made = [f"{rng.choice(['min', 'max'])}({call})" for call in calls]
    made = [f"{call} as f{number}" for number, call in enumerate(made)]
    for number in range(rng.randrange(1, 5)):
        text = _aggregate(rng, columns, table)
        while _needs_values(text) and any(map(_needs_values, made)):
            text = _aggregate(rng, columns, table)
        made.append(f"{text} as a{number}")
    if rng.random() < 0.2:
        made.append("product(part) as product")
    return tuple(made)


def _needs_values(text: str) -> bool:
    return any(name in text for name in _OF_VALUES)


def _aggregate(rng: random.Random, columns: tuple[str, ...], table: bool) -> str:
    if columns and rng.random() < 0.3:
        return f"{rng.choice(['min', 'max', 'count'])}({rng.choice(columns)})"
    argument = rng.choice(NUMBERS)
    function = rng.choice(["sum", "count", "avg", "min", "max"])
    if function in ("min", "max"):
        argument = rng.choice([argument, "kind", "day", "flag", "time"])
    other = _other_aggregate(rng, table)
    text = rng.choice([f"{function}({argument})"] * 3 + ["count(*)", other, other])
    return text if rng.random() < 0.8 else f"{text} filter (where {predicate(rng, 1)})"


def _other_aggregate(rng: random.Random, table: bool) -> str:
    """Those that are asked for less often."""
    integer = rng.choice(["number", "small", "short"])
    offered = [
        f"median({integer})",
        f"percentile({integer}, 0.9D)",
        "approx_count_distinct(kind)",
        f"var_pop({integer})",
        f"stddev({integer})",
        f"variance({integer})",
        "var_samp(price)",
        f"covar_pop({integer}, small)",
        f"stddev_pop({integer})",
        f"covar_samp({integer}, small)",
        f"corr({integer}, number)",
        f"bit_or({integer})",
        "sum(price)",
        "avg(price)",
        "bool_or(flag)",
        "bool_and(flag)",
        f"bit_xor({integer})",
        f"bit_and({integer})",
        f"count_if({predicate(rng, 0)})",
        "try_sum(derived)",
        "try_avg(number)",
        "sum(cast(number as decimal(12, 2)))",
    ]
    only = ["count(distinct kind)", f"sum(distinct {integer})", "var_pop(number / 4)"]
    return rng.choice([*offered, *only] if table else offered)


def number(rng: random.Random, depth: int) -> str:
    """An integer expression that cannot overflow a bigint with the values of the rows."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(["number", "small", "short", "big", "7", "-2", "cast(flag as int)"])
    left, right = number(rng, depth - 1), number(rng, depth - 1)
    return rng.choice(
        [
            f"(cast({left} as bigint) + {right})",
            f"(cast({left} as bigint) - {right})",
            f"coalesce({left}, {right})",
            f"(case when {predicate(rng, 0)} then {left} else {right} end)",
            f"({left} % 7)",
            f"({left} div 3)",
            f"if({predicate(rng, 0)}, {left}, null)",
            f"abs(cast({left} as bigint))",
            f"greatest({left}, {right})",
            f"least({left}, {right})",
            f"(({left} & 255) | ({right} ^ ~3))",
            f"nullif({left}, {right})",
            "length(kind)",
            "minute(time)",
            "datediff(day, date'1970-01-01')",
            "cast(price as int)",
        ]
    )


def ratio(rng: random.Random) -> str:
    """A floating-point expression."""
    return rng.choice(
        [
            "ratio * 2",
            "narrow + 0.25D",
            "number / 4",
            "ratio - narrow",
            "nvl(ratio, narrow)",
            "greatest(ratio, narrow)",
            "sqrt(abs(number))",
            "floor(number / 4)",
            "sign(ratio)",
            "cast(price as double)",
        ]
    )


def predicate(rng: random.Random, depth: int) -> str:
    """A condition on the columns of the files."""
    if depth > 0 and rng.random() < 0.6:
        left, right = predicate(rng, depth - 1), predicate(rng, depth - 1)
        return rng.choice([f"({left} and {right})", f"({left} or {right})", f"(not {left})"])
    return rng.choice(
        [
            "kind = 'view'",
            "kind in ('a', 'view', null)",
            "kind >= 'b'",
            "kind like 'a%'",
            "endswith(kind, 'e')",
            "contains(kind, 'i')",
            "concat(kind, part) <> 'a1'",
            "number between -1 and 3",
            "big > number",
            "ratio < 2.5D",
            "ratio = narrow",
            "small <=> number",
            "short in (0, 1, 2)",
            "price > 0",
            "to_timestamp(concat(day, ' 2:30:0 Europe/Berlin')) >= timestamp'1970-01-01'",
            "part = 1",
            "part is null",
            "flag",
            "flag is not null",
            "isnull(try_to_timestamp(kind))",
        ]
    )


def time_predicate(rng: random.Random) -> str:
    """A condition on event time, which Spark evaluates behind the watermark."""
    return rng.choice(
        ["time < timestamp'1970-01-01 00:00:35Z'", "second(time) <> 7", "unix_seconds(time) > 3"]
    )
