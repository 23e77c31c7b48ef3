"""The parts of the controller: trials, strikes, failing guards and proofs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive.loop.events import MorselDone
from adaptive.loop.guards import RecentExits
from adaptive.loop.proof import Proof
from adaptive.loop.race import Arm, Race
from adaptive.loop.record import BetRecord, kinds_of, title
from adaptive.loop.settings import LoopSettings
from ir import GENERIC, INSTRUMENTED, VariantSpec
from profiler.profile import Observation
from tests.adaptive.loop.specs import BOTH, BRANCHES, NARROW, ORDERED, REVERSED, WIDER

SETTINGS = LoopSettings()
ROWS = 1000


def seen(ns: float, rows: int = ROWS, exits: int = 0) -> Observation:
    return Observation(rows, guard_exits=exits, generic_rows=exits, elapsed_ns=round(ns * rows))


def race_of(*specs: VariantSpec, seed: int = 0) -> Race:
    return Race(SETTINGS, tuple(map(Arm, specs)), specs[0], "test", seed)


def run(race: Race, times: dict[VariantSpec, list[float]]) -> list[VariantSpec]:
    """Take turns until the trial is over; each variant goes through its times again and again."""
    turns: list[VariantSpec] = []
    while True:
        spec = race.next()
        times[spec].append(times[spec].pop(0))
        turns.append(spec)
        if race.add(MorselDone(spec, seen(times[spec][-1]))):
            return turns


WINNERS: list[tuple[float, float, VariantSpec]] = [
    (1.0, 0.5, NARROW),
    (1.0, 0.9, NARROW),
    (1.0, 0.95, NARROW),
    (1.0, 0.99, GENERIC),  # not worth a swap
    (1.0, 1.0, GENERIC),
    (1.0, 1.2, GENERIC),
    (1.0, 5.0, GENERIC),
]


@pytest.mark.parametrize(("generic", "narrow", "winner"), WINNERS)
def test_the_faster_variant_wins_a_trial(
    generic: float, narrow: float, winner: VariantSpec
) -> None:
    race = race_of(GENERIC, NARROW)
    run(race, {GENERIC: [generic], NARROW: [narrow]})
    assert race.winner().spec == winner


def test_variants_take_turns_there_and_back_whichever_begins() -> None:
    race = race_of(GENERIC, NARROW)
    turns = [race.next() for _ in range(40)]
    blocks = {tuple(turns[at : at + 4]) for at in range(0, 40, 4)}
    there = (GENERIC, NARROW, NARROW, GENERIC)
    assert blocks == {there, (NARROW, GENERIC, GENERIC, NARROW)}


def test_a_clear_difference_ends_a_trial_early_and_a_doubtful_one_late() -> None:
    clear = run(race_of(GENERIC, NARROW), {GENERIC: [1.0, 1.02], NARROW: [0.5, 0.51]})
    doubtful = run(race_of(GENERIC, NARROW), {GENERIC: [1.0, 1.2, 0.9], NARROW: [0.95, 1.15, 0.9]})
    hopeless = run(race_of(GENERIC, NARROW), {GENERIC: [1.0, 1.02], NARROW: [4.0]})
    assert len(clear) <= 2 * SETTINGS.min_samples + 4
    assert len(doubtful) >= 2 * SETTINGS.max_samples
    assert hopeless.count(NARROW) <= 4


def test_what_is_level_leaves_sooner_than_what_may_be_ahead() -> None:
    """To go on for certainty would cost more than the little that there may be to gain."""
    level = run(race_of(GENERIC, NARROW), {GENERIC: [1.0, 1.02], NARROW: [1.0, 1.02]})
    ahead = run(race_of(GENERIC, NARROW), {GENERIC: [1.0, 1.02], NARROW: [0.92, 0.94]})
    assert len(level) <= 2 * SETTINGS.min_samples + 4 < len(ahead)


def test_few_disturbed_morsels_do_not_decide() -> None:
    race = race_of(GENERIC, NARROW)
    run(race, {GENERIC: [1.0] * 5, NARROW: [0.8, 0.8, 9.0, 0.8, 0.8]})
    arm = race.arms[1]
    assert race.winner() is arm
    assert arm.median_ns == pytest.approx(0.8)


def test_a_variant_that_is_good_for_a_bit_more_than_half_of_the_data_does_not_win() -> None:
    race = race_of(GENERIC, NARROW)
    run(race, {GENERIC: [1.0], NARROW: [0.67, 1.9, 0.67, 1.9, 0.67]})
    assert race.arms[1].median_ns == pytest.approx(0.67)
    assert race.winner().spec == GENERIC


def test_large_morsels_count_more() -> None:
    arm = Arm(NARROW)
    for ns, rows in ((5.0, 10), (5.0, 10), (1.0, 1000), (5.0, 10)):
        arm.samples.append((ns, rows))
    arm.weigh(0.01)
    assert arm.median_ns == 1.0


def test_the_first_morsel_of_each_thread_is_left_out() -> None:
    race = race_of(GENERIC, NARROW)
    for worker in (0, 1, 2):
        race.add(MorselDone(NARROW, seen(9.0), worker))
    race.add(MorselDone(NARROW, seen(1.0), 1))
    assert race.arms[1].samples == [(1.0, ROWS)]


def test_other_variants_do_not_count_and_a_trial_without_its_variants_ends() -> None:
    race = race_of(GENERIC, NARROW)
    over = [race.add(MorselDone(INSTRUMENTED, seen(1.0))) for _ in range(200)]
    assert over[-1]
    assert race.winner().spec == GENERIC
    assert race.times() == "generic did not run, KeysInRange did not run"


def test_failing_guards_end_a_variants_trial() -> None:
    race = race_of(GENERIC, NARROW)
    assert not race.add(MorselDone(NARROW, seen(0.1, exits=1)))
    assert race.add(MorselDone(NARROW, seen(0.1, exits=1)))
    assert race.winner().spec == GENERIC
    assert race.arms[1].refuted


def test_of_three_the_best_wins_and_losers_leave() -> None:
    race = race_of(GENERIC, ORDERED, REVERSED)
    turns = run(race, {GENERIC: [1.0], ORDERED: [1.4], REVERSED: [0.7]})
    assert race.winner().spec == REVERSED
    assert [arm.spec for arm in race.left] == [REVERSED]
    assert len(turns) < 3 * SETTINGS.max_samples
    assert race.rival_ns(race.winner()) == 1.0


@given(
    st.lists(st.floats(0.5, 1.5), min_size=1, max_size=30),
    st.lists(st.floats(0.5, 1.5), min_size=1, max_size=30),
    st.integers(0, 99),
)
def test_every_trial_ends_with_a_winner(
    generic: list[float], narrow: list[float], seed: int
) -> None:
    race = race_of(GENERIC, NARROW, seed=seed)
    turns = run(race, {GENERIC: generic, NARROW: narrow})
    assert race.winner().spec in (GENERIC, NARROW)
    assert len(turns) <= 2 * SETTINGS.max_samples + 6


KINDS = [
    (GENERIC, set(), "generic"),
    (INSTRUMENTED, set(), "instrumented"),
    (NARROW, {"KeysInRange"}, "KeysInRange"),
    (BRANCHES, {"Branches"}, "Branches"),
    (BOTH, {"FilterOrder", "KeysInRange"}, "FilterOrder+KeysInRange"),
]


@pytest.mark.parametrize(("spec", "kinds", "name"), KINDS)
def test_kinds_of_bets(spec: VariantSpec, kinds: set[str], name: str) -> None:
    assert kinds_of(spec) == kinds
    assert title(spec) == name


def test_a_bet_that_fails_waits_twice_as_long_each_time_and_then_ends() -> None:
    record = BetRecord(LoopSettings(max_strikes=3))
    assert record.lost(ORDERED, rows=100, unit=10) == 120
    assert record.allowed(ORDERED, 119) == GENERIC
    assert record.allowed(REVERSED, 119) == GENERIC  # the same bet, with other values
    assert record.allowed(NARROW, 119) == NARROW
    assert record.allowed(ORDERED, 120) == ORDERED
    assert record.lost(ORDERED, rows=120, unit=10) == 160
    assert record.says(ORDERED) == "failure 2 of 3"
    assert record.lost(ORDERED, rows=160, unit=10) is None
    assert record.says(ORDERED) == "the bet ends for good after 3 failures"
    assert record.allowed(ORDERED, 10**12) == GENERIC


def test_failing_guards_bar_assumptions_and_leave_hints() -> None:
    record = BetRecord(SETTINGS)
    record.refuted(BOTH, rows=0, unit=10)
    assert record.allowed(WIDER, 19) == GENERIC
    assert record.allowed(BOTH, 19) == ORDERED
    assert record.allowed(BOTH, 20) == BOTH


def test_branches_that_lost_are_replaced_by_selection() -> None:
    record = BetRecord(SETTINGS)
    record.lost(BRANCHES, rows=0, unit=10)
    spec = VariantSpec(NARROW.tier, NARROW.assumptions, ())
    assert record.allowed(spec, 5) == NARROW


def test_a_bet_that_holds_for_long_starts_anew() -> None:
    record = BetRecord(SETTINGS)
    record.refuted(BOTH, rows=0, unit=10)
    record.lost(BOTH, rows=0, unit=10)
    record.held(BOTH)
    assert record.strikes == {}


def test_one_exit_is_forgiven_and_many_are_not() -> None:
    exits = RecentExits(SETTINGS)
    assert not any(exits.add(seen(1.0)) for _ in range(100))
    assert not exits.add(seen(1.0, exits=1))
    assert not any(exits.add(seen(1.0)) for _ in range(20))
    assert any(exits.add(seen(1.0, exits=1)) for _ in range(8))


def test_rare_exits_go_on_for_ever() -> None:
    exits = RecentExits(SETTINGS)
    assert not any(exits.add(seen(1.0, exits=int(at % 50 == 0))) for at in range(5000))


def test_proof() -> None:
    slow, late, good = (Proof(SETTINGS, 1.0) for _ in range(3))
    slow_fails = [slow.fails(seen(1.3)) for _ in range(4)]
    assert slow_fails == [False, False, False, True]
    late_fails = [late.fails(seen(1.05)) for _ in range(16)]
    assert late_fails == [False] * 15 + [True]
    assert not any(good.fails(seen(0.9)) for _ in range(16))
    assert good.over


def test_a_bet_that_was_too_slow_is_tried_again_with_far_more_groups() -> None:
    record = BetRecord(LoopSettings())
    array = NARROW
    record.groups = 10_000
    record.lost(array, rows=0, unit=1_000)
    assert record.allowed(array, rows=1) == GENERIC
    record.groups = 20_000
    assert record.allowed(array, rows=1) == GENERIC
    record.groups = 100_000
    assert record.allowed(array, rows=1) == array
    record.lost(array, rows=1, unit=1_000)
    assert record.allowed(array, rows=2) == GENERIC


def test_a_bet_that_was_too_slow_is_tried_again_where_data_lie_in_memory_in_another_way() -> None:
    """But not one whose guards failed, and not without end."""
    settings = LoopSettings()
    record = BetRecord(settings)
    record.groups = 10_000
    record.refuted(NARROW, rows=0, unit=1_000)
    record.renew()
    assert record.allowed(NARROW, rows=1) == GENERIC
    record = BetRecord(settings)
    record.groups = 10_000
    for _ in range(2 * settings.max_strikes):
        assert record.allowed(NARROW, rows=0) == NARROW
        record.lost(NARROW, rows=0, unit=1_000)
        assert record.allowed(NARROW, rows=0) == GENERIC
        record.renew()
    assert record.allowed(NARROW, rows=0) == GENERIC


def test_a_bet_that_is_too_slow_with_all_data_ends() -> None:
    settings = LoopSettings()
    record = BetRecord(settings)
    array = NARROW
    for turn in range(2 * settings.max_strikes):
        record.groups = 100_000 if turn % 2 else 1_000
        assert record.allowed(array, rows=0) == array
        record.lost(array, rows=0, unit=1_000)
    for record.groups in (1_000, 100_000):
        assert record.allowed(array, rows=0) == GENERIC


def test_guards_that_failed_count_with_any_number_of_groups() -> None:
    record = BetRecord(LoopSettings())
    array = NARROW
    record.groups = 1_000
    record.refuted(array, rows=0, unit=1_000)
    record.groups = 100_000
    assert record.allowed(array, rows=1) == GENERIC


def test_a_variant_that_is_far_faster_wins_after_two_morsels_of_each() -> None:
    race = race_of(GENERIC, NARROW)
    turns = run(race, {GENERIC: [4.0, 4.4], NARROW: [2.0, 2.2]})
    assert race.winner().spec == NARROW
    assert len(turns) <= 8


def test_one_fast_morsel_of_the_slow_variant_makes_the_trial_go_on() -> None:
    race = race_of(GENERIC, NARROW)
    turns = run(race, {GENERIC: [4.0, 2.1], NARROW: [2.0, 2.2]})
    assert len(turns) > 8
