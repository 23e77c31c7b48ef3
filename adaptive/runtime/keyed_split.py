"""Listing the rows of morsels that pass, for those who add them to windows of their keys."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace

import numpy as np

from adaptive.runtime.adaptation import Adaptation
from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.deopt import Code, DeoptManager
from adaptive.runtime.key_dictionary import KeyDictionaries
from adaptive.runtime.memory import MemoryPool
from codegen_llvm import InputLayout, SlotLayout
from codegen_llvm.abi import Exit, SplitBlock
from ir import VariantSpec
from ir.pipelines import RowProgram

_MOST_RECENT = 16
_ROW_BYTES = 4  # of a row's number
_LINE_WORDS = 8
_LIST_MEMORY = MemoryPool(64 * 1024 * 1024, zeroed=False)


class RowLists:
    """A list of row numbers for each part of the keys, each with room for all rows."""

    def __init__(self, parts: int, rows: int) -> None:
        room = 1 << rows.bit_length()  # few sizes, so that memory is used again
        # Their lengths are in lines of their own: nobody else writes there meanwhile.
        lengths = -(-parts // _LINE_WORDS) * _LINE_WORDS * 8
        self._memory = _LIST_MEMORY.take(lengths + parts * room * _ROW_BYTES)
        self._counts = self._memory.bytes[: 8 * parts].view(np.int64)
        self._counts.fill(0)
        begin = self._memory.address
        self._block = SplitBlock(begin + lengths, room, begin, parts)
        self.address = ctypes.addressof(self._block)

    def of(self, part: int) -> tuple[int, int]:
        """Where the list of a part is, and how many rows it has."""
        offset = part * int(self._block.room) * _ROW_BYTES
        return int(self._block.rows) + offset, int(self._counts[part])

    def release(self) -> None:
        """Give the memory back; the lists are not used any more."""
        _LIST_MEMORY.give(self._memory)


@dataclass(frozen=True)
class Listed:
    """The rows of a morsel that passed, and the variant that found that out."""

    bound: BoundBatch
    first: int
    last: int
    row_base: int
    lists: RowLists
    spec: VariantSpec


class SplitKernels(DeoptManager):
    """Lists the rows that pass, whichever variants run over parts of them."""

    program: RowProgram

    def __init__(self, program: RowProgram, slots: SlotLayout, parts: int) -> None:
        super().__init__(program)
        self._slots, self._parts = slots, parts
        # By the identity of layout and spec, which are kept alive here.
        self._recent: dict[tuple[int, int], tuple[InputLayout, VariantSpec, Code]] = {}

    def slots_of(self, spec: VariantSpec, layout: InputLayout) -> SlotLayout:
        """The layout of windows at first: code that lists rows comes with code that adds them."""
        return self._slots

    def make_ready(self, spec: VariantSpec, layout: InputLayout, groups: int) -> None:
        """All variants write lists of the same form."""

    def begin(
        self, bound: BoundBatch, first: int, last: int, dictionaries: KeyDictionaries | None = None
    ) -> None:
        """Take rows; the lists are new."""
        super().begin(bound, first, last, dictionaries)
        self.lists = RowLists(self._parts, last - first)

    def is_ready(self, spec: VariantSpec, layout: InputLayout) -> bool:
        """Whether a variant can run on such batches without being compiled first."""
        return (id(layout), id(spec)) in self._recent or super().is_ready(spec, layout)

    def _find(self, spec: VariantSpec) -> tuple[Code, int]:
        """The code of a variant; hashing a spec would take longer than a block."""
        layout = self._bound.layout
        key = (id(layout), id(spec))
        if key not in self._recent:
            if len(self._recent) >= _MOST_RECENT:
                self._recent.clear()
            code = self.code(spec, self._slots)
            split = code.variant.split
            assert split is not None
            listing = Code(replace(code.variant, run=split), code.name)
            self._recent[key] = layout, spec, listing
        return self._recent[key][2], self.lists.address


class RowSplitter:
    """Lists the rows of morsels in one thread, worker number `worker` of the loop."""

    def __init__(
        self, program: RowProgram, slots: SlotLayout, parts: int, loop: Adaptation, worker: int
    ) -> None:
        self._kernels = SplitKernels(program, slots, parts)
        self._loop, self._worker = loop, worker

    def split(self, bound: BoundBatch, first: int, last: int, row_base: int) -> Listed:
        """List rows of a batch whose first one has this number in the order of arrival."""
        spec = self._loop.begin(self._kernels, bound, first, last)
        code = self._kernels.run(spec)
        assert code == Exit.DONE, code
        self._loop.end(self._worker, self._kernels, spec)
        return Listed(bound, first, last, row_base, self._kernels.lists, spec)
