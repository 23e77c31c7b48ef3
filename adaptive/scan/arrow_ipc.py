"""Arrow IPC files as batches, memory-mapped where they are local."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

import ir
from adaptive.runtime.binding import arrow_type
from adaptive.scan.columns import find_column
from adaptive.scan.conversion import can_widen, converted
from adaptive.scan.errors import TYPE_MISMATCH, UNREADABLE, ScanError
from adaptive.scan.pieces import Piece
from adaptive.scan.storage import LOCAL, Storage

BATCH_ROWS = 256 * 1024
_MAGIC = b"ARROW1"


@dataclass(frozen=True, slots=True)
class ArrowScan:
    """Reads the columns of a schema from Arrow files, of the file format or the stream format.

    Columns are found by name, missing ones are null, narrower numbers are widened.
    What no column asks for is neither read nor decompressed.
    """

    schema: ir.Schema
    case_sensitive: bool = False
    batch_rows: int = BATCH_ROWS
    storage: Storage = LOCAL

    def read(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        """The batches of a piece; an empty file has none."""
        try:
            with self.storage.map(piece.path) as file:
                for batch in self._batches(file, piece):
                    yield from self._sliced(self._completed(batch, piece.path))
        except FileNotFoundError:
            raise
        except (pa.ArrowException, OSError) as error:
            problem = f"cannot be read as Arrow IPC: {error}"
            raise ScanError(UNREADABLE, piece.path, problem) from error

    def _batches(self, file: pa.NativeFile, piece: Piece) -> Iterator[pa.RecordBatch]:
        size = file.size()
        if size == 0:
            return
        is_file = file.read(len(_MAGIC)) == _MAGIC
        file.seek(0)
        if not is_file:
            # The stream format has no index: whoever reads the first byte reads all.
            if piece.holds(0):
                with pa.ipc.open_stream(file) as stream:
                    yield from stream
            return
        with pa.ipc.open_file(file) as probe:
            options = self._options(probe.schema, piece.path)
        file.seek(0)
        with pa.ipc.open_file(file, options=options) as reader:
            count = reader.num_record_batches
            for number in range(count):
                # Where a batch lies, pyarrow does not tell: as if all were equally long.
                if piece.holds(size * number // count):
                    yield reader.get_batch(number)

    def _options(self, there: pa.Schema, path: str) -> pa.ipc.IpcReadOptions:
        """Only the columns that are asked for."""
        found = (self._find(wanted, there.names, path) for wanted in self.schema)
        numbers = [there.get_field_index(name) for name in found if name is not None]
        return pa.ipc.IpcReadOptions(use_threads=False, included_fields=numbers or None)

    def _find(self, wanted: ir.Field, there: Sequence[str], path: str) -> str | None:
        return find_column(wanted.name, there, self.case_sensitive, path)

    def _completed(self, batch: pa.RecordBatch, path: str) -> pa.RecordBatch:
        """The columns of the schema in its order and types."""
        if not len(self.schema):
            return pa.RecordBatch.from_struct_array(pa.nulls(batch.num_rows, pa.struct([])))
        arrays = [self._column(batch, wanted, path) for wanted in self.schema]
        return pa.RecordBatch.from_arrays(arrays, names=list(self.schema.names))

    def _column(self, batch: pa.RecordBatch, wanted: ir.Field, path: str) -> pa.Array:
        name = self._find(wanted, batch.schema.names, path)
        if name is None:
            return pa.nulls(batch.num_rows, arrow_type(wanted.type))
        array = batch.column(name)
        if not can_widen(array.type, wanted.type):
            raise ScanError(
                TYPE_MISMATCH,
                path,
                f"column {name!r} is {array.type}, but the query reads it as {wanted.type};"
                " declare the column as it is in the file, and cast it in the query",
            )
        return converted(array, wanted.type)

    def _sliced(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Batches of a size that suits caches; a writer may make one of a whole file."""
        for begin in range(0, batch.num_rows, self.batch_rows):
            yield batch.slice(begin, self.batch_rows)


def file_schema(address: str, storage: Storage = LOCAL) -> pa.Schema:
    """The schema of one file."""
    with storage.open(address) as file:
        is_file = file.read(len(_MAGIC)) == _MAGIC
        file.seek(0)
        with (pa.ipc.open_file if is_file else pa.ipc.open_stream)(file) as reader:
            return reader.schema
