"""Filters and projections over Arrow batches, compiled: rows in, the rows that pass out."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from adaptive.runtime.binding import BoundBatch, arrow_schema, arrow_type, bind, column_of
from adaptive.runtime.driver import KernelDriver
from adaptive.runtime.unsupported import UnsupportedPlan
from codegen_llvm import CompiledProjection, compile_projection, unsupported_projection
from codegen_llvm.abi import Exit, OutputBlock
from ir import (
    BOOL,
    GENERIC,
    Column,
    DataType,
    Field,
    Named,
    ProjectionProgram,
    Schema,
    Sink,
    VariantSpec,
    cut,
    flatten_projection,
)

# Little, so that tests come through its growth; a projection keeps the size of its last batch.
_FIRST_BYTES = 64
# The offsets of a string column have 32 bits.
_MOST_BYTES = 2**31 - 1

_compiled = lru_cache(maxsize=128)(compile_projection)


class Projection:
    """The filters and columns of a plan without an aggregate; used by one thread at a time."""

    def __init__(self, plan: Sink | ProjectionProgram, spec: VariantSpec = GENERIC) -> None:
        program = projection_of(plan) if isinstance(plan, Sink) else plan
        reasons = unsupported_projection(program)
        if reasons:
            raise UnsupportedPlan("; ".join(reasons))
        self.program = program
        self._spec = spec
        self._schema = arrow_schema(program.output)
        # Without a filter, a column that is only passed on needs no copy.
        self._computed = program if program.filters else _without_plain(program)
        self._driver = KernelDriver()
        self._room = [_FIRST_BYTES] * len(self._computed.columns)

    def run(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that pass, in order, with the columns of the plan's output."""
        rows, made = batch.num_rows, dict[str, pa.Array]()
        if rows and (self._computed.filters or self._computed.columns):
            rows, made = self._run(bind(batch, self._computed.input))
        elif not rows:
            return _no_rows(self._schema)
        if not self._schema.names:
            return pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))
        arrays = [
            made[field.name] if field.name in made else _passed_on(batch, named, field)
            for named, field in zip(self.program.columns, self._schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _run(self, bound: BoundBatch) -> tuple[int, dict[str, pa.Array]]:
        """How many rows pass, and the columns that are computed of them."""
        outputs = _Outputs(self._computed, bound.rows, self._room)
        self._driver.begin(bound, 0, bound.rows)
        self._driver.args.rows_passed = 0
        kernel = _compiled(self._computed, bound.layout, self._spec)
        while (code := self._driver.run(kernel, outputs.address)) != Exit.DONE:
            self._serve(code, kernel, outputs)
        rows = int(self._driver.args.rows_passed)
        return rows, {c.name: o.array(rows) for c, o in outputs.by_column(self._computed)}

    def _serve(self, code: Exit, kernel: CompiledProjection, outputs: _Outputs) -> None:
        """Do what a kernel left for; it goes on at the row where it left."""
        args = self._driver.args
        if code == Exit.ERROR:
            raise kernel.error(int(args.detail), int(args.rows_done))
        assert code == Exit.GROW_OUTPUT, code
        position = int(args.detail)
        self._room[position] = outputs.columns[position].grow()


class _Outputs:
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


def projection_of(plan: Sink) -> ProjectionProgram:
    """The projection of a plan without an aggregate."""
    first, *rest = cut(plan)
    if rest:
        raise UnsupportedPlan("a projection has no aggregate; give it the last pipeline of a plan")
    return flatten_projection(first)


def _without_plain(program: ProjectionProgram) -> ProjectionProgram:
    """Only the columns that are computed, and the input that they read."""
    columns = tuple(named for named in program.columns if not isinstance(named.expr, Column))
    read = frozenset().union(*(named.expr.columns() for named in columns))
    needed = Schema(tuple(field for field in program.input if field.name in read))
    output = Schema(tuple(named.field for named in columns))
    return ProjectionProgram(needed, (), columns, output)


def _passed_on(batch: pa.RecordBatch, named: Named, wanted: pa.Field) -> pa.Array:
    """A column of the batch as it is, in the type of the output."""
    assert isinstance(named.expr, Column)
    field = Field(named.expr.name, named.expr.type, named.expr.nullable)
    array = column_of(batch, batch.schema, field)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array if array.type == wanted.type else array.cast(wanted.type)


def _no_rows(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([], schema)


def _bits(flags: NDArray[Any]) -> NDArray[np.uint8]:
    return np.packbits(flags.astype(bool), bitorder="little")


def _own(part: NDArray[Any], whole: NDArray[Any]) -> pa.Buffer:
    """A part of an array as a buffer; a small part is copied, so that the rest can go."""
    return pa.py_buffer(part if 2 * len(part) >= len(whole) else part.copy())
