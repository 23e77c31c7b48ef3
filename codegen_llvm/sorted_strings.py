"""Mode and number of distinct strings of a group, in generated code: sorted, then run by run."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm.builder import I32, I64, PTR, i64, new_function
from codegen_llvm.chunks import each_chunk
from codegen_llvm.ordering import endless
from codegen_llvm.strings import equal_strings, order_strings
from codegen_llvm.values import Value
from ir import DataType

_ENTRY_BITS = 4  # an entry is an address and a length


def build_string_functions(module: ll.Module, type_: DataType, modes: str, distinct: str) -> None:
    """The functions of `holistic` for lists of strings."""
    _Strings(module, type_, modes).build(_Strings.store_mode)
    _Strings(module, type_, distinct).build(_Strings.store_distinct)


class _Strings:
    """One function over the lists of all groups."""

    def __init__(self, module: ll.Module, type_: DataType, name: str) -> None:
        self.type = type_
        self.cx = new_function(module, name, ll.VoidType(), (PTR, PTR, I64, PTR, PTR, PTR))

    def build(self, store: Callable[[_Strings, ll.Value, ll.Value, ll.Value], None]) -> None:
        """Emit the function: each list in order, then its result."""
        cx = self.cx
        nexts, ends, groups, _, data, spare = cx.function.args
        with cx.loop(i64(0), groups, "group") as group:
            next_, end = (cx.b.load(cx.element(a, group, I64), typ=I64) for a in (nexts, ends))
            number = self._collect(next_, end, data)
            with cx.b.if_then(cx.b.icmp_signed(">", number, i64(0))):
                store(self, self._sort(data, number, spare), number, group)
        cx.b.ret_void()

    def store_mode(self, ordered: ll.Value, number: ll.Value, group: ll.Value) -> None:
        """The first of the strings that occur most often: its address; behind all, its length."""
        cx, best, longest = self.cx, self._number(0), self._number(0)
        length = self._number(0)
        with cx.loop(i64(0), number, "run") as index:
            same = self._is_as_before(ordered, index)
            now = cx.b.select(same, cx.b.add(cx.b.load(length, typ=I64), i64(1)), i64(1))
            longer = cx.b.icmp_signed(">", now, cx.b.load(longest, typ=I64))
            cx.b.store(now, length)
            with cx.b.if_then(longer):
                cx.b.store(now, longest)
                cx.b.store(index, best)
        made = self._entry(ordered, cx.b.load(best, typ=I64))
        _, _, groups, results, _, _ = cx.function.args
        cx.b.store(made.payload, cx.element(results, group, PTR))
        lengths = cx.element(results, groups, I64)
        cx.b.store(made.length, cx.element(lengths, group, I32))

    def store_distinct(self, ordered: ll.Value, number: ll.Value, group: ll.Value) -> None:
        """How many strings differ from the one before."""
        cx, found = self.cx, self._number(0)
        with cx.loop(i64(0), number, "run") as index:
            same = self._is_as_before(ordered, index)
            cx.count_up(found, cx.b.zext(cx.b.not_(same), I64))
        results = cx.function.args[3]
        cx.b.store(cx.b.load(found, typ=I64), cx.element(results, group, I64))

    def _collect(self, next_: ll.Value, end: ll.Value, data: ll.Value) -> ll.Value:
        """Copy the entries of a list together; returns their number."""
        cx, filled = self.cx, self._number(0)
        with each_chunk(cx, next_, end) as (chunk, size):
            cx.copy_bytes(cx.at(data, cx.b.load(filled, typ=I64)), chunk, size)
            cx.count_up(filled, size)
        return cx.b.lshr(cx.b.load(filled, typ=I64), i64(_ENTRY_BITS))

    def _sort(self, data: ll.Value, number: ll.Value, spare: ll.Value) -> ll.Value:
        """Merge runs of 1, 2, 4... entries between both places; returns where they end up."""
        cx, width = self.cx, self._number(1)
        here, there = cx.variable(PTR, data), cx.variable(PTR, spare)
        with endless(cx, "merge") as done:
            run = cx.b.load(width, typ=I64)
            more = cx.b.append_basic_block("merge.more")
            cx.b.cbranch(cx.b.icmp_signed("<", run, number), more, done)
            cx.b.position_at_end(more)
            source, target = cx.b.load(here, typ=PTR), cx.b.load(there, typ=PTR)
            twice = cx.b.shl(run, i64(1))
            pairs = cx.b.sdiv(cx.b.add(number, cx.b.sub(twice, i64(1))), twice)
            with cx.loop(i64(0), pairs, "pair") as pair:
                self._merge(source, target, cx.b.mul(pair, twice), run, number)
            cx.b.store(target, here)
            cx.b.store(source, there)
            cx.b.store(twice, width)
        return cx.b.load(here, typ=PTR)

    def _merge(
        self, source: ll.Value, target: ll.Value, first: ll.Value, run: ll.Value, number: ll.Value
    ) -> None:
        """Merge two neighbouring runs; one that is used up is read at its end, for nothing."""
        cx = self.cx
        middle = self._least(cx.b.add(first, run), number)
        last = self._least(cx.b.add(middle, run), number)
        left, right = cx.variable(I64, first), cx.variable(I64, middle)
        final = cx.b.sub(number, i64(1))
        with cx.loop(first, last, "take") as index:
            i, j = (cx.b.load(at, typ=I64) for at in (left, right))
            one, other = (self._entry(source, self._least(at, final)) for at in (i, j))
            before = cx.b.icmp_signed("<=", order_strings(cx, one, other), ll.Constant(I32, 0))
            has_left, no_right = (
                cx.b.icmp_signed("<", i, middle),
                cx.b.icmp_signed(">=", j, last),
            )
            from_left = cx.b.and_(has_left, cx.b.or_(no_right, before))
            taken = cx.b.select(from_left, i, j)
            size = i64(1 << _ENTRY_BITS)
            cx.copy_bytes(self._address(target, index), self._address(source, taken), size)
            step = cx.b.zext(from_left, I64)
            cx.b.store(cx.b.add(i, step), left)
            cx.b.store(cx.b.add(j, cx.b.sub(i64(1), step)), right)

    def _is_as_before(self, ordered: ll.Value, index: ll.Value) -> ll.Value:
        """Whether an entry is equal to the one before it; the first is not."""
        cx = self.cx
        first = cx.b.icmp_signed("==", index, i64(0))
        before = cx.b.select(first, index, cx.b.sub(index, i64(1)))
        same = equal_strings(cx, self._entry(ordered, index), self._entry(ordered, before))
        return cx.b.and_(same, cx.b.not_(first))

    def _entry(self, data: ll.Value, index: ll.Value) -> Value:
        address = self._address(data, index)
        bytes_ = self.cx.b.load(address, typ=PTR)
        length = self.cx.b.load(self.cx.at(address, 8), typ=I64)
        return Value(self.type, bytes_, None, self.cx.b.trunc(length, I32))

    def _address(self, data: ll.Value, index: ll.Value) -> ll.Value:
        return self.cx.at(data, self.cx.b.shl(index, i64(_ENTRY_BITS)))

    def _least(self, left: ll.Value, right: ll.Value) -> ll.Value:
        return self.cx.b.select(self.cx.b.icmp_signed("<", left, right), left, right)

    def _number(self, initial: int) -> ll.Value:
        return self.cx.variable(I64, i64(initial))
