"""What the row held that an expression failed at: who reads the error has to find that row."""

from __future__ import annotations

import re

import pyarrow as pa

from ir import EvaluationError

_MOST_CHARACTERS = 60  # of a value
_YEAR_10000_US = 253_402_300_800_000_000  # Arrow prints later times wrongly


def with_values(error: EvaluationError, batch: pa.RecordBatch) -> EvaluationError:
    """The same error, with the values of the columns that its expression names."""
    if error.row is None or error.values or not 0 <= error.row < batch.num_rows:
        return error
    named = [name for name in batch.schema.names if _names(error.expression, name)]
    values = ", ".join(f"{name} = {_shown(batch.column(name)[error.row])}" for name in named)
    return EvaluationError(error.condition, error.expression, error.row, values)


def _names(expression: str, column: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(column)}(?!\w)", expression) is not None


def _shown(scalar: pa.Scalar) -> str:
    """A value as it is written in an expression; a long one is cut."""
    if not scalar.is_valid:
        return "null"
    if pa.types.is_timestamp(scalar.type) and abs(scalar.value) < _YEAR_10000_US:
        return str(scalar.cast(pa.string()))
    if pa.types.is_timestamp(scalar.type):
        return str(scalar.value)
    value = scalar.as_py()
    text = repr(value) if isinstance(value, str | bytes) else str(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}..."
