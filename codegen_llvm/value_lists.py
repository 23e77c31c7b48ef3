"""Aggregates that need all values of a group: they are kept, and looked at when it is exported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir as ll

from codegen_llvm.abi import TableBlock
from codegen_llvm.accumulators import Accumulator, Store, StoredGroup, in_turn
from codegen_llvm.builder import I64, PTR, i64
from codegen_llvm.chunks import (
    each_chunk,
    list_bytes,
    place_for_list,
    place_for_value,
    room_for_list,
    room_for_value,
)
from codegen_llvm.keys import normalize_key
from codegen_llvm.layout import element_bytes
from codegen_llvm.table import store_value
from ir import DataType


class ValueList(Accumulator):
    """Values of a fixed width; those that group together have the same bits."""

    @property
    def element(self) -> DataType:
        """The type of the values."""
        assert self.aggregate.call.argument is not None
        return self.aggregate.call.argument.type

    def room(self) -> ll.Value | None:
        """A chunk."""
        return room_for_value()

    def room_to_merge(self, other: StoredGroup) -> ll.Value | None:
        """A chunk for all values of the other group."""
        next_, end = (self._word(other, part) for part in (".next", ".end"))
        return room_for_list(self.cx, list_bytes(self.cx, next_, end))

    def init(self, slot: ll.Value) -> None:
        """No chunk."""
        for part in (".next", ".end"):
            self.cx.b.store(i64(0), self._address(slot, part))

    def prepare(self, slot: ll.Value) -> Store:
        """Add the row's value; nothing can fail."""

        def store() -> None:
            with self._if_present():
                width = element_bytes(self.element)
                place = place_for_value(self.table, self._list(slot), width)
                here = self.cx.b.load(place, typ=I64)
                self._put(self.cx.b.inttoptr(here, PTR))
                after = self.cx.b.add(here, i64(width))
                self.cx.b.store(after, self._address(slot, ".next"))

        return store

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """Copy the values of the other group behind those of this one."""
        cx = self.cx
        next_, end = (self._word(other, part) for part in (".next", ".end"))

        def store() -> None:
            place = place_for_list(self.table, self._list(slot), list_bytes(cx, next_, end))
            with each_chunk(cx, next_, end) as (chunk, length):
                here = cx.b.load(place, typ=I64)
                self._copy(cx.b.inttoptr(here, PTR), chunk, length)
                cx.b.store(cx.b.add(here, length), place)
            cx.b.store(cx.b.load(place, typ=I64), self._address(slot, ".next"))

        return store

    def _put(self, place: ll.Value) -> None:
        assert self.argument is not None
        store_value(self.cx, place, normalize_key(self.cx, self.argument))

    def _copy(self, target: ll.Value, chunk: ll.Value, length: ll.Value) -> None:
        self.cx.copy_bytes(target, chunk, length)

    def _list(self, slot: ll.Value) -> tuple[ll.Value, ll.Value]:
        return self._address(slot, ".next"), self._address(slot, ".end")

    def _word(self, group: StoredGroup, part: str) -> ll.Value:
        address = self.cx.at(group.slot, group.layout.offset(self.field + part))
        return self.cx.b.load(address, typ=I64)

    @contextmanager
    def _if_present(self) -> Iterator[None]:
        """Around code for a row that has a value."""
        assert self.argument is not None
        if self.argument.null is None:
            yield
        else:
            with self.cx.b.if_then(self.cx.b.not_(self.argument.null)):
                yield


class OthersList(Accumulator):
    """The list of another aggregate with the same argument: there is nothing to do."""

    def init(self, slot: ll.Value) -> None:
        """Nothing of its own."""

    def prepare(self, slot: ll.Value) -> Store:
        """The other one adds the row."""
        return in_turn()

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """The other one merges the values."""
        return in_turn()


class StringList(ValueList):
    """Strings and binaries: the list has their addresses and lengths, the arena their bytes."""

    def room(self) -> ll.Value | None:
        """A chunk, and the bytes of the row's string."""
        assert self.argument is not None
        return self.cx.b.add(room_for_value(), self.cx.b.zext(self.argument.length, I64))

    def room_to_merge(self, other: StoredGroup) -> ll.Value | None:
        """A chunk, and the bytes of all strings of the other group."""
        cx, total = self.cx, self.cx.variable(I64, i64(0))
        cx.count_up(total, super().room_to_merge(other))
        with each_chunk(cx, self._word(other, ".next"), self._word(other, ".end")) as (chunk, size):
            with cx.loop(i64(0), self._entries(size), "string") as index:
                cx.count_up(total, self._entry(chunk, index)[1])
        return cx.b.load(total, typ=I64)

    def _put(self, place: ll.Value) -> None:
        assert self.argument is not None
        self._put_string(place, self.argument.payload, self.cx.b.zext(self.argument.length, I64))

    def _copy(self, target: ll.Value, chunk: ll.Value, length: ll.Value) -> None:
        with self.cx.loop(i64(0), self._entries(length), "string") as index:
            place = self.cx.at(target, self.cx.b.shl(index, i64(4)))
            self._put_string(place, *self._entry(chunk, index))

    def _put_string(self, place: ll.Value, data: ll.Value, length: ll.Value) -> None:
        """Copy a string into room that was reserved, and enter it into the list."""
        cx = self.cx
        block = cx.b.load(self.table.registers.block, typ=PTR)
        kept = cx.load_field(block, TableBlock, "arena_next", PTR)
        cx.copy_bytes(kept, data, length)
        cx.store_field(cx.at(kept, length), block, TableBlock, "arena_next")
        cx.b.store(kept, place)
        cx.b.store(length, cx.at(place, 8))

    def _entry(self, chunk: ll.Value, index: ll.Value) -> tuple[ll.Value, ll.Value]:
        entry = self.cx.at(chunk, self.cx.b.shl(index, i64(4)))
        data = self.cx.b.load(entry, typ=PTR)
        return data, self.cx.b.load(self.cx.at(entry, 8), typ=I64)

    def _entries(self, size: ll.Value) -> ll.Value:
        return self.cx.b.lshr(size, i64(4))
