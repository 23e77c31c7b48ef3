"""The bet that filters cannot fail: where it is made, on which ranges, and in which order then."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir import (
    DATE,
    GENERIC,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Call,
    Cast,
    Column,
    Expr,
    FilterOrder,
    Literal,
    ValuesInRange,
)
from ir.intervals import Interval, prove
from policies import (
    Decision,
    Generalize,
    Keep,
    NarrowValues,
    PredicateOrder,
    ProvenFilters,
    Specialize,
    filter_facts,
)
from profiler.profile import ColumnFacts, Profile

PRICE, QUANTITY, TAX = (Column(name, INT64, False) for name in ("price", "quantity", "tax"))
COUNT, DAY = Column("count", INT32, False), Column("day", DATE, False)
LARGE, NAME = Column("large", INT64, False), Column("name", STRING, False)


def call(function: str, *args: Expr) -> Call:
    return Call(function, args)


def of(value: int) -> Literal:
    return Literal(value, INT64)


TOTAL = call("gt", call("add", call("multiply", PRICE, QUANTITY), TAX), of(1000))
APART = call("lt", call("abs", call("subtract", PRICE, TAX)), of(10))
NARROWED = call("lt", Cast(PRICE, INT32), Literal(5, INT32))
PER_PIECE = call("gt", call("int_divide", PRICE, QUANTITY), of(3))
MIDNIGHT = call("ge", Cast(DAY, TIMESTAMP), Literal(0, TIMESTAMP))
PLAIN = call("lt", TAX, of(20))
SUM = call("gt", call("add", COUNT, COUNT), Literal(0, INT32))


def seen(rows: int = 10_000, **ranges: tuple[int, int]) -> Profile:
    return Profile(rows=rows, columns={name: ColumnFacts(*pair) for name, pair in ranges.items()})


SMALL = {"price": (0, 99_999), "quantity": (1, 50), "tax": (0, 999)}


def narrow(*filters: Expr) -> NarrowValues:
    return NarrowValues(filters)


def bet(reason: str, **ranges: tuple[int, int]) -> Specialize:
    return Specialize(
        tuple(ValuesInRange(n, low, high) for n, (low, high) in ranges.items()), reason
    )


TABLE: list[tuple[NarrowValues, Profile, Decision]] = [
    (narrow(), seen(), Generalize("no filter can fail")),
    (narrow(PLAIN), seen(**SMALL), Generalize("no filter can fail")),
    (narrow(TOTAL), seen(3, **SMALL), Keep("values of 3 rows seen, need 64")),
    (narrow(TOTAL), seen(), Generalize("filters [0] can fail also with any range")),
    (
        narrow(PLAIN, TOTAL),
        seen(price=(0, 2**62), quantity=(1, 50), tax=(0, 9)),
        Generalize(
            "filters [1] can fail also with tax in 0..15, price in 0..9223372036854775807,"
            " quantity in 1..95"
        ),
    ),
    # As wide as can be proven, so that little leaves it.
    (
        narrow(NARROWED),
        seen(price=(0, 999)),
        bet(
            "filters [0] cannot fail with price in -2147483648..2147483647",
            price=(-(2**31), 2**31 - 1),
        ),
    ),
    # A divisor is not zero; and what a type has anyway is not assumed.
    (
        narrow(PER_PIECE),
        seen(price=(0, 999), quantity=(1, 50)),
        bet(
            "filters [0] cannot fail with quantity in 1..9223372036854775807",
            quantity=(1, 2**63 - 1),
        ),
    ),
    (
        narrow(PER_PIECE),
        seen(price=(0, 999), quantity=(0, 50)),
        Generalize("filters [0] can fail also with price in 0..1535, quantity in 0..95"),
    ),
    (
        narrow(SUM),
        seen(count=(-5, 900)),
        bet(
            "filters [0] cannot fail with count in -1073741824..1073741823",
            count=(-(2**30), 2**30 - 1),
        ),
    ),
    (
        narrow(MIDNIGHT),
        seen(day=(19_000, 19_800)),
        bet("filters [0] cannot fail with day in -67108864..67108863", day=(-(2**26), 2**26 - 1)),
    ),
    # Only the divisor has one sign.
    (
        narrow(PER_PIECE, SUM),
        seen(price=(0, 999), quantity=(1, 50), count=(0, 9)),
        bet(
            "filters [0, 1] cannot fail with quantity in 1..8589934591,"
            " count in -1073741824..1073741823",
            quantity=(1, 2**33 - 1),
            count=(-(2**30), 2**30 - 1),
        ),
    ),
    # One that cannot be helped says nothing about the other.
    (
        narrow(TOTAL, NARROWED),
        seen(price=(0, 999)),
        bet(
            "filters [1] cannot fail with price in -2147483648..2147483647",
            price=(-(2**31), 2**31 - 1),
        ),
    ),
]


@pytest.mark.parametrize(("policy", "profile", "expected"), TABLE)
def test_decisions(policy: NarrowValues, profile: Profile, expected: Decision) -> None:
    assert policy.decide(profile) == expected


RANGE = st.tuples(st.integers(-(2**40), 2**40), st.integers(0, 2**40))


@given(st.tuples(RANGE, RANGE, RANGE))
def test_ranges_hold_what_was_seen_and_prove_their_filters(
    pairs: tuple[tuple[int, int], ...],
) -> None:
    facts = {n: (low, low + more) for n, (low, more) in zip(SMALL, pairs, strict=True)}
    filters = (TOTAL, APART, NARROWED, PER_PIECE, PLAIN)
    decision = NarrowValues(filters).decide(seen(**facts))
    if not isinstance(decision, Specialize):
        return
    ranges = {}
    for claim in decision.assumptions:
        assert isinstance(claim, ValuesInRange)
        low, high = facts[claim.column]
        assert claim.low <= low <= high <= claim.high
        ranges[claim.column] = Interval(claim.low, claim.high)
    before = sum(one.can_fail for one in filters)
    assert sum(prove(one, ranges).can_fail for one in filters) < before
    assert decision == NarrowValues(filters).decide(seen(**facts))


def passing(shares: dict[int, int], **ranges: tuple[int, int]) -> Profile:
    """Of 1,000 rows, how many had each outcome of two filters."""
    return replace(seen(1000, **ranges), outcomes=shares, filters=2)


LAST_DROPS = {0b01: 800, 0b11: 10, 0b00: 180, 0b10: 10}


def test_filters_that_are_proven_are_tested_together_as_their_columns_are_read_anyway() -> None:
    filters = (TOTAL, PLAIN, APART)
    shares = {0b010: 20, 0b111: 10, 0b000: 960, 0b101: 10}
    profile = replace(seen(1000, **SMALL), outcomes=shares, filters=3)
    decision, alone = ProvenFilters(filters).decide(profile), narrow(*filters).decide(profile)
    assert isinstance(alone, Specialize)
    assert decision == Specialize(
        alone.assumptions,
        f"{alone.reason}; filters [0, 1, 2] together, then []",
        (*GENERIC.hints, FilterOrder((0, 1, 2), ())),
    )


def test_a_filter_that_is_proven_holds_no_other_up() -> None:
    """One of texts is costly: it comes last, and the plain one does not wait for either."""
    filters = (TOTAL, call("contains", NAME, Literal("x", STRING)), PLAIN)
    profile = replace(seen(1000, **SMALL), outcomes={0b011: 900, 0b111: 10, 0b000: 90}, filters=3)
    decision = ProvenFilters(filters).decide(profile)
    assert isinstance(decision, Specialize)
    assert decision.spec.find(FilterOrder) == FilterOrder((0, 2), (1,))


def test_one_that_is_proven_does_not_move_past_one_that_is_not() -> None:
    filters = (PLAIN, call("gt", call("multiply", LARGE, LARGE), of(0)), TOTAL, APART)
    outcomes = {0b0001: 900, 0b1111: 10, 0b0000: 90}
    profile = replace(seen(1000, large=(0, 2**62), **SMALL), outcomes=outcomes, filters=4)
    decision = ProvenFilters(filters).decide(profile)
    assert isinstance(decision, Specialize)
    order = decision.spec.find(FilterOrder)
    assert order is None or (set(order.first) <= {0} and order.then.index(1) < order.then.index(2))
    assert {bet.column for bet in decision.assumptions if isinstance(bet, ValuesInRange)} == set(
        SMALL
    )


def test_what_is_not_proven_stays_a_barrier() -> None:
    """The plain filter drops nearly all rows, but a row of the other one may have to fail."""
    profile = passing(LAST_DROPS, price=(0, 2**62), quantity=(0, 2**62), tax=(0, 9))
    decision = ProvenFilters((TOTAL, PLAIN)).decide(profile)
    plain = PredicateOrder(tuple(map(filter_facts, (TOTAL, PLAIN)))).decide(profile)
    assert decision == plain
    assert isinstance(decision, Generalize)


def test_no_bet_on_values_where_rows_have_branches() -> None:
    profile = passing({0b11: 990, 0b01: 10}, **SMALL)
    decision = ProvenFilters((TOTAL, PLAIN)).decide(profile)
    assert decision == Specialize((), "99% of rows pass: a branch for each", ())


def test_too_few_rows_change_nothing() -> None:
    few = replace(passing({0b11: 100}, **SMALL), rows=100)
    assert ProvenFilters((TOTAL, PLAIN)).decide(few) == Keep("filters of 100 rows seen, need 256")
    assert GENERIC.assumptions == ()
