"""The first or last value of a group in the order of arrival.

The number of the row that a value came with is kept beside it, so that pieces
can be merged in any order.
"""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.abi import KernelArgs
from codegen_llvm.accumulators import Accumulator, Store, StoredGroup
from codegen_llvm.builder import i64, llvm_type
from codegen_llvm.strings_kept import StringKeeper
from codegen_llvm.table import store_value
from codegen_llvm.values import Value, null_bit
from ir import BOOL, INT64


class _Kept(Accumulator):
    """What both kinds share: which of two rows counts."""

    @property
    def keeps_null(self) -> bool:
        """Whether the value that is kept may be null: by the layout, whatever this batch has."""
        return self.table.layout.has(f"{self.field}.null")

    def _init_row(self, slot: ll.Value) -> None:
        """A row that every other one replaces."""
        self.cx.b.store(i64(INT64.high if self._is_first else -1), self._address(slot, ".row"))
        if self.keeps_null:
            self._store_null(slot, ll.Constant(llvm_type(BOOL), 1))

    def _of_row(self, slot: ll.Value) -> tuple[ll.Value, ll.Value]:
        """The number of the current row, and whether its value is to be kept."""
        base = self.cx.load_field(self.cx.function.args[0], KernelArgs, "row_base")
        number = self.cx.b.add(base, self.cx.row)
        taken = self._taken(slot, number)
        if not self.aggregate.call.takes_nulls and self.argument is not None:
            taken = self.cx.b.and_(taken, self.cx.b.not_(null_bit(self.argument)))
        return number, taken

    def _of_other(self, slot: ll.Value, other: StoredGroup) -> tuple[Value, ll.Value, ll.Value]:
        """The other group's value, its row, and whether it is to be kept."""
        number = other.value(self.cx, f"{self.field}.row", INT64).payload
        value = other.value(self.cx, self.field, self.type)
        null = None
        if self.keeps_null:
            null = other.value(self.cx, f"{self.field}.null", BOOL).payload
        made = Value(value.type, value.payload, null, value.length)
        return made, number, self._taken(slot, number)

    def _taken(self, slot: ll.Value, number: ll.Value) -> ll.Value:
        old = self._old(slot, ".row", INT64).payload
        return self.cx.b.icmp_signed("<" if self._is_first else ">", number, old)

    @property
    def _is_first(self) -> bool:
        return self.aggregate.call.function == "first"

    def _store_null(self, slot: ll.Value, null: ll.Value) -> None:
        store_value(self.cx, self._address(slot, ".null"), Value(BOOL, null))


class Kept(_Kept):
    """A value of a fixed width."""

    def init(self, slot: ll.Value) -> None:
        """Null, of no row."""
        none = Value(self.type, ll.Constant(llvm_type(self.type), 0))
        store_value(self.cx, self._address(slot), none)
        self._init_row(slot)

    def prepare(self, slot: ll.Value) -> Store:
        """Keep the row's value if it is the first, or the last so far."""
        assert self.argument is not None
        return self._keeping(slot, self.argument, *self._of_row(slot))

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """Keep the value of the earlier, or later, row."""
        return self._keeping(slot, *self._of_other(slot, other))

    def _keeping(self, slot: ll.Value, new: Value, number: ll.Value, taken: ll.Value) -> Store:
        cx = self.cx
        payload = cx.b.select(taken, new.payload, self._old(slot).payload)
        row = cx.b.select(taken, number, self._old(slot, ".row", INT64).payload)
        null = None
        if self.keeps_null:
            null = cx.b.select(taken, null_bit(new), self._old(slot, ".null", BOOL).payload)

        def store() -> None:
            store_value(cx, self._address(slot), Value(self.type, payload))
            cx.b.store(row, self._address(slot, ".row"))
            if null is not None:
                self._store_null(slot, null)

        return store


class KeptString(_Kept, StringKeeper):
    """A string; nothing can fail."""

    def init(self, slot: ll.Value) -> None:
        """Null, of no row."""
        StringKeeper.init(self, slot)
        self._init_row(slot)

    def prepare(self, slot: ll.Value) -> Store:
        """Keep the row's string if it is the first, or the last so far."""
        assert self.argument is not None
        argument = self.argument
        return lambda: self._keep(slot, argument, *self._of_row(slot))

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """Keep the string of the earlier, or later, row."""
        return lambda: self._keep(slot, *self._of_other(slot, other))

    def _keep(self, slot: ll.Value, new: Value, number: ll.Value, taken: ll.Value) -> None:
        cx = self.cx
        with cx.b.if_then(taken):
            cx.b.store(number, self._address(slot, ".row"))
            if not self.keeps_null:
                self.put(slot, new)
                return
            self._store_null(slot, null_bit(new))
            with cx.b.if_then(cx.b.not_(null_bit(new))):
                self.put(slot, Value(self.type, new.payload, None, new.length))
