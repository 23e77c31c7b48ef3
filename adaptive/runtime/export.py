"""Turning groups into Arrow: the rows that a state stands for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from adaptive.runtime.binding import arrow_schema, arrow_type
from adaptive.runtime.state import GroupState
from codegen_llvm import SlotLayout, gather_strings
from ir import STRING, DataType, NamedAggregate
from ir.pipelines import RowProgram

Slots = NDArray[np.void]

# Groups a batch: the consumer (Spark, a queue) gets pieces of some megabytes.
BATCH_GROUPS = 256 * 1024


def export_groups(program: RowProgram, state: GroupState) -> Iterator[pa.RecordBatch]:
    """The output rows of a program, slice by slice, in batches."""
    if program.window is None and not program.keys and not state.groups:
        yield _empty_group(program)
        return
    pieces: list[tuple[int, Slots]] = []
    size = 0
    for start, table in state.tables.items():
        if table.groups:
            pieces.append((start, table.used()))
            size += table.groups
        if size >= BATCH_GROUPS:
            yield from _batches(program, state.layout, pieces)
            pieces, size = [], 0
    if pieces:
        yield from _batches(program, state.layout, pieces)


def _batches(
    program: RowProgram, layout: SlotLayout, pieces: list[tuple[int, Slots]]
) -> Iterator[pa.RecordBatch]:
    slots = np.concatenate([used for _, used in pieces])
    if layout.slice_is_key:
        starts = slots["slice"]
    else:
        starts = np.repeat([start for start, _ in pieces], [len(used) for _, used in pieces])
    for begin in range(0, len(slots), BATCH_GROUPS):
        part = slice(begin, begin + BATCH_GROUPS)
        yield _batch(program, layout, starts[part], slots[part])


def _batch(
    program: RowProgram, layout: SlotLayout, starts: NDArray[np.int64], slots: Slots
) -> pa.RecordBatch:
    columns: list[pa.Array] = []
    schema = arrow_schema(program.output)
    if program.window is not None:
        for bound in (starts, starts + program.window.size_us):
            columns.append(pa.array(bound, pa.int64()).cast(schema.field(0).type))
    tag = slots["tag"]
    for position, key in enumerate(program.keys):
        null = (tag & np.uint64(layout.key_null_bit(position))) != 0
        columns.append(_values(slots, f"key{position}", key.expr.type, null))
    for position, aggregate in enumerate(program.aggregates):
        columns.append(_aggregate(slots, layout, position, aggregate))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _aggregate(
    slots: Slots, layout: SlotLayout, position: int, aggregate: NamedAggregate
) -> pa.Array:
    empty = None
    if layout.tracks_seen(position):
        empty = (slots["tag"] & np.uint64(layout.seen_bit(position))) == 0
    if aggregate.call.function == "avg":
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = slots[f"agg{position}"] / slots[f"agg{position}.count"]
        return pa.array(mean, pa.float64(), mask=empty)
    return _values(slots, f"agg{position}", aggregate.call.type, empty)


def _values(
    slots: Slots, field: str, type_: DataType, null: NDArray[np.bool_] | None
) -> pa.Array:
    if type_ == STRING:
        return _strings(slots, field, null)
    values = np.ascontiguousarray(slots[field])
    if type_.name == "bool":
        values = values.astype(bool)
    if type_.name in ("date", "timestamp"):
        stored = pa.array(values, mask=null)
        return stored.cast(arrow_type(type_))
    return pa.array(values, arrow_type(type_), mask=null)


def _strings(slots: Slots, field: str, null: NDArray[np.bool_] | None) -> pa.Array:
    addresses = np.ascontiguousarray(slots[f"{field}.data"])
    lengths = np.ascontiguousarray(slots[f"{field}.length"])
    offsets = np.zeros(len(slots) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    data = np.empty(max(1, int(offsets[-1])), np.uint8)
    gather_strings(addresses.ctypes.data, lengths.ctypes.data, len(slots), data.ctypes.data)
    validity = None
    if null is not None and null.any():
        validity = pa.py_buffer(np.packbits(~null, bitorder="little"))
    # 64-bit offsets first: many long keys may exceed the two gigabytes of a string array.
    buffers = [validity, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), len(slots), buffers).cast(pa.string())


def _empty_group(program: RowProgram) -> pa.RecordBatch:
    """The one group of a global aggregate that has seen no row."""
    values = [0 if a.call.function == "count" else None for a in program.aggregates]
    schema = arrow_schema(program.output)
    arrays = [pa.array([v], f.type) for v, f in zip(values, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
