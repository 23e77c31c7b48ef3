"""Has the data or the machine changed since a baseline? Pure: no clock, no thread.

Page-Hinkley's test adds up how far values are off a baseline, less a tolerance, and
calls it a change when the sum passes a threshold. It runs on a logarithm of the rate,
so that one setting means the same for nanoseconds, misses and probes per row.

What a kernel counts is exact and watched tightly. Times are noisy: one reading counts
only up to a limit, so that a change is what several of them show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from statistics import fmean, median, pstdev
from typing import Protocol

from profiler.profile import Observation

# Fewer rows than these are put together before they count as one observation: of 100 rows
# with a selectivity of 0.3, the selectivity itself is off by a sixth.
LEAST_ROWS = 16_384


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """When a series has changed, in units of the values that are added."""

    tolerance: float  # a lasting difference of so much is no change
    threshold: float  # how much the differences beyond it add up to before it is one
    clip: float  # the most that one value counts as being off
    learn: int  # how many values the baseline is learned from

    def __post_init__(self) -> None:
        if not 0 < self.tolerance < self.clip:
            raise ValueError("needs 0 < tolerance < clip: no value could ever count as being off")
        if self.threshold <= 0 or self.learn < 2:
            raise ValueError("needs a positive threshold and a baseline of at least 2 values")


# A selectivity from 0.30 to 0.35 is a difference of 0.22, and binomial noise with 100,000
# rows has a deviation of 0.007.
EXACT = Sensitivity(tolerance=0.05, threshold=0.3, clip=0.2, learn=8)
# 1.3 times as long is 0.26, and at least four readings have to agree. Simulated with a
# deviation of 0.15 and every hundredth reading 2 to 5 times as long: 2 false alarms in
# 100,000 readings; 1.3 times is found after 11 (median) and after 29 in 99 of 100 series.
# On a shared virtual machine, the time of the same work is off by a quarter for a while now
# and then: `python -m profiler.false_alarms` had 0 to 1 alarms in 1,000 readings there.
NOISY = Sensitivity(tolerance=0.12, threshold=1.6, clip=0.6, learn=32)
# Half a table is the most that is full, and up to one slot beyond the first is then visited.
# A change is twice as many slots in all, not the growth between two sizes of the table.
FILLING = Sensitivity(tolerance=0.5, threshold=1.0, clip=1.0, learn=8)
# Exits are few and come one by one: three observations in a row with twice as many.
RARE = Sensitivity(tolerance=0.35, threshold=1.2, clip=0.9, learn=8)

# A series that is noisier than its setting expects has the limits that fit its noise,
# in standard deviations of the baseline.
NOISE_TOLERANCE = 0.6
NOISE_THRESHOLD = 8.0
NOISE_CLIP = 2.0


@dataclass(frozen=True, slots=True)
class Shift:
    """A series moved from one mean to another, in units of its values."""

    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a series was like, and the limits that follow."""

    mean: float
    tolerance: float
    threshold: float
    clip: float


def learn(values: Sequence[float], wanted: Sensitivity) -> Baseline:
    """The baseline of these values; a value far off their median counts as one less far off."""
    centre = median(values)
    kept = [min(max(one, centre - wanted.clip), centre + wanted.clip) for one in values]
    deviation = pstdev(kept)
    return Baseline(
        fmean(kept),
        max(wanted.tolerance, NOISE_TOLERANCE * deviation),
        max(wanted.threshold, NOISE_THRESHOLD * deviation),
        max(wanted.clip, NOISE_CLIP * deviation),
    )


@dataclass(slots=True)
class _Evidence:
    """What speaks for a change in one direction, since something last did not."""

    weight: float = 0.0
    values: int = 0
    total: float = 0.0

    def add(self, excess: float, value: float) -> None:
        self.weight += excess
        if self.weight <= 0.0:
            self.weight, self.values, self.total = 0.0, 0, 0.0
        else:
            self.values += 1
            self.total += value


class PageHinkley:
    """The test in both directions, against a baseline learned from the first values."""

    __slots__ = ("_fall", "_first", "_rise", "baseline", "sensitivity")

    def __init__(self, sensitivity: Sensitivity) -> None:
        self.sensitivity = sensitivity
        self.reset()

    def reset(self) -> None:
        """Forget everything, and learn a baseline anew."""
        self.baseline: Baseline | None = None
        self._first: list[float] = []
        self._rise, self._fall = _Evidence(), _Evidence()

    def add(self, value: float) -> Shift | None:
        """The change that this value makes certain, if it does; then it starts anew."""
        base = self.baseline
        if base is None:
            self._learn(value)
            return None
        off = value - base.mean
        if -base.tolerance <= off <= base.tolerance and not (
            self._rise.values or self._fall.values
        ):
            return None  # nearly all values of a series that does not change: 0.15 µs
        step = min(max(off, -base.clip), base.clip)
        self._rise.add(step - base.tolerance, value)
        self._fall.add(-step - base.tolerance, value)
        for evidence in (self._rise, self._fall):
            if evidence.weight > base.threshold:
                self.reset()
                return Shift(base.mean, evidence.total / evidence.values)
        return None

    def _learn(self, value: float) -> None:
        self._first.append(value)
        if len(self._first) == self.sensitivity.learn:
            self.baseline = learn(self._first, self.sensitivity)
            self._first = []


class Scale(Protocol):
    """A transformation after which the same difference matters as much everywhere."""

    def of(self, rate: float) -> float:
        """The value to watch."""

    def back(self, value: float) -> float:
        """The rate that has this value."""


@dataclass(frozen=True, slots=True)
class LogRate:
    """A rate per row by its ratio; rates well below the floor cost too little to differ."""

    floor: float

    def of(self, rate: float) -> float:
        """The value to watch."""
        return log(rate + self.floor)

    def back(self, value: float) -> float:
        """The rate that has this value."""
        return max(exp(value) - self.floor, 0.0)


@dataclass(frozen=True, slots=True)
class LogOdds:
    """A share of rows by the odds: from 0.95 to 0.99 is as far as from 0.05 to 0.01."""

    floor: float

    def of(self, rate: float) -> float:
        """The value to watch."""
        return log((rate + self.floor) / (1.0 - rate + self.floor))

    def back(self, value: float) -> float:
        """The rate that has this value."""
        odds = exp(value)
        return (odds * (1.0 + self.floor) - self.floor) / (1.0 + odds)


SELECTIVITY = "selectivity"
GUARD_EXITS = "guard exits"
PROBES = "probes/row"
TIME = "ns/row"

# What is counted exactly comes first: where several series change at once, it names the
# cause best. The time of a row shows what nothing else does.
KERNEL_SIGNALS: Mapping[str, tuple[Scale, Sensitivity]] = {
    SELECTIVITY: (LogOdds(0.01), EXACT),
    GUARD_EXITS: (LogRate(1e-5), RARE),
    PROBES: (LogRate(1.0), FILLING),
}
TIME_SIGNAL: tuple[Scale, Sensitivity] = (LogRate(0.01), NOISY)
# Floors of counters: so many of them in a row cost a few tenths of a nanosecond up to a few.
COUNTER_FLOORS: Mapping[str, float] = {
    "branch_misses": 0.02,
    "cache_misses": 0.02,
    "instructions": 1.0,
    "cycles": 1.0,
    "minor_faults": 0.005,
    "major_faults": 1e-5,
    "voluntary_switches": 1e-3,
    "involuntary_switches": 1e-3,
}
OTHER_FLOOR = 0.01


@dataclass(frozen=True, slots=True)
class Drift:
    """A signal of a pipeline changed for longer than chance explains; values are per row."""

    signal: str
    before: float
    after: float

    @property
    def rose(self) -> bool:
        """Whether there is more of it now."""
        return self.after > self.before


class _Series:
    """One signal: its scale and its test."""

    __slots__ = ("name", "scale", "test")

    def __init__(self, name: str, scale: Scale, sensitivity: Sensitivity) -> None:
        self.name, self.scale, self.test = name, scale, PageHinkley(sensitivity)

    def add(self, rate: float) -> Drift | None:
        shift = self.test.add(self.scale.of(rate))
        if shift is None:
            return None
        return Drift(self.name, self.scale.back(shift.before), self.scale.back(shift.after))


class DriftMonitor:
    """Watches all signals of one pipeline for changes since the last `reset`.

    An observation with four counters takes 3.4 µs (Python 3.11 on a virtual AMD EPYC).
    """

    def __init__(self, least_rows: int = LEAST_ROWS) -> None:
        self._least_rows = least_rows
        self._kernel = tuple(_Series(name, *how) for name, how in KERNEL_SIGNALS.items())
        self._time = _Series(TIME, *TIME_SIGNAL)
        self._counters: dict[str, _Series] = {}
        self._few: Observation | None = None

    def reset(self) -> None:
        """Learn baselines anew: of another variant, or after a change."""
        for series in (*self._kernel, *self._counters.values(), self._time):
            series.test.reset()
        self._few = None

    def add(self, seen: Observation) -> Drift | None:
        """The change that this observation makes certain, if it does; then it is reset."""
        if self._few is not None:
            seen = _together(self._few, seen)
        if seen.rows < self._least_rows:
            self._few = seen
            return None
        self._few = None
        drift = self._first_change(seen)
        if drift is not None:
            self.reset()
        return drift

    def _first_change(self, seen: Observation) -> Drift | None:
        """Every series gets its value, whichever of them has changed."""
        rows = seen.rows
        selectivity, exits, probes = self._kernel
        found = (
            selectivity.add(seen.rows_passed / rows),
            exits.add(seen.guard_exits / rows),
            probes.add(seen.probes / rows),
            *[self._counter(name).add(count / rows) for name, count in seen.counters.items()],
            self._time.add(seen.elapsed_ns / rows) if seen.elapsed_ns else None,
        )
        return next((drift for drift in found if drift is not None), None)

    def _counter(self, name: str) -> _Series:
        """The series of a counter, made when it is first seen."""
        series = self._counters.get(name)
        if series is None:
            scale = LogRate(COUNTER_FLOORS.get(name, OTHER_FLOOR))
            label = f"{name.replace('_', ' ')}/row"
            series = self._counters[name] = _Series(label, scale, NOISY)
        return series


def _together(few: Observation, more: Observation) -> Observation:
    """Both, without counters where only one of them could be counted."""
    both = few.plus(more)
    if few.counters.keys() == more.counters.keys():
        return both
    return replace(both, counters={})
