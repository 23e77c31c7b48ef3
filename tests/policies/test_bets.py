"""Policies as tables: a profile in, a decision out."""

from __future__ import annotations

import pytest

from ir.variant import NoNulls
from policies import (
    Decision,
    Generalize,
    Keep,
    NeverSpecialize,
    Policy,
    SkipNullChecks,
    Specialize,
)
from profiler import Observation, Profile


def profile(rows: int, **nulls: int) -> Profile:
    return Profile(rows=rows, nulls=nulls)


def bet(*columns: str) -> tuple[NoNulls, ...]:
    return (NoNulls(frozenset(columns)),)


TABLE: list[tuple[Policy, Profile, Decision]] = [
    (SkipNullChecks(), profile(0), Keep("no rows yet")),
    (SkipNullChecks(), profile(0, a=0), Keep("no rows yet")),
    (SkipNullChecks(), profile(10, a=0), Specialize(bet("a"), "no nulls in 10 rows")),
    (SkipNullChecks(), profile(10, a=0, b=0), Specialize(bet("a", "b"), "no nulls in 10 rows")),
    (SkipNullChecks(), profile(10, a=1), Generalize("nulls in a")),
    # One column with nulls ends the bet on all: each subset would be another variant.
    (SkipNullChecks(), profile(10, a=0, b=1), Generalize("nulls in b")),
    (SkipNullChecks(), profile(10, b=2, a=1), Generalize("nulls in a, b")),
    (SkipNullChecks(), profile(10), Specialize(bet(), "no nulls in 10 rows")),
    (NeverSpecialize(), profile(0), Generalize("fixed")),
    (NeverSpecialize(), profile(10**9, a=0), Generalize("fixed")),
]


@pytest.mark.parametrize(("policy", "seen", "expected"), TABLE)
def test_decisions(policy: Policy, seen: Profile, expected: Decision) -> None:
    assert policy.decide(seen) == expected


def test_a_null_ends_the_bet_for_good() -> None:
    """Batches without nulls after one with a null do not bring the bet back."""
    seen = Profile()
    kinds = []
    for nulls in (0, 1, 0, 0):
        seen = seen.plus(Observation(100, {"a": nulls}))
        kinds.append(type(SkipNullChecks().decide(seen)))
    assert kinds == [Specialize, Generalize, Generalize, Generalize]


def test_deciding_again_gives_the_same_answer() -> None:
    seen = profile(10, a=0)
    assert SkipNullChecks().decide(seen) == SkipNullChecks().decide(seen)
