"""Policies made of policies, and the one that a program gets by default."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir import INT64, AggregateCall, CountWindow, Named, NamedAggregate, RowProgram, cut, flatten
from ir.variant import (
    GENERIC,
    FilterOrder,
    HotKeys,
    KeysInRange,
    NoNulls,
    Prefetch,
    SelectRows,
    Tier,
    ValuesInRange,
    VariantSpec,
)
from policies import (
    Decision,
    Domain,
    Generalize,
    Hysteresis,
    Keep,
    NarrowKeys,
    Specialize,
    Together,
    default_policy,
)
from policies.defaults import slot_bytes
from profiler.profile import ColumnFacts, HotKey, KeyFacts, Profile
from tests.ir.build import CAMPAIGN, EVENT_TYPE, REVENUE, VALUE
from tests.policies.build import keyed

SEEN = keyed((0, 99))


@dataclass(frozen=True)
class Says:
    """A policy that always decides the same."""

    decision: Decision

    def decide(self, profile: Profile) -> Decision:
        return self.decision


KEYS = Specialize((KeysInRange(((0, 9),)),), "narrow")
OTHER_KEYS = Specialize((KeysInRange(((0, 99),)), NoNulls(("a",))), "wider")
VALUES = Specialize((ValuesInRange("a", 0, 9), ValuesInRange("b", 0, 9)), "small")
AHEAD = Specialize((), "large", (SelectRows(), Prefetch()))
BRANCH = Specialize((), "all pass", ())
NOTHING = Generalize("nothing")
UNKNOWN = Keep("few rows")

TOGETHER: list[tuple[tuple[Decision, ...], Decision]] = [
    ((KEYS, NOTHING, UNKNOWN), KEYS),
    ((NOTHING, UNKNOWN), Generalize("nothing; few rows")),
    ((UNKNOWN, UNKNOWN), Keep("few rows; few rows")),
    ((), Keep("")),
    # Of a kind, the first; of ranges of values, one for each column.
    (
        (KEYS, OTHER_KEYS),
        Specialize((KeysInRange(((0, 9),)), NoNulls(("a",))), "narrow; wider"),
    ),
    ((VALUES, VALUES), replace(VALUES, reason="small; small")),
    ((KEYS, AHEAD), Specialize(KEYS.assumptions, "narrow; large", (SelectRows(), Prefetch()))),
    # One that wants branches has its way.
    ((AHEAD, BRANCH), Specialize((), "large; all pass", (Prefetch(),))),
    ((BRANCH, KEYS), Specialize(KEYS.assumptions, "all pass; narrow", ())),
]


@pytest.mark.parametrize(("decisions", "expected"), TOGETHER)
def test_together(decisions: tuple[Decision, ...], expected: Decision) -> None:
    assert Together(tuple(map(Says, decisions))).decide(SEEN) == expected


def runs(*claims: KeysInRange | ValuesInRange, hot: HotKeys | None = None) -> VariantSpec:
    hints = (SelectRows(),) if hot is None else (SelectRows(), hot)
    return VariantSpec(Tier.SPECULATIVE, claims, hints)


def hot(*keys: int) -> HotKeys:
    return HotKeys(tuple((key,) for key in keys))


HOT = tuple(HotKey((key,), share) for key, share in ((1, 0.4), (2, 0.3), (3, 0.25)))
FACTS = replace(SEEN, hot=HOT, columns={"a": ColumnFacts(0, 9)})
WIDE = Specialize((KeysInRange(((0, 127),)),), "keys")
SMALL = Specialize((ValuesInRange("a", 0, 15),), "values")
SKEWED = Specialize((), "skew", (SelectRows(), hot(1, 2)))
SAME = "the running variant is as good: "

STAYS: list[tuple[Decision, VariantSpec, Decision]] = [
    (WIDE, runs(KeysInRange(((0, 99),))), Keep(f"{SAME}keys")),
    (WIDE, runs(KeysInRange(((0, 200),))), Keep(f"{SAME}keys")),
    (WIDE, runs(KeysInRange(((0, 98),))), WIDE),  # does not hold what was seen
    (WIDE, runs(KeysInRange(((0, 999),))), WIDE),  # too wide
    (WIDE, runs(KeysInRange(((0, 99), (0, 1)))), WIDE),
    (WIDE, GENERIC, WIDE),
    (SMALL, runs(ValuesInRange("a", 0, 9)), Keep(f"{SAME}values")),
    # Beyond the new range, nothing may be proven; in a part of it are not all that were seen.
    (SMALL, runs(ValuesInRange("a", 0, 20)), SMALL),
    (SMALL, runs(ValuesInRange("a", 0, 8)), SMALL),
    (SMALL, runs(ValuesInRange("b", 0, 20)), SMALL),
    (SKEWED, runs(hot=hot(2, 1)), Keep(f"{SAME}skew")),
    (SKEWED, runs(hot=hot(1, 3)), Keep(f"{SAME}skew")),
    (SKEWED, runs(hot=hot(2, 3)), SKEWED),
    (NOTHING, runs(KeysInRange(((0, 99),))), NOTHING),
    (UNKNOWN, runs(KeysInRange(((0, 99),))), UNKNOWN),
    # What still does stays, beside what is new.
    (
        Specialize((*WIDE.assumptions, *SMALL.assumptions), "both"),
        runs(KeysInRange(((0, 99),))),
        Specialize((KeysInRange(((0, 99),)), ValuesInRange("a", 0, 15)), "both"),
    ),
]


@pytest.mark.parametrize(("decision", "running", "expected"), STAYS)
def test_hysteresis(decision: Decision, running: VariantSpec, expected: Decision) -> None:
    assert Hysteresis(Says(decision)).decide(replace(FACTS, running=running)) == expected


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(9_000, 9_999)), min_size=1, max_size=8))
def test_samples_of_the_same_keys_do_not_change_the_variant(
    samples: list[tuple[int, int]],
) -> None:
    policy = Hysteresis(NarrowKeys((Domain(0, 2**31 - 1),)))
    running = GENERIC
    chosen = []
    for low, high in samples:
        seen = replace(keyed((low, high), groups=10_000), running=running)
        decision = policy.decide(seen)
        if isinstance(decision, Specialize):
            running = decision.spec
            chosen.append(running)
    assert len(chosen) == 1


PROGRAM = flatten(cut(REVENUE)[0])


def profile_of(program: RowProgram) -> Profile:
    """Few campaigns, one of them heavy; half of the rows pass."""
    filters = len(program.filters)
    return Profile(
        rows=10_000,
        outcomes={(1 << filters) - 1: 5_000, 0: 5_000},
        filters=filters,
        keys=tuple(KeyFacts(0, 99) for _ in program.keys),
        hot=(HotKey((5,), 0.6),),
        groups=100,
        columns={
            "event_type": ColumnFacts(nulls=7),
            "value": ColumnFacts(0, 999),
            "event_time": ColumnFacts(0, 1),
        },
    )


def test_the_default_policy_bets_on_what_a_program_can_gain_from() -> None:
    decision = default_policy(PROGRAM).decide(profile_of(PROGRAM))
    assert isinstance(decision, Specialize)
    assert KeysInRange(((0, 127),)) in decision.assumptions
    assert NoNulls(("event_time", "value")) in decision.assumptions
    assert decision.spec.find(HotKeys) is None
    assert decision.spec.find(Prefetch) is None


def test_hot_groups_are_set_apart_only_where_groups_are_not_in_the_cache() -> None:
    """There they do not wait; beyond it they do, in hash tables and in arrays."""
    few, policy = profile_of(PROGRAM), default_policy(PROGRAM)
    scattered = replace(few, keys=(KeyFacts(-(2**62), 2**62),))
    decided = [
        policy.decide(profile)
        for profile in (few, replace(few, groups=10**6), replace(scattered, groups=10**6))
    ]
    assert [isinstance(d, Specialize) and d.spec.find(HotKeys) is not None for d in decided] == [
        False,
        True,
        True,
    ]
    assert isinstance(decided[1], Specialize)
    assert decided[1].spec.find(KeysInRange) is not None


def test_codes_of_a_string_are_a_range_but_never_hot_keys() -> None:
    """Also more codes than one batch's dictionary has: the runtime numbers those of all."""
    program = replace(PROGRAM, keys=(Named("type", EVENT_TYPE),))
    seen = replace(profile_of(program), dictionaries={"event_type": 3})
    decision = default_policy(program).decide(seen)
    assert isinstance(decision, Specialize)
    assert decision.spec.find(KeysInRange) == KeysInRange(((0, 127),))
    scattered = replace(program, keys=(*program.keys, Named("campaign", CAMPAIGN)))
    wide = (KeyFacts(0, 99), KeyFacts(-(2**62), 2**62))
    decision = default_policy(scattered).decide(replace(seen, keys=wide, groups=10**6))
    assert isinstance(decision, Specialize)
    assert (decision.spec.find(KeysInRange), decision.spec.find(HotKeys)) == (None, None)


def test_windows_by_key_get_no_bets_on_tables() -> None:
    program = replace(PROGRAM, window=CountWindow(10, 10))
    decision = default_policy(program).decide(profile_of(program))
    assert isinstance(decision, Specialize)
    assert decision.assumptions == (NoNulls(("event_time", "value")),)
    assert decision.spec.find(FilterOrder) is None


def test_bytes_of_a_group() -> None:
    counts = NamedAggregate("n", AggregateCall("count"))
    mean = NamedAggregate("m", AggregateCall("avg", VALUE))
    keys = (Named("campaign", CAMPAIGN),)
    assert CAMPAIGN.type == INT64
    assert slot_bytes(replace(PROGRAM, keys=keys, aggregates=(counts,))) == 24
    assert slot_bytes(replace(PROGRAM, keys=keys, aggregates=(counts, mean))) == 40
    assert slot_bytes(replace(PROGRAM, keys=(Named("e", EVENT_TYPE),), aggregates=(counts,))) == 32
