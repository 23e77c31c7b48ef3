"""Results of the aggregates that keep all values of a group: computed by compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen_llvm import list_functions
from codegen_llvm.layout import element_bytes
from ir import DataType


class GroupLists:
    """The lists of one aggregate: for each group, where its next value goes and its room ends."""

    def __init__(self, nexts: NDArray[np.uint64], ends: NDArray[np.uint64], type_: DataType):
        self._nexts, self._ends, self._type = nexts, ends, type_
        self._functions = list_functions(type_)
        sizes = np.empty(len(nexts), np.int64)
        self._run(self._functions.sizes, sizes)
        self._counts = sizes // element_bytes(type_)
        # Memory for the largest group, twice, and room for a key that is stored for nothing.
        room = (int(self._counts.max(initial=0)) + 1) * self._functions.key_bytes
        self._scratch = [np.empty(room, np.uint8) for _ in range(2)]

    def percentiles(self, fraction: float) -> NDArray[np.float64]:
        """The values at a fraction of the ranks, in proportion between two of them."""
        position = (self._counts - 1) * fraction
        ranks = np.floor(position).astype(np.int64)
        low, high = (np.zeros(len(self._counts)) for _ in range(2))
        assert self._functions.ranks is not None
        self._run(self._functions.ranks, ranks, low, high, *self._scratch)
        above = position - ranks
        with np.errstate(invalid="ignore", over="ignore"):
            between = low + (high - low) * above
        return np.where((above == 0.0) | (low == high), low, between)

    def modes(self) -> NDArray[Any]:
        """The most frequent value of each group, as bytes of its width."""
        made = np.zeros(len(self._counts), f"V{element_bytes(self._type)}")
        self._run(self._functions.modes, made, *self._scratch)
        return made.view(np.uint8) if made.itemsize == 1 else made

    def string_modes(self) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """Address and length of the most frequent string of each group."""
        groups = len(self._counts)
        made = np.zeros(groups + (groups + 1) // 2, np.uint64)
        self._run(self._functions.modes, made, *self._scratch)
        return made[:groups], made[groups:].view(np.int32)[:groups].copy()

    def distinct(self) -> NDArray[np.int64]:
        """How many different values each group has."""
        made = np.zeros(len(self._counts), np.int64)
        self._run(self._functions.distinct, made, *self._scratch)
        return made

    def _run(self, function: Callable[..., int], *arrays: NDArray[Any]) -> None:
        addresses = [array.ctypes.data for array in (self._nexts, self._ends)]
        function(*addresses, len(self._nexts), *(array.ctypes.data for array in arrays))
