"""Filters and projections over Arrow batches, compiled: rows in, the rows that pass out."""

from __future__ import annotations

import pyarrow as pa

from adaptive.loop.history import History
from adaptive.runtime.adaptation import Adaptation, adaptation
from adaptive.runtime.binder import Binder
from adaptive.runtime.binding import BoundBatch, arrow_schema, column_of
from adaptive.runtime.row_kernels import RowKernels
from adaptive.runtime.unsupported import UnsupportedPlan
from codegen_llvm import unsupported_projection
from codegen_llvm.abi import Exit
from ir import Column, Field, Named, ProjectionProgram, Schema, Sink, cut, flatten_projection
from policies import Fixed, Policy


class Projection:
    """The filters and columns of a plan without an aggregate; used by one thread at a time.

    Rows are the same whatever the policy. `loop` is that of all who project the same rows, made
    for `computed_program`; of these, this one is number `worker`.
    """

    def __init__(
        self,
        plan: Sink | ProjectionProgram,
        policy: Policy | None = None,
        loop: Adaptation | None = None,
        worker: int = 0,
    ) -> None:
        program = projection_of(plan) if isinstance(plan, Sink) else plan
        reasons = unsupported_projection(program)
        if reasons:
            raise UnsupportedPlan("; ".join(reasons))
        self.program = program
        self._schema = arrow_schema(program.output)
        self._computed = computed_program(program)
        self._loop = loop or adaptation(self._computed, policy or Fixed())
        self._worker = worker
        self._bound = Binder(self._computed.input)
        self._kernels = RowKernels(self._computed)

    @property
    def history(self) -> History:
        """The variants that ran, and why."""
        return self._loop.history

    def run(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that pass, in order, with the columns of the plan's output."""
        rows, made = batch.num_rows, dict[str, pa.Array]()
        if rows and (self._computed.filters or self._computed.columns):
            rows, made = self._run(self._bound(batch))
        elif not rows:
            return _no_rows(self._schema)
        if not self._schema.names:
            return pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))
        arrays = [
            made[field.name] if field.name in made else _passed_on(batch, named, field)
            for named, field in zip(self.program.columns, self._schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def leave(self) -> None:
        """Nothing comes for now: what was seen is told."""
        self._loop.leave(self._kernels)

    def _run(self, bound: BoundBatch) -> tuple[int, dict[str, pa.Array]]:
        """How many rows pass, and the columns that are computed of them."""
        kernels = self._kernels
        spec = self._loop.begin(kernels, bound, 0, bound.rows)
        code = kernels.run(spec)
        assert code == Exit.DONE, code
        self._loop.end(self._worker, kernels, spec)
        return kernels.written, kernels.arrays()


def computed_program(program: ProjectionProgram) -> ProjectionProgram:
    """What kernels do of it: without a filter, columns that are passed on need no copy."""
    return program if program.filters else _without_plain(program)


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
