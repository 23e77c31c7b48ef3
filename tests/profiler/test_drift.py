"""Change detection: how seldom it is wrong on stationary series, how soon it is right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

from profiler import Drift, DriftMonitor, Observation, PageHinkley, Sensitivity, ThreadSignals
from profiler.drift import (
    COUNTER_FLOORS,
    EXACT,
    NOISY,
    LogOdds,
    LogRate,
    Scale,
    Shift,
)
from profiler.false_alarms import false_alarms, stationary

ROWS = 100_000
CALM = Observation(ROWS, rows_passed=30_000, elapsed_ns=300_000)


def noisy_times(
    random: np.random.Generator, count: int, sigma: float, ns: float = 3.0
) -> npt.NDArray[np.float64]:
    """Times of a row on a shared machine; one in a hundred is 2 to 5 times as long."""
    times = ns * random.lognormal(0.0, sigma, count)
    outliers = random.random(count) < 0.01
    times[outliers] *= random.uniform(2.0, 5.0, outliers.sum())
    return times


def timed(times: Iterable[float]) -> list[Observation]:
    return [replace(CALM, elapsed_ns=round(ns * ROWS)) for ns in times]


def drifts(monitor: DriftMonitor, observations: Iterable[Observation]) -> list[Drift]:
    found = map(monitor.add, observations)
    return [drift for drift in found if drift is not None]


def delay(monitor: DriftMonitor, changed: Iterable[Observation]) -> tuple[int, Drift]:
    """How many observations of a change it takes, and what is found then."""
    for number, seen in enumerate(changed, 1):
        drift = monitor.add(seen)
        if drift is not None:
            return number, drift
    raise AssertionError("the change was not found")


@pytest.mark.parametrize("sigma", [0.05, 0.10, 0.15])
def test_false_alarms_on_noisy_times_are_rare(sigma: float) -> None:
    """At most 0.5 in 1,000; measured with these seeds: none."""
    series, length = 40, 500
    random = np.random.default_rng(4)
    alarms = sum(
        len(drifts(DriftMonitor(), timed(noisy_times(random, length, sigma))))
        for _ in range(series)
    )
    assert alarms / (series * length) * 1000 <= 0.5


@pytest.mark.parametrize("share", [0.0, 0.0001, 0.01, 0.3, 0.5, 0.97, 1.0])
def test_there_are_no_false_alarms_on_binomial_counts(share: float) -> None:
    random = np.random.default_rng(5)
    passed = random.binomial(ROWS, share, 5_000)
    assert drifts(DriftMonitor(), (replace(CALM, rows_passed=int(one)) for one in passed)) == []


@pytest.mark.parametrize("exits", [0.05, 0.5, 1.0, 4.0])
def test_exits_that_come_now_and_then_are_seldom_a_change(exits: float) -> None:
    """At most 1 in 1,000."""
    random = np.random.default_rng(6)
    seen = (replace(CALM, guard_exits=int(one)) for one in random.poisson(exits, 4_000))
    assert len(drifts(DriftMonitor(), seen)) <= 4


@pytest.mark.parametrize("sigma", [0.05, 0.10, 0.15])
@pytest.mark.parametrize("factor", [1.3, 1 / 1.4])
def test_a_lasting_change_of_time_is_found_within_30_observations(
    sigma: float, factor: float
) -> None:
    """In 99 of 100 series."""
    random = np.random.default_rng(7)
    delays = []
    for _ in range(100):
        monitor = DriftMonitor()
        assert drifts(monitor, timed(noisy_times(random, 40, sigma))) == []
        took, drift = delay(monitor, timed(factor * noisy_times(random, 200, sigma)))
        delays.append(took)
        assert drift.signal == "ns/row"
        assert drift.before == pytest.approx(3.0, rel=0.2)
        assert drift.rose is (factor > 1)
    assert sum(took > 30 for took in delays) <= 1
    assert np.median(delays) <= 15


def test_single_slow_readings_are_no_change() -> None:
    slow = [30.0 if number % 20 == 0 else 3.0 for number in range(2_000)]
    assert drifts(DriftMonitor(), timed(slow)) == []


def test_a_drastic_change_needs_few_readings() -> None:
    monitor = DriftMonitor()
    drifts(monitor, timed([3.0] * 40))
    took, drift = delay(monitor, timed([30.0] * 10))
    assert took == 4
    assert drift == Drift("ns/row", pytest.approx(3.0), pytest.approx(30.0))


CHANGES = [
    ("selectivity", 0.30, 0.35, 5),
    ("selectivity", 0.30, 0.26, 5),
    ("selectivity", 0.01, 0.03, 5),
    ("selectivity", 0.99, 0.95, 5),
    ("probes/row", 0.01, 2.0, 5),
    ("probes/row", 4.0, 0.5, 5),
    ("guard exits", 0.0, 0.0001, 5),
    ("branch misses/row", 0.01, 0.3, 10),
    ("cache misses/row", 0.2, 0.4, 10),
    ("minor faults/row", 0.0, 0.1, 10),
]


def with_rate(signal: str, rate: float, random: np.random.Generator) -> Observation:
    """An observation with this rate of a signal, and chance."""
    count = int(random.poisson(rate * ROWS))
    match signal:
        case "selectivity":
            return replace(CALM, rows_passed=int(random.binomial(ROWS, rate)))
        case "probes/row":
            return replace(CALM, probes=count)
        case "guard exits":
            return replace(CALM, guard_exits=count)
    return replace(CALM, counters={signal.removesuffix("/row").replace(" ", "_"): count})


@pytest.mark.parametrize(("signal", "before", "after", "within"), CHANGES)
def test_a_change_of_a_count_is_found_soon_and_named(
    signal: str, before: float, after: float, within: int
) -> None:
    seen = partial(with_rate, random=np.random.default_rng(8))
    monitor = DriftMonitor()
    assert drifts(monitor, (seen(signal, before) for _ in range(50))) == []
    took, drift = delay(monitor, (seen(signal, after) for _ in range(50)))
    assert took <= within
    assert drift.signal == signal
    assert drift.before == pytest.approx(before, rel=0.1, abs=1e-3)
    assert drift.after == pytest.approx(after, rel=0.1)


def test_a_slow_creep_is_found_because_the_baseline_stays() -> None:
    creeping = (replace(CALM, rows_passed=30_000 + 20 * step) for step in range(2_000))
    first = drifts(DriftMonitor(), creeping)[0]
    assert first.signal == "selectivity"
    assert first.before == pytest.approx(0.30, abs=0.01)


def test_a_table_that_fills_and_grows_is_no_change() -> None:
    sawtooth = (replace(CALM, probes=int(ROWS * (number % 40) / 80)) for number in range(800))
    assert drifts(DriftMonitor(), sawtooth) == []


def test_data_that_flips_all_the_time_is_its_own_baseline() -> None:
    flipping = (replace(CALM, rows_passed=(10_000, 80_000)[number % 2]) for number in range(500))
    assert drifts(DriftMonitor(), flipping) == []


def test_a_change_is_reported_once_and_the_new_state_is_learned() -> None:
    monitor = DriftMonitor()
    drifts(monitor, [CALM] * 30)
    other = replace(CALM, rows_passed=60_000, elapsed_ns=600_000)
    assert [one.signal for one in drifts(monitor, [other] * 200)] == ["selectivity"]
    assert [one.signal for one in drifts(monitor, [CALM] * 200)] == ["selectivity"]


def test_reset_forgets_the_baseline() -> None:
    monitor = DriftMonitor()
    drifts(monitor, [CALM] * 30)
    monitor.reset()
    assert drifts(monitor, [replace(CALM, rows_passed=60_000)] * 100) == []


def test_few_rows_are_put_together() -> None:
    """Ten rows each say nothing; the same noise in single morsels would be an alarm."""
    random = np.random.default_rng(9)
    tiny = (Observation(10, int(random.binomial(10, 0.3)), elapsed_ns=30) for _ in range(50_000))
    monitor = DriftMonitor()
    assert drifts(monitor, tiny) == []
    more = (Observation(10, int(random.binomial(10, 0.6)), elapsed_ns=30) for _ in range(50_000))
    assert [one.signal for one in drifts(monitor, more)] == ["selectivity"]


def test_rows_without_counts_do_not_thin_out_those_with_them() -> None:
    monitor = DriftMonitor(least_rows=2 * ROWS)
    counting = replace(CALM, counters={"cache_misses": 50_000})
    assert drifts(monitor, [counting] * 100) == []
    assert drifts(monitor, [counting, CALM] * 50) == []


def test_counters_may_come_and_go() -> None:
    monitor = DriftMonitor()
    counting = replace(CALM, counters={"cycles": 10 * ROWS})
    assert drifts(monitor, [counting] * 40 + [CALM] * 40 + [counting] * 40) == []
    assert drifts(monitor, [replace(CALM, counters={"cycles": 20 * ROWS})] * 20)


def test_no_rows_and_no_time_are_no_observation() -> None:
    untimed = replace(CALM, elapsed_ns=0)
    assert drifts(DriftMonitor(), [CALM, Observation(0), untimed] * 50) == []


def test_every_counter_of_a_thread_has_a_floor() -> None:
    assert {"cycles", "instructions", "branch_misses", "cache_misses"} <= set(COUNTER_FLOORS)
    signals = ThreadSignals()
    signals.begin()
    assert set(signals.end().counters) <= set(COUNTER_FLOORS)


SCALES = [LogRate(0.01), LogRate(1.0), LogOdds(0.01)]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("rate", [0.0, 1e-6, 0.3, 0.5, 1.0])
def test_scales_go_both_ways(scale: Scale, rate: float) -> None:
    assert scale.back(scale.of(rate)) == pytest.approx(rate, abs=1e-12)


def test_odds_treat_both_ends_alike() -> None:
    scale = LogOdds(0.01)
    assert scale.of(0.99) - scale.of(0.95) == pytest.approx(scale.of(0.05) - scale.of(0.01))


def test_the_test_itself_reports_means_and_starts_anew() -> None:
    test = PageHinkley(Sensitivity(tolerance=0.1, threshold=1.0, clip=0.5, learn=4))
    assert [test.add(1.0) for _ in range(4)] == [None] * 4
    assert test.baseline is not None
    assert [test.add(2.0) for _ in range(3)] == [None, None, Shift(1.0, 2.0)]
    assert test.baseline is None


def test_evidence_is_forgotten_where_values_return() -> None:
    test = PageHinkley(EXACT)
    calm, off = [0.0] * 12, [0.15] * 2
    assert all(test.add(value) is None for _ in range(20) for value in calm + off)


@pytest.mark.parametrize(
    "wrong", [{"tolerance": 0.0}, {"clip": 0.01}, {"threshold": 0.0}, {"learn": 1}]
)
def test_settings_that_could_never_work_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="needs"):
        replace(NOISY, **wrong)


def test_counts_of_a_real_stationary_run_do_not_drift() -> None:
    """Times and faults may: this machine may have become slower meanwhile."""
    assert false_alarms(stationary(100, ThreadSignals()))["selectivity"] == 0
