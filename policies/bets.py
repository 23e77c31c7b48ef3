"""The policies that bet on what values are: each is named for its bet and says why it makes it."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ir import variant
from ir.variant import GENERIC, KeysInRange, VariantSpec
from policies.decision import Decision, Generalize, Keep, Specialize
from policies.ranges import Domain, widened
from profiler.profile import KeyFacts, Profile

FEW_ROWS = 64  # a range or a lack of nulls among fewer rows says little
MOST_KEYS = 3  # that are packed into one index of an array


@dataclass(frozen=True, slots=True)
class Fixed:
    """One variant, whatever the data: the baseline of experiments, and the tests' wrong guess."""

    spec: VariantSpec = GENERIC

    def decide(self, profile: Profile) -> Decision:
        """Always the same."""
        if self.spec == GENERIC:
            return Generalize("fixed")
        return Specialize(self.spec.assumptions, "fixed", self.spec.hints)


@dataclass(frozen=True, slots=True)
class NarrowKeys:
    """Bet that keys stay near the range seen, so that an array replaces the hash table.

    Loses where keys drift, and where the array is so sparse that it wastes the cache.
    """

    domains: tuple[Domain | None, ...]  # of each key; None where it is no integer
    max_cells: int = 1 << 26
    small_cells: int = 1 << 16  # an array that is never too sparse
    cells_per_group: int = 16
    slack: float = 1 / 8

    def decide(self, profile: Profile) -> Decision:
        """An array where all keys are integers and it has few enough cells."""
        if not 1 <= len(self.domains) <= MOST_KEYS:
            return Generalize(f"{len(self.domains)} keys, an array takes 1 to {MOST_KEYS}")
        if profile.passed < FEW_ROWS:
            return Keep(f"keys of {profile.passed} rows seen, need {FEW_ROWS}")
        ranges = self._ranges(profile)
        if isinstance(ranges, str):
            return Generalize(ranges)
        cells = prod(high - low + 1 for low, high in ranges)
        most = min(self.max_cells, max(self.small_cells, self.cells_per_group * profile.groups))
        listed = " x ".join(f"{low}..{high}" for low, high in ranges)
        reason = f"keys in {listed} are {cells} cells for about {profile.groups} groups"
        if cells > most:
            return Generalize(f"{reason}, more than {most}")
        return Specialize((KeysInRange(ranges),), reason)

    def _ranges(self, profile: Profile) -> tuple[tuple[int, int], ...] | str:
        """The range of each key, or why there is none."""
        ranges = []
        for number, (domain, facts) in enumerate(zip(self.domains, profile.keys, strict=True)):
            if domain is None or facts.low is None or facts.high is None:
                return f"key {number} is no integer"
            if facts.nulls:
                return f"key {number} was null in {facts.nulls} of {profile.passed} rows"
            ranges.append(self._range(domain, facts.low, facts.high, profile))
        return tuple(ranges)

    def _range(self, domain: Domain, low: int, high: int, profile: Profile) -> tuple[int, int]:
        """A dictionary's codes are all likely, also those that no sampled row had."""
        size = profile.dictionaries.get(domain.dictionary or "", 0)
        if size:
            low, high = 0, max(high, size - 1)
        return widened(low, high, domain, self.slack)


@dataclass(frozen=True, slots=True)
class NoNulls:
    """Bet that columns without nulls stay so where other columns have some.

    Where none has any, every batch's layout says so, and there is nothing to bet on.
    """

    columns: tuple[str, ...]  # those that may hold nulls

    def decide(self, profile: Profile) -> Decision:
        """The columns without nulls, if there are others."""
        if profile.rows < FEW_ROWS:
            return Keep(f"nulls of {profile.rows} rows counted, need {FEW_ROWS}")
        seen = [name for name in self.columns if name in profile.columns]
        free = tuple(name for name in seen if not profile.columns[name].nulls)
        if len(free) == len(seen):
            return Generalize(f"no nulls in {profile.rows} rows, which the layout says anyway")
        if not free:
            return Generalize(f"nulls in each of {', '.join(seen)}")
        reason = f"no nulls in {', '.join(free)} in {profile.rows} rows, but in others"
        return Specialize((variant.NoNulls(free),), reason)


def all_integers(keys: tuple[KeyFacts, ...]) -> bool:
    """Whether each of the keys was seen as an integer, and there is one."""
    return bool(keys) and all(facts.low is not None for facts in keys)
