"""A column of a row group as it lies in the file: pages, of which only the needed are opened."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from codegen_llvm.parquet_abi import (
    HEADER_WORDS,
    PAGE_PADDING,
    ChunkLayout,
    ColumnRead,
    Page,
    PageProblem,
)
from codegen_llvm.parquet_columns import parquet_code, read_column
from codegen_llvm.parquet_layout import (
    BODY,
    DICTIONARY_PAGE,
    KIND,
    OLD_ENCODING,
    PLAIN,
    PLAIN_DICTIONARY,
    SIZE,
    STORED_SIZE,
    VALUES,
)

_PAGE = {name: place for place, (name, _) in enumerate(Page._fields_)}  # type: ignore[misc]
_HEADERS_AT_ONCE = 64
# Pages of other codecs are decompressed by pyarrow, one call for each.
CODECS = {
    "UNCOMPRESSED": None,
    "SNAPPY": "snappy",
    "GZIP": "gzip",
    "ZSTD": "zstd",
    "BROTLI": "brotli",
}
# Beyond what a dictionary has: an entry for a code that is not there, and one for null.
MORE_ENTRIES = 2


class UnknownPages(Exception):
    """Something of a column chunk that only pyarrow reads; nothing is wrong with it."""


class BrokenPages(Exception):
    """Bytes that are not what they should be."""


@dataclass
class Room:
    """Memory that is used again for the next row group, so that it stays in caches."""

    _memory: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8), init=False)

    @property
    def bytes(self) -> int:
        """How much it is."""
        return len(self._memory)

    def take(self, size: int) -> NDArray[np.uint8]:
        """So many bytes and padding; what was taken before is given up."""
        if len(self._memory) < size + PAGE_PADDING:
            self._memory = np.empty(size + size // 4 + PAGE_PADDING, np.uint8)
        return self._memory[: size + PAGE_PADDING]


@dataclass
class ColumnRoom:
    """The memory of one column: for the file's bytes, for opened pages, and for rows of nulls."""

    stored: Room = field(default_factory=Room)
    opened: Room = field(default_factory=Room)
    spread: Room = field(default_factory=Room)

    @property
    def bytes(self) -> int:
        """How much it is."""
        return self.stored.bytes + self.opened.bytes + self.spread.bytes


@dataclass(frozen=True)
class ColumnForm:
    """How a column is kept in all row groups."""

    position: int
    element: int  # bytes of a value; 0 for texts
    is_nullable: bool


class ColumnChunk:
    """The pages of a column in one row group."""

    def __init__(
        self,
        file: pa.NativeFile,
        chunk: pq.ColumnChunkMetaData,
        form: ColumnForm,
        room: ColumnRoom,
    ) -> None:
        if chunk.compression not in CODECS:
            raise UnknownPages(f"codec {chunk.compression}")
        self._code, self.form, self.rows = parquet_code(), form, chunk.num_values
        self._codec = CODECS[chunk.compression]
        self._most_bytes = chunk.total_uncompressed_size
        self._stored = _read(file, chunk, room.stored)
        headers = self._headers(chunk.total_compressed_size)
        self.dictionary_size = 0
        self.has_dictionary = bool(len(headers) and headers[0, KIND] == DICTIONARY_PAGE)
        self._dictionary_room: NDArray[np.uint8] | None = None
        if self.has_dictionary:
            self._open_dictionary(headers[0])
            headers = headers[1:]
        self.pages = self._pages(headers, room)
        self._pending = self._codec not in (None, "snappy")

    # -- headers ------------------------------------------------------------------

    def _headers(self, size: int) -> NDArray[np.int64]:
        most = _HEADERS_AT_ONCE
        while True:
            words = np.empty((most, HEADER_WORDS), np.int64)
            found = self._code.headers(self._stored.ctypes.data, size, words.ctypes.data, most)
            self._check(found)
            if found < most:
                return words[:found]
            most *= 4

    def _check(self, found: int) -> int:
        if found == PageProblem.UNKNOWN:
            raise UnknownPages("a page header that is not known")
        if found < 0:
            raise BrokenPages("a page is not what its header says")
        return found

    def _pages(self, headers: NDArray[np.int64], room: ColumnRoom) -> NDArray[np.int64]:
        """What generated code needs of each page."""
        pages = np.zeros((len(headers), len(_PAGE)), np.int64)
        layout = ChunkLayout(
            headers.ctypes.data,
            len(headers),
            self._stored.ctypes.data,
            self.rows,
            self._most_bytes,
            self._codec is not None,
            self.form.is_nullable,
            self.has_dictionary,
            self.dictionary_size,
            self.form.element,
            pages.ctypes.data,
        )
        self._check(self._code.layout(ctypes.addressof(layout)))
        self.has_codes = layout.has_codes != 0
        self._opened, self._spread = room.opened.take(layout.room), room.spread.take(layout.spread)
        pages[:, _PAGE["room"]] += self._opened.ctypes.data
        pages[:, _PAGE["spread"]] += self._spread.ctypes.data
        return pages

    # -- the dictionary -------------------------------------------------------------

    def _open_dictionary(self, header: NDArray[np.int64]) -> None:
        """Its entries: values, or for texts the addresses of their lengths."""
        count, encoding, size = (int(header[w]) for w in (VALUES, OLD_ENCODING, SIZE))
        if encoding not in (PLAIN, PLAIN_DICTIONARY):
            raise UnknownPages("an encoding of dictionaries that is not known")
        if count < 0 or size < 0 or max(count, size) > self._most_bytes:
            raise BrokenPages("a dictionary of a size that cannot be")
        body, stored = int(header[BODY]), int(header[STORED_SIZE])
        memory = self._decompressed(body, stored, size)
        self._dictionary_room, self.dictionary_size = memory, count
        width = self.form.element or 8
        self.entries = np.zeros((count + MORE_ENTRIES) * width, np.uint8)
        if self.form.element:
            if size < count * width:
                raise BrokenPages("a dictionary has fewer values than its header says")
            self.entries[: count * width] = memory[: count * width]
            return
        begin = memory.ctypes.data
        self._check(self._code.text_index(begin, begin + size, count, self.entries.ctypes.data))

    def _decompressed(self, place: int, stored: int, size: int) -> NDArray[np.uint8]:
        memory = np.empty(size + PAGE_PADDING, np.uint8)
        if self._codec == "snappy":
            address = self._stored.ctypes.data + place
            if self._code.snappy(address, stored, memory.ctypes.data, size):
                raise BrokenPages("a page cannot be decompressed")
            return memory
        memory[:size] = self._unpacked(self._stored[place : place + stored], size)
        return memory

    def _unpacked(self, stored: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
        """Bytes that another codec has packed, or none."""
        if self._codec is None:
            made = stored
        else:
            try:
                codec = pa.Codec(self._codec)
                made = np.frombuffer(codec.decompress(pa.py_buffer(stored), size), np.uint8)
            except (pa.ArrowException, OSError) as error:
                raise BrokenPages(f"a page cannot be decompressed: {error}") from error
        if len(made) != size:
            raise BrokenPages("a page has another size than its header says")
        return made

    def dictionary(self, type_: pa.DataType) -> pa.Array:
        """The entries, in a type whose values have the same bytes."""
        if not self.form.element:
            return self.texts(self.entries.view(np.int64)[: self.dictionary_size], type_)
        return pa.Array.from_buffers(
            type_, self.dictionary_size, [None, pa.py_buffer(self.entries)]
        )

    def texts(self, addresses: NDArray[np.int64], type_: pa.DataType) -> pa.Array:
        """Texts one behind the other; an address of 0 is a null."""
        count = len(addresses)
        offsets = np.empty(count + 1, np.int32)
        place, offsets_place = addresses.ctypes.data, offsets.ctypes.data
        size = self._check(self._code.text_sizes(place, count, offsets_place))
        data = _pooled(size)
        self._code.copy_texts(place, count, offsets_place, data.ctypes.data)
        valid = addresses != 0
        bits = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
        buffers = [bits, pa.py_buffer(offsets), pa.py_buffer(data)]
        return pa.Array.from_buffers(type_, count, buffers)

    # -- rows -----------------------------------------------------------------------

    def select(
        self,
        begin: int,
        end: int,
        table: NDArray[np.uint8],
        out: NDArray[np.int32],
        selected: int | None = None,
    ) -> int:
        """Write which of some rows pass a table of codes; `selected` of them are in `out` already.

        Rows are numbered from `begin` on.
        """
        chosen = None if selected is None else out[:selected]
        return self._run("select", begin, end, chosen, out, table)

    def codes(
        self, begin: int, end: int, chosen: NDArray[np.int32] | None
    ) -> tuple[NDArray[np.int32], NDArray[np.uint8] | None]:
        """Codes of rows, and whether there are values, where that is not all of them."""
        out = _pooled(4 * (end - begin if chosen is None else len(chosen))).view(np.int32)
        self._run("codes", begin, end, chosen, out)
        return out, self._valid(begin, end, chosen)

    def values(
        self, begin: int, end: int, chosen: NDArray[np.int32] | None
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
        """The bytes of values, and whether there are values, where that is not all of them."""
        rows = end - begin if chosen is None else len(chosen)
        width = self.form.element or 8
        out = _pooled(rows * width)
        entries = self.entries if self.has_dictionary else None
        self._run(f"values{width}", begin, end, chosen, out, entries)
        return out, self._valid(begin, end, chosen)

    def _valid(
        self, begin: int, end: int, chosen: NDArray[np.int32] | None
    ) -> NDArray[np.uint8] | None:
        """Of the rows that were read last."""
        if not self._has_nulls:
            return None
        out = np.empty(end - begin if chosen is None else len(chosen), np.uint8)
        self._run("valid", begin, end, chosen, out)
        return out

    def _run(
        self,
        name: str,
        begin: int,
        end: int,
        chosen: NDArray[np.int32] | None,
        out: NDArray[np.uint8] | NDArray[np.int32],
        dictionary: NDArray[np.uint8] | None = None,
    ) -> int:
        first, last = self._range(begin, end)
        if self._pending:
            self._unpack(first, last, begin, chosen)
        read = ColumnRead(
            self.pages[first:].ctypes.data,
            last - first,
            begin,
            end,
            # Of no rows, those chosen are all of them.
            0 if chosen is None else chosen.ctypes.data,
            0 if chosen is None else len(chosen),
            0 if dictionary is None else dictionary.ctypes.data,
            self.dictionary_size,
            out.ctypes.data,
        )
        found = self._check(read_column(name, read))
        self._has_nulls = read.has_nulls != 0
        return found

    def _range(self, begin: int, end: int) -> tuple[int, int]:
        """The pages that have rows of a range."""
        starts = self.pages[:, _PAGE["first_row"]]
        first = int(np.searchsorted(starts, begin, "right")) - 1
        return max(first, 0), int(np.searchsorted(starts, end, "left"))

    def _unpack(self, first: int, last: int, begin: int, chosen: NDArray[np.int32] | None) -> None:
        """Decompress the pages that are needed, where generated code does not know the codec."""
        for page in self.pages[first:last]:
            row = int(page[_PAGE["first_row"]]) - begin
            if not page[_PAGE["is_snappy"]] or not _is_chosen(chosen, row, page):
                continue
            levels = max(0, int(page[_PAGE["levels_size"]]))
            place = int(page[_PAGE["source"]]) - self._stored.ctypes.data
            stored, size = int(page[_PAGE["source_size"]]), int(page[_PAGE["size"]])
            if levels > min(stored, size):
                raise BrokenPages("levels are larger than their page")
            room = int(page[_PAGE["room"]]) - self._opened.ctypes.data
            packed = self._stored[place + levels : place + stored]
            self._opened[room : room + levels] = self._stored[place : place + levels]
            if size > levels:
                made = self._unpacked(packed, size - levels)
                self._opened[room + levels : room + size] = made
            page[_PAGE["source"]], page[_PAGE["source_size"]] = page[_PAGE["room"]], size
            page[_PAGE["is_snappy"]] = 0


def _pooled(size: int) -> NDArray[np.uint8]:
    """Memory of Arrow's pool, which keeps it for the next batch: new memory costs page faults."""
    return np.frombuffer(pa.allocate_buffer(size), np.uint8)


def _is_chosen(chosen: NDArray[np.int32] | None, row: int, page: NDArray[np.int64]) -> bool:
    if chosen is None:
        return True
    low, high = np.searchsorted(chosen, [row, row + int(page[_PAGE["rows"]])])
    return bool(low < high)


def _read(file: pa.NativeFile, chunk: pq.ColumnChunkMetaData, room: Room) -> NDArray[np.uint8]:
    """The bytes of a column chunk."""
    start, size = chunk.data_page_offset, chunk.total_compressed_size
    if chunk.has_dictionary_page and chunk.dictionary_page_offset is not None:
        start = min(start, chunk.dictionary_page_offset) if chunk.dictionary_page_offset else start
    if start < 0 or size < 0 or start + size > file.size():
        raise BrokenPages("the file ends before its pages")
    memory = room.take(size)
    file.seek(start)
    if file.readinto(memory[:size]) != size:
        raise BrokenPages("the file ends before its pages")
    return memory
