"""Random queries over `random_rows`, from a seed: as calls or as text, over all kinds of files."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ir import FilterOrder, KeysInRange, Prefetch, SelectRows, Tier, VariantSpec
from tests.bets import Erratic
from tests.spark.random_expressions import (
    KEYS,
    aggregates,
    number,
    predicate,
    ratio,
    time_predicate,
)
from tests.spark.random_sources import CORRUPT, RandomSource

CODE_COLUMNS = ("label", "weight")
# What is grouped again on top: of a stream by the time of windows, of a table by anything.
ABOVE = ("count(*) as n", "min(a0) as low", "max(a0) as high")


@dataclass(frozen=True)
class RandomJoin:
    """A join with the small table, before or behind `withWatermark`."""

    how: str
    condition: str
    is_behind: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """What rows get from the table."""
        return CODE_COLUMNS if self.how in ("inner", "left") else ()

    def applied(self, df: DataFrame) -> DataFrame:
        return df.join(df.sparkSession.table("random_codes"), F.expr(self.condition), self.how)

    def text(self) -> str:
        kind = self.how.replace("_", " ")
        return f" {kind} join random_codes on {self.condition}"


@dataclass(frozen=True)
class RandomQuery:
    """Filters, a join, a projection; perhaps groups, aggregates, a HAVING, and groups of those."""

    source: RandomSource
    before: tuple[str, ...]
    join: RandomJoin | None
    projection: dict[str, str] = field(hash=False)
    after: tuple[str, ...]
    window: tuple[int, ...]  # size, slide and offset in seconds; a gap; or nothing
    keys: tuple[str, ...]
    aggregates: tuple[str, ...]  # none: rows alone
    having: str | None
    above: str | None  # what the results are grouped by once more
    as_sql: bool

    @property
    def features(self) -> set[str]:
        """What the query has of what there is, for the sake of counting."""
        asked = {
            self.source.format,
            "folders" if self.source.in_folders else "",
            f"{self.source.format} {self.source.mode}" if self.source.is_text else "",
            "corrupt text" if self.source.with_texts else "",
            "csv options" if self.source.options else "",
            "" if self.join is None else f"{self.join.how} join",
            ("no window", "session", "", "window")[len(self.window)],
            "sliding" if len(self.window) == 3 and self.window[0] != self.window[1] else "",
            "" if self.having is None else "having",
            "" if self.above is None else "second aggregate",
            "aggregate" if self.aggregates else "rows alone",
            "text" if self.as_sql else "calls",
        }
        return asked - {""}

    @property
    def words(self) -> set[str]:
        """Names of functions and the like in its text."""
        return set(re.findall(r"\w+", f"{self.before} {self.text('rows')}"))

    def build(self, df: DataFrame, watermark: str | None = None) -> DataFrame:
        """The query by DataFrame calls, or as SQL text over what is below the watermark."""
        for condition in self.before:
            df = df.where(condition)
        if self.join is not None and not self.join.is_behind:
            df = self.join.applied(df)
        if watermark is not None:
            df = df.withWatermark("time", watermark)
        if not self.as_sql:
            return self._by_calls(df)
        df.createOrReplaceTempView("random_rows")
        return df.sparkSession.sql(self.text("random_rows"))

    def _by_calls(self, df: DataFrame) -> DataFrame:
        if self.join is not None and self.join.is_behind:
            df = self.join.applied(df)
        for name, text in self.projection.items():
            df = df.withColumn(name, F.expr(text))
        for condition in self.after:
            df = df.where(condition)
        if not self.aggregates:
            return df.select(*self._named_keys(), "derived", "level", "time")
        df = df.groupBy(*self._groups()).agg(*map(_aggregate, self.aggregates))
        if self.having is not None:
            df = df.where(self.having)
        if self.above is not None:
            df = df.groupBy(F.expr(self.above).alias("g")).agg(*map(F.expr, ABOVE))
        return df

    def text(self, table: str) -> str:
        """The query as SQL text over a table."""
        columns = ", ".join(["*", *(f"{text} as {name}" for name, text in self.projection.items())])
        joined = "" if self.join is None or not self.join.is_behind else self.join.text()
        where = f" where {' and '.join(self.after)}" if self.after else ""
        rows = f"select {columns} from {table}{joined}"
        names = [f"{key} as k{n}" for n, key in enumerate(self.keys)]
        if not self.aggregates:  # rows of common tables stay in Spark
            return f"select {', '.join([*names, 'derived', 'level', 'time'])} from ({rows}){where}"
        names += [self._window_name()] if self.window else []
        groups = [*self.keys, *self._window_text()]
        grouped = f" group by {', '.join(groups)}" if groups else ""
        having = f" having {self.having}" if self.having else ""
        results = ", ".join([*names, *self.aggregates])
        text = f"with p as ({rows}) select {results} from p{where}{grouped}{having}"
        if self.above is None:
            return text
        return f"select {self.above} as g, {', '.join(ABOVE)} from ({text}) group by {self.above}"

    def _window_name(self) -> str:
        return "session_window" if len(self.window) == 1 else "window"

    def _window_text(self) -> list[str]:
        if not self.window:
            return []
        times = ", ".join(f"'{seconds} seconds'" for seconds in self.window)
        return [f"{self._window_name()}(time, {times})"]

    def _named_keys(self) -> list[Column]:
        return [F.expr(key).alias(f"k{n}") for n, key in enumerate(self.keys)]

    def _groups(self) -> list[Column]:
        groups = self._named_keys()
        seconds = [f"{n} seconds" for n in self.window]
        if len(seconds) == 1:
            groups.append(F.session_window("time", seconds[0]))
        elif seconds:
            groups.append(F.window("time", *seconds))
        return groups


@dataclass(frozen=True)
class Setting:
    """Where queries are to run, which decides what they may be."""

    mode: str | None  # of the output of a stream; None is a table
    has_watermark: bool = False

    @property
    def is_table(self) -> bool:
        return self.mode is None


def random_query(rng: random.Random, source: RandomSource, setting: Setting) -> RandomQuery:
    """A query that Kodiak should be able to take over."""
    projection = {"derived": number(rng, 2), "level": ratio(rng)}
    join = _join(rng, setting)
    window = _window(rng, setting)
    has_rows_alone = not source.is_text and setting.mode in (None, "append", "update")
    if has_rows_alone and join is None and rng.random() < 0.15:
        return _rows_alone(rng, source, projection, setting)
    columns = () if join is None else join.columns
    corrupt = (CORRUPT,) if source.with_texts else ()
    keys: Sequence[str] = rng.sample(
        [*KEYS, *columns[:1], *(f"{name} is null" for name in corrupt)], k=2
    )
    # Spark refuses sessions of a stream without a key.
    least = 1 if len(window) == 1 and not setting.is_table else 0
    after = [f"derived <> {number(rng, 1)}" for _ in range(rng.randrange(2))]
    if join is None and rng.random() < 0.2:
        after.append(time_predicate(rng))
    keys = tuple(keys[: max(least, rng.randrange(3))])
    as_sql = rng.random() < 0.5
    made = aggregates(rng, (*columns, *corrupt), table=setting.is_table) + _of_keys(rng, keys)
    return RandomQuery(
        source=source,
        before=tuple(predicate(rng, 1) for _ in range(rng.randrange(2))),
        join=join,
        projection=projection,
        after=tuple(after),
        window=window,
        keys=keys,
        aggregates=made if not as_sql else tuple(a for a in made if "product" not in a),
        having=rng.choice([None, None, "a0 is not null"]),
        above=_above(rng, setting, window),
        as_sql=as_sql,
    )


def _aggregate(text: str) -> Column:
    """SQL has no name for a product."""
    found = re.fullmatch(r"product\((\w+)\) as (\w+)", text)
    return F.expr(text) if found is None else F.product(found[1]).alias(found[2])


def _of_keys(rng: random.Random, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Any row of a group has its keys."""
    if not keys or rng.random() < 0.7:
        return ()
    return tuple(f"{name}({keys[0]}) as {name}_key" for name in ("first", "last"))


def _rows_alone(
    rng: random.Random, source: RandomSource, projection: dict[str, str], setting: Setting
) -> RandomQuery:
    """A filter is there always: without one, or above a watermark, all rows would be moved."""
    before = (predicate(rng, 1),)
    after = () if setting.has_watermark else (f"derived <> {number(rng, 1)}",)
    keys = tuple(rng.sample(KEYS, k=2))
    as_sql = rng.random() < 0.5
    return RandomQuery(source, before, None, projection, after, (), keys, (), None, None, as_sql)


def _join(rng: random.Random, setting: Setting) -> RandomJoin | None:
    if rng.random() < 0.65:
        return None
    how = rng.choice(["inner", "inner", "left", "left_semi", "left_anti"])
    condition = rng.choice(
        ["kind = code_kind", "number = code_number", "code_kind = kind and number = code_number"]
    )
    if how == "inner" and rng.random() < 0.3:
        condition += " and big >= weight"
    # Spark may evaluate joins that only select rows before the watermark, or behind it.
    must_be_below = setting.has_watermark and how in ("left_semi", "left_anti")
    return RandomJoin(how, condition, not must_be_below and rng.random() < 0.6)


def _window(rng: random.Random, setting: Setting) -> tuple[int, ...]:
    """Under a watermark there is one; sessions only where no row can be late."""
    if not setting.has_watermark:
        kind = rng.choice(["none", "none", "window", "session"])
        if kind == "none":
            return ()
        if kind == "session" and setting.mode in (None, "complete"):
            return (rng.choice([1, 3, 7]),)
    size = rng.choice([5, 10, 20])
    slide = rng.choice([size, size, size // 5, 4])
    return (size, slide, rng.choice([0, 3 if slide == size else slide - 1]))


def _above(rng: random.Random, setting: Setting, window: tuple[int, ...]) -> str | None:
    if rng.random() < 0.7:
        return None
    if setting.is_table:
        return rng.choice(["a0 is null", "1 + 1", "window" if len(window) == 3 else "a0"])
    if setting.mode == "append" and len(window) == 3:
        return "window(window_time(window), '40 seconds')"
    return None


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
