"""Row groups of Parquet files read late: filters first, other columns where rows are left.

What is not certain is left to pyarrow, column chunk by column chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import ir
from adaptive.scan.code_filters import CodeFilter
from adaptive.scan.column_chunk import (
    BrokenPages,
    ColumnChunk,
    ColumnForm,
    ColumnRoom,
    UnknownPages,
)
from adaptive.scan.conversion import converted
from adaptive.scan.errors import UNREADABLE, ScanError
from adaptive.scan.footer import column_position

# Above this share of rows that are left, rows are not chosen: the plan's own filters do it. Codes
# that are found one by one cost about twice as much as all of them one after another.
MOST_CHOSEN = 0.6
# Rows on which filters are tried, to begin with the one that drops most.
TRIED_ROWS = 1024
# If fewer than one row in so many is left, as many more are read at once.
FEW_ROWS = 8
# Of all columns of a row group: memory beyond this is given back.
MOST_KEPT_BYTES = 128 * 1024 * 1024
# By physical type: the bytes of a value, and the Arrow types that have the same ones.
_ELEMENTS: dict[str, tuple[int, Callable[[pa.DataType], bool]]] = {
    "INT64": (8, lambda t: t == pa.int64() or (pa.types.is_timestamp(t) and t.unit != "ns")),
    "DOUBLE": (8, lambda t: t == pa.float64()),
    "INT32": (4, lambda t: t in (pa.int32(), pa.date32())),
    "FLOAT": (4, lambda t: t == pa.float32()),
    "BYTE_ARRAY": (0, lambda t: t in (pa.string(), pa.binary())),
}


def column_form(metadata: pq.FileMetaData, name: str, type_: pa.DataType) -> ColumnForm | None:
    """How a column is kept, or None if it is not for us."""
    position = column_position(metadata, name)
    if position is None:
        return None
    column = metadata.schema.column(position)
    element, has_bytes_of = _ELEMENTS.get(column.physical_type, (0, lambda _: False))
    if column.max_repetition_level or column.max_definition_level > 1 or not has_bytes_of(type_):
        return None
    return ColumnForm(position, element, column.max_definition_level == 1)


@dataclass(frozen=True)
class LateColumn:
    """A column of a file: the name in the plan, the field in the file, how it is kept."""

    wanted: ir.Field
    there: pa.Field
    form: ColumnForm | None
    as_codes: bool  # texts that the plan gets as codes where the chunk has them


class _Rooms:
    """Memory of columns, which the next row group uses again: new memory costs page faults.

    On the machine that this was measured on, those took five times as long as decoding.
    """

    def __init__(self) -> None:
        self._free: list[list[ColumnRoom]] = []

    @contextmanager
    def lent(self, columns: int) -> Iterator[list[ColumnRoom]]:
        """Memory that nobody else has until it is given back."""
        rooms = self._free.pop() if self._free else []
        rooms += [ColumnRoom() for _ in range(columns - len(rooms))]
        try:
            yield rooms
        finally:
            if sum(room.bytes for room in rooms) <= MOST_KEPT_BYTES:
                self._free.append(rooms)


_ROOMS = _Rooms()


@dataclass(frozen=True)
class LateFile:
    """A file whose row groups are read late."""

    path: str
    file: pa.NativeFile
    metadata: pq.FileMetaData
    columns: Sequence[LateColumn]
    filters: Sequence[CodeFilter]
    batch_rows: int
    read_foreign: Callable[[int, str], pa.Array]  # a column of a row group, by pyarrow

    def batches(self, group: int) -> Iterator[tuple[int, int, dict[str, pa.Array]]]:
        """Of each range of rows: how many there are, how many are left, and their columns."""
        rows = self.metadata.row_group(group).num_rows
        with _ROOMS.lent(len(self.columns) + 1) as rooms:  # one for row numbers
            reader = _LateGroup(self, group, rooms)
            begin, at_once = 0, self.batch_rows
            while begin < rows:
                end = min(begin + at_once, rows)
                chosen = reader.choose(begin, end)
                left = end - begin if chosen is None else len(chosen)
                yield end - begin, left, reader.arrays(begin, end, chosen) if left else {}
                # Where few are left, more at once: a batch costs some 100 us whatever it has.
                at_once = self.batch_rows * (FEW_ROWS if left * FEW_ROWS < end - begin else 1)
                begin = end


class _LateGroup:
    """One row group: chunks are read when they are first asked for."""

    def __init__(self, file: LateFile, group: int, rooms: list[ColumnRoom]) -> None:
        self._file, self._group, self._rooms = file, group, rooms
        self._chunks: dict[str, ColumnChunk | None] = {}
        self._foreign: dict[str, pa.Array] = {}
        self._dictionaries: dict[str, pa.Array] = {}
        self._columns = {column.wanted.name: column for column in file.columns}
        self._tables: list[_Table] | None = None
        rows = min(FEW_ROWS * file.batch_rows, file.metadata.row_group(group).num_rows)
        self._selection = rooms[-1].stored.take(4 * rows).view(np.int32)

    # -- which rows -------------------------------------------------------------------

    def choose(self, begin: int, end: int) -> NDArray[np.int32] | None:
        """The rows that filters leave, or None for all of them."""
        if self._tables is None:
            self._tables = self._ordered(self._filter_tables(), begin, end)
        left: int | None = None
        for filter_ in self._tables:
            left = self._select(filter_, begin, end, left)
            if not left:
                break
        if left is None or left > MOST_CHOSEN * (end - begin):
            return None
        return self._selection[:left]

    def _filter_tables(self) -> list[_Table]:
        """For each filter whose column has a dictionary, what it says of its entries."""
        made = []
        for filter_ in self._file.filters:
            column = self._columns.get(filter_.column.name)
            chunk = None if column is None else self._chunk(column)
            if column is not None and chunk is not None and chunk.has_dictionary:
                entries = converted(self._entries(column, chunk), column.wanted.type)
                made.append(_Table(column, chunk, filter_.table(entries)))
        return made

    def _ordered(self, tables: list[_Table], begin: int, end: int) -> list[_Table]:
        """Filters by what they leave of a few rows; none of them can fail."""
        if len(tables) < 2:
            return tables
        until = min(begin + TRIED_ROWS, end)
        return sorted(tables, key=lambda one: self._select(one, begin, until, None))

    def _select(self, filter_: _Table, begin: int, end: int, left: int | None) -> int:
        with self._naming(filter_.column):
            return filter_.chunk.select(begin, end, filter_.passes, self._selection, left)

    # -- their columns ------------------------------------------------------------------

    def arrays(self, begin: int, end: int, chosen: NDArray[np.int32] | None) -> dict[str, pa.Array]:
        """The columns of some rows, by their names in the plan."""
        made = {}
        for column in self._file.columns:
            with self._naming(column):
                array = self._array(column, begin, end, chosen)
            made[column.wanted.name] = converted(array, column.wanted.type)
        return made

    def _array(
        self, column: LateColumn, begin: int, end: int, chosen: NDArray[np.int32] | None
    ) -> pa.Array:
        chunk = self._chunk(column)
        if chunk is None:
            whole = self._foreign_column(column).slice(begin, end - begin)
            return whole if chosen is None else whole.take(pa.array(chosen))
        if column.as_codes and chunk.has_codes:
            return self._codes(column, chunk, *chunk.codes(begin, end, chosen))
        values, valid = chunk.values(begin, end, chosen)
        if not chunk.form.element:
            return chunk.texts(values.view(np.int64), column.there.type)
        rows = len(values) // chunk.form.element
        buffers = [_bits(valid), pa.py_buffer(values)]
        return pa.Array.from_buffers(column.there.type, rows, buffers)

    def _codes(
        self,
        column: LateColumn,
        chunk: ColumnChunk,
        codes: NDArray[np.int32],
        valid: NDArray[np.uint8] | None,
    ) -> pa.Array:
        """Texts as codes; what a null has as its code must be one of the dictionary's."""
        if valid is not None:
            codes[valid == 0] = 0
        buffers = [_bits(valid), pa.py_buffer(codes)]
        indices = pa.Array.from_buffers(pa.int32(), len(codes), buffers)
        return pa.DictionaryArray.from_arrays(indices, self._entries(column, chunk), safe=False)

    def _entries(self, column: LateColumn, chunk: ColumnChunk) -> pa.Array:
        """The dictionary of a column."""
        name = column.wanted.name
        if name not in self._dictionaries:
            with self._naming(column):
                self._dictionaries[name] = chunk.dictionary(column.there.type)
        return self._dictionaries[name]

    def _chunk(self, column: LateColumn) -> ColumnChunk | None:
        """The chunk of a column, or None if pyarrow has to read it."""
        name = column.wanted.name
        if name not in self._chunks:
            self._chunks[name] = self._opened(column)
        return self._chunks[name]

    def _opened(self, column: LateColumn) -> ColumnChunk | None:
        if column.form is None:
            return None
        chunk = self._file.metadata.row_group(self._group).column(column.form.position)
        room = self._rooms[self._file.columns.index(column)]
        try:
            with self._naming(column):
                return ColumnChunk(self._file.file, chunk, column.form, room)
        except UnknownPages:
            return None

    def _foreign_column(self, column: LateColumn) -> pa.Array:
        name = column.there.name
        if name not in self._foreign:
            self._foreign[name] = self._file.read_foreign(self._group, name)
        return self._foreign[name]

    @contextmanager
    def _naming(self, column: LateColumn) -> Iterator[None]:
        """Broken pages become an error that names file and column."""
        try:
            yield
        except BrokenPages as error:
            problem = f"cannot be read as Parquet: column {column.there.name!r}: {error}"
            raise ScanError(UNREADABLE, self._file.path, problem) from error


@dataclass(frozen=True)
class _Table:
    """Which entries of a column's dictionary pass its filters."""

    column: LateColumn
    chunk: ColumnChunk
    passes: NDArray[np.uint8]


def _bits(valid: NDArray[np.uint8] | None) -> pa.Buffer | None:
    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
