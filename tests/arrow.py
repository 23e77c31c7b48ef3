"""Rows as Arrow batches in all the layouts that a kernel may meet."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyarrow as pa

from adaptive.runtime import arrow_type
from ir import STRING, Scalar, Schema

Rows = Sequence[dict[str, Scalar]]


def to_batch(
    rows: Rows, schema: Schema, dictionary: frozenset[str] = frozenset(), shift: int = 0
) -> pa.RecordBatch:
    """A batch; `shift` puts that many rows before it in the same buffers."""
    arrays = []
    for field in schema:
        values = [row[field.name] for row in rows]
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
        columns[field.name] = column.to_pylist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def canonical(rows: Rows) -> list[str]:
    """Rows in an order and form in which equal results are equal, NaN included."""
    return sorted(repr([(k, _shown(v)) for k, v in row.items()]) for row in rows)


def _shown(value: Scalar) -> Scalar:
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
