"""Trials: variants take turns on the same data until one is clearly the fastest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, permutations
from math import inf, sqrt
from random import Random

from adaptive.loop.events import MorselDone
from adaptive.loop.record import title
from adaptive.loop.settings import LoopSettings
from ir import VariantSpec

# Of normal noise: the standard deviation by the median deviation, and the standard error of
# a median by that of a mean.
_DEVIATION = 1.4826
_OF_MEDIAN = 1.2533
_PATIENCE = 4  # times the morsels that a trial needs, for threads that run other variants


@dataclass(slots=True, eq=False)
class Arm:
    """One variant of a trial: the times of a row that it showed, each with its rows."""

    spec: VariantSpec
    samples: list[tuple[float, int]] = field(default_factory=list)
    exits: int = 0  # morsels in which a guard failed
    fastest_ns: float = inf  # also of morsels that are no samples
    refuted: bool = False  # by its guards
    hopeless: bool = False
    median_ns: float = 0.0  # of the samples that were weighed
    error_ns: float = 0.0  # the standard error of the median
    _weighed: int = 0

    def beats(self, other: Arm) -> bool:
        """Whether it is also faster on average, but for the fastest and the slowest morsel.

        With data of two kinds, of which it is good for one, the median can be that of either.
        """
        mine, others = (_mean(sorted(arm.samples)[1:-1]) for arm in (self, other))
        return mine <= others

    def weigh(self, least_noise: float) -> None:
        """Find the median of all samples, and its error."""
        if len(self.samples) == self._weighed:
            return
        self._weighed = len(self.samples)
        self.median_ns = _median(self.samples)
        off = _median([(abs(ns - self.median_ns), rows) for ns, rows in self.samples])
        noise = max(_DEVIATION * off, least_noise * self.median_ns)
        self.error_ns = _OF_MEDIAN * noise / sqrt(len(self.samples))


@dataclass(slots=True)
class Race:
    """Variants that take turns there and back (A B B A), so that a trend favours none.

    Which of them begins is drawn anew each time: data that changes in step with the turns
    would show one variant only what it is good at. The seed makes that repeatable.

    Those ahead in `arms` were there before: one behind must be faster than them by the
    least gain. The first one has no guards, so that one always remains.
    """

    settings: LoopSettings
    arms: tuple[Arm, ...]
    incumbent: VariantSpec  # what ran before
    reason: str
    seed: int
    reports: int = 0  # of the incumbent, from which the monitor knows it
    left: list[Arm] = field(default_factory=list)
    warm: set[tuple[int, int]] = field(default_factory=set)  # arm and thread
    turns: list[Arm] = field(default_factory=list)  # the next one last
    morsels: int = 0
    fresh: int = 0  # morsels since the variants were compared
    draw: Random = field(init=False)

    def __post_init__(self) -> None:
        self.left = list(self.arms)
        self.draw = Random(self.seed)

    def next(self) -> VariantSpec:
        """The variant whose turn it is now."""
        self.turns = [arm for arm in self.turns if arm in self.left]
        if not self.turns:
            order = self.draw.sample(self.left, len(self.left))
            self.turns = [*order, *reversed(order)]
        return self.turns.pop().spec

    def add(self, event: MorselDone) -> bool:
        """Take what a thread has seen of one of the variants; whether the trial is over."""
        self.morsels += 1
        arm = self._arm_of(event.spec)
        if arm is not None and event.seen.rows:
            self._sample(arm, event)
            self._drop_if_hopeless(arm)
            self.fresh += 1
        ends = self._is_long_enough()
        if ends or self.fresh >= len(self.left):
            self._compare()
        return ends or len(self.left) == 1

    def winner(self) -> Arm:
        """The fastest of those left; one that ran before, unless another gains enough."""
        best, *others = self.left
        for arm in others:
            faster = arm.median_ns <= best.median_ns * (1 - self.settings.min_gain)
            if arm.samples and faster and arm.beats(best):
                best = arm
        return best

    def ns_of(self, spec: VariantSpec) -> float | None:
        """The median of a variant, if it ran."""
        return next((arm.median_ns for arm in self.arms if arm.spec == spec and arm.samples), None)

    def rival_ns(self, winner: Arm) -> float | None:
        """The median of the fastest other variant, if one ran."""
        others = (arm.median_ns for arm in self.arms if arm is not winner and arm.samples)
        return min(others, default=None)

    def times(self) -> str:
        """The medians, for reasons."""
        return ", ".join(map(_time, self.arms))

    def _arm_of(self, spec: VariantSpec) -> Arm | None:
        for arm in self.left:
            if arm.spec is spec or arm.spec == spec:
                return arm
        return None

    def _sample(self, arm: Arm, event: MorselDone) -> None:
        """A thread's first morsel is left out: its code and its groups are new to the cache."""
        seen = event.seen
        if seen.guard_exits:
            arm.exits += 1
        arm.fastest_ns = min(arm.fastest_ns, seen.ns_per_row)
        place = (self.arms.index(arm), event.worker)
        if place not in self.warm:
            self.warm.add(place)
        else:
            arm.samples.append((seen.ns_per_row, seen.rows))
        if arm.exits >= self.settings.exit_morsels:
            arm.refuted = True
            self.left.remove(arm)

    def _compare(self) -> None:
        """Whoever is clearly on the wrong side of the least gain leaves.

        Once in a round of turns, and not behind every morsel: kernels leave nothing of the
        interpreter in the caches, and what takes 10 us elsewhere takes 50 there.
        """
        self.fresh = 0
        for arm in self.arms:
            arm.weigh(self.settings.least_noise)
        known = [arm for arm in self.left if len(arm.samples) >= self.settings.min_samples]
        self._drop_outclassed()
        for loser in list(self._losers(known)):
            if loser in self.left and len(self.left) > 1:
                self.left.remove(loser)

    def _drop_if_hopeless(self, arm: Arm) -> None:
        """Two morsels are enough to see that a variant is far too slow, even the first of all."""
        first, limit = self.arms[0], self.settings.hopeless
        if arm is first or arm not in self.left or not arm.samples or len(first.samples) < 2:
            return
        if arm.fastest_ns <= limit * first.fastest_ns or first not in self.left:
            return
        first.weigh(self.settings.least_noise)
        if arm.fastest_ns > limit * first.median_ns:
            arm.hopeless = True
            self.left.remove(arm)

    def _drop_outclassed(self) -> None:
        """Whoever was always far slower than another one leaves, even the first of all."""
        for slow, fast in permutations(list(self.left), 2):
            if min(len(slow.samples), len(fast.samples)) < 2 or fast not in self.left:
                continue
            slowest = max(ns for ns, _ in fast.samples)
            if slow in self.left and slow.fastest_ns > self.settings.outclassed * slowest:
                self.left.remove(slow)

    def _losers(self, known: list[Arm]) -> Iterator[Arm]:
        """To adopt what is no better costs more than to go without what is a little better."""
        for before, behind in combinations(known, 2):
            ahead = before.median_ns * (1 - self.settings.min_gain) - behind.median_ns
            error = sqrt(before.error_ns**2 + behind.error_ns**2)
            if -ahead > self.settings.doubtful_sigmas * error:
                yield behind
            elif ahead > self.settings.clear_sigmas * error and behind.beats(before):
                yield before

    def _is_long_enough(self) -> bool:
        most = self.settings.max_samples
        if self.morsels > _PATIENCE * (most * len(self.arms) + len(self.warm)):
            return True
        return all(len(arm.samples) >= most for arm in self.left)


def _mean(samples: list[tuple[float, int]]) -> float:
    rows = sum(rows for _, rows in samples)
    return sum(ns * rows for ns, rows in samples) / rows if rows else 0.0


def _median(samples: list[tuple[float, int]]) -> float:
    """The value in the middle of the rows; between two values, their mean."""
    ordered = sorted(samples)
    half = sum(weight for _, weight in ordered) / 2
    below = 0
    for place, (value, weight) in enumerate(ordered):
        below += weight
        if below > half:
            return value
        if below == half and place + 1 < len(ordered):
            return (value + ordered[place + 1][0]) / 2
    return ordered[-1][0]


def _time(arm: Arm) -> str:
    name = title(arm.spec)
    if arm.refuted:
        return f"{name} left by guards in {arm.exits} morsels"
    return f"{name} {arm.median_ns:.3f} ns/row" if arm.samples else f"{name} did not run"
