"""Reading all groups of a table into columns, by one call of compiled code.

For groups whose columns are fields of their slots, or nearly so: no strings, and no nulls.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from enum import IntEnum
from functools import cache

from llvmlite import ir as ll

from codegen_llvm.abi import PlainColumn, PlainRead
from codegen_llvm.builder import I32, I64, PTR, KernelContext, i64, new_function
from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.gather import write_used

UNUSUAL = -1  # a null, or a sum that has left 64 bits
WIDTHS = (1, 2, 4, 8)
F64 = ll.DoubleType()


class Source(IntEnum):
    """Where the values of a column are from."""

    FIELD = 0  # the field at `offset`, of `width` bytes
    REPEATED = 1  # `START` or `END` of the window, whichever `offset` says
    PLACE = 2  # the number of the slot, from `low` on: the key of an array
    WIDE = 3  # the low word of a sum in two, the upper of which, at `other`, is only its sign
    RATIO = 4  # a float at `offset` over the count at `other`
    NOT_ZERO = 5  # no column: a count at `offset` that must not be 0


START, END = 0, 1
_FEW_SLOTS = 1 << 15  # some 50 us


def read_plain(read: int, slots: int) -> int:
    """Fill the columns that a `PlainRead` of so many slots tells of.

    Returns how many groups there are, or UNUSUAL.
    """
    code = _compiled()
    return code.run_few(read) if slots <= _FEW_SLOTS else code.run(read)


class _PlainGroups:
    """The compiled function, and the machine code that it needs to stay alive."""

    def __init__(self) -> None:
        module = ll.Module("plain_groups")
        _build(module)
        self.code: MachineCode = compile_module(module)
        types = (ctypes.c_int64, ctypes.c_void_p)
        self.run: Callable[[int], int] = self.code.function("plain", *types)
        self.run_few: Callable[[int], int] = self.code.brief("plain", *types)


@cache
def _compiled() -> _PlainGroups:
    return _PlainGroups()


def _build(module: ll.Module) -> None:
    cx = new_function(module, "plain", I64, (PTR,))
    (read,) = cx.function.args
    unusual = cx.b.append_basic_block("unusual")
    used = _find_used(cx, read, unusual)
    columns = cx.load_field(read, PlainRead, "columns", PTR)
    count = cx.load_field(read, PlainRead, "column_count")
    target = cx.variable(PTR, cx.load_field(read, PlainRead, "target", PTR))
    with cx.loop(i64(0), count, "column") as index:
        column = cx.at(columns, cx.b.mul(index, i64(ctypes.sizeof(PlainColumn))))
        _Column(cx, read, column, cx.b.load(target, typ=PTR), used, unusual).fill()
        stride = cx.load_field(read, PlainRead, "stride")
        cx.b.store(cx.at(cx.b.load(target, typ=PTR), stride), target)
    cx.b.ret(used)
    cx.b.position_at_end(unusual)
    cx.b.ret(i64(UNUSUAL))


def _find_used(cx: KernelContext, read: ll.Value, unusual: ll.Block) -> ll.Value:
    """Write the numbers of used slots; how many there are, unless a tag tells of a null."""
    slots, places = (cx.load_field(read, PlainRead, name, PTR) for name in ("slots", "places"))
    count, size = (cx.load_field(read, PlainRead, name) for name in ("slot_count", "slot_size"))
    used, any_, every = write_used(cx, slots, count, size, places)
    null = cx.b.and_(any_, cx.load_field(read, PlainRead, "null_bits"))
    unseen = cx.b.and_(cx.b.not_(every), cx.load_field(read, PlainRead, "seen_bits"))
    _leave_if(cx, cx.b.icmp_unsigned("!=", cx.b.or_(null, unseen), i64(0)), unusual)
    return used


def _leave_if(cx: KernelContext, condition: ll.Value, where: ll.Block) -> None:
    on = cx.b.append_basic_block("usual")
    cx.b.cbranch(condition, where, on)
    cx.b.position_at_end(on)


class _Column:
    """One column of all groups."""

    def __init__(
        self,
        cx: KernelContext,
        read: ll.Value,
        column: ll.Value,
        target: ll.Value,
        used: ll.Value,
        unusual: ll.Block,
    ) -> None:
        self.cx, self.read, self.target, self.used, self.unusual = cx, read, target, used, unusual
        self.source, self.width, self.offset, self.other = (
            cx.load_field(column, PlainColumn, name)
            for name in ("source", "width", "offset", "other")
        )
        self.slots = cx.load_field(read, PlainRead, "slots", PTR)
        self.size = cx.load_field(read, PlainRead, "slot_size")
        self.places = cx.load_field(read, PlainRead, "places", PTR)

    def fill(self) -> None:
        """Write the values, whatever their source is."""
        b = self.cx.b
        after = b.append_basic_block("column.after")
        switch = b.switch(self.source, self.unusual)
        for source in Source:
            block = b.append_basic_block(source.name.lower())
            switch.add_case(i64(source), block)
            b.position_at_end(block)
            getattr(self, f"_{source.name.lower()}")()
            b.branch(after)
        b.position_at_end(after)

    def _field(self) -> None:
        b = self.cx.b
        after = b.append_basic_block("field.after")
        switch = b.switch(self.width, self.unusual)
        for width in WIDTHS:
            block = b.append_basic_block(f"field{width}")
            switch.add_case(i64(width), block)
            b.position_at_end(block)
            type_ = ll.IntType(8 * width)
            with self.cx.loop(i64(0), self.used, "group") as index:
                self._put(index, self._word(index, self.offset, type_))
            b.branch(after)
        b.position_at_end(after)

    def _repeated(self) -> None:
        start, end = (self.cx.load_field(self.read, PlainRead, at) for at in ("start", "end"))
        is_start = self.cx.b.icmp_signed("==", self.offset, i64(START))
        value = self.cx.b.select(is_start, start, end)
        with self.cx.loop(i64(0), self.used, "group") as index:
            self._put(index, value)

    def _place(self) -> None:
        b, low = self.cx.b, self.cx.load_field(self.read, PlainRead, "low")
        after = b.append_basic_block("place.after")
        switch = b.switch(self.width, self.unusual)
        for width in WIDTHS:
            block = b.append_basic_block(f"place{width}")
            switch.add_case(i64(width), block)
            b.position_at_end(block)
            with self.cx.loop(i64(0), self.used, "group") as index:
                key = b.add(self._slot_number(index), low)
                self._put(index, key if width == 8 else b.trunc(key, ll.IntType(8 * width)))
            b.branch(after)
        b.position_at_end(after)

    def _wide(self) -> None:
        b, lost = self.cx.b, self.cx.variable(I64, i64(0))
        with self.cx.loop(i64(0), self.used, "group") as index:
            low, high = self._word(index, self.offset), self._word(index, self.other)
            self._put(index, low)
            differs = b.xor(b.ashr(low, i64(63)), high)
            b.store(b.or_(b.load(lost, typ=I64), differs), lost)
        _leave_if(self.cx, b.icmp_signed("!=", b.load(lost, typ=I64), i64(0)), self.unusual)

    def _ratio(self) -> None:
        b = self.cx.b
        with self.cx.loop(i64(0), self.used, "group") as index:
            count = b.sitofp(self._word(index, self.other), F64)
            self._put(index, b.fdiv(self._word(index, self.offset, F64), count))

    def _not_zero(self) -> None:
        b, zeros = self.cx.b, self.cx.variable(I64, i64(0))
        with self.cx.loop(i64(0), self.used, "group") as index:
            is_zero = b.icmp_signed("==", self._word(index, self.offset), i64(0))
            b.store(b.or_(b.load(zeros, typ=I64), b.zext(is_zero, I64)), zeros)
        _leave_if(self.cx, b.icmp_signed("!=", b.load(zeros, typ=I64), i64(0)), self.unusual)

    def _slot_number(self, index: ll.Value) -> ll.Value:
        place = self.cx.b.load(self.cx.element(self.places, index, I32), typ=I32)
        return self.cx.b.zext(place, I64)

    def _word(self, index: ll.Value, offset: ll.Value, type_: ll.Type = I64) -> ll.Value:
        slot = self.cx.at(self.slots, self.cx.b.mul(self._slot_number(index), self.size))
        return self.cx.b.load(self.cx.at(slot, offset), typ=type_, align=1)

    def _put(self, index: ll.Value, value: ll.Value) -> None:
        self.cx.b.store(value, self.cx.element(self.target, index, value.type), align=1)
