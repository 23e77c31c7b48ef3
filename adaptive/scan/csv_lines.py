"""CSV files as Arrow batches, read the way Spark's own reader reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

import ir
from adaptive.scan.csv_records import CsvLines
from adaptive.scan.pieces import Piece
from adaptive.scan.record_modes import PERMISSIVE, CorruptRecords
from adaptive.scan.storage import LOCAL, Storage
from adaptive.scan.text_blocks import Block, line_blocks
from adaptive.scan.text_rows import BATCH_ROWS, TextRows
from codegen_llvm import CompiledReader, CsvForm, compile_csv_reader
from ir.regions import WrittenTimes, zone_of_times
from ir.zones import Zone

COMMAS = CsvForm()


@dataclass(frozen=True)
class CsvScan:
    """Reads the columns of a schema from CSV files, whose fields are `columns` in this order."""

    schema: ir.Schema
    columns: tuple[str, ...]
    form: CsvForm = COMMAS
    has_header: bool = False
    corrupt: CorruptRecords = PERMISSIVE
    pushed: tuple[ir.Expr, ...] = ()  # filters that drop a row before all of it is read
    storage: Storage = LOCAL
    times: WrittenTimes | None = None  # those of this machine, in UTC, where none are told
    batch_rows: int = BATCH_ROWS

    def read(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        """The rows of the lines that begin in a piece."""
        ordered = ir.Schema(tuple(sorted(self.schema, key=self._position)))
        positions = tuple(map(self._position, ordered))
        read = ir.Schema(tuple(f for f in ordered if f.name != self.corrupt.column))
        places = tuple(map(self._position, read))
        # Spark counts the fields of a line only where it reads all of them.
        fields = len(self.columns) if len(read) == len(self.columns) else None
        lines = CsvLines(read, places, self.form, fields, self.pushed, self.times)
        rows = TextRows(
            ordered,
            _reader(ordered, positions, self.form, fields, zone_of_times(self.times)),
            lambda line: self.corrupt.rows(line, lines.read),
            self.batch_rows,
        )
        for batch in rows.batches(self._blocks(piece)):
            yield batch.select(list(self.schema.names)) if len(ordered) else batch

    def _position(self, field: ir.Field) -> int:
        """Where a column is in a line; that of corrupt records is nowhere."""
        return -1 if field.name == self.corrupt.column else self.columns.index(field.name)

    def _blocks(self, piece: Piece) -> Iterator[Block]:
        is_open = self.has_header and piece.start == 0
        for block in line_blocks(self.storage, piece):
            if is_open:
                is_open = not _blank_header(block, self.form.comment.encode())
            yield block


def _blank_header(block: Block, comment: bytes) -> bool:
    """Overwrite the first line that is not empty and no comment; whether there is one."""
    begin = 0
    while begin < block.size:
        ends = [block.memory.find(end, begin, block.size) for end in (b"\n", b"\r")]
        end = min((place for place in ends if place >= 0), default=block.size)
        line = block.memory[begin:end]
        if line.strip(bytes(range(0x21))) and not (comment and line.startswith(comment)):
            block.memory[begin:end] = b"\n" * (end - begin)
            return True
        begin = end + 1
    return False


@lru_cache(maxsize=64)
def _reader(
    schema: ir.Schema,
    positions: tuple[int, ...],
    form: CsvForm,
    fields: int | None,
    zone: Zone | None,
) -> CompiledReader:
    """Workers live on, and micro-batches read the same columns."""
    return compile_csv_reader(schema, positions, form, fields, zone)
