"""The first aggregate of a query over slices of time, by several threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from adaptive.engine.choice import VariantChoice
from adaptive.engine.flow import Flow
from adaptive.engine.grid import LEAST, NEVER, WindowGrid, clamped
from adaptive.engine.morsel import Morsel, QueuedBatch
from adaptive.engine.passage import Handed, Passage
from adaptive.engine.slice_worker import SliceWorker
from codegen_llvm import SlotLayout
from ir.pipelines import RowProgram

MORSEL_ROWS = 262_144


class Windows(Protocol):
    """Who takes the slices that all threads have passed; called by one thread at a time."""

    def pass_to(self, boundary: int, handed: Sequence[Handed]) -> None:
        """Slices, and the windows that end by `boundary` are to be closed."""

    def finish(self, handed: Sequence[Handed]) -> None:
        """The last slices; all windows are to be closed."""


class SlicedWork:
    """Threads that add morsels to slices of their own, and pass the ends of windows.

    `delay_us` is from the greatest time to what is closed, lateness included.
    """

    def __init__(
        self,
        program: RowProgram,
        layout: SlotLayout,
        grid: WindowGrid | None,
        delay_us: int,
        windows: Windows,
        workers: int,
        choice: VariantChoice,
        morsel_rows: int | None = None,
    ) -> None:
        self._grid = None if program.watermark is None else grid
        self._delay_us, self._windows = delay_us, windows
        self._choice = choice
        self._morsel_rows = morsel_rows
        self._workers = [SliceWorker(program, layout) for _ in range(workers)]
        self._passage = Passage(workers, windows.pass_to)
        self._announced: int | None = None
        self.flow: Flow | None = None

    @property
    def late_rows(self) -> int:
        """How many rows came for closed windows only."""
        return sum(worker.late_rows for worker in self._workers)

    @property
    def bytes(self) -> int:
        """The memory of the slices that are being filled."""
        return sum(worker.bytes for worker in self._workers)

    def morsel_rows(self, queued: QueuedBatch) -> int:
        """Small enough for all threads to have work, large enough to be worth a call."""
        return self._morsel_rows or MORSEL_ROWS

    def attend(self, worker: int, morsel: Morsel) -> None:
        """Add the rows of a morsel, up to each row that closes windows in turn."""
        if self._grid is not None:
            self._pass(worker, self._boundary(morsel.before))
        if morsel.queued is not None:
            self._run(worker, morsel)
        if self._grid is not None:
            self._pass(worker, self._boundary(morsel.reached))
            self._announce(worker)
            self._passage.settle()

    def rest(self, worker: int) -> None:
        """Pass what the others have passed: the worker has no rows that came later."""
        if self._announced is not None:
            self._pass(worker, self._announced)

    def settle(self) -> None:
        """Close what all have passed."""
        self._passage.settle()

    def finish(self) -> None:
        """All morsels are done: what is left belongs to the windows still open."""
        handed = self._passage.drain()
        for number, worker in enumerate(self._workers):
            after = self._passage.passed(number)
            handed += [Handed(s, pieces, after) for s, pieces in worker.seal_all().items()]
        self._windows.finish(handed)

    def _run(self, number: int, morsel: Morsel) -> None:
        worker, queued = self._workers[number], morsel.queued
        assert queued is not None
        assert queued.bound is not None
        spec = self._choice.spec(queued.bound)
        worker.begin(queued.bound, morsel.first, morsel.last, queued.row_base)
        with self._choice.timed(morsel.rows):
            while True:
                reached = worker.run(spec, *self._limits(number, morsel))
                if reached is None:
                    return
                self._pass(number, self._boundary(reached))
                self._announce(number)

    def _limits(self, number: int, morsel: Morsel) -> tuple[int, int]:
        """The time at which windows close next, and the slices that are late by now."""
        if self._grid is None:
            return NEVER, LEAST
        passed = self._passage.passed(number)
        if passed is None:
            return LEAST + 2, LEAST  # the first row with a time says where windows begin
        end = self._grid.next_end(passed)
        close = end + self._delay_us
        if morsel.reached is None or morsel.reached < close:
            close = NEVER  # known already: kernels need not look
        return clamped(close), clamped(end - self._grid.size_us)

    def _boundary(self, reached: int | None) -> int | None:
        """The last end of a window that is closed once time has come so far."""
        assert self._grid is not None
        return None if reached is None else self._grid.last_end(reached - self._delay_us)

    def _pass(self, number: int, boundary: int | None) -> None:
        """Hand over what windows up to a boundary need, and go on with empty slices."""
        before = self._passage.passed(number)
        if boundary is None or (before is not None and boundary <= before):
            return
        sealed = self._workers[number].seal(boundary)
        handed = [Handed(start, pieces, before) for start, pieces in sealed.items()]
        self._passage.hand_over(number, boundary, handed)

    def _announce(self, number: int) -> None:
        """Let those pass who wait for work, and would not come here by themselves."""
        boundary = self._passage.passed(number)
        if boundary is None or (self._announced is not None and boundary <= self._announced):
            return
        assert self.flow is not None
        with self.flow.idle() as idle:
            if self._announced is None or boundary > self._announced:
                self._announced = boundary
            for other in idle:
                self._pass(other, boundary)
