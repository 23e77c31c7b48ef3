"""Columns that have one value in all rows of a file: those of partitioned directories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

import ir
from adaptive.runtime.binding import arrow_type
from adaptive.scan.conversion import converted
from adaptive.scan.footer import Span
from adaptive.scan.parquet import OpenParquet
from ir import Schema


@dataclass
class ConstantColumns:
    """Puts constant columns among those of the batches of a file."""

    schema: Schema  # of what comes out
    values: Mapping[str, pa.Scalar]
    _columns: dict[str, pa.Array] = field(default_factory=dict, init=False)

    def completed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with all columns of the schema, in its order."""
        if not self.values:
            return batch
        arrays = [
            self._column(wanted, batch.num_rows)
            if wanted.name in self.values
            else batch.column(wanted.name)
            for wanted in self.schema
        ]
        return pa.RecordBatch.from_arrays(arrays, names=list(self.schema.names))

    def _column(self, wanted: ir.Field, rows: int) -> pa.Array:
        """A column of one value, made once for the largest batch so far."""
        there = self._columns.get(wanted.name)
        if there is None or len(there) < rows:
            there = repeated(self.values[wanted.name], rows, wanted.type)
            self._columns[wanted.name] = there
        return there.slice(0, rows)


def repeated(value: pa.Scalar, rows: int, type_: ir.DataType) -> pa.Array:
    """A column of one value; a text is one entry of a dictionary, and its codes."""
    if not value.is_valid:
        return pa.nulls(rows, arrow_type(type_))
    one = pa.array([value.as_py()], value.type)
    if type_ is ir.STRING:
        codes = pa.array(np.zeros(rows, np.int32))
        return pa.DictionaryArray.from_arrays(codes, one.cast(pa.string()))
    return converted(one, type_).take(pa.array(np.zeros(rows, np.int32)))


@dataclass(frozen=True)
class CompletedParquet:
    """An open file whose batches have constant columns as well."""

    file: OpenParquet
    constants: ConstantColumns

    def spans(self, column: str) -> list[tuple[int, Span | None]]:
        """As the file's; a constant column has none."""
        return self.file.spans(column)

    def batches(
        self, groups: Sequence[int] | None = None, constants: Mapping[str, int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """As the file's, completed."""
        return map(self.constants.completed, self.file.batches(groups, constants))
