"""What observations and profiles add up to."""

from __future__ import annotations

from profiler import Observation, Profile


def test_observations_add_up() -> None:
    seen = Observation(10, 4, 2, elapsed_ns=100, counters={"cycles": 7})
    seen = seen.plus(Observation(30, 6, 1, 1, 5, elapsed_ns=300, counters={"cycles": 3}))
    assert seen == Observation(40, 10, 3, 1, 5, 400, {"cycles": 10})
    assert seen.selectivity == 0.25
    assert seen.ns_per_row == 10.0


def test_nothing_seen_has_no_rates() -> None:
    assert Observation(0).ns_per_row == 0.0
    assert Profile().selectivity is None


def test_outcomes_tell_of_any_set_of_filters() -> None:
    profile = Profile(rows=10, outcomes={0b11: 2, 0b01: 3, 0b10: 1, 0b00: 4}, filters=2)
    assert profile.passed == 2
    assert profile.selectivity == 0.2
    assert profile.passing((0,)) == 5
    assert profile.passing((1,)) == 3
    assert profile.passing((0, 1)) == 2
    assert profile.passing(()) == 10
