"""How often drift is found where there is none: `python -m profiler.false_alarms` measures it.

The same filter and aggregation runs over random rows of one distribution again and again.
What a neighbour on the same host does to the time of a row is a part of the answer.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from profiler.drift import DriftMonitor
from profiler.profile import Observation
from profiler.signals import ThreadSignals

ROWS = 100_000
GROUPS = 10_000
BATCHES = 16
SELECTED = 3  # of ten values

Batch = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def stationary(observations: int, signals: ThreadSignals, seed: int = 0) -> Iterator[Observation]:
    """What morsels of one distribution show, measured on this thread."""
    random = np.random.default_rng(seed)
    batches = [_batch(random) for _ in range(BATCHES)]
    groups = np.zeros(GROUPS, dtype=np.int64)
    for number in range(observations):
        signals.begin()
        passed = _aggregate(batches[number % BATCHES], groups)
        reading = signals.end()
        yield Observation(
            ROWS, passed, elapsed_ns=reading.elapsed_ns, counters=dict(reading.counters)
        )


def false_alarms(observations: Iterator[Observation]) -> Counter[str]:
    """How often each signal is said to have drifted."""
    monitor = DriftMonitor()
    drifts = (monitor.add(seen) for seen in observations)
    return Counter(drift.signal for drift in drifts if drift is not None)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description="False alarms of change detection, measured.")
    parser.add_argument("--observations", type=int, default=5_000)
    count = parser.parse_args().observations
    signals = ThreadSignals()
    alarms = false_alarms(stationary(count, signals))
    print(f"{signals.rung}, {count} observations of {ROWS} rows")
    for event in signals.take_events():
        print(event)
    rate = alarms.total() / count * 1000
    names = ", ".join(f"{name} {times}" for name, times in alarms.items()) or "none"
    print(f"{rate:.2f} false alarms in 1,000 observations ({names})")


def _batch(random: np.random.Generator) -> Batch:
    return random.integers(0, 10, ROWS), random.integers(0, GROUPS, ROWS)


def _aggregate(batch: Batch, groups: npt.NDArray[np.int64]) -> int:
    """Count the rows of each group where the first column is small; how many passed."""
    values, keys = batch
    kept = keys[values < SELECTED]
    groups += np.bincount(kept, minlength=GROUPS)
    return len(kept)


if __name__ == "__main__":
    main()
