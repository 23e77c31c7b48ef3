"""Window tables in generated code: groups of other tables are added to them and taken out.

A source is a piece that a kernel has filled, or another window table. Its used
slots are taken one by one, as kernels take rows: an exit says which slot is not
done, and nothing of that slot has taken effect.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, KernelArgs, TableBlock
from codegen_llvm.accumulators import Accumulator, StoredGroup
from codegen_llvm.aggregates import accumulator
from codegen_llvm.builder import (
    I1,
    I32,
    I64,
    PTR,
    KernelContext,
    errors_of,
    i64,
    llvm_type,
    new_function,
)
from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.keys import Key
from codegen_llvm.layout import SlotLayout
from codegen_llvm.rehash import build_rehash
from codegen_llvm.table import Table, table_registers
from codegen_llvm.values import Value
from ir import TIMESTAMP, EvaluationError, Expr
from ir.pipelines import RowProgram

MERGE, SUBTRACT, REHASH = "merge", "subtract", "rehash"
NOT_ADDED = -1  # the number of the error that a group has had fewer rows than are taken out


@dataclass(frozen=True)
class CompiledCombine:
    """Machine code that combines tables of two layouts; keeps the code alive.

    `merge` and `subtract` take the address of a `KernelArgs`, whose rows are the
    source's slots, and that of the source's `TableBlock`. The GIL is released.
    """

    code: MachineCode
    merge: Callable[[int, int], int]
    subtract: Callable[[int, int], int] | None  # where the source can be taken out again
    rehash: Callable[[int, int, int], int] | None  # None of an array, which never grows
    errors: tuple[tuple[str, str], ...]  # of users' aggregates

    def error(self, number: int) -> Exception:
        """The error that an exit with this number reports."""
        if number == NOT_ADDED:
            return ValueError("a piece is taken out that was not added; add it first")
        return EvaluationError(*self.errors[number])


def compile_combine(program: RowProgram, source: SlotLayout, target: SlotLayout) -> CompiledCombine:
    """Generate and compile what combines tables of these layouts."""
    module = build_combine(program, source, target)
    code = compile_module(module, in_parts=True)  # one `rehash` for all sources
    word, address = ctypes.c_int64, ctypes.c_void_p
    return CompiledCombine(
        code,
        code.function(MERGE, ctypes.c_int32, address, address),
        code.function(SUBTRACT, ctypes.c_int32, address, address)
        if target.rows is not None and can_subtract(program, source)
        else None,
        None if target.dense else code.function(REHASH, None, address, word, address),
        tuple(errors_of(module)),
    )


def can_subtract(program: RowProgram, source: SlotLayout) -> bool:
    """Whether groups of such a source can be taken out of a window table again."""
    counted = source.rows is not None and all(source.has(f"agg{i}.count") for i in source.seen)
    return counted and all(a.call.invertible for a in program.aggregates)


def build_combine(program: RowProgram, source: SlotLayout, target: SlotLayout) -> ll.Module:
    """The functions `merge`, `subtract` (where it is possible) and `rehash`."""
    module = ll.Module("combine")
    _Combine(module, MERGE, program, source, target).build()
    if target.rows is not None and can_subtract(program, source):
        _Combine(module, SUBTRACT, program, source, target).build()
    if not target.dense:
        build_rehash(module, program, target, REHASH)
    return module


class _Combine:
    """The function `(args, source table) -> exit code` that merges or subtracts."""

    def __init__(
        self,
        module: ll.Module,
        name: str,
        program: RowProgram,
        source: SlotLayout,
        target: SlotLayout,
    ) -> None:
        self.name, self.program, self.source, self.target = name, program, source, target
        self.cx = new_function(module, name, I32, (PTR, PTR))
        self.args, self.source_table = self.cx.function.args
        state = self.cx.load_field(self.args, KernelArgs, "state", PTR)
        registers = table_registers(self.cx, state, target)
        self.probes = self.cx.variable(I64, i64(0))
        self.table = Table(self.cx, target, state, registers, self.probes)
        self.accumulators = [
            accumulator(self.cx, self.table, position, aggregate)
            for position, aggregate in enumerate(program.aggregates)
        ]

    def build(self) -> None:
        """Emit the function."""
        cx = self.cx
        slots = cx.load_field(self.source_table, TableBlock, "slots", PTR)
        begin = cx.load_field(self.args, KernelArgs, "row_begin")
        end = cx.load_field(self.args, KernelArgs, "row_end")
        with cx.loop(begin, end, "slot") as index:
            cx.row = index
            slot = cx.at(slots, cx.b.mul(index, i64(self.source.size)))
            with cx.b.if_then(cx.b.trunc(cx.b.load(slot, typ=I64), I1)):
                if self.source.wide:
                    with cx.b.if_then(cx.b.icmp_signed("!=", self._rows(slot), i64(0))):
                        self._take(slot)
                else:
                    self._take(slot)
        cx.leave(Exit.DONE, end)
        for code, tail in cx.tails.items():
            cx.b.position_at_end(tail)
            cx.b.ret(ll.Constant(I32, int(code)))

    def _take(self, source: ll.Value) -> None:
        """Add one group to its counterpart, or take it out; all that can leave comes first."""
        cx, group = self.cx, StoredGroup(self.source, source)
        keys = stored_keys(cx, self.program, self.source, self.target, source, self.source_table)
        self._reserve(group)
        slot = self.table.find_or_insert(keys, self._init)
        if self.name == MERGE and self._is_narrow():
            for one in self.accumulators:
                one.leave_unless_it_fits(slot, group)
        counts = None if self.target.rows is None else self._count_rows(slot, source)
        stores = [self._combined(one, slot, group) for one in self.accumulators]
        for store in stores:
            store()
        if counts is not None:
            self._store_rows(slot, *counts)
        self._mark_seen(slot, source)

    def _is_narrow(self) -> bool:
        """Whether the target is a piece itself, whose sums have 64 bits."""
        return self.target.dense or (self.source == self.target and not self.target.wide)

    def _combined(self, one: Accumulator, slot: ll.Value, group: StoredGroup) -> Callable[[], None]:
        return one.merge(slot, group) if self.name == MERGE else one.subtract(slot, group)

    def _reserve(self, group: StoredGroup) -> None:
        rooms = (one.room_to_merge(group) for one in self.accumulators)
        self.table.reserve_all([room for room in rooms if room is not None])

    def _init(self, slot: ll.Value) -> None:
        if self.target.rows is not None:
            self.cx.b.store(i64(0), self.cx.at(slot, self.target.offset(self.target.rows)))
        for one in self.accumulators:
            one.init(slot)

    def _rows(self, source: ll.Value) -> ll.Value:
        """The rows of a source's group; 1 where they are not counted, so that it lives."""
        if self.source.rows is None:
            return i64(1)
        return self.cx.b.load(self.cx.at(source, self.source.offset(self.source.rows)), typ=I64)

    def _count_rows(self, slot: ll.Value, source: ll.Value) -> tuple[ll.Value, ll.Value]:
        """The rows of the group before and after; there are never fewer than none."""
        cx = self.cx
        assert self.target.rows is not None
        before = cx.b.load(cx.at(slot, self.target.offset(self.target.rows)), typ=I64)
        if self.name == MERGE:
            return before, cx.b.add(before, self._rows(source))
        after = cx.b.sub(before, self._rows(source))
        with cx.b.if_then(cx.b.icmp_signed("<", after, i64(0)), likely=False):
            cx.leave(Exit.ERROR, cx.row, NOT_ADDED)
        return before, after

    def _store_rows(self, slot: ll.Value, before: ll.Value, after: ll.Value) -> None:
        """Keep the count of groups that have rows left."""
        cx = self.cx
        assert self.target.rows is not None
        cx.b.store(after, cx.at(slot, self.target.offset(self.target.rows)))
        block = cx.b.load(self.table.registers.block, typ=PTR)
        live = cx.load_field(block, TableBlock, "live")
        lived, lives = (cx.b.icmp_signed(">", rows, i64(0)) for rows in (before, after))
        step = cx.b.sub(cx.b.zext(lives, I64), cx.b.zext(lived, I64))
        cx.store_field(cx.b.add(live, step), block, TableBlock, "live")

    def _mark_seen(self, slot: ll.Value, source: ll.Value) -> None:
        """An aggregate that had a value in the source has one now."""
        mask = sum(self.target.seen_bit(position) for position in self.target.seen)
        if not mask or self.name == SUBTRACT:
            return
        seen = self.cx.b.and_(self.cx.b.load(source, typ=I64), i64(mask))
        self.cx.b.store(self.cx.b.or_(self.cx.b.load(slot, typ=I64), seen), slot)


def stored_keys(
    cx: KernelContext,
    program: RowProgram,
    source: SlotLayout,
    target: SlotLayout,
    slot: ll.Value,
    table: ll.Value,
) -> list[Key]:
    """The keys of a source's group, as a look-up in a target of that layout takes them.

    Where the target has the slice as a key and the source is the table of one
    slice, the key is that slice.
    """
    group = StoredGroup(source, slot)
    keys = []
    if target.slice_is_key:
        start = (
            group.value(cx, "slice", TIMESTAMP)
            if source.slice_is_key
            else Value(TIMESTAMP, cx.load_field(table, TableBlock, "slice_start"))
        )
        keys.append(Key("slice", start, 0))
    if source.dense:
        return keys + _dense_keys(cx, program, target, table)
    tag = cx.b.load(slot, typ=I64)
    for position, key in enumerate(program.keys):
        value, bit = group.value(cx, f"key{position}", key.expr.type), target.key_null_bit(position)
        null = None
        if key.expr.nullable:
            null = cx.b.icmp_signed("!=", cx.b.and_(tag, i64(bit)), i64(0))
        keys.append(
            Key(f"key{position}", Value(value.type, value.payload, null, value.length), bit)
        )
    return keys


def _dense_keys(
    cx: KernelContext, program: RowProgram, target: SlotLayout, table: ll.Value
) -> list[Key]:
    """The keys that a group of a dense table has by its place, which is the current row."""
    rest, keys = cx.row, []
    for position, key in reversed(list(enumerate(program.keys))):
        low, span = (
            cx.load_field(table, TableBlock, f"{name}{position}") for name in ("low", "span")
        )
        number = cx.b.add(cx.b.urem(rest, span), low)
        rest = cx.b.udiv(rest, span)
        value = _dense_value(cx, key.expr, table, position, number)
        keys.append(Key(f"key{position}", value, target.key_null_bit(position)))
    return keys[::-1]


def _dense_value(
    cx: KernelContext, key: Expr, table: ll.Value, position: int, number: ll.Value
) -> Value:
    """The key that a number stands for: itself, or a string of the runtime's dictionary."""
    null = ll.Constant(I1, 0) if key.nullable else None
    if not key.type.is_bytes:
        type_ = llvm_type(key.type)
        return Value(key.type, number if type_ == I64 else cx.b.trunc(number, type_), null)
    offsets = cx.load_field(table, TableBlock, f"string_offsets{position}", PTR)
    data = cx.load_field(table, TableBlock, f"strings{position}", PTR)
    address = cx.element(offsets, number, I32)
    start, end = (cx.b.load(at, typ=I32) for at in (address, cx.at(address, 4)))
    return Value(key.type, cx.at(data, cx.b.sext(start, I64)), null, cx.b.sub(end, start))
