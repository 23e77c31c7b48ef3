"""Binding many batches of one form to kernels, with one native call each."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from adaptive.runtime.binding import (
    CODES,
    BoundBatch,
    Dictionaries,
    arrow_type,
    bind,
    interned_layout,
)
from codegen_llvm import Encoding, InputLayout, arrow_columns
from codegen_llvm.abi import ArrowArray, ColumnBlock, ColumnForm
from ir import BOOL, Field, Schema

_FEWEST_ONES = 256 * 1024  # bytes


class Binder:
    """Binds the columns of a schema; how batches lie in memory is looked at when it changes.

    What is unusual (types that must be converted, nulls that nobody has counted, buffers that
    are left out) is bound column by column.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._form: _BatchForm | None = None
        self._ones: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._ones_address = 0

    def __call__(self, batch: pa.RecordBatch) -> BoundBatch:
        """The batch as kernels see it."""
        there = batch.schema
        form = self._form
        if form is None or not form.schema.equals(there):
            form = self._form = _BatchForm.of(self._schema, there)
        return (form.forms and self._bound(batch, form)) or bind(batch, self._schema)

    def _bound(self, batch: pa.RecordBatch, form: _BatchForm) -> BoundBatch | None:
        room = form.room()
        batch._export_to_c(ctypes.addressof(room.exported))
        ones = self._ones
        found = arrow_columns.bind_columns(
            ctypes.addressof(room.exported),
            form.forms_address,
            form.columns,
            ctypes.addressof(room.blocks),
            ctypes.addressof(room.nulls),
            self._ones_address,
            len(ones),
        )
        if found == arrow_columns.UNUSUAL:
            self._reserve_ones(batch)
            return None
        nulls = dict(zip(form.places, room.nulls, strict=True)) if found else form.no_nulls
        layout = form.with_nulls if found else form.without_nulls
        dictionaries = partial(form.dictionaries, batch)
        kept = (batch, room, ones)
        return BoundBatch(
            batch.num_rows, layout, nulls, room.blocks, form.places, dictionaries, kept
        )

    def _reserve_ones(self, batch: pa.RecordBatch) -> None:
        """A bitmap for columns without one that are as long as these; next time there is room."""
        most = max((column.offset + len(column) for column in batch.columns), default=0)
        if len(self._ones) < most // 8 + 2:
            ones = np.full(max(_FEWEST_ONES, most // 4), 0xFF, np.uint8)
            self._ones, self._ones_address = ones, ones.ctypes.data


@dataclass(frozen=True)
class _BatchForm:
    """How the columns lie in batches of one Arrow schema."""

    schema: pa.Schema
    forms: ctypes.Array[ColumnForm] | None  # None: column by column
    columns: int
    places: dict[str, int]  # of the blocks, by name
    coded: dict[str, int]  # where in the batch columns of codes are
    with_nulls: InputLayout
    without_nulls: InputLayout
    no_nulls: dict[str, int]

    @classmethod
    def of(cls, schema: Schema, there: pa.Schema) -> _BatchForm:
        """The form of batches with this Arrow schema."""
        found = [_column_form(field, there) for field in schema]
        known = [form for form in found if form is not None]
        usual = len(known) == len(found) and bool(found)
        coded = {
            field.name: form.position
            for field, form in zip(schema, found, strict=True)
            if form is not None and form.form == arrow_columns.CODES
        }
        encodings = tuple(
            Encoding.DICTIONARY if field.name in coded else Encoding.PLAIN for field in schema
        )
        return cls(
            there,
            (ColumnForm * len(known))(*known) if usual else None,
            len(found),
            {field.name: place for place, field in enumerate(schema)},
            coded,
            interned_layout(encodings, True),
            interned_layout(encodings, False),
            {field.name: 0 for field in schema},
        )

    @property
    def forms_address(self) -> int:
        """Where compiled code finds the forms."""
        assert self.forms is not None
        return ctypes.addressof(self.forms)

    def room(self) -> _Room:
        """Memory for one batch."""
        made: _Room = _room_type(self.columns)()
        return made

    def dictionaries(self, batch: pa.RecordBatch) -> Dictionaries:
        """The values of the columns of codes."""
        return {name: batch.column(at).dictionary for name, at in self.coded.items()}


class _Room(ctypes.Structure):
    """What binding a batch fills in; the number of columns makes the type."""

    exported: ArrowArray
    blocks: ctypes.Array[ColumnBlock]
    nulls: ctypes.Array[ctypes.c_int64]


@cache
def _room_type(columns: int) -> type[_Room]:
    fields = [
        ("exported", ArrowArray),
        ("blocks", ColumnBlock * columns),
        ("nulls", ctypes.c_int64 * columns),
    ]
    return type(f"_Room{columns}", (_Room,), {"_fields_": fields})


def _column_form(field: Field, there: pa.Schema) -> ColumnForm | None:
    """Where a column is and how it lies in memory; None where it must be looked at more closely."""
    position = there.get_field_index(field.name)
    if position < 0:
        return None
    form = _memory_form(field, there.field(position).type)
    return None if form is None else ColumnForm(position, form, field.nullable)


def _memory_form(field: Field, there: pa.DataType) -> int | None:
    if field.type.name == "string" and there == CODES:
        return arrow_columns.CODES
    is_instant = pa.types.is_timestamp(there) and there.unit == "us"
    if there != arrow_type(field.type) and not (field.type.name == "timestamp" and is_instant):
        return None
    if field.type.is_bytes:
        return arrow_columns.BYTES
    return arrow_columns.BITS if field.type == BOOL else field.type.bits // 8
