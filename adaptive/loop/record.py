"""Which bets have failed how often, and when they may be made again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from adaptive.loop.settings import LoopSettings
from ir import GENERIC, Assumption, Hint, SelectRows, Tier, VariantSpec

BRANCHES = "Branches"  # the bet of a variant that does not select rows
Kinds: TypeAlias = frozenset[str]


def kinds_of(spec: VariantSpec) -> Kinds:
    """What a variant bets on, without the values: the kinds of its assumptions and hints."""
    if spec.tier is not Tier.SPECULATIVE:
        return frozenset()
    names = {type(claim).__name__ for claim in (*spec.assumptions, *spec.hints)}
    return frozenset(names - {_SELECT} if _SELECT in names else names | {BRANCHES})


def title(spec: VariantSpec) -> str:
    """A short name of a variant for reasons."""
    return "+".join(sorted(kinds_of(spec))) or spec.tier.value


@dataclass(slots=True)
class Strikes:
    """How often a bet failed since it last held for long, and when it may be made again."""

    count: int = 0
    until_rows: int = 0
    groups: int = 0  # of the data with which it was too slow; 0: its guards failed
    ever: int = 0  # failures with all data


@dataclass(slots=True)
class BetRecord:
    """The strikes of every bet; a bet with too many ends for good."""

    settings: LoopSettings
    strikes: dict[Kinds, Strikes] = field(default_factory=dict)
    groups: int = 0  # of the last profile

    def lost(self, spec: VariantSpec, rows: int, unit: int, times: int = 1) -> int | None:
        """The variant was too slow; when all that it bets on may be tried again, if ever."""
        kinds = kinds_of(spec)
        known = self.strikes.get(kinds)
        if known is not None and self._is_of_other_data(known):
            known.count = 0
        return self._strike(kinds, rows, unit, times, self.groups)

    def refuted(self, spec: VariantSpec, rows: int, unit: int) -> int | None:
        """Its guards failed: a strike for each assumption; when the last may be made again."""
        waits = [self._strike(kind, rows, unit) for kind in _assumed(spec)]
        known = [wait for wait in waits if wait is not None]
        return max(known, default=None)

    def held(self, spec: VariantSpec) -> None:
        """The variant held for long: earlier strikes of what it bets on are forgotten."""
        claims: tuple[Assumption | Hint, ...] = (*spec.assumptions, *spec.hints)
        for kinds in (kinds_of(spec), *map(_alone, claims)):
            self.strikes.pop(kinds, None)

    def renew(self) -> None:
        """The data lie in memory in another way: what was too slow may be tried again.

        Beside a hash table over nulls, an array gains what it does not gain without them.
        """
        for strikes in self.strikes.values():
            if strikes.groups and strikes.ever < 2 * self.settings.max_strikes:
                strikes.count = strikes.until_rows = 0

    def take_over(self, failed: Mapping[Kinds, int], rows: int, unit: int) -> None:
        """Strikes that another loop has given count here as if they were given now."""
        for kinds, count in failed.items():
            self._strike(kinds, rows, unit, count)

    def allowed(self, spec: VariantSpec, rows: int) -> VariantSpec:
        """The variant without bets that must wait or have ended; generic if nothing is left."""
        assumptions = tuple(a for a in spec.assumptions if not self.barred(_alone(a), rows))
        hints = tuple(h for h in spec.hints if not self.barred(_alone(h), rows))
        if spec.block_rows is None and self.barred(frozenset((BRANCHES,)), rows):
            hints = (SelectRows(), *hints)
        left = replace(spec, assumptions=assumptions, hints=hints)
        return GENERIC if self.barred(kinds_of(left), rows) or not kinds_of(left) else left

    def barred(self, kinds: Kinds, rows: int) -> bool:
        """Whether a bet must not be made now."""
        strikes = self.strikes.get(kinds)
        if strikes is None or self._is_of_other_data(strikes):
            return False
        return self._ended(strikes) or rows < strikes.until_rows

    def _is_of_other_data(self, strikes: Strikes) -> bool:
        """Whether a bet was too slow with far fewer or far more groups, and not all too often.

        An array that gains nothing on 10,000 keys may gain much on 100,000.
        """
        if not strikes.groups or not self.groups or strikes.ever >= 2 * self.settings.max_strikes:
            return False
        few, many = sorted((strikes.groups, self.groups))
        return many >= self.settings.other_groups * few

    def says(self, spec: VariantSpec) -> str:
        """What the history should know of a variant that has failed."""
        found = [self.strikes.get(kinds) for kinds in (kinds_of(spec), *_assumed(spec))]
        worst = max((one for one in found if one is not None), key=_count, default=Strikes())
        if self._ended(worst):
            return f"the bet ends for good after {worst.count} failures"
        return f"failure {worst.count} of {self.settings.max_strikes}"

    def _strike(
        self, kinds: Kinds, rows: int, unit: int, times: int = 1, groups: int = 0
    ) -> int | None:
        strikes = self.strikes.setdefault(kinds, Strikes())
        strikes.count += times
        strikes.ever += times
        strikes.groups = groups
        # What was too slow is so with the same data; guards fail for data that may have gone by.
        doublings = strikes.count * (2 if groups else 1)
        strikes.until_rows = rows + unit * 2 ** min(doublings, self.settings.max_doublings)
        return None if self._ended(strikes) else strikes.until_rows

    def _ended(self, strikes: Strikes) -> bool:
        return strikes.count >= self.settings.max_strikes


_SELECT = SelectRows.__name__


def _alone(claim: Assumption | Hint) -> Kinds:
    return frozenset((type(claim).__name__,))


def _assumed(spec: VariantSpec) -> Iterable[Kinds]:
    return dict.fromkeys(map(_alone, spec.assumptions))


def _count(strikes: Strikes) -> int:
    return strikes.count
