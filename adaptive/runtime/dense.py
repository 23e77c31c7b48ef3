"""Tables with a slot for each key of a range: memory that the host owns and kernels fill."""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adaptive.runtime.key_dictionary import KeyDictionary
from adaptive.runtime.state import GroupState, Table
from codegen_llvm import SlotLayout

Ranges = tuple[tuple[int, int], ...]  # the least and the greatest value of each key
# Of each key that is a string, what numbers it.
Dictionaries: TypeAlias = tuple[KeyDictionary | None, ...]


class DenseTable(Table):
    """One array of groups, for one slice; it never grows: other keys go elsewhere."""

    def __init__(
        self, layout: SlotLayout, ranges: Ranges, slice_start: int, dictionaries: Dictionaries
    ) -> None:
        self._ranges, self.dictionaries = ranges, dictionaries
        self._spans = [high - low + 1 for low, high in ranges]
        super().__init__(layout, prod(self._spans), slice_start)
        self.block.limit = self.slot_count
        for position, ((low, _), span) in enumerate(zip(ranges, self._spans, strict=True)):
            setattr(self.block, f"low{position}", low)
            setattr(self.block, f"span{position}", span)
        for position, strings in enumerate(dictionaries):
            if strings is not None:
                setattr(self.block, f"string_offsets{position}", strings.offsets_address)
                setattr(self.block, f"strings{position}", strings.data_address)

    def dense_keys(self, position: int, places: NDArray[np.int32]) -> NDArray[Any]:
        """A key of the groups at these places; of a string, its code."""
        numbers, inner = places, prod(self._spans[position + 1 :])
        if inner > 1:
            numbers = numbers // inner
        if position:
            numbers = numbers % self._spans[position]
        return np.add(numbers, self._ranges[position][0], dtype=np.int64)


class DenseState(GroupState):
    """The groups of one pipeline in one thread whose keys are in these ranges."""

    def __init__(
        self, layout: SlotLayout, ranges: Ranges, first_slice: int, dictionaries: Dictionaries
    ) -> None:
        self.ranges, self.dictionaries = ranges, dictionaries
        super().__init__(layout, first_slice)

    def _new_table(self, start: int, slots: int) -> Table:
        return DenseTable(self.layout, self.ranges, start, self.dictionaries)
