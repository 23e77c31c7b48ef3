"""Kernels for session and count windows: generated, optimised, linked, ready to be called."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, KernelArgs, KeyedBlock, TableBlock
from codegen_llvm.builder import I32, I64, PTR, KernelContext, errors_of, i64, new_function
from codegen_llvm.columns import Columns, Lookup, find_lookups
from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.count_windows import SlidingCounts, TumblingCounts, build_evict, build_finish
from codegen_llvm.filter_order import effective_filters
from codegen_llvm.kernel import BLOCK_ROWS, PREPARE, REHASH, RUN, return_unless_done
from codegen_llvm.keyed_rows import KeyedRows, select_own
from codegen_llvm.layout import InputLayout, SlotLayout
from codegen_llvm.lookups import build_prepare
from codegen_llvm.narrow_counts import NarrowCounts, build_narrow_finish
from codegen_llvm.rehash import build_rehash
from codegen_llvm.selection import BlockFilter, selected
from codegen_llvm.sessions import SessionRows, build_sweep
from ir import CountWindow, EvaluationError, SessionWindow, VariantSpec
from ir.pipelines import RowProgram, narrow_nulls

CLOSE = "close"


@dataclass(frozen=True)
class CompiledKeyed:
    """Machine code for one program with session or count windows; keeps the code alive.

    `run`, `prepare` and `close` take the address of a `KernelArgs`; the GIL is released while
    they run. `close` goes over slots of the table: it makes results of the sessions that are
    closed, or of all count windows that have rows.
    """

    spec: VariantSpec
    code: MachineCode
    run: Callable[[int], int]
    prepare: Callable[[int], int]
    rehash: Callable[[int, int, int], int]
    close: Callable[[int], int]
    lookup_columns: tuple[str, ...]
    errors: tuple[tuple[str, str], ...]

    def error(self, number: int, row: int | None) -> EvaluationError:
        """The error that an exit with this number reports, at a row of the batch if it is one's."""
        condition, expression = self.errors[number]
        return EvaluationError(condition, expression, row)


def compile_keyed(
    program: RowProgram,
    layout: InputLayout,
    slots: SlotLayout,
    spec: VariantSpec,
    partitioned: bool,
) -> CompiledKeyed:
    """Generate and compile the kernel of a program; `partitioned`: it takes some keys only."""
    module, lookups, errors = build_keyed(program, layout, slots, spec, partitioned)
    code = compile_module(module)
    word, address = ctypes.c_int64, ctypes.c_void_p
    return CompiledKeyed(
        spec,
        code,
        code.function(RUN, ctypes.c_int32, address),
        code.function(PREPARE, ctypes.c_int32, address),
        code.function(REHASH, None, address, word, address),
        code.function(CLOSE, ctypes.c_int32, address),
        tuple(lookup.column for lookup in lookups),
        tuple(errors),
    )


def build_keyed(
    program: RowProgram,
    layout: InputLayout,
    slots: SlotLayout,
    spec: VariantSpec,
    partitioned: bool,
) -> tuple[ll.Module, tuple[Lookup, ...], list[tuple[str, str]]]:
    """The module of a kernel, its look-up tables, and the errors that it may report."""
    narrowed = program
    if not layout.has_nulls:
        narrowed = narrow_nulls(program, frozenset(program.input.names))
    lookups = find_lookups(tuple(narrowed.expressions()), narrowed.input, layout)
    module = ll.Module("keyed")
    match program.window:
        case SessionWindow():
            build_sweep(module, program, slots, CLOSE)
        case CountWindow() if not slots.wide:
            build_narrow_finish(module, program, slots, CLOSE)
        case CountWindow(size, slide):
            if slide < size:
                build_evict(module, program, slots)
            build_finish(module, program, slots, CLOSE)
    functions = _KeyedFunctions(module, narrowed, layout, slots, lookups, partitioned)
    functions.build_run(spec.block_rows or BLOCK_ROWS)
    build_prepare(module, narrowed.input, layout, lookups, PREPARE)
    build_rehash(module, program, slots, REHASH)
    return module, lookups, functions.errors


@dataclass
class _KeyedFunctions:
    """The function `run(args) -> exit code` and the one that it calls for a block."""

    module: ll.Module
    program: RowProgram
    layout: InputLayout
    slots: SlotLayout
    lookups: tuple[Lookup, ...]
    partitioned: bool

    def __post_init__(self) -> None:
        self.errors = errors_of(self.module)
        self.filters = effective_filters(self.program)

    def build_run(self, block_rows: int) -> None:
        """Block by block: select the rows, then add them to their windows."""
        add_rows = self._add_rows("add_rows", direct=False)
        add_direct = self._add_rows("add_direct", direct=True) if self._is_direct else None
        cx = self._function(RUN, PTR)
        args = cx.function.args[0]
        columns = Columns(cx, self.program.input, self.layout, self.lookups)
        begin = cx.load_field(args, KernelArgs, "row_begin")
        end = cx.load_field(args, KernelArgs, "row_end")
        rows = cx.b.add(cx.b.sub(end, begin), i64(block_rows - 1))
        with cx.loop(i64(0), cx.b.udiv(rows, i64(block_rows)), "block") as block:
            first = cx.b.add(begin, cx.b.mul(block, i64(block_rows)))
            full = cx.b.add(first, i64(block_rows))
            last = cx.b.select(cx.b.icmp_signed("<", full, end), full, end)
            count = self._select(cx, columns, first, last)
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

        Not where a key can fail that is not evaluated at all if its row is late.
        """
        may_be_late = isinstance(self.program.window, SessionWindow)
        can_fail = any(key.expr.can_fail for key in self.program.keys)
        return self.partitioned and not (may_be_late and can_fail)

    def _select(
        self, cx: KernelContext, columns: Columns, first: ll.Value, last: ll.Value
    ) -> ll.Value:
        """How many rows are to be added; their numbers are selected if those are not all."""
        count = cx.b.sub(last, first)
        if self.filters:
            args = cx.function.args[0]
            selection = cx.load_field(args, KernelArgs, "selection", PTR)
            mask = cx.load_field(args, KernelArgs, "mask", PTR)
            count = BlockFilter(cx, columns, self.filters, selection, mask).select(first, last)
        if self._selects_own:
            of_all = not self.filters
            count = select_own(cx, columns, self.program, first, count, of_all=of_all)
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
            cx.b.store(pick, rows.done)
            is_selected = bool(self.filters) or self._selects_own
            offset = selected(cx, selection, pick) if is_selected else pick
            rows.rest = cx.b.append_basic_block("row.rest")
            rows.add(cx.b.add(first, offset))
            cx.b.branch(rows.rest)
            cx.b.position_at_end(rows.rest)
        cx.b.store(count, rows.done)
        rows.end_block(last)
        cx.leave(Exit.DONE, first)
        rows.finish()
        return cx.function

    def _rows(self, cx: KernelContext) -> KeyedRows:
        match self.program.window:
            case SessionWindow():
                kind: type[KeyedRows] = SessionRows
            case CountWindow() if not self.slots.wide:
                kind = NarrowCounts
            case CountWindow(size, slide):
                kind = TumblingCounts if size == slide else SlidingCounts
        owns_all = self._selects_own or not self.partitioned
        return kind(cx, self.program, self.layout, self.slots, self.lookups, owns_all=owns_all)

    def _function(self, name: str, *params: ll.Type) -> KernelContext:
        cx = new_function(self.module, name, I32, params)
        return cx


def _is_complete(cx: KernelContext) -> ll.Value:
    """Whether no key is null, and each aggregate of each key has a value."""
    state = cx.load_field(cx.function.args[0], KernelArgs, "state", PTR)
    table = cx.load_field(state, KeyedBlock, "current", PTR)
    return cx.b.icmp_signed("!=", cx.load_field(table, TableBlock, "complete"), i64(0))
