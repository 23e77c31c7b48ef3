"""Row groups in which no row can pass the filters, by what the footer tells of their values.

Spark's own reader leaves them out too. Only whole numbers, dates and times are
looked at: their least and greatest values in a footer are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow.parquet as pq

import ir
from ir import Call, Column, Expr, Literal, Sink
from ir.expr import conjuncts
from ir.pipelines import cut, flatten, flatten_projection

_EXACT = (ir.INT8, ir.INT16, ir.INT32, ir.INT64, ir.DATE, ir.TIMESTAMP)
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq"}
_PHYSICAL = ("INT32", "INT64")


@dataclass(frozen=True, slots=True)
class Range:
    """What a column must be for a row to pass: not null, and between two values, if there are."""

    column: str
    low: int | None = None
    high: int | None = None

    def excludes(self, chunk: pq.ColumnChunkMetaData) -> bool:
        """Whether no value of a row group is in the range."""
        statistics = chunk.statistics
        if statistics is None:
            return False
        if statistics.has_null_count and statistics.null_count == chunk.num_values:
            return True
        if chunk.physical_type not in _PHYSICAL or not statistics.has_min_max:
            return False
        least, greatest = int(statistics.min_raw), int(statistics.max_raw)
        below = self.low is not None and greatest < self.low
        return below or (self.high is not None and least > self.high)


def needed_ranges(plan: Sink) -> tuple[Range, ...]:
    """Ranges that every row is in that passes the filters of a plan."""
    pipeline = cut(plan)[0]
    program = flatten_projection(pipeline) if isinstance(pipeline.end, Sink) else flatten(pipeline)
    return tuple(_ranges(part for filter_ in program.filters for part in conjuncts(filter_)))


def _ranges(predicates: Iterable[Expr]) -> Iterator[Range]:
    for predicate in predicates:
        if not isinstance(predicate, Call):
            continue
        column, *others = predicate.args
        function = predicate.function
        if isinstance(column, Literal) and function in _MIRRORED:
            column, others, function = others[0], [column], _MIRRORED[function]
        if not isinstance(column, Column) or column.type not in _EXACT:
            continue
        values = [other.value for other in others if isinstance(other, Literal)]
        if len(values) == len(others):
            found = _range(column.name, function, [v for v in values if isinstance(v, int)])
            if found is not None and None not in values:
                yield found


def _range(column: str, function: str, values: list[int]) -> Range | None:
    match function, values:
        case "is_not_null", []:
            return Range(column)
        case "eq", [value]:
            return Range(column, value, value)
        case "ge", [value]:
            return Range(column, low=value)
        case "gt", [value]:
            return Range(column, low=value + 1)
        case "le", [value]:
            return Range(column, high=value)
        case "lt", [value]:
            return Range(column, high=value - 1)
        case "between", [low, high]:
            return Range(column, low, high)
        case "in", [_, *_]:
            return Range(column, min(values), max(values))
    return None
