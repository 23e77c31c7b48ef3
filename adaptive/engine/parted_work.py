"""Session and count windows by several threads: filters anywhere, a key's rows in their order.

Whoever gets a morsel filters it and lists its rows by parts of the keys. Each part takes the
lists in the order of morsels, from one thread at a time: mostly from the thread of the same
number, in whose caches its windows are.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from adaptive.engine.downstream import Downstream
from adaptive.engine.keyed_work import KeyedWork
from adaptive.engine.morsel import Morsel, told
from adaptive.runtime.adaptation import Adaptation
from adaptive.runtime.keyed_split import Listed, RowSplitter
from adaptive.runtime.keyed_windows import first_layout
from ir import Watermark
from ir.pipelines import RowProgram

_MOST_WAITING = 4  # morsels a worker, that a part is behind: then the next ones have to wait


@dataclass(frozen=True)
class _Task:
    """What all parts have to do with a morsel."""

    morsel: Morsel
    rows: Listed | None  # None: time goes on


class _Turn:
    """Of a part: the next morsel, and who is at it."""

    def __init__(self) -> None:
        self.next = 0
        self.lock = threading.Lock()


class PartedWork(KeyedWork):
    """Threads that list the rows of morsels, and add those of a part of the keys each."""

    everyone = False

    def __init__(
        self,
        program: RowProgram,
        watermark: Watermark | None,
        above: Downstream,
        loop: Adaptation,
        *,
        number: int,
        parts: int,
    ) -> None:
        super().__init__(program, watermark, above, loop, number=number, parts=parts)
        slots = first_layout(program, listed=True)
        self._splitters = [RowSplitter(program, slots, parts, loop, w) for w in range(parts)]
        self._tasks: dict[int, _Task] = {}
        self._turns = [_Turn() for _ in range(parts)]

    def attend(self, worker: int, morsel: Morsel) -> None:
        """List the rows of a morsel, and add what is due."""
        rows, queued = None, morsel.queued
        if queued is not None:
            bound = queued.bounds[self._number]
            rows = self._splitters[worker].split(bound, morsel.first, morsel.last, queued.row_base)
        self._closed[morsel.index] = self._closed_to(morsel)
        self._tasks[morsel.index] = _Task(morsel, rows)
        self._add_due(worker)
        for part in self._deserted(worker, morsel.index):
            self._add_due(part)
        super().settle()

    def settle(self) -> None:
        """Do what has become due of any part: the worker has nothing else to do."""
        for part in range(self._parts):
            self._add_due(part)
        super().settle()

    def _deserted(self, worker: int, index: int) -> list[int]:
        """The other parts whose workers wait for rows, or that are far behind."""
        assert self.flow is not None
        with self.flow.idle() as idle:
            idle.discard(worker)
        found = []
        for part, turn in enumerate(self._turns):
            if index - turn.next > _MOST_WAITING * self._parts:
                with turn.lock:  # somebody is at it: the queue must not grow meanwhile
                    found.append(part)
            elif part in idle:
                found.append(part)
        return found

    def _add_due(self, part: int) -> None:
        """Add the lists of the next morsels to the windows of a part, unless somebody does."""
        turn = self._turns[part]
        while turn.next in self._tasks and turn.lock.acquire(blocking=False):
            try:
                while (task := self._tasks.get(turn.next)) is not None:
                    turn.next += 1
                    self._add(part, task)
            finally:
                turn.lock.release()

    def _add(self, part: int, task: _Task) -> None:
        windows, morsel = self._windows[part], task.morsel
        if task.rows is not None:
            try:
                windows.add_listed(task.rows)
            except BaseException as error:
                failed = told(error, morsel)
                if failed is error:
                    raise
                raise failed from None
        elif self._delay_us is not None and morsel.punctuation is not None:
            windows.advance(morsel.punctuation - self._delay_us)
        if self._hand_over(morsel.index, windows.take()):
            del self._tasks[morsel.index]
            if task.rows is not None:
                task.rows.lists.release()
