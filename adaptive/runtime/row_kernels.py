"""Kernels that write rows: the memory that they write to, and Arrow columns made of it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from adaptive.runtime.binding import BoundBatch, arrow_type
from adaptive.runtime.deopt import Code, DeoptManager
from adaptive.runtime.key_dictionary import KeyDictionaries
from codegen_llvm import CompiledVariant, InputLayout
from codegen_llvm.abi import Exit, OutputBlock
from ir import BOOL, DataType, Named, ProjectionProgram, VariantSpec

# Little, so that tests come through its growth; a projection keeps the size of its last batch.
_FIRST_BYTES = 64
# The offsets of a string column have 32 bits.
_MOST_BYTES = 2**31 - 1
_MOST_RECENT = 16


class RowKernels(DeoptManager):
    """Writes the rows of a batch that pass, in order, whichever variants run over its parts."""

    program: ProjectionProgram

    def __init__(self, program: ProjectionProgram) -> None:
        super().__init__(program)
        self._room = [_FIRST_BYTES] * len(program.columns)
        # By the identity of layout and spec, which are kept alive here.
        self._recent: dict[tuple[int, int], tuple[InputLayout, VariantSpec, Code]] = {}

    @property
    def written(self) -> int:
        """How many rows of the batch have passed."""
        return int(self.driver.args.rows_passed)

    def arrays(self) -> dict[str, pa.Array]:
        """Their columns."""
        rows = self.written
        return {named.name: out.array(rows) for named, out in self._outputs.by_column(self.program)}

    def slots_of(self, spec: VariantSpec, layout: InputLayout) -> None:
        """Rows are not grouped."""

    def make_ready(self, spec: VariantSpec, layout: InputLayout, groups: int) -> None:
        """All variants write to the same memory, so none needs its own."""

    def begin(
        self, bound: BoundBatch, first: int, last: int, dictionaries: KeyDictionaries | None = None
    ) -> None:
        """Take rows; what was written of others is given away."""
        super().begin(bound, first, last, dictionaries)
        passed, probes = self._counted
        self._counted = passed - self.written, probes
        self.driver.args.rows_passed = 0
        self._outputs = Outputs(self.program, last - first, self._room)

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
            self._recent[key] = layout, spec, self.code(spec, None)
        return self._recent[key][2], self._outputs.address

    def _gave_room(self, code: Exit, variant: CompiledVariant) -> bool:
        if code != Exit.GROW_OUTPUT:
            return False
        position = int(self.driver.args.detail)
        self._room[position] = self._outputs.columns[position].grow()
        return True


class Outputs:
    """The memory that a kernel writes the columns of one batch to."""

    def __init__(self, program: ProjectionProgram, rows: int, room: list[int]) -> None:
        self._blocks = (OutputBlock * max(1, len(program.columns)))()
        self.address = ctypes.addressof(self._blocks)
        self.columns = [
            _OutputColumn(block, named.expr.type, rows, capacity)
            for block, named, capacity in zip(self._blocks, program.columns, room, strict=False)
        ]

    def by_column(self, program: ProjectionProgram) -> Iterator[tuple[Named, _OutputColumn]]:
        """Each column of the program with its memory."""
        return zip(program.columns, self.columns, strict=True)


class _OutputColumn:
    """The memory of one column, with room for every row of the batch."""

    def __init__(self, block: OutputBlock, type_: DataType, rows: int, capacity: int) -> None:
        self._block, self._type = block, type_
        self._nulls = np.zeros(rows, np.uint8)
        block.nulls = self._nulls.ctypes.data
        if type_.is_bytes:
            self._offsets = np.empty(rows + 1, np.int32)
            self._offsets[0] = 0
            block.offsets = self._offsets.ctypes.data
            self._take(np.empty(capacity, np.uint8))
        else:
            self._values = np.empty(rows * max(1, type_.bits // 8), np.uint8)
            block.values = self._values.ctypes.data

    def grow(self) -> int:
        """Make room for the string that a kernel left for, and as much again; returns how much."""
        wanted = int(self._block.wanted)
        if wanted > _MOST_BYTES:
            raise MemoryError(
                f"a column of the result has strings of {wanted} bytes; the limit is 2 GiB for"
                " a batch: push smaller batches"
            )
        larger = np.empty(min(2 * wanted, _MOST_BYTES), np.uint8)
        larger[: len(self._data)] = self._data
        self._take(larger)
        return len(larger)

    def array(self, rows: int) -> pa.Array:
        """The first rows as an Arrow array."""
        null = self._nulls[:rows]
        validity = pa.py_buffer(_bits(null == 0)) if null.any() else None
        return pa.Array.from_buffers(arrow_type(self._type), rows, [validity, *self._buffers(rows)])

    def _buffers(self, rows: int) -> list[pa.Buffer]:
        if self._type.is_bytes:
            offsets = self._offsets[: rows + 1]
            return [_own(offsets, self._offsets), _own(self._data[: offsets[-1]], self._data)]
        if self._type == BOOL:
            return [pa.py_buffer(_bits(self._values[:rows]))]
        return [_own(self._values[: rows * self._type.bits // 8], self._values)]

    def _take(self, data: NDArray[np.uint8]) -> None:
        self._data = data
        self._block.data, self._block.capacity = data.ctypes.data, len(data)


def _bits(flags: NDArray[Any]) -> NDArray[np.uint8]:
    return np.packbits(flags.astype(bool), bitorder="little")


def _own(part: NDArray[Any], whole: NDArray[Any]) -> pa.Buffer:
    """A part of an array as a buffer; a small part is copied, so that the rest can go."""
    return pa.py_buffer(part if 2 * len(part) >= len(whole) else part.copy())
