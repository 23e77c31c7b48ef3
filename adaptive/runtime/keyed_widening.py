"""From small slots of count windows to those in which every number fits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adaptive.runtime.keyed_state import KeyedState
from codegen_llvm import SlotLayout
from codegen_llvm.keyed_slots import NUMBER_SHIFT
from ir import CountWindow
from ir.pipelines import RowProgram

Slots = NDArray[np.void]


def row_numbers(slots: Slots) -> NDArray[np.int64]:
    """How many rows the keys of small slots have had."""
    return (slots["tag"] >> np.uint64(NUMBER_SHIFT)).astype(np.int64)


def widened(narrow: KeyedState, layout: SlotLayout, program: RowProgram) -> KeyedState:
    """The same windows in slots of another layout; each key stays where its hash has put it."""
    assert isinstance(program.window, CountWindow)
    old, wide = narrow.table, KeyedState(layout, int(narrow.table.block.limit))
    assert len(wide.table.slots) == len(old.slots)
    _fill(wide.table.slots, old.slots, layout, program.window.size)
    wide.table.block.count = old.block.count
    for name in ("closed_to", "lag", "listed", "listed_count"):
        setattr(wide.block, name, getattr(narrow.block, name))
    return wide


def _fill(new: Slots, old: Slots, layout: SlotLayout, size: int) -> None:
    """Copy the used slots field by field."""
    used = (old["tag"] & np.uint64(1)) != 0
    tag = old["tag"] & np.uint64((1 << NUMBER_SHIFT) - 1)
    # What is left of a full window is not true of the next one.
    seen = np.uint64(sum(layout.seen_bit(position) for position in layout.seen))
    tag = np.where(row_numbers(old) % size != 0, tag, tag & ~seen)
    new["tag"] = np.where(used, tag, np.uint64(0))
    for field in layout.fields[1:]:
        new[field.name][used] = _values(old, tag, field.name, layout, size)[used]


def _values(
    old: Slots, tag: NDArray[np.uint64], name: str, layout: SlotLayout, size: int
) -> NDArray[Any]:
    """The values of a field, made of those that small slots have."""
    assert old.dtype.names is not None
    field, _, part = name.partition(".")
    numbers = row_numbers(old)
    made: NDArray[Any]
    if name in old.dtype.names:
        made = old[name]
    elif name == "rows":
        made = numbers % size
    elif name == "start":
        made = numbers - numbers % size
    elif part == "count":  # of a sum: only whether there are values is asked
        bit = np.uint64(layout.seen_bit(int(field.removeprefix("agg"))))
        made = (tag & bit) != 0
    else:
        made = old[field] if part == "low" else old[field] >> 63
    return made
