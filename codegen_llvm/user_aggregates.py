"""Aggregates that users write as expressions, compiled like the built-in ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from llvmlite import ir as ll

from codegen_llvm.accumulators import Accumulator, Store, StoredGroup
from codegen_llvm.builder import I1, KernelContext, llvm_type
from codegen_llvm.expressions import lower
from codegen_llvm.table import store_value
from codegen_llvm.values import Value, any_null, null_bit
from ir import BOOL, OTHER, Column, Expr, UserAggregate


@dataclass
class _Names:
    """The values that the expressions of a definition read, by name."""

    values: dict[str, Value] = field(default_factory=dict)

    def column(self, cx: KernelContext, column: Column) -> Value:
        """The value of a column of a state, or of an input."""
        return self.values[column.name]

    def known(self, cx: KernelContext, expr: Expr) -> Value | None:
        """Nothing is known before."""
        return None


class UserDefined(Accumulator):
    """The state of a user's aggregate: a field for each of its columns.

    New values are computed and checked first, all of them from the old ones.
    """

    @property
    def definition(self) -> UserAggregate:
        """What the user has written."""
        assert self.aggregate.call.definition is not None
        return self.aggregate.call.definition

    def init(self, slot: ll.Value) -> None:
        """The initial state."""
        for position, value in enumerate(self.definition.initial):
            self._store(slot, position, lower(self.cx, _Names(), value))

    def prepare(self, slot: ll.Value) -> Store:
        """Accumulate the row, unless an input is null."""
        given = [value for value in (self.argument, *self.more) if value is not None]
        names = self._state(StoredGroup(self.table.layout, slot))
        for name, value in zip(self.definition.inputs.names, given, strict=True):
            names.values[name] = Value(value.type, value.payload, None, value.length)
        return self._updating(slot, names, self.definition.accumulate, any_null(self.cx, *given))

    def merge(self, slot: ll.Value, other: StoredGroup) -> Store:
        """Merge the other state into this one."""
        return self._updating(slot, self._both(slot, other), self.definition.merge)

    def subtract(self, slot: ll.Value, other: StoredGroup) -> Store:
        """Take the other state out of this one."""
        return self._updating(slot, self._both(slot, other), self.definition.inverse)

    def _updating(
        self,
        slot: ll.Value,
        names: _Names,
        exprs: Sequence[Expr],
        skipped: ll.Value | None = None,
    ) -> Store:
        """Compute a new state; a row that is skipped must not even fail."""
        cx = self.cx
        if skipped is None:
            made = [lower(cx, names, expr) for expr in exprs]
            return lambda: self._store_all(slot, made)
        old = [names.values[column.name] for column in self.definition.state]
        kept = [_Variable(cx, value) for value in old]
        with cx.b.if_then(cx.b.not_(skipped)):
            for variable, expr in zip(kept, exprs, strict=True):
                variable.set(lower(cx, names, expr))
        chosen = [variable.get() for variable in kept]
        return lambda: self._store_all(slot, chosen)

    def _both(self, slot: ll.Value, other: StoredGroup) -> _Names:
        names = self._state(StoredGroup(self.table.layout, slot))
        for name, value in self._state(other).values.items():
            names.values[OTHER + name] = value
        return names

    def _state(self, group: StoredGroup) -> _Names:
        """The columns of a group's state."""
        names = _Names()
        for position, column in enumerate(self.definition.state):
            part = f"{self.field}.{position}"
            value = group.value(self.cx, part, column.type)
            null = None
            if column.nullable:
                null = group.value(self.cx, f"{part}.null", BOOL).payload
            names.values[column.name] = Value(column.type, value.payload, null)
        return names

    def _store_all(self, slot: ll.Value, values: Sequence[Value]) -> None:
        for position, value in enumerate(values):
            self._store(slot, position, value)

    def _store(self, slot: ll.Value, position: int, value: Value) -> None:
        store_value(self.cx, self._address(slot, f".{position}"), value)
        if self.definition.state.fields[position].nullable:
            null = Value(BOOL, null_bit(value))
            store_value(self.cx, self._address(slot, f".{position}.null"), null)


class _Variable:
    """A value that a branch may change; of a fixed width."""

    def __init__(self, cx: KernelContext, value: Value) -> None:
        self.cx, self.type, self.nullable = cx, value.type, value.null is not None
        self._payload = cx.variable(llvm_type(value.type), value.payload)
        self._null = cx.variable(I1, null_bit(value))

    def set(self, value: Value) -> None:
        """Give it another value."""
        self.cx.b.store(value.payload, self._payload)
        self.cx.b.store(null_bit(value), self._null)

    def get(self) -> Value:
        """Its value here."""
        payload = self.cx.b.load(self._payload, typ=llvm_type(self.type))
        null = self.cx.b.load(self._null, typ=I1) if self.nullable else None
        return Value(self.type, payload, null)
