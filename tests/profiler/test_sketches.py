"""Estimates from samples whose truth is known."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiler.sketches import distinct_values, heavy_values, mixed, share_back, tally

RUN_ROWS = 16


def words(values: object) -> np.ndarray:
    return np.asarray(values, np.uint64)


def runs_of(rows: int) -> np.ndarray:
    """Numbers of runs of neighbours."""
    return np.arange(rows) // RUN_ROWS


def draw(weights: np.ndarray, rows: int) -> np.ndarray:
    """So many values, as often as their weights say."""
    chosen = np.random.default_rng(7).choice(len(weights), rows, p=weights / weights.sum())
    return chosen.astype(np.uint64)


def zipf(values: int) -> np.ndarray:
    return 1 / np.arange(1, values + 1)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=60))
def test_a_tally_counts_rows_and_runs(rows: list[tuple[int, int]]) -> None:
    values, runs = [value for value, _ in rows], [run for _, run in rows]
    seen = tally(words(values), np.asarray(runs, np.int64))
    found = {
        values[first]: (first, count, in_runs)
        for first, count, in_runs in zip(seen.first, seen.rows, seen.runs, strict=True)
    }
    assert found == {
        value: (values.index(value), count, len({r for v, r in rows if v == value}))
        for value, count in Counter(values).items()
    }


@pytest.mark.parametrize("count", [1, 100, 10_000, 1_000_000])
@pytest.mark.parametrize("rows", [16_000, 32_000])
def test_even_values_are_counted_within_a_sixth(count: int, rows: int) -> None:
    values = draw(np.ones(count), rows)
    estimate = distinct_values(tally(values, runs_of(rows)))
    assert count * 5 / 6 <= estimate <= count * 7 / 6


def test_a_heavy_value_does_not_hide_the_others() -> None:
    weights = np.ones(1_000_000)
    weights[0] = 1_500_000  # 60 % of the rows
    seen = tally(draw(weights, 16_000), runs_of(16_000))
    assert 700_000 <= distinct_values(seen) <= 1_300_000
    ((_, share),) = heavy_values(seen, 0.01, 4)
    assert share == pytest.approx(0.6, abs=0.02)


@pytest.mark.parametrize(("count", "least"), [(10_000, 6_000), (1_000_000, 30_000)])
def test_of_skewed_values_those_with_nearly_all_rows_are_counted(count: int, least: int) -> None:
    """Those values together: more than 70 % of the rows."""
    estimate = distinct_values(tally(draw(zipf(count), 16_000), runs_of(16_000)))
    assert least <= estimate <= count
    assert zipf(least).sum() > 0.7 * zipf(count).sum()


def test_neighbours_with_one_value_do_not_make_it_common() -> None:
    """Each run has its own value: no estimate by rows would see that there are more."""
    values = words(np.repeat(np.random.default_rng(7).integers(0, 100_000, 2_000), RUN_ROWS))
    seen = tally(values, runs_of(len(values)))
    assert 60_000 <= distinct_values(seen) <= 160_000
    assert not heavy_values(seen, 0.0001, 4)


def test_values_of_which_none_comes_twice_are_very_many() -> None:
    assert distinct_values(tally(words(range(16_000)), runs_of(16_000))) > 100_000_000


def test_nothing_sampled_has_no_values() -> None:
    seen = tally(words([]), np.zeros(0, np.int64))
    assert distinct_values(seen) == 0
    assert heavy_values(seen, 0.01, 4) == []


def test_the_heaviest_values_come_first() -> None:
    values = words([5] * 30 + [9] * 50 + [1, 2, 3, 4, *range(100, 116)])
    order = np.random.default_rng(7).permutation(len(values))
    values = values[order]
    seen = tally(values, np.arange(len(values)))
    found = [(int(values[at]), share) for at, share in heavy_values(seen, 0.02, 4)]
    assert found == [(9, 0.5), (5, 0.3)]


def test_rows_that_differ_in_any_column_are_told_apart() -> None:
    left, right = (side.ravel() for side in np.meshgrid(np.arange(300), np.arange(300)))
    joined = mixed([words(left), words(right)], len(left))
    assert len(np.unique(joined)) == len(left)
    assert np.array_equal(joined, mixed([words(left), words(right)], len(left)))


@pytest.mark.parametrize(
    ("times", "runs", "share"),
    [
        ([1, 2, 3, 3], [0, 0, 0, 0], 0.0),
        ([4, 3, 2, 1], [0, 0, 0, 0], 1.0),
        ([4, 3, 9, 8], [0, 0, 1, 1], 1.0),
        ([9, 10, 1, 2], [0, 0, 1, 1], 0.0),  # another run says nothing
        ([1, 2, 1, 5, 6], [0, 0, 0, 0, 0], 0.25),
        ([7], [0], 0.0),
        ([], [], 0.0),
    ],
)
def test_the_share_of_rows_that_go_back_in_time(
    times: list[int], runs: list[int], share: float
) -> None:
    assert share_back(np.asarray(times, np.int64), np.asarray(runs, np.int64)) == share
