"""Guards of value ranges: one look at a block's columns, before any row of it has an effect.

With all values of a block in their ranges, what `ir.intervals` proves of them needs no check. A
row outside ends the block: the kernel leaves at exactly that row.

Where filters are tested for all rows, the same loop looks at the ranges: a pass of its own waits
for memory a second time. With columns that come from memory, `price * quantity + tax > ...` ran
0.94 to 1.04 times as fast as with checks when the guard had its own pass, and 0.99 to 1.14 so,
where 2 % to half of the rows pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from llvmlite import ir as ll

from codegen_llvm.abi import Exit
from codegen_llvm.builder import I1, I64, PTR, KernelContext, apart, llvm_type
from codegen_llvm.columns import Columns
from codegen_llvm.looks import Load
from ir import BOOL, Column, ProjectionProgram, RowProgram, Schema, ValuesInRange, VariantSpec
from ir.intervals import Interval, prove, range_of_type

Program: TypeAlias = RowProgram | ProjectionProgram


def assumed_ranges(program: Program, spec: VariantSpec) -> dict[str, Interval]:
    """The columns' ranges that a variant assumes, as far as they prove anything."""
    claimed = {}
    for claim in spec.assumptions:
        if isinstance(claim, ValuesInRange) and (range_ := _within_type(program, claim)):
            claimed[claim.column] = range_
    used: set[str] = set()
    for expr in program.expressions() if claimed else ():
        if prove(expr, claimed) != prove(expr, {}):
            used |= expr.columns()
    return {name: range_ for name, range_ in claimed.items() if name in used}


def _within_type(program: Program, claim: ValuesInRange) -> Interval | None:
    """The values of a column that are in a range, unless none or all are."""
    if claim.column not in program.input:
        return None
    type_ = program.input[claim.column].type
    limits = range_of_type(type_)
    if limits is None or type_ == BOOL:
        return None
    both = Interval(max(claim.low, limits.low), min(claim.high, limits.high))
    return None if both.low > both.high or both == limits else both


@dataclass(frozen=True)
class RangeGuard:
    """Generates the look at a block's columns."""

    module: ll.Module
    schema: Schema
    columns_of: Callable[[KernelContext], Columns]
    ranges: dict[str, Interval]

    def may_be_fused(self) -> bool:
        """Whether filters can look at the ranges in passing: what is behind a null says nothing."""
        types = [self.schema[name].type for name in self.ranges]
        nullable = any(self.schema[name].nullable for name in self.ranges)
        return bool(types) and not nullable and not any(type_.is_decimal for type_ in types)

    @property
    def limits(self) -> Sequence[tuple[ll.Type, int]]:
        """The width of each range."""
        ranges = self.ranges.items()
        return [(llvm_type(self.schema[name].type), r.high - r.low) for name, r in ranges]

    def distances(self, cx: KernelContext, columns: Columns, load: Load) -> Iterator[ll.Value]:
        """From the least value of each range."""
        for column, range_ in self._columns(columns):
            value = load(columns.values(column.name), llvm_type(column.type))
            yield cx.b.sub(value, _constant(value.type, range_.low))

    def rows_inside(self, cx: KernelContext, first: ll.Value, last: ll.Value) -> ll.Value:
        """The first row from `first` on with a value outside, or `last` where there is none."""
        if not self.ranges:
            return last
        types = (PTR, I64, I64)
        function = apart(self.module, "values.inside", I64, types, self._build)
        return cx.b.call(function, [cx.function.args[0], first, last])

    def _build(self, cx: KernelContext) -> None:
        """All values with vectors, also those behind nulls; row by row only if some are outside."""
        _, first, last = cx.function.args
        columns = self.columns_of(cx)
        outside: ll.Value = ll.Constant(I1, 0)
        for column, range_ in self._columns(columns):
            farthest = self._farthest(cx, columns, column, range_, first, last)
            outside = cx.b.or_(outside, _is_beyond(cx, farthest, range_))
        with cx.b.if_then(outside, likely=False):
            cx.b.ret(self._first_outside(cx, columns, first, last))
        cx.b.ret(last)

    def _farthest(
        self,
        cx: KernelContext,
        columns: Columns,
        column: Column,
        range_: Interval,
        first: ll.Value,
        last: ll.Value,
    ) -> ll.Value:
        """The greatest distance from the least value; what is below it wraps, and is farthest."""
        type_ = llvm_type(column.type)
        greatest = cx.local(type_, ll.Constant(type_, 0))
        umax = cx.external(f"llvm.umax.i{type_.width}", type_, type_, type_)
        values = columns.values(column.name)
        with cx.loop(first, last, "value") as row:
            # Arrow aligns to 8 bytes, and LLVM takes 16 for granted where it reads 16.
            align = 8 if column.type.is_decimal else None
            value = cx.b.load(cx.element(values, row, type_), typ=type_, align=align)
            distance = cx.b.sub(value, ll.Constant(type_, range_.low))
            greatest.set(cx.b.call(umax, [greatest.value, distance]))
        return greatest.value

    def _first_outside(
        self, cx: KernelContext, columns: Columns, first: ll.Value, last: ll.Value
    ) -> ll.Value:
        """Where the first row is of which a value, not a null, is outside."""
        with cx.loop(first, last, "row") as row:
            cx.row = row
            outside: ll.Value = ll.Constant(I1, 0)
            for column, range_ in self._columns(columns):
                value = columns.column(cx, column)
                distance = cx.b.sub(value.payload, ll.Constant(value.payload.type, range_.low))
                beyond = _is_beyond(cx, distance, range_)
                if value.null is not None:
                    beyond = cx.b.and_(beyond, cx.b.not_(value.null))
                outside = cx.b.or_(outside, beyond)
            with cx.b.if_then(outside, likely=False):
                cx.b.ret(row)
        return last

    def _columns(self, columns: Columns) -> Iterator[tuple[Column, Interval]]:
        for name, range_ in self.ranges.items():
            field = columns.schema[name]
            yield Column(name, field.type, field.nullable), range_


def _is_beyond(cx: KernelContext, distance: ll.Value, range_: Interval) -> ll.Value:
    """By the distance from the least value, below which it wraps: one unsigned comparison."""
    return cx.b.icmp_unsigned(">", distance, _constant(distance.type, range_.high - range_.low))


def _constant(type_: ll.Type, value: int) -> ll.Constant:
    """A constant, in every lane of a vector."""
    if isinstance(type_, ll.VectorType):
        return ll.Constant(type_, [value] * type_.count)
    return ll.Constant(type_, value)


def leave_outside(cx: KernelContext, inside: ll.Value, last: ll.Value) -> None:
    """Leave the kernel at the first row of a block that is outside, if one is."""
    if inside is last:
        return
    with cx.b.if_then(cx.b.icmp_signed("<", inside, last), likely=False):
        cx.leave(Exit.GUARD, inside)
