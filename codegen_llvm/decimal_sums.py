"""Sums and averages of decimals: wide enough in a slot, so that they are checked at the end."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from llvmlite import ir as ll

from codegen_llvm.accumulators import IntegerSum, Store, StoredGroup, in_turn
from codegen_llvm.builder import I8, I64, I128, PTR, i64, new_function
from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.decimals import decimal_of, ratio_function
from codegen_llvm.layout import decimal_sum_bits
from ir import DecimalType


class DecimalSum(IntegerSum):
    """The sum in 128 or 256 bits, which no number of rows exceeds; of an average, the count."""

    @property
    def bits(self) -> ll.IntType:
        """The integer that it accumulates in."""
        return ll.IntType(decimal_sum_bits(self.aggregate.call))

    def init(self, slot: ll.Value) -> None:
        """The empty sum."""
        self.cx.b.store(ll.Constant(self.bits, 0), self._address(slot), align=8)
        if self.counts:
            self.cx.b.store(i64(0), self._address(slot, ".count"))

    def prepare(self, slot: ll.Value) -> Store:
        """Add the row's value."""
        assert self.argument is not None
        value, old = self.argument.payload, self._total(StoredGroup(self.table.layout, slot))
        if value.type != self.bits:
            value = self.cx.b.sext(value, self.bits)
        total = self._unless_null(old, self.cx.b.add(old, value))
        store = self._storing_total(slot, total)
        if not self.counts:
            return store
        return in_turn(store, self._storing_count(slot, self.cx.b.add, self._one_if_not_null()))

    def leave_unless_it_fits(self, slot: ll.Value, other: StoredGroup) -> None:
        """It fits."""

    def _combine(
        self, slot: ll.Value, other: StoredGroup, operation: Callable[..., ll.Value]
    ) -> Store:
        here = StoredGroup(self.table.layout, slot)
        store = self._storing_total(slot, operation(self._total(here), self._total(other)))
        if not self.counts:
            return store
        return in_turn(store, self._storing_count(slot, operation, self._values(other)))

    def _total(self, group: StoredGroup) -> ll.Value:
        address = self.cx.at(group.slot, group.layout.offset(self.field))
        return self.cx.b.load(address, typ=self.bits, align=8)

    def _storing_total(self, slot: ll.Value, total: ll.Value) -> Store:
        return lambda: self.cx.b.store(total, self._address(slot), align=8)


def average_decimals(
    total: DecimalType, result: DecimalType, addresses: tuple[int, int, int, int], count: int
) -> None:
    """Divide `count` sums by counts: arrays of sums, counts, results and overflow bytes."""
    _compiled(total, result).divide(*addresses, count)


class _Averages:
    """A compiled function, and the machine code that it needs to stay alive."""

    def __init__(self, total: DecimalType, result: DecimalType) -> None:
        self.code: MachineCode = compile_module(_build(total, result))
        addresses = [ctypes.c_void_p] * 4
        self.divide = self.code.function("averages", None, *addresses, ctypes.c_int64)


@cache
def _compiled(total: DecimalType, result: DecimalType) -> _Averages:
    return _Averages(total, result)


def _build(total: DecimalType, result: DecimalType) -> ll.Module:
    module = ll.Module("averages")
    cx = new_function(module, "averages", ll.VoidType(), (PTR, PTR, PTR, PTR, I64))
    sums, counts, results, lost, count = cx.function.args
    ratio = ratio_function(module, decimal_of(total), 0, result)
    with cx.loop(i64(0), count, "group") as index:
        value = cx.b.load(cx.element(sums, index, I128), typ=I128, align=8)
        rows = cx.b.load(cx.element(counts, index, I64), typ=I64)
        some = cx.b.select(cx.b.icmp_signed("==", rows, i64(0)), i64(1), rows)
        made = cx.b.call(ratio, [value, cx.b.zext(some, I128)])
        cx.b.store(cx.b.extract_value(made, 0), cx.element(results, index, I128), align=8)
        cx.b.store(cx.b.zext(cx.b.extract_value(made, 1), I8), cx.at(lost, index))
    cx.b.ret_void()
    return module
