"""Aggregates in generated code: what a group starts with, and what a row adds to it.

An update has two steps, so that a row that fails has changed nothing: `prepare`
computes and checks, `apply` stores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.arithmetic import checked
from codegen_llvm.builder import I32, I64, PTR, KernelContext, i64, llvm_type
from codegen_llvm.comparisons import compare
from codegen_llvm.layout import accumulator_type
from codegen_llvm.table import Table, store_value
from codegen_llvm.values import Value, null_bit
from ir import BOOL, DATE, FLOAT64, INT64, STRING, TIMESTAMP, DataType, EvalMode, NamedAggregate

Store = Callable[[], None]


@dataclass
class Accumulator:
    """One aggregate of a program and where it lies in a slot."""

    cx: KernelContext
    table: Table
    position: int
    aggregate: NamedAggregate
    argument: Value | None = None

    @property
    def field(self) -> str:
        """The slot field that it accumulates in."""
        return f"agg{self.position}"

    @property
    def type(self) -> DataType:
        """The type in which it accumulates."""
        return accumulator_type(self.aggregate)

    @property
    def seen_bit(self) -> int:
        """The tag bit that says that it has seen a value."""
        return self.table.layout.seen_bit(self.position)

    @property
    def skips_rows(self) -> bool:
        """Whether a row may have no value for it."""
        return self.argument is not None and self.argument.null is not None

    def room(self) -> ll.Value | None:
        """The arena bytes that an update may need at most."""
        if self.type != STRING or self.argument is None:
            return None
        return self.cx.b.zext(_string_capacity(self.cx, self.argument), I64)

    def init(self, slot: ll.Value) -> None:
        """The value of a group without rows: the identity of the function."""
        if self.type == STRING:
            self._clear_string(slot)
            return
        store_value(self.cx, self._address(slot), self._identity())
        if self.aggregate.call.function == "avg":
            self.cx.b.store(i64(0), self._address(slot, ".count"))

    def prepare(self, slot: ll.Value) -> Store:
        """Compute the row's update and check it; the result stores it."""
        match self.aggregate.call.function:
            case "count":
                return self._prepare_count(slot)
            case "sum":
                return self._prepare_sum(slot)
            case "avg":
                return self._prepare_average(slot)
            case _ if self.type == STRING:
                return lambda: self._apply_string_extreme(slot)
            case _:
                return self._prepare_extreme(slot)

    def seen(self) -> ll.Value:
        """The tag bit if this row has a value for the aggregate, else 0."""
        if self.argument is None or self.argument.null is None:
            return i64(self.seen_bit)
        return self.cx.b.select(self.argument.null, i64(0), i64(self.seen_bit))

    def _prepare_count(self, slot: ll.Value) -> Store:
        step: ll.Value = i64(1)
        if self.argument is not None and self.argument.null is not None:
            step = self.cx.b.zext(self.cx.b.not_(self.argument.null), I64)
        return self._storing(slot, self.cx.b.add(self._old(slot).payload, step))

    def _prepare_sum(self, slot: ll.Value) -> Store:
        cx, argument, old = self.cx, self._wide(), self._old(slot).payload
        if self.type == FLOAT64:
            total = cx.b.fadd(old, argument.payload)
        elif self.aggregate.call.mode is EvalMode.LEGACY:
            total = cx.b.add(old, argument.payload)
        else:
            total, overflow = checked(cx, "sadd", old, argument.payload)
            if argument.null is not None:
                overflow = cx.b.and_(overflow, cx.b.not_(argument.null))
            cx.fail_if(overflow, "ARITHMETIC_OVERFLOW", f"sum as {self.aggregate.name}")
        return self._storing(slot, self._unless_null(old, total))

    def _prepare_average(self, slot: ll.Value) -> Store:
        cx, argument = self.cx, self._wide()
        old = self._old(slot).payload
        total = self._unless_null(old, cx.b.fadd(old, argument.payload))
        address = self._address(slot, ".count")
        step = cx.b.zext(cx.b.not_(null_bit(argument)), I64)
        count = cx.b.add(cx.b.load(address, typ=I64), step)

        def store() -> None:
            cx.b.store(total, self._address(slot))
            cx.b.store(count, address)

        return store

    def _prepare_extreme(self, slot: ll.Value) -> Store:
        assert self.argument is not None
        old = self._old(slot)
        better = compare(self.cx, self._order, self.argument, old)
        payload = self.cx.b.select(better, self.argument.payload, old.payload)
        return self._storing(slot, self._unless_null(old.payload, payload))

    def _apply_string_extreme(self, slot: ll.Value) -> None:
        """Replace the string if the row's is better: in place if it fits, else in the arena."""
        cx, argument, layout = self.cx, self.argument, self.table.layout
        assert argument is not None
        tag = cx.b.load(slot, typ=I64)
        first = cx.b.icmp_signed("==", cx.b.and_(tag, i64(self.seen_bit)), i64(0))
        better = compare(cx, self._order, argument, self._old(slot))
        wanted = cx.b.and_(cx.b.or_(first, better), cx.b.not_(null_bit(argument)))
        with cx.b.if_then(wanted, likely=False):
            capacity = cx.b.load(cx.at(slot, layout.offset(f"{self.field}.capacity")), typ=I32)
            fits = cx.b.icmp_signed("<=", argument.length, capacity)
            with cx.b.if_else(fits) as (in_place, elsewhere):
                with in_place:
                    data = cx.b.load(cx.at(slot, layout.offset(f"{self.field}.data")), typ=PTR)
                    cx.copy_bytes(data, argument.payload, cx.b.zext(argument.length, I64))
                    address = cx.at(slot, layout.offset(f"{self.field}.length"))
                    cx.b.store(argument.length, address)
                with elsewhere:
                    room = _string_capacity(cx, argument)
                    self.table.store_string(slot, self.field, argument, room)

    def _clear_string(self, slot: ll.Value) -> None:
        layout = self.table.layout
        empty = self.cx.constant_bytes(b"\0")
        self.cx.b.store(empty, self.cx.at(slot, layout.offset(f"{self.field}.data")))
        for part in ("length", "capacity"):
            address = self.cx.at(slot, layout.offset(f"{self.field}.{part}"))
            self.cx.b.store(ll.Constant(I32, 0), address)

    @property
    def _order(self) -> str:
        return "lt" if self.aggregate.call.function == "min" else "gt"

    def _identity(self) -> Value:
        function = self.aggregate.call.function
        if function in ("count", "sum", "avg"):
            return Value(self.type, ll.Constant(llvm_type(self.type), 0))
        return Value(self.type, _worst(self.type, function))

    def _wide(self) -> Value:
        """The argument in the type that it accumulates in."""
        assert self.argument is not None
        payload, source = self.argument.payload, self.argument.type
        if self.type == INT64 and source != INT64:
            payload = self.cx.b.sext(payload, I64)
        elif self.type == FLOAT64 and source.is_integer:
            payload = self.cx.b.sitofp(payload, ll.DoubleType())
        elif self.type == FLOAT64 and source != FLOAT64:
            payload = self.cx.b.fpext(payload, ll.DoubleType())
        return Value(self.type, payload, self.argument.null)

    def _unless_null(self, old: ll.Value, new: ll.Value) -> ll.Value:
        assert self.argument is not None
        if self.argument.null is None:
            return new
        return self.cx.b.select(self.argument.null, old, new)

    def _old(self, slot: ll.Value) -> Value:
        return self.table.stored(slot, self.field, self.type)

    def _address(self, slot: ll.Value, part: str = "") -> ll.Value:
        return self.cx.at(slot, self.table.layout.offset(self.field + part))

    def _storing(self, slot: ll.Value, payload: ll.Value) -> Store:
        return lambda: store_value(self.cx, self._address(slot), Value(self.type, payload))


def _worst(type_: DataType, function: str) -> ll.Constant:
    """A value that any other replaces: NaN is the greatest number, so min starts from it."""
    if type_.is_float:
        worst = float("nan") if function == "min" else float("-inf")
        return ll.Constant(llvm_type(type_), worst)
    if type_ == BOOL:
        return ll.Constant(llvm_type(type_), int(function == "min"))
    bits = {DATE: 32, TIMESTAMP: 64}.get(type_) or type_.bits
    high = (1 << (bits - 1)) - 1
    return ll.Constant(llvm_type(type_), high if function == "min" else -high - 1)


def _string_capacity(cx: KernelContext, value: Value) -> ll.Value:
    """Room for the string and to grow in place: a string that keeps growing is rarely moved."""
    most = ll.Constant(I32, 65536)
    growth = cx.b.select(cx.b.icmp_signed("<", value.length, most), value.length, most)
    return cx.b.add(cx.b.add(value.length, growth), ll.Constant(I32, 16))
