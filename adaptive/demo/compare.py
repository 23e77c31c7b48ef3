"""Comparison of two results of one stream query, row by row and batch by batch."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow as pa

BATCH = "batch"
_MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many rows each side has, and the rows that only one side has."""

    expected_rows: int
    found_rows: int
    missing: tuple[str, ...] = ()  # examples of rows that only the expected side has
    surplus: tuple[str, ...] = ()  # examples of rows that only the found side has

    @property
    def identical(self) -> bool:
        """Whether both sides have exactly the same rows in the same batches."""
        return self.expected_rows == self.found_rows and not (self.missing or self.surplus)


def in_batch(number: int, rows: pa.Table) -> pa.Table:
    """The rows of one micro-batch, with its number in front."""
    return rows.add_column(0, BATCH, pa.array([number] * rows.num_rows, pa.int64()))


def compare(expected: pa.Table, found: pa.Table) -> Comparison:
    """Compare as multisets: a stream's rows have no order within a batch."""
    counts = (expected.num_rows, found.num_rows)
    if expected.schema.equals(found.schema) and _sorted(expected).equals(_sorted(found)):
        return Comparison(*counts)
    left, right = _as_counter(expected), _as_counter(found)
    return Comparison(*counts, _examples(left - right), _examples(right - left))


def _sorted(table: pa.Table) -> pa.Table:
    order = [(name, "ascending") for name in table.column_names]
    return table.sort_by(order).combine_chunks()


def _as_counter(table: pa.Table) -> Counter[str]:
    """Rows as text with types, so that 1 and 1.0 differ."""
    names = [f"{field.name}: {field.type}" for field in table.schema]
    columns = [column.to_pylist() for column in table.columns]
    rows = zip(*columns, strict=True)
    return Counter(
        ", ".join(f"{name} = {value}" for name, value in zip(names, row, strict=True))
        for row in rows
    )


def _examples(rows: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(rows.elements())[:_MOST_EXAMPLES])
