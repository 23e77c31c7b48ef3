"""Copying strings out of a state's arena, in compiled code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from llvmlite import ir as ll

from codegen_llvm.builder import I32, I64, PTR, i64, new_function
from codegen_llvm.compile import MachineCode, compile_module


def gather_strings(addresses: int, lengths: int, count: int, target: int) -> None:
    """Copy `count` strings, given by arrays of addresses and int32 lengths, one after another."""
    _compiled()[1](addresses, lengths, count, target)


@cache
def _compiled() -> tuple[MachineCode, Callable[..., int]]:
    module = ll.Module("gather")
    cx = new_function(module, "gather", ll.VoidType(), (PTR, PTR, I64, PTR))
    addresses, lengths, count, target = cx.function.args
    next_ = cx.variable(PTR, target)
    with cx.loop(i64(0), count, "string") as index:
        source = cx.b.load(cx.element(addresses, index, PTR), typ=PTR)
        length = cx.b.zext(cx.b.load(cx.element(lengths, index, I32), typ=I32), I64)
        here = cx.b.load(next_, typ=PTR)
        cx.copy_bytes(here, source, length)
        cx.b.store(cx.at(here, length), next_)
    cx.b.ret_void()
    code = compile_module(module)
    address = ctypes.c_void_p
    return code, code.function("gather", None, address, address, ctypes.c_int64, address)
