"""The policies that bet on how groups are used: hints about the table, so that no guard is needed.

Each decision repeats the generic variant's hints beside its own, because a list
without `SelectRows` asks for a branch per row.
"""

from __future__ import annotations

from dataclasses import dataclass

from ir.variant import GENERIC, Hint, HotKeys, Prefetch, ShareGroups
from policies.bets import all_integers
from policies.decision import Decision, Generalize, Specialize
from profiler.profile import Profile

ROWS_AHEAD = 16  # between asking for a group's memory and using it


@dataclass(frozen=True, slots=True)
class HeavyHitters:
    """Bet that a few groups keep most of the rows, which would wait for each other in a table."""

    min_share: float = 0.2  # of the rows that pass
    most: int = 4
    min_groups: int = 0  # fewer are in the cache, where there is nothing to wait for

    def decide(self, profile: Profile) -> Decision:
        """The heaviest groups, if all keys are integers."""
        if profile.groups < self.min_groups:
            return Generalize(f"about {profile.groups} groups are in the cache")
        if not all_integers(profile.keys):
            return Generalize("hot groups need keys that are integers")
        hot = [one for one in profile.hot if one.share >= self.min_share][: self.most]
        if not hot:
            heaviest = max((one.share for one in profile.hot), default=0.0)
            return Generalize(
                f"the heaviest group has {heaviest:.0%}, less than {self.min_share:.0%}"
            )
        listed = ", ".join(f"{one.key} has {one.share:.0%}" for one in hot)
        return _with(HotKeys(tuple(one.key for one in hot)), f"hot groups: {listed}")


@dataclass(frozen=True, slots=True)
class LargeTables:
    """Bet that groups are too many for the cache, so that memory is asked for ahead."""

    slot_bytes: int
    l2_bytes: int = 1 << 20
    rows_ahead: int = ROWS_AHEAD

    def decide(self, profile: Profile) -> Decision:
        """Prefetch where the groups' slots exceed the cache of a core."""
        size = profile.groups * self.slot_bytes
        reason = f"about {profile.groups} groups are {size >> 10} KiB, L2 has {self.l2_bytes >> 10}"
        if size <= self.l2_bytes:
            return Generalize(reason)
        return _with(Prefetch(self.rows_ahead), reason)


@dataclass(frozen=True, slots=True)
class ManyKeys:
    """Bet that groups are so many that threads had better share them than have their own.

    With 2 threads, shared groups won only from about a million keys on.
    """

    min_groups: int = 1_000_000

    def decide(self, profile: Profile) -> Decision:
        """Shared groups where several threads would each have very many."""
        reason = f"about {profile.groups} groups for {profile.threads} threads"
        if profile.threads < 2 or profile.groups < self.min_groups:
            return Generalize(f"{reason}, shared from 2 threads and {self.min_groups} groups on")
        return _with(ShareGroups(), reason)


def _with(hint: Hint, reason: str) -> Specialize:
    return Specialize((), reason, (*GENERIC.hints, hint))
