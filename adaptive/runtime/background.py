"""One thread for work that nobody waits for."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakSet

_LONGEST_END_SECONDS = 30

logger = logging.getLogger(__name__)

Work = Callable[[], None]


class ShortTurns:
    """While anything is done in the background, it gives the interpreter back quickly.

    A thread that comes out of a kernel waits for the interpreter: by default up to 5 ms, three
    times as long as a million rows take. While variants were made in a loop, a push of YSB
    took 7.9 ms with that default, 3.8 with 1 ms, 3.1 with 0.2 ms and 2.2, as long as
    without them, with 0.05 ms (medians); variants were made as fast.
    """

    _TURN_SECONDS = 0.00005

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._usual = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(min(self._usual, self._TURN_SECONDS))
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                sys.setswitchinterval(self._usual)

    def renew(self) -> None:
        """In a forked child, which has none of the threads."""
        if self._users:
            sys.setswitchinterval(self._usual)
        self._lock, self._users = threading.Lock(), 0


class CollectorRest:
    """While anything is done in the background, Python's garbage collector rests.

    To make a variant's code takes tens of thousands of objects. With those of the libraries
    that the process has loaded, collecting all of them took 53 ms, in which no thread ran.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._was_enabled = False

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users and self._was_enabled:
                gc.collect(0)  # of what is new: else the next thread that needs memory does it
                gc.enable()

    def renew(self) -> None:
        """In a forked child, which has none of the threads."""
        if self._users and self._was_enabled:
            gc.enable()
        self._lock, self._users = threading.Lock(), 0


SHORT_TURNS, COLLECTOR_REST = ShortTurns(), CollectorRest()


class BackgroundThread:
    """Does one piece of work after another; it starts with the first one.

    Its priority is that of the other threads. Behind two busy threads on two CPUs, a
    variant was compiled in 0.2 s this way, in 0.4 to 0.9 s with a niceness of 5 and in
    1.8 s with 10, and then the busy ones waited up to 40 ms instead of 11: for the GIL
    and LLVM's lock, held by a thread that got no CPU.

    A forked child starts without the parent's work, and with a thread of its own. At
    the interpreter's end, what has begun is finished, because LLVM must not be torn
    down under it, and what waits is dropped.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.reset()
        _ALL.add(self)

    def reset(self) -> None:
        """Be as new: without work, without a thread."""
        self._changed = threading.Condition(threading.Lock())
        self._waiting: deque[Work] = deque()
        self._thread: threading.Thread | None = None
        self._ending = False

    def add(self, work: Work) -> None:
        """Do this after all that was added before; what it raises is logged."""
        with self._changed:
            if self._ending:
                return
            self._waiting.append(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify()

    def end(self) -> None:
        """Drop what waits, and wait for what has begun."""
        with self._changed:
            self._ending = True
            self._waiting.clear()
            self._changed.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(_LONGEST_END_SECONDS)

    def _run(self) -> None:
        _leave_cpu()
        while True:
            with self._changed:
                while not self._waiting and not self._ending:
                    self._changed.wait()
                if self._ending:
                    return
                work = self._waiting.popleft()
            try:
                with SHORT_TURNS, COLLECTOR_REST:
                    work()
            except Exception:
                logger.exception("work on the thread %s failed", self._name)
            del work  # while the thread waits, it keeps nothing alive


_ALL: WeakSet[BackgroundThread] = WeakSet()


def _leave_cpu() -> None:
    """Run on all CPUs of the process: a thread starts on those that its starter is pinned to."""
    with suppress(OSError, AttributeError):
        os.sched_setaffinity(threading.get_native_id(), os.sched_getaffinity(os.getpid()))


def _after_fork() -> None:
    SHORT_TURNS.renew()
    COLLECTOR_REST.renew()
    for thread in list(_ALL):
        thread.reset()


def _end_all() -> None:
    for thread in list(_ALL):
        thread.end()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_end_all)
