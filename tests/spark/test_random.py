"""Random queries through `adaptive` against Spark, batch and streaming, with bets that are wrong.

A micro-batch takes Spark much longer than a few hundred rows do, so queries share them: those of a
group are united, each row as text with the number of its query, and run as one.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.spark.comparison import (
    Received,
    Rows,
    assert_same_rows,
    rows_of,
    session,
    stream,
    taken_over,
    write_files,
)
from tests.spark.queries import DDL, RandomQuery, random_query, random_table, wrong_bets

GROUP = 10  # queries over a table that run as one
STREAM_GROUP = 6
# Delays that are no multiple of a window, so that each second of watermark counts.
DELAYS = ("3 seconds", "7 seconds", "13 seconds")


def united(frames: Sequence[DataFrame]) -> DataFrame:
    """The rows of several queries as text, with the number of the query."""
    made = [
        frame.select(
            F.lit(number).alias("number"),
            F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("row"),
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
            raise AssertionError(f"query {number}: {query.text('rows')}") from error


def check_tables(spark: SparkSession, folder: Path, seed: int, size: int = GROUP) -> None:
    """Some queries over one table."""
    rng = random.Random(seed)
    sizes = (300, rng.choice([0, 1]), 300)
    write_files(folder, [random_table(rng, rows, 0, 100) for rows in sizes])
    queries = [random_query(rng, table=True) for _ in range(size)]
    with session(spark, **{"spark.sql.ansi.enabled": "true" if seed % 4 else "false"}):
        table = spark.read.schema(DDL).parquet(str(folder))
        frames = [query.build(table) for query in queries]
        adapted = [
            taken_over(frame, wrong_bets(rng, len(query.keys)))
            for frame, query in zip(frames, queries, strict=True)
        ]
        expected = rows_of(united(frames))
        assert_same(rows_of(united(adapted)), expected, queries)
    assert len(by_query(expected)) > size // 2, "little was compared: take another seed"


def check_streams(
    spark: SparkSession, folder: Path, checkpoints: Path, seed: int, mode: str, size: int
) -> int:
    """Some queries over one stream whose files reach back into the time of those before.

    Returns how often bets were wrong.
    """
    rng = random.Random(seed)
    write_files(folder, [random_table(rng, 150, 20 * n - 30, 20 * n + 10) for n in range(3)])
    delay = rng.choice(DELAYS) if mode == "append" or seed % 3 else None
    queries = [random_query(rng, windowed=delay is not None) for _ in range(size)]
    events = stream(spark, folder, DDL)
    frames = [query.build(events, delay) for query in queries]
    adapted = [
        taken_over(frame, wrong_bets(rng, len(query.keys)))
        for frame, query in zip(frames, queries, strict=True)
    ]
    both = [  # at the same time, because a micro-batch is mostly waiting
        Received(united(adapted), mode, checkpoints / "adapted"),
        Received(united(frames), mode, checkpoints / "native"),
    ]
    found, expected = (received.batches() for received in both)
    assert [number for number, _ in found] == [number for number, _ in expected]
    for (_, left), (_, right) in zip(found, expected, strict=True):
        assert_same(left, right, queries)
    assert any(rows for _, rows in expected), "nothing was compared: take another seed"
    return both[0].guard_exits


def check_group(spark: SparkSession, folder: Path, checkpoints: Path, seed: int) -> int:
    """Several queries as one, whose watermark is the latest of theirs: one may see no row."""
    with session(spark, **{"spark.sql.streaming.multipleWatermarkPolicy": "max"}):
        return check_streams(spark, folder, checkpoints, seed, "append", STREAM_GROUP)


@pytest.fixture
def one_partition(spark: SparkSession) -> Iterator[None]:
    """Fewer tasks: a group has many states."""
    with session(spark, **{"spark.sql.shuffle.partitions": "1"}):
        yield


@pytest.mark.parametrize("seed", range(8))
def test_tables(spark: SparkSession, data: Path, seed: int, one_partition: None) -> None:
    check_tables(spark, data, seed)


def test_streams_in_append_mode(
    spark: SparkSession, data: Path, tmp_path: Path, one_partition: None
) -> None:
    """Spark allows several aggregates in one query in this mode only."""
    exits = 0
    for seed in (100, 101):
        folder = data / str(seed)
        folder.mkdir()
        exits += check_group(spark, folder, tmp_path / str(seed), seed)
    assert exits > 0, "no bet was wrong"


@pytest.mark.parametrize("mode", ["append", "update", "complete"])
def test_streams_alone(
    spark: SparkSession, data: Path, tmp_path: Path, mode: str, one_partition: None
) -> None:
    """Each with a watermark of its own, or none."""
    exits = 0
    for seed in range(200, 204):
        folder = data / str(seed)
        folder.mkdir()
        exits += check_streams(spark, folder, tmp_path / str(seed), seed, mode, 1)
    assert exits > 0, "no bet was wrong"


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_fuzz(
    spark: SparkSession,
    data: Path,
    tmp_path: Path,
    fuzz_seeds: Iterator[int],
    one_partition: None,
) -> None:
    """The same with new seeds for as long as asked; a failure prints its seed."""
    for seed in fuzz_seeds:
        folders = [data / f"{seed}-{part}" for part in range(3)]
        for folder in folders:
            folder.mkdir()
        check_tables(spark, folders[0], seed)
        check_group(spark, folders[1], tmp_path / f"{seed}-a", seed)
        mode = random.Random(seed).choice(["append", "update", "complete"])
        check_streams(spark, folders[2], tmp_path / f"{seed}-b", seed, mode, 1)
