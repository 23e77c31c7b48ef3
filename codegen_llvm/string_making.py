"""Functions that make new strings: their bytes lie in scratch memory until the next row."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I32, I64, KernelContext, i64
from codegen_llvm.values import Value, any_null
from ir import STRING, Call


def lower_concat(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The bytes of all arguments, one after the other."""
    sizes = [cx.b.zext(value.length, I64) for value in args]
    total: ll.Value = i64(0)
    for size in sizes:
        total = cx.b.add(total, size)
    made = place = cx.scratch(total)
    for value, size in zip(args, sizes, strict=True):
        cx.copy_bytes(place, value.payload, size)
        place = cx.at(place, size)
    return Value(STRING, made, any_null(cx, *args), cx.b.trunc(total, I32))
