"""Groups that several threads update together: one table for each slice, seen by all of them."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass, field

from adaptive.runtime.state import GroupState, Table, load_limit
from codegen_llvm import SlotLayout
from codegen_llvm.abi import TableBlock

_FIRST_GROUPS = 2048
_GROWTH = 8  # a full table is merged with the next one, so there should be few of them
_SPARE = 1.25  # a slice may have some more groups than the one before


@dataclass(frozen=True, slots=True)
class Place:
    """What rows share tables: those of a slice that came when windows were closed up to `after`.

    None stands for rows that came before a window of their slice was closed.
    """

    start: int
    after: int | None = None


@dataclass
class SharedPiece:
    """The tables of one place: mostly one, more where it became full; the last is the largest."""

    place: Place
    tables: list[Table] = field(default_factory=list)

    @property
    def groups(self) -> int:
        """How many groups there are; one may be in several tables."""
        return sum(table.groups for table in self.tables)

    @property
    def bytes(self) -> int:
        """The memory of slots and strings; all tables hold on to the same strings."""
        slots = sum(table.slot_bytes for table in self.tables)
        return slots + sum(arena.size for arena in self.tables[0].arenas)

    def release(self) -> None:
        """Give the memory back; no thread uses the tables any more."""
        for table in self.tables:
            table.release()


class SharedSlices:
    """The tables that threads fill together.

    A shared table never grows: moving its groups would need all threads to stop.
    When it is full, threads go on in a larger one for the same rows, each when it
    meets a new group, and both are merged in the end. Integer sums have 128 bits,
    so there is nothing to spill either.
    """

    def __init__(
        self, layout: SlotLayout, slice_us: int | None, first_groups: int = _FIRST_GROUPS
    ) -> None:
        if not layout.shared:
            raise ValueError("threads share tables of slot_layout(..., shared=True) only")
        self.layout = layout
        self._slice_us = slice_us  # None: there is one slice, which no boundary ends
        self._expected = first_groups
        self._pieces: dict[Place, SharedPiece] = {}
        self._lock = threading.Lock()
        # Full from the start: where no thread has met a group, there is no table yet.
        self.nothing = Table(layout, 64, 0)
        self.nothing.block.limit = 0

    @property
    def bytes(self) -> int:
        """The memory of all groups and their strings."""
        with self._lock:
            return sum(piece.bytes for piece in self._pieces.values())

    @property
    def expected(self) -> int:
        """How many groups new tables are made for."""
        return self._expected

    def state(self, first_slice: int, passed: int | None = None) -> SharedState:
        """One thread's way to the tables; `passed` is the last window's end that it has passed."""
        return SharedState(self, first_slice, passed)

    def expect(self, groups: int) -> None:
        """Make tables for so many groups, at least: those that a thread has without sharing."""
        with self._lock:
            self._expected = max(self._expected, groups)

    def table(self, start: int, passed: int | None, full: Table | None = None) -> Table:
        """The table for rows of a slice in a thread that has passed a window's end.

        `full` is one that had no room for a new group.
        """
        with self._lock:
            place = Place(start, passed if self._has_ended(start, passed) else None)
            piece = self._pieces.setdefault(place, SharedPiece(place))
            if not piece.tables or piece.tables[-1] is full:
                self._add_table(piece)
            return piece.tables[-1]

    def close(self, boundary: int) -> list[SharedPiece]:
        """What no thread adds to any more, once all have passed a window's end.

        The caller merges the tables, best in this order, and releases them.
        """
        with self._lock:
            return self._take([p for p in self._pieces if self._is_complete(p, boundary)])

    def close_all(self) -> list[SharedPiece]:
        """Everything, once no thread runs any more."""
        with self._lock:
            return self._take(list(self._pieces))

    def _take(self, places: list[Place]) -> list[SharedPiece]:
        taken = [self._pieces.pop(place) for place in places]
        filled = [piece for piece in taken if piece.groups]
        for piece in taken:
            piece.tables.reverse()  # the groups of the smaller ones are mostly in the largest
            if not piece.groups:
                piece.release()
        if filled:
            seen = max(table.groups for piece in filled for table in piece.tables)
            # A slice with few rows says little about the next.
            self._expected = max(int(_SPARE * seen), self._expected // 2, 1)
        return filled

    def _is_complete(self, place: Place, boundary: int) -> bool:
        before = place.after is None or place.after < boundary
        return before and self._has_ended(place.start, boundary)

    def _has_ended(self, start: int, boundary: int | None) -> bool:
        if self._slice_us is None or boundary is None:
            return False
        return start + self._slice_us <= boundary

    def _add_table(self, piece: SharedPiece) -> None:
        if piece.tables:
            self._expected = max(self._expected, _GROWTH * int(piece.tables[-1].block.limit))
        slots = 64
        while load_limit(slots) < self._expected:
            slots *= 2
        table = Table(self.layout, slots, piece.place.start)
        if piece.tables:
            table.arenas = piece.tables[0].arenas
        piece.tables.append(table)


class TableView(Table):
    """One thread's way into a shared table: the same slots, but room for strings of its own.

    So no thread waits for another to store a string. All memory belongs to the
    shared table, as the groups do.
    """

    def __init__(self, shared: SharedSlices, start: int, passed: int | None) -> None:
        self._shared, self._start, self._passed = shared, start, passed
        self.layout = shared.layout
        self.block = TableBlock()
        self._look_at(shared.nothing)
        self.block.slice_start = start

    @property
    def groups(self) -> int:
        """How many groups the shared table holds."""
        return self._whole.groups

    @property
    def bytes(self) -> int:
        """None of its own."""
        return 0

    def grow(self, code: object, at_least: int = 0) -> None:
        """Go on in a larger table that all threads share; the groups stay where they are."""
        self._look_at(self._shared.table(self._start, self._passed, full=self._whole))

    def add_arena(self, room: int) -> None:
        """More room for this thread's strings; the memory belongs to a table that has groups."""
        if self._whole is self._shared.nothing:
            self._look_at(self._shared.table(self._start, self._passed))
        super().add_arena(room)

    def release(self) -> None:
        """Nothing to give back."""

    def _look_at(self, whole: Table) -> None:
        room = int(self.block.arena_next), int(self.block.arena_end)
        self._whole, self.arenas = whole, whole.arenas
        self._memory, self.slot_count = whole._memory, whole.slot_count
        ctypes.memmove(self.address, whole.address, ctypes.sizeof(TableBlock))
        self.block.arena_next, self.block.arena_end = room


class SharedState(GroupState):
    """The state of one thread whose tables are shared with other threads'."""

    def __init__(self, shared: SharedSlices, first_slice: int, passed: int | None) -> None:
        self._shared = shared
        self.passed = passed  # the last window's end that the thread has passed
        super().__init__(shared.layout, first_slice)

    def _new_table(self, start: int, slots: int) -> Table:
        return TableView(self._shared, start, self.passed)
