"""Strings that generated readers keep: in a dictionary, or one after another."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.abi import HASH_MULTIPLIER
from codegen_llvm.builder import I1, I32, I64, PTR, KernelContext, i64, shared_function
from codegen_llvm.text_abi import PADDING, TextColumn

_STEP = 8


def keep_string(module: ll.Module) -> ll.Function:
    """(column, row, text, size) -> whether it found room; then the row has the string."""
    made = shared_function(module, "text.keep", I1, (PTR, I64, PTR, I64), _build_keep)
    made.attributes.add("noinline")
    return made


def keep_known(
    cx: KernelContext, column: ll.Value, row: ll.Value, text: ll.Value, size: ll.Value
) -> ll.Value:
    """Whether a string of one to eight bytes is where the dictionary has it first; then it is kept.

    No loop, and no branch that depends on the string.
    """
    done = cx.local(I1, ll.Constant(I1, 0))
    is_coded = cx.b.icmp_signed("==", cx.load_field(column, TextColumn, "is_plain"), i64(0))
    is_short = cx.b.icmp_unsigned("<", cx.b.sub(size, i64(1)), i64(_STEP))
    with cx.b.if_then(cx.b.and_(is_coded, is_short), likely=True):
        mask = cx.b.lshr(i64(-1), cx.b.shl(cx.b.sub(i64(_STEP), size), i64(3)))
        word = cx.b.and_(cx.b.load(text, typ=I64, align=1), mask)
        table = cx.load_field(column, TextColumn, "table", PTR)
        slot = cx.b.and_(_mixed(cx, size, word), cx.load_field(column, TextColumn, "mask"))
        code = cx.b.load(cx.element(table, slot, I32), typ=I32)
        with cx.b.if_then(cx.b.icmp_signed("!=", code, ll.Constant(I32, 0)), likely=True):
            entry = cx.b.sub(cx.b.zext(code, I64), i64(1))
            begin, fits = _entry(cx, column, entry, size)
            there = cx.b.and_(cx.b.load(begin, typ=I64, align=1), mask)
            same = cx.b.and_(fits, cx.b.icmp_signed("==", there, word))
            with cx.b.if_then(same, likely=True):
                values = cx.load_field(column, TextColumn, "values", PTR)
                cx.b.store(cx.b.trunc(entry, I32), cx.element(values, row, I32))
                done.set(ll.Constant(I1, 1))
    return done.value


def _entry(
    cx: KernelContext, column: ll.Value, entry: ll.Value, size: ll.Value
) -> tuple[ll.Value, ll.Value]:
    """Where an entry of the dictionary begins, and whether it has a size."""
    offsets = cx.load_field(column, TextColumn, "offsets", PTR)
    begin = cx.b.load(cx.element(offsets, entry, I32), typ=I32)
    end = cx.b.load(cx.element(offsets, cx.b.add(entry, i64(1)), I32), typ=I32)
    fits = cx.b.icmp_signed("==", cx.b.zext(cx.b.sub(end, begin), I64), size)
    data = cx.load_field(column, TextColumn, "bytes", PTR)
    return cx.at(data, cx.b.zext(begin, I64)), fits


def _build_keep(cx: KernelContext) -> None:
    column, row, text, size = cx.function.args
    is_plain = cx.load_field(column, TextColumn, "is_plain")
    with cx.b.if_then(cx.b.icmp_signed("!=", is_plain, i64(0))):
        _append(cx, column, row, text, size)
        cx.b.ret(ll.Constant(I1, 1))
    slot = _find(cx, column, text, size)
    code = cx.b.load(slot, typ=I32)
    entry = cx.local(I32, cx.b.sub(code, ll.Constant(I32, 1)))
    with cx.b.if_then(cx.b.icmp_signed("==", code, ll.Constant(I32, 0)), likely=False):
        entries = cx.load_field(column, TextColumn, "entries")
        most = cx.load_field(column, TextColumn, "most_entries")
        with cx.b.if_then(cx.b.icmp_signed(">=", entries, most), likely=False):
            cx.b.ret(ll.Constant(I1, 0))
        _append(cx, column, entries, text, size)
        entry.set(cx.b.trunc(entries, I32))
        cx.b.store(cx.b.add(entry.value, ll.Constant(I32, 1)), slot)
        cx.store_field(cx.b.add(entries, i64(1)), column, TextColumn, "entries")
    values = cx.load_field(column, TextColumn, "values", PTR)
    cx.b.store(entry.value, cx.element(values, row, I32))
    cx.b.ret(ll.Constant(I1, 1))


def _append(
    cx: KernelContext, column: ll.Value, index: ll.Value, text: ll.Value, size: ll.Value
) -> None:
    """Put a string behind the ones before it, or return that there is no room."""
    offsets = cx.load_field(column, TextColumn, "offsets", PTR)
    begin = cx.b.load(cx.element(offsets, index, I32), typ=I32)
    end = cx.b.add(cx.b.zext(begin, I64), size)
    capacity = cx.load_field(column, TextColumn, "capacity")
    with cx.b.if_then(cx.b.icmp_signed(">", end, cx.b.sub(capacity, i64(PADDING))), likely=False):
        cx.b.ret(ll.Constant(I1, 0))
    data = cx.load_field(column, TextColumn, "bytes", PTR)
    target = cx.at(data, cx.b.zext(begin, I64))
    with cx.loop(i64(0), cx.b.lshr(cx.b.add(size, i64(_STEP - 1)), i64(3)), "copy") as index_:
        word = cx.b.load(cx.element(text, index_, I64), typ=I64, align=1)
        cx.b.store(word, cx.element(target, index_, I64), align=1)
    after = cx.b.add(index, i64(1))
    cx.b.store(cx.b.trunc(end, I32), cx.element(offsets, after, I32))


def _find(cx: KernelContext, column: ll.Value, text: ll.Value, size: ll.Value) -> ll.Value:
    """The address of the slot that has the string's code, or that is free for it."""
    table = cx.load_field(column, TextColumn, "table", PTR)
    mask = cx.load_field(column, TextColumn, "mask")
    slot = cx.local(I64, cx.b.and_(_hash(cx, text, size), mask))
    same = shared_function(cx.module, "text.same", I1, (PTR, PTR, I64), _build_same)
    with cx.forever("probe") as after:
        code = cx.b.load(cx.element(table, slot.value, I32), typ=I32)
        cx.branch_if(cx.b.icmp_signed("==", code, ll.Constant(I32, 0)), after)
        there, fits = _entry(cx, column, cx.b.sub(cx.b.zext(code, I64), i64(1)), size)
        with cx.b.if_then(fits, likely=True):
            cx.branch_if(cx.b.call(same, [there, text, size]), after)
        slot.set(cx.b.and_(cx.b.add(slot.value, i64(1)), mask))
    return cx.element(table, slot.value, I32)


def _hash(cx: KernelContext, text: ll.Value, size: ll.Value) -> ll.Value:
    made = cx.local(I64, size)
    words = cx.b.lshr(cx.b.add(size, i64(_STEP - 1)), i64(3))
    with cx.loop(i64(0), words, "hash") as index:
        word = _masked_word(cx, text, size, index)
        made.set(_mixed(cx, made.value, word))
    return made.value


def _mixed(cx: KernelContext, made: ll.Value, word: ll.Value) -> ll.Value:
    """The hash of a text that goes on with a word."""
    mixed = cx.b.mul(cx.b.xor(made, word), ll.Constant(I64, HASH_MULTIPLIER))
    return cx.b.xor(mixed, cx.b.lshr(mixed, i64(32)))


def _build_same(cx: KernelContext) -> None:
    """Whether two texts of one size are equal; bytes behind them may be read but do not count."""
    left, right, size = cx.function.args
    words = cx.b.lshr(cx.b.add(size, i64(_STEP - 1)), i64(3))
    with cx.loop(i64(0), words, "same") as index:
        first, second = (_masked_word(cx, text, size, index) for text in (left, right))
        with cx.b.if_then(cx.b.icmp_signed("!=", first, second)):
            cx.b.ret(ll.Constant(I1, 0))
    cx.b.ret(ll.Constant(I1, 1))


def _masked_word(cx: KernelContext, text: ll.Value, size: ll.Value, index: ll.Value) -> ll.Value:
    """Eight bytes of a text, with zeros for what is behind its end."""
    word = cx.b.load(cx.element(text, index, I64), typ=I64, align=1)
    left = cx.b.sub(size, cx.b.shl(index, i64(3)))
    short = cx.b.icmp_signed("<", left, i64(_STEP))
    drop = cx.b.select(short, cx.b.shl(cx.b.sub(i64(_STEP), left), i64(3)), i64(0))
    mask = cx.b.lshr(i64(-1), drop)
    return cx.b.and_(word, mask)
