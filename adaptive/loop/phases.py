"""What the adaptive loop is doing, and what it knows: plain data that the controller changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from adaptive.loop.guards import RecentExits
from adaptive.loop.learned import Learned
from adaptive.loop.proof import Proof
from adaptive.loop.race import Race
from adaptive.loop.record import BetRecord
from adaptive.loop.renewal import Renewal
from adaptive.loop.settings import LoopSettings
from ir import GENERIC, INSTRUMENTED, VariantSpec
from profiler.profile import Profile

NEVER = 1 << 62  # rows or morsels


@dataclass(slots=True)
class Watching:
    """The chosen variant runs and is watched for drift and for guards that fail."""

    exits: RecentExits
    proof: Proof | None = None  # None once the variant has shown that it pays
    profile_at_rows: int = NEVER
    profile_at_morsels: int = NEVER
    reports: int = 0


@dataclass(slots=True)
class Profiling:
    """The instrumented variant samples rows, or is being compiled for that."""

    signal: str
    reason: str
    started: bool
    until_rows: int = NEVER
    reports: int = 0  # of the variant that runs on if nothing comes of it


@dataclass(slots=True)
class Awaiting:
    """A variant is being compiled, while the generic one runs."""

    candidate: VariantSpec
    reason: str
    reports: int = 0  # of the variant that ran before, if it runs on


Phase: TypeAlias = Watching | Profiling | Awaiting | Race


@dataclass(slots=True)
class LoopState:
    """All that the controller remembers."""

    settings: LoopSettings
    phase: Phase
    record: BetRecord
    rows: int = 0
    morsels: int = 0
    running: VariantSpec = GENERIC  # what was chosen last
    current: VariantSpec = GENERIC  # what new morsels run; another one in trials and profiles
    adopted_at: int = 0  # the rows at which the running variant was chosen
    profiled_at: int = 0  # the rows at which the last profile began
    alarmed_at: int = 0  # the same of the last one that a change was the reason for
    fruitless: int = 0  # profiles in a row that changed nothing
    blind: bool = False  # there is no instrumented variant
    ready: dict[VariantSpec, None] = field(default_factory=dict)  # compiled, the latest last
    won: dict[VariantSpec, float] = field(default_factory=dict)  # time relative to generic
    trials: int = 0  # that were judged
    profile: Profile | None = None  # the last one
    inherited: VariantSpec | None = None  # from a sibling, not judged here yet
    outgrown: Renewal | None = None  # what may run again without a trial
    untried: VariantSpec | None = None  # what does, until there is time for one

    @classmethod
    def start(cls, settings: LoopSettings) -> LoopState:
        """The generic variant, until there were rows enough to profile."""
        first = Watching(
            RecentExits(settings),
            profile_at_rows=settings.first_profile_rows,
            profile_at_morsels=settings.first_profile_morsels,
        )
        return cls(settings, first, BetRecord(settings), ready={GENERIC: None})

    @property
    def learned(self) -> Learned:
        """What another loop of the program can start from."""
        failed = {kinds: strikes.count for kinds, strikes in self.record.strikes.items()}
        return Learned(self.running, self.trials, dict(self.won), failed, self.profile)

    @property
    def calm(self) -> bool:
        """Whether nothing is being found out, so that usual morsels may be told together."""
        phase = self.phase
        if not isinstance(phase, Watching) or phase.proof is not None:
            return False
        return phase.reports >= self.settings.calm_reports

    @property
    def unhurried(self) -> bool:
        """Whether baselines are learned of what was profiled, and nothing else is at stake."""
        phase = self.phase
        return isinstance(phase, Watching) and phase.proof is None and self.profiled_at > 0

    @property
    def waits(self) -> bool:
        """Whether a profile or a compilation is waited for: morsels have nothing to say then."""
        return isinstance(self.phase, Profiling | Awaiting)

    @property
    def unit(self) -> int:
        """The rows that waits are counted in."""
        mean = self.rows // max(1, self.morsels)
        return max(self.settings.base_rows, self.settings.base_morsels * mean)

    @property
    def patience(self) -> int:
        """How many rows must be between two profiles, whatever changes."""
        return self.unit * self.doubled()

    @property
    def settled(self) -> bool:
        """Whether the running variant has held for so long that its end is no failure."""
        return self.rows - self.adopted_at >= self.settings.settled_units * self.unit

    def doubled(self) -> int:
        """By what waits grow with profiles that changed nothing."""
        return 1 << min(self.fruitless, self.settings.max_doublings)

    def remember(self, spec: VariantSpec) -> None:
        """A variant is compiled; those that may run at any time are never forgotten."""
        self.ready.pop(spec, None)
        self.ready[spec] = None
        while len(self.ready) > self.settings.remembered:
            kept = (GENERIC, INSTRUMENTED, self.running, spec)
            oldest = next(one for one in self.ready if one not in kept)
            del self.ready[oldest]
            self.won.pop(oldest, None)
