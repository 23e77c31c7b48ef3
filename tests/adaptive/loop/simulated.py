"""A simulated machine that runs variants on a workload, so that whole runs can be added up.

Time is what the workload says that a row takes, with seeded noise that is the same for
all variants of a morsel. Compiling and profiling take a number of morsels.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from adaptive.loop.controller import Controller
from adaptive.loop.events import Action, Compile, Compiled, MorselDone, Profiled, Swap
from adaptive.loop.settings import LoopSettings
from ir import GENERIC, INSTRUMENTED, VariantSpec
from policies import Decision, Generalize, Specialize
from profiler.profile import Observation, Profile

INSTRUMENTED_COST = 1.08  # of generic
MORSEL_ROWS = 131_072


@dataclass(frozen=True)
class Cost:
    """What a variant does with a morsel."""

    ns_per_row: float
    selectivity: float = 0.5
    exits: bool = False


Workload = Callable[[int, VariantSpec], Cost]


@dataclass(frozen=True)
class Drift:
    """What the monitor below finds."""

    signal: str
    before: float
    after: float


class ThresholdMonitor:
    """Compares the mean of the last few morsels with that of the first few."""

    def __init__(self, first: int = 8, last: int = 4, threshold: float = 0.2) -> None:
        self._first, self._last, self._threshold = first, last, threshold
        self.reset()

    def reset(self) -> None:
        self._seen: list[Observation] = []
        self._levels: dict[str, float] = {}

    def add(self, observation: Observation) -> Drift | None:
        self._seen.append(observation)
        if not self._levels:
            if len(self._seen) == self._first:
                self._levels, self._seen = _levels(self._seen), []
            return None
        self._seen = self._seen[-self._last :]
        if len(self._seen) < self._last:
            return None
        for name, level in _levels(self._seen).items():
            before = self._levels[name]
            if abs(level - before) > self._threshold * before:
                return Drift(name, before, level)
        return None


def _levels(seen: Iterable[Observation]) -> dict[str, float]:
    both = list(seen)
    count = len(both)
    return {
        "ns/row": sum(one.ns_per_row for one in both) / count,
        "selectivity": sum(one.selectivity for one in both) / count,
    }


@dataclass(frozen=True)
class ByShape:
    """A policy that knows the right variant for each shape; profiles have it in `groups`."""

    specs: dict[int, VariantSpec]

    def decide(self, profile: Profile) -> Decision:
        spec = self.specs.get(profile.groups)
        if spec is None:
            return Generalize(f"shape {profile.groups} is not known")
        return Specialize(spec.assumptions, f"shape {profile.groups}", spec.hints)


@dataclass
class Machine:
    """Threads that run morsels under a controller."""

    workload: Workload
    controller: Controller
    shape: Callable[[int], int] = lambda index: 0
    threads: int = 1
    compile_morsels: int = 5
    profile_morsels: int = 4
    noise: float = 0.03
    disturbed: float = 0.05  # the share of morsels that take longer, as by another process
    seed: int = 0
    morsel_rows: int = MORSEL_ROWS
    current: VariantSpec = GENERIC
    done: int = 0
    sampled: int = 0
    total_ns: float = 0.0
    generic_ns: float = 0.0
    compiling: list[tuple[int, VariantSpec]] = field(default_factory=list)
    history: list[tuple[int, Action]] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)  # ns/row of each morsel, without noise

    def run(self, morsels: int) -> Machine:
        """Run so many morsels, each thread its next one when it is free."""
        random_ = random.Random(self.seed)
        busy: list[tuple[float, int, int, MorselDone]] = []
        for index in range(morsels + self.threads):
            if index >= self.threads:
                clock, _, worker, event = heapq.heappop(busy)
                self._finish(event, index)
            else:
                clock, worker = 0.0, index
            if index < morsels:
                event = self._morsel(index, worker, random_)
                heapq.heappush(busy, (clock + event.seen.elapsed_ns, index, worker, event))
        return self

    def _morsel(self, index: int, worker: int, random_: random.Random) -> MorselDone:
        noise = random_.lognormvariate(0, self.noise)
        noise *= 1.3 if random_.random() < self.disturbed else 1.0
        cost, generic = self._cost(index, self.current), self._cost(index, GENERIC)
        rows = self.morsel_rows
        self.total_ns += cost.ns_per_row * noise * rows
        self.generic_ns += generic.ns_per_row * noise * rows
        self.spent.append(cost.ns_per_row)
        seen = Observation(
            rows,
            rows_passed=int(rows * cost.selectivity),
            guard_exits=int(cost.exits),
            generic_rows=rows // 2 if cost.exits else 0,
            elapsed_ns=int(cost.ns_per_row * noise * rows),
        )
        return MorselDone(self.current, seen, worker)

    def _cost(self, index: int, spec: VariantSpec) -> Cost:
        if spec == INSTRUMENTED:
            cost = self.workload(index, GENERIC)
            return Cost(cost.ns_per_row * INSTRUMENTED_COST, cost.selectivity)
        return self.workload(index, spec)

    def _finish(self, event: MorselDone, index: int) -> None:
        self.done += 1
        self._do(self.controller.on(event))
        self.sampled = self.sampled + 1 if event.spec == INSTRUMENTED else 0
        if self.sampled == self.profile_morsels:
            profile = Profile(rows=10_000, groups=self.shape(index))
            self._do(self.controller.on(Profiled(profile)))
        for due, spec in [one for one in self.compiling if one[0] <= self.done]:
            self.compiling.remove((due, spec))
            self._do(self.controller.on(Compiled(spec, 1_000_000)))

    def _do(self, actions: tuple[Action, ...]) -> None:
        for action in actions:
            self.history.append((self.done, action))
            match action:
                case Swap(spec):
                    self.current = spec
                case Compile(spec):
                    self.compiling.append((self.done + self.compile_morsels, spec))

    @property
    def ratio(self) -> float:
        """The time of the run, of what generic would have taken."""
        return self.total_ns / self.generic_ns

    def swaps(self) -> list[tuple[int, Swap]]:
        """All swaps but the turns of trials."""
        return [
            (at, action)
            for at, action in self.history
            if isinstance(action, Swap) and action.signal != "trial"
        ]


def machine(
    workload: Workload,
    specs: dict[int, VariantSpec],
    settings: LoopSettings | None = None,
    **options: object,
) -> Machine:
    """A machine with a fresh controller."""
    controller = Controller(ByShape(specs), ThresholdMonitor(), settings)
    return Machine(workload, controller, **options)  # type: ignore[arg-type]
