"""What host and generated readers of text share: the columns that they fill, and why they leave."""

from __future__ import annotations

import ctypes
from enum import IntEnum

from codegen_llvm.abi import words

# Generated code reads words and vectors beyond the end of a text, so far at most.
PADDING = 64


class TextExit(IntEnum):
    """Why a reader of records returned; `at` is where the next record begins."""

    DONE = 0  # no record begins before `end`
    ROWS_FULL = 1  # no room for another row
    ODD_FULL = 2  # no room for another odd record
    STRINGS_FULL = 3  # the column `detail` has no room for another string


@words
class TextColumn(ctypes.Structure):
    """One column that a reader fills.

    Strings go into a dictionary (codes in `values`) or, if `is_plain`, one after another;
    in either case `offsets` has where each begins in `bytes`.
    """

    values: int  # address, one for each row; of a plain string column unused
    valid: int  # address, a byte for each row
    is_plain: int
    offsets: int  # address, int32
    bytes: int  # address
    capacity: int  # of `bytes`
    table: int  # address, int32: code + 1 of the entry at a hash, 0 if there is none
    mask: int  # of the table's slots
    entries: int  # in the dictionary
    most_entries: int
    # Of timestamps: the day that was read last. Two words of its text, which overlap, and the
    # microsecond with which it begins.
    day_head: int
    day_tail: int
    day_us: int


@words
class TextArgs(ctypes.Structure):
    """A call of a reader of records."""

    at: int  # in and out: address of the next record
    end: int  # address; behind it is a line feed and padding
    row: int  # in and out: rows so far
    most_rows: int
    odd: int  # address: pairs of addresses, begin and end of records that are left to the host
    odd_count: int  # in and out: there is room for one more when a reader is called
    most_odd: int
    columns: int  # address of the TextColumns
    scratch: int  # address of as many bytes as the block has, for strings with escapes
    detail: int  # out
    missed: int  # in and out: records that were not of the likely form
