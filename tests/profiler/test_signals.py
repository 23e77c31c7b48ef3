"""What a thread measures around a morsel: with fake counters that fail, and with the real ones."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from profiler.counters import (
    EVENTS,
    CountersBusy,
    CountersStill,
    Rung,
    counter_availability,
    this_host,
)
from profiler.signals import (
    MOST_PARTIAL,
    USAGE_NAMES,
    CounterSource,
    HardwareCounters,
    NoCounters,
    OpenSource,
    ThreadSignals,
    ThreadUsage,
    Totals,
    counted,
)

NAMES = tuple(EVENTS)
NAMES_BY_RUNG = {Rung.HARDWARE: NAMES, Rung.SOFTWARE: USAGE_NAMES, Rung.THREAD_TIME: ()}
AVAILABLE = counter_availability()
LINUX = pytest.mark.skipif(not this_host().counts_threads, reason="needs RUSAGE_THREAD")


class FakeCounters:
    """Hardware counters whose totals, or failures, are given one by one."""

    rung = Rung.HARDWARE
    names = NAMES

    def __init__(self, *totals: Totals | Exception) -> None:
        self._totals = iter(totals)
        self.closed = False

    def read(self) -> Totals:
        now = next(self._totals)
        if isinstance(now, Exception):
            raise now
        return now

    def close(self) -> None:
        self.closed = True


def signals_over(source: CounterSource, *lower: tuple[Rung, OpenSource]) -> ThreadSignals:
    return ThreadSignals(((source.rung, lambda: source), *lower))


def work() -> None:
    """Long enough that a thread has surely run instructions."""
    sum(range(20_000))


def much_work() -> None:
    sum(range(1_000_000))


def totals(cycles: int, *, enabled: int = 100, running: int = 100) -> Totals:
    return Totals((cycles, 2 * cycles, 3, 4), enabled, running)


def measured(signals: ThreadSignals) -> dict[str, int]:
    signals.begin()
    work()
    return dict(signals.end().counters)


def test_counts_are_differences_of_totals() -> None:
    source = FakeCounters(Totals((10, 20, 5, 7), 100, 100), Totals((110, 320, 6, 7), 300, 300))
    signals = signals_over(source)
    assert measured(signals) == {
        "cycles": 100,
        "instructions": 300,
        "branch_misses": 1,
        "cache_misses": 0,
    }
    assert signals.rung is Rung.HARDWARE
    assert signals.take_events() == ()


def test_counters_that_took_turns_are_scaled_to_the_whole_time() -> None:
    before, after = totals(0, enabled=100, running=50), totals(600, enabled=500, running=350)
    counts = counted(NAMES, before, after)
    assert counts is not None
    assert counts["cycles"] == 800  # ran 300 of 400


def test_a_small_part_of_the_time_is_not_scaled_but_left_out() -> None:
    before = totals(0, enabled=0, running=0)
    assert counted(NAMES, before, totals(9, enabled=100, running=49)) is None
    assert counted(NAMES, before, totals(0, enabled=100, running=0)) is None


def shared_away(morsels: int) -> Iterator[Totals]:
    """Other profilers have the counters nearly all of the time."""
    for end in range(2 * morsels):
        yield totals(end, enabled=1000 * end, running=end)


def test_one_partial_reading_changes_nothing_else() -> None:
    full = (totals(0, enabled=9000, running=900), totals(50, enabled=9100, running=1000))
    signals = signals_over(FakeCounters(*shared_away(1), *full))
    assert measured(signals) == {}
    assert measured(signals)["cycles"] == 50
    assert signals.take_events() == ()


@LINUX
def test_counters_that_others_keep_are_given_up_with_an_event() -> None:
    source = FakeCounters(*shared_away(MOST_PARTIAL))
    signals = signals_over(source, (Rung.SOFTWARE, ThreadUsage))
    for _ in range(MOST_PARTIAL):
        assert measured(signals) == {}
    assert source.closed
    assert signals.rung is Rung.SOFTWARE
    (event,) = signals.take_events()
    assert event.startswith("hardware counters lost: the hardware counters are in use elsewhere")
    assert set(measured(signals)) == set(USAGE_NAMES)


LOSSES = [
    (PermissionError(errno.EACCES, os.strerror(errno.EACCES)), "not permitted"),
    (OSError("Operation not permitted (os error 1)"), "not permitted"),
    (OSError(errno.ENODEV, os.strerror(errno.ENODEV)), "offers no hardware counters"),
    (OSError(errno.EBADF, os.strerror(errno.EBADF)), os.strerror(errno.EBADF)),
]


@LINUX
@pytest.mark.parametrize("good_reads", [0, 1])
@pytest.mark.parametrize(("error", "reason"), LOSSES)
def test_counters_lost_in_mid_run_degrade_one_rung(
    good_reads: int, error: OSError, reason: str
) -> None:
    """Whether they are lost at the begin or at the end of a morsel."""
    source = FakeCounters(*[totals(1)] * good_reads, error)
    signals = signals_over(source, (Rung.SOFTWARE, ThreadUsage))
    signals.begin()
    work()
    reading = signals.end()
    assert reading.elapsed_ns > 0
    assert "cycles" not in reading.counters
    assert source.closed
    assert signals.rung is Rung.SOFTWARE
    (event,) = signals.take_events()
    assert event.startswith("hardware counters lost: ")
    assert reason in event
    assert signals.take_events() == ()


def test_counters_that_stand_still_are_lost_not_zero() -> None:
    source = FakeCounters(totals(5, enabled=100), totals(5, enabled=100))
    signals = signals_over(source, (Rung.THREAD_TIME, NoCounters))
    assert measured(signals) == {}
    assert signals.rung is Rung.THREAD_TIME
    (event,) = signals.take_events()
    assert "count no cycles and instructions" in event


def refused() -> CounterSource:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


def missing() -> CounterSource:
    raise ImportError("no module")


@pytest.mark.parametrize(("opener", "reason"), [(refused, "not permitted"), (missing, "pip")])
def test_counters_that_cannot_be_opened_are_an_event(opener: OpenSource, reason: str) -> None:
    signals = ThreadSignals(((Rung.HARDWARE, opener), (Rung.THREAD_TIME, NoCounters)))
    assert signals.rung is Rung.THREAD_TIME
    (event,) = signals.take_events()
    assert event.startswith("hardware counters not available: ")
    assert reason in event or "py-perf-event" in event


def test_without_any_source_there_are_times() -> None:
    signals = ThreadSignals(((Rung.HARDWARE, refused), (Rung.SOFTWARE, refused)))
    signals.begin()
    work()
    reading = signals.end()
    assert signals.rung is Rung.THREAD_TIME
    assert len(signals.take_events()) == 2
    assert reading.counters == {}
    assert reading.elapsed_ns > 0


def test_time_of_the_thread_is_not_time_of_the_clock() -> None:
    signals = ThreadSignals(((Rung.THREAD_TIME, NoCounters),))
    signals.begin()
    time.sleep(0.02)
    reading = signals.end()
    assert reading.wall_ns >= 20_000_000
    assert reading.elapsed_ns < reading.wall_ns


@LINUX
def test_touching_new_memory_is_seen_as_faults() -> None:
    signals = ThreadSignals(((Rung.SOFTWARE, ThreadUsage),))
    signals.begin()
    np.ones(32 << 20, dtype=np.uint8)
    faults = signals.end().counters["minor_faults"]
    assert faults >= 16  # of huge pages; 8,192 of small ones


@LINUX
def test_sleeping_is_seen_as_giving_up_the_cpu() -> None:
    signals = ThreadSignals(((Rung.SOFTWARE, ThreadUsage),))
    signals.begin()
    time.sleep(0.001)
    assert signals.end().counters["voluntary_switches"] >= 1


def on_a_thread(call: Callable[[], None]) -> BaseException | None:
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised[0] if raised else None


def test_signals_of_another_thread_are_refused() -> None:
    error = on_a_thread(ThreadSignals().begin)
    assert isinstance(error, RuntimeError)
    assert "another thread" in str(error)


def test_closed_signals_have_given_their_counters_back() -> None:
    source = FakeCounters()
    signals = signals_over(source)
    signals.close()
    assert source.closed
    assert measured(signals) == {}


@dataclass
class FakeMeasure:
    """As py-perf-event's `Measure`: totals that grow with each look."""

    step: tuple[int, ...] = (100, 200, 3, 4)
    running_share: float = 1.0
    looks: int = 0
    enabled: bool = False

    def enable(self) -> None:
        self.enabled = True

    def read(self) -> SimpleNamespace:
        assert self.enabled
        self.looks += 1
        return SimpleNamespace(
            measurements=[self.looks * one for one in self.step],
            time_enabled_ns=self.looks * 1000,
            time_running_ns=int(self.looks * 1000 * self.running_share),
        )


def test_hardware_counters_read_the_package_s_totals() -> None:
    source = HardwareCounters(FakeMeasure)
    before = source.read()
    counts = counted(source.names, before, source.read())
    assert counts == dict(zip(NAMES, (100, 200, 3, 4), strict=True))


def test_the_package_has_what_the_fake_has() -> None:
    perf = pytest.importorskip("py_perf_event")
    assert {"enable", "read"} <= set(dir(perf.Measure))
    assert {"measurements", "time_enabled_ns", "time_running_ns"} <= set(dir(perf.Read))


def test_hardware_counters_that_do_not_count_are_not_opened() -> None:
    with pytest.raises(CountersStill, match="instructions"):
        HardwareCounters(lambda: FakeMeasure(step=(100, 0, 0, 0)))
    with pytest.raises(CountersBusy, match="less than half"):
        HardwareCounters(lambda: FakeMeasure(running_share=0.1))


def test_this_machine_is_on_the_rung_that_was_found() -> None:
    signals = ThreadSignals()
    assert signals.rung is AVAILABLE.rung
    assert bool(signals.take_events()) is not AVAILABLE.has_hardware
    signals.begin()
    work()
    reading = signals.end()
    assert reading.elapsed_ns > 0
    assert tuple(reading.counters) == NAMES_BY_RUNG[signals.rung]


@pytest.mark.skipif(not AVAILABLE.has_hardware, reason=AVAILABLE.reason)
def test_real_counters_count_the_work_of_this_thread_only() -> None:
    signals = ThreadSignals()
    signals.begin()
    much_work()
    own = signals.end().counters
    signals.begin()
    on_a_thread(much_work)
    waiting = signals.end().counters
    assert own["instructions"] > 1_000_000
    assert own["cycles"] > 0
    assert waiting["instructions"] < own["instructions"] / 2
