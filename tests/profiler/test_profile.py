"""Profiles add up what batches showed."""

from __future__ import annotations

from profiler import Observation, Profile


def test_observations_add_up() -> None:
    seen = Profile().plus(Observation(10, {"a": 1}, rows_passed=4, probes=2, elapsed_ns=100))
    seen = seen.plus(Observation(30, {"a": 0, "b": 2}, rows_passed=6, probes=1, elapsed_ns=300))
    assert seen == Profile(40, 10, 3, 400, {"a": 1, "b": 2})


def test_rates_are_unknown_until_there_were_rows() -> None:
    assert Profile().selectivity is None
    assert Profile().ns_per_row is None


def test_rates_are_over_all_rows() -> None:
    seen = Profile(rows=40, rows_passed=10, elapsed_ns=400)
    assert seen.selectivity == 0.25
    assert seen.ns_per_row == 10
