"""Session windows in generated code.

The slot of a key is its session. In order, a row extends it, or it is closed, handed out and
begins again. Only rows out of order start further sessions of a key, as nodes behind the slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir as ll

from codegen_llvm.abi import KeyedBlock, TableBlock
from codegen_llvm.arithmetic import checked
from codegen_llvm.builder import I32, I64, PTR, KernelContext, i64, new_function
from codegen_llvm.columns import Lookup
from codegen_llvm.expressions import lower
from codegen_llvm.keyed_rows import KeyedRows
from codegen_llvm.keyed_slots import NEXT, NULL, WindowSlots, repeat_while
from codegen_llvm.layout import InputLayout, SlotLayout
from ir import INT64, Column, SessionWindow
from ir.pipelines import RowProgram
from ir.text_form import window_text


class SessionRows(KeyedRows):
    """Adds rows to sessions; what is closed is known before every row."""

    def __init__(
        self,
        cx: KernelContext,
        program: RowProgram,
        layout: InputLayout,
        slots: SlotLayout,
        lookups: tuple[Lookup, ...],
    ) -> None:
        super().__init__(cx, program, layout, slots, lookups)
        _, self.first, last, *_ = cx.function.args
        self.closed_to = cx.variable(I64, cx.load_field(self.state, KeyedBlock, "closed_to"))
        self.lag = cx.load_field(self.state, KeyedBlock, "lag")
        self.followed = cx.variable(I64, self.first)  # rows before it have moved the watermark
        self.in_order = self._in_order(last)
        self.time: ll.Value = i64(0)
        self.end: ll.Value = i64(0)

    @property
    def window(self) -> SessionWindow:
        """The window of the program."""
        assert isinstance(self.program.window, SessionWindow)
        return self.program.window

    def enter(self, row: ll.Value) -> None:
        """A row that no open session could hold is late: it is counted and left out."""
        cx = self.cx
        self._follow(row)
        cx.row = row
        self.time = lower(cx, self.columns, self.window.time).payload
        self.end, overflow = checked(cx, "sadd", self.time, i64(self.window.gap_us))
        cx.fail_if(overflow, "ARITHMETIC_OVERFLOW", window_text(self.window))
        late = cx.b.icmp_signed("<=", self.end, cx.b.load(self.closed_to, typ=I64))
        with cx.b.if_then(late, likely=False):
            cx.count_up(self.late_count, i64(1))
            self.leave_out()

    def end_block(self, last: ll.Value) -> None:
        """The rows behind the last one that passed move the watermark too."""
        self._follow(last)

    def write_back(self) -> None:
        """Also what is closed by now."""
        super().write_back()
        closed_to = self.cx.b.load(self.closed_to, typ=I64)
        self.cx.store_field(closed_to, self.state, KeyedBlock, "closed_to")

    def add_to(self, slot: ll.Value) -> None:
        """Add the row to the session that it reaches, and join a second one to that."""
        cx, windows = self.cx, self.windows
        target, second = cx.variable(PTR, slot), cx.variable(PTR, NULL)
        link_to_second = cx.variable(PTR, NULL)
        alone = cx.b.icmp_signed("==", windows.load(slot, NEXT), i64(0))
        direct = cx.b.and_(alone, self._reaches(slot))
        with cx.b.if_then(cx.b.not_(direct), likely=False):
            self._hand_out_if_closed(slot)
            self._find(slot, target, second, link_to_second)
            self._make_if_none(slot, target)
        found = cx.b.load(target, typ=PTR)
        windows.add_row(found)
        self._extend(found, self.time, self.end)
        joined = cx.b.load(second, typ=PTR)
        with cx.b.if_then(cx.b.icmp_unsigned("!=", joined, NULL), likely=False):
            self._join(found, joined, cx.b.load(link_to_second, typ=PTR))

    def _in_order(self, last: ll.Value) -> ll.Value | None:
        """Whether the times of the block are in order, and none is null; vectorised by LLVM."""
        column = self._watermark
        if column is None or column.nullable:
            return None
        cx, out_of_order = self.cx, self.cx.variable(I64, i64(0))
        times = self.columns.values(column.name)
        with cx.loop(cx.b.add(self.first, i64(1)), last, "order") as row:
            before, here = (
                cx.b.load(cx.element(times, at, I64), typ=I64)
                for at in (cx.b.sub(row, i64(1)), row)
            )
            wrong = cx.b.zext(cx.b.icmp_signed(">", before, here), I64)
            cx.b.store(cx.b.or_(cx.b.load(out_of_order, typ=I64), wrong), out_of_order)
        return cx.b.icmp_signed("==", cx.b.load(out_of_order, typ=I64), i64(0))

    @property
    def _watermark(self) -> Column | None:
        """The column whose times move the watermark."""
        if self.program.watermark is None:
            return None
        field = self.program.input[self.program.watermark]
        return Column(field.name, field.type, field.nullable)

    def _follow(self, row: ll.Value) -> None:
        """The rows before this one, also those that were filtered, move what is closed."""
        if self._watermark is None:
            return
        cx, greatest = self.cx, self.cx.variable(I64, i64(INT64.low))
        if self.in_order is None:
            self._see_times(self._watermark, row, greatest)
        else:
            with cx.b.if_else(self.in_order) as (ordered, unordered):
                with ordered:
                    self._see_last_time(self._watermark, row, greatest)
                with unordered:
                    self._see_times(self._watermark, row, greatest)
        subtract = cx.external("llvm.ssub.sat.i64", I64, I64, I64)
        smax = cx.external("llvm.smax.i64", I64, I64, I64)
        closed_to = cx.b.call(subtract, [cx.b.load(greatest, typ=I64), self.lag])
        cx.b.store(cx.b.call(smax, [cx.b.load(self.closed_to, typ=I64), closed_to]), self.closed_to)

    def _see_last_time(self, column: Column, row: ll.Value, greatest: ll.Value) -> None:
        """In order, the greatest time is that of the row before; without a branch.

        A loop over the rows between would end at another one each time, as nobody predicts.
        """
        cx = self.cx
        begins = cx.b.icmp_signed("==", row, self.first)
        before = cx.b.select(begins, row, cx.b.sub(row, i64(1)))
        time = cx.b.load(cx.element(self.columns.values(column.name), before, I64), typ=I64)
        cx.b.store(cx.b.select(begins, i64(INT64.low), time), greatest)

    def _see_times(self, column: Column, row: ll.Value, greatest: ll.Value) -> None:
        """The greatest time of the rows since the last one that was looked at."""
        cx = self.cx
        smax = cx.external("llvm.smax.i64", I64, I64, I64)
        with cx.loop(cx.b.load(self.followed, typ=I64), row, "time") as earlier:
            cx.row = earlier
            time = self.columns.column(cx, column)
            known = cx.b.load(greatest, typ=I64)
            later = cx.b.call(smax, [known, time.payload])
            if time.null is not None:
                later = cx.b.select(time.null, known, later)
            cx.b.store(later, greatest)
        cx.b.store(row, self.followed)

    def _reaches(self, slot: ll.Value) -> ll.Value:
        """Whether the row belongs to a session that is open."""
        b, end = self.cx.b, self.windows.load(slot, "end")
        touches = b.and_(
            b.icmp_signed("<=", self.windows.load(slot, "start"), self.end),
            b.icmp_signed("<=", self.time, end),
        )
        return b.and_(touches, b.icmp_signed(">", end, b.load(self.closed_to, typ=I64)))

    def _hand_out_if_closed(self, slot: ll.Value) -> None:
        closed = is_closed(self.windows, slot, self.cx.b.load(self.closed_to, typ=I64))
        with self.cx.b.if_then(closed):
            hand_out(self.windows, slot)
            self.windows.clear(slot)

    def _find(
        self, slot: ll.Value, target: ll.Value, second: ll.Value, link_to_second: ll.Value
    ) -> None:
        """The first of the key's sessions that the row reaches, and the second.

        There is no third: each is as long as the gap, and they do not touch each other.
        """
        cx, windows = self.cx, self.windows
        cx.b.store(cx.b.select(self._reaches(slot), slot, NULL), target)
        with each_node(windows, slot) as (node, place):
            with cx.b.if_then(self._reaches(node)):
                none = cx.b.icmp_unsigned("==", cx.b.load(target, typ=PTR), NULL)
                with cx.b.if_else(none) as (is_first, is_second):
                    with is_first:
                        cx.b.store(node, target)
                    with is_second:
                        cx.b.store(node, second)
                        cx.b.store(place, link_to_second)
        joined = cx.b.load(second, typ=PTR)
        with cx.b.if_then(cx.b.icmp_unsigned("!=", joined, NULL)):
            self.table.reserve_more(windows.rooms_to_merge(joined))

    def _make_if_none(self, slot: ll.Value, target: ll.Value) -> None:
        """A new session: in the key's slot if that is free, else in a node."""
        cx, windows = self.cx, self.windows
        with cx.b.if_then(cx.b.icmp_unsigned("==", cx.b.load(target, typ=PTR), NULL)):
            with cx.b.if_else(windows.is_empty(slot)) as (here, behind):
                with here:
                    cx.b.store(slot, target)
                with behind:
                    windows.require_node()
                    link = windows.take_node()
                    node = windows.node(link)
                    windows.copy(node, slot)
                    windows.clear(node)
                    windows.store(link, slot, NEXT)
                    cx.b.store(node, target)
            windows.change("open", cx.b.add, i64(1))
            smin = cx.external("llvm.smin.i64", I64, I64, I64)
            windows.change("earliest", lambda old, new: cx.b.call(smin, [old, new]), self.end)

    def _extend(self, slot: ll.Value, start: ll.Value, end: ll.Value) -> None:
        cx, windows = self.cx, self.windows
        for field, bound, name in (("start", start, "smin"), ("end", end, "smax")):
            choose = cx.external(f"llvm.{name}.i64", I64, I64, I64)
            windows.store(cx.b.call(choose, [windows.load(slot, field), bound]), slot, field)

    def _join(self, slot: ll.Value, joined: ll.Value, place: ll.Value) -> None:
        """Two sessions become one; the second's node is free again."""
        cx, windows = self.cx, self.windows
        windows.merge(slot, joined)
        self._extend(slot, windows.load(joined, "start"), windows.load(joined, "end"))
        link = cx.b.load(place, typ=I64)
        cx.b.store(windows.load(joined, NEXT), place)
        windows.give_node(link)
        windows.change("open", cx.b.sub, i64(1))


def build_sweep(module: ll.Module, program: RowProgram, layout: SlotLayout, name: str) -> None:
    """The function `sweep(args) -> exit code`: hands out all closed sessions.

    It counts the keys that still have sessions as `live`, and finds the earliest end.
    """
    cx = new_function(module, name, I32, (PTR,))
    windows = WindowSlots.of_function(cx, program, layout)
    closed_to = windows.known("closed_to")
    with windows.each_key() as slot:
        closed = is_closed(windows, slot, closed_to)
        with cx.b.if_then(closed):
            windows.require_output()
            hand_out(windows, slot)
            windows.clear(slot)
        _note_end(windows, slot)
        _sweep_nodes(windows, slot, closed_to)
        has_nodes = cx.b.icmp_signed("!=", windows.load(slot, NEXT), i64(0))
        lives = cx.b.or_(has_nodes, cx.b.not_(windows.is_empty(slot)))
        table = cx.b.load(windows.table.registers.block, typ=PTR)
        live = cx.b.add(cx.load_field(table, TableBlock, "live"), cx.b.zext(lives, I64))
        cx.store_field(live, table, TableBlock, "live")


def _sweep_nodes(windows: WindowSlots, slot: ll.Value, closed_to: ll.Value) -> None:
    """Hand out closed sessions behind a slot, and take their nodes out of the list."""
    cx = windows.cx
    place = cx.variable(PTR, windows.address(slot, NEXT))

    def more() -> ll.Value:
        return cx.b.icmp_signed("!=", cx.b.load(cx.b.load(place, typ=PTR), typ=I64), i64(0))

    with repeat_while(cx, "node", more):
        link = cx.b.load(cx.b.load(place, typ=PTR), typ=I64)
        node = windows.node(link)
        with cx.b.if_else(is_closed(windows, node, closed_to)) as (closed, still_open):
            with closed:
                windows.require_output()
                hand_out(windows, node)
                cx.b.store(windows.load(node, NEXT), cx.b.load(place, typ=PTR))
                windows.give_node(link)
            with still_open:
                _note_end(windows, node)
                cx.b.store(windows.address(node, NEXT), place)


def _note_end(windows: WindowSlots, slot: ll.Value) -> None:
    cx = windows.cx
    end = cx.b.select(windows.is_empty(slot), i64(INT64.high), windows.load(slot, "end"))
    smin = cx.external("llvm.smin.i64", I64, I64, I64)
    windows.change("earliest", lambda old, new: cx.b.call(smin, [old, new]), end)


@contextmanager
def each_node(windows: WindowSlots, slot: ll.Value) -> Iterator[tuple[ll.Value, ll.Value]]:
    """A loop over the nodes behind a slot, with the place of the link to each."""
    cx = windows.cx
    place = cx.variable(PTR, windows.address(slot, NEXT))

    def more() -> ll.Value:
        return cx.b.icmp_signed("!=", cx.b.load(cx.b.load(place, typ=PTR), typ=I64), i64(0))

    with repeat_while(cx, "node", more):
        here = cx.b.load(place, typ=PTR)
        node = windows.node(cx.b.load(here, typ=I64))
        yield node, here
        cx.b.store(windows.address(node, NEXT), place)


def is_closed(windows: WindowSlots, slot: ll.Value, closed_to: ll.Value) -> ll.Value:
    """Whether a slot has a session that is closed."""
    b = windows.cx.b
    ended = b.icmp_signed("<=", windows.load(slot, "end"), closed_to)
    return b.and_(ended, b.not_(windows.is_empty(slot)))


def hand_out(windows: WindowSlots, slot: ll.Value) -> None:
    """A closed session becomes a result."""
    windows.emit(slot)
    windows.change("open", windows.cx.b.sub, i64(1))
