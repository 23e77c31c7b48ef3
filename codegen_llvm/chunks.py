"""Lists of values in a table's arena: chunks that grow with the list, each linked to the last.

A slot has two words for a list: where its next value goes, and where the room for
it ends. Behind that end lie three words: where the chunk before this one ends
(0 if there is none), where this chunk starts, and how many bytes of values lie in
all chunks before it. A chunk that is left before it is full ends where its values
do: its words are written there again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llvmlite import ir as ll

from codegen_llvm.abi import TableBlock
from codegen_llvm.builder import I64, PTR, KernelContext, i64
from codegen_llvm.table import Table

# A list of few values wastes little, and one of many is hardly ever extended: a new
# chunk has twice the room of all before it.
_FIRST_BYTES = 64
_MOST_BYTES = 4 * 1024
_LINK_BYTES = 24
_BEFORE, _START, _PASSED = 0, 8, 16  # the three words behind a chunk


def list_bytes(cx: KernelContext, next_: ll.Value, end: ll.Value) -> ll.Value:
    """The bytes of all values of a list."""
    link = _link(cx, end)
    in_last = cx.b.sub(next_, _word(cx, link, _START))
    return cx.b.add(_word(cx, link, _PASSED), in_last)


@contextmanager
def each_chunk(
    cx: KernelContext, next_: ll.Value, end: ll.Value
) -> Iterator[tuple[ll.Value, ll.Value]]:
    """A loop over the chunks of a list, the last one first; yields address and bytes."""
    entry = cx.b.block
    head, body, after = (
        cx.b.append_basic_block(f"chunk.{name}") for name in ("head", "body", "after")
    )
    cx.b.branch(head)
    cx.b.position_at_end(head)
    stop, link = cx.b.phi(I64), cx.b.phi(I64)
    stop.add_incoming(next_, entry)
    link.add_incoming(end, entry)
    cx.b.cbranch(cx.b.icmp_unsigned("!=", link, i64(0)), body, after)
    cx.b.position_at_end(body)
    words = cx.b.inttoptr(link, PTR)
    start = _word(cx, words, _START)
    before = _word(cx, words, _BEFORE)
    yield cx.b.inttoptr(start, PTR), cx.b.sub(stop, start)
    stop.add_incoming(before, cx.b.block)
    link.add_incoming(before, cx.b.block)
    cx.b.branch(head)
    cx.b.position_at_end(after)


def room_for_value() -> ll.Value:
    """The arena bytes that one more value of a list may need."""
    return i64(_MOST_BYTES + _LINK_BYTES + 7)


def room_for_list(cx: KernelContext, size: ll.Value) -> ll.Value:
    """The arena bytes that `size` bytes of another list may need."""
    return cx.b.add(_whole_chunk(cx, size), i64(_LINK_BYTES + 7))


def place_for_value(table: Table, list_: tuple[ll.Value, ll.Value], size: int) -> ll.Value:
    """A variable with the address of room for one more value, which is not taken yet.

    `list_` are the addresses of a list's words. Room in the arena was reserved. A
    chunk that is made for a row that leaves later on changes nothing: the list has
    no value more.
    """
    cx = table.cx

    def wanted(passed: ll.Value) -> ll.Value:
        twice = cx.b.shl(passed, i64(1))
        return _at_least(cx, _at_most(cx, twice, _MOST_BYTES), i64(_FIRST_BYTES))

    return _place(table, list_, i64(size), wanted)


def place_for_list(table: Table, list_: tuple[ll.Value, ll.Value], size: ll.Value) -> ll.Value:
    """The same for `size` bytes of another list, in one chunk."""
    return _place(table, list_, size, lambda passed: _whole_chunk(table.cx, size))


def _place(
    table: Table,
    list_: tuple[ll.Value, ll.Value],
    size: ll.Value,
    wanted: Callable[[ll.Value], ll.Value],
) -> ll.Value:
    cx = table.cx
    next_, end = (cx.b.load(word, typ=I64) for word in list_)
    place = cx.variable(I64, next_)
    short = cx.b.icmp_unsigned("<", cx.b.sub(end, next_), size)
    with cx.b.if_then(short, likely=False):
        passed = list_bytes(cx, next_, end)
        start, stop = _new_chunk(table, next_, end, passed, wanted(passed))
        for value, word in zip((start, stop), list_, strict=True):
            cx.b.store(value, word)
        cx.b.store(start, place)
    return place


def _new_chunk(
    table: Table, next_: ll.Value, end: ll.Value, passed: ll.Value, wanted: ll.Value
) -> tuple[ll.Value, ll.Value]:
    """Start and end of a chunk behind the values of a list."""
    cx = table.cx
    with cx.b.if_then(cx.b.icmp_unsigned("!=", end, i64(0))):
        _end_chunk(cx, next_, end)
    block = cx.b.load(table.registers.block, typ=PTR)
    start = _rounded(cx, cx.load_field(block, TableBlock, "arena_next"))
    stop = cx.b.add(start, wanted)
    _write_link(cx, stop, next_, start, passed)
    cx.store_field(cx.b.add(stop, i64(_LINK_BYTES)), block, TableBlock, "arena_next")
    return start, stop


def _whole_chunk(cx: KernelContext, size: ll.Value) -> ll.Value:
    return _at_least(cx, _rounded(cx, size), i64(_FIRST_BYTES))


def _end_chunk(cx: KernelContext, next_: ll.Value, end: ll.Value) -> None:
    """Let a chunk end where its values do; both places may overlap."""
    link = _link(cx, end)
    words = [_word(cx, link, at) for at in (_BEFORE, _START, _PASSED)]
    _write_link(cx, next_, *words)


def _write_link(
    cx: KernelContext, at: ll.Value, before: ll.Value, start: ll.Value, passed: ll.Value
) -> None:
    address = cx.b.inttoptr(at, PTR)
    for offset, word in ((_BEFORE, before), (_START, start), (_PASSED, passed)):
        cx.b.store(word, cx.at(address, offset), align=1)


def _link(cx: KernelContext, end: ll.Value) -> ll.Value:
    """The words behind a chunk; zeros for the list without one."""
    none = cx.constant_bytes(bytes(_LINK_BYTES))
    return cx.b.select(cx.b.icmp_unsigned("==", end, i64(0)), none, cx.b.inttoptr(end, PTR))


def _word(cx: KernelContext, link: ll.Value, offset: int) -> ll.Value:
    return cx.b.load(cx.at(link, offset), typ=I64, align=1)


def _rounded(cx: KernelContext, size: ll.Value) -> ll.Value:
    """Up to a multiple of 8."""
    return cx.b.and_(cx.b.add(size, i64(7)), i64(-8))


def _at_least(cx: KernelContext, value: ll.Value, least: ll.Value) -> ll.Value:
    return cx.b.select(cx.b.icmp_unsigned("<", value, least), least, value)


def _at_most(cx: KernelContext, value: ll.Value, most: int) -> ll.Value:
    return cx.b.select(cx.b.icmp_unsigned(">", value, i64(most)), i64(most), value)
