"""The loop over the records of a text: each becomes a row, or is left to the host as odd."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from llvmlite import ir as ll

from codegen_llvm.builder import (
    I32,
    I64,
    PTR,
    KernelContext,
    Local,
    i64,
    new_function,
    shared_function,
)
from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.text_abi import TextArgs, TextExit
from codegen_llvm.text_cursor import NOWHERE, Cursor, line_end
from codegen_llvm.text_fields import FULL
from codegen_llvm.text_times import read_in_zone
from ir.zones import Zone

ENTRY = "text.records"
BuildRecord = Callable[[KernelContext], None]


@dataclass(frozen=True)
class CompiledReader:
    """Machine code that reads records; called with the address of a `TextArgs`."""

    code: MachineCode

    def run(self, args: TextArgs) -> TextExit:
        """Read until something is full, or all is read."""
        return TextExit(self._function(ctypes.addressof(args)))

    @cached_property
    def _function(self) -> Callable[..., int]:
        """Found once: LLVM takes 20 us to look it up, and a block of a megabyte 250."""
        return self.code.function(ENTRY, ctypes.c_int32, ctypes.c_void_p)


def compile_reader(
    build_record: BuildRecord, build_likely: BuildRecord | None = None, zone: Zone | None = None
) -> CompiledReader:
    """The machine code of a reader; `build_record` makes (place, args, row) -> place behind it.

    That function gives null where a record is odd, and `FULL` where a string has no room.
    `build_likely` makes one that is tried first, and that has no effect where it gives null.
    """
    module = ll.Module("text")
    read_in_zone(module, zone)
    build_loop(module, build_record, build_likely)
    return CompiledReader(compile_module(module))


def build_loop(
    module: ll.Module, build_record: BuildRecord, build_likely: BuildRecord | None = None
) -> None:
    """The function `ENTRY` of a module."""
    cx = new_function(module, ENTRY, I32, (PTR,))
    args = cx.function.args[0]
    text = Cursor(cx, cx.load_field(args, TextArgs, "at", PTR))
    end = cx.load_field(args, TextArgs, "end")
    row = cx.local(I64, cx.load_field(args, TextArgs, "row"))
    most_rows = cx.load_field(args, TextArgs, "most_rows")
    record = _function(module, "text.record", build_record)
    likely = record if build_likely is None else _function(module, "text.likely", build_likely)
    if likely is not record:
        record.attributes.add("noinline")  # the loop has the registers for the likely one
    with cx.forever("record") as done:
        here = cx.b.ptrtoint(text.place, I64)
        cx.branch_if(cx.b.icmp_unsigned(">=", here, end), done)
        _leave_if_full(cx, text, row.value, most_rows)
        after = cx.local(PTR, cx.b.call(likely, [text.place, args, row.value]))
        next_ = cx.b.append_basic_block("record.next")
        with cx.b.if_then(_is_nowhere(after), likely=False):
            _pass_empty_line(text, next_)
            if likely is not record:
                _count_miss(cx)
                after.set(cx.b.call(record, [text.place, args, row.value]))
            with cx.b.if_then(_is_nowhere(after)):
                _leave_to_host(cx, text)
                _leave_if_too_odd(cx, text, row.value)
                cx.b.branch(next_)
        _leave_if_no_room(cx, text, row.value, after.value)
        row.add(i64(1))
        text.go(cx.at(after.value, 1))  # over the end of the line
        cx.b.branch(next_)
        cx.b.position_at_end(next_)
    _return(cx, text, row.value, TextExit.DONE)


def _function(module: ll.Module, name: str, build: BuildRecord) -> ll.Function:
    return shared_function(module, name, PTR, (PTR, PTR, I64), build)


def _is_nowhere(after: Local) -> ll.Value:
    return after.cx.b.icmp_unsigned("==", after.value, NOWHERE)


def _pass_empty_line(text: Cursor, next_: ll.Block) -> None:
    with text.cx.b.if_then(text.is_at("\n", "\r")):
        text.step()
        text.cx.b.branch(next_)


def _count_miss(cx: KernelContext) -> None:
    args = cx.function.args[0]
    missed = cx.load_field(args, TextArgs, "missed")
    cx.store_field(cx.b.add(missed, i64(1)), args, TextArgs, "missed")


def _leave_if_no_room(cx: KernelContext, text: Cursor, row: ll.Value, after: ll.Value) -> None:
    is_full = cx.b.icmp_signed("==", cx.b.ptrtoint(after, I64), FULL)
    with cx.b.if_then(is_full, likely=False):
        _return(cx, text, row, TextExit.STRINGS_FULL)


def _leave_if_full(cx: KernelContext, text: Cursor, row: ll.Value, most: ll.Value) -> None:
    with cx.b.if_then(cx.b.icmp_signed(">=", row, most), likely=False):
        _return(cx, text, row, TextExit.ROWS_FULL)


def _leave_if_too_odd(cx: KernelContext, text: Cursor, row: ll.Value) -> None:
    args = cx.function.args[0]
    odd = cx.load_field(args, TextArgs, "odd_count")
    odd_full = cx.b.icmp_signed(">=", odd, cx.load_field(args, TextArgs, "most_odd"))
    with cx.b.if_then(odd_full, likely=False):
        _return(cx, text, row, TextExit.ODD_FULL)


def _leave_to_host(cx: KernelContext, text: Cursor) -> None:
    """Note where the record is, and go to its end."""
    args = cx.function.args[0]
    begin = cx.b.ptrtoint(text.place, I64)
    text.go(cx.b.call(line_end(cx.module), [text.place]))
    count = cx.load_field(args, TextArgs, "odd_count")
    pairs = cx.load_field(args, TextArgs, "odd", PTR)
    pair = cx.at(pairs, cx.b.shl(count, i64(4)))
    cx.b.store(begin, pair)
    cx.b.store(cx.b.ptrtoint(text.place, I64), cx.at(pair, 8))
    cx.store_field(cx.b.add(count, i64(1)), args, TextArgs, "odd_count")


def _return(cx: KernelContext, text: Cursor, row: ll.Value, code: TextExit) -> None:
    args = cx.function.args[0]
    cx.store_field(cx.b.ptrtoint(text.place, I64), args, TextArgs, "at")
    cx.store_field(row, args, TextArgs, "row")
    cx.b.ret(ll.Constant(I32, int(code)))
