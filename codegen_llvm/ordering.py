"""Ordering arrays of integer keys in generated code: bounds, counting, selecting, sorting.

Keys are unsigned and ordered as the values that they stand for. Counting is
cheaper than sorting wherever values lie close together, which is the rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, i64

COUNTERS_BITS = 10  # counters that stay in the first-level cache: 4 KiB
_DIGIT_BITS = 8
_FEW = 24  # keys that are sorted by insertion


@dataclass
class KeyArray:
    """Keys of one integer type in memory, and their number."""

    cx: KernelContext
    type: ll.IntType
    data: ll.Value
    size: ll.Value

    def load(self, index: ll.Value) -> ll.Value:
        """A key."""
        address = self.cx.element(self.data, index, self.type)
        return self.cx.b.load(address, typ=self.type, align=8)

    def store(self, key: ll.Value, index: ll.Value) -> None:
        """Set a key."""
        self.cx.b.store(key, self.cx.element(self.data, index, self.type), align=8)

    def bounds(self) -> tuple[ll.Value, ll.Value]:
        """The least and the greatest key; vectorised by LLVM."""
        cx, bits = self.cx, self.type.width
        low = cx.variable(self.type, ll.Constant(self.type, -1))
        high = cx.variable(self.type, ll.Constant(self.type, 0))
        with cx.loop(i64(0), self.size, "bounds") as index:
            key = self.load(index)
            for found, name in ((low, "umin"), (high, "umax")):
                better = cx.external(f"llvm.{name}.i{bits}", self.type, self.type, self.type)
                cx.b.store(cx.b.call(better, [cx.b.load(found, typ=self.type), key]), found)
        return cx.b.load(low, typ=self.type), cx.b.load(high, typ=self.type)

    def constant(self, value: int) -> ll.Constant:
        """A key that is known."""
        return ll.Constant(self.type, value)


def width_of(cx: KernelContext, value: ll.Value) -> ll.Value:
    """How many bits an unsigned integer needs, as an i64."""
    bits = value.type.width
    zeros = cx.external(f"llvm.ctlz.i{bits}", value.type, value.type, I1)
    used = cx.b.sub(ll.Constant(value.type, bits), cx.b.call(zeros, [value, ll.Constant(I1, 0)]))
    return used if bits == 64 else cx.b.trunc(used, I64)


@contextmanager
def endless(cx: KernelContext, name: str) -> Iterator[ll.Block]:
    """A loop that is left by a branch to the block that it yields."""
    body, after = (cx.b.append_basic_block(f"{name}.{part}") for part in ("body", "after"))
    cx.b.branch(body)
    cx.b.position_at_end(body)
    yield after
    cx.b.branch(body)
    cx.b.position_at_end(after)


class Counters:
    """How many keys there are in each of up to 1024 ranges of the same width."""

    def __init__(self, cx: KernelContext) -> None:
        self.cx = cx
        self.data = cx.stack(ll.ArrayType(I32, 1 << COUNTERS_BITS))

    def count(self, keys: KeyArray, low: ll.Value, shift: ll.Value, ranges: ll.Value) -> None:
        """Count keys from `low` on by their difference from it, without its last bits."""
        _zero(self.cx, self.data, self.cx.b.shl(ranges, i64(2)))
        with self.cx.loop(i64(0), keys.size, "count") as index:
            place = self._place(range_of(keys, keys.load(index), low, shift))
            one = ll.Constant(I32, 1)
            self.cx.b.store(self.cx.b.add(self.cx.b.load(place, typ=I32), one), place)

    def of(self, index: ll.Value) -> ll.Value:
        """The keys in one range."""
        return self.cx.b.load(self._place(index), typ=I32)

    def holding(self, rank: ll.Value) -> tuple[ll.Value, ll.Value]:
        """The range that has the key of a rank, and the rank inside of it."""
        cx = self.cx
        at, left = cx.variable(I64, i64(0)), cx.variable(I64, rank)
        with endless(cx, "holding") as found:
            number = cx.b.zext(self.of(cx.b.load(at, typ=I64)), I64)
            rest = cx.b.load(left, typ=I64)
            beyond = cx.b.append_basic_block("holding.beyond")
            cx.b.cbranch(cx.b.icmp_signed("<", rest, number), found, beyond)
            cx.b.position_at_end(beyond)
            cx.b.store(cx.b.sub(rest, number), left)
            cx.count_up(at, i64(1))
        return cx.b.load(at, typ=I64), cx.b.load(left, typ=I64)

    def _place(self, index: ll.Value) -> ll.Value:
        return self.cx.element(self.data, index, I32)


def range_of(keys: KeyArray, key: ll.Value, low: ll.Value, shift: ll.Value) -> ll.Value:
    """The number of the range that a key is in, as an i64."""
    cx = keys.cx
    wide = shift if keys.type == I64 else cx.b.zext(shift, keys.type)
    number = cx.b.lshr(cx.b.sub(key, low), wide)
    return number if keys.type == I64 else cx.b.trunc(number, I64)


def nth(keys: KeyArray, rank: ll.Value, spare: ll.Value, counters: Counters) -> ll.Value:
    """The key of a rank; only keys of the range that holds it are looked at again."""
    cx = keys.cx
    data, size = cx.variable(PTR, keys.data), cx.variable(I64, keys.size)
    left, found = cx.variable(I64, rank), cx.variable(keys.type, keys.constant(0))
    with endless(cx, "nth") as done:
        some = KeyArray(cx, keys.type, cx.b.load(data, typ=PTR), cx.b.load(size, typ=I64))
        low, high = some.bounds()
        span = cx.b.sub(high, low)
        shift = _shift(cx, span, some.size)
        counters.count(some, low, shift, cx.b.add(cx.b.lshr(span, shift), i64(1)))
        held, inside = counters.holding(cx.b.load(left, typ=I64))
        cx.b.store(cx.b.add(low, held), found)
        narrower = cx.b.append_basic_block("nth.narrower")
        cx.b.cbranch(cx.b.icmp_unsigned("==", shift, i64(0)), done, narrower)
        cx.b.position_at_end(narrower)
        cx.b.store(_only(some, low, shift, held, spare), size)
        cx.b.store(spare, data)
        cx.b.store(inside, left)
    return cx.b.load(found, typ=keys.type)


def _shift(cx: KernelContext, span: ll.Value, size: ll.Value) -> ll.Value:
    """How many bits to leave out, so that there are a few times as many ranges as keys."""
    most = cx.b.add(width_of(cx, size), i64(2))
    most = cx.b.select(cx.b.icmp_signed("<", most, i64(COUNTERS_BITS)), most, i64(COUNTERS_BITS))
    over = cx.b.sub(width_of(cx, span), most)
    return cx.b.select(cx.b.icmp_signed("<", over, i64(0)), i64(0), over)


def _only(
    keys: KeyArray, low: ll.Value, shift: ll.Value, held: ll.Value, target: ll.Value
) -> ll.Value:
    """Copy the keys of one range; `target` may be where the keys are. Returns their number."""
    cx = keys.cx
    kept, copied = KeyArray(cx, keys.type, target, keys.size), cx.variable(I64, i64(0))
    with cx.loop(i64(0), keys.size, "only") as index:
        key = keys.load(index)
        at = cx.b.load(copied, typ=I64)
        kept.store(key, at)
        same = cx.b.icmp_unsigned("==", range_of(keys, key, low, shift), held)
        cx.b.store(cx.b.add(at, cx.b.zext(same, I64)), copied)
    return cx.b.load(copied, typ=I64)


def neighbours(
    keys: KeyArray, rank: ll.Value, spare: ll.Value, counters: Counters
) -> tuple[ll.Value, ll.Value]:
    """The keys of a rank and of the next one, if there is one; few keys are sorted."""
    cx = keys.cx
    low, high = (cx.variable(keys.type, keys.constant(0)) for _ in range(2))
    with cx.b.if_else(_are_few(keys)) as (then, otherwise):
        with then:
            _insert_each(keys)
            last = cx.b.sub(keys.size, i64(1))
            above = cx.b.select(cx.b.icmp_signed("<", rank, last), cx.b.add(rank, i64(1)), last)
            cx.b.store(keys.load(rank), low)
            cx.b.store(keys.load(above), high)
        with otherwise:
            found = nth(keys, rank, spare, counters)
            cx.b.store(found, low)
            cx.b.store(following(keys, found, rank), high)
    return cx.b.load(low, typ=keys.type), cx.b.load(high, typ=keys.type)


def following(keys: KeyArray, key: ll.Value, rank: ll.Value) -> ll.Value:
    """The key of the next rank, where `key` has this one; vectorised by LLVM."""
    cx = keys.cx
    up_to, least = cx.variable(I64, i64(0)), cx.variable(keys.type, keys.constant(-1))
    umin = cx.external(f"llvm.umin.i{keys.type.width}", keys.type, keys.type, keys.type)
    with cx.loop(i64(0), keys.size, "following") as index:
        one = keys.load(index)
        above = cx.b.icmp_unsigned(">", one, key)
        cx.count_up(up_to, cx.b.zext(cx.b.not_(above), I64))
        greater = cx.b.select(above, one, keys.constant(-1))
        cx.b.store(cx.b.call(umin, [cx.b.load(least, typ=keys.type), greater]), least)
    again = cx.b.icmp_signed(">", cx.b.load(up_to, typ=I64), cx.b.add(rank, i64(1)))
    return cx.b.select(again, key, cx.b.load(least, typ=keys.type))


def sort(keys: KeyArray, low: ll.Value, span: ll.Value, spare: ll.Value) -> KeyArray:
    """The keys in order, in one of the two places: few by insertion, others digit by digit."""
    cx = keys.cx
    place = cx.variable(PTR, keys.data)
    with cx.b.if_else(_are_few(keys)) as (then, otherwise):
        with then:
            _insert_each(keys)
        with otherwise:
            _sort_digits(keys, low, span, spare, place)
    return KeyArray(cx, keys.type, cx.b.load(place, typ=PTR), keys.size)


def _are_few(keys: KeyArray) -> ll.Value:
    return keys.cx.b.icmp_signed("<=", keys.size, i64(_FEW))


def _insert_each(keys: KeyArray) -> None:
    cx = keys.cx
    with cx.loop(i64(1), keys.size, "insert") as index:
        key, at = keys.load(index), cx.variable(I64, index)
        with endless(cx, "insert.step") as placed:
            here = cx.b.load(at, typ=I64)
            compare, move = (cx.b.append_basic_block(f"insert.{n}") for n in ("compare", "move"))
            cx.b.cbranch(cx.b.icmp_signed("==", here, i64(0)), placed, compare)
            cx.b.position_at_end(compare)
            before = cx.b.sub(here, i64(1))
            one = keys.load(before)
            cx.b.cbranch(cx.b.icmp_unsigned(">", one, key), move, placed)
            cx.b.position_at_end(move)
            keys.store(one, here)
            cx.b.store(before, at)
        keys.store(key, cx.b.load(at, typ=I64))


def _sort_digits(
    keys: KeyArray, low: ll.Value, span: ll.Value, spare: ll.Value, place: ll.Value
) -> None:
    """By digits from the lowest on, those of the span only; `place` becomes where they are."""
    cx = keys.cx
    starts = cx.stack(ll.ArrayType(I64, 1 << _DIGIT_BITS))
    other = cx.variable(PTR, spare)
    digits = cx.b.lshr(cx.b.add(width_of(cx, span), i64(_DIGIT_BITS - 1)), i64(3))
    with cx.loop(i64(0), digits, "digit") as digit:
        here, there = cx.b.load(place, typ=PTR), cx.b.load(other, typ=PTR)
        source = KeyArray(cx, keys.type, here, keys.size)
        target = KeyArray(cx, keys.type, there, keys.size)
        _scatter(source, target, low, cx.b.shl(digit, i64(3)), starts)
        cx.b.store(there, place)
        cx.b.store(here, other)


def _scatter(
    source: KeyArray, target: KeyArray, low: ll.Value, shift: ll.Value, starts: ll.Value
) -> None:
    """Order keys by one digit; those with the same keep their order."""
    cx, last = source.cx, i64((1 << _DIGIT_BITS) - 1)

    def start_of(key: ll.Value) -> ll.Value:
        digit = cx.b.and_(range_of(source, key, low, shift), last)
        return cx.element(starts, digit, I64)

    _zero(cx, starts, i64(8 << _DIGIT_BITS))
    with cx.loop(i64(0), source.size, "digit.count") as index:
        cx.count_up(start_of(source.load(index)), i64(1))
    total = cx.variable(I64, i64(0))
    with cx.loop(i64(0), i64(1 << _DIGIT_BITS), "digit.start") as index:
        start = cx.element(starts, index, I64)
        number = cx.b.load(start, typ=I64)
        cx.b.store(cx.b.load(total, typ=I64), start)
        cx.count_up(total, number)
    with cx.loop(i64(0), source.size, "digit.move") as index:
        key = source.load(index)
        start = start_of(key)
        target.store(key, cx.b.load(start, typ=I64))
        cx.count_up(start, i64(1))


def _zero(cx: KernelContext, data: ll.Value, size: ll.Value) -> None:
    memset = cx.external("llvm.memset.p0.i64", ll.VoidType(), PTR, I8, I64, I1)
    cx.b.call(memset, [data, ll.Constant(I8, 0), size, ll.Constant(I1, 0)])
