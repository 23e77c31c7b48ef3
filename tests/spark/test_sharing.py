"""How many tasks share files: sizes in, tasks out. No JVM needed."""

from __future__ import annotations

import pytest

from adaptive.spark.sharing import LEAST_TASK, Sharing, chosen_sharing, sharing

MB = 1 << 20
GB = 1 << 30
ALONE = Sharing()


@pytest.mark.parametrize(
    ("sizes", "format_", "cores", "at_once", "expected"),
    [
        ([], "parquet", 2, None, ALONE),
        ([31 * MB], "parquet", 2, None, ALONE),
        ([31 * MB], "json", 2, None, Sharing(2, LEAST_TASK)),
        ([100 * MB], "arrow", 2, None, ALONE),
        ([100 * MB], "parquet", 2, None, Sharing(2, LEAST_TASK)),
        ([100 * MB] * 10, "parquet", 2, None, ALONE),  # Spark makes two tasks of five
        ([100 * MB] * 5, "parquet", 2, None, Sharing(2, LEAST_TASK)),
        ([100 * MB] * 10, "parquet", 2, 3, Sharing(2, LEAST_TASK)),
        ([100 * MB] * 10, "parquet", 16, None, Sharing(16, LEAST_TASK)),
        ([5 * GB, 1], "parquet", 2, None, Sharing(6, LEAST_TASK)),
    ],
)
def test_tasks(
    sizes: list[int], format_: str, cores: int, at_once: int | None, expected: Sharing
) -> None:
    assert sharing(sizes, format_, cores, at_once) == expected


@pytest.mark.parametrize(
    ("sizes", "chosen", "expected"),
    [
        ([], MB, Sharing(1, MB)),
        ([MB, MB // 2], MB, Sharing(1, MB)),
        ([10 * MB + 1, MB], MB, Sharing(11, MB)),
        ([MB], 1, Sharing(16, 64 << 10)),
    ],
)
def test_tasks_of_a_size_that_the_user_sets(
    sizes: list[int], chosen: int, expected: Sharing
) -> None:
    assert chosen_sharing(sizes, chosen) == expected
