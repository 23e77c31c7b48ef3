"""Text files in blocks of whole lines, decompressed, with the padding that generated code needs."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from adaptive.scan.errors import UNREADABLE, ScanError
from adaptive.scan.pieces import Piece
from adaptive.scan.storage import Storage
from codegen_llvm.text_abi import PADDING

# With 1 MB and batches of 64 K rows, a scan of YSB lines took 40 ns a row, with 256 K rows 45;
# with blocks of 4 MB 48 and 52, of 256 KB 46 and 50: a block and a batch have to fit the cache.
BLOCK_BYTES = 1024 * 1024
_SPARE: list[bytearray] = []  # memory of a block that is read, for the next file
_LARGEST_BLOCK = 1 << 30
_UTF8_MARK = b"\xef\xbb\xbf"


class _Raw:
    """The bytes of a file as they are."""

    def __init__(self, file: pa.NativeFile) -> None:
        self._file = file

    def readinto(self, room: memoryview) -> int:
        return int(self._file.readinto(room))


# By the end of a file's name, as Hadoop finds its codecs.
CODECS: dict[str, Callable[[pa.NativeFile], Any]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".bz2": lambda file: bz2.BZ2File(file),
    ".zst": lambda file: pa.CompressedInputStream(file, "zstd"),
}
# Hadoop has codecs for these too, in formats of its own.
_OTHER_CODECS = (".snappy", ".lz4", ".lzo", ".deflate", ".xz", ".passthrough")


@dataclass
class Block:
    """Lines in memory: `size` bytes from the start on, then a line feed and padding."""

    memory: bytearray
    size: int
    is_first: bool  # of its file

    @property
    def address(self) -> int:
        """Where the lines begin."""
        return int(np.frombuffer(self.memory, np.uint8).ctypes.data)

    def __post_init__(self) -> None:
        self.memory[self.size] = ord("\n")


def is_compressed(path: str) -> bool:
    """Whether Spark reads a file through a codec, so that it cannot be cut."""
    return path.endswith((*CODECS, *_OTHER_CODECS))


def line_blocks(storage: Storage, piece: Piece) -> Iterator[Block]:
    """The lines that begin in a piece, in blocks that are overwritten by the next one."""
    if is_compressed(piece.path):
        # Rows of such a file begin at its first byte, whatever its pieces are.
        yield from _decompressed(storage, piece) if piece.start == 0 else ()
        return
    with storage.open(piece.path) as file:
        begin = _first_line(file, piece.start)
        file.seek(begin)
        end = None if piece.length is None else piece.start + piece.length
        if end is None or begin < end:
            yield from _Lines(_Raw(file), begin, end).blocks()


def _decompressed(storage: Storage, piece: Piece) -> Iterator[Block]:
    suffix = piece.path[piece.path.rindex(".") :]
    if suffix not in CODECS:
        raise ScanError(
            UNREADABLE,
            piece.path,
            f"files that end with {suffix} are read by Spark alone;"
            f' compress them otherwise ({", ".join(CODECS)}), or use mode="off"',
        )
    with storage.open(piece.path) as file:
        try:
            yield from _Lines(CODECS[suffix](file), 0, None).blocks()
        except (EOFError, zlib.error, OSError, pa.ArrowException) as error:
            raise ScanError(UNREADABLE, piece.path, f"cannot be decompressed: {error}") from error


def _first_line(file: pa.NativeFile, start: int) -> int:
    """Where the first line begins that begins at this byte or behind it."""
    if start == 0:
        return 0
    file.seek(start - 1)
    place = start - 1
    while chunk := file.read(64 * 1024):
        ends = [at for at in (chunk.find(b"\n"), chunk.find(b"\r")) if at >= 0]
        if ends:
            end = place + min(ends)
            file.seek(end)
            return int(end + (2 if file.read(2) == b"\r\n" else 1))
        place += len(chunk)
    return place


def _new_memory() -> bytearray:
    """Of one block; to clear new memory takes 0.5 ms."""
    return _SPARE.pop() if _SPARE else bytearray(BLOCK_BYTES + PADDING)


@dataclass
class _Lines:
    """Reads blocks that end where a line does, up to the line over the end of the piece."""

    source: Any
    place: int  # in the file, of the first byte of the block
    end: int | None
    used: int = 0
    memory: bytearray = field(default_factory=_new_memory)

    def blocks(self) -> Iterator[Block]:
        try:
            yield from self._blocks()
        finally:
            _SPARE[:] = [self.memory] if len(self.memory) == BLOCK_BYTES + PADDING else []

    def _blocks(self) -> Iterator[Block]:
        is_first = self.place == 0
        while True:
            read = self._fill()
            cut = self._cut(at_end=not read)
            if cut is None:
                self._grow()
                continue
            if is_first and self.memory.startswith(_UTF8_MARK):
                self.memory[:3] = b"\n\n\n"  # empty lines are no records
            saved = self.memory[cut : cut + 1]  # the block ends with a line feed of its own
            if cut:
                yield Block(self.memory, cut, is_first)
            is_first = False
            self.memory[cut : cut + 1] = saved
            if not read or (self.end is not None and self.place + cut >= self.end):
                return
            self.memory[: self.used - cut] = self.memory[cut : self.used]
            self.place, self.used = self.place + cut, self.used - cut

    def _fill(self) -> bool:
        """Read until the memory is full; whether there was anything."""
        begin, room = self.used, len(self.memory) - PADDING
        with memoryview(self.memory) as view:
            while self.used < room:
                count = self.source.readinto(view[self.used : room])
                if not count:
                    break
                self.used += count
        return self.used > begin

    def _cut(self, *, at_end: bool) -> int | None:
        """How many bytes are whole lines of the piece; None if the first one is not over."""
        if self.end is not None and self.place + self.used >= self.end:
            last = max(0, self.end - 1 - self.place)
            ends = [
                at
                for at in (
                    self.memory.find(b"\n", last, self.used),
                    self.memory.find(b"\r", last, self.used),
                )
                if at >= 0
            ]
            if ends:
                return min(ends) + 1
        if at_end:
            return self.used
        last = self.memory.rfind(b"\n", 0, self.used)
        # Not before that: most files have none, and to look through all of a block takes 1.5 ns
        # of the 9.5 ns that a line of 93 bytes takes to be read.
        last = max(last, self.memory.rfind(b"\r", last + 1, self.used))
        return None if last < 0 else last + 1

    def _grow(self) -> None:
        if len(self.memory) > _LARGEST_BLOCK:
            raise MemoryError("a line has more than a gigabyte")
        self.memory.extend(bytes(len(self.memory)))
