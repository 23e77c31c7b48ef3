"""Bets that held until their guards failed: made again at once, and proven while they run."""

from __future__ import annotations

from dataclasses import replace

from adaptive.loop.events import Compiled, MorselDone, Profiled, Swap
from adaptive.loop.guards import RecentExits
from adaptive.loop.renewal import Renewal
from adaptive.loop.settings import LoopSettings
from ir import GENERIC, INSTRUMENTED, VariantSpec
from policies import Keep
from profiler.profile import Observation
from tests.adaptive.loop.replay import PROFILE, ROWS, SETTINGS, Replay
from tests.adaptive.loop.specs import NARROW, ORDERED, WIDER

AGAIN = replace(SETTINGS, again_units=2)


def flood(rows: int = ROWS, exits: int = 10, left: int = 0, ns: float = 1.0) -> Observation:
    """A morsel of which generic did all but some rows."""
    return Observation(
        rows, guard_exits=exits, generic_rows=rows - left, elapsed_ns=round(ns * rows)
    )


def outgrown(bet: VariantSpec = WIDER) -> Replay:
    """A bet held for long; now keys are elsewhere, and another one is about to be compiled."""
    replay = Replay(settings=AGAIN)
    replay.adopted(NARROW)
    replay.morsels(15, 0.5)
    left, profile = replay.send(MorselDone(NARROW, flood(ns=1.2)))
    assert isinstance(left, Swap)
    assert isinstance(profile, Swap)
    assert (left.spec, profile.spec) == (GENERIC, INSTRUMENTED)
    replay.morsels(2, 1.0)
    replay.script.bet(bet)
    replay.send(Profiled(PROFILE))
    return replay


def renewed() -> Replay:
    replay = outgrown()
    (swap,) = replay.send(Compiled(WIDER, 1))
    assert isinstance(swap, Swap)
    assert (swap.spec, swap.signal, swap.before_ns) == (WIDER, "renewal", 1.0)
    return replay


def test_one_morsel_that_is_all_generics_is_enough() -> None:
    for seen, fails in (
        (flood(), True),
        (flood(exits=2), False),
        (flood(left=ROWS * 3 // 4), False),
    ):
        exits = RecentExits(LoopSettings())
        assert not any(exits.add(Observation(ROWS, elapsed_ns=ROWS)) for _ in range(100))
        assert exits.add(seen) is fails


def test_two_floods_in_a_row_are_enough_however_few_exits_they_have() -> None:
    exits = RecentExits(LoopSettings())
    assert not any(exits.add(Observation(ROWS, elapsed_ns=ROWS)) for _ in range(60))
    assert not exits.add(flood(exits=1))
    assert not exits.add(Observation(ROWS, elapsed_ns=ROWS))
    assert not exits.add(flood(exits=1))
    assert exits.add(flood(exits=1))


def test_a_renewed_bet_that_pays_stays() -> None:
    replay = renewed()
    assert replay.morsels(SETTINGS.proof_morsels, 0.6) == ()
    assert replay.controller.state.running == WIDER


def test_a_renewed_bet_that_is_slower_than_generic_was_has_a_trial_after_all() -> None:
    replay = renewed()
    (trial,) = replay.morsels(SETTINGS.proof_morsels, 1.3)
    assert isinstance(trial, Swap)
    assert trial.reason == "trial of generic and KeysInRange: it is no faster than generic was"
    assert replay.trial({GENERIC: 1.0, WIDER: 1.3}).spec == GENERIC


def test_a_renewed_bet_has_its_trial_with_the_next_profile() -> None:
    """What it was proven against were few morsels, that filled new tables."""
    replay = renewed()
    (profile,) = replay.morsels(10_000, 0.6)
    assert isinstance(profile, Swap)
    assert profile.spec == INSTRUMENTED
    replay.script.decision = Keep("as good")
    (trial,) = replay.send(Profiled(PROFILE))
    assert isinstance(trial, Swap)
    assert trial.reason == "trial of generic and KeysInRange: as good"
    assert replay.trial({GENERIC: 1.0, WIDER: 0.6}).spec == WIDER
    replay.morsels(10_000, 0.6)  # until it is time for another profile
    (goes_on,) = replay.send(Profiled(PROFILE))
    assert isinstance(goes_on, Swap)
    assert (goes_on.spec, goes_on.reason) == (WIDER, "as good")


def test_another_bet_has_a_trial() -> None:
    replay = outgrown(ORDERED)
    (trial,) = replay.send(Compiled(ORDERED, 1))
    assert isinstance(trial, Swap)
    assert trial.reason.startswith("trial of generic and FilterOrder")


def test_without_a_time_of_generic_there_is_a_trial() -> None:
    renewal = Renewal(NARROW)
    renewal.add(MorselDone(NARROW, flood(left=ROWS // 2)))
    assert not renewal.is_for(WIDER)
    renewal.add(MorselDone(NARROW, flood(left=ROWS // 20, ns=3.0)))
    assert renewal.is_for(WIDER)
    renewal.add(MorselDone(GENERIC, Observation(ROWS, elapsed_ns=2 * ROWS)))
    assert renewal.generic_ns == 2.0


def test_a_bet_that_is_ended_soon_again_is_not_renewed() -> None:
    """It has not held: it counts as failed, as any bet."""
    replay = renewed()
    (left,) = replay.send(MorselDone(WIDER, flood()))
    assert isinstance(left, Swap)
    assert left.spec == GENERIC
    assert left.reason.endswith("failure 1 of 6")
    assert replay.controller.state.outgrown is None
