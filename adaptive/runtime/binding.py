"""Binding Arrow batches to kernels: buffer addresses, encodings, null counts; no copies."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from functools import cache, cached_property

import numpy as np
import pyarrow as pa

from adaptive.runtime.by_identity import by_identity
from codegen_llvm import Encoding, InputLayout
from codegen_llvm.abi import ColumnBlock
from ir import DataType, DecimalType, Field, Schema

ARROW_TYPES: dict[str, pa.DataType] = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
CODES = pa.dictionary(pa.int32(), pa.string())

# Stands in for a buffer that Arrow leaves out because it would be empty.
_NOTHING = np.zeros(64, np.uint8)


def arrow_type(type_: DataType) -> pa.DataType:
    """The Arrow type that holds values of an IR type."""
    if isinstance(type_, DecimalType):
        return pa.decimal128(type_.precision, type_.scale)
    return ARROW_TYPES[type_.name]


@by_identity
def arrow_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema of an IR schema."""
    return pa.schema([pa.field(f.name, arrow_type(f.type), f.nullable) for f in schema])


class BatchError(ValueError):
    """A batch does not have the columns that the query was compiled for."""


Dictionaries = dict[str, pa.Array]


class BoundBatch:
    """The columns of a batch as kernels see them; holds on to the Arrow memory."""

    def __init__(
        self,
        rows: int,
        layout: InputLayout,
        nulls: Mapping[str, int],
        blocks: ctypes.Array[ColumnBlock],
        places: Mapping[str, int],
        dictionaries: Callable[[], Dictionaries],
        keep: object,
    ) -> None:
        self.rows, self.layout, self.nulls = rows, layout, nulls
        self.blocks, self._places, self._keep = blocks, places, keep
        self._dictionaries = dictionaries

    @cached_property
    def dictionaries(self) -> Dictionaries:
        """The values of the columns of codes."""
        return self._dictionaries()

    def dictionary_place(self, column: str) -> tuple[int, int, int]:
        """What tells one live dictionary from another without reading it."""
        block = self.blocks[self._places[column]]
        return block.dictionary_offsets, block.dictionary_data, block.dictionary_size


def bind(batch: pa.RecordBatch, schema: Schema) -> BoundBatch:
    """Bind the columns of a schema, found by name, to kernel arguments.

    Column by column, whatever the batch looks like; a `Binder` is faster for many alike.
    """
    blocks = (ColumnBlock * max(1, len(schema)))()
    there = batch.schema  # made anew at every look
    arrays = [column_of(batch, there, field) for field in schema]
    nulls = {f.name: a.null_count for f, a in zip(schema, arrays, strict=True)}
    has_nulls = any(nulls.values())
    encodings, dictionaries, keep = [], {}, []
    for block, field, array in zip(blocks, schema, arrays, strict=False):
        if isinstance(array, pa.DictionaryArray):
            encodings.append(Encoding.DICTIONARY)
            dictionaries[field.name] = values = array.dictionary
            _bind_dictionary(block, values)
            _bind_fixed(block, array.indices, 32)
        elif field.type.is_bytes:
            encodings.append(Encoding.PLAIN)
            _bind_string(block, array)
        else:
            encodings.append(Encoding.PLAIN)
            _bind_fixed(block, array, field.type.bits)
        if has_nulls:
            keep.append(_bind_validity(block, array))
    layout = interned_layout(tuple(encodings), has_nulls)
    places = {field.name: place for place, field in enumerate(schema)}
    kept = (*arrays, *keep)
    return BoundBatch(batch.num_rows, layout, nulls, blocks, places, lambda: dictionaries, kept)


@cache
def interned_layout(encodings: tuple[Encoding, ...], has_nulls: bool) -> InputLayout:
    """The same object for the same layout, so that it is known again without a comparison."""
    return InputLayout(encodings, has_nulls)


def column_of(batch: pa.RecordBatch, there: pa.Schema, field: Field) -> pa.Array:
    """A column of a batch in the Arrow type that kernels read, checked against the schema."""
    position = there.get_field_index(field.name)
    if position < 0:
        names = ", ".join(there.names)
        raise BatchError(f"the batch has no column {field.name!r}; it has: {names}")
    array = _accepted(batch.column(position), field)
    if array.null_count and not field.nullable:
        raise BatchError(
            f"column {field.name!r} has {array.null_count} nulls but is declared without;"
            " declare it nullable"
        )
    return array


def _accepted(array: pa.Array, field: Field) -> pa.Array:
    wanted, there = arrow_type(field.type), array.type
    if there == wanted:
        return array
    if field.type.name == "string":
        return _accepted_string(array, field)
    if field.type.name == "binary":
        return _accepted_binary(array, field)
    if pa.types.is_decimal(there) and there.bit_width < 128 and _same_digits(there, wanted):
        return array.cast(wanted)
    if field.type.name == "timestamp" and pa.types.is_timestamp(there) and there.unit == "us":
        return array  # the zone is only how the instant is shown
    raise BatchError(f"column {field.name!r} is {there}; the query needs {wanted}: cast it first")


def _accepted_string(array: pa.Array, field: Field) -> pa.Array:
    """Plain strings and int32 codes as they are; other layouts of strings are converted."""
    there = array.type
    if pa.types.is_dictionary(there):
        if there == CODES and not array.dictionary.null_count and len(array.dictionary):
            return array
        there = there.value_type
        array = array.dictionary_decode()
    if pa.types.is_string(there):
        return array
    if pa.types.is_large_string(there) or pa.types.is_string_view(there):
        return array.cast(pa.string())
    raise BatchError(f"column {field.name!r} is {there}; the query needs string: cast it first")


def _accepted_binary(array: pa.Array, field: Field) -> pa.Array:
    """Plain binaries as they are; other layouts are converted."""
    there = array.type
    if pa.types.is_dictionary(there):
        there = there.value_type
        array = array.dictionary_decode()
    if pa.types.is_binary(there):
        return array
    views = (pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
    if any(is_one(there) for is_one in views):
        return array.cast(pa.binary())
    raise BatchError(f"column {field.name!r} is {there}; the query needs binary: cast it first")


def _same_digits(there: pa.DataType, wanted: pa.DataType) -> bool:
    return bool(there.precision == wanted.precision and there.scale == wanted.scale)


def _bind_fixed(block: ColumnBlock, array: pa.Array, bits: int) -> None:
    _, data = array.buffers()
    block.data = _address(data) + (array.offset * bits // 8 if bits >= 8 else 0)
    block.bit_offset = array.offset


def _bind_string(block: ColumnBlock, array: pa.Array) -> None:
    _, offsets, data = array.buffers()
    block.offsets = _address(offsets) + array.offset * 4
    block.data = _address(data)
    block.bit_offset = array.offset


def _bind_dictionary(block: ColumnBlock, values: pa.Array) -> None:
    _, offsets, data = values.buffers()
    block.dictionary_offsets = _address(offsets) + values.offset * 4
    block.dictionary_data = _address(data)
    block.dictionary_size = len(values)


def _bind_validity(block: ColumnBlock, array: pa.Array) -> object:
    """A missing bitmap means that no value is null: kernels get one with all bits set."""
    validity = array.buffers()[0]
    if validity is not None:
        block.validity = validity.address
        return None
    ones = np.full((array.offset + len(array) + 7) // 8 + 1, 0xFF, np.uint8)
    block.validity = ones.ctypes.data
    return ones


def _address(buffer: pa.Buffer | None) -> int:
    return int(_NOTHING.ctypes.data) if buffer is None else int(buffer.address)
