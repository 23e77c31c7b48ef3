"""What a thread measures around a morsel, with the best counters that the machine has.

A source that stops working is left for the next lower one, with an event for the
history. Counts that are not known are left out of a reading; they are never zero.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from operator import sub
from typing import Any, NamedTuple, Protocol

from profiler.counters import (
    EVENTS,
    UNAVAILABLE,
    CountersBusy,
    Rung,
    check_counting,
    this_host,
    why_unavailable,
)

USAGE_NAMES = ("minor_faults", "major_faults", "voluntary_switches", "involuntary_switches")

# Others may use the counters at the same time; the kernel then takes turns. Half of the time
# is enough to scale by, because the rows of a morsel are alike.
LEAST_RUNNING = 0.5
# Other profilers come and go; after so many morsels without a usable count, one has come to stay.
MOST_PARTIAL = 32
MOST_TRIES = 10
# In so much time of its own, a thread has run instructions.
SURELY_RAN_NS = 10_000


class Totals(NamedTuple):
    """What a source has counted since it was opened, and for how much of that time."""

    counts: Sequence[int]
    enabled_ns: int = 0
    running_ns: int = 0  # less where counters are shared


class CounterSource(Protocol):
    """Running totals of the thread that opened it; opening and reading may fail."""

    @property
    def rung(self) -> Rung:
        """The kind of counters."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the counts are, in their order."""

    def read(self) -> Totals:
        """The totals now; raises one of `UNAVAILABLE` where they cannot be read any more."""

    def close(self) -> None:
        """Give the counters back."""


class HardwareCounters:
    """Cycles, instructions, branch and cache misses of this thread in user mode."""

    rung = Rung.HARDWARE
    names = tuple(EVENTS)

    def __init__(self, measure: Callable[[], Any] | None = None) -> None:
        self._measure = (_perf_measure if measure is None else measure)()
        self._measure.enable()
        self._check()

    def read(self) -> Totals:
        """The totals now."""
        now = self._measure.read()
        return Totals(now.measurements, now.time_enabled_ns, now.time_running_ns)

    def close(self) -> None:
        """The kernel stops counting when the object goes, and its file descriptors with it."""
        self._measure = None

    def _check(self) -> None:
        """Raise if the counters do not run, or run and count nothing."""
        for _ in range(MOST_TRIES):
            before = self.read()
            sum(range(10_000))
            counts = counted(self.names, before, self.read())
            if counts is not None:
                check_counting(counts)
                return
        raise CountersBusy(f"they ran for less than half of the time, {MOST_TRIES} times in a row")


class ThreadUsage:
    """Page faults and context switches of this thread, which the kernel counts anyway."""

    rung = Rung.SOFTWARE
    names = USAGE_NAMES

    def __init__(self) -> None:
        import resource

        if not hasattr(resource, "RUSAGE_THREAD"):
            raise OSError("this system does not say what one thread used")
        self._usage, self._thread = resource.getrusage, resource.RUSAGE_THREAD

    def read(self) -> Totals:
        """The totals now."""
        used = self._usage(self._thread)
        return Totals((used.ru_minflt, used.ru_majflt, used.ru_nvcsw, used.ru_nivcsw))

    def close(self) -> None:
        """Nothing is open."""


class NoCounters:
    """The lowest rung: only times."""

    rung = Rung.THREAD_TIME
    names: tuple[str, ...] = ()

    def read(self) -> Totals:
        """No totals."""
        return _NO_TOTALS

    def close(self) -> None:
        """Nothing is open."""


_NO_TOTALS = Totals(())
OpenSource = Callable[[], CounterSource]
BEST_FIRST: tuple[tuple[Rung, OpenSource], ...] = (
    (Rung.HARDWARE, HardwareCounters),
    (Rung.SOFTWARE, ThreadUsage),
    (Rung.THREAD_TIME, NoCounters),
)


class Reading(NamedTuple):
    """What a thread used between `begin` and `end`; counts that are not known are left out."""

    elapsed_ns: int  # of the thread's own time
    wall_ns: int
    counters: Mapping[str, int]


def counted(names: tuple[str, ...], before: Totals, after: Totals) -> dict[str, int] | None:
    """The counts in between, scaled up if the counters ran for a part of it; None if too small."""
    counts = dict(zip(names, map(sub, after.counts, before.counts), strict=True))
    enabled = after.enabled_ns - before.enabled_ns
    running = after.running_ns - before.running_ns
    if running == enabled:
        return counts
    if running < LEAST_RUNNING * enabled:
        return None
    return {name: round(count * enabled / running) for name, count in counts.items()}


class ThreadSignals:
    """The times and counters of one thread; made, used and closed on that thread.

    `begin` and `end` together take 5.6 µs with software events and 3.3 µs with times only, of
    which two readings of the thread's time are 1.2 (Python 3.11 on a virtual AMD EPYC). Four
    hardware counters are read by one system call, too, and the rest of theirs takes 4.2 µs.
    """

    def __init__(self, sources: Sequence[tuple[Rung, OpenSource]] = BEST_FIRST) -> None:
        self._thread = threading.get_native_id()
        self._events: list[str] = []
        self._lower = iter(sources)
        self._source: CounterSource = NoCounters()
        self._partial = 0
        self._open_next()

    @property
    def rung(self) -> Rung:
        """The kind of counters that are read now."""
        return self._source.rung

    def take_events(self) -> tuple[str, ...]:
        """What went wrong since the last call, for the history."""
        events, self._events = tuple(self._events), []
        return events

    def begin(self) -> None:
        """A morsel begins."""
        # The kernel's number, unlike Python's, is another one in a forked process, too.
        if threading.get_native_id() != self._thread:
            raise RuntimeError("the counters are another thread's: make ThreadSignals here")
        try:
            self._before = self._source.read()
        except UNAVAILABLE as error:
            self._fall(error)
            self._before = self._source.read()
        self._begin_wall_ns = time.perf_counter_ns()
        self._begin_ns = time.thread_time_ns()

    def end(self) -> Reading:
        """What the thread used since `begin`."""
        elapsed_ns = time.thread_time_ns() - self._begin_ns
        wall_ns = time.perf_counter_ns() - self._begin_wall_ns
        try:
            counts = self._counts(elapsed_ns)
        except UNAVAILABLE as error:
            self._fall(error)
            counts = {}
        return Reading(elapsed_ns, wall_ns, counts)

    def close(self) -> None:
        """Give the counters back."""
        self._source.close()
        self._source = NoCounters()

    def _counts(self, elapsed_ns: int) -> dict[str, int]:
        source = self._source
        counts = counted(source.names, self._before, source.read())
        if counts is None:
            self._partial += 1
            if self._partial == MOST_PARTIAL:
                ran = f"they ran for less than half of the time, {MOST_PARTIAL} morsels in a row"
                raise CountersBusy(ran)
            return {}
        self._partial = 0
        if source.rung is Rung.HARDWARE and elapsed_ns > SURELY_RAN_NS:
            check_counting(counts)
        return counts

    def _fall(self, error: Exception) -> None:
        """Go on with the next lower source."""
        self._record(self._source.rung, "lost", error)
        self._source.close()
        self._open_next()

    def _open_next(self) -> None:
        """The next source that opens; without any, only times are left."""
        for rung, open_source in self._lower:
            try:
                self._source = open_source()
                return
            except UNAVAILABLE as error:
                self._record(rung, "not available", error)
        self._source = NoCounters()

    def _record(self, rung: Rung, what: str, error: Exception) -> None:
        reason = why_unavailable(error, this_host()).reason if rung is Rung.HARDWARE else error
        self._events.append(f"{rung} {what}: {reason}")


def _perf_measure() -> Any:
    """py-perf-event's counters of this thread, as one group that runs or waits together."""
    import py_perf_event as perf

    return perf.Measure([getattr(perf.Hardware, event) for event in EVENTS.values()])
