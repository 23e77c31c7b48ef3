"""Batches in, morsels out to threads: the queue, its limit, and what happens on errors."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Literal, Protocol

import pyarrow as pa

from adaptive.engine.morsel import Morsel, QueuedBatch, told
from adaptive.engine.topology import pin
from adaptive.runtime.binding import BoundBatch

WhenFull = Literal["block", "raise"]


class QueueFull(RuntimeError):
    """The queue has no room for a batch, and `when_full="raise"` says not to wait."""


class Sizes(Protocol):
    """Who says how many rows a morsel has, by what was observed."""

    @property
    def learn(self) -> bool:
        """Whether sizes depend on what was observed; else nobody need look at the clock."""

    def arrived(self, rows: int, elapsed_ns: int) -> None:
        """A batch came, so long after the one before it."""

    def done(self, rows: int, elapsed_ns: int) -> None:
        """A thread took so long for a morsel."""

    def rows(self, batch_rows: int, waiting: int) -> int:
        """The rows of the next morsel of a batch, if so many wait."""


class FixedSize:
    """Morsels of one size, whatever was observed."""

    learn = False

    def __init__(self, rows: int) -> None:
        if rows < 1:
            raise ValueError(f"morsel_rows must be positive, got {rows}")
        self._rows = rows

    def arrived(self, rows: int, elapsed_ns: int) -> None:
        """Nothing changes."""

    def done(self, rows: int, elapsed_ns: int) -> None:
        """Nothing changes."""

    def rows(self, batch_rows: int, waiting: int) -> int:
        """Always the same."""
        return self._rows


class Work(Protocol):
    """What threads do with morsels; one worker's calls come from one thread at a time."""

    def attend(self, worker: int, morsel: Morsel) -> None:
        """Process a morsel."""

    def rest(self, worker: int) -> None:
        """The worker has nothing to do; the queue is locked, so this is short."""

    def settle(self) -> None:
        """Do what has become due, outside of any lock."""

    @property
    def everyone(self) -> bool:
        """Whether every worker gets every morsel; else one of them does."""

    @property
    def needs_time(self) -> bool:
        """Whether it asks every morsel how far time has come; those must be chained."""


class AllWork:
    """Several works on the same morsels, one after the other."""

    def __init__(self, works: Sequence[Work], workers: int) -> None:
        self._works, self._workers = works, workers
        self.everyone = any(work.everyone for work in works)
        self.needs_time = any(work.needs_time for work in works)

    def attend(self, worker: int, morsel: Morsel) -> None:
        """Each work on the morsel."""
        for work in self._works:
            mine = work.everyone or morsel.index % self._workers == worker
            if mine or not self.everyone:
                work.attend(worker, morsel)

    def rest(self, worker: int) -> None:
        """Each work rests."""
        for work in self._works:
            work.rest(worker)

    def settle(self) -> None:
        """Each work does what is due."""
        for work in self._works:
            work.settle()


def all_work(works: Sequence[Work], workers: int) -> Work:
    """Several works as one."""
    return works[0] if len(works) == 1 else AllWork(works, workers)


class Flow(Protocol):
    """Batches on their way to those who do the work."""

    @property
    def queued_bytes(self) -> int:
        """The memory of batches that are waiting or being worked on."""

    @property
    def rows(self) -> int:
        """How many rows have been pushed."""

    def start(self) -> None:
        """Begin."""

    def push(self, batch: pa.RecordBatch, bounds: list[BoundBatch]) -> None:
        """Take a batch, behind the others."""

    def punctuate(self, time_us: int) -> None:
        """Take the news that time has come to `time_us`, behind the batches."""

    def wait(self) -> None:
        """Until everything that was pushed is done and closed, or has failed."""

    def stop(self) -> None:
        """End; what is queued is dropped."""

    def check(self) -> None:
        """Raise what the work failed with."""

    def check_unseen(self) -> None:
        """Raise what the work failed with, if nobody has been told yet."""

    def idle(self) -> AbstractContextManager[set[int]]:
        """The workers that wait, and go on waiting while this lasts."""


class Failing:
    """What the work has failed with, for the next call to raise."""

    _error: BaseException | None = None
    _raised = False

    def check(self) -> None:
        """Raise what the work failed with."""
        if self._error is not None:
            self._raised = True
            raise self._error

    def check_unseen(self) -> None:
        """Raise what the work failed with, if nobody has been told yet."""
        if not self._raised:
            self.check()


class ThreadFlow(Failing):
    """The threads of an engine and the batches on their way to them."""

    def __init__(
        self,
        works: Sequence[Work],
        threads: int,
        time_column: str | None,
        *,
        sizes: Sizes,
        capacity_bytes: int,
        when_full: WhenFull,
        affinity: Sequence[frozenset[int]] = (),
    ) -> None:
        self._work = all_work(works, threads)
        self._column = time_column
        self._sizes, self._pushed_ns = sizes, time.perf_counter_ns()
        self._affinity = affinity
        self._capacity, self._when_full = capacity_bytes, when_full
        self._everyone = self._work.everyone
        # One lock, and who waits for what: a thread that is woken for nothing takes the
        # interpreter, and a CPU, from one that is at work.
        self._lock = threading.Lock()
        self._work_came = threading.Condition(self._lock)
        self._room_came = threading.Condition(self._lock)
        self._all_done = threading.Condition(self._lock)
        self._batches: deque[QueuedBatch | int] = deque()  # an int is a punctuation
        self._ahead: list[deque[Morsel]] = [deque() for _ in range(threads)]
        self._previous: Morsel | None = None
        self._morsels = 0
        self._open = 0  # morsels that are taken and not done
        self._queued_bytes = 0
        self._rows = 0
        self._idle: set[int] = set()
        self._settled: set[int] = set()  # those of the idle that have nothing left to close
        self._stopped = False
        self._threads: list[threading.Thread] = []
        self._wanted = threads

    # -- the caller's side ----------------------------------------------------

    @property
    def queued_bytes(self) -> int:
        """The memory of batches that are waiting or being worked on."""
        return self._queued_bytes

    @property
    def rows(self) -> int:
        """How many rows have been pushed."""
        return self._rows

    def start(self) -> None:
        """Start the threads."""
        for worker in range(self._wanted):
            thread = threading.Thread(
                target=self._loop, args=(worker,), name=f"kodiak-{worker}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def push(self, batch: pa.RecordBatch, bounds: list[BoundBatch]) -> None:
        """Put a batch behind the others; waits, or raises, while there is no room."""
        self.check()
        queued = QueuedBatch(batch, bounds, self._rows)
        if not queued.rows:
            return
        queued.bytes = int(batch.nbytes)
        with self._lock:
            self._wait_for_room(queued.bytes)
            now_ns = time.perf_counter_ns()
            self._sizes.arrived(queued.rows, now_ns - self._pushed_ns)
            self._pushed_ns = now_ns
            self._rows += queued.rows
            self._queued_bytes += queued.bytes
            self._batches.append(queued)
            self._work_came.notify_all()

    def punctuate(self, time_us: int) -> None:
        """Put the news that time has come to `time_us` behind the batches."""
        self.check()
        with self._lock:
            self._batches.append(time_us)
            self._work_came.notify_all()

    def wait(self) -> None:
        """Until everything that was pushed is done and closed, or a worker has failed."""
        with self._lock:
            while not self._is_all_done():
                self._all_done.wait()
        self.check()

    def stop(self) -> None:
        """End the threads when they are done with their morsels; what is queued is dropped."""
        with self._lock:
            self._stopped = True
            self._batches.clear()
            self._queued_bytes = 0
            self._notify_everybody()
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    # -- the workers' side ----------------------------------------------------

    @contextmanager
    def idle(self) -> Iterator[set[int]]:
        """The workers that wait, and go on waiting while this lasts."""
        with self._lock:
            yield set(self._idle)

    def _loop(self, worker: int) -> None:
        if self._affinity:
            pin(self._affinity[worker])
        while (morsel := self._take(worker)) is not None:
            self._attend(worker, morsel)

    def _attend(self, worker: int, morsel: Morsel) -> None:
        begin_ns = time.perf_counter_ns()
        try:
            self._work.attend(worker, morsel)
        except BaseException as error:
            self._fail(told(error, morsel))
        finally:
            self._done(morsel, time.perf_counter_ns() - begin_ns)

    def _take(self, worker: int) -> Morsel | None:
        """The next morsel; waits for one, and returns None at the end."""
        while True:
            with self._lock:
                self._idle.discard(worker)
                self._settled.discard(worker)
                morsel = self._next_locked(worker)
                if morsel is not None or self._stopped:
                    return morsel
                self._work.rest(worker)
                self._idle.add(worker)
            try:
                self._work.settle()
            except BaseException as error:
                self._fail(error)
            with self._lock:
                self._settled.add(worker)
                self._notify_if_all_done()
                while not (self._stopped or self._has_work_for(worker)):
                    self._work_came.wait()

    def _next_locked(self, worker: int) -> Morsel | None:
        if self._error is not None or self._stopped:
            return None
        ahead = self._ahead[worker]
        if not ahead:
            morsel = self._cut()
            if morsel is None:
                return None
            for other in self._ahead if self._everyone else [ahead]:
                other.append(morsel)
                self._open += 1
        return ahead.popleft()

    def _cut(self) -> Morsel | None:
        """The next rows of the first batch, or the next punctuation."""
        if not self._batches:
            return None
        first = self._batches[0]
        if isinstance(first, int):
            self._batches.popleft()
            made = Morsel(self._morsels, self._previous, self._column, punctuation=first)
        else:
            begin = first.next_row
            end = min(first.rows, begin + self._sizes.rows(first.rows, len(self._batches)))
            made = Morsel(
                self._morsels, self._previous, self._column, queued=first, first=begin, last=end
            )
            first.next_row = end
            first.open_morsels += len(self._ahead) if self._everyone else 1
            if end == first.rows:
                self._batches.popleft()
        self._morsels += 1
        self._previous = made if self._work.needs_time else None
        return made

    def _done(self, morsel: Morsel, elapsed_ns: int) -> None:
        with self._lock:
            self._sizes.done(morsel.rows, elapsed_ns)
            self._open -= 1
            queued = morsel.queued
            if queued is not None:
                queued.open_morsels -= 1
                if not queued.open_morsels and queued.next_row == queued.rows:
                    self._queued_bytes -= queued.bytes
                    if self._queued_bytes <= self._capacity // 2:
                        self._room_came.notify_all()
            self._notify_if_all_done()

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            if self._error is None:
                self._error = error
            self._batches.clear()
            for ahead in self._ahead:
                self._open -= len(ahead)
                ahead.clear()
            self._notify_everybody()

    def _notify_everybody(self) -> None:
        for condition in (self._work_came, self._room_came, self._all_done):
            condition.notify_all()

    def _notify_if_all_done(self) -> None:
        if self._is_all_done():
            self._all_done.notify_all()

    def _is_all_done(self) -> bool:
        """Whether nothing is left to wait for; after an error, nothing is."""
        left = self._has_work() or self._open or self._is_closing()
        return self._error is not None or not left

    def _has_work(self) -> bool:
        return bool(self._batches) or any(self._ahead)

    def _is_closing(self) -> bool:
        """Whether a thread may still be at what the last morsels have closed."""
        return len(self._settled) < len(self._threads)

    def _has_work_for(self, worker: int) -> bool:
        return bool(self._batches or self._ahead[worker]) and self._error is None

    def _wait_for_room(self, size: int) -> None:
        """Until the queue is half empty: so callers are woken once for several batches.

        A batch that is larger than the whole queue goes in when the queue is empty.
        """
        while self._queued_bytes and self._queued_bytes + size > self._capacity:
            if self._when_full == "raise":
                raise QueueFull(
                    f"{self._queued_bytes} bytes are queued and the batch has {size}; the limit is"
                    f" {self._capacity}: push later, or raise queue_bytes"
                )
            if self._error is not None or self._stopped:
                return
            self._room_came.wait()
