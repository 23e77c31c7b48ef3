"""The used slots of tables, read column by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from adaptive.runtime.dense import DenseTable
from adaptive.runtime.state import Table, slot_dtype
from codegen_llvm import SlotLayout, find_used, gather_field
from ir import BOOL, DataType


def pooled(count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Memory of Arrow's pool, which keeps what results give back: a fresh page costs a fault."""
    return np.frombuffer(pa.allocate_buffer(count * dtype.itemsize), dtype)


_EVERY = np.uint64(2**64 - 1)


class Groups:
    """The groups of some tables; what is read of them is copied."""

    def __init__(self, layout: SlotLayout, tables: Sequence[Table]) -> None:
        self.layout = layout
        self._tables = tables
        self._dtype = slot_dtype(layout)
        self._any, self._every = np.uint64(0), _EVERY
        self._places = [self._used(table) for table in tables]
        self._count = sum(map(len, self._places))

    def __len__(self) -> int:
        return self._count

    def column(self, field: str) -> NDArray[Any]:
        """One field of every group."""
        dtype, offset = self._dtype.fields[field][:2]  # type: ignore[index]
        made = pooled(self._count, dtype)
        target = made.ctypes.data
        for table, places in zip(self._tables, self._places, strict=True):
            gather_field(
                table.block.slots + offset,
                self.layout.size,
                dtype.itemsize,
                places.ctypes.data,
                len(places),
                target,
            )
            target += len(places) * dtype.itemsize
        return made

    def dense_key(self, position: int, type_: DataType) -> NDArray[Any]:
        """A key that groups of dense tables have by their place."""
        pieces = [
            table.dense_keys(position, places)
            for table, places in zip(self._tables, self._places, strict=True)
            if isinstance(table, DenseTable)
        ]
        made = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        return made.astype(np.uint8 if type_ == BOOL else f"i{type_.bits // 8}", copy=False)

    def dense_strings(self, position: int) -> pa.Array:
        """A string key that groups of dense tables have by its code."""
        pieces = []
        for table, places in zip(self._tables, self._places, strict=True):
            assert isinstance(table, DenseTable)
            dictionary = table.dictionaries[position]
            assert dictionary is not None
            pieces.append(dictionary.strings(table.dense_keys(position, places)))
        return pa.concat_arrays(pieces)

    def slice_starts(self) -> NDArray[np.int64]:
        """The start of every group's slice."""
        if self.layout.slice_is_key:
            return self.column("slice")
        starts = [int(table.block.slice_start) for table in self._tables]
        made, at = pooled(self._count, np.dtype(np.int64)), 0
        for start, places in zip(starts, self._places, strict=True):
            made[at : at + len(places)] = start
            at += len(places)
        return made

    def nulls(self, bit: int, set_means_null: bool) -> NDArray[np.bool_] | None:
        """Which groups have a tag bit set, or not; None where no value is null."""
        wanted = np.uint64(bit)
        if not (self._any & wanted if set_means_null else ~self._every & wanted):
            return None
        null = ((self.column("tag") & wanted) != 0) == set_means_null
        return null if null.any() else None

    def _used(self, table: Table) -> NDArray[np.int32]:
        """The places of a table's groups, without those of a window table that have no rows."""
        places = np.empty(table.groups + 1, np.int32)
        tags = np.empty(2, np.uint64)
        slots = int(table.block.slots)
        size = self.layout.size
        used = find_used(slots, table.slot_count, size, places.ctypes.data, tags.ctypes.data)
        self._any, self._every = self._any | tags[0], self._every & tags[1]
        places = places[:used]
        if table.live < table.groups:
            places = places[table.slots[self.layout.rows][places] != 0]
        return places


class SlotGroups(Groups):
    """Groups that lie one after another already, in memory of the caller's."""

    def __init__(self, layout: SlotLayout, slots: NDArray[np.void]) -> None:
        self.layout = layout
        self._slots = slots
        self._any, self._every = _EVERY, np.uint64(0)  # not known: look at the tags

    def __len__(self) -> int:
        return len(self._slots)

    def column(self, field: str) -> NDArray[Any]:
        """One field of every group."""
        return self._slots[field].copy()
