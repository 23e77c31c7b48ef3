"""Window assignment in generated code: bounds of the current slice in registers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import HASH_MULTIPLIER, DirectoryEntry, Exit, StateBlock
from codegen_llvm.builder import I1, I64, PTR, KernelContext, apart, i64
from codegen_llvm.table import TableRegisters, load_table
from ir import TumblingWindow

TimeOf = Callable[[KernelContext], Callable[[ll.Value], ll.Value]]  # in a function, of a row
NEVER = (1 << 63) - 1  # a time that no row reaches


@dataclass
class LateRows:
    """What happens to rows whose windows are all closed: they are counted and left out.

    The current slice is never late, so that rows in it are not tested.
    """

    before: ll.Value  # slices that start before this are late
    count: ll.Value
    skip: ll.Block

    def skip_if_late(self, cx: KernelContext, start: ll.Value) -> None:
        """Go on with the next row if this row's slice is late."""
        with cx.b.if_then(cx.b.icmp_signed("<", start, self.before), likely=False):
            cx.count_up(self.count, i64(1))
            cx.b.branch(self.skip)


@dataclass
class Slices:
    """Moves a row's slice into the registers; in order, that is one comparison a row."""

    cx: KernelContext
    window: TumblingWindow
    state: ll.Value
    registers: TableRegisters
    late: LateRows | None = None

    def enter(self, time: ll.Value) -> None:
        """Make the table of the slice that holds `time` the current one."""
        cx = self.cx
        with cx.b.if_then(self._outside(time), likely=False):
            start = slice_start(cx, self.window, time)
            if self.late is not None:
                self.late.skip_if_late(cx, start)
            load_table(cx, self.registers, self._find_table(start))
            block = cx.b.load(self.registers.block, typ=PTR)
            cx.store_field(block, self.state, StateBlock, "current")

    def track(self, time: ll.Value) -> ll.Value:
        """The start of the slice that holds `time`, where all slices share one table."""
        cx = self.cx
        with cx.b.if_then(self._outside(time), likely=False):
            cx.b.store(slice_start(cx, self.window, time), self.registers.slice_start)
        return cx.b.load(self.registers.slice_start, typ=I64)

    def _outside(self, time: ll.Value) -> ll.Value:
        """Whether a time is not in the current slice; below it, the difference wraps."""
        start = self.cx.b.load(self.registers.slice_start, typ=I64)
        distance = self.cx.b.sub(time, start)
        return self.cx.b.icmp_unsigned(">=", distance, i64(self.window.size_us))

    def _find_table(self, start: ll.Value) -> ll.Value:
        """The table of a slice, from the directory; leaves the kernel if there is none."""
        cx = self.cx
        directory = cx.load_field(self.state, StateBlock, "directory", PTR)
        mask = cx.load_field(self.state, StateBlock, "directory_mask")
        shift = cx.load_field(self.state, StateBlock, "directory_shift")
        home = cx.b.lshr(cx.b.mul(start, i64(HASH_MULTIPLIER)), shift)
        before = cx.b.block
        probe, next_, found = (
            cx.b.append_basic_block(f"slice.{name}") for name in ("probe", "next", "found")
        )
        cx.b.branch(probe)
        cx.b.position_at_end(probe)
        index = cx.b.phi(I64)
        index.add_incoming(home, before)
        entry = cx.at(directory, cx.b.mul(index, i64(ctypes.sizeof(DirectoryEntry))))
        table = cx.load_field(entry, DirectoryEntry, "table", PTR)
        empty = cx.b.icmp_unsigned("==", table, ll.Constant(PTR, None))
        with cx.b.if_then(empty, likely=False):
            cx.leave(Exit.NEW_SLICE, cx.row, start)
        here = cx.load_field(entry, DirectoryEntry, "slice_start")
        cx.b.cbranch(cx.b.icmp_signed("==", here, start), found, next_)
        cx.b.position_at_end(next_)
        index.add_incoming(cx.b.and_(cx.b.add(index, i64(1)), mask), next_)
        cx.b.branch(probe)
        cx.b.position_at_end(found)
        return table


def slice_start(cx: KernelContext, window: TumblingWindow, time: ll.Value) -> ll.Value:
    """time - (time - offset) mod size, with the modulus rounded down, also before 1970."""
    size = i64(window.size_us)
    remainder = cx.b.srem(cx.b.sub(time, i64(window.offset_us)), size)
    negative = cx.b.icmp_signed("<", remainder, i64(0))
    floored = cx.b.select(negative, cx.b.add(remainder, size), remainder)
    return cx.b.sub(time, floored)


@dataclass(frozen=True)
class InSlice:
    """Whether it is known if all rows of a block are in the current slice, and if they are."""

    is_known: ll.Value
    inside: ll.Value


UNKNOWN_SLICE = InSlice(ll.Constant(I1, 0), ll.Constant(I1, 0))


@dataclass(frozen=True)
class Times:
    """The functions that look at the times of a range of rows, and what reads one of them.

    They have code of their own, which all variants share: LLVM takes its time for their vectors.
    """

    module: ll.Module
    time_of: TimeOf

    def greatest(self, cx: KernelContext, first: ll.Value, last: ll.Value) -> ll.Value:
        """The greatest time; vectorised by LLVM."""
        function = apart(self.module, "times.greatest", I64, (PTR, I64, I64), self._greatest)
        return cx.b.call(function, [cx.function.args[0], first, last])

    def first_from(
        self, cx: KernelContext, time: ll.Value, first: ll.Value, last: ll.Value
    ) -> ll.Value:
        """The first row with such a time or a later one; there must be one."""
        types = (PTR, I64, I64, I64)
        function = apart(self.module, "times.first", I64, types, self._first)
        return cx.b.call(function, [cx.function.args[0], time, first, last])

    def _greatest(self, cx: KernelContext) -> None:
        _, first, last = cx.function.args
        time_of = self.time_of(cx)
        greatest = cx.variable(I64, i64(-NEVER))
        smax = cx.external("llvm.smax.i64", I64, I64, I64)
        with cx.loop(first, last, "time") as row:
            known = cx.b.load(greatest, typ=I64)
            cx.b.store(cx.b.call(smax, [known, time_of(row)]), greatest)
        cx.b.ret(cx.b.load(greatest, typ=I64))

    def _first(self, cx: KernelContext) -> None:
        _, wanted, first, last = cx.function.args
        time_of = self.time_of(cx)
        with cx.loop(first, last, "time") as row:
            reached = cx.b.icmp_signed(">=", time_of(row), wanted)
            with cx.b.if_then(reached, likely=False):
                cx.b.ret(row)
        cx.b.ret(last)


@dataclass
class Stretch:
    """The rows of a block up to the first that closes windows."""

    last: ll.Value
    closes: ll.Value
    time: ll.Value  # of the row that closes windows

    @classmethod
    def of(
        cls,
        cx: KernelContext,
        times: Times,
        look: ll.Value,
        close: ll.Value,
        first: ll.Value,
        last: ll.Value,
    ) -> Stretch:
        """Where `look` says that it is worth a look: for the greatest time, with vectors."""
        end, closes = cx.variable(I64, last), cx.variable(I1, ll.Constant(I1, 0))
        found = cx.variable(I64, i64(0))
        time_of = times.time_of(cx)
        with cx.b.if_then(look):
            greatest = times.greatest(cx, first, last)
            with cx.b.if_then(cx.b.icmp_signed(">=", greatest, close), likely=False):
                row = times.first_from(cx, close, first, last)
                cx.b.store(ll.Constant(I1, 1), closes)
                cx.b.store(cx.b.add(row, i64(1)), end)
                cx.b.store(time_of(row), found)
        return cls(cx.b.load(end, typ=I64), cx.b.load(closes, typ=I1), cx.b.load(found, typ=I64))


def all_inside(
    cx: KernelContext,
    window: TumblingWindow,
    start: ll.Value,
    times: ll.Value,
    first: ll.Value,
    last: ll.Value,
) -> ll.Value:
    """Whether all times of a range of rows are in the slice at `start`."""
    function = apart(cx.module, "times.farthest", I64, (PTR, I64, I64, I64), _build_farthest)
    farthest = cx.b.call(function, [times, start, first, last])
    return cx.b.icmp_unsigned("<", farthest, i64(window.size_us))


def _build_farthest(cx: KernelContext) -> None:
    """The greatest distance behind a time; vectorised by LLVM. What is before it is farthest."""
    times, start, first, last = cx.function.args
    greatest = cx.variable(I64, i64(0))
    umax = cx.external("llvm.umax.i64", I64, I64, I64)
    with cx.loop(first, last, "time") as row:
        time = cx.b.load(cx.element(times, row, I64), typ=I64)
        known = cx.b.load(greatest, typ=I64)
        cx.b.store(cx.b.call(umax, [known, cx.b.sub(time, start)]), greatest)
    cx.b.ret(cx.b.load(greatest, typ=I64))
