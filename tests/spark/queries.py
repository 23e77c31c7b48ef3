"""Random queries and random rows for them, from a seed."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ir import FilterOrder, KeysInRange, Prefetch, SelectRows, Tier, VariantSpec
from tests.bets import Erratic

SCHEMA = pa.schema(
    [
        pa.field("flag", pa.bool_()),
        pa.field("small", pa.int8()),
        pa.field("number", pa.int32()),
        pa.field("big", pa.int64()),
        pa.field("ratio", pa.float64()),
        pa.field("narrow", pa.float32()),
        pa.field("kind", pa.string()),
        pa.field("day", pa.date32()),
        pa.field("time", pa.timestamp("us", tz="UTC")),
    ]
)
DDL = (
    "flag boolean, small tinyint, number int, big bigint, ratio double, narrow float,"
    " kind string, day date, time timestamp"
)
# Multiples of a quarter add up exactly in any order; the rest are the awkward ones.
_FLOATS = [0.0, -0.0, 0.25, -1.75, 2.5, 1024.0, math.nan, math.inf]
_VALUES: dict[str, list[object]] = {
    "flag": [True, False],
    "small": [-128, -1, 0, 1, 2, 127],
    "number": [-7, -1, 0, 1, 2, 3, 100_000],
    "big": [-(2**40), -1, 0, 1, 5, 2**40],
    "ratio": list(_FLOATS),
    "narrow": list(_FLOATS),
    "kind": ["", "a", "b", "view", "größe", "a longer string than most"],
    "day": [-1, 0, 1, 20_000],
}


def random_table(rng: random.Random, rows: int, first_s: float, last_s: float) -> pa.Table:
    """Rows with nulls in every column and times between two moments."""
    columns = {
        name: [None if rng.random() < 0.1 else rng.choice(values) for _ in range(rows)]
        for name, values in _VALUES.items()
    }
    times = [round(rng.uniform(first_s, last_s) * 1e6) for _ in range(rows)]
    columns["time"] = [None if rng.random() < 0.05 else time for time in times]
    return pa.table([pa.array(columns[f.name], f.type) for f in SCHEMA], schema=SCHEMA)


@dataclass(frozen=True)
class RandomQuery:
    """A query over `DDL`: filters, a projection, groups, aggregates, perhaps a HAVING."""

    before: tuple[str, ...]
    projection: dict[str, str]
    after: tuple[str, ...]
    window_s: int | None
    slide_s: int | None
    offset_s: int
    keys: tuple[str, ...]
    aggregates: tuple[str, ...]
    having: str | None
    as_sql: bool

    def build(self, df: DataFrame, watermark: str | None = None) -> DataFrame:
        """The query by DataFrame calls, or as SQL text over what is below the watermark."""
        for predicate in self.before:
            df = df.where(predicate)
        if watermark is not None:
            df = df.withWatermark("time", watermark)
        return self._by_text(df) if self.as_sql else self._by_calls(df)

    def _by_calls(self, df: DataFrame) -> DataFrame:
        for name, text in self.projection.items():
            df = df.withColumn(name, F.expr(text))
        for predicate in self.after:
            df = df.where(predicate)
        df = df.groupBy(*self._groups()).agg(*map(F.expr, self.aggregates))
        return df if self.having is None else df.where(self.having)

    def _by_text(self, df: DataFrame) -> DataFrame:
        df.createOrReplaceTempView("random_rows")
        return df.sparkSession.sql(self.text("random_rows"))

    def text(self, table: str) -> str:
        """The query as SQL text over a table."""
        columns = ", ".join(["*", *(f"{text} as {name}" for name, text in self.projection.items())])
        where = f" where {' and '.join(self.after)}" if self.after else ""
        groups = [*self.keys, *self._window_text()]
        names = [f"{key} as k{n}" for n, key in enumerate(self.keys)]
        names += [] if self.window_s is None else ["window"]
        grouped = f" group by {', '.join(groups)}" if groups else ""
        having = f" having {self.having}" if self.having else ""
        results = ", ".join([*names, *self.aggregates])
        rows = f"with p as (select {columns} from {table})"
        return f"{rows} select {results} from p{where}{grouped}{having}"

    def _window_text(self) -> list[str]:
        if self.window_s is None:
            return []
        times = (self.window_s, self.slide_s or self.window_s, self.offset_s)
        return [f"window(time, {', '.join(repr(f'{s} seconds') for s in times)})"]

    def _groups(self) -> list[Column]:
        groups = [F.expr(key).alias(f"k{n}") for n, key in enumerate(self.keys)]
        if self.window_s is not None:
            slide = None if self.slide_s is None else f"{self.slide_s} seconds"
            start = f"{self.offset_s} seconds"
            groups.append(F.window("time", f"{self.window_s} seconds", slide, start))
        return groups


def random_query(
    rng: random.Random, windowed: bool | None = None, table: bool = False
) -> RandomQuery:
    """A query that Kodiak should be able to take over; some things only of a table."""
    projection = {"derived": _number(rng, 2), "level": _ratio(rng)}
    keys = rng.sample(["kind", "flag", "small", "number % 3", "day", "level > 1", "ratio"], k=2)
    has_window = rng.random() < 0.5 if windowed is None else windowed
    window_s = rng.choice([5, 10, 20]) if has_window else None
    slide_s = rng.choice([None, None, window_s // 5, 4]) if window_s else None
    return RandomQuery(
        before=tuple(_predicate(rng, 1) for _ in range(rng.randrange(2))),
        projection=projection,
        after=tuple(f"derived <> {_number(rng, 1)}" for _ in range(rng.randrange(2))),
        window_s=window_s,
        slide_s=slide_s,
        offset_s=rng.choice([0, 3 if slide_s is None else slide_s - 1]),
        keys=tuple(keys[: rng.randrange(3)]),
        aggregates=_aggregates(rng, table),
        having=rng.choice([None, None, "a0 is not null"]),
        as_sql=rng.random() < 0.5,
    )


def wrong_bets(rng: random.Random, keys: int) -> Erratic:
    """A policy that bets without a look at the data, on something else from time to time."""
    variants = []
    for _ in range(2):
        low = [rng.choice([-3, 0, 1, 2, 2**31 - 3]) for _ in range(keys)]
        ranges = tuple((first, first + rng.choice([0, 1, 5])) for first in low)
        bets = (KeysInRange(ranges),) if keys else ()
        hint = rng.choice([Prefetch(2), SelectRows(7), FilterOrder((1, 0), ())])
        variants.append(VariantSpec(Tier.SPECULATIVE, bets, (hint,)))
    return Erratic(variants=tuple(variants), seed=rng.randrange(100))


def _aggregates(rng: random.Random, table: bool) -> tuple[str, ...]:
    """Some aggregates; one of them at most needs all values, because two cannot be native."""
    made: list[str] = []
    for number in range(rng.randrange(1, 5)):
        text = _aggregate(rng, table)
        while _needs_values(text) and any(map(_needs_values, made)):
            text = _aggregate(rng, table)
        made.append(f"{text} as a{number}")
    return tuple(made)


def _needs_values(text: str) -> bool:
    return any(name in text for name in ("median", "percentile", "distinct"))


def _aggregate(rng: random.Random, table: bool = False) -> str:
    argument = rng.choice(["number", "small", "big", "derived", "level", "ratio", "narrow"])
    function = rng.choice(["sum", "count", "avg", "min", "max"])
    if function in ("min", "max"):
        argument = rng.choice([argument, "kind", "day", "flag", "time"])
    text = rng.choice([f"{function}({argument})"] * 3 + ["count(*)", _other_aggregate(rng, table)])
    return text if rng.random() < 0.8 else f"{text} filter (where {_predicate(rng, 1)})"


def _other_aggregate(rng: random.Random, table: bool) -> str:
    """Those that are asked for less often."""
    integer = rng.choice(["number", "small"])
    offered = [
        f"median({integer})",
        f"percentile({integer}, 0.9D)",
        "approx_count_distinct(kind)",
        f"var_pop({integer})",
        f"stddev({integer})",
        "bool_or(flag)",
        f"bit_xor({integer})",
        f"count_if({_predicate(rng, 0)})",
        "try_sum(derived)",
        "sum(cast(number as decimal(12, 2)))",
    ]
    return rng.choice([*offered, "count(distinct kind)"] if table else offered)


def _number(rng: random.Random, depth: int) -> str:
    """An integer expression that cannot overflow a bigint with the values above."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(["number", "small", "big", "7", "-2", "cast(flag as int)"])
    left, right = _number(rng, depth - 1), _number(rng, depth - 1)
    return rng.choice(
        [
            f"(cast({left} as bigint) + {right})",
            f"(cast({left} as bigint) - {right})",
            f"coalesce({left}, {right})",
            f"(case when {_predicate(rng, 0)} then {left} else {right} end)",
            f"({left} % 7)",
            f"({left} div 3)",
            f"if({_predicate(rng, 0)}, {left}, null)",
            f"abs(cast({left} as bigint))",
            f"greatest({left}, {right})",
            f"least({left}, {right})",
            f"(({left} & 255) | ({right} ^ ~3))",
            f"nullif({left}, {right})",
            "length(kind)",
        ]
    )


def _ratio(rng: random.Random) -> str:
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
        ]
    )


def _predicate(rng: random.Random, depth: int) -> str:
    if depth > 0 and rng.random() < 0.6:
        left, right = _predicate(rng, depth - 1), _predicate(rng, depth - 1)
        return rng.choice([f"({left} and {right})", f"({left} or {right})", f"(not {left})"])
    return rng.choice(
        [
            "kind = 'view'",
            "kind in ('a', 'view', null)",
            "kind >= 'b'",
            "kind like 'a%'",
            "endswith(kind, 'e')",
            "contains(kind, 'i')",
            "number between -1 and 3",
            "big > number",
            "ratio < 2.5D",
            "ratio = narrow",
            "small <=> number",
            "day >= date'1970-01-01'",
            "flag",
            "flag is not null",
            "isnull(kind)",
        ]
    )
