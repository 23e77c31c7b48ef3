"""Count windows that do not overlap, in small slots: the fast way, until a number outgrows it.

The tag of a slot counts the rows of its key, in its upper bits. Its bits that say whether an
aggregate has a value are not taken back when a window is full: without nulls, the next row
would set them again; with nulls, the first row of a window takes them back. So they hold
wherever a window has rows.
"""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.abi import TableBlock
from codegen_llvm.accumulators import Accumulator
from codegen_llvm.builder import I32, I64, PTR, KernelContext, i64, new_function
from codegen_llvm.count_windows import count_window
from codegen_llvm.keyed_rows import KeyedRows
from codegen_llvm.keyed_slots import NUMBER_SHIFT, WindowSlots
from codegen_llvm.keys import Key
from codegen_llvm.layout import SlotLayout
from codegen_llvm.values import any_null
from ir.pipelines import RowProgram


class NarrowCounts(KeyedRows):
    """Adds rows to windows; a sum that does not fit leaves the kernel."""

    def find(self, keys: list[Key]) -> ll.Value:
        """The slot of the row's key, with the bits that every row sets."""
        accumulators = self.windows.accumulators
        self.table.incomplete = self._incomplete(keys, accumulators)
        always = self._always_seen(accumulators)
        return self.table.find_or_insert(keys, self._clear, always, direct=self.direct)

    def add_to(self, slot: ll.Value) -> None:
        """Add the row; with its last row, a window is a result."""
        cx, windows, size = self.cx, self.windows, count_window(self.program).size
        stores = [one.prepare(slot) for one in windows.accumulators]
        for store in stores:
            store()
        before = cx.b.load(slot, typ=I64)
        tag = cx.b.add(self._marked(before, size), i64(1 << NUMBER_SHIFT))
        cx.b.store(tag, slot)
        full = cx.b.icmp_signed("==", _rows_in_window(cx, tag, size), i64(0))
        with cx.b.if_then(full, likely=False):
            windows.emit(slot)
            self._clear(slot)

    def _clear(self, slot: ll.Value) -> None:
        for one in self.windows.accumulators:
            one.init(slot)

    def _marked(self, tag: ll.Value, size: int) -> ll.Value:
        """The tag that says which aggregates have a value now; a window's first row begins anew."""
        cx, skipping = self.cx, self._skipping()
        if not skipping:
            return tag
        bits: ll.Value = i64(0)
        for one in skipping:
            bits = cx.b.or_(bits, one.seen())
        kept = cx.b.and_(tag, i64(~sum(one.seen_bit for one in skipping)))
        is_first = cx.b.icmp_signed("==", _rows_in_window(cx, tag, size), i64(0))
        null = any_null(cx, *(one.argument for one in skipping if one.argument is not None))
        with cx.b.if_then(cx.b.and_(is_first, null), likely=False):
            table = cx.b.load(self.registers.block, typ=PTR)
            cx.store_field(i64(0), table, TableBlock, "complete")
        return cx.b.or_(cx.b.select(is_first, kept, tag), bits)

    def _skipping(self) -> list[Accumulator]:
        """The aggregates that may have no value in a row."""
        return [
            one
            for one in self.windows.accumulators
            if self.slots.tracks_seen(one.position) and one.skips_rows
        ]


def build_narrow_finish(
    module: ll.Module, program: RowProgram, layout: SlotLayout, name: str
) -> None:
    """The function `finish(args) -> exit code`: makes results of all windows that have rows."""
    cx = new_function(module, name, I32, (PTR,))
    windows, size = WindowSlots.of_function(cx, program, layout), count_window(program).size
    with windows.each_key() as slot:
        tag = cx.b.load(slot, typ=I64)
        rows = _rows_in_window(cx, tag, size)
        with cx.b.if_then(cx.b.icmp_signed("!=", rows, i64(0))):
            windows.require_output()
            windows.emit(slot)
            missing = cx.b.shl(cx.b.sub(i64(size), rows), i64(NUMBER_SHIFT))
            cx.b.store(cx.b.add(tag, missing), slot)


def _rows_in_window(cx: KernelContext, tag: ll.Value, size: int) -> ll.Value:
    """The rows of a key, less those of full windows; LLVM compares it with 0 without a division."""
    return cx.b.urem(cx.b.lshr(tag, i64(NUMBER_SHIFT)), i64(size))
