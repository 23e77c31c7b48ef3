"""Decisions: what a policy wants done about the running variant, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ir.variant import GENERIC, Assumption, Hint, Tier, VariantSpec
from profiler.profile import Profile


@dataclass(frozen=True, slots=True)
class Keep:
    """Leave the variant as it is."""

    reason: str


@dataclass(frozen=True, slots=True)
class Specialize:
    """Bet on these assumptions, and follow these hints where there are any."""

    assumptions: tuple[Assumption, ...]
    reason: str
    hints: tuple[Hint, ...] | None = None  # None: those of the generic variant

    @property
    def spec(self) -> VariantSpec:
        """The variant that makes these bets."""
        hints = GENERIC.hints if self.hints is None else self.hints
        return VariantSpec(Tier.SPECULATIVE, self.assumptions, hints)


@dataclass(frozen=True, slots=True)
class Generalize:
    """Bet on nothing."""

    reason: str


Decision: TypeAlias = Keep | Specialize | Generalize


class Policy(Protocol):
    """A pure function of a profile; clocks, threads and compilers are elsewhere."""

    def decide(self, profile: Profile) -> Decision:
        """What to do about the running variant."""
