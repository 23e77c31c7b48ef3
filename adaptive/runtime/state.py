"""The groups of one pipeline in one thread: memory that the host owns and kernels fill."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from adaptive.runtime.by_identity import by_identity
from adaptive.runtime.memory import ARENA_MEMORY, SLOT_MEMORY, Piece
from codegen_llvm import SlotLayout, fill_pattern
from codegen_llvm.abi import DirectoryEntry, StateBlock, TableBlock, hash_word
from codegen_llvm.layout import DirectKey

_FIRST_SLOTS = 64
_PATTERN_SLOTS = 64  # that are written at once
_SMALL_SLOTS = 8192  # those of a new slice are as many as the last one needed
_FIRST_ARENA_BYTES = 64 * 1024
_MOST_ARENA_BYTES = 16 * 1024 * 1024
_FIRST_DIRECTORY = 16


@by_identity
def slot_dtype(layout: SlotLayout) -> np.dtype[np.void]:
    """How numpy reads a slot."""
    return np.dtype(
        {
            "names": [f.name for f in layout.fields],
            "formats": [f.numpy for f in layout.fields],
            "offsets": [f.offset for f in layout.fields],
            "itemsize": layout.size,
        }
    )


def load_limit(slots: int) -> int:
    """How many groups a table takes before it grows: half of its slots.

    On YSB with 10,000 keys drawn from all of int64, a table that may be 5/8 full
    ran at 255 M rows/s, one that may be half full at 402: nearly all rows then
    find their group at its home. Consecutive keys hardly collide at either.
    """
    return slots // 2


def table_bytes(layout: SlotLayout, groups: int) -> int:
    """The memory of a table that takes so many groups before it grows."""
    return _size_for(groups) * layout.size


def _size_for(groups: int) -> int:
    """The slots of a table that takes so many groups before it grows."""
    size = _FIRST_SLOTS
    while load_limit(size) < groups:
        size *= 2
    return size


class UnusedSlots:
    """What slots that nobody uses look like: zero, with the key that tells them (`DirectKey`)."""

    def __init__(self, layout: SlotLayout, direct: DirectKey) -> None:
        self._slots = np.zeros(_PATTERN_SLOTS, slot_dtype(layout))
        self._slots["key0"] = direct.unused
        self._pattern, self._bytes = int(self._slots.ctypes.data), self._slots.nbytes
        bits = self._slots["key0"].itemsize * 8
        self._hash = hash_word(direct.unused & ((1 << bits) - 1))
        self._key = ctypes.c_int64 if bits == 64 else ctypes.c_int32
        self._size, self._offset = layout.size, layout.offset("key0")
        self._at_home = direct.unused_at_home

    def fill(self, address: int, slots: int) -> None:
        """Make all slots of a table unused; that at the unused key's home tells by another one."""
        fill_pattern(address, slots * self._size, self._pattern, self._bytes)
        home = self._hash >> home_shift(slots)
        self._key.from_address(address + home * self._size + self._offset).value = self._at_home


@by_identity
def unused_slots(layout: SlotLayout) -> UnusedSlots | None:
    """How unused slots are marked; None where they are zero."""
    return None if layout.direct is None else UnusedSlots(layout, layout.direct)


def home_shift(slots: int) -> int:
    """What leaves a slot number of a hash: its high bits."""
    return 64 - (slots.bit_length() - 1)


class Rehashing(Protocol):
    """Compiled code that can move the groups of a table into a larger one."""

    @property
    def rehash(self) -> Callable[[int, int, int], int] | None:
        """Takes the old slots, their number, and the new table."""


class Table:
    """One hash table, for one slice or for all of them."""

    def __init__(self, layout: SlotLayout, slots: int, slice_start: int) -> None:
        self.layout = layout
        self.block = TableBlock()
        self.block.slice_start = slice_start
        self.block.complete = 1
        self._owners = 1
        self.block.whole = self.address
        self.arenas: list[Piece] = []
        self._resize(slots)

    @property
    def slots(self) -> NDArray[np.void]:
        """Its memory, as numpy reads it."""
        return self._memory.bytes.view(slot_dtype(self.layout))

    @property
    def address(self) -> int:
        """Where kernels find it."""
        return ctypes.addressof(self.block)

    @property
    def groups(self) -> int:
        """How many groups it holds."""
        return int(self.block.count)

    @property
    def live(self) -> int:
        """How many groups have rows: of a window table, some may have none left."""
        return int(self.block.live) if self.layout.wide else self.groups

    @property
    def slot_bytes(self) -> int:
        """The memory of its slots."""
        return self._memory.size

    @property
    def bytes(self) -> int:
        """The memory of its slots and strings."""
        return self._memory.size + sum(arena.size for arena in self.arenas)

    def grow(self, code: Rehashing, at_least: int = 0) -> None:
        """More slots, for `at_least` as many groups, and move the groups over.

        A small table grows by more than a large one: each time costs the way out
        of the kernel and back.
        """
        old, memory = self.slot_count, self._memory
        size = old * (8 if old < _SMALL_SLOTS else 2)
        while load_limit(size) < at_least:
            size *= 2
        self._resize(size)
        assert code.rehash is not None
        code.rehash(memory.address, old, self.address)
        SLOT_MEMORY.give(memory)

    def add_arena(self, room: int) -> None:
        """Give kernels a new piece of memory for strings; the old ones stay where they are."""
        grown = _FIRST_ARENA_BYTES << min(len(self.arenas), 16)
        # A power of two, so that the next table finds memory of the same size.
        size = 1 << (max(room, min(grown, _MOST_ARENA_BYTES)) - 1).bit_length()
        arena = ARENA_MEMORY.take(size)
        self.arenas.append(arena)
        self.block.arena_next = arena.address
        self.block.arena_end = arena.address + size

    def adopt_strings(self, other: Table) -> None:
        """Take over the memory of another table's strings: its groups were moved here."""
        self.arenas += other.arenas
        other.arenas = []

    @property
    def is_sole(self) -> bool:
        """Whether it has one owner, who may change it."""
        return self._owners == 1

    def share(self, owners: int) -> None:
        """So many have to release it before its memory is given back; one thread at a time."""
        self._owners = owners

    def release(self) -> None:
        """Give the memory back; the table is not used any more."""
        self._owners -= 1
        if not self._owners:
            SLOT_MEMORY.give(self._memory)
            while self.arenas:  # emptied, because tables of one shared piece have one list
                ARENA_MEMORY.give(self.arenas.pop())

    def _resize(self, slots: int) -> None:
        unused = unused_slots(self.layout)
        size = slots * self.layout.size
        self._memory = memory = SLOT_MEMORY.take(size, as_it_is=unused is not None)
        if unused is not None:
            unused.fill(memory.address, slots)
        self.slot_count = slots
        block = self.block
        block.slots = memory.address
        block.mask = slots - 1
        block.shift = home_shift(slots)
        block.limit = load_limit(slots)


@dataclass
class GroupState:
    """All groups: a table for each slice, found through a directory."""

    layout: SlotLayout
    first_slice: int  # any legal slice start: a state always has a current table
    block: StateBlock = field(default_factory=StateBlock)

    def __post_init__(self) -> None:
        self.tables: dict[int, Table] = {}
        self._by_address: dict[int, Table] = {}
        self._make_directory(_FIRST_DIRECTORY)
        self.add_slice(self.first_slice)

    @property
    def address(self) -> int:
        """Where kernels find it."""
        return ctypes.addressof(self.block)

    @property
    def groups(self) -> int:
        """How many groups there are in all slices."""
        return sum(table.groups for table in self.tables.values())

    @property
    def bytes(self) -> int:
        """The memory of tables and strings."""
        return sum(table.bytes for table in self.tables.values())

    @property
    def current(self) -> Table:
        """The table that kernels use until a row of another slice comes."""
        return self._by_address[int(self.block.current)]

    def add_slice(self, start: int) -> None:
        """Make a table for a slice, as large as the last slice turned out to need."""
        table = self._add_table(start, _size_for(self.current.groups if self.tables else 0))
        if 2 * len(self.tables) > len(self._directory):
            self._make_directory(2 * len(self._directory))
        else:
            self._enter(table)

    def detach(self, starts: Iterable[int], current: int) -> dict[int, Table]:
        """Hand out the tables of some slices; the slice `current` is then the current one."""
        taken = {start: self.tables.pop(start) for start in starts}
        for table in taken.values():
            del self._by_address[table.address]
        if int(self.block.current) not in self._by_address:
            if current in self.tables:
                self.block.current = self.tables[current].address
            else:
                self._add_table(current, _size_for(max(t.groups for t in taken.values())))
        self._enter_all()
        return taken

    def replace_current(self) -> Table:
        """Put an empty table in the current one's place, and hand that out."""
        old = self.current
        table = self._new_table(int(old.block.slice_start), old.slot_count)
        del self._by_address[old.address]
        self.tables[int(old.block.slice_start)] = self._by_address[table.address] = table
        self.block.current = table.address
        self._enter_all()
        return old

    def release(self) -> None:
        """Give the memory of the tables back; the state is not used any more."""
        for table in self.tables.values():
            table.release()

    def _new_table(self, start: int, slots: int) -> Table:
        return Table(self.layout, slots, start)

    def _add_table(self, start: int, slots: int) -> Table:
        """An empty table for a slice, which becomes the current one; not in the directory yet."""
        table = self._new_table(start, slots)
        self.tables[start] = self._by_address[table.address] = table
        self.block.current = table.address
        return table

    def _make_directory(self, size: int) -> None:
        self._directory = (DirectoryEntry * size)()
        self.block.directory = ctypes.addressof(self._directory)
        self.block.directory_mask = size - 1
        self.block.directory_shift = home_shift(size)
        self._enter_all()

    def _enter_all(self) -> None:
        """Fill the directory anew."""
        ctypes.memset(int(self.block.directory), 0, ctypes.sizeof(self._directory))
        for table in self.tables.values():
            self._enter(table)

    def _enter(self, table: Table) -> None:
        """Put a table where the generated code will look for it."""
        start = int(table.block.slice_start)
        index = hash_word(start) >> int(self.block.directory_shift)
        while self._directory[index].table:
            index = (index + 1) & int(self.block.directory_mask)
        self._directory[index].slice_start = start
        self._directory[index].table = table.address
