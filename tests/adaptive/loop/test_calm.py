"""When usual morsels may be told together, and what is remembered beyond a trial."""

from __future__ import annotations

from dataclasses import replace

from adaptive.loop.events import Compiled, LayoutChanged, Profiled
from ir import GENERIC
from tests.adaptive.loop.replay import PROFILE, SETTINGS, Replay
from tests.adaptive.loop.specs import NARROW, WIDER


def test_a_variant_that_was_watched_for_long_is_calm_until_something_is_found_out() -> None:
    replay = Replay()
    replay.adopted(NARROW)
    assert not replay.controller.state.calm
    replay.morsels(SETTINGS.calm_reports, 0.5)
    assert replay.controller.state.calm
    replay.send(LayoutChanged("with nulls"))
    assert not replay.controller.state.calm


def test_a_lost_trial_forgets_nothing_of_the_variant_that_goes_on() -> None:
    """Its baselines hold: it is as calm as before, and they are not learned anew."""
    replay = Replay(settings=replace(SETTINGS, calm_reports=5))
    replay.profiled(NARROW)
    replay.send(Compiled(NARROW, 1))
    replay.trial({GENERIC: 1.0, NARROW: 1.2})
    state = replay.controller.state
    while not state.calm:
        assert replay.morsels(1) == ()
    replay.script.bet(WIDER)
    replay.morsels(10_000)  # until it is time for a profile
    resets = replay.script.resets
    replay.send(Profiled(PROFILE), Compiled(WIDER, 1))
    judged = replay.trial({GENERIC: 1.0, WIDER: 1.2})
    assert judged.spec == GENERIC
    assert state.calm
    assert replay.script.resets == resets


def test_a_won_trial_has_all_to_learn() -> None:
    """Nothing is known of the winner: every morsel counts until it has proved itself."""
    replay = Replay()
    resets = replay.script.resets
    replay.adopted(NARROW)
    state = replay.controller.state
    assert replay.script.resets > resets
    assert not state.calm
    assert not state.unhurried
    replay.morsels(SETTINGS.proof_morsels, 0.5)
    assert state.unhurried
