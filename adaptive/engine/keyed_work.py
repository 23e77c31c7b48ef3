"""Session and count windows of the first aggregate: each thread has its own share of the keys.

Both depend on the order of a key's rows, so every thread goes through all
morsels in order, and adds the rows of its own keys.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pyarrow as pa

from adaptive.engine.downstream import Downstream
from adaptive.engine.flow import Flow
from adaptive.engine.morsel import Morsel
from adaptive.engine.order import by_columns, order_of
from adaptive.engine.query import Results
from adaptive.runtime.adaptation import Adaptation
from adaptive.runtime.keyed_windows import KeyedWindows
from ir import Pipeline, Watermark
from ir.pipelines import RowProgram
from ir.windows import CountWindow


class KeyedWork:
    """Threads with a partition of the keys each; results come out morsel by morsel.

    `number` tells which of a batch's bindings is that of this program.
    """

    everyone = True  # gets every morsel

    def __init__(
        self,
        program: RowProgram,
        watermark: Watermark | None,
        rest: Sequence[Pipeline],
        results: Results,
        workers: int,
        loop: Adaptation,
        number: int,
    ) -> None:
        self.input = program.input
        self.flow: Flow | None = None
        self._program = program
        self._above = Downstream(program, rest, results.add)
        self._delay_us = None if watermark is None else watermark.delay_us
        self._lateness_us = 0 if watermark is None else watermark.lateness_us
        self.needs_time = self._delay_us is not None and self._above.watches_time
        self.loop, self._number = loop, number
        self._partitions = self._count_partitions(workers)
        self._windows = [self._made(number) for number in range(self._partitions)]
        self._done: dict[int, list[list[pa.RecordBatch]]] = {}
        self._closed: dict[int, int | None] = {}
        self._next = 0
        self._lock = threading.Lock()
        self._token = threading.Lock()  # of the one who delivers; nobody waits for it

    def _count_partitions(self, workers: int) -> int:
        """One where the order in which windows are complete counts, or there are no keys."""
        by_count = isinstance(self._program.window, CountWindow)
        return 1 if not self._program.keys or (by_count and self._above.needs_order) else workers

    def _made(self, number: int) -> KeyedWindows:
        return KeyedWindows(
            self._program,
            delay_us=self._delay_us,
            lateness_us=self._lateness_us,
            partition=(number, self._partitions),
            loop=self.loop,
        )

    @property
    def late_rows(self) -> int:
        """How many rows came when no open window could hold them."""
        return sum(windows.late_rows for windows in self._windows)

    @property
    def bytes(self) -> int:
        """The memory of open windows."""
        return self._above.bytes + sum(windows.state_bytes for windows in self._windows)

    def attend(self, worker: int, morsel: Morsel) -> None:
        """Add the rows of the worker's keys."""
        if worker >= self._partitions:
            return
        windows = self._windows[worker]
        queued = morsel.queued
        if queued is not None:
            bound = queued.bounds[self._number]
            windows.add(bound, morsel.first, morsel.last, queued.row_base)
        elif self._delay_us is not None and morsel.punctuation is not None:
            windows.advance(morsel.punctuation - self._delay_us)
        self._hand_over(morsel, windows.take())
        self.settle()

    def rest(self, worker: int) -> None:
        """Nothing is held back."""

    def settle(self) -> None:
        """Send on what all have made of the next morsels, unless somebody else does."""
        while self._is_due() and self._token.acquire(blocking=False):
            try:
                while self._is_due():
                    with self._lock:
                        made, closed = self._done.pop(self._next), self._closed.pop(self._next)
                    self._next += 1
                    self._send(made, closed)
            finally:
                self._token.release()

    def finish(self) -> None:
        """All morsels are done: what is open becomes final."""
        for windows in self._windows:
            windows.finish()
        made = [batch for windows in self._windows for batch in windows.take()]
        if made:
            joined = _joined(made)
            if isinstance(self._program.window, CountWindow) and self._above.needs_order:
                keys = [key.name for key in self._program.keys]
                joined = by_columns(joined, [*keys, "window_start"])
            else:
                joined = by_columns(joined, order_of(self._program))
            self._above.accept(joined)
        self._above.finish()

    def release(self) -> None:
        """Give the memory back."""
        self._above.release()
        for windows in self._windows:
            windows.release()

    def _hand_over(self, morsel: Morsel, made: list[pa.RecordBatch]) -> None:
        closed_to = None
        if self.needs_time and morsel.reached is not None:
            assert self._delay_us is not None
            closed_to = morsel.reached - self._delay_us - self._lateness_us
        with self._lock:
            self._done.setdefault(morsel.index, []).append(made)
            self._closed[morsel.index] = closed_to

    def _is_due(self) -> bool:
        return len(self._done.get(self._next, ())) == self._partitions

    def _send(self, made: list[list[pa.RecordBatch]], closed_to: int | None) -> None:
        batches = [batch for some in made for batch in some if batch.num_rows]
        if batches:
            self._above.accept(by_columns(_joined(batches), order_of(self._program)))
        if closed_to is not None:
            self._above.advance(closed_to)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)
