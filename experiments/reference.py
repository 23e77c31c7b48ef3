"""The right answers of the workloads by numpy alone, and the check of contestants' results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from adaptive.demo.ysb_data import START_US
from experiments.workloads import SECOND_US, Stream, Workload, first_window, views_of

# Values are from 0 to 99, so the frequencies of a group's values are a row of a small matrix.
VALUES = 100

Array = np.ndarray[Any, Any]
Check = Callable[[str, pa.Table], None]


class WrongAnswer(AssertionError):
    """A contestant's result differs from the reference, so its time means nothing."""


def check_of(workload: Workload, stream: Stream) -> Check:
    """A check that a result has exactly the right groups, each with the right value."""
    if workload.window == "sliding":
        present, expected = _slide(workload, stream)
        return _checker(workload, present, _close_to(expected))
    cells, values = _cells(workload, stream)
    present = np.bincount(cells) > 0
    if workload.aggregate == "mode":
        return _checker(workload, present, _most_frequent(_frequencies(cells, values)))
    return _checker(workload, present, _close_to(_aggregate(workload, cells, values)))


def _cells(workload: Workload, stream: Stream) -> tuple[Array, Array]:
    """For each view, its window and key as one number, and its value."""
    views = [views_of(batch) for batch in stream.batches]
    time_us, keys, values = (np.concatenate(column) for column in zip(*views, strict=True))
    if workload.window == "count":
        windows = _ranks(keys) // workload.size
    else:
        windows = (time_us - first_window(workload)) // workload.size
    return windows * workload.keys + keys, values


def _ranks(keys: Array) -> Array:
    """The number of each row among those with its key, in order of arrival."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.searchsorted(ordered, ordered)
    ranks = np.empty_like(keys)
    ranks[order] = np.arange(len(keys)) - starts
    return ranks


def _aggregate(workload: Workload, cells: Array, values: Array) -> Array:
    """The result of each cell; all sums are exact in a double."""
    with np.errstate(invalid="ignore", divide="ignore"):
        counts = np.bincount(cells)
        sums = np.bincount(cells, values)
        match workload.aggregate:
            case "sum":
                return sums
            case "avg":
                return sums / counts
            case "stddev":
                squares = np.bincount(cells, values * values)
                return np.sqrt((squares - sums * sums / counts) / (counts - 1))
            case "median":
                return _medians(_frequencies(cells, values))
    raise NotImplementedError(f"no reference for {workload.aggregate}")


def _frequencies(cells: Array, values: Array) -> Array:
    """How often each value occurs in each cell."""
    groups = int(cells.max()) + 1
    return np.bincount(cells * VALUES + values, minlength=groups * VALUES).reshape(-1, VALUES)


def _medians(frequencies: Array) -> Array:
    running = frequencies.cumsum(axis=1)
    counts = running[:, -1:]
    low = (running <= (counts - 1) // 2).sum(axis=1)
    high = (running <= counts // 2).sum(axis=1)
    middle: Array = (low + high) / 2
    return middle


def _slide(workload: Workload, stream: Stream) -> tuple[Array, Array]:
    """Windows that are complete by the last event, as differences of running sums of slices."""
    windows = (stream.last_end_us - START_US) // SECOND_US
    cells, size = windows * workload.keys, workload.size // SECOND_US
    counts, sums = np.zeros(cells, np.int64), np.zeros(cells)
    for time_us, keys, values in map(views_of, stream.batches):
        closed = time_us < stream.last_end_us
        at = ((time_us - START_US) // SECOND_US * workload.keys + keys)[closed]
        counts += np.bincount(at, minlength=cells)
        sums += np.bincount(at, values[closed], minlength=cells)

    def slid(slices: Array) -> Array:
        running = slices.reshape(-1, workload.keys).cumsum(axis=0)
        running[size:] -= running[:-size].copy()
        return running.reshape(-1)

    return slid(counts) > 0, slid(sums)


def _close_to(expected: Array) -> Callable[[Array, Array], Array]:
    """Integers exactly, since they are exact in doubles; others to rounding."""

    def right(cells: Array, results: Array) -> Array:
        return np.isclose(results, expected[cells], rtol=1e-9, atol=1e-9, equal_nan=True)

    return right


def _most_frequent(frequencies: Array) -> Callable[[Array, Array], Array]:
    """Any of the values that occur most often is right."""
    most = frequencies.max(axis=1)

    def right(cells: Array, results: Array) -> Array:
        found: Array = frequencies[cells, results.astype(np.int64)] == most[cells]
        return found

    return right


def _checker(workload: Workload, present: Array, right: Callable[[Array, Array], Array]) -> Check:
    """Compare a result, in any order, with the cells that should be there."""
    first, step, groups = first_window(workload), workload.step, int(present.sum())

    def check(name: str, table: pa.Table) -> None:
        starts = table["window_start"].cast(pa.int64()).to_numpy()
        cells = (starts - first) // step * workload.keys + table["campaign_id"].to_numpy()
        results = table["result"].cast(pa.float64()).to_numpy().astype(np.float64)
        if len(cells) != groups:
            raise WrongAnswer(f"{name} is wrong: {len(cells):,} groups, expected {groups:,}")
        inside = (cells >= 0) & (cells < len(present))
        seen = np.bincount(cells[inside], minlength=len(present))
        if not inside.all() or not np.array_equal(seen > 0, present):
            raise WrongAnswer(f"{name} is wrong: it has other groups than expected")
        wrong = int((~right(cells, results)).sum())
        if wrong:
            raise WrongAnswer(f"{name} is wrong in {wrong:,} of {groups:,} groups")

    return check
