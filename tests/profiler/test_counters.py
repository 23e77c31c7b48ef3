"""The signal rung and its reason, with openers that fail in every known way."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping

import pytest

from profiler.counters import (
    EVENTS,
    CounterAvailability,
    CountersBusy,
    Host,
    Opener,
    Rung,
    counter_availability,
    error_number,
    this_host,
)

BARE = Host("linux", paranoid=2, is_virtual=False)
VIRTUAL = Host("linux", paranoid=2, is_virtual=True)
STRICT = Host("linux", paranoid=4, is_virtual=False)
UNKNOWN = Host("linux", paranoid=None, is_virtual=False)
DARWIN = Host("darwin", paranoid=None, is_virtual=False, counts_threads=False)


def failing(error: Exception) -> Opener:
    def open_counters() -> Mapping[str, int]:
        raise error

    return open_counters


def refusing(number: int) -> Opener:
    return failing(OSError(number, os.strerror(number)))


def without_errno(number: int) -> Opener:
    """As py-perf-event raises it: the number is only in the message."""
    return failing(OSError(f"{os.strerror(number)} (os error {number})"))


def counting(**counts: int) -> Opener:
    return lambda: dict.fromkeys(EVENTS, 1000) | counts


def test_events_have_names_in_the_package() -> None:
    perf = pytest.importorskip("py_perf_event")
    assert all(hasattr(perf.Hardware, event) for event in EVENTS.values())


def test_counters_that_count_are_the_best_rung() -> None:
    found = counter_availability(counting(), BARE)
    assert found.rung is Rung.HARDWARE
    assert found.has_hardware
    assert found.remedy is None


def test_a_loop_may_have_no_misses() -> None:
    assert counter_availability(counting(branch_misses=0, cache_misses=0), BARE).has_hardware


FAILURES = [
    (refusing(errno.ENOENT), VIRTUAL, "this virtual machine offers no", "pmu=on"),
    (refusing(errno.EOPNOTSUPP), VIRTUAL, "this virtual machine offers no", "pmu=on"),
    (without_errno(errno.ENOENT), VIRTUAL, "this virtual machine offers no", "pmu=on"),
    (without_errno(errno.ENODEV), BARE, "this CPU or its driver offers no", None),
    (refusing(errno.EACCES), STRICT, "perf_event_paranoid is 4", "sysctl -w kernel.perf_event_par"),
    (without_errno(errno.EPERM), STRICT, "perf_event_paranoid is 4", "perf_event_paranoid=2"),
    (refusing(errno.EPERM), BARE, "although kernel.perf_event_paranoid is 2", "--cap-add PERFMON"),
    (refusing(errno.EPERM), UNKNOWN, "perf_event_paranoid is unknown", "--cap-add PERFMON"),
    (refusing(errno.ENOSYS), BARE, "this kernel has no perf events", "kernel with them"),
    (refusing(errno.EMFILE), BARE, os.strerror(errno.EMFILE), None),
    (failing(OSError("strange")), BARE, "strange", None),
    (failing(ImportError("no module")), BARE, "py-perf-event", "pip install py-perf-event"),
    (failing(CountersBusy("ran 1 of 9 ns")), BARE, "ran 1 of 9 ns", "nmi_watchdog"),
    (counting(), DARWIN, "this is darwin", "run on Linux"),
    (counting(cycles=0), VIRTUAL, "count no cycles", "pmu=on"),
    (counting(cycles=0, instructions=0), BARE, "no cycles and instructions", None),
]


@pytest.mark.parametrize(("open_counters", "host", "reason", "remedy"), FAILURES)
def test_every_failure_has_its_reason_and_remedy(
    open_counters: Opener, host: Host, reason: str, remedy: str | None
) -> None:
    found = counter_availability(open_counters, host)
    assert found.rung is (Rung.SOFTWARE if host.counts_threads else Rung.THREAD_TIME)
    assert reason in found.reason
    if remedy is None:
        assert found.remedy is None
    else:
        assert remedy in (found.remedy or "")


def test_a_mistake_in_the_opener_is_not_taken_for_a_missing_counter() -> None:
    with pytest.raises(ZeroDivisionError):
        counter_availability(failing(ZeroDivisionError()), BARE)


def test_the_error_number_is_found_in_either_place() -> None:
    assert error_number(OSError(13, "no")) == 13
    assert error_number(OSError("Operation not supported (os error 95)")) == 95
    assert error_number(OSError("no number")) is None


def test_this_machine_has_a_rung_and_says_why() -> None:
    found = counter_availability()
    assert isinstance(found, CounterAvailability)
    assert found.reason
    if this_host().platform != "linux":
        assert not found.has_hardware
