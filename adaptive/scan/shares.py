"""The files of a micro-batch, dealt out to tasks that all see the same listing.

The bytes of all files, one file behind the other, are cut into ranges of equal
size, one for each task. So few files are cut, each at a few places, and tasks are
equal whatever the sizes of the files are. No task asks another: each computes the
same ranges from the same listing and takes its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adaptive.scan.pieces import Piece

# Bytes that one can only read from the first one on.
_COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate", ".br")
# Formats that compress within the file, whatever its name is.
_ALWAYS_CUT = ("parquet", "arrow")


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file and the size that the listing gave it, the same in all tasks."""

    path: str
    size: int


@dataclass(frozen=True, slots=True)
class Share:
    """One of the tasks that a listing is dealt out to."""

    number: int
    count: int
    least_bytes: int  # less is not worth a task

    def pieces(self, files: Sequence[ListedFile], format_: str) -> Iterator[tuple[int, Piece]]:
        """The pieces for this task, each with the position of its file in the listing."""
        total = sum(file.size for file in files)
        count = max(1, min(self.count, -(-total // self.least_bytes)))
        if self.number >= count:
            return
        low, high = (total * n // count for n in (self.number, self.number + 1))
        begin = 0
        for position in sorted(range(len(files)), key=lambda p: files[p].path):
            file = files[position]
            piece = _part(file, low - begin, high - begin, can_be_cut(file.path, format_))
            if high == total and begin == total:  # an empty file behind all others
                piece = Piece(file.path)
            if piece is not None:
                yield position, piece
            begin += file.size


def can_be_cut(path: str, format_: str) -> bool:
    """Whether a scan can begin within the file."""
    return format_ in _ALWAYS_CUT or not path.lower().endswith(_COMPRESSED)


def _part(file: ListedFile, low: int, high: int, cut: bool) -> Piece | None:
    """What of a file lies between two positions, which may be outside of it.

    The last piece has no end: the file may be longer than the listing says.
    """
    if not cut or file.size == 0:
        return Piece(file.path) if low <= file.size // 2 < high else None
    start, end = max(low, 0), min(high, file.size)
    if start >= end:
        return None
    return Piece(file.path, start, None if end == file.size else end - start)
