"""The loop over the records of a text: each becomes a row, or is left to the host as odd."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I32, I64, PTR, KernelContext, i64, new_function, shared_function
from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.text_abi import TextArgs, TextExit
from codegen_llvm.text_cursor import NOWHERE, Cursor, line_end
from codegen_llvm.text_fields import FULL

ENTRY = "text.records"
BuildRecord = Callable[[KernelContext], None]


@dataclass(frozen=True)
class CompiledReader:
    """Machine code that reads records; called with the address of a `TextArgs`."""

    code: MachineCode

    def run(self, args: TextArgs) -> TextExit:
        """Read until something is full, or all is read."""
        function = self.code.function(ENTRY, ctypes.c_int32, ctypes.c_void_p)
        return TextExit(function(ctypes.addressof(args)))


def compile_reader(build_record: BuildRecord) -> CompiledReader:
    """The machine code of a reader; `build_record` makes (place, args, row) -> place behind it.

    That function gives null where a record is odd, and `FULL` where a string has no room.
    """
    module = ll.Module("text")
    build_loop(module, build_record)
    return CompiledReader(compile_module(module))


def build_loop(module: ll.Module, build_record: BuildRecord) -> None:
    """The function `ENTRY` of a module."""
    cx = new_function(module, ENTRY, I32, (PTR,))
    args = cx.function.args[0]
    record = shared_function(module, "text.record", PTR, (PTR, PTR, I64), build_record)
    text = Cursor(cx, cx.load_field(args, TextArgs, "at", PTR))
    end = cx.load_field(args, TextArgs, "end")
    row = cx.local(I64, cx.load_field(args, TextArgs, "row"))
    with cx.forever("record") as done:
        here = cx.b.ptrtoint(text.place, I64)
        cx.branch_if(cx.b.icmp_unsigned(">=", here, end), done)
        _leave_if_full(cx, text, row.value)
        with cx.b.if_else(text.is_at("\n", "\r")) as (empty, full):
            with empty:
                text.step()
            with full:
                after = cx.b.call(record, [text.place, args, row.value])
                with cx.b.if_else(cx.b.icmp_unsigned("==", after, NOWHERE)) as (odd, plain):
                    with odd:
                        _leave_to_host(cx, text)
                    with plain:
                        is_full = cx.b.icmp_signed("==", cx.b.ptrtoint(after, I64), FULL)
                        with cx.b.if_then(is_full, likely=False):
                            _return(cx, text, row.value, TextExit.STRINGS_FULL)
                        row.add(i64(1))
                        text.go(after)
    _return(cx, text, row.value, TextExit.DONE)


def _leave_if_full(cx: KernelContext, text: Cursor, row: ll.Value) -> None:
    args = cx.function.args[0]
    rows_full = cx.b.icmp_signed(">=", row, cx.load_field(args, TextArgs, "most_rows"))
    with cx.b.if_then(rows_full, likely=False):
        _return(cx, text, row, TextExit.ROWS_FULL)
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
