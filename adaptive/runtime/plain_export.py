"""Tables whose groups are plain, as Arrow: all columns by one native call.

A window ends in the middle of a push, when the rows that kernels have read fill the caches,
and Python runs several times as long there as elsewhere: for 100 groups of YSB, column by
column took some 250 us.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pyarrow as pa

from adaptive.runtime.binding import arrow_schema
from adaptive.runtime.state import Table
from codegen_llvm import SlotLayout, read_plain
from codegen_llvm.abi import PlainColumn, PlainRead
from codegen_llvm.layout import HOLISTIC, MOMENTS
from codegen_llvm.plain_groups import END, START, UNUSUAL, Source
from ir import BOOL, STRING, WINDOW_START, DataType, NamedAggregate
from ir.pipelines import RowProgram

_MOST_KNOWN = 64  # programs and layouts
_LINE_BYTES = 64


class PlainExport:
    """Reads the groups of tables of one layout, where the program's columns are plain."""

    def __init__(self, program: RowProgram, layout: SlotLayout) -> None:
        self.program, self.layout = program, layout  # so that their identities stay theirs
        self._schema = arrow_schema(program.output)
        self._types = [field.type for field in self._schema]
        columns = _columns(program, layout)
        self._columns = None if columns is None else (PlainColumn * len(columns))(*columns)
        keys = range(layout.keys)
        self._null_bits = sum(layout.key_null_bit(key) for key in keys)
        self._seen_bits = sum(layout.seen_bit(at) for at in layout.seen if not _counts(layout, at))

    def batch(self, table: Table, start: int, end: int) -> pa.RecordBatch | None:
        """All groups of a table, or None where they must be looked at more closely."""
        block = table.block
        count = int(block.count)
        if self._columns is None or table.live != count:
            return None
        stride = (8 * count + _LINE_BYTES) & -_LINE_BYTES
        width = len(self._types) * stride
        memory = pa.allocate_buffer(width + 4 * count + 8)
        read = PlainRead(
            block.slots,
            table.slot_count,
            self.layout.size,
            memory.address + width,
            ctypes.addressof(self._columns),
            len(self._columns),
            memory.address,
            stride,
            start,
            end,
            block.low0,
            self._null_bits,
            self._seen_bits,
        )
        rows = read_plain(ctypes.addressof(read), table.slot_count)
        if rows == UNUSUAL:
            return None
        arrays = [
            pa.Array.from_buffers(type_, rows, [None, memory.slice(at * stride, stride)])
            for at, type_ in enumerate(self._types)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)


# The exports of the programs and layouts that came lately, by identity.
_KNOWN: dict[tuple[int, int], PlainExport] = {}


def plain_batch(program: RowProgram, table: Table, start: int, end: int) -> pa.RecordBatch | None:
    """All groups of a window's table, or None where some column or group is not plain."""
    key = (id(program), id(table.layout))
    known = _KNOWN.get(key)
    if known is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[key] = PlainExport(program, table.layout)
    return known.batch(table, start, end)


def _columns(program: RowProgram, layout: SlotLayout) -> list[PlainColumn] | None:
    """Where the columns of the output come from; what is only looked at comes last."""
    if WINDOW_START not in program.output or layout.slice_is_key or layout.locked:
        return None
    columns = [PlainColumn(Source.REPEATED, 8, at) for at in (START, END)]
    for position, key in enumerate(program.keys):
        type_ = key.expr.type
        if not _is_plain(type_) or (layout.dense and len(program.keys) > 1):
            return None
        width = type_.bits // 8
        offset = 0 if layout.dense else layout.offset(f"key{position}")
        columns.append(PlainColumn(Source.PLACE if layout.dense else Source.FIELD, width, offset))
    for position, aggregate in enumerate(program.aggregates):
        column = _aggregate(layout, f"agg{position}", aggregate)
        if column is None:
            return None
        columns.append(column)
    return [*columns, *_counted(layout, len(program.aggregates))]


def _aggregate(layout: SlotLayout, field: str, aggregate: NamedAggregate) -> PlainColumn | None:
    call = aggregate.call
    unusual = call.definition is not None or call.function in MOMENTS | HOLISTIC
    if unusual or not _is_plain(call.type) or layout.has(f"{field}.null"):
        return None
    if layout.has(f"{field}.high"):
        return PlainColumn(
            Source.WIDE, 8, layout.offset(f"{field}.low"), layout.offset(f"{field}.high")
        )
    if call.function == "avg":
        return PlainColumn(Source.RATIO, 8, layout.offset(field), layout.offset(f"{field}.count"))
    return PlainColumn(Source.FIELD, call.type.bits // 8, layout.offset(field))


def _counted(layout: SlotLayout, aggregates: int) -> Iterator[PlainColumn]:
    """The counts that tell whether an aggregate has a value."""
    for position in range(aggregates):
        if layout.tracks_seen(position) and _counts(layout, position):
            yield PlainColumn(Source.NOT_ZERO, 8, layout.offset(f"agg{position}.count"))


def _counts(layout: SlotLayout, position: int) -> bool:
    return layout.has(f"agg{position}.count")


def _is_plain(type_: DataType) -> bool:
    return not (type_.is_bytes or type_.is_decimal or type_ in (BOOL, STRING))
