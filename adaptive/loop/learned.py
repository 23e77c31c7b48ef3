"""What a loop has learned, in a form that another loop of the same program can start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from adaptive.loop.record import Kinds
from ir import GENERIC, VariantSpec
from profiler.profile import KeyFacts, Profile


@dataclass(frozen=True, slots=True)
class Learned:
    """The variant that a loop has chosen, what has won and failed, and the data it saw last."""

    running: VariantSpec = GENERIC
    trials: int = 0  # that were judged: without any, nothing was chosen
    won: Mapping[VariantSpec, float] = field(default_factory=dict)  # time relative to generic
    failed: Mapping[Kinds, int] = field(default_factory=dict)  # strikes
    profile: Profile | None = None

    @property
    def is_worth_telling(self) -> bool:
        """Whether another loop could start from it."""
        return self.trials > 0 or self.profile is not None


def data_text(profile: Profile) -> str:
    """A profile in a few words."""
    return ", ".join(_facts(profile)) or "no rows seen"


def _facts(profile: Profile) -> Iterator[str]:
    if profile.groups:
        yield f"{profile.groups} groups"
    for number, key in enumerate(profile.keys):
        if key != KeyFacts():
            yield f"key {number} in {key.low}..{key.high}"
    if profile.filters and profile.selectivity is not None:
        yield f"{profile.selectivity:.0%} pass"
