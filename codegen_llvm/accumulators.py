"""Aggregates in generated code: what a group starts with, and what is added to it.

What is added is a row, or what another slot has accumulated. Both have two
steps, so that a row that fails has changed nothing: a method computes and
checks, and what it returns stores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import Exit
from codegen_llvm.arithmetic import checked
from codegen_llvm.builder import I64, KernelContext, i64, llvm_type
from codegen_llvm.comparisons import compare
from codegen_llvm.layout import SlotLayout, accumulator_type
from codegen_llvm.table import Table, store_value, stored_value
from codegen_llvm.values import Value
from ir import BOOL, DATE, FLOAT64, INT64, TIMESTAMP, DataType, EvalMode, NamedAggregate

Store = Callable[[], None]
I128 = ll.IntType(128)
LEAST = ("min", "bool_and")  # false is less than true


def in_turn(*stores: Store) -> Store:
    """Several stores as one."""

    def store() -> None:
        for one in stores:
            one()

    return store


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """A group in a slot of another table, to be added to this one or taken out of it."""

    layout: SlotLayout
    slot: ll.Value

    def value(self, cx: KernelContext, field: str, type_: DataType) -> Value:
        """What it has in a field."""
        return stored_value(cx, self.layout, self.slot, field, type_)


@dataclass
class Accumulator:
    """One aggregate of a program and where it lies in a slot; a subclass for each kind."""

    cx: KernelContext
    table: Table
    position: int
    aggregate: NamedAggregate
    argument: Value | None = None
    more: tuple[Value, ...] = ()  # the other arguments, where there are several

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

    def seen(self) -> ll.Value:
        """The tag bit if this row has a value for the aggregate, else 0."""
        if self.argument is None or self.argument.null is None:
            return i64(self.seen_bit)
        return self.cx.b.select(self.argument.null, i64(0), i64(self.seen_bit))

    @property
    def counts(self) -> bool:
        """Whether its values are counted: for a result, or so that they can be taken out."""
        return self.table.layout.has(f"{self.field}.count")

    def room(self) -> ll.Value | None:
        """The arena bytes that the row may need at most."""
        return None

    def room_to_merge(self, other: StoredGroup) -> ll.Value | None:
        """The arena bytes that merging the other group may need at most."""
        return None

    def init(self, slot: ll.Value) -> None:
        """The value of a group without rows: the identity of the function."""
        raise NotImplementedError

    def prepare(self, slot: ll.Value) -> Store:
        """Add the row."""
        raise NotImplementedError

    def leave_unless_it_fits(self, slot: ll.Value, other: StoredGroup) -> None:
        """Leave a slot alone that cannot hold what both have; most hold whatever comes."""

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """Add what another slot has accumulated; one without a value changes nothing."""
        raise NotImplementedError

    def subtract(self, slot: ll.Value, other: StoredGroup) -> Store:
        """Take out what was merged before; only invertible aggregates can."""
        raise NotImplementedError

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

    def _one_if_not_null(self) -> ll.Value:
        """1 for a row with a value, else 0."""
        if self.argument is None or self.argument.null is None:
            return i64(1)
        return self.cx.b.zext(self.cx.b.not_(self.argument.null), I64)

    def _values(self, group: StoredGroup) -> ll.Value:
        """How many values a group has had; where they are not counted, whether any."""
        if group.layout.has(f"{self.field}.count"):
            return group.value(self.cx, f"{self.field}.count", INT64).payload
        tag = self.cx.b.load(group.slot, typ=I64)
        return self.cx.b.and_(self.cx.b.lshr(tag, i64(self.seen_bit.bit_length() - 1)), i64(1))

    def _storing_count(
        self, slot: ll.Value, operation: Callable[..., ll.Value], step: ll.Value
    ) -> Store:
        address = self._address(slot, ".count")
        count = operation(self.cx.b.load(address, typ=I64), step)
        return lambda: self.cx.b.store(count, address)

    def _old(self, slot: ll.Value, part: str = "", type_: DataType | None = None) -> Value:
        return self.table.stored(slot, self.field + part, type_ or self.type)

    def _address(self, slot: ll.Value, part: str = "") -> ll.Value:
        return self.cx.at(slot, self.table.layout.offset(self.field + part))

    def _storing(self, slot: ll.Value, payload: ll.Value) -> Store:
        return lambda: store_value(self.cx, self._address(slot), Value(self.type, payload))


class Count(Accumulator):
    """The number of rows, or of values that are not null."""

    def init(self, slot: ll.Value) -> None:
        """Nothing counted."""
        self.cx.b.store(i64(0), self._address(slot))

    def prepare(self, slot: ll.Value) -> Store:
        """One more."""
        step = self._one_if_not_null()
        return self._storing(slot, self.cx.b.add(self._old(slot).payload, step))

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """As many more."""
        more = other.value(self.cx, self.field, INT64).payload
        return self._storing(slot, self.cx.b.add(self._old(slot).payload, more))

    def subtract(self, slot: ll.Value, other: StoredGroup) -> Store:
        """As many fewer."""
        fewer = other.value(self.cx, self.field, INT64).payload
        return self._storing(slot, self.cx.b.sub(self._old(slot).payload, fewer))


class FloatSum(Accumulator):
    """The sum in float64; for an average, also the number of values."""

    def init(self, slot: ll.Value) -> None:
        """The empty sum."""
        self.cx.b.store(ll.Constant(ll.DoubleType(), 0.0), self._address(slot))
        if self.counts:
            self.cx.b.store(i64(0), self._address(slot, ".count"))

    def prepare(self, slot: ll.Value) -> Store:
        """Add the row's value."""
        old = self._old(slot).payload
        total = self._unless_null(old, self.cx.b.fadd(old, self._wide().payload))
        return self._storing_both(slot, total, self._one_if_not_null())

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """The sum of the sums."""
        more = other.value(self.cx, self.field, FLOAT64).payload
        total = self.cx.b.fadd(self._old(slot).payload, more)
        count = other.value(self.cx, f"{self.field}.count", INT64).payload if self.counts else None
        return self._storing_both(slot, total, count)

    def _storing_both(self, slot: ll.Value, total: ll.Value, step: ll.Value | None) -> Store:
        if not self.counts:
            return self._storing(slot, total)
        address = self._address(slot, ".count")
        count = self.cx.b.add(self.cx.b.load(address, typ=I64), step)
        return in_turn(self._storing(slot, total), lambda: self.cx.b.store(count, address))


class FloatProduct(Accumulator):
    """The product in float64."""

    def init(self, slot: ll.Value) -> None:
        """The empty product."""
        self.cx.b.store(ll.Constant(ll.DoubleType(), 1.0), self._address(slot))

    def prepare(self, slot: ll.Value) -> Store:
        """Multiply by the row's value."""
        old = self._old(slot).payload
        product = self.cx.b.fmul(old, self._wide().payload)
        return self._storing(slot, self._unless_null(old, product))

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """The product of the products."""
        more = other.value(self.cx, self.field, FLOAT64).payload
        return self._storing(slot, self.cx.b.fmul(self._old(slot).payload, more))


class IntegerSum(Accumulator):
    """The sum in 64 bits, from rows; in 128 bits, from other slots, so that it always fits.

    A row whose sum would not fit in 64 bits leaves the kernel, except where sums wrap.
    """

    def init(self, slot: ll.Value) -> None:
        """The empty sum."""
        parts = (".low", ".high") if self._is_wide(self.table.layout) else ("",)
        for part in (*parts, *((".count",) if self.counts else ())):
            self.cx.b.store(i64(0), self._address(slot, part))

    def prepare(self, slot: ll.Value) -> Store:
        """Add the row's value."""
        if self._is_wide(self.table.layout):
            return self._prepare_wide(slot)
        cx, argument, old = self.cx, self._wide(), self._old(slot).payload
        if self.aggregate.call.mode is EvalMode.LEGACY:
            total = cx.b.add(old, argument.payload)
        else:
            total, overflow = checked(cx, "sadd", old, argument.payload)
            if argument.null is not None:
                overflow = cx.b.and_(overflow, cx.b.not_(argument.null))
            with cx.b.if_then(overflow, likely=False):
                cx.leave(Exit.SPILL, cx.row)
        store_total = self._storing(slot, self._unless_null(old, total))
        if not self.counts:
            return store_total
        store_count = self._storing_count(slot, cx.b.add, self._one_if_not_null())
        return in_turn(store_total, store_count)

    def leave_unless_it_fits(self, slot: ll.Value, other: StoredGroup) -> None:
        """The sum of two sums of 64 bits may have more."""
        if self._is_wide(self.table.layout) or self.aggregate.call.mode is EvalMode.LEGACY:
            return
        cx, here = self.cx, StoredGroup(self.table.layout, slot)
        if self._is_wide(other.layout):  # that of a table which threads share
            total = cx.b.add(self._total(here), self._total(other))
            narrow = cx.b.sext(cx.b.trunc(total, I64), I128)
            overflow = cx.b.icmp_signed("!=", narrow, total)
        else:
            values = (part.value(cx, self.field, INT64).payload for part in (here, other))
            _, overflow = checked(cx, "sadd", *values)
        with cx.b.if_then(overflow, likely=False):
            self.cx.leave(Exit.SPILL, self.cx.row)

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """The sum of the sums."""
        return self._combine(slot, other, self.cx.b.add)

    def subtract(self, slot: ll.Value, other: StoredGroup) -> Store:
        """The difference of the sums."""
        return self._combine(slot, other, self.cx.b.sub)

    def _combine(
        self, slot: ll.Value, other: StoredGroup, operation: Callable[..., ll.Value]
    ) -> Store:
        here = StoredGroup(self.table.layout, slot)
        total = operation(self._total(here), self._total(other))
        store_total = self._storing_total(slot, total)
        if not self.counts:
            return store_total
        return in_turn(store_total, self._storing_count(slot, operation, self._values(other)))

    def _prepare_wide(self, slot: ll.Value) -> Store:
        """Add the row's value in 128 bits."""
        old = self._total(StoredGroup(self.table.layout, slot))
        total = self.cx.b.add(old, self.cx.b.sext(self._wide().payload, I128))
        store_total = self._storing_wide(slot, self._unless_null(old, total))
        if not self.counts:
            return store_total
        store_count = self._storing_count(slot, self.cx.b.add, self._one_if_not_null())
        return in_turn(store_total, store_count)

    def _storing_total(self, slot: ll.Value, total: ll.Value) -> Store:
        """In 64 bits where the slot has no more: it fits, or wraps as it should."""
        if self._is_wide(self.table.layout):
            return self._storing_wide(slot, total)
        return self._storing(slot, self.cx.b.trunc(total, I64))

    def _storing_wide(self, slot: ll.Value, total: ll.Value) -> Store:
        low = self.cx.b.trunc(total, I64)
        high = self.cx.b.trunc(self.cx.b.lshr(total, ll.Constant(I128, 64)), I64)
        return in_turn(
            lambda: self.cx.b.store(low, self._address(slot, ".low")),
            lambda: self.cx.b.store(high, self._address(slot, ".high")),
        )

    def _is_wide(self, layout: SlotLayout) -> bool:
        return layout.has(f"{self.field}.high")

    def _total(self, group: StoredGroup) -> ll.Value:
        """A group's sum in 128 bits."""
        if not self._is_wide(group.layout):
            return self.cx.b.sext(group.value(self.cx, self.field, INT64).payload, I128)
        low, high = (
            group.value(self.cx, f"{self.field}.{part}", INT64).payload for part in ("low", "high")
        )
        upper = self.cx.b.shl(self.cx.b.zext(high, I128), ll.Constant(I128, 64))
        return self.cx.b.or_(upper, self.cx.b.zext(low, I128))


class Extreme(Accumulator):
    """The least or greatest value of a fixed width."""

    def init(self, slot: ll.Value) -> None:
        """A value that any other replaces."""
        worst = Value(self.type, _worst(self.type, self.aggregate.call.function))
        store_value(self.cx, self._address(slot), worst)

    def prepare(self, slot: ll.Value) -> Store:
        """Replace the value by the row's if that is better."""
        assert self.argument is not None
        old = self._old(slot)
        better = self._better(self.argument, old)
        return self._storing(slot, self._unless_null(old.payload, better))

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """The better of both."""
        value = other.value(self.cx, self.field, self.type)
        return self._storing(slot, self._better(value, self._old(slot)))

    def _better(self, new: Value, old: Value) -> ll.Value:
        return self.cx.b.select(self._is_better(new, old), new.payload, old.payload)

    def _is_better(self, new: Value, old: Value) -> ll.Value:
        order = "lt" if self.aggregate.call.function in LEAST else "gt"
        return compare(self.cx, order, new, old)


class Bits(Accumulator):
    """All values joined bit by bit."""

    def init(self, slot: ll.Value) -> None:
        """All bits set for `and`, else none."""
        identity = -1 if self.aggregate.call.function == "bit_and" else 0
        self.cx.b.store(ll.Constant(llvm_type(self.type), identity), self._address(slot))
        if self.counts:
            self.cx.b.store(i64(0), self._address(slot, ".count"))

    def prepare(self, slot: ll.Value) -> Store:
        """Join the row's value."""
        assert self.argument is not None
        old = self._old(slot).payload
        joined = self._unless_null(old, self._join(old, self.argument.payload))
        return self._storing_joined(slot, joined, self.cx.b.add, self._one_if_not_null())

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """Join what the other has joined."""
        return self._combine(slot, other, self.cx.b.add)

    def subtract(self, slot: ll.Value, other: StoredGroup) -> Store:
        """Twice the same bits cancel out, in an exclusive or."""
        return self._combine(slot, other, self.cx.b.sub)

    def _combine(self, slot: ll.Value, other: StoredGroup, count: Callable[..., ll.Value]) -> Store:
        value = other.value(self.cx, self.field, self.type).payload
        joined = self._join(self._old(slot).payload, value)
        return self._storing_joined(slot, joined, count, self._values(other))

    def _storing_joined(
        self, slot: ll.Value, joined: ll.Value, count: Callable[..., ll.Value], step: ll.Value
    ) -> Store:
        if not self.counts:
            return self._storing(slot, joined)
        return in_turn(self._storing(slot, joined), self._storing_count(slot, count, step))

    def _join(self, left: ll.Value, right: ll.Value) -> ll.Value:
        function = self.aggregate.call.function
        operations = {"bit_and": self.cx.b.and_, "bit_or": self.cx.b.or_, "bit_xor": self.cx.b.xor}
        return operations[function](left, right)


def _worst(type_: DataType, function: str) -> ll.Constant:
    """A value that any other replaces: NaN is the greatest number, so min starts from it."""
    if type_.is_float:
        worst = float("nan") if function in LEAST else float("-inf")
        return ll.Constant(llvm_type(type_), worst)
    if type_ == BOOL:
        return ll.Constant(llvm_type(type_), int(function in LEAST))
    bits = {DATE: 32, TIMESTAMP: 64}.get(type_) or type_.bits
    high = (1 << (bits - 1)) - 1
    return ll.Constant(llvm_type(type_), high if function in LEAST else -high - 1)
