"""Reading a state: the used slots, their fields and strings, copied by compiled code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from llvmlite import ir as ll

from codegen_llvm.builder import I32, I64, PTR, KernelContext, i64, new_function
from codegen_llvm.compile import MachineCode, compile_module


def find_used(slots: int, count: int, size: int, places: int, tags: int) -> int:
    """Write the numbers of the used ones of `count` slots as int32; returns how many.

    The two words at `tags` become the bits that any, and those that every used slot's tag has.
    There is room for one number more than there are used slots.
    """
    return _compiled().used(slots, count, size, places, tags)


def gather_field(slots: int, size: int, width: int, places: int, count: int, target: int) -> None:
    """Copy a field of `width` bytes of the slots with these numbers one after another.

    `slots` is the address of the field in the first slot. Copying whole slots first, and
    each field of the copies then, took 3 times as long for 30,000 groups of YSB.
    """
    _compiled().field[width](slots, size, places, count, target)


def gather_strings(addresses: int, lengths: int, count: int, target: int) -> None:
    """Copy `count` strings, given by arrays of addresses and int32 lengths, one after another."""
    _compiled().strings(addresses, lengths, count, target)


_WIDTHS = (1, 2, 4, 8, 16, 32)


class _Gather:
    """The compiled functions, and the machine code that they need to stay alive."""

    def __init__(self) -> None:
        module = ll.Module("gather")
        _build_used(module)
        for width in _WIDTHS:
            _build_field(module, width)
        _build_strings(module)
        self.code: MachineCode = compile_module(module)
        address, word = ctypes.c_void_p, ctypes.c_int64
        self.used: Callable[..., int] = self.code.function(
            "used", word, address, word, word, address, address
        )
        self.field: dict[int, Callable[..., int]] = {
            width: self.code.function(f"field{width}", None, address, word, address, word, address)
            for width in _WIDTHS
        }
        self.strings: Callable[..., int] = self.code.function(
            "strings", None, address, address, word, address
        )


@cache
def _compiled() -> _Gather:
    return _Gather()


def _build_used(module: ll.Module) -> None:
    cx = new_function(module, "used", I64, (PTR, I64, I64, PTR, PTR))
    slots, count, size, places, tags = cx.function.args
    kept, any_, every = write_used(cx, slots, count, size, places)
    cx.b.store(any_, tags)
    cx.b.store(every, cx.at(tags, 8))
    cx.b.ret(kept)


def write_used(
    cx: KernelContext, slots: ll.Value, count: ll.Value, size: ll.Value, places: ll.Value
) -> tuple[ll.Value, ll.Value, ll.Value]:
    """Write the numbers of used slots; how many there are, and the bits of any and every tag.

    Without a branch: a number is always written, and kept if the slot is used.
    """
    kept = cx.variable(I64, i64(0))
    any_, every = cx.variable(I64, i64(0)), cx.variable(I64, i64(-1))
    with cx.loop(i64(0), count, "slot") as index:
        tag = cx.b.load(cx.at(slots, cx.b.mul(index, size)), typ=I64)
        here = cx.b.load(kept, typ=I64)
        cx.b.store(cx.b.trunc(index, I32), cx.element(places, here, I32))
        used = cx.b.and_(tag, i64(1))
        cx.b.store(cx.b.add(here, used), kept)
        cx.b.store(cx.b.or_(cx.b.load(any_, typ=I64), tag), any_)
        unused = cx.b.sub(used, i64(1))  # all ones
        cx.b.store(cx.b.and_(cx.b.load(every, typ=I64), cx.b.or_(tag, unused)), every)
    return cx.b.load(kept, typ=I64), cx.b.load(any_, typ=I64), cx.b.load(every, typ=I64)


def _build_field(module: ll.Module, width: int) -> None:
    cx = new_function(module, f"field{width}", ll.VoidType(), (PTR, I64, PTR, I64, PTR))
    slots, size, places, count, target = cx.function.args
    type_ = ll.IntType(8 * width)
    with cx.loop(i64(0), count, "slot") as index:
        place = cx.b.zext(cx.b.load(cx.element(places, index, I32), typ=I32), I64)
        value = cx.b.load(cx.at(slots, cx.b.mul(place, size)), typ=type_, align=1)
        cx.b.store(value, cx.element(target, index, type_), align=1)
    cx.b.ret_void()


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
