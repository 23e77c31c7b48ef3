"""Estimates about a whole stream from a sample of short runs of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Tally:
    """The different values of a sample: where each is first, in how many rows and runs it is."""

    first: Counts
    rows: Counts
    runs: Counts


def tally(values: Words, runs: Counts) -> Tally:
    """Count each value of a sample, given the run that each row is of."""
    if not len(values):
        nothing = np.zeros(0, np.int64)
        return Tally(nothing, nothing, nothing)
    order = np.lexsort((runs, values))
    values, runs = values[order], runs[order]
    new_value = np.concatenate(([True], values[1:] != values[:-1]))
    new_run = new_value | np.concatenate(([True], runs[1:] != runs[:-1]))
    starts = np.flatnonzero(new_value)
    return Tally(
        np.minimum.reduceat(order, starts),
        np.diff(np.append(starts, len(values))),
        np.add.reduceat(new_run.astype(np.int64), starts),
    )


def distinct_values(seen: Tally) -> int:
    """How many values there are at least, those that the sample has missed included.

    Chao's estimate: the fewer of the values seen more than once, the more are unseen. It
    counts runs, not rows, so that equal neighbours do not make all look common. With 16,000
    rows it is within 10 % on 100, 10,000 and 1 M even values, also where one more has 60 % of
    the rows; of 10,000 values in a Zipf distribution it finds 7,300, of 1 M the 50,000 that
    have nearly all rows.
    """
    once = int(np.count_nonzero(seen.runs == 1))
    twice = int(np.count_nonzero(seen.runs == 2))
    return len(seen.runs) + once * (once - 1) // (2 * (twice + 1))


def heavy_values(seen: Tally, least_share: float, least_runs: int) -> list[tuple[int, float]]:
    """The values with many rows, the heaviest first: where each is first, and its share.

    One that is in a few runs only may be a cluster of rows that will not come again.
    """
    rows = int(seen.rows.sum())
    heavy = (seen.rows >= least_share * rows) & (seen.runs >= least_runs)
    found = zip(seen.first[heavy].tolist(), seen.rows[heavy].tolist(), strict=True)
    return [(at, count / rows) for at, count in sorted(found, key=lambda one: (-one[1], one[0]))]


def mixed(columns: list[Words], rows: int) -> Words:
    """One word for each row that is another where any column is another."""
    joined = np.full(rows, 0x2D35_8DCC_AA6C_78A5, np.uint64)
    for column in columns:
        joined = (joined ^ column) * np.uint64(0x9E37_79B9_7F4A_7C15)
        joined ^= joined >> np.uint64(32)
    return joined


def share_back(times: Counts, runs: Counts) -> float:
    """The share of rows whose time is before that of the row ahead in the same run."""
    together = runs[1:] == runs[:-1]
    back = together & (times[1:] < times[:-1])
    pairs = int(np.count_nonzero(together))
    return int(np.count_nonzero(back)) / pairs if pairs else 0.0
