"""Policies made of policies: several bets at once, and bets that do not change for little."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from ir.variant import (
    Assumption,
    Hint,
    HotKeys,
    KeysInRange,
    SelectRows,
    ValuesInRange,
    VariantSpec,
)
from policies.decision import Decision, Generalize, Keep, Policy, Specialize
from profiler.profile import Profile

_Claim = TypeVar("_Claim", bound=Assumption | Hint)


@dataclass(frozen=True, slots=True)
class Together:
    """All that these policies bet on, in one variant; of two bets of a kind, the first."""

    policies: tuple[Policy, ...]

    def decide(self, profile: Profile) -> Decision:
        """The bets of those that bet; nothing if none does, and no change if none knows."""
        decisions = [policy.decide(profile) for policy in self.policies]
        bets = [decision for decision in decisions if isinstance(decision, Specialize)]
        if bets:
            assumptions = _one_of_each(claim for bet in bets for claim in bet.assumptions)
            return Specialize(assumptions, _reasons(bets), _hints(bets))
        if any(isinstance(decision, Generalize) for decision in decisions):
            return Generalize(_reasons(decisions))
        return Keep(_reasons(decisions))


@dataclass(frozen=True, slots=True)
class Hysteresis:
    """The bets of a policy, but those that run already stay while they are nearly as good.

    A range of keys stays while it holds all that was seen and is at most `slack` times as wide
    as the new one, one of values while it does and is within the new one; hot groups stay while
    they have nearly the share of the new ones. So a sample that differs a little does not
    become another variant.
    """

    policy: Policy
    slack: float = 2.0
    hot_share: float = 0.9  # of the share of the new hot groups

    def decide(self, profile: Profile) -> Decision:
        """The policy's decision with the running claims in it that still do."""
        decision = self.policy.decide(profile)
        running = profile.running
        if running is None or not isinstance(decision, Specialize):
            return decision
        assumptions = tuple(self._stays(c, running, profile) for c in decision.assumptions)
        hints = decision.hints
        if hints is not None:
            hints = tuple(self._stays(hint, running, profile) for hint in hints)
        kept = Specialize(assumptions, decision.reason, hints)
        if kept.spec == running:
            return Keep(f"the running variant is as good: {decision.reason}")
        return kept

    def _stays(self, new: _Claim, running: VariantSpec, profile: Profile) -> _Claim:
        """The running claim of the same kind, if it is nearly as good, or the new one."""
        kind = _kind(new)
        claims: tuple[Assumption | Hint, ...] = (*running.assumptions, *running.hints)
        for old in claims:
            if _kind(old) == kind and isinstance(old, type(new)) and self._does(old, new, profile):
                return old
        return new

    def _does(self, old: Assumption | Hint, new: Assumption | Hint, profile: Profile) -> bool:
        match old, new:
            case KeysInRange(), KeysInRange():
                return old.cells <= self.slack * new.cells and _holds_keys(old, profile)
            case ValuesInRange(), ValuesInRange():
                # The new one is the widest that proves anything; what is in it proves as much.
                inside = new.low <= old.low and old.high <= new.high
                return inside and _holds_values(old, profile)
            case HotKeys(), HotKeys():
                return _share(old, profile) >= self.hot_share * _share(new, profile)
        return old == new


def _holds_keys(bet: KeysInRange, profile: Profile) -> bool:
    if len(bet.ranges) != len(profile.keys):
        return False
    return all(
        facts.low is not None and facts.high is not None and low <= facts.low and facts.high <= high
        for (low, high), facts in zip(bet.ranges, profile.keys, strict=True)
    )


def _holds_values(bet: ValuesInRange, profile: Profile) -> bool:
    facts = profile.columns.get(bet.column)
    if facts is None or facts.low is None or facts.high is None:
        return False
    return bet.low <= facts.low and facts.high <= bet.high


def _share(bet: HotKeys, profile: Profile) -> float:
    return sum(hot.share for hot in profile.hot if hot.key in bet.keys)


def _kind(claim: Assumption | Hint) -> tuple[type, str]:
    """What there is one of in a variant; of ranges of values, one for each column."""
    return type(claim), claim.column if isinstance(claim, ValuesInRange) else ""


def _one_of_each(claims: Iterable[_Claim]) -> tuple[_Claim, ...]:
    chosen: dict[tuple[type, str], _Claim] = {}
    for claim in claims:
        chosen.setdefault(_kind(claim), claim)
    return tuple(chosen.values())


def _hints(bets: list[Specialize]) -> tuple[Hint, ...] | None:
    """All hints; but where one bet wants a branch per row, no selection of rows."""
    given = [bet.hints for bet in bets if bet.hints is not None]
    if not given:
        return None
    selecting = all(any(isinstance(hint, SelectRows) for hint in hints) for hints in given)
    hints = _one_of_each(hint for hints in given for hint in hints)
    return tuple(hint for hint in hints if selecting or not isinstance(hint, SelectRows))


def _reasons(decisions: Iterable[Decision]) -> str:
    return "; ".join(decision.reason for decision in decisions)
