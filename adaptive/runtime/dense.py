"""Tables with a slot for each key of a range: memory that the host owns and kernels fill."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adaptive.runtime.state import GroupState, Table
from codegen_llvm import SlotLayout

Ranges = tuple[tuple[int, int], ...]  # the least and the greatest value of each key


class DenseTable(Table):
    """One array of groups, for one slice; it never grows: other keys go elsewhere."""

    def __init__(self, layout: SlotLayout, ranges: Ranges, slice_start: int) -> None:
        self._ranges = ranges
        self._spans = [high - low + 1 for low, high in ranges]
        super().__init__(layout, prod(self._spans), slice_start)
        self.block.limit = len(self.slots)
        for position, ((low, _), span) in enumerate(zip(ranges, self._spans, strict=True)):
            setattr(self.block, f"low{position}", low)
            setattr(self.block, f"span{position}", span)

    def dense_keys(self, position: int, places: NDArray[np.int32]) -> NDArray[Any]:
        """A key of the groups at these places."""
        inner = prod(self._spans[position + 1 :])
        numbers = places.astype(np.int64) // inner % self._spans[position]
        return numbers + np.int64(self._ranges[position][0])


class DenseState(GroupState):
    """The groups of one pipeline in one thread whose keys are in these ranges."""

    def __init__(self, layout: SlotLayout, ranges: Ranges, first_slice: int) -> None:
        self.ranges = ranges
        super().__init__(layout, first_slice)

    def _new_table(self, start: int, slots: int) -> Table:
        return DenseTable(self.layout, self.ranges, start)
