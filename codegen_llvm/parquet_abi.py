"""What host and generated code share of Parquet: pages, reads of columns, and why they give up."""

from __future__ import annotations

import ctypes
from enum import IntEnum

from codegen_llvm.abi import words

# Generated code reads and writes words beyond the end of a page, so far at most.
PAGE_PADDING = 64
# What a page needs for each row if some are null: for values, for whether there is one, and for
# codes on their way.
ROOM_FOR_A_ROW = 8 + 1 + 4


class PageProblem(IntEnum):
    """What a reader of pages returns where it gives up; other numbers are counts."""

    BROKEN = -1  # not what the format allows, or not what the header says
    UNKNOWN = -2  # something that only pyarrow reads


class PageForm(IntEnum):
    """How the values of an open page lie in memory."""

    CLOSED = 0
    RUNS = 1  # codes of a dictionary, as runs of bits and of repetitions; one for each row
    CODES = 2  # codes of a dictionary as int32, one for each row
    VALUES = 3  # values of fixed width, one for each row; for a text the address of its length


# Words of a page header: the fields of the header by their numbers, then those of the header
# for the kind of page, by theirs. The word 0, which no field has, is where the page begins.
HEADER_WORDS = 32
INNER = 16
MISSING = -1


@words
class Page(ctypes.Structure):
    """A data page of a column without nesting, in the order of the rows of its chunk."""

    first_row: int  # in the chunk
    rows: int
    source: int  # address in the file's bytes
    source_size: int
    levels_size: int  # of levels in front that are never compressed, or MISSING in old pages
    is_snappy: int  # 0: what is at the source is not compressed
    has_codes: int
    has_levels: int  # whether values may be null
    element: int  # width of values in bytes; 0 for texts
    dictionary_size: int
    room: int  # address, for `size` bytes and padding
    spread: int  # address, for ROOM_FOR_A_ROW and three paddings: used where some rows are null
    size: int  # of the page when it is decompressed
    form: int  # out, like all that follows: a PageForm
    values: int  # address
    values_end: int  # address
    width: int  # of codes in bits
    present: int  # values that are not null
    valid: int  # address, a byte for each row; only where some are null


@words
class ColumnRead(ctypes.Structure):
    """A call that reads rows of a column.

    A dictionary has two more entries than values: one for codes that it does not have, one
    for null.
    """

    pages: int  # address
    count: int  # of pages
    begin: int  # rows of the chunk
    end: int
    selection: int  # address, int32: which of these rows, in order
    selected: int  # how many
    dictionary: int  # address of what codes stand for
    dictionary_size: int
    out: int  # address
    opener: int  # address of the function that opens pages
    has_nulls: int  # out: whether a page that was read has nulls


@words
class ChunkLayout(ctypes.Structure):
    """A call that makes pages of page headers."""

    headers: int  # address
    count: int
    source: int  # address of the file's bytes
    rows: int
    most_bytes: int  # of all pages, decompressed
    is_compressed: int
    is_nullable: int
    has_dictionary: int
    dictionary_size: int
    element: int
    pages: int  # address; `room` and `spread` are numbers of bytes from the beginning of either
    room: int  # out: bytes in all
    spread: int  # out: bytes in all
    has_codes: int  # out: whether all pages have
