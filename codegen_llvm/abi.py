"""The kernel ABI: every structure that host and generated code share, defined once.

All fields are 64-bit words (integers, or addresses as integers). The ctypes
classes are the definition; generated code takes its byte offsets from them.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import TypeVar

_S = TypeVar("_S", bound=type[ctypes.Structure])


def words(cls: _S) -> _S:
    """Make every annotated name of the class a 64-bit field, in order."""
    cls._fields_ = [(name, ctypes.c_int64) for name in cls.__annotations__]
    return cls


class Exit(IntEnum):
    """Why a kernel returned; the rows before `rows_done` are done, none after it.

    Only an error leaves that open: a filter may fail before rows ahead of it are grouped.
    """

    DONE = 0  # all rows of the range
    GROW_TABLE = 1  # the current table is full
    NEW_SLICE = 2  # no table for the slice that starts at `detail`
    GROW_ARENA = 3  # fewer than `detail` bytes left for strings
    ERROR = 4  # the row fails with the kernel's error number `detail`
    GROW_SCRATCH = 5  # the strings that a row makes need `detail` bytes
    SPILL = 6  # a sum of the row's group would not fit: go on with an empty table
    WINDOW_END = 7  # the last row done has the time `detail`, which closes windows
    GROW_OUTPUT = 8  # the output column `detail` needs `wanted` bytes for its strings
    OUTPUT_FULL = 9  # fewer than `detail` results fit the memory for them
    GROW_NODES = 10  # no slot is left for a further window of a key
    GUARD = 11  # the row is not what the variant assumes: the generic one goes on with it


EXITS = tuple(Exit)  # by their numbers: `Exit(code)` takes two calls


@words
class ColumnBlock(ctypes.Structure):
    """The Arrow buffers of one input column, addressed so that row 0 is the batch's first.

    Bitmaps cannot be addressed by bit, so `bit_offset` is added to row numbers
    for them. A dictionary column has its codes in `data` and its values behind.
    """

    data: int
    offsets: int
    validity: int
    bit_offset: int
    dictionary_data: int
    dictionary_offsets: int
    dictionary_size: int


@words
class ArrowArray(ctypes.Structure):
    """An array of Arrow's C data interface; a batch is one with its columns as children."""

    length: int
    null_count: int
    offset: int
    n_buffers: int
    n_children: int
    buffers: int
    children: int
    dictionary: int
    release: int
    private_data: int


@words
class ColumnForm(ctypes.Structure):
    """Which column of a batch is read, how it lies in memory, and whether it may have nulls."""

    position: int
    form: int
    nullable: int


@words
class TableBlock(ctypes.Structure):
    """A table of groups: `mask + 1` slots, of which at most `limit` may be used.

    Where threads share the slots, each has a block of its own; `whole` counts the groups.
    A dense table has a slot for each key: `span` of them from `low` on, for up to three keys.
    """

    slice_start: int
    slots: int
    mask: int
    shift: int  # 64 - log2(slots): the hash's high bits are the home slot
    count: int
    limit: int
    complete: int  # 1 while no group has a null key or an aggregate without a value
    live: int  # of a window table: the groups that have rows left
    arena_next: int  # the memory for the strings of its groups
    arena_end: int
    whole: int  # the block that counts the groups of slots that threads share
    low0: int
    low1: int
    low2: int
    span0: int
    span1: int
    span2: int
    string_offsets0: int  # of a key that is a code: where its strings begin, and their bytes
    string_offsets1: int
    string_offsets2: int
    strings0: int
    strings1: int
    strings2: int


@words
class PlainColumn(ctypes.Structure):
    """A column that groups are read into: see `codegen_llvm.plain_groups.Source`."""

    source: int
    width: int
    offset: int
    other: int


@words
class PlainRead(ctypes.Structure):
    """Reading all groups of a table into columns of 8-byte-wide or narrower values.

    Columns lie `stride` bytes apart from `target` on; `places` has room for the int32 number of
    each group's slot, and one more.
    """

    slots: int
    slot_count: int
    slot_size: int
    places: int
    columns: int
    column_count: int
    target: int
    stride: int
    start: int  # of the window
    end: int
    low: int  # the key of an array's first slot
    null_bits: int  # of tags: none may be set
    seen_bits: int  # all must be


@words
class DirectoryEntry(ctypes.Structure):
    """A slice and the address of its table; a zero address is an empty entry."""

    slice_start: int
    table: int


@words
class StateBlock(ctypes.Structure):
    """The groups of one pipeline in one thread: a table for each slice."""

    current: int  # the TableBlock in use; every state has one
    directory: int  # DirectoryEntry[directory_mask + 1], open addressing
    directory_mask: int
    directory_shift: int


@words
class KeyedBlock(ctypes.Structure):
    """The session or count windows of one thread; begins as a `StateBlock` does.

    A key's group is a slot of the table. Further slots of the key are nodes: places in one
    piece of memory, told by their distance from its start, which is never 0.
    """

    current: int  # the TableBlock of the keys
    closed_to: int  # windows that end here or before are closed
    lag: int  # how far behind the times of rows `closed_to` stays
    earliest: int  # no open session ends before this
    open: int  # how many sessions are open
    listed: int  # int32[listed_count]: the rows that are to be added, where they were listed before
    listed_count: int
    output: int  # where the next result goes, as a slot
    output_end: int
    nodes: int
    node_next: int  # the first node that was never used
    node_end: int
    node_free: int  # the nodes that were given back, a list; 0 is its end


@words
class SplitBlock(ctypes.Structure):
    """Where the rows of a morsel are listed: row numbers, a list for each part of the keys."""

    rows: int  # int32[parts * room]
    room: int
    counts: int  # int64[parts]: how many each list has
    parts: int


@words
class OutputBlock(ctypes.Structure):
    """The memory for one output column of a projection, with room for all rows of the batch."""

    values: int  # of a fixed width; a bool is a byte
    nulls: int  # a byte for each row: 1 is null; zeros before the kernel runs
    offsets: int  # int32: where each string begins, and the end of the last
    data: int  # the bytes of the strings
    capacity: int
    wanted: int  # out: how much room the strings need, at least


@words
class KernelArgs(ctypes.Structure):
    """The argument block: what to work on, and what came of it."""

    columns: int  # ColumnBlock[]
    lookups: int  # addresses of the dictionary look-up tables
    selection: int  # int32 scratch: the rows of a block that passed, and room behind
    mask: int  # byte scratch: a byte for each row of a block, and room behind
    scratch: int  # bytes for the strings that a row makes; every row starts anew
    scratch_end: int
    state: int  # a StateBlock; of a projection, OutputBlock[]
    row_base: int  # the number of the batch's row 0 in the order of arrival
    row_begin: int
    row_end: int
    rows_done: int  # out: the first row that is not done
    detail: int  # out: depends on the exit
    rows_passed: int  # counted up: rows that passed the filters
    probes: int  # counted up: table slots visited beyond the first
    close_time: int  # leave behind the first row whose time is at least this
    late_before: int  # rows of slices that start before this are late
    rows_late: int  # counted up: rows that passed the filters and were late
    times_known: int  # not 0: the times of all rows are from `time_least` to `time_greatest`
    time_least: int
    time_greatest: int
    translations: int  # addresses, by column: int32, the runtime's code for each code of the batch


def offset_of(block: type[ctypes.Structure], field: str) -> int:
    """The byte offset of a field, for generated code."""
    return int(getattr(block, field).offset)


# A multiplicative (Fibonacci) hash: 2^64 / golden ratio. Host and kernels share it
# because the host enters slices into the directory that kernels search.
HASH_MULTIPLIER = 0x9E3779B97F4A7C15


def hash_word(word: int) -> int:
    """The hash of one integer key, as kernels compute it; unsigned."""
    return (word * HASH_MULTIPLIER) & 0xFFFF_FFFF_FFFF_FFFF
