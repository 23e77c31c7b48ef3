"""Parquet files as Arrow batches, read the way Spark's own reader reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

import ir
from adaptive.runtime.binding import arrow_type
from adaptive.scan.conversion import can_read, converted
from adaptive.scan.errors import TYPE_MISMATCH, UNREADABLE, ScanError

# From 64 K to 1 M rows the YSB scan with its kernel takes the same time (33 M rows/s, one core):
# large enough to forget the cost of a batch, small enough for wide strings.
BATCH_ROWS = 256 * 1024
# A string that is not dictionary-encoded takes four bytes for its length alone.
_LEAST_PLAIN_BYTES = 4
_DICTIONARY_ENCODINGS = frozenset({"PLAIN_DICTIONARY", "RLE_DICTIONARY"})
_SPARK_VERSION = b"org.apache.spark.version"
_LEGACY_KEYS = (b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96")


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

    def read(self, path: str) -> Iterator[pa.RecordBatch]:
        """The batches of a file; an empty file has none."""
        if os.path.getsize(path) == 0:
            return  # Spark cuts files into splits by size, and so never opens this one
        try:
            yield from self._batches(path)
        except FileNotFoundError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise ScanError(UNREADABLE, path, f"cannot be read as Parquet: {error}") from error

    def _batches(self, path: str) -> Iterator[pa.RecordBatch]:
        metadata = pq.read_metadata(path)
        self._refuse_legacy_calendar(path, metadata)
        columns = self._find_columns(path, metadata)
        names = [name for name in columns.values() if name is not None]
        file = pq.ParquetFile(
            path,
            metadata=metadata,
            read_dictionary=[name for name in names if is_dictionary_encoded(metadata, name)],
            coerce_int96_timestamp_unit="us",
        )
        with file:
            self._check_types(path, file, columns)
            for batch in _read_columns(file, names, self.batch_rows):
                yield self._converted(batch, columns)

    def _find_columns(self, path: str, metadata: pq.FileMetaData) -> dict[str, str | None]:
        """For each column of the schema its name in the file, or None if the file has none."""
        there = metadata.schema.to_arrow_schema().names
        found: dict[str, str | None] = {}
        for field in self.schema:
            matches = [name for name in there if self._same_name(name, field.name)]
            if len(matches) > 1:
                listed = ", ".join(matches)
                raise ScanError(
                    UNREADABLE, path, f"column {field.name!r} matches {listed}; rename all but one"
                )
            found[field.name] = matches[0] if matches else None
        return found

    def _same_name(self, left: str, right: str) -> bool:
        return left == right if self.case_sensitive else left.lower() == right.lower()

    def _check_types(self, path: str, file: pq.ParquetFile, columns: dict[str, str | None]) -> None:
        for field in self.schema:
            name = columns[field.name]
            if name is None:
                continue
            there = file.schema_arrow.field(name).type
            if not can_read(there, field.type):
                raise ScanError(
                    TYPE_MISMATCH,
                    path,
                    f"column {name!r} is {there}, but the query reads it as {field.type};"
                    " declare the column as it is in the file, and cast it in the query",
                )

    def _converted(self, batch: pa.RecordBatch, columns: dict[str, str | None]) -> pa.RecordBatch:
        if not columns:
            return batch
        arrays = []
        for field in self.schema:
            name = columns[field.name]
            if name is None:
                arrays.append(pa.nulls(batch.num_rows, arrow_type(field.type)))
            else:
                arrays.append(converted(batch.column(name), field.type))
        return pa.RecordBatch.from_arrays(arrays, names=list(self.schema.names))

    def _refuse_legacy_calendar(self, path: str, metadata: pq.FileMetaData) -> None:
        """Old Spark versions wrote dates in another calendar; only Spark knows how to rebase."""
        if not any(field.type in (ir.DATE, ir.TIMESTAMP) for field in self.schema):
            return
        pairs = metadata.metadata or {}
        version = pairs.get(_SPARK_VERSION, b"").decode()
        if any(key in pairs for key in _LEGACY_KEYS) or _is_before_spark_3_1(version):
            raise ScanError(
                UNREADABLE,
                path,
                "has dates or timestamps in the legacy calendar"
                f" (written by Spark {version or 'of an unknown version'}); rewrite the file with"
                ' Spark 3.1 or later in CORRECTED mode, or use mode="off"',
            )


def is_dictionary_encoded(metadata: pq.FileMetaData, name: str) -> bool:
    """Whether a string column is kept as dictionary codes in every row group.

    A writer falls back to plain strings when the dictionary grows too large, and
    making codes of those costs more than reading them: bytes per value tell.
    """
    paths = [metadata.schema.column(position).path for position in range(metadata.num_columns)]
    if name not in paths or not metadata.num_row_groups:
        return False
    position = paths.index(name)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return all(_has_codes(group.column(position)) for group in groups)


def _has_codes(chunk: pq.ColumnChunkMetaData) -> bool:
    if chunk.physical_type != "BYTE_ARRAY" or not _DICTIONARY_ENCODINGS & set(chunk.encodings):
        return False
    statistics = chunk.statistics
    nulls = statistics.null_count if statistics is not None and statistics.has_null_count else 0
    present = chunk.num_values - nulls
    return bool(chunk.total_uncompressed_size < _LEAST_PLAIN_BYTES * max(present, 1))


def _read_columns(
    file: pq.ParquetFile, names: list[str], batch_rows: int
) -> Iterator[pa.RecordBatch]:
    if names:
        yield from file.iter_batches(batch_rows, columns=names, use_threads=False)
        return
    # Nothing to decode: only the number of rows counts.
    for begin in range(0, file.metadata.num_rows, batch_rows):
        rows = min(batch_rows, file.metadata.num_rows - begin)
        yield pa.RecordBatch.from_struct_array(pa.nulls(rows, pa.struct([])))


def _is_before_spark_3_1(version: str) -> bool:
    numbers = version.split(".")[:2]
    if len(numbers) < 2 or not all(number.isdigit() for number in numbers):
        return False
    return (int(numbers[0]), int(numbers[1])) < (3, 1)
