"""Arrow batches as the C programs read them, and what they return as a table."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

WINDOW_TYPE = pa.timestamp("us", tz="UTC")


class Columns(ctypes.Structure):
    """`Columns` of columns.h."""

    _fields_ = (
        ("codes", ctypes.c_void_p),
        ("offsets", ctypes.c_void_p),
        ("bytes", ctypes.c_void_p),
        ("time_us", ctypes.c_void_p),
        ("keys", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("rows", ctypes.c_int64),
        ("view_code", ctypes.c_int32),
    )


class Groups(ctypes.Structure):
    """`Groups` of groups.h."""

    _fields_ = (
        ("window", ctypes.POINTER(ctypes.c_int64)),
        ("keys", ctypes.POINTER(ctypes.c_int64)),
        ("results", ctypes.POINTER(ctypes.c_int64)),
        ("count", ctypes.c_int64),
        ("room", ctypes.c_int64),
        ("status", ctypes.c_int32),
    )


def columns_of(batch: pa.RecordBatch) -> Columns:
    """Pointers into the batch's buffers; valid while the batch is."""
    types = _checked(batch, "event_type")
    columns = Columns(
        time_us=_address(_checked(batch, "event_time", WINDOW_TYPE)),
        keys=_address(_checked(batch, "campaign_id", pa.int64())),
        values=_address(_checked(batch, "value", pa.int64())),
        rows=batch.num_rows,
    )
    if types.type == pa.dictionary(pa.int32(), pa.string()):
        columns.codes = _address(types.indices)
        # index() gives -1 where no event can be a view, and no code equals that.
        columns.view_code = types.dictionary.index("view").as_py()
    elif types.type == pa.string():
        columns.offsets = _address(types)
        columns.bytes = types.buffers()[2].address if types.buffers()[2] else None
    else:
        raise TypeError(f"event_type must be string or dictionary<int32, string>, got {types.type}")
    return columns


def encoding_of(batch: pa.RecordBatch) -> str:
    """How the names of C functions call this encoding of event_type."""
    coded = pa.types.is_dictionary(batch.schema.field("event_type").type)
    return "codes" if coded else "strings"


def table_of(groups: Iterable[Groups], schema: pa.Schema) -> pa.Table:
    """A copy of the C arrays (window, key, result) as a table; doubles come as their bits."""
    tables = [_one_table(part, schema) for part in groups if part.count]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def _one_table(groups: Groups, schema: pa.Schema) -> pa.Table:
    pointers = (groups.window, groups.keys, groups.results)
    arrays = [np.ctypeslib.as_array(p, (groups.count,)).copy() for p in pointers]
    columns = [pa.array(a).view(f.type) for a, f in zip(arrays, schema, strict=True)]
    return pa.table(columns, schema=schema)


def _checked(batch: pa.RecordBatch, name: str, type_: pa.DataType | None = None) -> Any:
    """A column without nulls, of the expected type; the C programs read raw values."""
    column = batch.column(name)
    if type_ is not None and column.type != type_:
        raise TypeError(f"{name} must be {type_}, got {column.type}")
    if column.null_count:
        raise ValueError(f"the C programs take no nulls; {name} has {column.null_count}")
    return column


def _address(array: Any) -> int:
    """Where the array's first value (or first string offset) is in memory."""
    width = 4 if pa.types.is_string(array.type) else array.type.bit_width // 8
    return int(array.buffers()[1].address + array.offset * width)
