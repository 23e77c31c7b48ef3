"""Variance and standard deviation in generated code: number, mean, squared differences."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.accumulators import Accumulator, Store, StoredGroup, in_turn
from ir import FLOAT64

_PARTS = (".n", "", ".m2")  # the mean has the name of the aggregate itself


class Variance(Accumulator):
    """Updated and merged as Spark does it, so that rounding is Spark's."""

    def init(self, slot: ll.Value) -> None:
        """Of no values."""
        for part in _PARTS:
            self.cx.b.store(_constant(0.0), self._address(slot, part))

    def prepare(self, slot: ll.Value) -> Store:
        """Add the row's value."""
        b, value = self.cx.b, self._wide().payload
        n, mean, m2 = old = self._all(StoredGroup(self.table.layout, slot))
        count = b.fadd(n, _constant(1.0))
        delta = b.fsub(value, mean)
        step = b.fdiv(delta, count)
        new = (count, b.fadd(mean, step), b.fadd(m2, b.fmul(delta, b.fsub(delta, step))))
        return self._storing_all(
            slot, [self._unless_null(*pair) for pair in zip(old, new, strict=True)]
        )

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """Join two groups; one without values changes nothing, whatever its mean may be."""
        b = self.cx.b
        left = n1, mean1, m2_1 = self._all(StoredGroup(self.table.layout, slot))
        right = n2, mean2, m2_2 = self._all(other)
        count = b.fadd(n1, n2)
        delta = b.fsub(mean2, mean1)
        step = b.fdiv(delta, count)
        between = b.fmul(b.fmul(b.fmul(delta, step), n1), n2)
        joined = (count, b.fadd(mean1, b.fmul(step, n2)), b.fadd(b.fadd(m2_1, m2_2), between))
        left_empty, right_empty = (
            b.fcmp_ordered("==", number, _constant(0.0)) for number in (n1, n2)
        )
        return self._storing_all(
            slot,
            [
                b.select(right_empty, kept, b.select(left_empty, taken, made))
                for kept, taken, made in zip(left, right, joined, strict=True)
            ],
        )

    def _all(self, group: StoredGroup) -> tuple[ll.Value, ll.Value, ll.Value]:
        n, mean, m2 = (group.value(self.cx, self.field + part, FLOAT64).payload for part in _PARTS)
        return n, mean, m2

    def _storing_all(self, slot: ll.Value, values: list[ll.Value]) -> Store:
        return in_turn(
            *(self._storing_part(slot, part, v) for part, v in zip(_PARTS, values, strict=True))
        )

    def _storing_part(self, slot: ll.Value, part: str, value: ll.Value) -> Store:
        return lambda: self.cx.b.store(value, self._address(slot, part))


def _constant(value: float) -> ll.Constant:
    return ll.Constant(ll.DoubleType(), value)
