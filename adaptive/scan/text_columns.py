"""The columns that generated readers of text fill, and the Arrow batches made of them."""

from __future__ import annotations

import ctypes

import numpy as np
import pyarrow as pa

import ir
from adaptive.runtime.binding import arrow_type
from codegen_llvm.text_abi import PADDING, TextColumn

# More distinct strings than these are not worth a dictionary: its table leaves the cache.
MOST_ENTRIES = 64 * 1024
_ENTRY_BYTES = 4 * 1024 * 1024
_TABLE_SLOTS = 4 * MOST_ENTRIES
_STRING_BYTES = 32 * 1024 * 1024
_DAY = b"1970-01-01T"
_DAY_WORDS = (int.from_bytes(_DAY[:8], "little"), int.from_bytes(_DAY[-8:], "little"))


class TextColumns:
    """Room for the rows of one batch; dictionaries of strings live on from batch to batch.

    Readers write each column of each row, so nothing is cleared beforehand: that took 2 ns a row.
    """

    def __init__(self, schema: ir.Schema, rows: int) -> None:
        self.schema, self.most_rows = schema, rows
        self.blocks = (TextColumn * max(1, len(schema)))()
        self._columns = [
            _column(block, field.type, rows)
            for block, field in zip(self.blocks, schema, strict=False)
        ]

    def begin(self) -> None:
        """Give up what was written: batches that were made before keep their memory."""
        for column in self._columns:
            column.begin(self.most_rows)

    def give_up_dictionary(self, index: int) -> bool:
        """Keep the strings of a column one after another from now on; False if it does so."""
        column = self._columns[index]
        assert isinstance(column, _Strings)
        was_coded, column.is_plain = not column.is_plain, True
        return was_coded

    def batch(self, rows: int) -> pa.RecordBatch:
        """The first rows as a batch."""
        if not self._columns:
            return pa.RecordBatch.from_struct_array(pa.nulls(rows, pa.struct([])))
        arrays = [column.array(rows) for column in self._columns]
        return pa.RecordBatch.from_arrays(arrays, names=list(self.schema.names))


class _Fixed:
    """Values of a fixed width."""

    def __init__(self, block: TextColumn, type_: ir.DataType) -> None:
        self._block, self._type = block, type_
        self._bytes = 1 if type_ is ir.BOOL else max(1, type_.bits // 8)
        # Some day must be remembered, or text of zero bytes would pass for one.
        block.day_head, block.day_tail, block.day_us = *_DAY_WORDS, 0

    def begin(self, rows: int) -> None:
        self._values = np.empty(rows * self._bytes, np.uint8)
        self._valid = np.empty(rows, np.uint8)
        self._block.values = self._values.ctypes.data
        self._block.valid = self._valid.ctypes.data

    def array(self, rows: int) -> pa.Array:
        values = self._values[: rows * self._bytes]
        if self._type is ir.BOOL:
            values = np.packbits(values, bitorder="little")
        buffers = [validity(self._valid[:rows]), pa.py_buffer(values)]
        return pa.Array.from_buffers(arrow_type(self._type), rows, buffers)


class _Strings:
    """Strings: codes of a dictionary, or one after another."""

    def __init__(self, block: TextColumn) -> None:
        self._block = block
        self.is_plain = False
        self._entry_offsets = np.zeros(MOST_ENTRIES + 1, np.int32)
        self._entries = np.zeros(_ENTRY_BYTES, np.uint8)
        self._table = np.zeros(_TABLE_SLOTS, np.int32)
        self._dictionary: pa.Array | None = None
        block.table, block.mask = self._table.ctypes.data, _TABLE_SLOTS - 1
        block.most_entries = MOST_ENTRIES

    def begin(self, rows: int) -> None:
        self._valid = np.empty(rows, np.uint8)
        self._block.valid = self._valid.ctypes.data
        self._block.is_plain = int(self.is_plain)
        if self.is_plain:
            self._offsets = np.zeros(rows + 1, np.int32)
            self._bytes = np.empty(_STRING_BYTES, np.uint8)
            offsets, data = self._offsets, self._bytes
        else:
            self._codes = np.empty(rows, np.int32)
            self._block.values = self._codes.ctypes.data
            offsets, data = self._entry_offsets, self._entries
        self._block.offsets, self._block.bytes = offsets.ctypes.data, data.ctypes.data
        self._block.capacity = len(data)

    def array(self, rows: int) -> pa.Array:
        valid = validity(self._valid[:rows])
        if self._block.is_plain:
            used = int(self._offsets[rows])
            buffers = [valid, pa.py_buffer(self._offsets), pa.py_buffer(self._bytes[:used])]
            return pa.Array.from_buffers(pa.string(), rows, buffers)
        if not self._block.entries:
            return pa.nulls(rows, pa.string())
        codes = pa.Array.from_buffers(pa.int32(), rows, [valid, pa.py_buffer(self._codes)])
        return pa.DictionaryArray.from_arrays(codes, self._known())

    def _known(self) -> pa.Array:
        """The dictionary; the same object as long as it has not grown."""
        entries = int(self._block.entries)
        if self._dictionary is None or len(self._dictionary) != entries:
            buffers = [None, pa.py_buffer(self._entry_offsets), pa.py_buffer(self._entries)]
            self._dictionary = pa.Array.from_buffers(pa.string(), entries, buffers)
        return self._dictionary


def _column(block: TextColumn, type_: ir.DataType, rows: int) -> _Fixed | _Strings:
    column = _Strings(block) if type_ is ir.STRING else _Fixed(block, type_)
    column.begin(rows)
    return column


def validity(valid: np.ndarray) -> pa.Buffer | None:
    """The bitmap of a byte for each row, or None where nothing is null."""
    return None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))


def address(blocks: ctypes.Array[TextColumn]) -> int:
    """Where the blocks of columns are."""
    return ctypes.addressof(blocks)


assert PADDING < _ENTRY_BYTES
