"""Session and count windows of the first aggregate, whose results come morsel by morsel."""

from __future__ import annotations

import threading

import pyarrow as pa

from adaptive.engine.downstream import Downstream
from adaptive.engine.flow import Flow
from adaptive.engine.morsel import Morsel
from adaptive.engine.order import by_columns, order_of
from adaptive.runtime.adaptation import Adaptation
from adaptive.runtime.keyed_windows import KeyedWindows
from ir import Watermark
from ir.pipelines import RowProgram
from ir.windows import CountWindow, SessionWindow


class KeyedWork:
    """One thread that adds all rows in order; `number` tells which binding of a batch is its own.

    See `PartedWork` for several.
    """

    everyone = True  # gets every morsel

    def __init__(
        self,
        program: RowProgram,
        watermark: Watermark | None,
        above: Downstream,
        loop: Adaptation,
        *,
        number: int,
        parts: int = 1,
    ) -> None:
        self.input = program.input
        self.flow: Flow | None = None
        self.loop, self._number = loop, number
        self._program, self._above = program, above
        self._delay_us = None if watermark is None else watermark.delay_us
        self._lateness_us = 0 if watermark is None else watermark.lateness_us
        self.needs_time = self._delay_us is not None and self._above.watches_time
        self._parts = parts
        self._windows = [self._made(part) for part in range(parts)]
        self._done: dict[int, list[list[pa.RecordBatch]]] = {}
        self._closed: dict[int, int | None] = {}
        self._next = 0
        self._lock = threading.Lock()
        self._token = threading.Lock()  # of the one who delivers; nobody waits for it

    def _made(self, part: int) -> KeyedWindows:
        return KeyedWindows(
            self._program,
            delay_us=self._delay_us,
            lateness_us=self._lateness_us,
            part=part if self._parts > 1 else None,
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
        """Add the rows of a morsel."""
        if worker:
            return
        self._closed[morsel.index] = self._closed_to(morsel)
        windows, queued = self._windows[0], morsel.queued
        if queued is not None:
            bound = queued.bounds[self._number]
            windows.add(bound, morsel.first, morsel.last, queued.row_base)
        elif self._delay_us is not None and morsel.punctuation is not None:
            windows.advance(morsel.punctuation - self._delay_us)
        self._hand_over(morsel.index, windows.take())
        self.settle()

    def rest(self, worker: int) -> None:
        """Nothing is held back."""

    def settle(self) -> None:
        """Send on what was made of the next morsels, unless somebody else does."""
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

    def _closed_to(self, morsel: Morsel) -> int | None:
        """The time that windows above may go by behind a morsel."""
        if not self.needs_time or morsel.reached is None:
            return None
        assert self._delay_us is not None
        return morsel.reached - self._delay_us - self._lateness_us

    def _hand_over(self, index: int, made: list[pa.RecordBatch]) -> bool:
        """What a part has made of a morsel; whether all have done so now."""
        with self._lock:
            done = self._done.setdefault(index, [])
            done.append(made)
            return len(done) == self._parts

    def _is_due(self) -> bool:
        return len(self._done.get(self._next, ())) == self._parts

    def _send(self, made: list[list[pa.RecordBatch]], closed_to: int | None) -> None:
        batches = [batch for some in made for batch in some if batch.num_rows]
        if batches:
            self._above.accept(by_columns(_joined(batches), order_of(self._program)))
        if closed_to is not None:
            self._above.advance(closed_to)


def parts_for(program: RowProgram, above: Downstream, workers: int) -> int:
    """Into how many parts the keys are divided.

    One where there are none, where the order in which windows are complete counts, and where a
    key may fail in a row that is late: such a key is evaluated behind all earlier rows.
    """
    match program.window:
        case CountWindow() if above.needs_order:
            return 1
        case SessionWindow() if any(key.expr.can_fail for key in program.keys):
            return 1
    return workers if program.keys else 1


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)
