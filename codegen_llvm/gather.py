"""Reading a state: used slots and strings, copied together by compiled code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I32, I64, PTR, i64, new_function
from codegen_llvm.compile import MachineCode, compile_module


def gather_slots(slots: int, count: int, size: int, target: int) -> int:
    """Copy the used ones of `count` slots of `size` bytes one after another; returns how many.

    With numpy's index instead, exporting 30,000 groups took 1.7 times as long.
    """
    return _compiled().slots(slots, count, size // 8, target)


def gather_strings(addresses: int, lengths: int, count: int, target: int) -> None:
    """Copy `count` strings, given by arrays of addresses and int32 lengths, one after another."""
    _compiled().strings(addresses, lengths, count, target)


class _Gather:
    """The compiled functions, and the machine code that they need to stay alive."""

    def __init__(self) -> None:
        module = ll.Module("gather")
        _build_slots(module)
        _build_strings(module)
        self.code: MachineCode = compile_module(module)
        address, word = ctypes.c_void_p, ctypes.c_int64
        self.slots: Callable[..., int] = self.code.function(
            "slots", word, address, word, word, address
        )
        self.strings: Callable[..., int] = self.code.function(
            "strings", None, address, address, word, address
        )


@cache
def _compiled() -> _Gather:
    return _Gather()


def _build_slots(module: ll.Module) -> None:
    cx = new_function(module, "slots", I64, (PTR, I64, I64, PTR))
    slots, count, words, target = cx.function.args
    kept = cx.variable(I64, i64(0))
    with cx.loop(i64(0), count, "slot") as index:
        source = cx.element(slots, cx.b.mul(index, words), I64)
        with cx.b.if_then(cx.b.trunc(cx.b.load(source, typ=I64), I1)):
            place = cx.element(target, cx.b.mul(cx.b.load(kept, typ=I64), words), I64)
            with cx.loop(i64(0), words, "word") as word:
                value = cx.b.load(cx.element(source, word, I64), typ=I64)
                cx.b.store(value, cx.element(place, word, I64))
            cx.count_up(kept, i64(1))
    cx.b.ret(cx.b.load(kept, typ=I64))


def _build_strings(module: ll.Module) -> None:
    cx = new_function(module, "strings", ll.VoidType(), (PTR, PTR, I64, PTR))
    addresses, lengths, count, target = cx.function.args
    next_ = cx.variable(PTR, target)
    with cx.loop(i64(0), count, "string") as index:
        source = cx.b.load(cx.element(addresses, index, PTR), typ=PTR)
        length = cx.b.zext(cx.b.load(cx.element(lengths, index, I32), typ=I32), I64)
        here = cx.b.load(next_, typ=PTR)
        cx.copy_bytes(here, source, length)
        cx.b.store(cx.at(here, length), next_)
    cx.b.ret_void()
