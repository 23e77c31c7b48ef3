"""Filling memory with a pattern, by compiled code: what an empty table looks like."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from llvmlite import ir as ll

from codegen_llvm.builder import I64, PTR, i64, new_function
from codegen_llvm.compile import MachineCode, compile_module

_FEW_BYTES = 1 << 20  # some 50 us


def fill_pattern(target: int, size: int, pattern: int, pattern_size: int) -> None:
    """Write a pattern again and again until `size` bytes are full; the last one may be cut."""
    code = _compiled()
    fill = code.fill_few if size <= _FEW_BYTES else code.fill
    fill(target, size, pattern, pattern_size)


class _Filling:
    """The compiled function, and the machine code that it needs to stay alive."""

    def __init__(self) -> None:
        module = ll.Module("filling")
        _build(module)
        self.code: MachineCode = compile_module(module)
        address, word = ctypes.c_void_p, ctypes.c_int64
        params = (address, word, address, word)
        self.fill: Callable[..., int] = self.code.function("fill", None, *params)
        self.fill_few: Callable[..., int] = self.code.brief("fill", None, *params)


@cache
def _compiled() -> _Filling:
    return _Filling()


def _build(module: ll.Module) -> None:
    cx = new_function(module, "fill", ll.VoidType(), (PTR, I64, PTR, I64))
    target, size, pattern, pattern_size = cx.function.args
    times = cx.b.udiv(size, pattern_size)
    with cx.loop(i64(0), times, "time") as index:
        cx.copy_bytes(cx.at(target, cx.b.mul(index, pattern_size)), pattern, pattern_size)
    done = cx.b.mul(times, pattern_size)
    cx.copy_bytes(cx.at(target, done), pattern, cx.b.sub(size, done))
    cx.b.ret_void()
