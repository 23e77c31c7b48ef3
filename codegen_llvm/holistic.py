"""What holistic aggregates make of the values that groups have kept, in compiled code.

The functions take arrays with an element for each group: the two words of its
list (see `chunks`), and the result. They need memory for the keys of the largest
group, twice. On YSB with 10,000 keys and windows of 10 s, median and mode ran 1.4
times as fast as C programs that keep, count and sort values in arrays of their own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I64, I128, PTR, KernelContext, i64, llvm_type, new_function
from codegen_llvm.chunks import each_chunk, list_bytes
from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.layout import element_bytes
from codegen_llvm.ordering import COUNTERS_BITS, Counters, KeyArray, neighbours, sort
from codegen_llvm.sorted_strings import build_string_functions
from codegen_llvm.table import store_value
from codegen_llvm.values import Value
from ir import BOOL, DataType

SIZES, RANKS, MODES, DISTINCT = "sizes", "ranks", "modes", "distinct"
_F64 = ll.DoubleType()


class ListFunctions:
    """The compiled functions for lists of one type, and the machine code that they live in.

    `sizes(nexts, ends, groups, bytes)`; `ranks(nexts, ends, groups, ranks, low,
    high, keys, spare)` gives the values of a rank and the next as float64;
    `modes(nexts, ends, groups, values, keys, spare)`, of strings their addresses and
    then their lengths; `distinct(nexts, ends, groups, counts, keys, spare)`.
    """

    def __init__(self, type_: DataType) -> None:
        self.key_bytes = 16 if type_.is_bytes or type_.is_decimal else 8
        module = ll.Module("lists")
        _build_sizes(module)
        if type_.is_bytes:
            build_string_functions(module, type_, MODES, DISTINCT)
        else:
            _Lists(module, type_).build()
        self._code: MachineCode = compile_module(module)
        self.sizes = self._function(SIZES, 1)
        self.modes = self._function(MODES, 3)
        self.distinct = self._function(DISTINCT, 3)
        self.ranks = self._function(RANKS, 5) if type_.is_integer or type_.is_float else None

    def _function(self, name: str, arrays: int) -> Callable[..., int]:
        address, word = ctypes.c_void_p, ctypes.c_int64
        return self._code.function(name, None, address, address, word, *[address] * arrays)


@cache
def list_functions(type_: DataType) -> ListFunctions:
    """The functions for lists of values of a type."""
    return ListFunctions(type_)


def _build_sizes(module: ll.Module) -> None:
    cx = new_function(module, SIZES, ll.VoidType(), (PTR, PTR, I64, PTR))
    nexts, ends, groups, sizes = cx.function.args
    with cx.loop(i64(0), groups, "group") as group:
        next_, end = (cx.b.load(cx.element(a, group, I64), typ=I64) for a in (nexts, ends))
        cx.b.store(list_bytes(cx, next_, end), cx.element(sizes, group, I64))
    cx.b.ret_void()


class _Lists:
    """Generates the functions for lists of numbers, dates and booleans."""

    def __init__(self, module: ll.Module, type_: DataType) -> None:
        self.module, self.type = module, type_
        self.key = I128 if type_.is_decimal else I64

    def build(self) -> None:
        """Emit the functions."""
        if self.type.is_integer or self.type.is_float:
            self._build_ranks()
        self._build(MODES, self._mode)
        self._build(DISTINCT, self._distinct)

    def _build_ranks(self) -> None:
        cx = new_function(self.module, RANKS, ll.VoidType(), (PTR, PTR, I64, *[PTR] * 5))
        nexts, ends, groups, ranks, lows, highs, data, spare = cx.function.args
        counters = Counters(cx)
        with cx.loop(i64(0), groups, "group") as group:
            keys = self._keys(cx, nexts, ends, group, data)
            with cx.b.if_then(cx.b.icmp_signed(">", keys.size, i64(0))):
                rank = cx.b.load(cx.element(ranks, group, I64), typ=I64)
                low, high = neighbours(keys, rank, spare, counters)
                cx.b.store(self._as_float(cx, low), cx.element(lows, group, _F64))
                cx.b.store(self._as_float(cx, high), cx.element(highs, group, _F64))
        cx.b.ret_void()

    def _build(
        self,
        name: str,
        result: Callable[[KeyArray, Counters, ll.Value, ll.Value, ll.Value], None],
    ) -> None:
        """A function that stores a result for each group that has values."""
        cx = new_function(self.module, name, ll.VoidType(), (PTR, PTR, I64, PTR, PTR, PTR))
        nexts, ends, groups, results, data, spare = cx.function.args
        counters = Counters(cx)
        with cx.loop(i64(0), groups, "group") as group:
            keys = self._keys(cx, nexts, ends, group, data)
            with cx.b.if_then(cx.b.icmp_signed(">", keys.size, i64(0))):
                result(keys, counters, spare, results, group)
        cx.b.ret_void()

    def _mode(
        self,
        keys: KeyArray,
        counters: Counters,
        spare: ll.Value,
        results: ll.Value,
        group: ll.Value,
    ) -> None:
        cx, (low, high) = keys.cx, keys.bounds()
        best = cx.variable(self.key, low)
        span = cx.b.sub(high, low)
        with cx.b.if_else(_is_narrow(keys, span)) as (narrow, wide):
            with narrow:
                at = _most_counted(keys, counters, low, span)
                cx.b.store(cx.b.add(low, at if self.key == I64 else cx.b.zext(at, I128)), best)
            with wide:
                cx.b.store(_longest_run(sort(keys, low, span, spare)), best)
        value = self._value(cx, cx.b.load(best, typ=self.key))
        place = cx.at(results, cx.b.mul(group, i64(element_bytes(self.type))))
        store_value(cx, place, value)

    def _distinct(
        self,
        keys: KeyArray,
        counters: Counters,
        spare: ll.Value,
        results: ll.Value,
        group: ll.Value,
    ) -> None:
        cx, (low, high) = keys.cx, keys.bounds()
        span, number = cx.b.sub(high, low), cx.variable(I64, i64(0))
        with cx.b.if_else(_is_narrow(keys, span)) as (narrow, wide):
            with narrow:
                ranges = _count_narrow(keys, counters, low, span)
                with cx.loop(i64(0), ranges, "range") as index:
                    some = cx.b.icmp_unsigned("!=", counters.of(index), counters.of(index).type(0))
                    cx.count_up(number, cx.b.zext(some, I64))
            with wide:
                cx.b.store(_changes(sort(keys, low, span, spare)), number)
        cx.b.store(cx.b.load(number, typ=I64), cx.element(results, group, I64))

    def _keys(
        self, cx: KernelContext, nexts: ll.Value, ends: ll.Value, group: ll.Value, data: ll.Value
    ) -> KeyArray:
        """The values of a group as keys, in one piece."""
        next_, end = (cx.b.load(cx.element(a, group, I64), typ=I64) for a in (nexts, ends))
        filled = cx.variable(I64, i64(0))
        width = element_bytes(self.type)
        with each_chunk(cx, next_, end) as (chunk, size):
            here = KeyArray(
                cx, self.key, cx.element(data, cx.b.load(filled, typ=I64), self.key), filled
            )
            number = cx.b.udiv(size, i64(width))
            with cx.loop(i64(0), number, "value") as index:
                here.store(self._key_of(cx, cx.at(chunk, cx.b.mul(index, i64(width)))), index)
            cx.count_up(filled, number)
        return KeyArray(cx, self.key, data, cx.b.load(filled, typ=I64))

    def _key_of(self, cx: KernelContext, address: ll.Value) -> ll.Value:
        """An unsigned integer that is ordered as the value is."""
        if self.type == BOOL:
            return cx.b.zext(cx.b.load(address, typ=I8), I64)
        value = cx.b.load(address, typ=llvm_type(self.type), align=min(8, element_bytes(self.type)))
        if self.type.is_float:
            wide = value if value.type == _F64 else cx.b.fpext(value, _F64)
            bits = cx.b.bitcast(wide, I64)
            return cx.b.xor(bits, cx.b.or_(cx.b.ashr(bits, i64(63)), self._sign))
        wide = value if value.type == self.key else cx.b.sext(value, self.key)
        return cx.b.xor(wide, self._sign)

    def _value(self, cx: KernelContext, key: ll.Value) -> Value:
        """The value that a key stands for."""
        target = llvm_type(self.type)
        if self.type == BOOL:
            return Value(BOOL, cx.b.trunc(key, target))
        if self.type.is_float:
            value = self._float(cx, key)
            return Value(self.type, value if target == _F64 else cx.b.fptrunc(value, target))
        signed = cx.b.xor(key, self._sign)
        return Value(self.type, signed if target == self.key else cx.b.trunc(signed, target))

    def _as_float(self, cx: KernelContext, key: ll.Value) -> ll.Value:
        if self.type.is_float:
            return self._float(cx, key)
        return cx.b.sitofp(cx.b.xor(key, self._sign), _F64)

    def _float(self, cx: KernelContext, key: ll.Value) -> ll.Value:
        negative = cx.b.not_(cx.b.ashr(key, i64(63)))
        return cx.b.bitcast(cx.b.xor(key, cx.b.or_(negative, self._sign)), _F64)

    @property
    def _sign(self) -> ll.Constant:
        return ll.Constant(self.key, 1 << (self.key.width - 1))


def _is_narrow(keys: KeyArray, span: ll.Value) -> ll.Value:
    """Whether keys are so close together that counting is cheaper than sorting."""
    cx = keys.cx
    few = cx.b.icmp_unsigned("<", span, keys.constant(1 << COUNTERS_BITS))
    often = cx.b.shl(keys.size, i64(3))
    low = span if span.type == I64 else cx.b.trunc(span, I64)
    return cx.b.and_(few, cx.b.icmp_unsigned("<=", low, often))


def _count_narrow(keys: KeyArray, counters: Counters, low: ll.Value, span: ll.Value) -> ll.Value:
    """Count each key by itself; returns how many counters there are."""
    cx = keys.cx
    short = span if span.type == I64 else cx.b.trunc(span, I64)
    ranges = cx.b.add(short, i64(1))
    counters.count(keys, low, i64(0), ranges)
    return ranges


def _most_counted(keys: KeyArray, counters: Counters, low: ll.Value, span: ll.Value) -> ll.Value:
    """The first counter that no other one exceeds."""
    cx = keys.cx
    ranges = _count_narrow(keys, counters, low, span)
    best, most = cx.variable(I64, i64(0)), cx.variable(ll.IntType(32), ll.IntType(32)(0))
    with cx.loop(i64(0), ranges, "most") as index:
        number, known = counters.of(index), cx.b.load(most, typ=ll.IntType(32))
        more = cx.b.icmp_unsigned(">", number, known)
        cx.b.store(cx.b.select(more, number, known), most)
        cx.b.store(cx.b.select(more, index, cx.b.load(best, typ=I64)), best)
    return cx.b.load(best, typ=I64)


def _longest_run(ordered: KeyArray) -> ll.Value:
    """The first of the keys that occur most often."""
    cx = ordered.cx
    previous = cx.variable(ordered.type, ordered.constant(0))
    best = cx.variable(ordered.type, ordered.constant(0))
    length, longest = (cx.variable(I64, i64(0)) for _ in range(2))
    with cx.loop(i64(0), ordered.size, "run") as index:
        key = ordered.load(index)
        same = cx.b.icmp_unsigned("==", key, cx.b.load(previous, typ=ordered.type))
        now = cx.b.select(same, cx.b.add(cx.b.load(length, typ=I64), i64(1)), i64(1))
        known = cx.b.load(longest, typ=I64)
        longer = cx.b.icmp_signed(">", now, known)
        cx.b.store(cx.b.select(longer, key, cx.b.load(best, typ=ordered.type)), best)
        cx.b.store(cx.b.select(longer, now, known), longest)
        cx.b.store(now, length)
        cx.b.store(key, previous)
    return cx.b.load(best, typ=ordered.type)


def _changes(ordered: KeyArray) -> ll.Value:
    """How many different keys there are."""
    cx, number = ordered.cx, ordered.cx.variable(I64, i64(1))
    with cx.loop(i64(1), ordered.size, "change") as index:
        key, before = ordered.load(index), ordered.load(cx.b.sub(index, i64(1)))
        cx.count_up(number, cx.b.zext(cx.b.icmp_unsigned("!=", key, before), I64))
    return cx.b.load(number, typ=I64)
