"""Parquet files as Arrow batches, read the way Spark's own reader reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ir
from adaptive.runtime.binding import arrow_type
from adaptive.scan.code_filters import code_filters
from adaptive.scan.columns import find_column
from adaptive.scan.conversion import can_read, converted, is_same_number
from adaptive.scan.errors import TYPE_MISMATCH, UNREADABLE, ScanError
from adaptive.scan.footer import (
    Span,
    column_position,
    is_dictionary_encoded,
    legacy_writer,
    midpoint,
    time_spans,
)
from adaptive.scan.late_rows import LateColumn, LateFile, column_form
from adaptive.scan.needed_rows import nobody
from adaptive.scan.pieces import Piece
from adaptive.scan.skipping import Range
from adaptive.scan.storage import LOCAL, Storage

BATCH_ROWS = 256 * 1024


@dataclass(frozen=True, slots=True)
class ParquetScan:
    """Reads the columns of a schema from Parquet files, in one thread.

    Columns are found by name, missing ones are null, narrower numbers are widened.
    Strings come as dictionary codes where the file has them. One thread, because
    an executor runs one task a core already.
    """

    schema: ir.Schema
    case_sensitive: bool = False
    batch_rows: int = BATCH_ROWS
    storage: Storage = LOCAL
    ranges: tuple[Range, ...] = ()  # row groups without a row in all of them are left out
    filters: tuple[ir.Expr, ...] = ()  # rows that do not pass may be left out
    left_out: Callable[[int], None] = nobody  # is told how many are
    is_late: bool = True  # filters first, then the other columns of the rows that are left

    def open(self, piece: Piece) -> OpenParquet:
        """A file whose footer is read and fits the schema."""
        opened = OpenParquet(self, piece)
        with _naming(piece.path):
            opened.check()
        return opened

    def read(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        """The batches of a piece; an empty file has none."""
        yield from self.open(piece).batches()


@dataclass
class OpenParquet:
    """One file of a scan, or those of its row groups that are in the piece."""

    scan: ParquetScan
    piece: Piece
    _columns: dict[str, str | None] = field(default_factory=dict, init=False)

    @property
    def path(self) -> str:
        """The file's address."""
        return self.piece.path

    @cached_property
    def metadata(self) -> pq.FileMetaData | None:
        """The footer; a file of no bytes has none and counts as a file of no rows.

        Spark cuts files into splits by size, and so never opens such a file.
        """
        with self._bytes() as file:
            return pq.read_metadata(file) if file.size() else None

    @contextmanager
    def _bytes(self) -> Iterator[pa.NativeFile]:
        """The open file; a remote one stays open, because opening it costs a request."""
        if not self.scan.storage.is_local(self.path):
            yield self._remote
            return
        with self.scan.storage.open(self.path) as file:
            yield file

    @cached_property
    def _remote(self) -> pa.NativeFile:
        return self.scan.storage.open(self.path)

    @cached_property
    def row_groups(self) -> Sequence[int]:
        """The numbers of the row groups that are in the piece and may have rows that pass."""
        if self.metadata is None:
            return []
        groups: Sequence[int] = range(self.metadata.num_row_groups)
        if not self.piece.is_whole:
            held = self.piece.holds
            groups = [g for g in groups if held(midpoint(self.metadata.row_group(g)))]
        for needed in self.scan.ranges:
            groups = self._not_excluded(groups, needed)
        return groups

    def _not_excluded(self, groups: Sequence[int], needed: Range) -> Sequence[int]:
        """Without the row groups that have no value in a range."""
        assert self.metadata is not None
        if needed.column not in self._columns:
            return groups  # a column that is not from the file
        name = self._columns[needed.column]
        if name is None:
            return []  # null in every row
        wanted = self.scan.schema[needed.column].type
        there = self._type(self.metadata.schema.to_arrow_schema().field(name))
        position = column_position(self.metadata, name)
        if position is None or not is_same_number(there, wanted):
            return groups
        row_group = self.metadata.row_group
        return [g for g in groups if not needed.excludes(row_group(g).column(position))]

    def spans(self, column: str) -> list[tuple[int, Span | None]]:
        """Each row group with the span of a timestamp column, where the file tells."""
        name = self._columns.get(column)
        if self.metadata is None or name is None:
            return [(group, None) for group in self.row_groups]
        return list(
            zip(self.row_groups, time_spans(self.metadata, name, self.row_groups), strict=True)
        )

    def batches(
        self, groups: Sequence[int] | None = None, constants: Mapping[str, int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of some row groups, or of all.

        A column in `constants` is not decoded: it has this value in every row.
        """
        with _naming(self.path):
            yield from self._batches(self.row_groups if groups is None else groups, constants or {})

    def check(self) -> None:
        """Find the columns, and refuse a file that would be read wrongly."""
        if self.metadata is None:
            return
        self._refuse_legacy_calendar(self.metadata)
        there = self.metadata.schema.to_arrow_schema()
        exact = self.scan.case_sensitive
        self._columns = {
            f.name: find_column(f.name, there.names, exact, self.path) for f in self.scan.schema
        }
        for wanted in self.scan.schema:
            name = self._columns[wanted.name]
            if name is not None and not can_read(self._type(there.field(name)), wanted.type):
                raise ScanError(
                    TYPE_MISMATCH,
                    self.path,
                    f"column {name!r} is {self._type(there.field(name))}, but the query reads it"
                    f" as {wanted.type}; declare the column as it is in the file, and cast it in"
                    " the query",
                )

    def _batches(
        self, groups: Sequence[int], constants: Mapping[str, int]
    ) -> Iterator[pa.RecordBatch]:
        if self.metadata is None:
            return
        decoded = [
            name for key, name in self._columns.items() if name is not None and key not in constants
        ]
        if not decoded:
            yield from self._undecoded(groups, constants)
            return
        codes = [name for name in decoded if is_dictionary_encoded(self.metadata, name)]
        with (
            self._bytes() as opened,
            pq.ParquetFile(
                opened,
                metadata=self.metadata,
                read_dictionary=codes,
                coerce_int96_timestamp_unit="us",
                pre_buffer=not self.scan.storage.is_local(self.path),
            ) as file,
        ):
            late = self._late_file(opened, file, frozenset(codes), constants)
            if late is not None:
                yield from self._late_batches(late, groups, constants)
                return
            for batch in file.iter_batches(
                self.scan.batch_rows, row_groups=list(groups), columns=decoded, use_threads=False
            ):
                yield self._completed(batch, constants)

    def _late_file(
        self,
        opened: pa.NativeFile,
        file: pq.ParquetFile,
        codes: frozenset[str],
        constants: Mapping[str, int],
    ) -> LateFile | None:
        """The file for reading it late, or None if no column is kept in a way that we know.

        Far from here, each read of a column chunk would wait for the one before.
        """
        assert self.metadata is not None
        if not self.scan.is_late or not self.scan.storage.is_local(self.path):
            return None
        there = self.metadata.schema.to_arrow_schema()
        columns = []
        for wanted in self.scan.schema:
            name = self._columns[wanted.name]
            if name is not None and wanted.name not in constants:
                form = column_form(self.metadata, name, there.field(name).type)
                columns.append(LateColumn(wanted, there.field(name), form, name in codes))
        if all(column.form is None for column in columns):
            return None

        def foreign(group: int, name: str) -> pa.Array:
            table = file.read_row_group(group, columns=[name], use_threads=False)
            return table.column(0).combine_chunks()

        filters = code_filters(self.scan.filters, self.scan.schema)
        rows = self.scan.batch_rows
        return LateFile(self.path, opened, self.metadata, columns, filters, rows, foreign)

    def _late_batches(
        self, late: LateFile, groups: Sequence[int], constants: Mapping[str, int]
    ) -> Iterator[pa.RecordBatch]:
        for group in groups:
            for rows, left, arrays in late.batches(group):
                if left < rows:
                    self.scan.left_out(rows - left)
                if left:
                    yield self._assembled(arrays, left, constants)

    def _undecoded(
        self, groups: Sequence[int], constants: Mapping[str, int]
    ) -> Iterator[pa.RecordBatch]:
        """Nothing to decode: only the number of rows counts."""
        assert self.metadata is not None
        rows = sum(self.metadata.row_group(group).num_rows for group in groups)
        for begin in range(0, rows, self.scan.batch_rows):
            count = min(self.scan.batch_rows, rows - begin)
            empty = pa.RecordBatch.from_struct_array(pa.nulls(count, pa.struct([])))
            yield self._completed(empty, constants)

    def _completed(self, batch: pa.RecordBatch, constants: Mapping[str, int]) -> pa.RecordBatch:
        """The columns of the schema in its order and types."""
        if not self._columns:
            return batch
        decoded = {
            wanted.name: converted(batch.column(name), wanted.type)
            for wanted in self.scan.schema
            if (name := self._columns[wanted.name]) is not None and wanted.name not in constants
        }
        return self._assembled(decoded, batch.num_rows, constants)

    def _assembled(
        self, decoded: Mapping[str, pa.Array], rows: int, constants: Mapping[str, int]
    ) -> pa.RecordBatch:
        """Decoded columns, and those that are not in the file or not decoded."""
        arrays = []
        for wanted in self.scan.schema:
            if wanted.name in decoded:
                arrays.append(decoded[wanted.name])
            elif wanted.name in constants:
                arrays.append(_repeated(constants[wanted.name], rows, wanted.type))
            else:
                arrays.append(pa.nulls(rows, arrow_type(wanted.type)))
        return pa.RecordBatch.from_arrays(arrays, names=list(self.scan.schema.names))

    def _type(self, there: pa.Field) -> pa.DataType:
        """The type that a column is read as: times of the old kind in microseconds."""
        assert self.metadata is not None
        for number in range(self.metadata.num_columns):
            column = self.metadata.schema.column(number)
            if column.path == there.name and column.physical_type == "INT96":
                return pa.timestamp("us")
        return there.type

    def _refuse_legacy_calendar(self, metadata: pq.FileMetaData) -> None:
        """Old Spark versions wrote dates in another calendar; only Spark knows how to rebase."""
        if not any(f.type in (ir.DATE, ir.TIMESTAMP) for f in self.scan.schema):
            return
        writer = legacy_writer(metadata)
        if writer is not None:
            raise ScanError(
                UNREADABLE,
                self.path,
                "has dates or timestamps in the legacy calendar"
                f" (written by Spark {writer}); rewrite the file with"
                ' Spark 3.1 or later in CORRECTED mode, or use mode="off"',
            )


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Errors of Arrow become errors that name the file."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise ScanError(UNREADABLE, path, f"cannot be read as Parquet: {error}") from error


def _repeated(value: int, rows: int, type_: ir.DataType) -> pa.Array:
    """A column of one value."""
    data = pa.py_buffer(np.full(rows, value, np.int64))
    return pa.Array.from_buffers(arrow_type(type_), rows, [None, data])
