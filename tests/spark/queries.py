"""Random queries and random rows for them, from a seed."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

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
    offset_s: int
    keys: tuple[str, ...]
    aggregates: tuple[str, ...]
    having: str | None

    def build(self, df: DataFrame, watermark: str | None = None) -> DataFrame:
        for predicate in self.before:
            df = df.where(predicate)
        if watermark is not None:
            df = df.withWatermark("time", watermark)
        for name, text in self.projection.items():
            df = df.withColumn(name, F.expr(text))
        for predicate in self.after:
            df = df.where(predicate)
        df = df.groupBy(*self._groups()).agg(*map(F.expr, self.aggregates))
        return df if self.having is None else df.where(self.having)

    def _groups(self) -> list[Column]:
        groups = [F.expr(key) for key in self.keys]
        if self.window_s is not None:
            size, start = f"{self.window_s} seconds", f"{self.offset_s} seconds"
            groups.append(F.window("time", size, startTime=start))
        return groups


def random_query(rng: random.Random, windowed: bool | None = None) -> RandomQuery:
    """A query that Kodiak should be able to take over."""
    projection = {"derived": _number(rng, 2), "level": _ratio(rng)}
    keys = rng.sample(["kind", "flag", "small", "number % 3", "day", "level > 1", "ratio"], k=2)
    has_window = rng.random() < 0.5 if windowed is None else windowed
    window_s = rng.choice([5, 10, 20]) if has_window else None
    return RandomQuery(
        before=tuple(_predicate(rng, 1) for _ in range(rng.randrange(2))),
        projection=projection,
        after=tuple(f"derived <> {_number(rng, 1)}" for _ in range(rng.randrange(2))),
        window_s=window_s,
        offset_s=rng.choice([0, 3]),
        keys=tuple(keys[: rng.randrange(3)]),
        aggregates=tuple(f"{_aggregate(rng)} as a{n}" for n in range(rng.randrange(1, 5))),
        having=rng.choice([None, None, "a0 is not null"]),
    )


def _aggregate(rng: random.Random) -> str:
    argument = rng.choice(["number", "small", "big", "derived", "level", "ratio", "narrow"])
    function = rng.choice(["sum", "count", "avg", "min", "max"])
    if function in ("min", "max"):
        argument = rng.choice([argument, "kind", "day", "flag", "time"])
    text = rng.choice([f"{function}({argument})"] * 3 + ["count(*)"])
    return text if rng.random() < 0.8 else f"{text} filter (where {_predicate(rng, 1)})"


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
            f"abs({left})",
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
