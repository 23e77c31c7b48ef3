"""Whether filters without an aggregate are worth it: what they keep of a few rows of the files.

Rows that pass have to go from Python to the JVM, which costs more than Spark's own way. With
Parquet decoded late, 1 row in 100 of four columns (YSB) took Spark 2.9 times as long, five filters
over five columns 3.4 times (100 million rows, 2 cores of an AMD EPYC). Fewer columns have not been
measured since; before, there was no gain with two. Spark leaves out row groups by their
statistics. What a query is like is found out when it is made, because a plan does not change while
a stream runs; what an earlier run has shown (`row_verdict.py`) goes before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from py4j.protocol import Py4JJavaError

from adaptive.explain import StaysInSpark
from adaptive.runtime import Projection
from adaptive.scan import Piece, ScanError
from adaptive.spark.catalyst import Catalyst, seq
from adaptive.spark.file_rows import SCANS, TaskSettings
from adaptive.spark.listing import file_index
from adaptive.spark.row_verdict import MOST_KEPT
from adaptive.spark.sources import FileSource
from ir import STRING, Call, Column, EvaluationError, Expr, Field, Named, ProjectionProgram, Schema
from ir.intervals import prove

SAMPLED_ROWS = 65_536  # of each place: the beginning and the last third of three files
LEAST_COLUMNS = 4
ADVICE = 'mode="always" takes it over all the same'


@dataclass(frozen=True, slots=True)
class Sample:
    """Some rows of the files: how many there are, how many pass each filter, and how many all."""

    rows: int
    passed: tuple[int, ...]
    kept: int
    is_everywhere: bool  # some rows pass in each of the places

    @property
    def share(self) -> float:
        """The share of rows that pass all filters."""
        return self.kept / max(1, self.rows)

    def describe(self) -> str:
        """The sample in words."""
        return f"{self.share:.1%} of a sample of {self.rows:,} rows"


def take_sample(cx: Catalyst, source: FileSource, filters: Sequence[Expr]) -> Sample:
    """What filters keep of a few rows of the files that are there now."""
    tested = [part for part in filters if part.columns().isdisjoint(source.partitions)]
    if any(prove(part, {}).can_fail for part in tested):
        tested = []
    if not tested:
        raise StaysInSpark(
            "no filter can be tried on a few rows beforehand: none reads columns of the files, or"
            " one can fail; use try_ forms"
        )
    masks: list[list[np.ndarray]] = []
    try:
        for piece in _some_pieces(cx, source):
            masks += _tested(source, piece, tested)
    except (ScanError, FileNotFoundError, EvaluationError) as error:
        raise StaysInSpark(f"the filters could not be tried on a few rows: {error}") from error
    if not masks:
        raise StaysInSpark(
            "there are no rows yet on which the filters could be tried; start it again when there"
            f" are some, or {ADVICE}, and what its first rows show decides the next time"
        )
    kept = [int(np.logical_and.reduce(parts).sum()) for parts in masks]
    passed = [sum(int(mask.sum()) for mask in parts) for parts in zip(*masks, strict=True)]
    rows = sum(len(parts[0]) for parts in masks)
    return Sample(rows, tuple(passed), sum(kept), all(kept))


def ordered(filters: Sequence[Expr], sample: Sample) -> list[Expr]:
    """The filters so that those that drop much for little come first; none of them can fail."""
    if len(sample.passed) != len(filters) or any(prove(part, {}).can_fail for part in filters):
        return list(filters)

    def gain(position: int) -> float:
        dropped = 1 - sample.passed[position] / max(1, sample.rows)
        cost = sum(isinstance(node, Call) for node in filters[position].walk()) + 1
        return dropped / cost

    return [filters[i] for i in sorted(range(len(filters)), key=gain, reverse=True)]


def refuse_little(sample: Sample) -> None:
    """Raise if too many rows pass, or Spark may pass over whole files."""
    if sample.share > MOST_KEPT:
        raise StaysInSpark(
            f"the filters keep {sample.describe()}, and moving more than {MOST_KEPT:.0%} of them"
            f" costs more than native filters save; {ADVICE}"
        )
    if not sample.is_everywhere:
        raise StaysInSpark(
            f"in some places of the files no row passes, and Spark may leave those out; {ADVICE}"
        )


def refuse_few_columns(filters: Sequence[Expr], columns: int) -> None:
    """Raise if so few columns are read that there is nothing to gain."""
    if columns < LEAST_COLUMNS and not any(_computes_text(part) for part in filters):
        raise StaysInSpark(
            f"filters over fewer than {LEAST_COLUMNS} columns that compute nothing with texts are"
            f" as fast in Spark; {ADVICE}"
        )


def _computes_text(expr: Expr) -> bool:
    """Whether an expression does more with texts than compare them."""
    return any(
        isinstance(node, Call)
        and node.function not in ("eq", "ne", "is_null", "is_not_null")
        and any(arg.type is STRING for arg in node.args)
        for node in expr.walk()
    )


def _some_pieces(cx: Catalyst, source: FileSource) -> list[Piece]:
    """Two places in each of three files."""
    try:
        files = [file for file in seq(file_index(cx, source).allFiles()) if int(file.getLen())]
    except Py4JJavaError:
        return []  # no such folder yet
    chosen = sorted({0, len(files) // 2, len(files) - 1}) if files else []
    pieces = []
    for position in chosen:
        path, size = str(files[position].getPath().toString()), int(files[position].getLen())
        third = size * 2 // 3
        pieces += [Piece(path, 0, third), Piece(path, third)]
    return pieces


def _tested(source: FileSource, piece: Piece, filters: Sequence[Expr]) -> list[list[np.ndarray]]:
    """Which rows of the beginning of a piece pass each filter."""
    read = {
        node.name: node.type for expr in filters for node in expr.walk() if isinstance(node, Column)
    }
    schema = Schema(tuple(Field(name, type_) for name, type_ in read.items()))
    named = tuple(Named(f"p{i}", part) for i, part in enumerate(filters))
    output = Schema(tuple(one.field for one in named))
    projection = Projection(ProjectionProgram(schema, (), named, output))
    scan = SCANS[source.format](schema, TaskSettings(source.options, source.storage))
    for batch in scan.read(piece):
        made = projection.run(batch.slice(0, SAMPLED_ROWS))
        return [[_mask(column) for column in made.columns]]
    return []


def _mask(column: pa.Array) -> np.ndarray:
    return np.asarray(column.fill_null(False).to_numpy(zero_copy_only=False))
