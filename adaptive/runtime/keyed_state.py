"""The memory of session and count windows in one thread: keys, nodes, and results."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from adaptive.runtime.state import Table, load_limit, slot_dtype
from codegen_llvm import SlotLayout
from codegen_llvm.abi import KeyedBlock
from ir import INT64

# With 64, in which 39 and 61 text keys make chains, two threads took 1.2 to 1.3 times as long.
_FIRST_KEYS = 512
_FIRST_NODES = 16
_FIRST_RESULTS = 64


class KeyedState:
    """What a kernel works on, and grows by its exits."""

    def __init__(self, layout: SlotLayout, keys: int = _FIRST_KEYS) -> None:
        self.layout = layout
        self.block = KeyedBlock()
        self.block.closed_to = INT64.low
        self.block.earliest = INT64.high
        slots = _FIRST_KEYS
        while load_limit(slots) < keys:
            slots *= 2
        self._take_table(Table(layout, slots, 0))
        self._nodes = self._output = np.zeros(0, np.uint8)
        self._move_nodes(0)
        self._move_output(0)

    @property
    def address(self) -> int:
        """Where kernels find it."""
        return ctypes.addressof(self.block)

    @property
    def bytes(self) -> int:
        """The memory of keys, strings, nodes and results."""
        return self.table.bytes + self._nodes.nbytes + self._output.nbytes

    @property
    def string_bytes(self) -> int:
        """The memory of strings, also of those that no window has any more."""
        return sum(arena.size for arena in self.table.arenas)

    @property
    def results(self) -> NDArray[np.void]:
        """The results so far, in the order in which they were made."""
        used = int(self.block.output) - self._output.ctypes.data
        return self._output[:used].view(slot_dtype(self.layout))

    def forget_results(self) -> None:
        """Begin anew with results; their memory is used again."""
        self.block.output = self._output.ctypes.data

    def grow_results(self, more: int) -> None:
        """Room for so many more results, and twice as much as there was."""
        room = len(self._output) // self.layout.size
        self._move_output(max(_FIRST_RESULTS, 2 * room, len(self.results) + more))

    def grow_nodes(self) -> None:
        """Room for twice as many nodes."""
        self._move_nodes(max(_FIRST_NODES, 2 * int(self.block.node_end) // self.layout.size))

    def moved_to(self, keys: int) -> KeyedState:
        """A state without keys but with room for them, the same results and places of nodes."""
        new = KeyedState(self.layout, keys)
        for name in ("closed_to", "lag", "earliest", "open", "listed", "listed_count"):
            setattr(new.block, name, getattr(self.block, name))
        for name in ("node_next", "node_free", "node_end"):
            setattr(new.block, name, getattr(self.block, name))
        new._nodes = self._nodes.copy()
        new.block.nodes = new._nodes.ctypes.data
        new._output, self._output = self._output, np.zeros(0, np.uint8)
        new.block.output, new.block.output_end = self.block.output, self.block.output_end
        return new

    def release(self) -> None:
        """Give the memory back; the state is not used any more."""
        self.table.release()
        self._nodes = self._output = np.zeros(0, np.uint8)

    def _take_table(self, table: Table) -> None:
        self.table = table
        self.block.current = table.address

    def _move_nodes(self, count: int) -> None:
        """Larger memory for nodes; the first is never used, as its distance from the start is 0."""
        nodes = np.zeros((count + 1) * self.layout.size, np.uint8)
        nodes[: len(self._nodes)] = self._nodes
        self._nodes = nodes
        self.block.nodes = nodes.ctypes.data
        self.block.node_next = max(int(self.block.node_next), self.layout.size)
        self.block.node_end = len(nodes)

    def _move_output(self, count: int) -> None:
        output = np.empty(count * self.layout.size, np.uint8)
        used = len(self.results) * self.layout.size if len(self._output) else 0
        output[:used] = self._output[:used]
        self._output = output
        self.block.output = output.ctypes.data + used
        self.block.output_end = output.ctypes.data + len(output)
