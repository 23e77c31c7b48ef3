"""The flow of an engine without threads: whoever pushes a batch does the work.

There is no queue. A push has to run little Python, since kernels leave nothing of it in the
caches: through the queue of the threads' flow, a push of a million rows took some 40 us more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa

from adaptive.engine.flow import Failing, Sizes, Work, all_work
from adaptive.engine.morsel import Morsel, QueuedBatch, told
from adaptive.runtime.binding import BoundBatch


class CallerFlow(Failing):
    """Cuts batches into morsels and does them at once, one caller at a time."""

    queued_bytes = 0

    def __init__(self, works: Sequence[Work], time_column: str | None, sizes: Sizes) -> None:
        self._work = all_work(works, 1)
        self._column = time_column
        self._sizes, self._pushed_ns = sizes, time.perf_counter_ns()
        self._lock = threading.Lock()
        self._previous: Morsel | None = None
        self._morsels = 0
        self.rows = 0  # that have been pushed

    def start(self) -> None:
        """There is nothing to start."""

    def push(self, batch: pa.RecordBatch, bounds: list[BoundBatch]) -> None:
        """Do the rows of a batch."""
        self.check()
        with self._lock:
            queued = QueuedBatch(batch, bounds, self.rows)
            self.rows += queued.rows
            if self._sizes.learn:
                now_ns = time.perf_counter_ns()
                self._sizes.arrived(queued.rows, now_ns - self._pushed_ns)
                self._pushed_ns = now_ns
            while queued.next_row < queued.rows:
                self._attend(self._cut(queued))

    def punctuate(self, time_us: int) -> None:
        """Time has come to `time_us`."""
        self.check()
        with self._lock:
            self._attend(self._morsel(punctuation=time_us))

    def wait(self) -> None:
        """Everything that was pushed is done."""
        self.check()

    def stop(self) -> None:
        """There is no thread to end."""

    @contextmanager
    def idle(self) -> Iterator[set[int]]:
        """The caller is the only worker, and at work."""
        yield set()

    def _cut(self, queued: QueuedBatch) -> Morsel:
        begin = queued.next_row
        end = min(queued.rows, begin + self._sizes.rows(queued.rows, 1))
        queued.next_row = end
        return self._morsel(queued=queued, first=begin, last=end)

    def _morsel(
        self,
        queued: QueuedBatch | None = None,
        first: int = 0,
        last: int = 0,
        punctuation: int | None = None,
    ) -> Morsel:
        made = Morsel(
            self._morsels,
            self._previous,
            self._column,
            queued=queued,
            first=first,
            last=last,
            punctuation=punctuation,
        )
        self._morsels += 1
        self._previous = made if self._work.needs_time else None
        return made

    def _attend(self, morsel: Morsel) -> None:
        begin_ns = time.perf_counter_ns() if self._sizes.learn else 0
        try:
            self._work.attend(0, morsel)
        except BaseException as error:
            self._error, self._raised = told(error, morsel), True
            if self._error is error:
                raise
            raise self._error from None
        if self._sizes.learn:
            self._sizes.done(morsel.rows, time.perf_counter_ns() - begin_ns)
