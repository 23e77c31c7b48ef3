"""Policies as tables: a profile in, a decision out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir import variant
from ir.variant import GENERIC, KeysInRange, SelectRows, Tier, VariantSpec
from policies import (
    Decision,
    Domain,
    Fixed,
    Generalize,
    Keep,
    NarrowKeys,
    NoNulls,
    Policy,
    Specialize,
)
from policies.ranges import widened
from profiler.profile import ColumnFacts, KeyFacts, Profile
from tests.policies.build import keyed

NOTHING_SEEN = Profile()
MUCH_SEEN = Profile(rows=10**9, outcomes={0b1: 10**8, 0b0: 9 * 10**8}, filters=1)

SMALL_BLOCKS = VariantSpec(Tier.SPECULATIVE, (), (SelectRows(64),))
BRANCHES = VariantSpec(Tier.SPECULATIVE, (), ())

INT64 = Domain(-(2**63), 2**63 - 1)
INT8 = Domain(-128, 127)
CODES = Domain(0, 2**31 - 1, "name")
ONE_KEY = NarrowKeys((INT64,))
TWO_KEYS = NarrowKeys((INT64, INT8))
NULLABLE = NoNulls(("a", "b"))


def bets(*ranges: tuple[int, int]) -> tuple[KeysInRange]:
    return (KeysInRange(ranges),)


def columns(rows: int = 10_000, **facts: ColumnFacts) -> Profile:
    return Profile(rows=rows, outcomes={0: rows}, columns=facts)


TABLE: list[tuple[Policy, Profile, Decision]] = [
    (Fixed(), NOTHING_SEEN, Generalize("fixed")),
    (Fixed(), MUCH_SEEN, Generalize("fixed")),
    (Fixed(GENERIC), MUCH_SEEN, Generalize("fixed")),
    (Fixed(SMALL_BLOCKS), NOTHING_SEEN, Specialize((), "fixed", (SelectRows(64),))),
    (Fixed(SMALL_BLOCKS), MUCH_SEEN, Specialize((), "fixed", (SelectRows(64),))),
    # No hints is a wish, not the lack of one: a branch for each row.
    (Fixed(BRANCHES), MUCH_SEEN, Specialize((), "fixed", ())),
    (ONE_KEY, NOTHING_SEEN, Keep("keys of 0 rows seen, need 64")),
    (
        ONE_KEY,
        keyed((0, 9_999), groups=10_000),
        Specialize(
            bets((0, 12_287)), "keys in 0..12287 are 12288 cells for about 10000 groups", None
        ),
    ),
    (
        ONE_KEY,
        keyed((0, 10**8), groups=10**4),
        Generalize(
            "keys in 0..117440511 are 117440512 cells for about 10000 groups, more than 160000"
        ),
    ),
    (
        TWO_KEYS,
        keyed((-5, 5), (100, 127), groups=200),
        Specialize(
            bets((-8, 7), (96, 127)), "keys in -8..7 x 96..127 are 512 cells for about 200 groups"
        ),
    ),
    (TWO_KEYS, keyed((0, 5), (None, None)), Generalize("key 1 is no integer")),
    (NarrowKeys((None,)), keyed((0, 5)), Generalize("key 0 is no integer")),
    (NarrowKeys(()), keyed(), Generalize("0 keys, an array takes 1 to 3")),
    (
        ONE_KEY,
        replace(keyed((0, 5)), keys=(KeyFacts(0, 5, nulls=3),)),
        Generalize("key 0 was null in 3 of 10000 rows"),
    ),
    # All codes of a dictionary are likely, not only those that sampled rows had.
    (
        NarrowKeys((CODES,)),
        replace(keyed((7, 80)), dictionaries={"name": 200}),
        Specialize(bets((0, 255)), "keys in 0..255 are 256 cells for about 100 groups"),
    ),
    (
        NULLABLE,
        columns(a=ColumnFacts(nulls=5), b=ColumnFacts()),
        Specialize((variant.NoNulls(("b",)),), "no nulls in b in 10000 rows, but in others"),
    ),
    (
        NULLABLE,
        columns(a=ColumnFacts(), b=ColumnFacts()),
        Generalize("no nulls in 10000 rows, which the layout says anyway"),
    ),
    (
        NULLABLE,
        columns(a=ColumnFacts(nulls=1), b=ColumnFacts(nulls=2)),
        Generalize("nulls in each of a, b"),
    ),
    (NULLABLE, NOTHING_SEEN, Keep("nulls of 0 rows counted, need 64")),
]


@pytest.mark.parametrize(("policy", "seen", "expected"), TABLE)
def test_decisions(policy: Policy, seen: Profile, expected: Decision) -> None:
    assert policy.decide(seen) == expected


@pytest.mark.parametrize(("policy", "seen"), [(policy, seen) for policy, seen, _ in TABLE])
def test_every_decision_has_a_reason_and_does_not_change(policy: Policy, seen: Profile) -> None:
    first = policy.decide(seen)
    assert first.reason
    assert policy.decide(seen) == first


INTEGERS = st.one_of(st.integers(-300, 300), st.integers(-(2**63), 2**63 - 1))


@given(INTEGERS, INTEGERS, st.sampled_from([0.0, 1 / 8, 1 / 2]))
def test_a_widened_range_holds_what_was_seen_and_stays_in_the_type(
    one: int, other: int, slack: float
) -> None:
    low, high = sorted((one, other))
    wide_low, wide_high = widened(low, high, INT64, slack)
    assert INT64.low <= wide_low <= low <= high <= wide_high <= INT64.high
    assert wide_low >= 0 or low < 0
    assert wide_high - wide_low < 2 * (high - low + 1) * (1 + 4 * slack)


@given(st.integers(0, 2**40), st.integers(64, 2**20), st.integers(0, 8), st.integers(0, 8))
def test_a_little_more_or_less_seen_gives_few_other_ranges(
    low: int, span: int, up: int, down: int
) -> None:
    """Ends move by whole grains only, so most small changes give the very same range."""
    before = widened(low, low + span, INT64, 1 / 8)
    after = widened(low + up, low + span - down, INT64, 1 / 8)
    grain = 1 << ((span + 1) // 8).bit_length()
    moved = [abs(old - new) for old, new in zip(before, after, strict=True)]
    assert all(distance == 0 or distance >= grain // 4 for distance in moved)


@given(st.lists(st.tuples(INTEGERS, INTEGERS), min_size=1, max_size=3), st.integers(1, 10**7))
def test_arrays_hold_all_keys_seen_and_are_within_the_limits(
    pairs: list[tuple[int, int]], groups: int
) -> None:
    ranges = [(min(pair), max(pair)) for pair in pairs]
    policy = NarrowKeys((INT64,) * len(ranges))
    decision = policy.decide(keyed(*ranges, groups=groups))
    if isinstance(decision, Specialize):
        (bet,) = decision.assumptions
        assert isinstance(bet, KeysInRange)
        for (low, high), (wide_low, wide_high) in zip(ranges, bet.ranges, strict=True):
            assert wide_low <= low <= high <= wide_high
        assert bet.cells <= policy.max_cells
        assert bet.cells <= max(policy.small_cells, policy.cells_per_group * groups)
