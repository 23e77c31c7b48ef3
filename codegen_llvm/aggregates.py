"""Which code accumulates which aggregate function."""

from __future__ import annotations

from collections.abc import Sequence

from codegen_llvm.accumulators import (
    Accumulator,
    Bits,
    Count,
    Extreme,
    FloatProduct,
    FloatSum,
    IntegerSum,
)
from codegen_llvm.atomic_accumulators import ATOMIC
from codegen_llvm.builder import KernelContext
from codegen_llvm.decimal_sums import DecimalSum
from codegen_llvm.kept import Kept, KeptString
from codegen_llvm.layout import HOLISTIC, MOMENTS
from codegen_llvm.moments import Variance
from codegen_llvm.strings_kept import StringExtreme
from codegen_llvm.table import Table
from codegen_llvm.user_aggregates import UserDefined
from codegen_llvm.value_lists import OthersList, StringList, ValueList
from codegen_llvm.values import Value
from ir import NamedAggregate


def accumulator(
    cx: KernelContext,
    table: Table,
    position: int,
    aggregate: NamedAggregate,
    arguments: Sequence[Value] = (),
) -> Accumulator:
    """The accumulator of a program's aggregate, with its arguments in the current row."""
    kind = accumulator_kind(aggregate)
    if issubclass(kind, ValueList) and not table.layout.has(f"agg{position}.next"):
        kind = OthersList
    if table.layout.shared and not table.layout.locked:
        kind = ATOMIC[kind]
    first = arguments[0] if arguments else None
    return kind(cx, table, position, aggregate, first, tuple(arguments[1:]))


def accumulator_kind(aggregate: NamedAggregate) -> type[Accumulator]:
    """What accumulates an aggregate where one thread updates a group at a time."""
    call = aggregate.call
    if call.definition is not None:
        return UserDefined
    match call.function:
        case "count":
            return Count
        case "sum" if call.type.is_integer:
            return IntegerSum
        case "sum" | "avg" if call.type.is_decimal:
            return DecimalSum
        case "sum" | "avg":
            return FloatSum
        case "min" | "max" | "bool_and" | "bool_or":
            return StringExtreme if call.type.is_bytes else Extreme
        case "bit_and" | "bit_or" | "bit_xor":
            return Bits
        case "first" | "last":
            return KeptString if call.type.is_bytes else Kept
        case "product":
            return FloatProduct
        case _ if call.function in MOMENTS:
            return Variance
        case _ if call.function in HOLISTIC and call.argument is not None:
            return StringList if call.argument.type.is_bytes else ValueList
    raise TypeError(f"{call.function} is not compiled yet; add it to codegen_llvm.aggregates")
