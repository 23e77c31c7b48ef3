"""Policies as tables: a profile in, a decision out."""

from __future__ import annotations

import pytest

from ir.variant import GENERIC, SelectRows, Tier, VariantSpec
from policies import Decision, Fixed, Generalize, Policy, Specialize
from profiler import Profile

NOTHING_SEEN = Profile()
MUCH_SEEN = Profile(rows=10**9, outcomes={0b1: 10**8, 0b0: 9 * 10**8}, filters=1)

SMALL_BLOCKS = VariantSpec(Tier.SPECULATIVE, (), (SelectRows(64),))
BRANCHES = VariantSpec(Tier.SPECULATIVE, (), ())

TABLE: list[tuple[Policy, Profile, Decision]] = [
    (Fixed(), NOTHING_SEEN, Generalize("fixed")),
    (Fixed(), MUCH_SEEN, Generalize("fixed")),
    (Fixed(GENERIC), MUCH_SEEN, Generalize("fixed")),
    (Fixed(SMALL_BLOCKS), NOTHING_SEEN, Specialize((), "fixed", (SelectRows(64),))),
    (Fixed(SMALL_BLOCKS), MUCH_SEEN, Specialize((), "fixed", (SelectRows(64),))),
    # No hints is a wish, not the lack of one: a branch for each row.
    (Fixed(BRANCHES), MUCH_SEEN, Specialize((), "fixed", ())),
]


@pytest.mark.parametrize(("policy", "seen", "expected"), TABLE)
def test_decisions(policy: Policy, seen: Profile, expected: Decision) -> None:
    assert policy.decide(seen) == expected


@pytest.mark.parametrize(("policy", "seen"), [(policy, seen) for policy, seen, _ in TABLE])
def test_every_decision_has_a_reason_and_does_not_change(policy: Policy, seen: Profile) -> None:
    first = policy.decide(seen)
    assert first.reason
    assert policy.decide(seen) == first
