"""What the kernels of one thread cost: time, and counters where the machine has them."""

from __future__ import annotations

import os
import threading
import time

from profiler.counters import Rung
from profiler.signals import ThreadSignals


class Clock:
    """Adds up the thread's own time; all that a fixed variant needs."""

    def __init__(self) -> None:
        self.elapsed_ns = 0
        self.counters: dict[str, int] = {}
        self._began_ns = 0

    def start(self) -> None:
        """Kernels begin."""
        self._began_ns = time.thread_time_ns()

    def stop(self) -> None:
        """Kernels have ended."""
        self.elapsed_ns += time.thread_time_ns() - self._began_ns

    def take(self) -> tuple[int, dict[str, int]]:
        """What was added up since the last time."""
        taken = self.elapsed_ns, self.counters
        self.elapsed_ns, self.counters = 0, {}
        return taken


class _Signals(threading.local):
    """The signals of each thread, opened when it first runs a kernel."""

    def __init__(self) -> None:
        self.of_thread = ThreadSignals()


class _Process:
    """What belongs to this process: a forked child opens counters of its own."""

    signals = _Signals()

    @classmethod
    def renew(cls) -> None:
        """In a forked child."""
        cls.signals = _Signals()


os.register_at_fork(after_in_child=_Process.renew)

# Page faults and switches hardly depend on the data: they are read for every so many morsels.
# Behind a kernel, whose columns have driven Python out of the caches, reading them takes about
# 30 us, one per cent of a morsel of a million rows.
_EVERY = 16


class Meter(Clock):
    """Adds up what the thread can read: hardware counters always, other events now and then."""

    def __init__(self) -> None:
        super().__init__()
        self._morsels = 0
        self._counts = True

    def start(self) -> None:
        """Kernels begin."""
        if self._counts:
            _Process.signals.of_thread.begin()
        else:
            super().start()

    def stop(self) -> None:
        """Kernels have ended."""
        if not self._counts:
            super().stop()
            return
        reading = _Process.signals.of_thread.end()
        self.elapsed_ns += reading.elapsed_ns
        for name, count in reading.counters.items():
            self.counters[name] = self.counters.get(name, 0) + count

    def take(self) -> tuple[int, dict[str, int]]:
        """What was added up since the last time."""
        self._morsels += 1
        always = self._counts and _Process.signals.of_thread.rung is Rung.HARDWARE
        self._counts = always or self._morsels % _EVERY == 0
        return super().take()


def lost_signals() -> tuple[str, ...]:
    """What this thread could read and cannot any more, each told once."""
    return _Process.signals.of_thread.take_events()
