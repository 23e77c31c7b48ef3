"""Rows of hot groups added up beside the table, in generated code.

One more pass over a block's selection compares the keys of all rows with the hot ones, without
a branch. It adds the hot rows up in registers and writes the numbers of the others into a
second vector; only those go to the table row by row. What the hot rows add up to follows when
they are done. Nothing of that can leave the kernel: where a hot group is not in the table yet,
or sums might not fit, the block goes the plain way instead. If one of the other rows leaves,
the hot rows before it are added up once more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, KernelArgs
from codegen_llvm.accumulators import (
    Accumulator,
    Bits,
    Count,
    Extreme,
    FloatProduct,
    FloatSum,
    IntegerSum,
    StoredGroup,
)
from codegen_llvm.aggregates import accumulator, accumulator_kind
from codegen_llvm.block_filter import selected
from codegen_llvm.builder import I1, I32, I64, PTR, KernelContext, i64, llvm_type, new_function
from codegen_llvm.columns import Columns, Lookup
from codegen_llvm.expressions import lower
from codegen_llvm.keys import Key
from codegen_llvm.layout import ROWS, InputLayout, SlotLayout
from codegen_llvm.rows import RowAggregator
from codegen_llvm.table import Init, Table, TableRegisters
from codegen_llvm.values import Value
from codegen_llvm.vector_tests import LANES
from ir import BOOL, DATE, INT64, TIMESTAMP, DataType, EvalMode, Expr, HotKeys
from ir.pipelines import RowProgram

MOST_HOT_KEYS = 4  # each costs a comparison and its sums for every row of a block
_KINDS = (Count, IntegerSum, FloatSum, FloatProduct, Extreme, Bits)
_SUM_BITS = 62  # a sum in a slot, and what a block adds to it, are each below 2^62

# Emits a call that aggregates a block's selected rows without this; `(cx, args, first, count)`.
Plain = Callable[[KernelContext, ll.Value, ll.Value, ll.Value], ll.Value]


def usable_keys(
    program: RowProgram, slots: SlotLayout, hint: HotKeys | None
) -> tuple[tuple[int, ...], ...]:
    """The hot keys that rows of a program can have; none where the hint does not apply."""
    calls = [aggregate.call for aggregate in program.aggregates]
    read = [key.expr for key in program.keys] + [a for call in calls for a in call.arguments]
    if hint is None or slots.slice_is_key or slots.shared:
        return ()
    if not all(map(_is_simple, read)):
        return ()
    if not all(issubclass(accumulator_kind(one), _KINDS) for one in program.aggregates):
        return ()
    types = [key.expr.type for key in program.keys]
    ranges = [_range(type_) for type_ in types]
    keys = [key for key in dict.fromkeys(hint.keys) if _fits(key, ranges)]
    return tuple(keys[:MOST_HOT_KEYS])


def _is_simple(expr: Expr) -> bool:
    """Whether it always has a value, and computing it never leaves the kernel."""
    types = {node.type for node in expr.walk()}
    any_wide = any(type_.is_bytes or type_.is_decimal for type_ in types)
    return not (expr.nullable or expr.can_fail or any_wide)


def _range(type_: DataType) -> range:
    """The values of a type of keys; none of one that is no integer of any kind."""
    if type_.is_integer:
        return range(type_.low, type_.high + 1)
    bits = {BOOL: 1, DATE: 32, TIMESTAMP: 64}.get(type_, 0)
    if not bits:
        return range(0)
    return range(2) if type_ == BOOL else range(-(1 << bits - 1), 1 << bits - 1)


def _fits(key: tuple[int, ...], ranges: list[range]) -> bool:
    same = bool(ranges) and len(key) == len(ranges)
    return same and all(part in range_ for part, range_ in zip(key, ranges, strict=True))


class _KnownGroups(Table):
    """Finds groups; goes on at `missing` where a table has no such group."""

    missing: ll.Block

    def _insert(
        self, keys: list[Key], slot: ll.Value, tag: ll.Value, init_accumulators: Init
    ) -> None:
        self.cx.b.branch(self.missing)
        self.cx.b.position_at_end(self.cx.b.append_basic_block("never"))

    def _dense_index(self, keys: list[Key]) -> ll.Value:
        offsets = []
        for offset, broken in self._offsets(keys):
            self.cx.branch_if(broken, self.missing)
            offsets.append(offset)
        return self._packed(offsets)


@dataclass
class HotRows:
    """Generates the functions of a kernel with hot keys."""

    module: ll.Module
    program: RowProgram
    layout: InputLayout
    slots: SlotLayout
    lookups: tuple[Lookup, ...]
    keys: tuple[tuple[int, ...], ...]
    block_rows: int
    of_all: bool  # there is no selection: every row of a block counts

    def build(
        self,
        aggregator: Callable[[KernelContext, ll.Value], RowAggregator],
        plain: Plain,
        *,
        in_slice: bool,
        direct: bool,
    ) -> ll.Function:
        """The function `(args, first row, count) -> exit code`, as the plain one."""
        self._split, self._add = self._build_split(), self._build_add()
        self._again = self._build_again()
        cx = self._function("hot", I32, PTR, I64, I64)
        args, first, count = cx.function.args
        rows = aggregator(cx, first)
        sums, found = self._memory(cx)
        cold = cx.b.call(self._split, [args, first, count, sums])
        goes_plain = cx.b.append_basic_block("plain")
        self._find_groups(rows, sums, found, goes_plain)
        others = self._cold(cx, args)
        with cx.before_leaving(lambda: self._settle(rows, first, count, sums, found)):
            self._aggregate_cold(rows, first, cold, others, in_slice=in_slice, direct=direct)
        cx.b.call(self._add, [args, sums, found])
        cx.b.store(count, rows.done)
        cx.leave(Exit.DONE, first)
        rows.finish()
        cx.b.position_at_end(goes_plain)
        cx.b.ret(plain(cx, args, first, count))
        return cx.function

    def _aggregate_cold(
        self,
        rows: RowAggregator,
        first: ll.Value,
        count: ll.Value,
        others: ll.Value,
        *,
        in_slice: bool,
        direct: bool,
    ) -> None:
        cx = rows.cx

        def index_of(pick: ll.Value) -> ll.Value:
            return selected(cx, others, pick)

        with cx.loop(i64(0), count, "pick") as pick:
            rows.look_ahead(pick, count, index_of)
            index = index_of(pick)
            with rows.each():
                rows.aggregate(cx.b.add(first, index), index, in_slice=in_slice, direct=direct)

    def _settle(
        self,
        rows: RowAggregator,
        first: ll.Value,
        count: ll.Value,
        sums: ll.Value,
        found: ll.Value,
    ) -> None:
        """Before the kernel leaves at the current row: add the hot rows before it."""
        cx = rows.cx
        before = cx.b.call(self._again, [rows.args, first, count, cx.row, sums])
        cx.b.store(before, rows.done)
        cx.b.call(self._add, [rows.args, sums, found])

    # -- the pass over all rows ---------------------------------------------------------------

    def _build_split(self) -> ll.Function:
        """`(args, first row, count, sums) -> rows of other keys`, whose numbers it writes."""
        cx = self._function("hot.split", I64, PTR, I64, I64, PTR)
        args, first, count, sums = cx.function.args
        columns = Columns(cx, self.program.input, self.layout, self.lookups, first=first)
        partials = [self._partial(cx) for _ in self.keys]
        large = cx.variable(I64, i64(0))
        kept = cx.variable(I64, i64(0))
        selection, cold = self._selection(cx, args), self._cold(cx, args)
        with cx.loop(i64(0), count, "split") as pick:
            cx.row = self._index(cx, selection, pick)
            values = [self._argument(cx, columns, position) for position in self._positions]
            for value in self._summed(values):
                self._note_size(cx, large, value)
            any_hot = self._add_hot(cx, columns, partials, values)
            slot = cx.b.load(kept, typ=I64)
            cx.b.store(cx.b.trunc(cx.row, I32), cx.element(cold, slot, I32))
            cx.b.store(cx.b.add(slot, cx.b.zext(cx.b.not_(any_hot), I64)), kept)
        for number, partial in enumerate(partials):
            cx.copy_bytes(self._sum_of(cx, sums, number), partial, i64(self.slots.size))
        cx.b.store(cx.b.load(large, typ=I64), self._size_of(cx, sums))
        cx.b.ret(cx.b.load(kept, typ=I64))
        return cx.function

    def _partial(self, cx: KernelContext) -> ll.Value:
        """What no row adds up to, as a slot of the table; its tag counts rows."""
        partial = cx.stack(ll.ArrayType(I64, self.slots.size // 8))
        cx.b.store(i64(0), partial)
        for one in self._accumulators(cx):
            one.init(partial)
        return partial

    def _add_hot(
        self,
        cx: KernelContext,
        columns: Columns,
        partials: list[ll.Value],
        values: list[Value | None],
    ) -> ll.Value:
        """Add the row to the hot group that it is of; returns whether there is one."""
        any_hot: ll.Value = ll.Constant(I1, 0)
        keys = [lower(cx, columns, key.expr).payload for key in self.program.keys]
        for numbers, partial in zip(self.keys, partials, strict=True):
            hot: ll.Value = ll.Constant(I1, 1)
            for key, number in zip(keys, numbers, strict=True):
                same = cx.b.icmp_signed("==", key, ll.Constant(key.type, number))
                hot = cx.b.and_(hot, same)
            rows = cx.b.load(partial, typ=I64)
            cx.b.store(cx.b.add(rows, cx.b.zext(hot, I64)), partial)
            for one, value in zip(self._accumulators(cx), values, strict=True):
                one.argument = _unless(cx, hot, value)
                one.prepare(partial)()
            any_hot = cx.b.or_(any_hot, hot)
        return any_hot

    def _accumulators(self, cx: KernelContext) -> list[Accumulator]:
        """Those of the partials: sums of a block are small, so they are not checked."""
        table = self._slots_of(cx)
        made = []
        for position, aggregate in enumerate(self.program.aggregates):
            unchecked = replace(aggregate, call=replace(aggregate.call, mode=EvalMode.LEGACY))
            made.append(accumulator(cx, table, position, unchecked, []))
        return made

    def _slots_of(self, cx: KernelContext) -> Table:
        """A table as far as slots are read and written, not looked for."""
        none = ll.Constant(PTR, None)
        return Table(cx, self.slots, none, TableRegisters(none, none, none, none, none), none)

    def _argument(self, cx: KernelContext, columns: Columns, position: int) -> Value | None:
        argument = self.program.aggregates[position].call.argument
        return None if argument is None else lower(cx, columns, argument)

    def _summed(self, values: list[Value | None]) -> list[Value]:
        """The values of the row whose sums have to be small, and may not be by their type."""
        return [
            value
            for position, value in enumerate(values)
            if value is not None and self._is_checked(position) and value.type == INT64
        ]

    def _note_size(self, cx: KernelContext, large: ll.Value, value: Value) -> None:
        """Keep all bits that some value of the block needs beside its sign."""
        sign = cx.b.ashr(value.payload, i64(63))
        bits = cx.b.xor(value.payload, sign)
        cx.b.store(cx.b.or_(cx.b.load(large, typ=I64), bits), large)

    def _build_again(self) -> ll.Function:
        """`(args, first row, count, row, sums) -> selected rows before the row`, split anew."""
        cx = self._function("hot.again", I64, PTR, I64, I64, I64, PTR)
        args, first, count, row, sums = cx.function.args
        selection, before = self._selection(cx, args), cx.variable(I64, i64(0))
        with cx.loop(i64(0), count, "before") as pick:
            here = cx.b.add(first, self._index(cx, selection, pick))
            cx.count_up(before, cx.b.zext(cx.b.icmp_signed("<", here, row), I64))
        picks = cx.b.load(before, typ=I64)
        cx.b.call(self._split, [args, first, picks, sums])
        cx.b.ret(picks)
        return cx.function

    # -- what it adds up to ---------------------------------------------------------------------

    def _find_groups(
        self, rows: RowAggregator, sums: ll.Value, found: ll.Value, goes_plain: ll.Block
    ) -> None:
        """Find the groups of the hot keys that the block has; without effects."""
        cx = rows.cx
        bits = _SUM_BITS - self.block_rows.bit_length()
        large = cx.b.lshr(cx.b.load(self._size_of(cx, sums), typ=I64), i64(max(0, bits)))
        cx.branch_if(cx.b.icmp_signed("!=", large, i64(0)), goes_plain)
        probes = cx.variable(I64, i64(0))
        table = _KnownGroups(cx, self.slots, rows.state, rows.registers, probes)
        table.missing = goes_plain
        for number, key in enumerate(self.keys):
            any_rows = cx.b.load(self._sum_of(cx, sums, number), typ=I64)
            with cx.b.if_then(cx.b.icmp_signed("!=", any_rows, i64(0))):
                slot = table.find_or_insert(self._table_keys(key), lambda slot: None)
                self._check_sums(cx, table, slot, goes_plain)
                cx.b.store(slot, cx.element(found, i64(number), PTR))

    def _check_sums(
        self, cx: KernelContext, table: Table, slot: ll.Value, goes_plain: ll.Block
    ) -> None:
        for position in self._positions:
            if self._is_checked(position):
                old = table.stored(slot, f"agg{position}", INT64).payload
                shifted = cx.b.add(old, i64(1 << _SUM_BITS))
                cx.branch_if(cx.b.icmp_signed("<", shifted, i64(0)), goes_plain)

    def _build_add(self) -> ll.Function:
        """`(args, sums, found groups)`: add the sums to the groups; nothing can fail."""
        cx = self._function("hot.add", ll.VoidType(), PTR, PTR, PTR)
        _, sums, found = cx.function.args
        table = self._slots_of(cx)
        seen = sum(self.slots.seen_bit(p) for p in self._positions if self.slots.tracks_seen(p))
        for number in range(len(self.keys)):
            partial = self._sum_of(cx, sums, number)
            rows = cx.b.load(partial, typ=I64)
            with cx.b.if_then(cx.b.icmp_signed("!=", rows, i64(0))):
                slot = cx.b.load(cx.element(found, i64(number), PTR), typ=PTR)
                for one in self._accumulators(cx):
                    one.merge(slot, StoredGroup(self.slots, partial))()
                if self.slots.rows == ROWS:
                    table.add_word(cx.at(slot, self.slots.offset(ROWS)), rows)
                if seen:
                    table.mark(slot, i64(seen))
        cx.b.ret_void()
        return cx.function

    def _table_keys(self, key: tuple[int, ...]) -> list[Key]:
        made = []
        for position, number in enumerate(key):
            type_ = self.program.keys[position].expr.type
            value = Value(type_, ll.Constant(llvm_type(type_), number))
            made.append(Key(f"key{position}", value, self.slots.key_null_bit(position)))
        return made

    def _is_checked(self, position: int) -> bool:
        """Whether an aggregate is a sum that must not leave 64 bits."""
        aggregate = self.program.aggregates[position]
        is_sum = issubclass(accumulator_kind(aggregate), IntegerSum)
        return is_sum and aggregate.call.mode is not EvalMode.LEGACY

    # -- memory ---------------------------------------------------------------------------------

    @property
    def _positions(self) -> range:
        return range(len(self.program.aggregates))

    def _function(self, name: str, result: ll.Type, *params: ll.Type) -> KernelContext:
        cx = new_function(self.module, name, result, params)
        cx.function.linkage = "internal"
        cx.function.attributes.add("noinline")
        return cx

    def _memory(self, cx: KernelContext) -> tuple[ll.Value, ll.Value]:
        """For a sum of each hot key as a slot, with the size of values behind; for the groups."""
        sums = cx.stack(ll.ArrayType(I64, len(self.keys) * self.slots.size // 8 + 1))
        return sums, cx.stack(ll.ArrayType(PTR, len(self.keys)))

    def _sum_of(self, cx: KernelContext, sums: ll.Value, number: int) -> ll.Value:
        return cx.at(sums, number * self.slots.size)

    def _size_of(self, cx: KernelContext, sums: ll.Value) -> ll.Value:
        return cx.at(sums, len(self.keys) * self.slots.size)

    def _selection(self, cx: KernelContext, args: ll.Value) -> ll.Value:
        return cx.load_field(args, KernelArgs, "selection", PTR)

    def _index(self, cx: KernelContext, selection: ll.Value, pick: ll.Value) -> ll.Value:
        """The number of a selected row in the block."""
        return pick if self.of_all else selected(cx, selection, pick)

    def _cold(self, cx: KernelContext, args: ll.Value) -> ll.Value:
        """The numbers of the other rows: behind the selection, which is still needed."""
        return cx.element(self._selection(cx, args), i64(self.block_rows + LANES), I32)


def _unless(cx: KernelContext, hot: ll.Value, value: Value | None) -> Value:
    """A value that counts in a hot row only; a count of rows has any."""
    payload = i64(0) if value is None else value.payload
    return Value(INT64 if value is None else value.type, payload, cx.b.not_(hot))
