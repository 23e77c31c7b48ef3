"""Aggregates that several threads update at the same time, each word atomically."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir as ll

from codegen_llvm.accumulators import (
    Accumulator,
    Bits,
    Count,
    Extreme,
    FloatSum,
    IntegerSum,
    Store,
)
from codegen_llvm.builder import I1, I8, I64, i64, llvm_type
from codegen_llvm.values import Value
from ir import BOOL


class _Atomic(Accumulator):
    """Updates at once; what is not null counts. Nothing can fail."""

    def prepare(self, slot: ll.Value) -> Store:
        """Add the row."""

        def store() -> None:
            with self._if_not_null():
                self._update(slot)

        return store

    def _update(self, slot: ll.Value) -> None:
        """Add the row's value, which is not null."""
        raise NotImplementedError

    @contextmanager
    def _if_not_null(self) -> Iterator[None]:
        if self.argument is None or self.argument.null is None:
            yield
            return
        with self.cx.b.if_then(self.cx.b.not_(self.argument.null)):
            yield

    def _rmw(self, operation: str, address: ll.Value, value: ll.Value) -> ll.Value:
        """What was at the address before."""
        return self.cx.b.atomic_rmw(operation, address, value, "monotonic")


class AtomicCount(_Atomic, Count):
    """The number of rows, or of values that are not null."""

    def _update(self, slot: ll.Value) -> None:
        self._rmw("add", self._address(slot), i64(1))


class AtomicFloatSum(_Atomic, FloatSum):
    """The sum in float64; threads add in any order, so its last digits may differ."""

    def _update(self, slot: ll.Value) -> None:
        self._rmw("fadd", self._address(slot), self._wide().payload)


class AtomicIntegerSum(_Atomic, IntegerSum):
    """The sum in two words of 64 bits; it always fits."""

    def _update(self, slot: ll.Value) -> None:
        """Add to the low word; each thread takes the carry of its own addition to the high one.

        Whatever the order of additions, each has one value before it, so the
        carries add up to what one addition in 128 bits after another gives.
        """
        b, value = self.cx.b, self._wide().payload
        before = self._rmw("add", self._address(slot, ".low"), value)
        carry = b.icmp_unsigned("<", b.add(before, value), before)
        step = b.add(b.ashr(value, i64(63)), b.zext(carry, I64))
        with b.if_then(b.icmp_signed("!=", step, i64(0)), likely=False):
            self._rmw("add", self._address(slot, ".high"), step)


class AtomicBits(_Atomic, Bits):
    """All values joined bit by bit."""

    def _update(self, slot: ll.Value) -> None:
        assert self.argument is not None
        operation = self.aggregate.call.function.removeprefix("bit_")
        self._rmw(operation, self._address(slot), self.argument.payload)


class AtomicExtreme(_Atomic, Extreme):
    """The least or greatest value of a fixed width."""

    def _update(self, slot: ll.Value) -> None:
        """Mostly a look suffices: the more values a group has, the fewer are better."""
        assert self.argument is not None
        cx, new, address = self.cx, self.argument, self._address(slot)
        look, improve, done = (
            cx.b.append_basic_block(f"extreme.{name}") for name in ("look", "improve", "done")
        )
        stored = I8 if self.type == BOOL else ll.IntType(self.type.bits)
        cx.b.branch(look)
        cx.b.position_at_end(look)
        bits = cx.b.load_atomic(address, "monotonic", stored.width // 8, typ=stored)
        better = self._is_better(new, Value(self.type, self._from_bits(bits)))
        cx.b.cbranch(better, improve, done).set_weights((1, 1000))
        cx.b.position_at_end(improve)
        attempt = cx.b.cmpxchg(
            address, bits, self._to_bits(new.payload, stored), "monotonic", "monotonic"
        )
        cx.b.cbranch(cx.b.extract_value(attempt, 1), done, look)
        cx.b.position_at_end(done)

    def _from_bits(self, bits: ll.Value) -> ll.Value:
        if self.type == BOOL:
            return self.cx.b.trunc(bits, I1)
        return self.cx.b.bitcast(bits, llvm_type(self.type)) if self.type.is_float else bits

    def _to_bits(self, payload: ll.Value, stored: ll.Type) -> ll.Value:
        if self.type == BOOL:
            return self.cx.b.zext(payload, I8)
        return self.cx.b.bitcast(payload, stored) if self.type.is_float else payload


ATOMIC: dict[type[Accumulator], type[Accumulator]] = {
    Count: AtomicCount,
    FloatSum: AtomicFloatSum,
    IntegerSum: AtomicIntegerSum,
    Bits: AtomicBits,
    Extreme: AtomicExtreme,
}
