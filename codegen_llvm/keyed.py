"""Kernels for session and count windows: which rows pass, and adding them to windows."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, KernelArgs, KeyedBlock, TableBlock
from codegen_llvm.builder import I32, I64, PTR, KernelContext, errors_of, i64, new_function
from codegen_llvm.columns import Columns, Lookup, find_lookups
from codegen_llvm.count_windows import SlidingCounts, TumblingCounts, build_evict, build_finish
from codegen_llvm.expressions import lower
from codegen_llvm.filter_order import ordered_filters
from codegen_llvm.kernel import (
    BLOCK_ROWS,
    PREPARE,
    REHASH,
    RUN,
    KernelModule,
    columns_without_nulls,
    return_unless_done,
)
from codegen_llvm.keyed_rows import KeyedRows, select_own
from codegen_llvm.layout import InputLayout, SlotLayout
from codegen_llvm.lookups import build_prepare
from codegen_llvm.narrow_counts import NarrowCounts, build_narrow_finish
from codegen_llvm.rehash import build_rehash
from codegen_llvm.selection import build_select, selected
from codegen_llvm.sessions import SessionRows, build_sweep
from codegen_llvm.values import is_true
from ir import CountWindow, FilterOrder, SessionWindow, VariantSpec
from ir.pipelines import RowProgram, narrow_nulls

CLOSE = "close"


def build_keyed(
    program: RowProgram, layout: InputLayout, slots: SlotLayout, spec: VariantSpec
) -> KernelModule:
    """Generate the functions of one variant of a program with session or count windows."""
    narrowed = narrow_nulls(program, columns_without_nulls(program.input, layout, spec))
    lookups = find_lookups(tuple(narrowed.expressions()), narrowed.input, layout)
    module = ll.Module("keyed")
    _build_close(module, program, slots)
    functions = _KeyedFunctions(module, narrowed, layout, slots, lookups, spec)
    functions.build_run()
    build_prepare(module, narrowed.input, layout, lookups, PREPARE)
    build_rehash(module, program, slots, REHASH)
    return KernelModule(module, lookups, tuple(functions.errors))


def _build_close(module: ll.Module, program: RowProgram, slots: SlotLayout) -> None:
    """The function that makes results of windows without another row."""
    match program.window:
        case SessionWindow():
            build_sweep(module, program, slots, CLOSE)
        case CountWindow() if not slots.wide:
            build_narrow_finish(module, program, slots, CLOSE)
        case CountWindow(size, slide):
            if slide < size:
                build_evict(module, program, slots)
            build_finish(module, program, slots, CLOSE)


@dataclass
class _KeyedFunctions:
    """The function `run(args) -> exit code` and the one that it calls for a block."""

    module: ll.Module
    program: RowProgram
    layout: InputLayout
    slots: SlotLayout
    lookups: tuple[Lookup, ...]
    spec: VariantSpec

    def __post_init__(self) -> None:
        self.errors = errors_of(self.module)
        self.order = ordered_filters(self.program, self.spec.find(FilterOrder))
        filtered = bool(self.order.filters)
        self.selects = filtered and self.spec.block_rows is not None
        self.branches = filtered and not self.selects  # a branch per row for each filter

    def build_run(self) -> None:
        """Block by block: select the rows, then add them to their windows."""
        block_rows = self.spec.block_rows or BLOCK_ROWS
        select = build_select(self.module, self._columns, self.order) if self.selects else None
        add_rows = self._add_rows("add_rows", direct=False)
        add_direct = self._add_rows("add_direct", direct=True) if self._is_direct else None
        cx = self._function(RUN, PTR)
        args = cx.function.args[0]
        begin = cx.load_field(args, KernelArgs, "row_begin")
        end = cx.load_field(args, KernelArgs, "row_end")
        rows = cx.b.add(cx.b.sub(end, begin), i64(block_rows - 1))
        with cx.loop(i64(0), cx.b.udiv(rows, i64(block_rows)), "block") as block:
            first = cx.b.add(begin, cx.b.mul(block, i64(block_rows)))
            full = cx.b.add(first, i64(block_rows))
            last = cx.b.select(cx.b.icmp_signed("<", full, end), full, end)
            count = self._select(cx, select, first, last)
            self._require_output(cx, first, count)
            chosen: ll.Value = add_rows
            if add_direct is not None:
                chosen = cx.b.select(_is_complete(cx), add_direct, add_rows)
            return_unless_done(cx, cx.b.call(chosen, [args, first, count, last]))
        cx.leave(Exit.DONE, end)
        cx.return_codes()

    @property
    def _is_direct(self) -> bool:
        """Whether a key can be compared without a look at the tag, in a complete table."""
        if self.slots.direct is None or self.layout.has_nulls:
            return False
        return not self.program.keys[0].expr.nullable

    @property
    def _selects_own(self) -> bool:
        """Whether the rows of the partition are selected before they are added.

        Not where a key can fail that is not evaluated at all if its row is late, or filtered
        after that.
        """
        may_be_left_out = self.branches or isinstance(self.program.window, SessionWindow)
        can_fail = any(key.expr.can_fail for key in self.program.keys)
        return self.slots.partitioned and not (may_be_left_out and can_fail)

    def _select(
        self, cx: KernelContext, select: ll.Function | None, first: ll.Value, last: ll.Value
    ) -> ll.Value:
        """How many rows are to be added; their numbers are selected if those are not all."""
        count = cx.b.sub(last, first)
        if select is not None:
            count = cx.b.call(select, [cx.function.args[0], first, last])
            with cx.b.if_then(cx.b.icmp_signed("<", count, i64(0)), likely=False):
                cx.b.ret(cx.b.trunc(cx.b.not_(count), I32))
        if self._selects_own:
            of_all = not self.selects
            count = select_own(cx, self._columns(cx), self.program, first, count, of_all=of_all)
        return count

    def _require_output(self, cx: KernelContext, first: ll.Value, count: ll.Value) -> None:
        """Leave unless there is room for as many results as rows: no row makes more than one."""
        state = cx.load_field(cx.function.args[0], KernelArgs, "state", PTR)
        output, end = (cx.load_field(state, KeyedBlock, name) for name in ("output", "output_end"))
        room = cx.b.udiv(cx.b.sub(end, output), i64(self.slots.size))
        with cx.b.if_then(cx.b.icmp_signed("<", room, count), likely=False):
            cx.leave(Exit.OUTPUT_FULL, first, count)

    def _add_rows(self, name: str, *, direct: bool) -> ll.Function:
        """The function `(args, first row, count, end of the block) -> exit code`."""
        cx = self._function(name, PTR, I64, I64, I64)
        cx.function.linkage = "internal"
        cx.function.attributes.add("noinline")
        _, first, count, last = cx.function.args
        rows = self._rows(cx)
        rows.direct = direct
        selection = cx.load_field(rows.args, KernelArgs, "selection", PTR)
        with cx.loop(i64(0), count, "pick") as pick:
            offset = selected(cx, selection, pick) if self.selects or self._selects_own else pick
            row = cx.b.add(first, offset)
            if self.branches:
                self._add_if_it_passes(cx, rows, row)
            else:
                cx.b.store(pick, rows.done)
                self._add(cx, rows, row)
        if not self.branches:
            cx.b.store(count, rows.done)
        rows.end_block(last)
        cx.leave(Exit.DONE, first)
        rows.finish()
        return cx.function

    def _add(self, cx: KernelContext, rows: KeyedRows, row: ll.Value) -> None:
        """Add a row that passes; what leaves it out goes on behind it."""
        rows.rest = cx.b.append_basic_block("row.rest")
        rows.add(row)
        cx.b.branch(rows.rest)
        cx.b.position_at_end(rows.rest)

    def _add_if_it_passes(self, cx: KernelContext, rows: KeyedRows, row: ll.Value) -> None:
        """A branch for each filter, then the row, which is counted once it is done."""
        dropped = cx.b.append_basic_block("row.dropped")
        for predicate in self.order.filters:
            cx.row = row
            passes = cx.b.append_basic_block("passes")
            cx.b.cbranch(is_true(cx, lower(cx, rows.columns, predicate)), passes, dropped)
            cx.b.position_at_end(passes)
        self._add(cx, rows, row)
        cx.count_up(rows.done, i64(1))
        cx.b.branch(dropped)
        cx.b.position_at_end(dropped)

    def _rows(self, cx: KernelContext) -> KeyedRows:
        match self.program.window:
            case SessionWindow():
                kind: type[KeyedRows] = SessionRows
            case CountWindow() if not self.slots.wide:
                kind = NarrowCounts
            case CountWindow(size, slide):
                kind = TumblingCounts if size == slide else SlidingCounts
        owns_all = self._selects_own or not self.slots.partitioned
        return kind(cx, self.program, self.layout, self.slots, self.lookups, owns_all=owns_all)

    def _columns(self, cx: KernelContext) -> Columns:
        return Columns(cx, self.program.input, self.layout, self.lookups)

    def _function(self, name: str, *params: ll.Type) -> KernelContext:
        return new_function(self.module, name, I32, params)


def _is_complete(cx: KernelContext) -> ll.Value:
    """Whether no key is null, and each aggregate of each key has a value."""
    state = cx.load_field(cx.function.args[0], KernelArgs, "state", PTR)
    table = cx.load_field(state, KeyedBlock, "current", PTR)
    return cx.b.icmp_signed("!=", cx.load_field(table, TableBlock, "complete"), i64(0))
