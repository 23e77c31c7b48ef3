"""What the windows of a drifting stream should hold, by numpy, compared as results come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from experiments.adaptive_data import BLOCK_US, Array
from experiments.drift_workloads import Drift
from experiments.reference import WrongAnswer


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Of every possible key: how many rows there are, how many with a value, and their sum."""

    rows: Array
    known: Array
    total: Array

    def plus(self, other: Sums) -> Sums:
        """Both together."""
        return Sums(self.rows + other.rows, self.known + other.known, self.total + other.total)


def block_sums(drift: Drift, rows: pa.RecordBatch, times_us: Array) -> Mapping[int, Sums]:
    """What a block adds to the time of its own, and to that of the blocks before and after."""
    kept = drift.passes(rows)
    numbers = key_numbers(drift, rows.column(drift.key))[kept]
    offsets = times_us[kept] // BLOCK_US
    value = rows.column("value").filter(pa.array(kept))
    known = value.is_valid().to_numpy(zero_copy_only=False)
    values = value.fill_null(0).to_numpy()
    return {
        int(offset): _sums(drift.keys, numbers[mine], known[mine], values[mine])
        for offset in np.unique(offsets)
        for mine in (offsets == offset,)
    }


def key_numbers(drift: Drift, keys: pa.Array | pa.ChunkedArray) -> Array:
    """The place of each key among all that there are; -1 for one that should not be there."""
    if drift.universe is None:
        numbers: Array = keys.to_numpy()
        return np.where((numbers >= 0) & (numbers < drift.keys), numbers, -1)
    if pa.types.is_dictionary(keys.type):
        keys = keys.cast(pa.string())
    found: Array = pc.fill_null(pc.index_in(keys, value_set=drift.universe), -1).to_numpy()
    return found


def _sums(keys: int, numbers: Array, known: Array, values: Array) -> Sums:
    """Sums of such small values are exact in the doubles that numpy adds up in."""
    return Sums(
        np.bincount(numbers, minlength=keys),
        np.bincount(numbers, known, minlength=keys).astype(np.int64),
        np.bincount(numbers, values, minlength=keys).astype(np.int64),
    )


class Tally:
    """The windows that are open, and what they should hold when they come out."""

    def __init__(self, drift: Drift, start_us: int, result: str) -> None:
        self._drift = drift
        self._start_us = start_us
        self._result = result
        self._size_us = drift.window_blocks * BLOCK_US
        self._open: dict[int, Sums] = {}
        self.windows = 0

    def expect(self, number: int, parts: Mapping[int, Sums]) -> None:
        """The block of this number is about to be pushed."""
        for offset, sums in parts.items():
            window = (number + offset) // self._drift.window_blocks
            known = self._open.get(window)
            self._open[window] = sums if known is None else known.plus(sums)

    def take(self, name: str, results: pa.Table) -> None:
        """Compare windows that came out; each comes once and complete."""
        if not results.num_rows:
            return
        starts = results["window_start"].cast(pa.int64()).to_numpy()
        windows = (starts - self._start_us) // self._size_us
        for window in np.unique(windows):
            mine = windows == window
            one = results if mine.all() else results.filter(pa.array(mine))
            self._compare(f"{name}, window {window}", int(window), one)

    def end(self, name: str, late_rows: int) -> None:
        """The stream has ended: nothing may be missing."""
        if self._open or late_rows:
            raise WrongAnswer(
                f"{name} is wrong: {len(self._open)} windows missing, {late_rows:,} rows late"
            )

    def _compare(self, name: str, window: int, results: pa.Table) -> None:
        expected = self._open.pop(window, None)
        if expected is None:
            raise WrongAnswer(f"{name} is wrong: it has come out already, or should not exist")
        numbers = key_numbers(self._drift, results[self._drift.key])
        seen = np.bincount(numbers[numbers >= 0], minlength=self._drift.keys)
        if not np.array_equal(seen, expected.rows > 0) or len(numbers) != seen.sum():
            raise WrongAnswer(f"{name} is wrong: it has other groups than expected")
        sums = results[self._result]
        right = sums.is_valid().to_numpy() == (expected.known[numbers] > 0)
        right &= sums.fill_null(0).to_numpy() == expected.total[numbers]
        if not right.all():
            wrong = int((~right).sum())
            raise WrongAnswer(f"{name} is wrong in {wrong:,} of {len(numbers):,} groups")
        self.windows += 1
