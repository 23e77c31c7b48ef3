"""The windows of a key in generated code: slots that are filled, merged, handed out, used again.

The first slot of a key lies in the table. Others are nodes of the same form, linked by their
distance from the start of the nodes' memory, so that this memory can move when it grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, KernelArgs, KeyedBlock, TableBlock
from codegen_llvm.accumulators import Accumulator, StoredGroup
from codegen_llvm.aggregates import accumulator
from codegen_llvm.builder import I1, I64, PTR, KernelContext, i64
from codegen_llvm.layout import MOMENTS, ROWS, SlotLayout, slot_layout
from codegen_llvm.table import Table, table_registers
from ir import INT64, CountWindow, SessionWindow
from ir.pipelines import RowProgram

NEXT = "next"  # the link from a node to the next one of its list
NULL = ll.Constant(PTR, None)

_SESSION_FIELDS = (("start", "i8"), ("end", "i8"), (NEXT, "i8"))
_TUMBLING_FIELDS = (("start", "i8"),)
NUMBER_SHIFT = 24  # of a small slot's tag: the bits above are the number of the key's rows
NARROW_MOST = 2**40 - 1  # rows of a key
_OF_FIXED_SIZE = MOMENTS | {
    *("count", "sum", "avg", "min", "max", "first", "last"),
    *("bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"),
}
# `number`: the rows of the key; `first`: where its oldest slice starts; the lists are links.
_SLIDING_FIELDS = (
    ("start", "i8"),
    ("number", "i8"),
    ("first", "i8"),
    ("front", "i8"),
    ("back", "i8"),
    ("total", "i8"),
    (NEXT, "i8"),
)


def keyed_layout(program: RowProgram) -> SlotLayout:
    """The slots of a program's session or count windows."""
    return slot_layout(program, False, wide=True, fields=_fields(program))


def narrow_layout(program: RowProgram) -> SlotLayout | None:
    """Smaller slots for count windows that do not overlap, if the program allows them.

    The upper bits of the tag, which a single number as key leaves free, count the rows of the
    key. So a sum by key takes 24 bytes: with 32, in C too, 10,000 keys took 1.13 times as long.
    A sum or a number that outgrows them needs the other layout.
    """
    window = program.window
    if not isinstance(window, CountWindow) or window.slide < window.size:
        return None
    if len(program.keys) > 1 or any(key.expr.type.is_bytes for key in program.keys):
        return None
    if 1 + len(program.keys) + len(program.aggregates) > NUMBER_SHIFT:
        return None
    for call in (aggregate.call for aggregate in program.aggregates):
        if call.definition is not None or call.function not in _OF_FIXED_SIZE:
            return None
        if call.type.is_bytes:
            return None
    return slot_layout(program, False)


def _fields(program: RowProgram) -> tuple[tuple[str, str], ...]:
    match program.window:
        case SessionWindow():
            return _SESSION_FIELDS
        case CountWindow(size, slide):
            return _TUMBLING_FIELDS if size == slide else _SLIDING_FIELDS
    raise TypeError(f"{program.window} is neither a session nor a count window")


def lists_of(program: RowProgram) -> tuple[str, ...]:
    """The fields of a key's slot that link to its nodes."""
    match program.window:
        case SessionWindow():
            return (NEXT,)
        case CountWindow(size, slide) if slide < size:
            return ("front", "back", "total")
    return ()


@contextmanager
def repeat_while(cx: KernelContext, name: str, condition: Callable[[], ll.Value]) -> Iterator[None]:
    """`while condition():`"""
    head, body, after = (cx.b.append_basic_block(f"{name}.{p}") for p in ("head", "body", "after"))
    cx.b.branch(head)
    cx.b.position_at_end(head)
    cx.b.cbranch(condition(), body, after)
    cx.b.position_at_end(body)
    yield
    cx.b.branch(head)
    cx.b.position_at_end(after)


class WindowSlots:
    """What can be done with the slots of windows, in one function that takes `KernelArgs` first."""

    def __init__(
        self,
        cx: KernelContext,
        program: RowProgram,
        table: Table,
        accumulators: list[Accumulator] | None = None,
    ) -> None:
        self.cx, self.table, self.layout = cx, table, table.layout
        self.block = table.state
        self.accumulators = accumulators or [
            accumulator(cx, table, position, aggregate)
            for position, aggregate in enumerate(program.aggregates)
        ]
        self._lists = lists_of(program)

    @classmethod
    def of_function(cls, cx: KernelContext, program: RowProgram, layout: SlotLayout) -> WindowSlots:
        """For a function that adds no rows."""
        state = cx.load_field(cx.function.args[0], KernelArgs, "state", PTR)
        registers = table_registers(cx, state)
        table = Table(cx, layout, state, registers, cx.variable(I64, i64(0)))
        return cls(cx, program, table)

    # -- fields ---------------------------------------------------------------

    def load(self, slot: ll.Value, field: str) -> ll.Value:
        """A field that is a word."""
        return self.cx.b.load(self.address(slot, field), typ=I64)

    def store(self, value: ll.Value | int, slot: ll.Value, field: str) -> None:
        """Set a field that is a word."""
        word = i64(value) if isinstance(value, int) else value
        self.cx.b.store(word, self.address(slot, field))

    def address(self, slot: ll.Value, field: str) -> ll.Value:
        """Where a field lies."""
        return self.cx.at(slot, self.layout.offset(field))

    def known(self, field: str) -> ll.Value:
        """A word of the windows' state."""
        return self.cx.load_field(self.block, KeyedBlock, field)

    def change(self, field: str, operation: Callable[..., ll.Value], operand: ll.Value) -> None:
        """Change a word of the windows' state."""
        self.cx.store_field(operation(self.known(field), operand), self.block, KeyedBlock, field)

    def rows(self, slot: ll.Value) -> ll.Value:
        """How many rows a slot has had."""
        assert self.layout.rows is not None
        return self.load(slot, self.layout.rows)

    def is_empty(self, slot: ll.Value) -> ll.Value:
        """Whether a slot has no rows."""
        return self.cx.b.icmp_signed("==", self.rows(slot), i64(0))

    # -- what slots accumulate --------------------------------------------------

    def clear(self, slot: ll.Value) -> None:
        """Make a slot one without rows; keys and lists stay."""
        cx, seen = self.cx, sum(self.layout.seen_bit(position) for position in self.layout.seen)
        if seen:
            cx.b.store(cx.b.and_(cx.b.load(slot, typ=I64), i64(~seen)), slot)
        if self.layout.rows == ROWS:
            self.store(0, slot, ROWS)
        if self.layout.has("end"):  # so that no time is in the session, and any extends it
            self.store(INT64.high, slot, "start")
            self.store(INT64.low, slot, "end")
        for one in self.accumulators:
            one.init(slot)

    def init(self, slot: ll.Value) -> None:
        """The slot of a new key."""
        for field in ("start", "number", "first", NEXT, *self._lists):
            if self.layout.has(field):
                self.store(0, slot, field)
        self.clear(slot)

    def add_row(self, slot: ll.Value) -> None:
        """Add the current row; all that can leave comes before the first store."""
        stores = [one.prepare(slot) for one in self.accumulators]
        for store in stores:
            store()
        if self.layout.rows == ROWS:
            self.store(self.cx.b.add(self.load(slot, ROWS), i64(1)), slot, ROWS)
        bits: ll.Value = i64(0)
        for one in self.accumulators:
            if self.layout.tracks_seen(one.position):
                bits = self.cx.b.or_(bits, one.seen())
        self._mark_seen(slot, bits)

    def rooms_to_merge(self, other: ll.Value) -> list[ll.Value]:
        """The arena bytes that merging a slot may need."""
        group = StoredGroup(self.layout, other)
        rooms = (one.room_to_merge(group) for one in self.accumulators)
        return [room for room in rooms if room is not None]

    def merge(self, slot: ll.Value, other: ll.Value) -> None:
        """Add all that another slot has accumulated; room for it was reserved."""
        group = StoredGroup(self.layout, other)
        stores = [one.merge(slot, group) for one in self.accumulators]
        for store in stores:
            store()
        if self.layout.rows == ROWS:
            rows = self.cx.b.add(self.load(slot, ROWS), self.load(other, ROWS))
            self.store(rows, slot, ROWS)
        seen = sum(self.layout.seen_bit(position) for position in self.layout.seen)
        self._mark_seen(slot, self.cx.b.and_(self.cx.b.load(other, typ=I64), i64(seen)))

    def _mark_seen(self, slot: ll.Value, bits: ll.Value) -> None:
        if self.layout.seen:
            tag = self.cx.b.load(slot, typ=I64)
            self.cx.b.store(self.cx.b.or_(tag, bits), slot)

    # -- results ------------------------------------------------------------------

    def emit(self, slot: ll.Value) -> ll.Value:
        """Copy a slot to the results, for which there is room; returns the copy."""
        cx = self.cx
        place = cx.load_field(self.block, KeyedBlock, "output", PTR)
        self.copy(place, slot)
        cx.store_field(cx.at(place, self.layout.size), self.block, KeyedBlock, "output")
        return place

    def require_output(self) -> None:
        """Leave the function unless there is room for a result."""
        full = self.cx.b.icmp_unsigned("==", self.known("output"), self.known("output_end"))
        with self.cx.b.if_then(full, likely=False):
            self.cx.leave(Exit.OUTPUT_FULL, self.cx.row, 1)

    def copy(self, target: ll.Value, slot: ll.Value) -> None:
        """Copy a slot as it is; strings are then shared."""
        self.cx.copy_bytes(target, slot, i64(self.layout.size))

    # -- nodes ----------------------------------------------------------------------

    def node(self, link: ll.Value) -> ll.Value:
        """The address of a node."""
        return self.cx.at(self.cx.load_field(self.block, KeyedBlock, "nodes", PTR), link)

    def require_node(self) -> None:
        """Leave the function unless there is a node to take."""
        cx = self.cx
        used = cx.b.icmp_signed("==", self.known("node_next"), self.known("node_end"))
        none = cx.b.and_(used, cx.b.icmp_signed("==", self.known("node_free"), i64(0)))
        with cx.b.if_then(none, likely=False):
            cx.leave(Exit.GROW_NODES, cx.row)

    def take_node(self) -> ll.Value:
        """The link of a node that is free: one that was given back, or a new one."""
        cx = self.cx
        taken = cx.variable(I64, self.known("node_free"))
        again = cx.b.icmp_signed("!=", cx.b.load(taken, typ=I64), i64(0))
        with cx.b.if_else(again) as (used_before, fresh):
            with used_before:
                following = self.load(self.node(cx.b.load(taken, typ=I64)), NEXT)
                cx.store_field(following, self.block, KeyedBlock, "node_free")
            with fresh:
                cx.b.store(self.known("node_next"), taken)
                self.change("node_next", cx.b.add, i64(self.layout.size))
        return cx.b.load(taken, typ=I64)

    def give_node(self, link: ll.Value) -> None:
        """Give a node back; it is in no list any more."""
        self.store(self.known("node_free"), self.node(link), NEXT)
        self.cx.store_field(link, self.block, KeyedBlock, "node_free")

    # -- all keys ---------------------------------------------------------------------

    @contextmanager
    def each_key(self, table: ll.Value | None = None) -> Iterator[ll.Value]:
        """A loop over the used slots of the table in the range of the arguments."""
        cx, args = self.cx, self.cx.function.args[0]
        block = cx.b.load(self.table.registers.block, typ=PTR) if table is None else table
        slots = cx.load_field(block, TableBlock, "slots", PTR)
        begin = cx.load_field(args, KernelArgs, "row_begin")
        end = cx.load_field(args, KernelArgs, "row_end")
        with cx.loop(begin, end, "key") as index:
            cx.row = index
            slot = cx.at(slots, cx.b.mul(index, i64(self.layout.size)))
            with cx.b.if_then(cx.b.trunc(cx.b.load(slot, typ=I64), I1)):
                yield slot
        cx.leave(Exit.DONE, end)
        cx.return_codes()
