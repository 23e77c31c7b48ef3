"""What a task reads of a file, and what reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of bytes of a file; all pieces of a file together give each row once.

    A row is in the piece in which it begins. Which byte that is, is the format's
    business: a row group begins in its middle, as in Spark.
    """

    path: str  # as Spark writes it: `file:/a b` is a local file, and nothing is encoded
    start: int = 0
    length: int | None = None  # to the end of the file

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its file."""
        return self.start == 0 and self.length is None

    def holds(self, position: int) -> bool:
        """Whether what begins at this byte is in the piece."""
        if position < self.start:
            return False
        return self.length is None or position < self.start + self.length


class Scan(Protocol):
    """Reads files of one format as batches of exactly the columns and types of a schema."""

    def read(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        """The rows of a piece; a `ScanError` where Spark would fail."""
        ...
