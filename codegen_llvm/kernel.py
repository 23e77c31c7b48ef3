"""A kernel: one fused loop from Arrow columns to groups, built from a row program.

A block of rows is filtered first, without effects, into row numbers; then the
rows that passed are grouped. In C, the same query runs 1.6 to 1.8 times as fast
this way as with a branch per row, at a selectivity of 1/3.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, KernelArgs
from codegen_llvm.accumulators import Accumulator
from codegen_llvm.builder import I1, I32, I64, PTR, i64, new_function
from codegen_llvm.columns import Columns, Lookup, find_lookups
from codegen_llvm.expressions import lower
from codegen_llvm.layout import InputLayout, SlotLayout
from codegen_llvm.lookups import build_prepare
from codegen_llvm.rehash import build_migrate, build_rehash
from codegen_llvm.selection import BlockFilter, selected
from codegen_llvm.slices import Slices
from codegen_llvm.table import Key, Table, normalize_key, table_registers
from codegen_llvm.values import Value, is_true
from ir import STRING, TIMESTAMP, Call, Column, Expr, VariantSpec
from ir.pipelines import RowProgram, narrow_nulls

RUN, PREPARE, REHASH, MIGRATE = "run", "prepare", "rehash", "migrate"


@dataclass(frozen=True)
class KernelModule:
    """The LLVM module of a kernel, and what its host has to know about it."""

    module: ll.Module
    lookups: tuple[Lookup, ...]
    errors: tuple[tuple[str, str], ...]


def build_kernel(
    program: RowProgram, layout: InputLayout, slots: SlotLayout, spec: VariantSpec
) -> KernelModule:
    """Generate the functions of one variant of a program."""
    narrowed = program
    if not layout.has_nulls:
        narrowed = narrow_nulls(program, frozenset(program.input.names))
    lookups = find_lookups(tuple(narrowed.expressions()), narrowed.input, layout)
    module = ll.Module("kodiak")
    errors = _Run(module, narrowed, layout, slots, spec, lookups).build()
    build_prepare(module, narrowed, layout, lookups, PREPARE)
    build_rehash(module, program, slots, REHASH)
    if slots.slice_is_key:
        build_migrate(module, program, slots, MIGRATE)
    return KernelModule(module, lookups, tuple(errors))


class _Run:
    """The function `run(args) -> exit code`."""

    def __init__(
        self,
        module: ll.Module,
        program: RowProgram,
        layout: InputLayout,
        slots: SlotLayout,
        spec: VariantSpec,
        lookups: tuple[Lookup, ...],
    ) -> None:
        self.program, self.slots, self.spec = program, slots, spec
        self.cx = cx = new_function(module, RUN, I32, (PTR,))
        self.args = cx.function.args[0]
        self.columns = Columns(cx, program.input, layout, lookups)
        self.state = cx.load_field(self.args, KernelArgs, "state", PTR)
        self.passed = cx.variable(I64, cx.load_field(self.args, KernelArgs, "rows_passed"))
        probes = cx.variable(I64, cx.load_field(self.args, KernelArgs, "probes"))
        self.registers = table_registers(cx, self.state)
        self.table = Table(cx, slots, self.state, self.registers, probes)
        self.filters = _filters(program)

    def build(self) -> list[tuple[str, str]]:
        """Emit the function; returns the errors that it may report."""
        cx = self.cx
        begin = cx.load_field(self.args, KernelArgs, "row_begin")
        end = cx.load_field(self.args, KernelArgs, "row_end")
        if not self.filters:
            self._aggregate_all(begin, end)
        elif self.spec.block_rows is None:
            self._branch_per_row(begin, end)
        else:
            self._select_blocks(begin, end, self.spec.block_rows)
        cx.leave(Exit.DONE, end)
        self._write_tails()
        return cx.errors

    def _aggregate_all(self, begin: ll.Value, end: ll.Value) -> None:
        with self.cx.loop(begin, end, "row") as row:
            self._aggregate(row)

    def _branch_per_row(self, begin: ll.Value, end: ll.Value) -> None:
        cx = self.cx
        with cx.loop(begin, end, "row") as row:
            rest = cx.b.append_basic_block("row.next")
            for predicate in self.filters:
                cx.row = row
                passes = cx.b.append_basic_block("passes")
                cx.b.cbranch(is_true(cx, lower(cx, self.columns, predicate)), passes, rest)
                cx.b.position_at_end(passes)
            self._aggregate(row)
            cx.b.branch(rest)
            cx.b.position_at_end(rest)

    def _select_blocks(self, begin: ll.Value, end: ll.Value, block_rows: int) -> None:
        """Blocks whose row numbers stay in the first-level cache."""
        cx = self.cx
        selection = cx.load_field(self.args, KernelArgs, "selection", PTR)
        mask = cx.load_field(self.args, KernelArgs, "mask", PTR)
        block_filter = BlockFilter(cx, self.columns, self.filters, selection, mask)
        span = cx.b.sub(end, begin)
        blocks = cx.b.sdiv(cx.b.add(span, i64(block_rows - 1)), i64(block_rows))
        with cx.loop(i64(0), blocks, "block") as block:
            first = cx.b.add(begin, cx.b.mul(block, i64(block_rows)))
            full = cx.b.add(first, i64(block_rows))
            last = cx.b.select(cx.b.icmp_signed("<", full, end), full, end)
            count = block_filter.select(first, last)
            self._aggregate_block(selection, first, last, count)

    def _aggregate_block(
        self, selection: ll.Value, first: ll.Value, last: ll.Value, count: ll.Value
    ) -> None:
        """Aggregate the selected rows; without a look at their time if the block is in one slice.

        Testing all times of a block with vectors is cheaper than testing those
        of the selected rows one by one, unless few are selected.
        """
        cx = self.cx

        def loop(in_slice: bool) -> None:
            with cx.loop(i64(0), count, "pick") as pick:
                self._aggregate(cx.b.add(first, selected(cx, selection, pick)), in_slice)

        if not self._is_plain_time():
            loop(in_slice=False)
            return
        many = cx.b.icmp_signed(">=", cx.b.shl(count, i64(2)), cx.b.sub(last, first))
        in_slice = cx.variable(I1, ll.Constant(I1, 0))
        with cx.b.if_then(many):
            cx.b.store(self._slices().all_inside(self._times(), first, last), in_slice)
        with cx.b.if_else(cx.b.load(in_slice, typ=I1)) as (inside, across):
            with inside:
                loop(in_slice=True)
            with across:
                loop(in_slice=False)

    def _is_plain_time(self) -> bool:
        """Whether the time is a column and each slice has its table."""
        window = self.program.window
        is_column = window is not None and isinstance(window.time, Column)
        return is_column and not self.slots.slice_is_key

    def _times(self) -> ll.Value:
        """The address of the time column's values."""
        assert self.program.window is not None
        time = self.program.window.time
        assert isinstance(time, Column)
        return self.columns.values(time.name)

    def _slices(self) -> Slices:
        assert self.program.window is not None
        return Slices(self.cx, self.program.window, self.state, self.registers)

    def _aggregate(self, row: ll.Value, in_slice: bool = False) -> None:
        """Add one row that passed to its group. All that can fail or leave comes first."""
        cx = self.cx
        cx.row = row
        arguments = [self._argument(a.call.argument) for a in self.program.aggregates]
        keys = [] if in_slice else self._enter_slice()
        keys += [self._key(position) for position in range(len(self.program.keys))]
        accumulators = [
            Accumulator(cx, self.table, position, aggregate, argument)
            for position, (aggregate, argument) in enumerate(
                zip(self.program.aggregates, arguments, strict=True)
            )
        ]
        self._reserve_strings(accumulators)

        def init(slot: ll.Value) -> None:
            for accumulator in accumulators:
                accumulator.init(slot)

        slot = self.table.find_or_insert(keys, init, self._always_seen(accumulators))
        stores = [accumulator.prepare(slot) for accumulator in accumulators]
        for store in stores:
            store()
        self._mark_seen(slot, accumulators)
        cx.count_up(self.passed, i64(1))

    def _argument(self, expr: Expr | None) -> Value | None:
        return None if expr is None else lower(self.cx, self.columns, expr)

    def _enter_slice(self) -> list[Key]:
        """Bring the row's slice into the registers; it is a key where slices share a table."""
        window = self.program.window
        if window is None:
            return []
        time = lower(self.cx, self.columns, window.time).payload
        slices = self._slices()
        if not self.slots.slice_is_key:
            slices.enter(time)
            return []
        return [Key("slice", Value(TIMESTAMP, slices.track(time)), 0)]

    def _key(self, position: int) -> Key:
        value = lower(self.cx, self.columns, self.program.keys[position].expr)
        return Key(
            f"key{position}", normalize_key(self.cx, value), self.slots.key_null_bit(position)
        )

    def _reserve_strings(self, accumulators: list[Accumulator]) -> None:
        rooms = [room for room in (a.room() for a in accumulators) if room is not None]
        if rooms:
            total = rooms[0]
            for room in rooms[1:]:
                total = self.cx.b.add(total, room)
            self.table.reserve(total)

    def _always_seen(self, accumulators: list[Accumulator]) -> int:
        """The seen bits that every row of this batch sets: the table sets them when it must."""
        return sum(
            a.seen_bit
            for a in accumulators
            if self.slots.tracks_seen(a.position) and not a.skips_rows and a.type != STRING
        )

    def _mark_seen(self, slot: ll.Value, accumulators: list[Accumulator]) -> None:
        """Set the bits of the other aggregates that have a value now."""
        always = self._always_seen(accumulators)
        bits: ll.Value = i64(0)
        for accumulator in accumulators:
            if self.slots.tracks_seen(accumulator.position) and not accumulator.seen_bit & always:
                bits = self.cx.b.or_(bits, accumulator.seen())
        if isinstance(bits, ll.Constant):
            return
        tag = self.cx.b.load(slot, typ=I64)
        self.cx.b.store(self.cx.b.or_(tag, bits), slot)

    def _write_tails(self) -> None:
        """Every exit writes the counters back before it returns."""
        for code, block in self.cx.tails.items():
            self.cx.b.position_at_end(block)
            for variable, name in ((self.passed, "rows_passed"), (self.table.probes, "probes")):
                value = self.cx.b.load(variable, typ=I64)
                self.cx.store_field(value, self.args, KernelArgs, name)
            self.cx.b.ret(ll.Constant(I32, int(code)))


def _filters(program: RowProgram) -> tuple[Expr, ...]:
    """The program's filters; a row without a time belongs to no window."""
    if program.window is None or not program.window.time.nullable:
        return program.filters
    return (*program.filters, Call("is_not_null", (program.window.time,)))
