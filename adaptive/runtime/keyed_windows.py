"""Session and count windows over Arrow batches, compiled: rows in, results that are final out."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from adaptive.loop.history import History
from adaptive.runtime.adaptation import Adaptation, adaptation
from adaptive.runtime.binder import Binder
from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.export import Bounds, export_slots
from adaptive.runtime.keyed_kernels import KeyedKernels
from adaptive.runtime.keyed_split import Listed
from adaptive.runtime.keyed_state import KeyedState
from adaptive.runtime.keyed_widening import row_numbers, widened
from adaptive.runtime.state import Table
from codegen_llvm import (
    CompiledMove,
    CompiledVariant,
    SlotLayout,
    compile_move,
    keyed_layout,
    narrow_layout,
)
from codegen_llvm.abi import Exit, KernelArgs
from codegen_llvm.keyed_slots import NARROW_MOST
from ir import GENERIC, INT64, CountWindow, EvaluationError, SessionWindow, VariantSpec
from ir.pipelines import RowProgram
from policies import Fixed

# As many strings as this are not worth moving what is left of them.
_FEW_STRING_BYTES = 1024 * 1024
_MANY_ROWS = 16
_FEW_KEYS = 16 * 1024  # the same of keys

_COMPILING = threading.Lock()


@lru_cache(maxsize=64)
def _compiled_move(program: RowProgram, slots: SlotLayout) -> CompiledMove:
    return compile_move(program, slots)


class KeyedWindows:
    """The session or count windows of a program, which one thread at a time adds rows to.

    With `part`, they are those of a part of the keys: rows are listed first, and of the lists,
    the one with that number is added. All rows move the watermark.
    """

    def __init__(
        self,
        program: RowProgram,
        *,
        delay_us: int | None,
        lateness_us: int,
        part: int | None = None,
        loop: Adaptation | None = None,
    ) -> None:
        self.program = program
        self._lateness_us = lateness_us
        self._loop = loop or adaptation(program, Fixed())
        self._part = part
        self._bind = Binder(program.input)
        self._final: list[pa.RecordBatch] = []
        self._old_tables: list[Table] = []  # results have their strings there
        self._moved_bytes = 0  # of the state, when it was last moved
        state = KeyedState(first_layout(program, listed=part is not None))
        state.block.lag = (delay_us or 0) + lateness_us
        self._kernels = KeyedKernels(program, state)
        self._args = self._kernels.driver.args
        self._next_row = 0
        self._countable = NARROW_MOST  # rows that small slots can count, at least

    @property
    def _state(self) -> KeyedState:
        return self._kernels.state

    @property
    def history(self) -> History:
        """The variants that ran, and why."""
        return self._loop.history

    @property
    def late_rows(self) -> int:
        """How many rows came when no open session could hold them."""
        return int(self._args.rows_late)

    @property
    def state_bytes(self) -> int:
        """The memory of windows and of results that were not taken yet."""
        return self._state.bytes + sum(table.bytes for table in self._old_tables)

    @property
    def groups(self) -> int:
        """How many sessions are open, or how many keys have count windows."""
        if isinstance(self.program.window, CountWindow):
            return self._state.table.groups
        return int(self._state.block.open)

    def consume(self, batch: pa.RecordBatch, row_base: int | None = None) -> None:
        """Add rows in the order of arrival; `row_base` is the number of the first one.

        After an error, how many of the rows count is undefined.
        """
        base = self._next_row if row_base is None else row_base
        self._next_row = base + batch.num_rows
        if batch.num_rows:
            self.add(self._bind(batch), 0, batch.num_rows, base)

    def add(self, bound: BoundBatch, first: int, last: int, row_base: int) -> None:
        """Add rows of a batch whose first one has this number in the order of arrival."""
        self._widen_in_time(last - first)
        spec = self._loop.begin(self._kernels, bound, first, last)
        self._run(spec, row_base)
        self._loop.end(0, self._kernels, spec)

    def add_listed(self, rows: Listed) -> None:
        """Add the rows of this part, with the variant that has listed them if it is there.

        It is not where windows had to go on in other slots.
        """
        assert self._part is not None
        self._widen_in_time(rows.last - rows.first)
        spec = rows.spec if self._kernels.is_ready(rows.spec, rows.bound.layout) else GENERIC
        self._kernels.begin(rows.bound, rows.first, rows.last)
        self._kernels.list_rows(*rows.lists.of(self._part))
        self._run(spec, rows.row_base)

    def _run(self, spec: VariantSpec, row_base: int) -> None:
        self._args.row_base = row_base
        while (code := self._kernels.run(spec)) != Exit.DONE:
            self._serve(code)
        self._sweep()

    def advance(self, watermark_us: int) -> None:
        """Time goes on: sessions that end at the watermark, less the lateness, are final."""
        closed_to = max(watermark_us - self._lateness_us, INT64.low)
        self._state.block.closed_to = max(int(self._state.block.closed_to), closed_to)
        self._sweep()

    def finish(self) -> None:
        """The stream ends: everything that is open is final."""
        if isinstance(self.program.window, SessionWindow):
            self._state.block.closed_to = INT64.high
            self._sweep()
        else:
            self._close()

    def take(self) -> list[pa.RecordBatch]:
        """The results that became final since the last time."""
        self._export()
        self._give_old_tables()
        taken, self._final = self._final, []
        return taken

    def release(self) -> None:
        """Give the memory back; the windows are not used any more."""
        self._give_old_tables()
        self._state.release()

    def _export(self) -> None:
        slots = self._state.results
        if len(slots):
            ordered, bounds = self._bounds(slots)
            self._final += export_slots(self.program, self._state.layout, ordered, bounds)
        self._state.forget_results()

    def _bounds(self, slots: NDArray[np.void]) -> tuple[NDArray[np.void], Bounds]:
        """The results in order, and the bounds of their windows."""
        if isinstance(self.program.window, CountWindow):
            size = self.program.window.size
            if self._state.layout.wide:
                starts = slots["start"].copy()
            else:
                starts = (row_numbers(slots) - 1) // size * size
            return slots, (starts, starts + size)
        ordered = slots[_by_end(slots["start"], slots["end"])]
        return ordered, (ordered["start"].copy(), ordered["end"].copy())

    def _serve(self, code: Exit) -> None:
        """Do what a kernel left for; it goes on at the row where it left."""
        room = int(self._args.detail)
        match code:
            case Exit.GROW_TABLE:
                self._make_room()
            case Exit.GROW_ARENA:
                if not self._move_if_worth_it(room):
                    self._state.table.add_arena(room)
            case Exit.SPILL:
                self._widen()
            case _:
                raise RuntimeError(f"a kernel left with {code!r}, which nobody serves")

    def _make_room(self) -> None:
        """Leave keys without sessions behind if they are many, else grow the table.

        Only then: keys mostly come back, and find their slot again.
        """
        keys = self._state.table.groups
        if isinstance(self.program.window, SessionWindow) and keys > _FEW_KEYS:
            self._hand_out_closed()
            if 2 * int(self._state.table.block.live) < keys:
                self._move(keys)
                return
        self._state.table.grow(self._variant)

    def _sweep(self) -> None:
        """Make results of the sessions that are closed, if there may be any."""
        block = self._state.block
        if isinstance(self.program.window, SessionWindow) and block.earliest <= block.closed_to:
            self._hand_out_closed()

    def _hand_out_closed(self) -> None:
        """Make results of the sessions that are closed, and count the keys that have others."""
        self._state.block.earliest, self._state.table.block.live = INT64.high, 0
        self._close()

    def _close(self) -> None:
        """Go over all keys for what is final now; without a kernel, there has been no row."""
        if not self._kernels.has_begun:
            return
        variant, args = self._variant, KernelArgs()
        assert variant.close is not None
        args.row_end = self._state.table.slot_count
        args.state = self._state.address
        while (code := Exit(variant.close(ctypes.addressof(args)))) != Exit.DONE:
            match code:
                case Exit.GROW_ARENA:  # not to be moved amid: slots would have other numbers
                    self._state.table.add_arena(int(args.detail))
                case Exit.OUTPUT_FULL:
                    self._state.grow_results(int(args.detail))
                case Exit.ERROR:
                    raise EvaluationError(*variant.errors[int(args.detail)])
                case _:
                    raise RuntimeError(f"windows were left with {code!r}, which nobody serves")
            args.row_begin = args.rows_done

    @property
    def _variant(self) -> CompiledVariant:
        return self._kernels.any_variant

    def _widen_in_time(self, rows: int) -> None:
        """Leave small slots before a key may have more rows than these can count."""
        if self._state.layout.wide:
            return
        self._countable -= rows
        if self._countable < 0:
            greatest = int(row_numbers(self._state.table.slots).max())
            self._countable = NARROW_MOST - greatest - rows
            if self._countable < NARROW_MOST // 2:
                self._widen()

    def _widen(self) -> None:
        """Go on with slots in which every sum and every number fits."""
        assert isinstance(self.program.window, CountWindow)
        self._export()
        narrow, layout = self._state, keyed_layout(self.program)
        layout = replace(layout, listed=narrow.layout.listed)
        self._kernels.change_layout(widened(narrow, layout, self.program))
        narrow.release()

    def _move_if_worth_it(self, room: int) -> bool:
        """Leave strings behind that no window has any more, if they may be many.

        Many rows of `room` bytes at least must have come since the last time.
        """
        worth = max(_FEW_STRING_BYTES, 2 * self._moved_bytes, _MANY_ROWS * room)
        if self._state.string_bytes < worth:
            return False
        self._move(self._state.table.groups)
        return True

    def _move(self, keys: int) -> None:
        """Go on with fresh memory that has only what is still needed."""
        old, args = self._state, KernelArgs()
        new = old.moved_to(keys)
        with _COMPILING:
            code = _compiled_move(self.program, old.layout)
        args.state, args.row_end = new.address, old.table.slot_count
        while (left := Exit(code.move(ctypes.addressof(args), old.address))) != Exit.DONE:
            if left != Exit.GROW_ARENA:
                raise code.error(int(args.detail))
            new.table.add_arena(int(args.detail))
            args.row_begin = args.rows_done
        self._old_tables.append(old.table)
        self._kernels.state = new
        self._moved_bytes = new.string_bytes

    def _give_old_tables(self) -> None:
        for table in self._old_tables:
            table.release()
        self._old_tables = []


def first_layout(program: RowProgram, *, listed: bool) -> SlotLayout:
    """The slots of a program's windows at first: small ones, if the program allows them."""
    return replace(narrow_layout(program) or keyed_layout(program), listed=listed)


def _by_end(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order of sessions by end, then start.

    Where both fit one word, as nearly always, numpy sorts that several times as fast.
    """
    first_start, first_end = int(starts.min()), int(ends.min())
    span = int(starts.max()) - first_start + 1
    if span * (int(ends.max()) - first_end + 1) < 2**63:
        return np.argsort((ends - first_end) * span + (starts - first_start))
    return np.lexsort((starts, ends))
