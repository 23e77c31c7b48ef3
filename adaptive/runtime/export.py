"""Turning groups into Arrow: the rows that a state stands for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from adaptive.runtime.binding import arrow_schema, arrow_type
from adaptive.runtime.memory import SLOT_MEMORY
from adaptive.runtime.state import GroupState, Table, slot_dtype
from codegen_llvm import SlotLayout, gather_slots, gather_strings
from ir import BOOL, FLOAT64, STRING, TIMESTAMP, DataType, NamedAggregate
from ir.pipelines import RowProgram

# Groups a batch: the consumer (Spark, a queue) gets pieces of some megabytes.
BATCH_GROUPS = 256 * 1024


class Groups:
    """The used slots of some tables, copied together and read column by column."""

    def __init__(self, layout: SlotLayout, tables: list[Table]) -> None:
        self.layout = layout
        self._tables = tables
        count = sum(table.groups for table in tables)
        # A power of two, so that the next export finds memory of the same size.
        self._memory = SLOT_MEMORY.take(1 << (count * layout.size - 1).bit_length())
        self._slots = self._memory[: count * layout.size].view(slot_dtype(layout))
        place = self._slots.ctypes.data
        for table in tables:
            used = gather_slots(table.slots.ctypes.data, len(table.slots), layout.size, place)
            place += used * layout.size
        self.tag = self.column("tag")

    def release(self) -> None:
        """Give the memory back; what was read is copied."""
        SLOT_MEMORY.give(self._memory)

    def __len__(self) -> int:
        return len(self._slots)

    def column(self, field: str) -> NDArray[Any]:
        """One field of every group."""
        return self._slots[field].copy()

    def slice_starts(self) -> NDArray[np.int64]:
        """The start of every group's slice."""
        if self.layout.slice_is_key:
            return self.column("slice")
        starts = [int(table.block.slice_start) for table in self._tables]
        return np.repeat(np.array(starts, np.int64), [table.groups for table in self._tables])

    def nulls(self, bit: int, set_means_null: bool) -> NDArray[np.bool_] | None:
        """Which groups have a tag bit set, or not; None where no value is null."""
        null = ((self.tag & np.uint64(bit)) != 0) == set_means_null
        return null if null.any() else None


def export_groups(program: RowProgram, state: GroupState) -> Iterator[pa.RecordBatch]:
    """The output rows of a program, slice by slice, in batches."""
    if program.window is None and not program.keys and not state.groups:
        yield _empty_group(program)
        return
    pending: list[Table] = []
    for table in state.tables.values():
        if table.groups:
            pending.append(table)
        if sum(t.groups for t in pending) >= BATCH_GROUPS:
            yield from _batches(program, Groups(state.layout, pending))
            pending = []
    if pending:
        yield from _batches(program, Groups(state.layout, pending))


def _batches(program: RowProgram, groups: Groups) -> Iterator[pa.RecordBatch]:
    """The groups in batches of a size that consumers can take."""
    schema = arrow_schema(program.output)
    whole = pa.RecordBatch.from_arrays(list(_columns(program, groups)), schema=schema)
    groups.release()
    for begin in range(0, len(groups), BATCH_GROUPS):
        yield whole.slice(begin, BATCH_GROUPS)


def _columns(program: RowProgram, groups: Groups) -> Iterator[pa.Array]:
    if program.window is not None:
        starts = groups.slice_starts()
        yield _fixed(starts, TIMESTAMP, None)
        yield _fixed(starts + program.window.size_us, TIMESTAMP, None)
    for position, key in enumerate(program.keys):
        null = groups.nulls(groups.layout.key_null_bit(position), set_means_null=True)
        yield _values(groups, f"key{position}", key.expr.type, null)
    for position, aggregate in enumerate(program.aggregates):
        yield _aggregate(groups, position, aggregate)


def _aggregate(groups: Groups, position: int, aggregate: NamedAggregate) -> pa.Array:
    empty = None
    if groups.layout.tracks_seen(position):
        empty = groups.nulls(groups.layout.seen_bit(position), set_means_null=False)
    if aggregate.call.function == "avg":
        count = groups.column(f"agg{position}.count")
        with np.errstate(invalid="ignore", divide="ignore"):
            return _fixed(groups.column(f"agg{position}") / count, FLOAT64, empty)
    return _values(groups, f"agg{position}", aggregate.call.type, empty)


def _values(
    groups: Groups, field: str, type_: DataType, null: NDArray[np.bool_] | None
) -> pa.Array:
    if type_ == STRING:
        return _strings(groups, field, null)
    return _fixed(groups.column(field), type_, null)


def _fixed(values: NDArray[Any], type_: DataType, null: NDArray[np.bool_] | None) -> pa.Array:
    """Numbers as an Arrow array, without a copy; booleans are packed into bits."""
    rows = len(values)
    if type_ == BOOL:
        values = np.packbits(values.astype(bool), bitorder="little")
    buffers = [_validity(null), pa.py_buffer(np.ascontiguousarray(values))]
    return pa.Array.from_buffers(arrow_type(type_), rows, buffers)


def _validity(null: NDArray[np.bool_] | None) -> pa.Buffer | None:
    return None if null is None else pa.py_buffer(np.packbits(~null, bitorder="little"))


def _strings(groups: Groups, field: str, null: NDArray[np.bool_] | None) -> pa.Array:
    addresses, lengths = groups.column(f"{field}.data"), groups.column(f"{field}.length")
    rows = len(groups)
    offsets = np.zeros(rows + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    data = np.empty(max(1, int(offsets[-1])), np.uint8)
    gather_strings(addresses.ctypes.data, lengths.ctypes.data, rows, data.ctypes.data)
    # 64-bit offsets first: many long keys may exceed the two gigabytes of a string array.
    buffers = [_validity(null), pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), rows, buffers).cast(pa.string())


def _empty_group(program: RowProgram) -> pa.RecordBatch:
    """The one group of a global aggregate that has seen no row."""
    values = [0 if a.call.function == "count" else None for a in program.aggregates]
    schema = arrow_schema(program.output)
    arrays = [pa.array([v], f.type) for v, f in zip(values, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
