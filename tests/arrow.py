"""Rows as Arrow batches in all the layouts that a kernel may meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from adaptive.runtime import arrow_type
from ir import STRING, DecimalType, Scalar, Schema

Rows = Sequence[dict[str, Scalar]]


def to_batch(
    rows: Rows, schema: Schema, dictionary: frozenset[str] = frozenset(), shift: int = 0
) -> pa.RecordBatch:
    """A batch; `shift` puts that many rows before it in the same buffers."""
    arrays = []
    for field in schema:
        values: list[Any] = [row[field.name] for row in rows]
        if isinstance(field.type, DecimalType):
            values = [_scaled(value, field.type) for value in values]
        padding = values[:1] * shift if values else []
        shifted = len(padding)
        array = pa.array(padding + values, _storage(field.type))
        array = array.cast(arrow_type(field.type))
        if field.type == STRING and field.name in dictionary:
            array = array.dictionary_encode()
        arrays.append(array[shifted:])
    made = pa.schema([pa.field(f.name, a.type) for f, a in zip(schema, arrays, strict=True)])
    if not arrays:
        return pa.RecordBatch.from_struct_array(pa.array([{}] * len(rows), pa.struct([])))
    return pa.RecordBatch.from_arrays(arrays, schema=made)


def from_table(table: pa.Table) -> list[dict[str, Scalar]]:
    """The rows of a table, with dates and times as the IR has them."""
    columns = {}
    for field in table.schema:
        column = table.column(field.name)
        if pa.types.is_timestamp(field.type):
            column = column.cast(pa.int64())
        elif pa.types.is_date32(field.type):
            column = column.cast(pa.int32())
        columns[field.name] = [_unscaled(value) for value in column.to_pylist()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _unscaled(value: object) -> Scalar:
    """A decimal as the integer that the IR has for it; other values as they are."""
    if not isinstance(value, Decimal):
        return value  # type: ignore[return-value]
    sign, digits, _ = value.as_tuple()
    size = int("".join(map(str, digits)))
    return -size if sign else size


def _scaled(value: Scalar, type_: DecimalType) -> Decimal | None:
    if value is None:
        return None
    assert isinstance(value, int)
    return Decimal((int(value < 0), tuple(map(int, str(abs(value)))), -type_.scale))


def canonical(rows: Rows, any_float: frozenset[str] = frozenset()) -> list[str]:
    """Rows in an order and form in which equal results are equal, NaN included.

    Of the columns `any_float`, only whether they are null counts.
    """
    return sorted(repr([(k, _shown(v, k in any_float)) for k, v in row.items()]) for row in rows)


def _shown(value: Scalar, any_float: bool) -> Scalar:
    if any_float and value is not None:
        return "a float"
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return value


def _storage(type_: object) -> pa.DataType:
    """The type that Python values of an IR type convert to directly."""
    name = str(type_)
    if name == "timestamp":
        return pa.int64()
    if name == "date":
        return pa.int32()
    return arrow_type(type_)  # type: ignore[arg-type]
