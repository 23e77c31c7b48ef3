"""Whether filters without an aggregate are worth it: what they keep of a few rows of the files.

Rows that pass have to go from Python to the JVM, which costs more than Spark's own filter. So
native filters pay where few rows pass. That is found out when the query is made, because a
plan does not change while a stream runs.
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
from adaptive.spark.sources import FileSource
from ir import Call, Column, EvaluationError, Expr, Field, Named, ProjectionProgram, Schema

SAMPLED_FILES = 3  # the first, the last and one between
SAMPLED_ROWS = 65_536  # of each
MOST_KEPT = 0.2


@dataclass(frozen=True, slots=True)
class Sample:
    """Some rows of the files: how many there are, how many pass each filter, and how many all."""

    rows: int
    passed: tuple[int, ...]
    kept: int

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
    if any(part.can_fail for part in tested):
        tested = []
    if not tested:
        raise StaysInSpark(
            "no filter can be tried on a few rows beforehand: none reads columns of the files, or"
            " one can fail; use try_ forms"
        )
    masks: list[list[np.ndarray]] = []
    try:
        for path in _some_paths(cx, source):
            masks += _tested(source, path, tested)
    except (ScanError, FileNotFoundError, EvaluationError) as error:
        raise StaysInSpark(f"the filters could not be tried on a few rows: {error}") from error
    if not masks:
        raise StaysInSpark("there are no rows yet on which the filters could be tried")
    whole = [np.concatenate(parts) for parts in zip(*masks, strict=True)]
    kept = int(np.logical_and.reduce(whole).sum())
    return Sample(len(whole[0]), tuple(int(mask.sum()) for mask in whole), kept)


def ordered(filters: Sequence[Expr], sample: Sample) -> list[Expr]:
    """The filters so that those that drop much for little come first; none of them can fail."""
    if len(sample.passed) != len(filters) or any(part.can_fail for part in filters):
        return list(filters)

    def gain(position: int) -> float:
        dropped = 1 - sample.passed[position] / max(1, sample.rows)
        cost = sum(isinstance(node, Call) for node in filters[position].walk()) + 1
        return dropped / cost

    return [filters[i] for i in sorted(range(len(filters)), key=gain, reverse=True)]


def refuse_many(sample: Sample) -> None:
    """Raise if too many rows pass."""
    if sample.share > MOST_KEPT:
        raise StaysInSpark(
            f"the filters keep {sample.describe()}, and moving more than {MOST_KEPT:.0%} of them"
            ' costs more than native filters save; mode="always" moves them all the same'
        )


def _some_paths(cx: Catalyst, source: FileSource) -> list[str]:
    try:
        files = seq(file_index(cx, source).allFiles())
    except Py4JJavaError:
        return []  # no such folder yet
    paths = [str(file.getPath().toString()) for file in files if int(file.getLen())]
    chosen = {0, len(paths) // 2, len(paths) - 1} if paths else set()
    return [paths[position] for position in sorted(chosen)][:SAMPLED_FILES]


def _tested(source: FileSource, path: str, filters: Sequence[Expr]) -> list[list[np.ndarray]]:
    """Which rows of the beginning of a file pass each filter."""
    read = {
        node.name: node.type for expr in filters for node in expr.walk() if isinstance(node, Column)
    }
    schema = Schema(tuple(Field(name, type_) for name, type_ in read.items()))
    named = tuple(Named(f"p{i}", part) for i, part in enumerate(filters))
    output = Schema(tuple(one.field for one in named))
    projection = Projection(ProjectionProgram(schema, (), named, output))
    scan = SCANS[source.format](schema, TaskSettings(source.options, source.storage))
    for batch in scan.read(Piece(path)):
        made = projection.run(batch.slice(0, SAMPLED_ROWS))
        return [[_mask(column) for column in made.columns]]
    return []


def _mask(column: pa.Array) -> np.ndarray:
    return np.asarray(column.fill_null(False).to_numpy(zero_copy_only=False))
