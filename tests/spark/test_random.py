"""Random queries through `adaptive` against Spark, batch and streaming, with bets that are wrong.

A micro-batch takes Spark much longer than a few hundred rows do, so queries share them: those of a
group are united, each row as text with the number of its query, and run as one.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from adaptive.explain import CannotAdaptError
from tests.spark.comparison import Received, Rows, assert_same_rows, rows_of, session, taken_over
from tests.spark.queries import RandomQuery, Setting, random_query, wrong_bets
from tests.spark.random_rows import codes, random_table
from tests.spark.random_sources import RandomSource, random_sources

TABLE_GROUP = 10  # queries that run as one
STREAM_GROUP = 6
SOURCES = 3  # of a group
# Seeds of `make test`; with the groups above, they are 106 queries.
TABLES = (1, 3, 4, 5, 9, 11, 19)
GROUPS = {"append": (105, 108), "update": (112,), "complete": (126,)}
ALONE = {
    "append": (200, 202, 203, 206),
    "update": (200, 201, 203, 206),
    "complete": (201, 202, 203, 210),
}
# Delays that are no multiple of a window, so that each second of watermark counts.
DELAYS = ("3 seconds", "7 seconds", "13 seconds")
ZONES = ("UTC", "Europe/Berlin", "America/St_Johns")
# What a random query may stay in Spark for. Each needs a certain mix, which is not worth avoiding.
KEPT = (
    "would count in Spark but not natively",
    "what Spark's reader does itself is not certain",
    "Spark's optimizer makes several scans",
    "reads nothing but",
    "which records are bad, and Spark reads less",
    "make_date has a native form only in ANSI mode",
    "a key can fail for rows that a filter after the watermark drops",
    "a filter on event time stands behind a join and withWatermark",
)
TIMES = {"timestampFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS", "ignoreNullFields": "false"}


class Case:
    """The queries of a seed: drawn without Spark, so that it can be counted what they are."""

    def __init__(self, seed: int, size: int, mode: str | None = None) -> None:
        self.rng = random.Random(seed)
        self.mode = mode
        self.delay = self.rng.choice(DELAYS) if mode == "append" or (mode and seed % 3) else None
        self.settings = {
            "spark.sql.session.timeZone": self.rng.choice(ZONES),
            "spark.sql.ansi.enabled": "true" if seed % 4 else "false",
            "spark.sql.shuffle.partitions": "1",  # fewer tasks: a group has many states
            # The watermark of a group is the latest of its queries: one may see no row.
            "spark.sql.streaming.multipleWatermarkPolicy": "max",
            # Spark would refuse several aggregates in a query in other modes than append.
            "spark.sql.streaming.unsupportedOperationCheck": str(mode in (None, "append")).lower(),
        }
        self.sources = random_sources(self.rng, min(size, SOURCES))
        setting = Setting(mode, self.delay is not None)
        self.queries = [
            random_query(self.rng, self.rng.choice(self.sources), setting) for _ in range(size)
        ]

    def written(self, folder: Path, tables: Sequence[pa.Table]) -> dict[RandomSource, Path]:
        """The folder of each source, with the same rows in its own form."""
        places = {}
        for number, source in enumerate(dict.fromkeys(self.sources)):
            places[source] = folder / str(number)
            places[source].mkdir()
            source.write(self.rng, places[source], tables)
        return places

    def frames(
        self, spark: SparkSession, places: dict[RandomSource, Path]
    ) -> list[tuple[RandomQuery, DataFrame, DataFrame]]:
        """The queries that are taken over, each natively and adapted."""
        codes(spark)
        is_stream = self.mode is not None
        read = {s: s.read(spark, place, as_stream=is_stream) for s, place in places.items()}
        taken = []
        for query in self.queries:
            frame = query.build(read[query.source], self.delay)
            try:
                adapted = taken_over(frame, wrong_bets(self.rng, len(query.keys)))
            except CannotAdaptError as error:
                if not any(reason in str(error) for reason in KEPT):
                    raise AssertionError(str(query)) from error
                continue
            taken.append((query, frame, adapted))
        return taken


def united(frames: Sequence[DataFrame]) -> DataFrame:
    """The rows of several queries as text, with the number of the query."""
    made = [
        frame.select(
            F.lit(number).alias("number"), F.to_json(F.struct("*"), dict(TIMES)).alias("row")
        )
        for number, frame in enumerate(frames)
    ]
    return reduce(DataFrame.unionAll, made)


def by_query(rows: Rows) -> dict[int, Rows]:
    """The rows of each query, in an order that does not depend on how they were computed."""
    found: dict[int, Rows] = defaultdict(list)
    for number, text in rows:
        found[number].append(tuple(json.loads(text).values()))
    return {number: sorted(mine, key=_without_digits) for number, mine in found.items()}


def _without_digits(row: tuple[object, ...]) -> str:
    exact = [value for value in row if not isinstance(value, float)]
    return repr((exact, [f"{value:.6g}" for value in row if isinstance(value, float)]))


def assert_same(actual: Rows, expected: Rows, queries: Sequence[RandomQuery]) -> None:
    """Query by query, so that a failure names the one."""
    left, right = by_query(actual), by_query(expected)
    for number, query in enumerate(queries):
        try:
            assert_same_rows(left.get(number, []), right.get(number, []))
        except AssertionError as error:
            raise AssertionError(f"query {number}: {query.text('rows')}\n{query}") from error


@dataclass(frozen=True)
class Compared:
    """How many queries gave rows, of how many that were compared, and how often bets were wrong."""

    with_rows: int = 0
    queries: int = 0
    guard_exits: int = 0

    def __add__(self, other: Compared) -> Compared:
        return Compared(
            self.with_rows + other.with_rows,
            self.queries + other.queries,
            self.guard_exits + other.guard_exits,
        )


def check_tables(spark: SparkSession, folder: Path, seed: int) -> Compared:
    """Some queries over tables."""
    case = Case(seed, TABLE_GROUP)
    tables = [random_table(case.rng, rows, 0, 100) for rows in (300, case.rng.choice([0, 1]), 300)]
    with session(spark, **case.settings):
        taken = case.frames(spark, case.written(folder, tables))
        expected = rows_of(united([frame for _, frame, _ in taken]))
        actual = rows_of(united([adapted for *_, adapted in taken]))
    assert_same(actual, expected, [query for query, *_ in taken])
    return Compared(len(by_query(expected)), len(taken))


def check_streams(
    spark: SparkSession, folder: Path, checkpoints: Path, seed: int, mode: str, size: int
) -> Compared:
    """Some queries over streams whose files reach back into the time of those before."""
    case = Case(seed, size, mode)
    tables = [random_table(case.rng, 150, 20 * n - 30, 20 * n + 10) for n in range(3)]
    with session(spark, **case.settings):
        taken = case.frames(spark, case.written(folder, tables))
        if not taken:
            return Compared()
        both = [  # at the same time, because a micro-batch is mostly waiting
            Received(united([adapted for *_, adapted in taken]), mode, checkpoints / "adapted"),
            Received(united([frame for _, frame, _ in taken]), mode, checkpoints / "native"),
        ]
        found, expected = (received.batches() for received in both)
    assert [number for number, _ in found] == [number for number, _ in expected]
    with_rows: set[int] = set()
    for (_, left), (_, right) in zip(found, expected, strict=True):
        assert_same(left, right, [query for query, *_ in taken])
        with_rows |= by_query(right).keys()
    return Compared(len(with_rows), len(taken), both[0].guard_exits)


@pytest.mark.parametrize("seed", TABLES)
def test_tables(spark: SparkSession, data: Path, seed: int) -> None:
    compared = check_tables(spark, data, seed)
    assert compared.queries >= TABLE_GROUP - 2, "little is native: take another seed"
    assert compared.with_rows > TABLE_GROUP // 2, "little was compared: take another seed"


@pytest.mark.parametrize("mode", GROUPS)
def test_streams(spark: SparkSession, data: Path, tmp_path: Path, mode: str) -> None:
    assert_streams(spark, data, tmp_path, mode, GROUPS[mode], STREAM_GROUP)


@pytest.mark.parametrize("mode", ALONE)
def test_streams_alone(spark: SparkSession, data: Path, tmp_path: Path, mode: str) -> None:
    """Each with a watermark of its own, or none."""
    assert_streams(spark, data, tmp_path, mode, ALONE[mode], 1)


def assert_streams(
    spark: SparkSession, data: Path, tmp_path: Path, mode: str, seeds: Iterable[int], size: int
) -> None:
    compared, asked = Compared(), 0
    for seed in seeds:
        folder = data / str(seed)
        folder.mkdir()
        compared += check_streams(spark, folder, tmp_path / str(seed), seed, mode, size)
        asked += size
    assert compared.queries >= asked * 5 // 6, "little is native: take other seeds"
    assert compared.with_rows >= asked * 2 // 3, "little was compared: take other seeds"
    assert compared.guard_exits > 0, "no bet was wrong"


def test_the_queries_have_all_that_is_supported() -> None:
    """Over a hundred of them; another generator or another seed may lose something."""
    tables = [q for seed in TABLES for q in Case(seed, TABLE_GROUP).queries]
    streams = [
        query
        for seeds, size in ((GROUPS, STREAM_GROUP), (ALONE, 1))
        for mode, numbers in seeds.items()
        for seed in numbers
        for query in Case(seed, size, mode).queries
    ]
    assert len(tables) + len(streams) >= 100
    of_tables, of_streams = (
        Counter(feature for query in queries for feature in query.features)
        for queries in (tables, streams)
    )
    both = {
        *("parquet", "arrow", "json", "csv", "folders", "inner join", "left join", "having"),
        *("no window", "window", "sliding", "session", "rows alone", "second aggregate"),
        *("text", "calls", "corrupt text", "csv options"),
    }
    modes = {f"{f} {m}" for f in ("json", "csv") for m in ("PERMISSIVE", "DROPMALFORMED")}
    of_all = {"left_semi join", "left_anti join", "json FAILFAST", "csv FAILFAST", *modes}
    assert (both - of_tables.keys(), both - of_streams.keys()) == (set(), set())
    assert of_all - (of_tables | of_streams).keys() == set()
    words = " ".join(word for query in (*tables, *streams) for word in query.words)
    assert [name for name in _supported_names() if not re.search(rf"\b{name}", words)] == []


def _supported_names() -> set[str]:
    """What README says is native: functions of all kinds, and types."""
    lines = (Path(__file__).parents[2] / "README.md").read_text().splitlines()
    rows = {line.split("|")[1].strip(): line for line in lines if line.startswith("| ")}
    kinds = ("Aggregates", "Expressions", *(name for name in rows if name.endswith("functions")))
    native = (rows[kind].replace("\\|", "").split("|")[2] for kind in kinds)
    return {name for text in native for name in re.findall(r"`(\w*[a-z0-9])`", text)}


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_fuzz(spark: SparkSession, data: Path, tmp_path: Path, fuzz_seeds: Iterator[int]) -> None:
    """The same with new seeds for as long as asked; a failure prints its seed."""
    for seed in fuzz_seeds:
        folders = [data / f"{seed}-{part}" for part in range(3)]
        for folder in folders:
            folder.mkdir()
        check_tables(spark, folders[0], seed)
        modes = random.Random(seed).choices(list(GROUPS), k=2)
        check_streams(spark, folders[1], tmp_path / f"{seed}-a", seed, modes[0], STREAM_GROUP)
        check_streams(spark, folders[2], tmp_path / f"{seed}-b", seed, modes[1], 1)
