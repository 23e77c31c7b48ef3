"""A clock that stands still while other programs have the CPU that the thread is ready for."""

from __future__ import annotations

import os
import threading
import time
from functools import cache


def own_time_ns() -> int:
    """Nanoseconds that go on while the thread runs, or waits for anything but a CPU.

    Locks and threads of its own process that it waits for count. On a machine that others
    use, too, a push of 2 ms took up to 30 by the wall clock.
    """
    return time.perf_counter_ns() - run_delay_ns()


def run_delay_ns() -> int:
    """How long the thread was ready to run in all, but did not; 0 where the system cannot say."""
    file = _schedule_file(threading.get_native_id())
    return 0 if file is None else int(os.pread(file, 80, 0).split()[1])


@cache
def _schedule_file(thread: int) -> int | None:
    try:
        return os.open(f"/proc/self/task/{thread}/schedstat", os.O_RDONLY)
    except OSError:
        return None
