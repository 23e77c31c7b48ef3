"""The garbage collector in Spark's workers: what lasts is set apart, and garbage is still found."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import count

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from adaptive.spark import collector
from adaptive.spark.collector import EVERY, set_lasting_apart


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process is a worker that has not had a task yet."""
    monkeypatch.setattr(collector, "_is_worker", lambda: True)
    monkeypatch.setattr(collector, "_tasks", count())
    gc.unfreeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("worker")
def test_a_task_sets_apart_what_is_there() -> None:
    set_lasting_apart()
    assert gc.get_freeze_count() > 1_000


@pytest.mark.usefixtures("worker")
def test_now_and_then_everything_is_looked_at_again() -> None:
    counts = []
    for _ in range(2 * EVERY):
        set_lasting_apart()
        counts.append(gc.get_freeze_count() > 0)
    assert counts == [*[True] * (EVERY - 1), False] * 2


@pytest.mark.usefixtures("worker")
def test_garbage_that_was_set_apart_is_found_in_the_end() -> None:
    class Held:
        living = 0

        def __init__(self) -> None:
            Held.living += 1
            self.itself = self

        def __del__(self) -> None:
            Held.living -= 1

    Held()
    for _ in range(EVERY - 1):
        set_lasting_apart()
        gc.collect()
    assert Held.living == 1
    set_lasting_apart()
    gc.collect()
    assert Held.living == 0


def test_elsewhere_it_is_left_alone() -> None:
    before = gc.get_freeze_count()
    for _ in range(EVERY):
        set_lasting_apart()
    assert gc.get_freeze_count() == before


def test_in_sparks_workers_it_is_done(spark: SparkSession) -> None:
    def frozen(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counts = []
        for _ in range(2):  # one of them may be the one that looks at everything again
            set_lasting_apart()
            counts.append(gc.get_freeze_count())
        for _ in batches:
            yield pa.RecordBatch.from_pydict({"frozen": [max(counts)]})

    [row] = spark.range(1, numPartitions=1).mapInArrow(frozen, "frozen long").collect()
    assert row[0] > 1_000
