"""Aggregates that keep one string or binary of a group, in the arena."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.accumulators import LEAST, Accumulator, Store, StoredGroup
from codegen_llvm.builder import I32, I64, PTR, KernelContext, i64
from codegen_llvm.comparisons import compare
from codegen_llvm.values import Value, null_bit


class StringKeeper(Accumulator):
    """A string that another one replaces: in place if it fits, else elsewhere in the arena."""

    def room(self) -> ll.Value | None:
        """A new place for the row's string."""
        assert self.argument is not None
        return self.cx.b.zext(_capacity(self.cx, self.argument), I64)

    def room_to_merge(self, other: StoredGroup) -> ll.Value | None:
        """A new place for the other group's string."""
        return self.cx.b.zext(_capacity(self.cx, other.value(self.cx, self.field, self.type)), I64)

    def init(self, slot: ll.Value) -> None:
        """The empty string in no room; it does not count as a value."""
        empty = self.cx.constant_bytes(b"\0")
        self.cx.b.store(empty, self._address(slot, ".data"))
        for part in (".length", ".capacity"):
            self.cx.b.store(ll.Constant(I32, 0), self._address(slot, part))

    def put(self, slot: ll.Value, new: Value) -> None:
        """Keep this string from now on."""
        cx = self.cx
        capacity = cx.b.load(self._address(slot, ".capacity"), typ=I32)
        fits = cx.b.icmp_signed("<=", new.length, capacity)
        with cx.b.if_else(fits) as (in_place, elsewhere):
            with in_place:
                data = cx.b.load(self._address(slot, ".data"), typ=PTR)
                cx.copy_bytes(data, new.payload, cx.b.zext(new.length, I64))
                cx.b.store(new.length, self._address(slot, ".length"))
            with elsewhere:
                self.table.store_string(slot, self.field, new, _capacity(cx, new))


class StringExtreme(StringKeeper):
    """The least or greatest string; nothing can fail."""

    def prepare(self, slot: ll.Value) -> Store:
        """Replace the string by the row's if that is better."""
        assert self.argument is not None
        argument = self.argument
        return lambda: self._replace(slot, argument)

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """The better of both."""

        def store() -> None:
            tag = self.cx.b.load(other.slot, typ=I64)
            null = self.cx.b.icmp_signed("==", self.cx.b.and_(tag, i64(self.seen_bit)), i64(0))
            value = other.value(self.cx, self.field, self.type)
            self._replace(slot, Value(self.type, value.payload, null, value.length))

        return store

    def _replace(self, slot: ll.Value, new: Value) -> None:
        cx = self.cx
        tag = cx.b.load(slot, typ=I64)
        first = cx.b.icmp_signed("==", cx.b.and_(tag, i64(self.seen_bit)), i64(0))
        order = "lt" if self.aggregate.call.function in LEAST else "gt"
        better = compare(cx, order, new, self._old(slot))
        wanted = cx.b.and_(cx.b.or_(first, better), cx.b.not_(null_bit(new)))
        with cx.b.if_then(wanted, likely=False):
            self.put(slot, new)


def _capacity(cx: KernelContext, value: Value) -> ll.Value:
    """Room for the string and to grow in place: a string that keeps growing is rarely moved."""
    most = ll.Constant(I32, 65536)
    growth = cx.b.select(cx.b.icmp_signed("<", value.length, most), value.length, most)
    return cx.b.add(cx.b.add(value.length, growth), ll.Constant(I32, 16))
