"""Kernels that write rows: filters and computed columns, without an aggregate.

As in an aggregating kernel, a block of rows is filtered into row numbers first, unless
the variant has a branch for each row. A row's columns are all computed, and room for its
strings is there, before any is written; the row counts once all are.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, KernelArgs, OutputBlock
from codegen_llvm.block_filter import selected
from codegen_llvm.builder import (
    I8,
    I32,
    I64,
    PTR,
    KernelContext,
    errors_of,
    i64,
    llvm_type,
    new_function,
)
from codegen_llvm.columns import Columns, Lookup, find_lookups
from codegen_llvm.expressions import lower
from codegen_llvm.filter_order import ordered_filters
from codegen_llvm.kernel import (
    BLOCK_ROWS,
    PREPARE,
    RUN,
    KernelModule,
    columns_without_nulls,
    return_unless_done,
)
from codegen_llvm.layout import InputLayout
from codegen_llvm.lookups import build_prepare
from codegen_llvm.selection import build_select
from codegen_llvm.value_ranges import RangeGuard, assumed_ranges, leave_outside
from codegen_llvm.values import Value, is_true
from ir import BOOL, DataType, FilterOrder, ProjectionProgram, VariantSpec
from ir.intervals import Interval


def build_projection(
    program: ProjectionProgram, layout: InputLayout, spec: VariantSpec
) -> KernelModule:
    """Generate the functions of one variant of a projection."""
    narrowed = program.without_nulls(columns_without_nulls(program.input, layout, spec))
    ranges = assumed_ranges(narrowed, spec)
    narrowed = narrowed.proven(ranges)
    lookups = find_lookups(tuple(narrowed.expressions()), narrowed.input, layout)
    module = ll.Module("kodiak")
    functions = _Functions(module, narrowed, layout, lookups, spec, ranges)
    functions.build_run()
    build_prepare(module, narrowed.input, layout, lookups, PREPARE)
    return KernelModule(module, lookups, tuple(functions.errors))


@dataclass
class _Functions:
    """The function `run(args) -> exit code` and what it calls."""

    module: ll.Module
    program: ProjectionProgram
    layout: InputLayout
    lookups: tuple[Lookup, ...]
    spec: VariantSpec
    ranges: dict[str, Interval]  # that columns are assumed to be in

    def __post_init__(self) -> None:
        self.errors = errors_of(self.module)
        self.guard = RangeGuard(self.module, self.program.input, self._columns, self.ranges)
        self.order = ordered_filters(self.program.filtering, self.spec.find(FilterOrder))

    def build_run(self) -> None:
        """Emit the functions."""
        block_rows = self.spec.block_rows
        if self.order.filters and block_rows is not None:
            self._select_and_write(block_rows)
        else:
            self._write_each()

    def _write_each(self) -> None:
        """Row by row, with a branch for each filter."""
        cx = self._function(RUN, PTR)
        writer = RowWriter(cx, self.program, self.layout, self.lookups)
        begin = cx.load_field(writer.args, KernelArgs, "row_begin")
        end = cx.load_field(writer.args, KernelArgs, "row_end")
        if self.ranges:
            with _blocks(cx, begin, end, self.spec.block_rows or BLOCK_ROWS) as (first, last):
                inside = self.guard.rows_inside(cx, first, last)
                self._write_range(cx, writer, first, inside)
                leave_outside(cx, inside, last)
        else:
            self._write_range(cx, writer, begin, end)
        cx.leave(Exit.DONE, end)
        writer.finish()

    def _write_range(
        self, cx: KernelContext, writer: RowWriter, first: ll.Value, last: ll.Value
    ) -> None:
        with cx.loop(first, last, "row") as row:
            rest = cx.b.append_basic_block("row.next")
            for predicate in self.order.filters:
                cx.row = row
                passes = cx.b.append_basic_block("passes")
                cx.b.cbranch(is_true(cx, lower(cx, writer.columns, predicate)), passes, rest)
                cx.b.position_at_end(passes)
            writer.write(row)
            cx.b.branch(rest)
            cx.b.position_at_end(rest)

    def _select_and_write(self, block_rows: int) -> None:
        """Block by block: select, then write what was selected."""
        write = self._write_selected()
        cx = self._function(RUN, PTR)
        args = cx.function.args[0]
        selection = build_select(self.module, self._columns, self.order, self.guard)
        begin = cx.load_field(args, KernelArgs, "row_begin")
        end = cx.load_field(args, KernelArgs, "row_end")
        with _blocks(cx, begin, end, block_rows) as (first, last):
            count, inside = selection.select(cx, first, last)
            return_unless_done(cx, cx.b.call(write, [args, first, count]))
            leave_outside(cx, inside, last)
        cx.leave(Exit.DONE, end)
        cx.return_codes()

    def _write_selected(self) -> ll.Function:
        """The function `(args, first row, count) -> exit code` over the selection vector."""
        cx = self._function("write", PTR, I64, I64)
        cx.function.linkage = "internal"
        cx.function.attributes.add("noinline")
        writer = RowWriter(cx, self.program, self.layout, self.lookups)
        _, first, count = cx.function.args
        selection = cx.load_field(writer.args, KernelArgs, "selection", PTR)
        with cx.loop(i64(0), count, "pick") as pick:
            writer.write(cx.b.add(first, selected(cx, selection, pick)))
        cx.leave(Exit.DONE, first)
        writer.finish()
        return cx.function

    def _columns(self, cx: KernelContext) -> Columns:
        return Columns(cx, self.program.input, self.layout, self.lookups)

    def _function(self, name: str, *params: ll.Type) -> KernelContext:
        return new_function(self.module, name, I32, params)


@contextmanager
def _blocks(
    cx: KernelContext, begin: ll.Value, end: ll.Value, block_rows: int
) -> Iterator[tuple[ll.Value, ll.Value]]:
    """A loop over blocks of rows; yields the first row of each, and the one behind its last."""
    rows = cx.b.add(cx.b.sub(end, begin), i64(block_rows - 1))
    with cx.loop(i64(0), cx.b.udiv(rows, i64(block_rows)), "block") as block:
        first = cx.b.add(begin, cx.b.mul(block, i64(block_rows)))
        full = cx.b.add(first, i64(block_rows))
        yield first, cx.b.select(cx.b.icmp_signed("<", full, end), full, end)


class RowWriter:
    """Generates the writing of rows, in a function that takes `KernelArgs` first."""

    def __init__(
        self,
        cx: KernelContext,
        program: ProjectionProgram,
        layout: InputLayout,
        lookups: tuple[Lookup, ...],
    ) -> None:
        self.cx, self.program = cx, program
        self.args = cx.function.args[0]
        self.columns = Columns(cx, program.input, layout, lookups)
        blocks = cx.load_field(self.args, KernelArgs, "state", PTR)
        self.outputs = [
            Output(cx, position, column.expr.type, cx.at(blocks, position * _BLOCK_BYTES))
            for position, column in enumerate(program.columns)
        ]
        self.made = cx.variable(I64, cx.load_field(self.args, KernelArgs, "rows_passed"))

    def write(self, row: ll.Value) -> None:
        """Write one row behind those before it. All that can fail or leave comes first."""
        cx = self.cx
        cx.row = row
        values = [lower(cx, self.columns, column.expr) for column in self.program.columns]
        place = cx.b.load(self.made, typ=I64)
        pairs = list(zip(self.outputs, values, strict=True))
        for output, value in pairs:
            output.reserve(value, place)
        for output, value in pairs:
            output.store(value, place)
        cx.count_up(self.made, i64(1))

    def finish(self) -> None:
        """Emit the exits: each writes back how many rows there are."""
        for code, block in self.cx.tails.items():
            self.cx.b.position_at_end(block)
            made = self.cx.b.load(self.made, typ=I64)
            self.cx.store_field(made, self.args, KernelArgs, "rows_passed")
            self.cx.b.ret(ll.Constant(I32, int(code)))


_BLOCK_BYTES = ctypes.sizeof(OutputBlock)


class Output:
    """Generates the writing of one column; its addresses are loaded once, at the entry."""

    def __init__(self, cx: KernelContext, position: int, type_: DataType, block: ll.Value) -> None:
        self.cx, self.position, self.type, self.block = cx, position, type_, block
        self.nulls = cx.load_field(block, OutputBlock, "nulls", PTR)
        if type_.is_bytes:
            self.offsets = cx.load_field(block, OutputBlock, "offsets", PTR)
            self.data = cx.load_field(block, OutputBlock, "data", PTR)
            self.capacity = cx.load_field(block, OutputBlock, "capacity")
        else:
            self.values = cx.load_field(block, OutputBlock, "values", PTR)

    def reserve(self, value: Value, place: ll.Value) -> None:
        """Leave the kernel if there is no room for the string of a row."""
        if not self.type.is_bytes:
            return
        cx = self.cx
        end = cx.b.add(self._start(place), self._length(value))
        with cx.b.if_then(cx.b.icmp_signed(">", end, self.capacity), likely=False):
            cx.store_field(end, self.block, OutputBlock, "wanted")
            cx.leave(Exit.GROW_OUTPUT, cx.row, self.position)

    def store(self, value: Value, place: ll.Value) -> None:
        """Write the value of a row, for which there is room."""
        cx = self.cx
        if value.null is not None:
            cx.b.store(cx.b.zext(value.null, I8), cx.at(self.nulls, place))
        if self.type.is_bytes:
            self._store_string(value, place)
        elif self.type == BOOL:
            cx.b.store(cx.b.zext(value.payload, I8), cx.at(self.values, place))
        else:
            # The memory is aligned to 8 bytes, LLVM would take 16 for granted for a decimal.
            align = 8 if self.type.is_decimal else None
            address = cx.element(self.values, place, llvm_type(self.type))
            cx.b.store(value.payload, address, align=align)

    def _store_string(self, value: Value, place: ll.Value) -> None:
        cx = self.cx
        start, length = self._start(place), self._length(value)
        cx.copy_bytes(cx.at(self.data, start), value.payload, length)
        end = cx.b.trunc(cx.b.add(start, length), I32)
        cx.b.store(end, cx.element(self.offsets, cx.b.add(place, i64(1)), I32))

    def _start(self, place: ll.Value) -> ll.Value:
        """Where the string of a row begins: where the one before it ends."""
        return self.cx.b.zext(
            self.cx.b.load(self.cx.element(self.offsets, place, I32), typ=I32), I64
        )

    def _length(self, value: Value) -> ll.Value:
        """The bytes of a string; a null one has none."""
        length = self.cx.b.zext(value.length, I64)
        return length if value.null is None else self.cx.b.select(value.null, i64(0), length)
