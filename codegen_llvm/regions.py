"""Regions that a written time names, in generated code: look-ups in the table of the host."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, PTR, KernelContext, i64, shared_function
from codegen_llvm.region_table import (
    COUNT,
    CYCLE_S,
    END,
    HASH_FACTOR,
    HASH_START,
    MASK,
    NAME,
    NAME_SIZE,
    SLOT_BYTES,
    SLOTS,
    STARTS,
    ZONE,
    region_table,
)
from ir.regions import Regions


def find_region(cx: KernelContext, regions: Regions, name: ll.Value, size: ll.Value) -> ll.Value:
    """The address of a region's zone, for the functions below; null if there is no such region."""
    find = shared_function(cx.module, "regions.find", PTR, (PTR, PTR, I64), _build_find)
    return cx.b.call(find, [_table(cx, region_table(regions)), name, size])


def _table(cx: KernelContext, symbol: str) -> ll.Value:
    """The address of the table, which linking tells."""
    if symbol not in cx.module.globals:
        made = ll.GlobalVariable(cx.module, I8, symbol)
        made.linkage, made.global_constant = "external", True
    return ll.FormattedConstant(PTR, cx.module.globals[symbol].get_reference())


def region_offset(cx: KernelContext, zone: ll.Value, second: ll.Value) -> ll.Value:
    """How many seconds a region's zone is ahead of UTC at an instant."""
    return _called(cx, "regions.offset", _instant_at, zone, second)


def region_offset_of_local(cx: KernelContext, zone: ll.Value, second: ll.Value) -> ll.Value:
    """The same at a local time: of two, before the change, and so where there is none."""
    return _called(cx, "regions.offset_of_local", _wall_at, zone, second)


_StartAt = Callable[[KernelContext, ll.Value, ll.Value, ll.Value], ll.Value]


def _called(
    cx: KernelContext, name: str, start_at: _StartAt, zone: ll.Value, second: ll.Value
) -> ll.Value:
    def build(inner: KernelContext) -> None:
        _build_offset(inner, start_at)

    return cx.b.call(shared_function(cx.module, name, I64, (PTR, I64), build), [zone, second])


def _build_find(cx: KernelContext) -> None:
    """From the slot that the name's hash says on, up to the name or an empty one."""
    table, name, size = cx.function.args
    mask = _word(cx, table, MASK)
    slot = cx.local(I64, cx.b.and_(_hash(cx, name, size), mask))
    with cx.forever("slot") as missing:
        here = cx.at(table, cx.b.add(i64(SLOTS), cx.b.mul(slot.value, i64(SLOT_BYTES))))
        known = _word(cx, here, NAME)
        cx.branch_if(cx.b.icmp_signed("==", known, i64(0)), missing)
        with cx.b.if_then(cx.b.icmp_signed("==", _word(cx, here, NAME_SIZE), size)):
            memcmp = cx.external("memcmp", I32, PTR, PTR, I64)
            order = cx.b.call(memcmp, [cx.at(table, known), name, size])
            with cx.b.if_then(cx.b.icmp_signed("==", order, ll.Constant(I32, 0))):
                cx.b.ret(cx.at(table, _word(cx, here, ZONE)))
        slot.set(cx.b.and_(cx.b.add(slot.value, i64(1)), mask))
    cx.b.ret(ll.Constant(PTR, None))


def _hash(cx: KernelContext, name: ll.Value, size: ll.Value) -> ll.Value:
    """As `region_table.name_hash` computes it."""
    made = cx.local(I64, i64(HASH_START))
    with cx.loop(i64(0), size, "hash") as at:
        byte = cx.b.zext(cx.b.load(cx.at(name, at), typ=I8), I64)
        made.set(cx.b.mul(cx.b.xor(made.value, byte), i64(HASH_FACTOR)))
    return cx.b.xor(made.value, cx.b.lshr(made.value, i64(32)))


def _build_offset(cx: KernelContext, start_at: _StartAt) -> None:
    """Behind the last change that is not later; the search halves what is left of them."""
    zone, second = cx.function.args
    count, time = _word(cx, zone, COUNT), _within_cycle(cx, zone, second)
    first, left = cx.local(I64, i64(0)), cx.local(I64, count)
    with cx.forever("search") as found:
        cx.branch_if(cx.b.icmp_signed("<=", left.value, i64(0)), found)
        half = cx.b.lshr(left.value, i64(1))
        middle = cx.b.add(first.value, half)
        is_behind = cx.b.icmp_signed("<=", start_at(cx, zone, count, middle), time)
        rest = cx.b.sub(cx.b.sub(left.value, half), i64(1))
        first.set(cx.b.select(is_behind, cx.b.add(middle, i64(1)), first.value))
        left.set(cx.b.select(is_behind, rest, half))
    cx.b.ret(_offset_at(cx, zone, count, first.value))


def _within_cycle(cx: KernelContext, zone: ll.Value, second: ll.Value) -> ll.Value:
    """The time, or of one behind the table, that so many cycles earlier that it is within."""
    end, made = _word(cx, zone, END), cx.local(I64, second)
    with cx.b.if_then(cx.b.icmp_signed(">=", second, end), likely=False):
        cycles = cx.b.add(cx.b.udiv(cx.b.sub(second, end), i64(CYCLE_S)), i64(1))
        made.set(cx.b.sub(second, cx.b.mul(cycles, i64(CYCLE_S))))
    return made.value


def _wall_at(cx: KernelContext, zone: ll.Value, count: ll.Value, change: ll.Value) -> ll.Value:
    return cx.b.load(cx.element(cx.at(zone, STARTS), change, I64), typ=I64)


def _instant_at(cx: KernelContext, zone: ll.Value, count: ll.Value, change: ll.Value) -> ll.Value:
    """The local time is that of the larger offset."""
    before = _offset_at(cx, zone, count, change)
    after = _offset_at(cx, zone, count, cx.b.add(change, i64(1)))
    larger = cx.b.select(cx.b.icmp_signed(">", before, after), before, after)
    return cx.b.sub(_wall_at(cx, zone, count, change), larger)


def _offset_at(cx: KernelContext, zone: ll.Value, count: ll.Value, span: ll.Value) -> ll.Value:
    """Offsets are behind the changes."""
    return _wall_at(cx, zone, count, cx.b.add(count, span))


def _word(cx: KernelContext, base: ll.Value, place: int) -> ll.Value:
    return cx.b.load(cx.at(base, place), typ=I64)
