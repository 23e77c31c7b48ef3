"""Starting from what another worker has learned: events in, actions out."""

from __future__ import annotations

import json

from adaptive.loop.events import (
    Compile,
    Compiled,
    CompileFailed,
    Profiled,
    SiblingLearned,
    Swap,
)
from adaptive.loop.learned import Learned
from adaptive.loop.learned_form import learned_from_json, learned_to_json
from adaptive.loop.record import kinds_of
from ir import GENERIC, INSTRUMENTED
from profiler.profile import ColumnFacts, HotKey, KeyFacts, Profile
from tests.adaptive.loop.replay import PROFILE, SETTINGS, Replay, done
from tests.adaptive.loop.specs import NARROW, ORDERED, WIDER

SEEN = Profile(
    500,
    {0: 250, 1: 250},
    1,
    (KeyFacts(0, 9),),
    (HotKey((3,), 0.25),),
    10,
    {"v": ColumnFacts(-1, 1, 2)},
    0.5,
    {"k": 12},
)
CHOSEN = Learned(NARROW, 1, {NARROW: 0.5}, profile=SEEN)


def sibling(learned: Learned = CHOSEN) -> SiblingLearned:
    return SiblingLearned(learned, "process 7")


def test_the_choice_of_a_sibling_is_tried_at_once() -> None:
    """Nothing is profiled first; history says where it comes from; turns decide here, too."""
    replay = Replay()
    why = "process 7, a sibling: has chosen it, with 10 groups, key 0 in 0..9, 50% pass"
    assert replay.send(sibling()) == (
        Swap(GENERIC, "while KeysInRange is compiled", "sibling"),
        Compile(NARROW, why),
    )
    assert replay.morsels(5) == ()
    (begin,) = replay.send(Compiled(NARROW, 1))
    assert isinstance(begin, Swap)
    assert begin.signal == "sibling"
    assert begin.reason.endswith(f"it took 0.50 of generic's time before; {why}")
    won = replay.trial({GENERIC: 1.0, NARROW: 0.5})
    assert (won.spec, won.signal) == (NARROW, "ns/row")
    assert why in won.reason
    assert replay.script.asked == []


def test_a_choice_that_does_not_pay_here_is_no_failure_and_rows_are_profiled() -> None:
    replay = Replay()
    replay.send(sibling(), Compiled(NARROW, 1))
    assert replay.trial({GENERIC: 1.0, NARROW: 2.0}).spec == GENERIC
    assert replay.controller.state.record.strikes == {}
    assert NARROW not in replay.controller.state.won
    (profile,) = replay.morsels(1)
    assert isinstance(profile, Compile)
    assert profile.spec == INSTRUMENTED
    replay.script.bet(WIDER)  # the same kind of bet, on other data
    replay.send(Compiled(INSTRUMENTED, 1))
    assert Compile(WIDER, "a good bet") in replay.send(Profiled(PROFILE))


def test_a_choice_whose_guards_fail_here_is_given_up_in_the_same_way() -> None:
    replay = Replay()
    replay.send(sibling(), Compiled(NARROW, 1))
    for _ in range(100):
        if replay.controller.state.trials:
            break
        replay.send(done(replay.current, 1.0, exits=replay.current == NARROW))
    assert replay.current == GENERIC
    assert replay.controller.state.record.strikes == {}
    assert any(isinstance(action, Compile) for action in replay.morsels(1))


def test_a_choice_that_cannot_be_compiled_leads_to_a_profile() -> None:
    replay = Replay()
    replay.send(sibling())
    assert replay.send(CompileFailed(NARROW, "banned")) == (Swap(GENERIC, "banned", "compile"),)
    (profile,) = replay.morsels(1)
    assert isinstance(profile, Compile)
    assert profile.spec == INSTRUMENTED
    assert replay.controller.state.record.strikes == {}


def test_what_siblings_gave_up_is_not_tried() -> None:
    ended = {kinds_of(NARROW): SETTINGS.max_strikes}
    replay = Replay()
    assert replay.send(sibling(Learned(GENERIC, 3, failed=ended, profile=SEEN))) == ()
    assert replay.profiled(NARROW) == (
        Swap(GENERIC, "KeysInRange must wait or has ended: a good bet", "profile"),
    )
    assert replay.controller.state.learned.failed == ended


def test_a_choice_that_another_sibling_gave_up_is_not_tried() -> None:
    replay = Replay()
    failed = {kinds_of(NARROW): SETTINGS.max_strikes}
    assert replay.send(sibling(Learned(NARROW, 1, {NARROW: 0.5}, failed))) == ()


def test_a_sibling_that_ended_before_its_trial_leaves_its_profile() -> None:
    replay = Replay()
    replay.script.bet(ORDERED)
    actions = replay.send(sibling(Learned(profile=SEEN)))
    assert actions[1] == Compile(
        ORDERED, "process 7, a sibling: a good bet, with 10 groups, key 0 in 0..9, 50% pass"
    )
    assert [one.groups for one in replay.script.asked] == [10]


def test_a_sibling_that_chose_generic_changes_nothing_about_the_first_profile() -> None:
    replay = Replay()
    assert replay.send(sibling(Learned(GENERIC, 4, profile=SEEN))) == ()
    (profile,) = replay.morsels(SETTINGS.first_profile_morsels)
    assert isinstance(profile, Compile)


def test_a_loop_that_knows_something_itself_goes_on() -> None:
    replay = Replay()
    replay.adopted(ORDERED)
    assert replay.send(sibling()) == ()
    assert replay.current == ORDERED


def test_a_loop_tells_what_it_has_learned() -> None:
    replay = Replay()
    assert not replay.controller.state.learned.is_worth_telling
    replay.profiled(NARROW)
    assert replay.controller.state.learned == Learned(profile=PROFILE)
    replay.send(Compiled(NARROW, 1))
    replay.trial({GENERIC: 1.0, NARROW: 0.5})
    assert replay.controller.state.learned == Learned(NARROW, 1, {NARROW: 0.5}, {}, PROFILE)
    replay.morsels(100, 0.5, exits=1)
    assert replay.controller.state.learned.failed
    assert replay.controller.state.learned.running == GENERIC


def test_what_was_learned_is_read_as_it_was_written() -> None:
    for learned in (Learned(), CHOSEN, Learned(ORDERED, 2, {ORDERED: 0.1}, {kinds_of(NARROW): 3})):
        text = json.dumps(learned_to_json(learned))
        assert learned_from_json(json.loads(text)) == learned
