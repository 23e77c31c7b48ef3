"""What the kernels of one thread cost: time, and counters where the machine has them."""

from __future__ import annotations

import threading
import time

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


_SIGNALS = _Signals()


class Meter(Clock):
    """Adds up every signal that the thread can read."""

    def start(self) -> None:
        """Kernels begin."""
        _SIGNALS.of_thread.begin()

    def stop(self) -> None:
        """Kernels have ended."""
        reading = _SIGNALS.of_thread.end()
        self.elapsed_ns += reading.elapsed_ns
        for name, count in reading.counters.items():
            self.counters[name] = self.counters.get(name, 0) + count


def lost_signals() -> tuple[str, ...]:
    """What this thread could read and cannot any more, each told once."""
    return _SIGNALS.of_thread.take_events()
