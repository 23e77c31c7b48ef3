"""Hints about tables: a profile in, a decision out."""

from __future__ import annotations

import pytest

from ir.variant import HotKeys, Prefetch, SelectRows, ShareGroups
from policies import Decision, Generalize, HeavyHitters, LargeTables, ManyKeys, Policy, Specialize
from profiler.profile import HotKey, Profile
from tests.policies.build import keyed

SKEWED = tuple(HotKey((key,), share) for key, share in ((7, 0.5), (8, 0.2), (9, 0.19)))

TABLE: list[tuple[Policy, Profile, Decision]] = [
    (
        HeavyHitters(),
        keyed((0, 99), hot=SKEWED),
        Specialize(
            (), "hot groups: (7,) has 50%, (8,) has 20%", (SelectRows(), HotKeys(((7,), (8,))))
        ),
    ),
    (
        HeavyHitters(0.1, most=1),
        keyed((0, 99), hot=SKEWED),
        Specialize((), "hot groups: (7,) has 50%", (SelectRows(), HotKeys(((7,),)))),
    ),
    (
        HeavyHitters(0.6),
        keyed((0, 99), hot=SKEWED),
        Generalize("the heaviest group has 50%, less than 60%"),
    ),
    (
        HeavyHitters(),
        keyed((0, 99), (None, None), hot=SKEWED),
        Generalize("hot groups need keys that are integers"),
    ),
    (
        HeavyHitters(min_groups=1000),
        Profile(groups=999),
        Generalize("about 999 groups are in the cache"),
    ),
    (HeavyHitters(), Profile(), Generalize("hot groups need keys that are integers")),
    (
        LargeTables(24),
        keyed((0, 99), groups=100_000),
        Specialize((), "about 100000 groups are 2343 KiB, L2 has 1024", (SelectRows(), Prefetch())),
    ),
    (
        LargeTables(24),
        keyed((0, 99), groups=10_000),
        Generalize("about 10000 groups are 234 KiB, L2 has 1024"),
    ),
    (
        ManyKeys(),
        keyed((0, 99), groups=2_000_000, threads=2),
        Specialize((), "about 2000000 groups for 2 threads", (SelectRows(), ShareGroups())),
    ),
    (
        ManyKeys(),
        keyed((0, 99), groups=2_000_000),
        Generalize(
            "about 2000000 groups for 1 threads, shared from 2 threads and 1000000 groups on"
        ),
    ),
    (
        ManyKeys(),
        keyed((0, 99), groups=200_000, threads=4),
        Generalize(
            "about 200000 groups for 4 threads, shared from 2 threads and 1000000 groups on"
        ),
    ),
]


@pytest.mark.parametrize(("policy", "seen", "expected"), TABLE)
def test_decisions(policy: Policy, seen: Profile, expected: Decision) -> None:
    assert policy.decide(seen) == expected
