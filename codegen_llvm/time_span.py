"""The least and the greatest of many times, by compiled code: threads ask it of every morsel."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from llvmlite import ir as ll

from codegen_llvm.builder import I64, PTR, i64, new_function
from codegen_llvm.compile import MachineCode, compile_module
from ir import INT64


def time_span(times: int, count: int) -> tuple[int, int]:
    """The least and the greatest of `count` 64-bit integers at an address; there must be one.

    For the greatest alone, it read 1.3 times as fast as Arrow's `max`, on memory that is in no
    cache; the least comes with it.
    """
    found = (ctypes.c_int64 * 2)()
    _compiled().run(times, count, ctypes.addressof(found))
    return found[0], found[1]


class _TimeSpan:
    """The compiled function, and the machine code that it needs to stay alive."""

    def __init__(self) -> None:
        module = ll.Module("time_span")
        _build(module)
        self.code: MachineCode = compile_module(module)
        address = ctypes.c_void_p
        self.run: Callable[..., int] = self.code.function(
            "time_span", None, address, ctypes.c_int64, address
        )


@cache
def _compiled() -> _TimeSpan:
    return _TimeSpan()


def _build(module: ll.Module) -> None:
    cx = new_function(module, "time_span", ll.VoidType(), (PTR, I64, PTR))
    times, count, found = cx.function.args
    bounds = [
        (cx.variable(I64, i64(INT64.high)), cx.external("llvm.smin.i64", I64, I64, I64)),
        (cx.variable(I64, i64(INT64.low)), cx.external("llvm.smax.i64", I64, I64, I64)),
    ]
    with cx.loop(i64(0), count, "time") as index:
        time = cx.b.load(cx.element(times, index, I64), typ=I64)
        for known, better in bounds:
            cx.b.store(cx.b.call(better, [cx.b.load(known, typ=I64), time]), known)
    for place, (known, _) in enumerate(bounds):
        cx.b.store(cx.b.load(known, typ=I64), cx.at(found, 8 * place))
    cx.b.ret_void()
