"""Sorting the rows of a morsel by who adds them: a list of row numbers for each part of the keys.

Windows that go by the order of a key's rows need one thread at a time for a key, in the order of
morsels. Filters do not: any thread runs them, once for all parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llvmlite import ir as ll

from codegen_llvm.abi import HASH_MULTIPLIER, Exit, KernelArgs, KeyedBlock, SplitBlock
from codegen_llvm.block_filter import selected
from codegen_llvm.builder import I32, I64, PTR, KernelContext, i64, new_function
from codegen_llvm.columns import Columns
from codegen_llvm.expressions import lower
from codegen_llvm.keyed_slots import repeat_while
from codegen_llvm.keys import Key, hash_keys, normalize_key
from codegen_llvm.values import is_true
from ir import Expr
from ir.pipelines import RowProgram


def build_split_block(
    module: ll.Module,
    program: RowProgram,
    columns_of: Callable[[KernelContext], Columns],
    branches: tuple[Expr, ...],
    *,
    of_all: bool,
) -> ll.Function:
    """The function `(args, first row, count) -> exit code` that lists the rows of a block.

    `of_all`: there is no selection. `branches` are filters that were not tested before.
    """
    cx = new_function(module, "split_block", I32, (PTR, I64, I64))
    cx.function.linkage = "internal"
    cx.function.attributes.add("noinline")
    args, first, count = cx.function.args
    lists = _Lists(cx, cx.load_field(args, KernelArgs, "state", PTR))
    selection = cx.load_field(args, KernelArgs, "selection", PTR)
    columns, passed = columns_of(cx), cx.variable(I64, i64(0))
    with cx.loop(i64(0), count, "split") as index:
        row = cx.b.add(first, index if of_all else selected(cx, selection, index))
        with _passing(cx, columns, branches, row):
            cx.row = row
            keys = [
                Key(f"key{position}", normalize_key(cx, lower(cx, columns, key.expr)), 0)
                for position, key in enumerate(program.keys)
            ]
            lists.append(keys, row)
            cx.count_up(passed, i64(1))
    cx.leave(Exit.DONE, first)
    for code, tail in cx.tails.items():
        cx.b.position_at_end(tail)
        before = cx.load_field(args, KernelArgs, "rows_passed")
        counted = cx.b.add(before, cx.b.load(passed, typ=I64))
        cx.store_field(counted, args, KernelArgs, "rows_passed")
        cx.b.ret(ll.Constant(I32, int(code)))
    return cx.function


@contextmanager
def _passing(
    cx: KernelContext, columns: Columns, filters: tuple[Expr, ...], row: ll.Value
) -> Iterator[None]:
    """Around what is done with a row that passes; a branch for each filter."""
    if not filters:
        yield
        return
    dropped = cx.b.append_basic_block("row.dropped")
    for predicate in filters:
        cx.row = row
        passes = cx.b.append_basic_block("passes")
        cx.b.cbranch(is_true(cx, lower(cx, columns, predicate)), passes, dropped)
        cx.b.position_at_end(passes)
    yield
    cx.b.branch(dropped)
    cx.b.position_at_end(dropped)


class _Lists:
    """The lists of row numbers, one for each part, and how long they are."""

    def __init__(self, cx: KernelContext, block: ll.Value) -> None:
        self.cx = cx
        self._rows = cx.load_field(block, SplitBlock, "rows", PTR)
        self._room = cx.load_field(block, SplitBlock, "room")
        self._counts = cx.load_field(block, SplitBlock, "counts", PTR)
        self._parts = cx.load_field(block, SplitBlock, "parts")

    def append(self, keys: list[Key], row: ll.Value) -> None:
        """Put a row behind those of its part."""
        cx = self.cx
        part = self._part(keys)
        place = cx.element(self._counts, part, I64)
        count = cx.b.load(place, typ=I64)
        at = cx.b.add(cx.b.mul(part, self._room), count)
        cx.b.store(cx.b.trunc(row, I32), cx.element(self._rows, at, I32))
        cx.b.store(cx.b.add(count, i64(1)), place)

    def _part(self, keys: list[Key]) -> ll.Value:
        """The part that has the keys; the first one where there are none.

        Mixed once more: the highest bits of the hash choose the slot, and the others of a single
        number are not all as good.
        """
        cx, hash_ = self.cx, hash_keys(self.cx, keys) if keys else i64(0)
        mixed = cx.b.mul(cx.b.xor(hash_, cx.b.lshr(hash_, i64(32))), i64(HASH_MULTIPLIER))
        return cx.b.lshr(cx.b.mul(cx.b.lshr(mixed, i64(32)), self._parts), i64(32))


class ListedRows:
    """The numbers of a range of rows in a list that was made so, which is in order."""

    def __init__(self, cx: KernelContext, begin: ll.Value, end: ll.Value) -> None:
        state = cx.load_field(cx.function.args[0], KernelArgs, "state", PTR)
        self.cx, self._end_row = cx, end
        self._list = cx.load_field(state, KeyedBlock, "listed", PTR)
        count = cx.load_field(state, KeyedBlock, "listed_count")
        self._first = self._place(i64(0), count, begin)
        self._end = self._place(self._first, count, end)

    @property
    def count(self) -> ll.Value:
        """How many there are."""
        return self.cx.b.sub(self._end, self._first)

    def block(self, number: ll.Value, rows: int) -> tuple[ll.Value, ll.Value, ll.Value]:
        """Of a block: where its numbers are, how many, and the row behind the last of it.

        The last block goes on to the end of the range.
        """
        b = self.cx.b
        at = b.add(self._first, b.mul(number, i64(rows)))
        full = b.add(at, i64(rows))
        is_last = b.icmp_signed(">=", full, self._end)
        end = b.select(is_last, self._end, full)
        # Of an empty list the first place is read, which is there.
        before = b.select(is_last, i64(0), b.sub(full, i64(1)))
        last = b.select(is_last, self._end_row, b.add(self._row(before), i64(1)))
        return self.cx.element(self._list, at, I32), b.sub(end, at), last

    def _row(self, place: ll.Value) -> ll.Value:
        return selected(self.cx, self._list, place)

    def _place(self, low: ll.Value, high: ll.Value, row: ll.Value) -> ll.Value:
        """The first place in a part of the list whose number is not below a row's."""
        cx = self.cx
        begin, end = cx.variable(I64, low), cx.variable(I64, high)

        def is_open() -> ll.Value:
            return cx.b.icmp_signed("<", cx.b.load(begin, typ=I64), cx.b.load(end, typ=I64))

        with repeat_while(cx, "search", is_open):
            here = cx.b.load(begin, typ=I64)
            middle = cx.b.add(here, cx.b.lshr(cx.b.sub(cx.b.load(end, typ=I64), here), i64(1)))
            below = cx.b.icmp_signed("<", self._row(middle), row)
            cx.b.store(cx.b.select(below, cx.b.add(middle, i64(1)), here), begin)
            cx.b.store(cx.b.select(below, cx.b.load(end, typ=I64), middle), end)
        return cx.b.load(begin, typ=I64)
