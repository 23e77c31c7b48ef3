"""Aggregates over slices of time, by several threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from adaptive.engine.flow import Flow
from adaptive.engine.grid import LEAST, NEVER, WindowGrid, clamped
from adaptive.engine.morsel import Morsel
from adaptive.engine.passage import Handed, passage
from adaptive.engine.sharing import SharedProgram
from adaptive.engine.slice_worker import own_worker, shared_worker
from adaptive.engine.sliding import release_all
from adaptive.engine.stages import slice_layout
from adaptive.runtime.adaptation import Adaptation
from adaptive.runtime.combine import combine
from adaptive.runtime.shared_state import SharedPiece, SharedSlices
from adaptive.runtime.state import Table

Strategy = Literal["auto", "independent", "shared"]


class Windows(Protocol):
    """Who takes the slices that all threads have passed; called by one thread at a time."""

    def pass_to(self, boundary: int, handed: Sequence[Handed]) -> None:
        """Slices, and the windows that end by `boundary` are to be closed."""

    def finish(self, handed: Sequence[Handed]) -> None:
        """The last slices; all windows are to be closed."""


class _Limits(NamedTuple):
    """What a worker that has passed a window's end runs up to, and what is late for it."""

    passed: int | None
    close: int
    late_before: int


_NO_LIMITS = _Limits(None, NEVER, LEAST)


class SlicedWork:
    """Threads that add morsels to slices, and pass the ends of windows.

    `delay_us` is from the greatest time to what is closed, lateness included.
    `number` tells which of a batch's bindings is that of this program.
    """

    everyone = False

    def __init__(
        self,
        shared: SharedProgram,
        windows: Windows,
        nodes: Sequence[Sequence[int]],
        loop: Adaptation,
        *,
        delay_us: int,
        strategy: Strategy,
        number: int = 0,
    ) -> None:
        program, workers = shared.program, sum(map(len, nodes))
        self._program = program
        self.input = program.input
        self._boundaries = None if program.watermark is None else shared.boundaries
        self._delay_us, self._windows = delay_us, windows
        self.loop, self._number = loop, number
        self._slices: SharedSlices | None = None
        if strategy == "shared":
            self._slices = slices = _shared_slices(shared)
            self._workers = [shared_worker(program, slices) for _ in range(workers)]
        else:
            if strategy == "auto" and workers > 1:
                self._slices = _shared_slices(shared)
            layout = slice_layout(program, *_grids(shared))
            self._workers = [own_worker(program, layout, self._slices) for _ in range(workers)]
        self._passage = passage(nodes, self._merged, self._close)
        self._is_sole = workers == 1
        # A thread that is alone finds out in its kernels how far time has come: to look
        # for it in advance took a quarter of the time of YSB's kernel.
        self.needs_time = self._boundaries is not None and not self._is_sole
        self._announced: int | None = None
        self._known_limits = [_NO_LIMITS] * workers  # of the ends that workers passed last
        self.flow: Flow | None = None

    @property
    def late_rows(self) -> int:
        """How many rows came for closed windows only."""
        return sum(worker.late_rows for worker in self._workers)

    @property
    def bytes(self) -> int:
        """The memory of the slices that are being filled."""
        shared = 0 if self._slices is None else self._slices.bytes
        return shared + sum(worker.bytes for worker in self._workers)

    def attend(self, worker: int, morsel: Morsel) -> None:
        """Add the rows of a morsel, up to each row that closes windows in turn."""
        if self._boundaries is None:
            if morsel.queued is not None:
                self._run(worker, morsel)
            return
        if self.needs_time:
            self._pass(worker, self._boundary(morsel.before))
        if morsel.queued is not None:
            self._run(worker, morsel)
        reached = morsel.reached if self.needs_time else morsel.punctuation
        self._pass(worker, self._boundary(reached))
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
        if self._slices is not None:
            handed += _handed(self._slices.close_all())
        self._windows.finish(handed)

    def release(self) -> None:
        """Give the memory of what was not closed back."""
        for worker in self._workers:
            for pieces in worker.seal_all().values():
                release_all(pieces)
        for piece in () if self._slices is None else self._slices.close_all():
            piece.release()

    def _run(self, number: int, morsel: Morsel) -> None:
        worker, queued = self._workers[number], morsel.queued
        assert queued is not None
        bound = queued.bounds[self._number]
        spec = self.loop.begin(worker.kernels, bound, morsel.first, morsel.last)
        worker.begin(queued.row_base, morsel.span)
        while True:
            reached = worker.run(spec, *self._limits(number, morsel))
            if reached is None:
                break
            self._pass(number, self._boundary(reached))
            self._announce(number)
            self._passage.settle()
        self.loop.end(number, worker.kernels, spec)

    def _limits(self, number: int, morsel: Morsel) -> tuple[int, int]:
        """The time at which windows close next, and the slices that are late by now."""
        if self._boundaries is None:
            return NEVER, LEAST
        passed = self._passage.passed(number)
        if passed is None:
            return LEAST + 2, LEAST  # the first row with a time says where windows begin
        known = self._known_limits[number]
        if known.passed != passed:
            known = self._known_limits[number] = self._limits_behind(passed)
        if self.needs_time and (morsel.reached is None or morsel.reached < known.close):
            return NEVER, known.late_before  # known already: kernels need not look
        return known.close, known.late_before

    def _limits_behind(self, passed: int) -> _Limits:
        assert self._boundaries is not None
        close = clamped(self._boundaries.next_end(passed) + self._delay_us)
        return _Limits(passed, close, clamped(self._boundaries.first_open_slice(passed)))

    def _boundary(self, reached: int | None) -> int | None:
        """The last end of a window that is closed once time has come so far."""
        assert self._boundaries is not None
        return None if reached is None else self._boundaries.last_end(reached - self._delay_us)

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
        if self._is_sole:
            return
        boundary = self._passage.passed(number)
        if boundary is None or (self._announced is not None and boundary <= self._announced):
            return
        assert self.flow is not None
        with self.flow.idle() as idle:
            if self._announced is None or boundary > self._announced:
                self._announced = boundary
            for other in idle:
                self._pass(other, boundary)

    def _merged(self, handed: list[Handed]) -> list[Handed]:
        """The pieces of threads on one node, one for each slice."""
        together: dict[tuple[int, int | None], list[Table]] = {}
        for one in handed:
            together.setdefault((one.start, one.after), []).extend(one.pieces)
        made = []
        for (start, after), pieces in together.items():
            if len(pieces) > 1:
                combined = combine(self._program, pieces).table
                release_all(pieces)
                pieces = [combined]
            made.append(Handed(start, pieces, after))
        return made

    def _close(self, boundary: int, handed: list[Handed]) -> None:
        if self._slices is not None:
            handed = handed + _handed(self._slices.close(boundary))
        self._windows.pass_to(boundary, handed)


def _shared_slices(shared: SharedProgram) -> SharedSlices:
    program = shared.program
    layout = slice_layout(program, *_grids(shared), shared=True)
    return SharedSlices(layout, None if program.slices is None else program.slices.size_us)


def _grids(shared: SharedProgram) -> list[WindowGrid | None]:
    return [share.grid for share in shared.shares]


def _handed(pieces: list[SharedPiece]) -> list[Handed]:
    return [Handed(p.place.start, p.tables, p.place.after) for p in pieces]
