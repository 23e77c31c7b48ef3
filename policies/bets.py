"""The policies: each is named for its bet and says why it makes it."""

from __future__ import annotations

from dataclasses import dataclass

from ir.variant import GENERIC, VariantSpec
from policies.decision import Decision, Generalize, Specialize
from profiler.profile import Profile


@dataclass(frozen=True, slots=True)
class Fixed:
    """One variant, whatever the data: the baseline of experiments, and the tests' wrong guess."""

    spec: VariantSpec = GENERIC

    def decide(self, profile: Profile) -> Decision:
        """Always the same."""
        if self.spec == GENERIC:
            return Generalize("fixed")
        return Specialize(self.spec.assumptions, "fixed", self.spec.hints)
