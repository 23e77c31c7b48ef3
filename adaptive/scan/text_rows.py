"""Blocks of lines as Arrow batches: generated code reads records, the host those that are odd."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Protocol

import numpy as np
import pyarrow as pa

import ir
from adaptive.runtime.binding import arrow_type
from adaptive.scan.text_blocks import Block
from adaptive.scan.text_columns import TextColumns
from codegen_llvm.text_abi import TextArgs, TextExit
from codegen_llvm.text_records import CompiledReader

# A batch has to fit the cache, and each costs the kernel 0.3 ms: 64 K and 256 K rows are slower.
BATCH_ROWS = 128 * 1024
ODD_RECORDS = 4096  # that are noted before the host reads them

Row = dict[str, object]
ReadOdd = Callable[[bytes], Sequence[Row]]


class Bet(Protocol):
    """Gives a faster reader than the one for any record, as long as that pays."""

    def reader(self, block: Block) -> CompiledReader | None:
        """The reader for the records of a block, if there is one."""
        ...

    def judge(self, records: int, missed: int) -> None:
        """What came of it: so many records, and those of them that it was not for."""
        ...


class TextRows:
    """Turns blocks into batches of a schema; `read_odd` gives the rows of one odd line."""

    def __init__(
        self,
        schema: ir.Schema,
        reader: CompiledReader,
        read_odd: ReadOdd,
        batch_rows: int = BATCH_ROWS,
        bet: Bet | None = None,
    ) -> None:
        self._schema, self._reader, self._read_odd = schema, reader, read_odd
        self._bet = bet
        self._columns = TextColumns(schema, batch_rows)
        self._scratch = np.empty(0, np.uint8)
        self._odd = np.zeros(2 * ODD_RECORDS, np.int64)
        self._args = TextArgs(
            most_rows=batch_rows,
            odd=self._odd.ctypes.data,
            most_odd=ODD_RECORDS,
            columns=ctypes.addressof(self._columns.blocks),
        )

    def batches(self, blocks: Iterable[Block]) -> Iterator[pa.RecordBatch]:
        """The rows of all blocks; those of odd records come behind the others of their block."""
        for block in blocks:
            yield from self._of_block(block)
        yield from self._flush()

    def _of_block(self, block: Block) -> Iterator[pa.RecordBatch]:
        args = self._args
        if len(self._scratch) < len(block.memory):
            self._scratch = np.empty(len(block.memory), np.uint8)
            args.scratch = self._scratch.ctypes.data
        args.at = block.address
        args.end = args.at + block.size
        likely = None if self._bet is None else self._bet.reader(block)
        while True:
            first_row = int(args.row)
            code = (likely or self._reader).run(args)
            if likely is not None and self._bet is not None:
                self._judge(self._bet, first_row)
            if args.odd_count:
                yield from self._odd_rows()
            if code is TextExit.DONE:
                return
            if code is not TextExit.ODD_FULL:
                yield from self._make_room(code)

    def _judge(self, bet: Bet, first_row: int) -> None:
        args = self._args
        bet.judge(int(args.row) - first_row + int(args.odd_count), int(args.missed))
        args.missed = 0

    def _make_room(self, code: TextExit) -> Iterator[pa.RecordBatch]:
        is_stuck = self._args.row == 0
        yield from self._flush()
        if code is TextExit.STRINGS_FULL:
            gave_up = self._columns.give_up_dictionary(int(self._args.detail))
            if is_stuck and not gave_up:
                raise MemoryError("a string has more than 32 megabytes")
            self._columns.begin()

    def _flush(self) -> Iterator[pa.RecordBatch]:
        rows = int(self._args.row)
        if rows:
            yield self._columns.batch(rows)
            self._columns.begin()
            self._args.row = 0

    def _odd_rows(self) -> Iterator[pa.RecordBatch]:
        count = int(self._args.odd_count)
        self._args.odd_count = 0
        rows: list[Row] = []
        for begin, end in self._odd[: 2 * count].reshape(count, 2).tolist():
            rows.extend(self._read_odd(ctypes.string_at(begin, end - begin)))
        if rows:
            yield rows_batch(rows, self._schema)


def rows_batch(rows: Sequence[Row], schema: ir.Schema) -> pa.RecordBatch:
    """Rows of plain values as a batch; what a row lacks is null."""
    if not len(schema):
        return pa.RecordBatch.from_struct_array(pa.nulls(len(rows), pa.struct([])))
    arrays = [_array([row.get(f.name) for row in rows], f.type) for f in schema]
    return pa.RecordBatch.from_arrays(arrays, names=list(schema.names))


def _texts(values: list[object]) -> pa.Array:
    """Strings, of which some may be bytes that are no UTF-8."""
    if not any(isinstance(value, bytes) for value in values):
        return pa.array(values, arrow_type(ir.STRING))
    raw = [value.encode() if isinstance(value, str) else value for value in values]
    return pa.array(raw, pa.binary()).view(arrow_type(ir.STRING))


def _array(values: list[object], type_: ir.DataType) -> pa.Array:
    """Strings as codes: kernels are compiled for those, and need not be compiled again."""
    if isinstance(type_, ir.DecimalType):
        values = [None if v is None else Decimal(f"{v}E-{type_.scale}") for v in values]
    made = _texts(values) if type_ is ir.STRING else pa.array(values, arrow_type(type_))
    if type_ is not ir.STRING:
        return made
    coded = made.dictionary_encode()
    return coded if len(coded.dictionary) else made
