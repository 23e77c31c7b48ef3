"""Moving the groups of a table into another one, in generated code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir as ll

from codegen_llvm.abi import TableBlock
from codegen_llvm.builder import I1, I64, PTR, KernelContext, i64, new_function
from codegen_llvm.keys import HASH_BITS, Key, hash_keys
from codegen_llvm.layout import SlotLayout, slot_layout
from codegen_llvm.table import stored_value
from codegen_llvm.values import Value
from ir import TIMESTAMP
from ir.pipelines import RowProgram


def build_rehash(module: ll.Module, program: RowProgram, slots: SlotLayout, name: str) -> None:
    """The function `rehash(old slots, their number, table)`: into a larger, empty table."""
    cx = new_function(module, name, ll.VoidType(), (PTR, I64, PTR))
    old, count, table = cx.function.args
    with _each_used(cx, old, count, slots.size) as source:
        keys = _stored_keys(cx, program, slots, source)
        if slots.slice_is_key:
            start = stored_value(cx, slots, source, "slice", TIMESTAMP)
            keys.insert(0, Key("slice", start, 0))
        home = hash_keys(cx, keys) if keys else i64(0)
        cx.copy_bytes(_first_free(cx, slots.size, table, home), source, i64(slots.size))
    cx.b.ret_void()


def build_migrate(module: ll.Module, program: RowProgram, slots: SlotLayout, name: str) -> None:
    """The function `migrate(old slots, their number, table, slice start)`.

    Takes the table of one slice into the one that all slices share; it has room.
    Such a slot has the slice behind its tag and is otherwise the same.
    """
    cx = new_function(module, name, ll.VoidType(), (PTR, I64, PTR, I64))
    old, count, table, start = cx.function.args
    single = slot_layout(program, slice_is_key=False, shared=slots.shared)
    with _each_used(cx, old, count, single.size) as source:
        slice_key = Key("slice", Value(TIMESTAMP, start), 0)
        hash_ = hash_keys(cx, [slice_key, *_stored_keys(cx, program, single, source)])
        target = _first_free(cx, slots.size, table, hash_)
        tag = cx.b.and_(cx.b.load(source, typ=I64), i64(0xFFFF_FFFF))
        if program.keys:
            tag = cx.b.or_(tag, cx.b.and_(hash_, i64(HASH_BITS)))
        cx.b.store(tag, target)
        cx.b.store(start, cx.at(target, 8))
        cx.copy_bytes(cx.at(target, 16), cx.at(source, 8), i64(single.size - 8))
    cx.b.ret_void()


@contextmanager
def _each_used(
    cx: KernelContext, slots: ll.Value, count: ll.Value, size: int
) -> Iterator[ll.Value]:
    """A loop over the used slots of a table; yields the slot."""
    with cx.loop(i64(0), count, "slot") as index:
        slot = cx.at(slots, cx.b.mul(index, i64(size)))
        with cx.b.if_then(cx.b.trunc(cx.b.load(slot, typ=I64), I1)):
            yield slot


def _stored_keys(
    cx: KernelContext, program: RowProgram, slots: SlotLayout, slot: ll.Value
) -> list[Key]:
    """The keys of a group; they hash as when the group was made."""
    return [
        Key(f"key{position}", stored_value(cx, slots, slot, f"key{position}", key.expr.type), 0)
        for position, key in enumerate(program.keys)
    ]


def _first_free(cx: KernelContext, size: int, table: ll.Value, hash_: ll.Value) -> ll.Value:
    """The first free slot from a hash's home on."""
    base = cx.load_field(table, TableBlock, "slots", PTR)
    mask = cx.load_field(table, TableBlock, "mask")
    home = cx.b.lshr(hash_, cx.load_field(table, TableBlock, "shift"))
    before = cx.b.block
    probe, next_, found = (
        cx.b.append_basic_block(f"free.{name}") for name in ("probe", "next", "found")
    )
    cx.b.branch(probe)
    cx.b.position_at_end(probe)
    index = cx.b.phi(I64)
    index.add_incoming(home, before)
    slot = cx.at(base, cx.b.mul(index, i64(size)))
    cx.b.cbranch(cx.b.trunc(cx.b.load(slot, typ=I64), I1), next_, found)
    cx.b.position_at_end(next_)
    index.add_incoming(cx.b.and_(cx.b.add(index, i64(1)), mask), next_)
    cx.b.branch(probe)
    cx.b.position_at_end(found)
    return slot
