"""Filters that are tried on the dictionary of a column, and then on the codes of its rows.

They only leave rows out early: whatever comes out is filtered again by the plan.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from adaptive.runtime import Projection
from adaptive.runtime.unsupported import UnsupportedPlan
from adaptive.scan.column_chunk import MORE_ENTRIES
from ir import (
    DATE,
    INT32,
    INT64,
    TIMESTAMP,
    Call,
    Column,
    Expr,
    Field,
    Literal,
    Named,
    ProjectionProgram,
    Schema,
    Sink,
    conjuncts,
)
from ir.expr import conjunction
from ir.pipelines import cut, flatten, flatten_projection

PASSED = "passed"
_WHOLE = (INT32, INT64, DATE, TIMESTAMP)
Comparison = tuple[Callable[..., NDArray[np.bool_]], int]
_COMPARE: dict[str, Callable[..., NDArray[np.bool_]]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@dataclass(frozen=True)
class CodeFilter:
    """All that a plan asks of one column alone; used by one thread."""

    column: Field
    projection: Projection
    comparisons: tuple[Comparison, ...] | None  # what the projection computes, if it is so simple

    def table(self, entries: pa.Array) -> NDArray[np.uint8]:
        """For each entry whether it passes; behind them one for a code that is not, and null."""
        quick = self._compared(entries)
        if quick is not None:
            return quick
        tried = entries
        if self.column.nullable:
            tried = pa.concat_arrays([entries, pa.nulls(1, entries.type)])
        batch = pa.RecordBatch.from_arrays([tried], names=[self.column.name])
        passed = self.projection.run(batch).column(PASSED).fill_null(False)
        # A null where there should be none passes, for whoever complains about it.
        table = np.ones(len(entries) + MORE_ENTRIES, np.uint8)
        bits = np.asarray(passed.to_numpy(zero_copy_only=False), np.uint8)
        table[: len(entries)] = bits[: len(entries)]
        if self.column.nullable:
            table[-1] = bits[-1]
        return table

    def _compared(self, entries: pa.Array) -> NDArray[np.uint8] | None:
        """The same for whole numbers that are compared with constants, which takes numpy 5 us.

        A projection takes 200, which is much for a dictionary of a million rows.
        """
        if self.comparisons is None or entries.null_count:
            return None
        width = entries.type.bit_width // 8
        kind = np.dtype(f"i{width}")
        values = np.frombuffer(entries.buffers()[1], kind, len(entries), entries.offset * width)
        table = np.ones(len(entries) + MORE_ENTRIES, np.bool_)
        for compare, value in self.comparisons:
            table[: len(entries)] &= compare(values, value)
        table[-1] = not self.column.nullable
        return table.view(np.uint8)


def _comparisons(parts: list[Expr]) -> tuple[Comparison, ...] | None:
    """Comparisons of whole numbers with constants, if there is nothing else."""
    made = []
    for part in parts:
        match part:
            case Call(function, (Column(type=type_), Literal(int(value)))) if (
                function in _COMPARE and type_ in _WHOLE
            ):
                made.append((_COMPARE[function], value))
            case _:
                return None
    return tuple(made)


def early_filters(plan: Sink) -> tuple[Expr, ...]:
    """What may leave rows out before the plan sees them.

    Not what comes behind a filter that can fail: it would hide the failure. That filter itself
    might fail on an entry of a dictionary that no row has.
    """
    pipeline = cut(plan)[0]
    program = flatten_projection(pipeline) if isinstance(pipeline.end, Sink) else flatten(pipeline)
    parts = [part for filter_ in program.filters for part in conjuncts(filter_)]
    end = next((place for place, part in enumerate(parts) if part.can_fail), len(parts))
    return tuple(parts[:end])


def code_filters(filters: tuple[Expr, ...], schema: Schema) -> list[CodeFilter]:
    """The filters on one column of a schema each, those on the same column together."""
    return _kept(filters, schema, threading.get_ident())


@lru_cache(maxsize=64)
def _kept(filters: tuple[Expr, ...], schema: Schema, thread: int) -> list[CodeFilter]:
    """Made once for each thread of a worker: checking what has a native form takes a while."""
    by_column: dict[str, list[Expr]] = {}
    for part in filters:
        read = part.columns()
        if len(read) == 1 and read <= set(schema.names):
            by_column.setdefault(next(iter(read)), []).append(part)
    made = []
    for name, parts in by_column.items():
        projection = _projection(schema[name], parts)
        if projection is not None:
            made.append(CodeFilter(schema[name], projection, _comparisons(parts)))
    return made


def _projection(field: Field, parts: list[Expr]) -> Projection | None:
    """Whether a value passes; None if that has no native form."""
    named = (Named(PASSED, conjunction(tuple(parts))),)
    output = Schema(tuple(one.field for one in named))
    try:
        return Projection(ProjectionProgram(Schema((field,)), (), named, output))
    except UnsupportedPlan:
        return None
