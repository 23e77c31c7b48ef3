"""The controller by replay: events in, actions out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive.loop.events import (
    Compile,
    Compiled,
    CompileFailed,
    Event,
    LayoutChanged,
    Profiled,
    SiblingLearned,
    Swap,
)
from adaptive.loop.learned import Learned
from adaptive.loop.record import kinds_of
from adaptive.loop.settings import LoopSettings
from ir import GENERIC, INSTRUMENTED
from policies import Decision, Generalize, Keep, Specialize
from tests.adaptive.loop.replay import PROFILE, SETTINGS, Replay, done
from tests.adaptive.loop.simulated import Drift
from tests.adaptive.loop.specs import BOTH, NARROW, ORDERED, REVERSED, WIDER


def test_a_run_from_generic_to_the_winner() -> None:
    replay = Replay()
    replay.script.bet(NARROW)
    assert replay.send(done(GENERIC)) == ()
    assert replay.send(done(GENERIC)) == (Compile(INSTRUMENTED, "to profile: 2000 rows done"),)
    assert replay.send(done(GENERIC)) == ()
    assert replay.send(Compiled(INSTRUMENTED, 5)) == (
        Swap(INSTRUMENTED, "to profile: 2000 rows done", "rows"),
    )
    assert replay.send(done(INSTRUMENTED)) == ()
    assert replay.send(Profiled(PROFILE)) == (
        Swap(GENERIC, "while KeysInRange is compiled", "profile"),
        Compile(NARROW, "a good bet"),
    )
    assert replay.send(done(GENERIC), done(INSTRUMENTED)) == ()
    (begin,) = replay.send(Compiled(NARROW, 5))
    assert isinstance(begin, Swap)
    assert (begin.reason, begin.signal) == (
        "trial of generic and KeysInRange: a good bet",
        "profile",
    )
    won = replay.trial({GENERIC: 1.0, NARROW: 0.5})
    times = "generic 1.000 ns/row, KeysInRange 0.500 ns/row"
    assert won == Swap(NARROW, f"{times}; a good bet", "ns/row", 1.0, 0.5)
    assert replay.morsels(1000, 0.5) == ()


def test_a_bet_that_runs_is_profiled_now_and_then_and_goes_on_if_nothing_has_changed() -> None:
    replay = Replay(settings=replace(SETTINGS, again_units=2))
    replay.adopted(NARROW)
    (again,) = replay.morsels(100, 0.5)
    assert isinstance(again, Swap)
    assert (again.spec, again.signal) == (INSTRUMENTED, "rows")
    (rest,) = replay.send(Profiled(PROFILE))
    assert isinstance(rest, Swap)
    assert rest.spec == NARROW
    assert rest.reason.startswith("nothing has changed")


def test_a_bet_that_was_not_seen_to_fail_runs_while_a_better_one_is_compiled() -> None:
    replay = Replay(settings=replace(SETTINGS, again_units=2))
    replay.adopted(NARROW)
    replay.morsels(100, 0.5)
    replay.script.bet(ORDERED)
    assert replay.send(Profiled(PROFILE)) == (
        Swap(NARROW, "while FilterOrder is compiled", "profile"),
        Compile(ORDERED, "a good bet"),
    )


def test_many_rows_are_profiled_before_many_morsels() -> None:
    replay = Replay(settings=LoopSettings())
    assert replay.send(done(GENERIC, rows=1_999_999)) == ()
    assert replay.send(done(GENERIC, rows=1)) == (
        Compile(INSTRUMENTED, "to profile: 2000000 rows done"),
    )


def test_the_policy_is_told_what_runs() -> None:
    replay = Replay()
    replay.adopted(NARROW)
    replay.morsels(100, 0.5)
    replay.script.drift = Drift("ns/row", 0.5, 0.9)
    replay.morsels(1, 0.5)
    replay.send(Profiled(PROFILE))
    assert [profile.running for profile in replay.script.asked] == [GENERIC, NARROW]


def test_nothing_to_bet_on_is_asked_again_after_longer_and_longer() -> None:
    replay = Replay()
    replay.morsels(2)
    replay.send(Compiled(INSTRUMENTED, 1))
    waits = []
    for _ in range(4):
        assert replay.send(Profiled(PROFILE)) == (Swap(GENERIC, "nothing to bet on", "profile"),)
        before = replay.controller.state.rows
        (again,) = replay.morsels(10_000)
        assert isinstance(again, Swap)
        assert (again.spec, again.signal) == (INSTRUMENTED, "rows")
        waits.append(replay.controller.state.rows - before)
    unit = SETTINGS.idle_units * SETTINGS.base_rows
    assert waits == [2 * unit, 4 * unit, 8 * unit, 16 * unit]


def test_a_bet_that_loses_is_undone_and_waits_and_ends() -> None:
    replay = Replay()
    replay.profiled(ORDERED)
    replay.send(Compiled(ORDERED, 1))
    reasons, waits = [], []
    for _ in range(SETTINGS.max_strikes):
        lost = replay.trial({GENERIC: 1.0, ORDERED: 1.2})
        assert (lost.spec, lost.signal, lost.before_ns, lost.after_ns) == (
            GENERIC,
            "ns/row",
            1.0,
            1.2,
        )
        reasons.append(lost.reason)
        before = replay.controller.state.rows
        (profile,) = replay.morsels(100_000)
        waits.append((replay.controller.state.rows - before) // SETTINGS.base_rows)
        assert isinstance(profile, Swap)
        assert profile.spec == INSTRUMENTED
        replay.send(Profiled(PROFILE))
    assert waits[:5] == [2, 4, 8, 16, 32]
    assert "failure 1 of 6" in reasons[0]
    assert "the bet ends for good after 6 failures" in reasons[-1]
    assert replay.actions[-1] == Swap(
        GENERIC, "FilterOrder must wait or has ended: a good bet", "profile"
    )
    # It was compiled once and is known since.
    assert sum(action == Compile(ORDERED, "a good bet") for action in replay.actions) == 1


def test_a_hopeless_bet_costs_few_morsels_and_counts_twice() -> None:
    replay = Replay()
    replay.profiled(ORDERED)
    replay.send(Compiled(ORDERED, 1))
    begin = replay.controller.state.morsels
    lost = replay.trial({GENERIC: 1.0, ORDERED: 3.0})
    assert "failure 2 of 6" in lost.reason
    assert replay.controller.state.morsels - begin <= 6


def test_guards_that_fail_soon_make_the_bet_wait() -> None:
    replay = Replay()
    replay.adopted(NARROW)
    (left,) = replay.morsels(5, 1.0, exits=1)
    assert left == Swap(
        GENERIC,
        "guards of KeysInRange fail in 100% of what it runs; failure 1 of 6",
        "guard exits",
    )
    before = replay.controller.state.rows
    (profile,) = replay.morsels(1000)
    assert replay.controller.state.rows - before == 2 * SETTINGS.base_rows
    assert isinstance(profile, Swap)
    assert profile.spec == INSTRUMENTED


def test_guards_that_fail_after_long_are_a_change_and_profiled_at_once() -> None:
    replay = Replay()
    replay.adopted(NARROW)
    assert replay.morsels(100, 0.5) == ()
    left, profile = replay.morsels(5, 1.0, exits=1)
    assert isinstance(left, Swap)
    assert (left.spec, left.signal) == (GENERIC, "guard exits")
    assert "failure" not in left.reason
    assert isinstance(profile, Swap)
    assert (profile.spec, profile.signal) == (INSTRUMENTED, "guard exits")
    assert replay.morsels(1, 1.0) == ()
    replay.script.bet(WIDER)
    assert replay.send(Profiled(PROFILE))[-1] == Compile(WIDER, "a good bet")
    # The same bet on other values is made at once: what guards refuted has held for long.
    (renewed,) = replay.send(Compiled(WIDER, 1))
    assert isinstance(renewed, Swap)
    assert (renewed.spec, renewed.signal, renewed.before_ns) == (WIDER, "renewal", 1.0)
    assert renewed.reason == "KeysInRange held until its guards failed; a good bet"


def test_a_single_exit_changes_nothing() -> None:
    replay = Replay()
    replay.adopted(NARROW)
    assert replay.morsels(30, 0.5) == ()
    assert replay.morsels(1, 0.5, exits=1) == ()
    assert replay.morsels(100, 0.5) == ()


def test_guards_that_fail_in_the_trial_end_it() -> None:
    replay = Replay()
    replay.profiled(BOTH)
    replay.send(Compiled(BOTH, 1))
    judged = None
    while judged is None:
        for action in replay.send(done(replay.current, 0.5, exits=int(replay.current == BOTH))):
            judged = action if isinstance(action, Swap) and action.signal == "ns/row" else None
    assert judged.spec == GENERIC
    assert "FilterOrder+KeysInRange left by guards in 2 morsels" in judged.reason
    # The order of filters has not failed, so it is tried without the range of keys.
    replay.send(Profiled(PROFILE))
    record, rows = replay.controller.state.record, replay.controller.state.rows
    assert record.allowed(BOTH, rows) == ORDERED


def test_late_morsels_of_other_variants_are_no_sign() -> None:
    replay = Replay()
    replay.adopted(NARROW)
    replay.script.drift = Drift("ns/row", 1, 2)
    assert replay.send(*[done(GENERIC, 9.0)] * 50) == ()
    assert replay.send(*[done(WIDER, 9.0, exits=1)] * 50) == ()
    assert replay.script.drift is not None


def test_drift_is_profiled_with_its_signal() -> None:
    replay = Replay()
    replay.adopted(ORDERED)
    assert replay.morsels(100, 0.5) == ()
    replay.script.drift = Drift("selectivity", 0.1, 0.75)
    assert replay.morsels(1, 0.5) == (
        Swap(INSTRUMENTED, "to profile: selectivity from 0.1 to 0.75", "selectivity"),
    )
    replay.script.bet(REVERSED)
    assert replay.send(Profiled(PROFILE)) == (
        Swap(GENERIC, "while FilterOrder is compiled", "profile"),
        Compile(REVERSED, "a good bet"),
    )
    replay.send(Compiled(REVERSED, 1))
    won = replay.trial({GENERIC: 1.0, ORDERED: 1.3, REVERSED: 0.6})
    assert (won.spec, won.before_ns, won.after_ns) == (REVERSED, 1.3, 0.6)
    # The first order held for long: it has not failed, and is known when it is right again.
    assert "failure" not in won.reason
    assert replay.morsels(100, 0.6) == ()
    replay.script.drift = Drift("selectivity", 0.75, 0.1)
    replay.morsels(1, 0.6)
    replay.script.bet(ORDERED)
    (begin,) = replay.send(Profiled(PROFILE))
    assert isinstance(begin, Swap)
    assert "it took 0.50 of generic's time before" in begin.reason


def test_a_drift_soon_after_a_profile_only_asks_whether_the_variant_still_pays() -> None:
    replay = Replay(settings=replace(SETTINGS, base_morsels=60))
    replay.adopted(ORDERED)
    replay.script.drift = Drift("ns/row", 0.5, 0.9)
    (begin,) = replay.morsels(1, 0.5)
    assert isinstance(begin, Swap)
    assert begin.signal == "ns/row"
    assert begin.reason == "trial of generic and FilterOrder: ns/row from 0.5 to 0.9"
    kept = replay.trial({GENERIC: 1.0, ORDERED: 0.9})
    assert (kept.spec, kept.before_ns, kept.after_ns) == (ORDERED, 0.9, 1.0)
    replay.script.drift = Drift("ns/row", 0.9, 1.4)
    (begin,) = replay.morsels(1, 0.9)
    undone = replay.trial({GENERIC: 1.0, ORDERED: 1.4})
    assert (undone.spec, undone.before_ns, undone.after_ns) == (GENERIC, 1.4, 1.0)
    assert "failure 1 of 6" in undone.reason


def test_drift_under_generic_is_profiled_but_not_all_the_time() -> None:
    replay = Replay()
    replay.morsels(2)
    replay.send(Compiled(INSTRUMENTED, 1), Profiled(PROFILE))
    profiles = 0
    for _ in range(1000):
        replay.script.drift = Drift("ns/row", 1, 2)
        for action in replay.morsels(1):
            if isinstance(action, Swap) and action.spec == INSTRUMENTED:
                profiles += 1
                replay.send(Profiled(PROFILE))
    assert 3 <= profiles <= 7


def test_a_winner_that_is_slow_on_its_own_is_undone() -> None:
    replay = Replay()
    replay.adopted(ORDERED)
    (undone,) = replay.morsels(16, 1.3)
    assert undone == Swap(
        GENERIC,
        "FilterOrder does not keep what its trial promised; failure 1 of 6",
        "ns/row",
        1.0,
        1.3,
    )


def test_a_policy_that_generalises_ends_what_runs() -> None:
    replay = Replay()
    replay.adopted(ORDERED)
    replay.morsels(100, 0.5)
    replay.script.decision = Generalize("keys are too wide")
    replay.script.drift = Drift("ns/row", 0.5, 0.9)
    replay.morsels(1, 0.5)
    assert replay.send(Profiled(PROFILE)) == (Swap(GENERIC, "keys are too wide", "profile"),)


def test_a_policy_that_keeps_has_the_running_variant_judged() -> None:
    replay = Replay()
    replay.adopted(ORDERED)
    replay.morsels(100, 0.5)
    replay.script.decision = Keep("as good")
    replay.script.drift = Drift("ns/row", 0.5, 0.9)
    replay.morsels(1, 0.5)
    replay.send(Profiled(PROFILE))
    assert replay.trial({GENERIC: 1.0, ORDERED: 0.9}).spec == ORDERED


def test_what_cannot_be_compiled_is_tried_without_its_assumptions() -> None:
    replay = Replay()
    replay.profiled(BOTH)
    assert replay.send(CompileFailed(BOTH, "no such form")) == (
        Swap(GENERIC, "while FilterOrder is compiled", "compile"),
        Compile(ORDERED, "a good bet, but no such form"),
    )
    assert replay.send(CompileFailed(ORDERED, "banned")) == (Swap(GENERIC, "banned", "profile"),)
    assert replay.morsels(50) == ()


def test_without_an_instrumented_variant_generic_runs_for_good() -> None:
    replay = Replay()
    replay.morsels(2)
    assert replay.send(CompileFailed(INSTRUMENTED, "banned")) == (
        Swap(GENERIC, "cannot profile: banned", "profile"),
    )
    for _ in range(100):
        replay.script.drift = Drift("ns/row", 1, 2)
        assert replay.morsels(100) == ()


def test_a_profile_that_does_not_come_is_given_up() -> None:
    replay = Replay()
    replay.morsels(2)
    replay.send(Compiled(INSTRUMENTED, 1))
    (given_up,) = replay.morsels(11)
    assert given_up == Swap(GENERIC, "no profile in 10000 rows", "profile")
    assert replay.send(Profiled(PROFILE)) == ()


def test_only_so_many_variants_are_remembered() -> None:
    replay = Replay(settings=LoopSettings(remembered=4))
    state = replay.controller.state
    replay.send(*(Compiled(spec, 1) for spec in (INSTRUMENTED, NARROW, WIDER, ORDERED, REVERSED)))
    assert list(state.ready) == [GENERIC, INSTRUMENTED, ORDERED, REVERSED]


SPECS = [GENERIC, INSTRUMENTED, NARROW, WIDER, ORDERED, REVERSED, BOTH]
EVENTS = st.one_of(
    st.builds(
        done, st.sampled_from(SPECS), st.floats(0.1, 3), st.integers(0, 1), st.sampled_from([0, 99])
    ),
    st.builds(Compiled, st.sampled_from(SPECS), st.just(1)),
    st.builds(CompileFailed, st.sampled_from(SPECS[1:]), st.just("banned")),
    st.just(Profiled(PROFILE)),
    st.builds(
        SiblingLearned,
        st.builds(
            Learned,
            st.sampled_from(SPECS),
            st.integers(0, 1),
            st.dictionaries(st.sampled_from(SPECS[2:]), st.floats(0.1, 1), max_size=2),
            st.dictionaries(st.sampled_from(SPECS[2:]).map(kinds_of), st.integers(1, 7)),
            st.sampled_from([None, PROFILE]),
        ),
        st.just("process 7"),
    ),
)
DRIFTS = st.one_of(st.none(), st.just(Drift("ns/row", 1, 2)))
DECISIONS = st.sampled_from(
    [Keep("k"), Generalize("g")]
    + [Specialize(spec.assumptions, "s", spec.hints) for spec in SPECS[2:]]
)


@given(st.lists(st.tuples(EVENTS, DRIFTS, DECISIONS, st.integers(1, 12)), max_size=60))
@pytest.mark.parametrize("settings", [SETTINGS, LoopSettings(base_rows=1, base_morsels=1)])
def test_whatever_happens_swaps_are_to_compiled_variants_and_have_reasons(
    settings: LoopSettings, steps: list[tuple[Event, Drift | None, Decision, int]]
) -> None:
    replay = Replay(settings=settings)
    compiled = {GENERIC}
    for event, drift, decision, times in steps:
        replay.script.drift, replay.script.decision = drift, decision
        if isinstance(event, Compiled):
            compiled.add(event.spec)
        for _ in range(times):
            for action in replay.send(event):
                assert action.reason
                if isinstance(action, Swap):
                    assert action.signal
                    assert action.spec in compiled
                else:
                    assert action.spec not in (GENERIC, *replay.controller.state.ready)


def test_batches_that_lie_in_memory_in_another_way_are_profiled() -> None:
    replay = Replay()
    replay.adopted(NARROW)
    (swap,) = replay.send(LayoutChanged("with nulls"))
    assert isinstance(swap, Swap)
    assert (swap.spec, swap.signal) == (INSTRUMENTED, "layout")
    assert "with nulls" in swap.reason
    assert replay.send(LayoutChanged("with codes")) == ()  # the profile is under way


def test_what_the_policy_keeps_is_not_tried_again() -> None:
    replay = Replay(settings=replace(SETTINGS, again_units=2))
    replay.adopted(NARROW)
    replay.morsels(100, 0.5)
    replay.script.decision = Keep("as good")
    (rest,) = replay.send(Profiled(PROFILE))
    assert isinstance(rest, Swap)
    assert (rest.spec, rest.reason) == (NARROW, "as good")


def test_a_winner_that_held_for_long_and_then_fails_its_proof_is_no_failure() -> None:
    replay = Replay()
    replay.adopted(NARROW)
    replay.morsels(100, 0.5)
    replay.script.drift = Drift("ns/row", 0.5, 0.9)
    replay.script.bet(NARROW)
    replay.morsels(1, 0.9)  # profiled again
    replay.send(Profiled(PROFILE))
    replay.trial({GENERIC: 1.0, NARROW: 0.6})
    (swap,) = replay.morsels(20, 3.0)
    assert isinstance(swap, Swap)
    assert swap.spec == GENERIC
    assert "failure" not in swap.reason
    (again,) = replay.morsels(1)
    assert isinstance(again, Swap)
    assert again.spec == INSTRUMENTED
