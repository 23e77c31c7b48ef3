"""Count windows in generated code.

Windows that do not overlap are the slot of their key: full, it is handed out and begins again.
Overlapping ones are made of slices of gcd(size, slide) rows, the current one in the key's slot.
The older ones are a queue of two stacks, so that a window takes a few merges, however many
slices it has: each node of the front stack has accumulated all that follow it there, and
`total` all of the back stack.
"""

from __future__ import annotations

import math

from llvmlite import ir as ll

from codegen_llvm.builder import I32, I64, PTR, i64, new_function
from codegen_llvm.kernel import return_unless_done
from codegen_llvm.keyed_rows import KeyedRows
from codegen_llvm.keyed_slots import NEXT, WindowSlots, repeat_while
from codegen_llvm.layout import SlotLayout
from ir import CountWindow
from ir.pipelines import RowProgram

EVICT = "evict"


class TumblingCounts(KeyedRows):
    """Adds rows to windows that do not overlap."""

    def add_to(self, slot: ll.Value) -> None:
        """Add the row; with its last row, a window is a result."""
        windows, size = self.windows, count_window(self.program).size
        windows.add_row(slot)
        full = self.cx.b.icmp_signed("==", windows.rows(slot), i64(size))
        with self.cx.b.if_then(full, likely=False):
            windows.emit(slot)
            windows.clear(slot)
            windows.store(self.cx.b.add(windows.load(slot, "start"), i64(size)), slot, "start")


class SlidingCounts(KeyedRows):
    """Adds rows to windows that overlap."""

    def add_to(self, slot: ll.Value) -> None:
        """Add the row to the current slice; the last row of a window makes it a result."""
        cx, windows, window = self.cx, self.windows, count_window(self.program)
        full = cx.b.icmp_signed("==", windows.rows(slot), i64(slice_rows(window)))
        with cx.b.if_then(full, likely=False):
            self._begin_slice(slot)
        number = cx.b.add(windows.load(slot, "number"), i64(1))
        start = windows.load(slot, "start")
        completes = cx.b.icmp_signed("==", cx.b.sub(number, start), i64(window.size))
        with cx.b.if_then(completes, likely=False):
            self.table.reserve_more(
                [*rooms_of_window(windows, slot), *self.rooms(windows.accumulators)]
            )
            windows.add_row(emit_window(windows, slot))
            windows.store(cx.b.add(start, i64(window.slide)), slot, "start")
        windows.add_row(slot)
        windows.store(number, slot, "number")

    def _begin_slice(self, slot: ll.Value) -> None:
        """Drop slices that no window needs any more, and put the current one behind the others.

        Every step leaves the windows as they are, so the row may still leave or fail.
        """
        cx, windows = self.cx, self.windows
        evict = cx.module.globals[EVICT]
        self.hand_on(cx.b.call(evict, [self.args, slot, cx.row]))
        with cx.b.if_then(cx.b.icmp_signed("==", windows.load(slot, "total"), i64(0))):
            windows.require_node()
            link = windows.take_node()
            windows.copy(windows.node(link), slot)
            windows.clear(windows.node(link))
            windows.store(link, slot, "total")
        windows.require_node()
        self.table.reserve_more(windows.rooms_to_merge(slot))
        windows.merge(windows.node(windows.load(slot, "total")), slot)
        link = windows.take_node()
        windows.copy(windows.node(link), slot)
        windows.store(windows.load(slot, "back"), windows.node(link), NEXT)
        windows.store(link, slot, "back")
        windows.clear(slot)


def build_evict(module: ll.Module, program: RowProgram, layout: SlotLayout) -> None:
    """The function `evict(args, slot, row) -> exit code`: drops slices before the window's start.

    When the front stack is empty, the back one is moved there, each node with all that follow
    it accumulated. An exit amid that leaves `total` without rows, which tells to go on with it.
    """
    cx = new_function(module, EVICT, I32, (PTR, PTR, I64))
    cx.function.linkage = "internal"
    cx.function.attributes.add("noinline")
    _, slot, cx.row = cx.function.args
    windows = WindowSlots.of_function(cx, program, layout)

    def pending() -> ll.Value:
        return cx.b.icmp_signed("<", windows.load(slot, "first"), windows.load(slot, "start"))

    with repeat_while(cx, "evict", pending):
        _move_to_front(windows, slot)
        link = windows.load(slot, "front")
        windows.store(windows.load(windows.node(link), NEXT), slot, "front")
        windows.give_node(link)
        after = cx.b.add(windows.load(slot, "first"), i64(slice_rows(count_window(program))))
        windows.store(after, slot, "first")
    cx.b.ret(ll.Constant(I32, 0))
    cx.return_codes()


def _move_to_front(windows: WindowSlots, slot: ll.Value) -> None:
    """Empty the back stack if the front one is empty, or was when this began."""
    cx = windows.cx

    def is_zero(field: str) -> ll.Value:
        return cx.b.icmp_signed("==", windows.load(slot, field), i64(0))

    def moving() -> ll.Value:
        begun = windows.is_empty(windows.node(windows.load(slot, "total")))
        return cx.b.and_(cx.b.not_(is_zero("back")), cx.b.or_(is_zero("front"), begun))

    with repeat_while(cx, "move", moving):
        link = windows.load(slot, "back")
        node = windows.node(link)
        with cx.b.if_else(is_zero("front")) as (begins, goes_on):
            with begins:
                windows.clear(windows.node(windows.load(slot, "total")))
            with goes_on:
                top = windows.node(windows.load(slot, "front"))
                windows.table.reserve_more(windows.rooms_to_merge(top))
                windows.merge(node, top)
        windows.store(windows.load(node, NEXT), slot, "back")
        windows.store(windows.load(slot, "front"), node, NEXT)
        windows.store(link, slot, "front")


def rooms_of_window(windows: WindowSlots, slot: ll.Value) -> list[ll.Value]:
    """The arena bytes that merging all slices of a key may need."""
    rooms = windows.rooms_to_merge(slot)
    if not rooms:
        return []
    cx, total = windows.cx, windows.cx.variable(I64, i64(0))
    for room in rooms:
        cx.count_up(total, room)
    for field in ("front", "total"):
        with cx.b.if_then(cx.b.icmp_signed("!=", windows.load(slot, field), i64(0))):
            for room in windows.rooms_to_merge(windows.node(windows.load(slot, field))):
                cx.count_up(total, room)
    return [cx.b.load(total, typ=I64)]


def emit_window(windows: WindowSlots, slot: ll.Value) -> ll.Value:
    """All slices of a key as a result, for which there is room; returns the result."""
    cx = windows.cx
    made = windows.emit(slot)
    windows.clear(made)
    for field in ("front", "total"):
        with cx.b.if_then(cx.b.icmp_signed("!=", windows.load(slot, field), i64(0))):
            windows.merge(made, windows.node(windows.load(slot, field)))
    windows.merge(made, slot)
    return made


def build_finish(module: ll.Module, program: RowProgram, layout: SlotLayout, name: str) -> None:
    """The function `finish(args) -> exit code`: makes results of all windows that are not full."""
    cx = new_function(module, name, I32, (PTR,))
    windows, window = WindowSlots.of_function(cx, program, layout), count_window(program)
    with windows.each_key() as slot:
        if window.size == window.slide:
            with cx.b.if_then(cx.b.not_(windows.is_empty(slot))):
                windows.require_output()
                windows.emit(slot)
                windows.clear(slot)
        else:
            _finish_sliding(windows, slot, window)


def _finish_sliding(windows: WindowSlots, slot: ll.Value, window: CountWindow) -> None:
    cx = windows.cx
    evict = cx.module.globals[EVICT]

    def begun() -> ll.Value:
        return cx.b.icmp_signed("<", windows.load(slot, "start"), windows.load(slot, "number"))

    with repeat_while(cx, "window", begun):
        code = cx.b.call(evict, [cx.function.args[0], slot, cx.row])
        return_unless_done(cx, code)
        windows.require_output()
        windows.table.reserve_more(rooms_of_window(windows, slot))
        emit_window(windows, slot)
        start = cx.b.add(windows.load(slot, "start"), i64(window.slide))
        windows.store(start, slot, "start")


def count_window(program: RowProgram) -> CountWindow:
    """The window of a program that counts rows."""
    assert isinstance(program.window, CountWindow)
    return program.window


def slice_rows(window: CountWindow) -> int:
    """The rows of a slice: each window begins and ends with one."""
    return math.gcd(window.size, window.slide)
