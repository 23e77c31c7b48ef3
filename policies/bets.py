"""The policies: each is named for its bet and says why it makes it."""

from __future__ import annotations

from dataclasses import dataclass

from ir.variant import NoNulls, VariantSpec
from policies.decision import Decision, Generalize, Keep, Specialize
from profiler.profile import Profile


@dataclass(frozen=True, slots=True)
class SkipNullChecks:
    """Bet that columns without a null so far stay so, all of them together.

    Costs nothing when it is wrong: Arrow counts the nulls of every batch, so
    the guard is one comparison a batch. All or nothing, because each subset of
    columns would be another variant to compile.
    """

    def decide(self, profile: Profile) -> Decision:
        """Specialise while no column has shown a null."""
        with_nulls = sorted(name for name, count in profile.nulls.items() if count)
        if with_nulls:
            return Generalize(f"nulls in {', '.join(with_nulls)}")
        if not profile.rows:
            return Keep("no rows yet")
        reason = f"no nulls in {profile.rows} rows"
        return Specialize((NoNulls(frozenset(profile.nulls)),), reason)


@dataclass(frozen=True, slots=True)
class NeverSpecialize:
    """The baseline: the generic variant, whatever the data."""

    def decide(self, profile: Profile) -> Decision:
        """Always general."""
        return Generalize("fixed")


@dataclass(frozen=True, slots=True)
class Fixed:
    """One variant, whatever the data: the baseline of experiments, and the tests' wrong guess."""

    spec: VariantSpec

    def decide(self, profile: Profile) -> Decision:
        """Always the same."""
        return Specialize(self.spec.assumptions, "fixed", self.spec.hints)
