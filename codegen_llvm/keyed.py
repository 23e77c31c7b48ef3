"""Kernels for session and count windows: which rows pass, and adding them to windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, KernelArgs, KeyedBlock, TableBlock
from codegen_llvm.block_filter import selected
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
from codegen_llvm.keyed_rows import KeyedRows
from codegen_llvm.keyed_split import ListedRows, build_split_block
from codegen_llvm.layout import InputLayout, SlotLayout
from codegen_llvm.lookups import build_prepare
from codegen_llvm.narrow_counts import NarrowCounts, build_narrow_finish
from codegen_llvm.rehash import build_rehash
from codegen_llvm.selection import select_function
from codegen_llvm.sessions import SessionRows, build_sweep
from codegen_llvm.values import is_true
from ir import CountWindow, FilterOrder, SessionWindow, VariantSpec
from ir.pipelines import RowProgram, narrow_nulls

CLOSE, SPLIT = "close", "split"

_ROWS_AHEAD = 8

# Emits what is done with the rows of a block: the first, the end, how many are left.
_Process = Callable[[KernelContext, ll.Value, ll.Value, ll.Value], None]


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
        """Block by block: select the rows, or take those that were listed, and add them."""
        self._add_rows("add_rows", direct=False)
        if self._is_direct:
            self._add_rows("add_direct", direct=True)
        if self.slots.listed:
            self._build_split()
            self._run_listed()
        else:
            self._run_blocks(RUN, self._select(), self._adding)

    def _run_blocks(self, name: str, select: ll.Function | None, process: _Process) -> None:
        """The function that goes through its range of rows, block by block."""
        block_rows = self.spec.block_rows or BLOCK_ROWS
        cx = self._function(name, PTR)
        args = cx.function.args[0]
        begin = cx.load_field(args, KernelArgs, "row_begin")
        end = cx.load_field(args, KernelArgs, "row_end")
        rows = cx.b.add(cx.b.sub(end, begin), i64(block_rows - 1))
        with cx.loop(i64(0), cx.b.udiv(rows, i64(block_rows)), "block") as block:
            first = cx.b.add(begin, cx.b.mul(block, i64(block_rows)))
            full = cx.b.add(first, i64(block_rows))
            last = cx.b.select(cx.b.icmp_signed("<", full, end), full, end)
            count = cx.b.sub(last, first)
            if select is not None:
                count = cx.b.call(select, [args, first, last])
                with cx.b.if_then(cx.b.icmp_signed("<", count, i64(0)), likely=False):
                    cx.b.ret(cx.b.trunc(cx.b.not_(count), I32))
            process(cx, first, last, count)
        cx.leave(Exit.DONE, end)
        cx.return_codes()

    def _adding(self, cx: KernelContext, first: ll.Value, last: ll.Value, count: ll.Value) -> None:
        """Add the rows of a block."""
        self._require_output(cx, first, count)
        selection = cx.load_field(cx.function.args[0], KernelArgs, "selection", PTR)
        self._call_add(cx, first, last, selection, count)

    def _build_split(self) -> None:
        """The function that lists the rows that pass, for each part of the keys."""
        branches = self.order.filters if self.branches else ()
        block = build_split_block(
            self.module, self.program, self._columns, branches, of_all=not self.selects
        )

        def listing(cx: KernelContext, first: ll.Value, last: ll.Value, count: ll.Value) -> None:
            return_unless_done(cx, cx.b.call(block, [cx.function.args[0], first, count]))

        self._run_blocks(SPLIT, self._select(), listing)

    def _run_listed(self) -> None:
        """Add the rows of the range that were listed, in blocks, each with all rows before its end.

        There is a block also where no row was listed: times of other rows count.
        """
        cx = self._function(RUN, PTR)
        args = cx.function.args[0]
        begin = cx.load_field(args, KernelArgs, "row_begin")
        end = cx.load_field(args, KernelArgs, "row_end")
        listed, first = ListedRows(cx, begin, end), cx.variable(I64, begin)
        full = cx.b.udiv(cx.b.add(listed.count, i64(BLOCK_ROWS - 1)), i64(BLOCK_ROWS))
        some = cx.b.icmp_signed(">", full, i64(0))
        with cx.loop(i64(0), cx.b.select(some, full, i64(1)), "block") as number:
            here = cx.b.load(first, typ=I64)
            rows, count, last = listed.block(number, BLOCK_ROWS)
            self._require_output(cx, here, count)
            self._call_add(cx, here, last, rows, count)
            cx.b.store(last, first)
        cx.leave(Exit.DONE, end)
        cx.return_codes()

    def _call_add(
        self,
        cx: KernelContext,
        first: ll.Value,
        last: ll.Value,
        selection: ll.Value,
        count: ll.Value,
    ) -> None:
        """Add the rows whose numbers are in a list, by the quickest way that the table allows."""
        chosen: ll.Value = self.module.globals["add_rows"]
        if self._is_direct:
            chosen = cx.b.select(_is_complete(cx), self.module.globals["add_direct"], chosen)
        args = cx.function.args[0]
        return_unless_done(cx, cx.b.call(chosen, [args, first, last, selection, count]))

    def _select(self) -> ll.Function | None:
        """The function that selects rows, if that is how filters are tested."""
        return select_function(self.module, self._columns, self.order) if self.selects else None

    @property
    def _is_direct(self) -> bool:
        """Whether a key can be compared without a look at the tag, in a complete table."""
        if self.slots.direct is None or self.layout.has_nulls:
            return False
        return not self.program.keys[0].expr.nullable

    def _require_output(self, cx: KernelContext, first: ll.Value, count: ll.Value) -> None:
        """Leave unless there is room for as many results as rows: no row makes more than one."""
        state = cx.load_field(cx.function.args[0], KernelArgs, "state", PTR)
        output, end = (cx.load_field(state, KeyedBlock, name) for name in ("output", "output_end"))
        room = cx.b.udiv(cx.b.sub(end, output), i64(self.slots.size))
        with cx.b.if_then(cx.b.icmp_signed("<", room, count), likely=False):
            cx.leave(Exit.OUTPUT_FULL, first, count)

    def _add_rows(self, name: str, *, direct: bool) -> ll.Function:
        """The function `(args, first row, end of the block, row numbers, count) -> exit code`.

        Numbers that were listed are of the batch, those that were selected of the block.
        """
        cx = self._function(name, PTR, I64, I64, PTR, I64)
        cx.function.linkage = "internal"
        cx.function.attributes.add("noinline")
        _, first, last, numbers, count = cx.function.args
        rows = self._rows(cx)
        rows.direct = direct
        branches = self.branches and not self.slots.listed
        with cx.loop(i64(0), count, "pick") as pick:
            row = self._row(cx, first, numbers, pick)
            if self._looks_ahead:
                rows.stream_ahead(row)
            if self.slots.listed and rows.reads_texts:
                self._fetch_listed(cx, rows, numbers, pick, count)
            if branches:
                self._add_if_it_passes(cx, rows, row)
            else:
                cx.b.store(pick, rows.done)
                self._add(cx, rows, row)
        if not branches:
            cx.b.store(count, rows.done)
        rows.end_block(last)
        cx.leave(Exit.DONE, first)
        rows.finish()
        return cx.function

    def _row(
        self, cx: KernelContext, first: ll.Value, numbers: ll.Value, pick: ll.Value
    ) -> ll.Value:
        if self.slots.listed:
            return selected(cx, numbers, pick)
        return cx.b.add(first, selected(cx, numbers, pick) if self.selects else pick)

    def _fetch_listed(
        self,
        cx: KernelContext,
        rows: KeyedRows,
        numbers: ll.Value,
        pick: ll.Value,
        count: ll.Value,
    ) -> None:
        """Ask for the memory of rows that come later in the list.

        A list has few of a morsel's rows, and hardware does not see which. With 100 text keys of 20
        bytes, rows were added in 0.70 to 0.97 of the time; numbers alone took 1.2 times as long.
        """
        last = cx.b.sub(count, i64(1))

        def row_behind(distance: int) -> ll.Value:
            there = cx.b.add(pick, i64(distance))
            there = cx.b.select(cx.b.icmp_signed("<", there, last), there, last)
            return selected(cx, numbers, there)

        rows.fetch_row(row_behind(2 * _ROWS_AHEAD), row_behind(_ROWS_AHEAD))

    @property
    def _looks_ahead(self) -> bool:
        """Whether the memory of columns is asked for behind a row that was selected.

        Count windows of 10 and of 1,000 rows ran 1.03 and 1.09 times as fast with it; of rows that
        were listed, by two threads, 0.99 and 0.96 times, and sessions 0.97 times.
        """
        is_count = isinstance(self.program.window, CountWindow)
        return is_count and self.selects and not self.slots.listed

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
        return kind(cx, self.program, self.layout, self.slots, self.lookups)

    def _columns(self, cx: KernelContext) -> Columns:
        return Columns(cx, self.program.input, self.layout, self.lookups)

    def _function(self, name: str, *params: ll.Type) -> KernelContext:
        return new_function(self.module, name, I32, params)


def _is_complete(cx: KernelContext) -> ll.Value:
    """Whether no key is null, and each aggregate of each key has a value."""
    state = cx.load_field(cx.function.args[0], KernelArgs, "state", PTR)
    table = cx.load_field(state, KeyedBlock, "current", PTR)
    return cx.b.icmp_signed("!=", cx.load_field(table, TableBlock, "complete"), i64(0))
