"""Files of JSON lines as Arrow batches, read the way Spark's own reader reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import pyarrow as pa

import ir
from adaptive.scan.json_records import read_record
from adaptive.scan.json_shapes import ShapeBet
from adaptive.scan.pieces import Piece
from adaptive.scan.pushed_filters import PushedFilters
from adaptive.scan.record_modes import PERMISSIVE, CorruptRecords
from adaptive.scan.storage import LOCAL, Storage
from adaptive.scan.text_blocks import line_blocks
from adaptive.scan.text_rows import BATCH_ROWS, TextRows
from codegen_llvm import CompiledReader, compile_json_reader
from ir.regions import WrittenTimes, zone_of_times
from ir.zones import Zone


@dataclass(frozen=True)
class JsonScan:
    """Reads the columns of a schema from JSON lines; only these columns can be bad."""

    schema: ir.Schema
    corrupt: CorruptRecords = PERMISSIVE
    pushed: tuple[ir.Expr, ...] = ()  # filters that drop a row before all of it is read
    storage: Storage = LOCAL
    times: WrittenTimes | None = None  # those of this machine, in UTC, where none are told
    batch_rows: int = BATCH_ROWS

    def read(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        """The rows of the records that begin in a piece."""
        fields = tuple(field for field in self.schema if field.name != self.corrupt.column)
        read = partial(
            read_record,
            schema=ir.Schema(fields),
            pushed=PushedFilters(self.pushed),
            times=self.times,
        )
        reader, bet = _readers(self.schema, self.corrupt.column, zone_of_times(self.times))
        rows = TextRows(
            self.schema,
            reader,
            lambda line: self.corrupt.rows(line, read),
            self.batch_rows,
            bet,
        )
        yield from rows.batches(line_blocks(self.storage, piece))


@lru_cache(maxsize=64)
def _readers(
    schema: ir.Schema, corrupt: str | None, zone: Zone | None
) -> tuple[CompiledReader, ShapeBet]:
    """Workers live on, and micro-batches read the same columns."""
    unread = frozenset() if corrupt is None else frozenset({corrupt})
    return compile_json_reader(schema, unread, zone=zone), ShapeBet(schema, unread, zone=zone)
