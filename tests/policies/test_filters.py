"""The order of filters: by cost and by how rows passed them together."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir import INT64, STRING, Call, Column, Expr, Literal
from ir.variant import FilterOrder, SelectRows, Tier, VariantSpec
from policies import Decision, FilterFacts, Generalize, Keep, PredicateOrder, Specialize
from policies.filters import FilterCosts, filter_facts
from profiler.profile import Profile
from tests.ir.build import EVENT_TYPE, RISKY, VALUE, call, long, patiently
from tests.policies.build import filtered

FAST = FilterFacts()
ALONE = FilterFacts(vectorised=False)
FAILS = FilterFacts(can_fail=True, vectorised=False)
TEXT = FilterFacts(vectorised=False, cost=4.0, dictionary="name")

# The second filter drops nearly all, the first nearly none.
LATE = {"11": 5, "10": 895, "01": 5, "00": 95}
EARLY = {"11": 5, "10": 5, "01": 895, "00": 95}


def order_of(decision: Decision) -> FilterOrder | None:
    """The order of a decision; None for no bet or for branches."""
    spec = decision.spec if isinstance(decision, Specialize) else None
    return None if spec is None else spec.find(FilterOrder)


ORDERS: list[tuple[tuple[FilterFacts, ...], dict[str, int], FilterOrder | None]] = [
    ((FAST, FAST), LATE, FilterOrder((1,), (0,))),
    ((FAST, FAST), EARLY, FilterOrder((0,), (1,))),
    # Both in vectors, as the program has it, is right where both leave many, or one in ten:
    # then nearly all memory is read anyway.
    ((FAST, FAST), {"11": 50, "10": 850, "01": 50, "00": 50}, None),
    ((FAST, FAST), {"11": 500, "10": 200, "01": 200, "00": 100}, None),
    ((ALONE, ALONE), LATE, FilterOrder((), (1, 0))),
    ((ALONE, ALONE), EARLY, None),
    ((ALONE, FAST), LATE, FilterOrder((1,), (0,))),
    # What may fail stays where it is, and nothing passes it.
    ((FAST, FAILS), LATE, None),
    ((ALONE, FAILS), LATE, None),
    ((FAILS, FAST), LATE, None),
    ((FAILS, ALONE, ALONE), {"111": 50, "110": 850, "000": 100}, FilterOrder((), (0, 2, 1))),
    # The costly one goes last although it drops more.
    ((TEXT, ALONE), {"11": 100, "01": 500, "10": 400}, FilterOrder((), (1, 0))),
    # The second and third drop the same rows: alone each is better than the first, but
    # behind one of them the first is better than the other.
    (
        (ALONE, ALONE, ALONE),
        {"000": 500, "100": 460, "011": 20, "111": 20},
        FilterOrder((), (1, 0, 2)),
    ),
]


@pytest.mark.parametrize(("facts", "outcomes", "expected"), ORDERS)
def test_orders(
    facts: tuple[FilterFacts, ...], outcomes: dict[str, int], expected: FilterOrder | None
) -> None:
    assert order_of(PredicateOrder(facts).decide(filtered(outcomes))) == expected


def test_a_decision_names_the_nanoseconds() -> None:
    assert PredicateOrder((FAST, FAST)).decide(filtered(LATE)) == Specialize(
        (),
        "filters [1] first, then [0]: 0.79 ns a row instead of 1.00",
        (SelectRows(), FilterOrder((1,), (0,))),
    )


def test_branches_where_nearly_all_rows_pass_and_as_long_as_most_do() -> None:
    policy = PredicateOrder((FAST,))
    most, many = filtered({"1": 950, "0": 50}), filtered({"1": 880, "0": 120})
    branches = Specialize((), "95% of rows pass: a branch for each", ())
    assert policy.decide(most) == branches
    assert isinstance(policy.decide(many), Generalize)
    running = replace(many, running=VariantSpec(Tier.SPECULATIVE, (), ()))
    assert policy.decide(running) == Specialize((), "88% of rows pass: a branch for each", ())


def test_the_running_order_stays_unless_another_gains_enough() -> None:
    policy = PredicateOrder((ALONE, ALONE, ALONE))
    runs = FilterOrder((), (2, 1, 0))
    spec = VariantSpec(Tier.SPECULATIVE, (), (SelectRows(), runs))
    close = filtered({"111": 10, "110": 470, "101": 500, "011": 20})
    assert order_of(policy.decide(close)) == FilterOrder((), (1, 2, 0))
    assert order_of(policy.decide(replace(close, running=spec))) == runs
    far = filtered({"111": 10, "110": 70, "101": 900, "011": 20})
    assert order_of(policy.decide(replace(far, running=spec))) == FilterOrder((), (1, 2, 0))


def test_codes_of_a_dictionary_make_a_filter_of_strings_a_look_up() -> None:
    policy, seen = PredicateOrder((FAST, TEXT)), filtered(LATE)
    assert order_of(policy.decide(seen)) is None
    coded = replace(seen, dictionaries={"name": 5})
    assert order_of(policy.decide(coded)) == FilterOrder((1,), (0,))


def test_no_bet_without_filters_or_rows() -> None:
    assert PredicateOrder(()).decide(Profile()) == Generalize("the program has no filter")
    few = filtered({"1": 5, "0": 5})
    assert PredicateOrder((FAST,)).decide(few) == Keep("filters of 10 rows seen, need 256")


OTHER = Column("other", INT64)
FACTS: list[tuple[Expr, FilterFacts]] = [
    (call("lt", VALUE, long(5)), FAST),
    (call("or", call("lt", VALUE, long(5)), call("gt", OTHER, long(5))), FilterFacts(cost=3.0)),
    (
        call("eq", EVENT_TYPE, Literal("view", STRING)),
        FilterFacts(vectorised=False, cost=4.0, dictionary="event_type"),
    ),
    (
        call("like", EVENT_TYPE, Literal("%v%", STRING)),
        FilterFacts(vectorised=False, cost=12.0, dictionary="event_type"),
    ),
    (RISKY, FilterFacts(can_fail=True, vectorised=False, cost=2.0)),
]


@pytest.mark.parametrize(("predicate", "expected"), FACTS)
def test_facts_of_predicates(predicate: Call, expected: FilterFacts) -> None:
    assert filter_facts(predicate) == expected


@st.composite
def filter_cases(draw: st.DrawFn) -> tuple[tuple[FilterFacts, ...], Profile]:
    """Up to eight filters of all kinds, and outcomes as profiles have them."""
    fails = draw(st.lists(st.booleans(), min_size=1, max_size=8))
    cost = st.sampled_from([1.0, 4.0])
    facts = tuple(FilterFacts(f, not f and draw(st.booleans()), draw(cost)) for f in fails)
    masks = st.integers(0, (1 << len(facts)) - 1)
    rows = draw(st.dictionaries(masks, st.integers(1, 1000), min_size=1, max_size=12))
    outcomes: dict[int, int] = {}
    for mask, count in rows.items():
        seen = _as_sampled(facts, mask)
        outcomes[seen] = outcomes.get(seen, 0) + count
    return facts, Profile(rows=sum(rows.values()), outcomes=outcomes, filters=len(facts))


def _as_sampled(facts: tuple[FilterFacts, ...], mask: int) -> int:
    """A filter that can fail is tested only where those before it pass."""
    for number, one in enumerate(facts):
        before = (1 << number) - 1
        if one.can_fail and mask & before != before:
            mask &= ~(1 << number)
    return mask


@patiently
@given(filter_cases())
def test_an_order_has_every_filter_once_and_nothing_passes_one_that_fails(
    case: tuple[tuple[FilterFacts, ...], Profile],
) -> None:
    facts, profile = case
    best = FilterCosts(facts, profile).best()
    order = (*best.first, *best.then)
    assert sorted(order) == list(range(len(facts)))
    assert all(facts[number].vectorised for number in best.first)
    for place, number in enumerate(order):
        if facts[number].can_fail:
            assert set(order[:place]) == set(range(number))


@patiently
@given(filter_cases())
def test_no_order_that_the_policy_chooses_costs_more_than_the_programs(
    case: tuple[tuple[FilterFacts, ...], Profile],
) -> None:
    facts, profile = case
    costs = FilterCosts(facts, profile)
    order = order_of(PredicateOrder(facts).decide(profile))
    assert order is None or costs.of(order) < costs.of(costs.of_program())


@patiently
@given(filter_cases().filter(lambda case: len(case[0]) <= 4))
def test_the_best_order_is_the_cheapest_of_all_that_are_legal(
    case: tuple[tuple[FilterFacts, ...], Profile],
) -> None:
    facts, profile = case
    costs = FilterCosts(facts, profile)
    legal = [
        FilterOrder(order[:end], order[end:])
        for order in permutations(range(len(facts)))
        for end in range(len(facts) + 1)
        if all(facts[n].vectorised for n in order[:end])
        and all(set(order[:at]) == set(range(n)) for at, n in enumerate(order) if facts[n].can_fail)
    ]
    assert costs.of(costs.best()) == pytest.approx(min(map(costs.of, legal)))
