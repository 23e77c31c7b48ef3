"""Calling kernels: the argument block, the memory that calls need, and the way back in."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from adaptive.runtime.binding import BoundBatch
from codegen_llvm.abi import EXITS, Exit, KernelArgs
from codegen_llvm.columns import WORDS_BYTES
from codegen_llvm.kernel import BLOCK_ROWS
from codegen_llvm.vector_tests import LANES
from ir import VariantSpec

# Little, so that tests of all kinds come through its growth: a task grows it a few times.
_FIRST_SCRATCH_BYTES = 64
# A string has at most 2 GiB in Arrow and in Spark; a row that makes more fails there too.
_MOST_SCRATCH_BYTES = 2**31 - 1
_MOST_FILLED = 8  # variants whose look-up tables are kept


class Kernel(Protocol):
    """What a driver has to know about compiled code."""

    @property
    def spec(self) -> VariantSpec: ...

    @property
    def run(self) -> Callable[[int], int]: ...

    @property
    def prepare(self) -> Callable[[int], int]: ...

    @property
    def lookup_columns(self) -> tuple[str, ...]: ...


class KernelDriver:
    """Runs kernels over ranges of a batch in one thread; the caller serves their exits."""

    def __init__(self) -> None:
        self.args = KernelArgs()
        self._address = ctypes.addressof(self.args)
        self._bound: BoundBatch | None = None
        self._lookups: _LookupTables = _LookupTables()
        self._selection: np.ndarray | None = None
        self._reserved_for: Kernel | None = None
        self._grow_scratch(_FIRST_SCRATCH_BYTES)

    @property
    def scratch_bytes(self) -> int:
        """The memory for the strings that one row makes."""
        return self._scratch.nbytes

    def begin(self, bound: BoundBatch, first: int, last: int) -> None:
        """Take the rows from `first` to before `last` of a batch."""
        self._bound = bound
        self.args.columns = ctypes.addressof(bound.blocks)
        self.args.row_begin = self.args.rows_done = first
        self.args.row_end = last

    def run(self, variant: Kernel, state: int) -> Exit:
        """Go on until all rows are done or the kernel leaves for something of the caller's."""
        assert self._bound is not None
        self.args.state = state
        self._reserve_selection(variant)
        while True:
            code = self._lookups.prepare(variant, self._bound, self.args)
            if code == Exit.DONE:
                code = variant.run(self._address)
                self.args.row_begin = self.args.rows_done
            if code != Exit.GROW_SCRATCH:
                return EXITS[code]
            self._grow_scratch(int(self.args.detail))

    def _grow_scratch(self, room: int) -> None:
        """Give kernels more memory for the strings that a row makes; the old is not read again."""
        if room > _MOST_SCRATCH_BYTES:
            raise MemoryError(f"a row makes strings of {room} bytes; the limit is 2 GiB a row")
        size = min(2 * room, _MOST_SCRATCH_BYTES)
        self._scratch = np.empty(size, np.uint8)
        self.args.scratch = self._scratch.ctypes.data
        self.args.scratch_end = self._scratch.ctypes.data + size

    def _reserve_selection(self, variant: Kernel) -> None:
        """Room for a block's selection, twice: one with hot keys makes a second of it.

        Vector stores may run a register beyond the end of each.
        """
        if variant is self._reserved_for:
            return
        self._reserved_for = variant
        wanted = (variant.spec.block_rows or BLOCK_ROWS) + LANES
        if self._selection is None or len(self._selection) < 2 * wanted:
            self._selection = np.empty(2 * wanted, np.int32)
            self._mask = np.empty(wanted, np.uint8)
            self.args.selection = self._selection.ctypes.data
            self.args.mask = self._mask.ctypes.data


@dataclass
class _Filled:
    """The look-up tables of a variant, filled for some dictionaries; keeps these alive."""

    variant: Kernel
    places: tuple[tuple[int, int, int], ...]
    addresses: int  # of the addresses of the tables
    keep: tuple[object, ...]  # so that addresses of dictionaries cannot be used again


class _LookupTables:
    """The look-up tables of a batch's dictionaries; filled again only for a new dictionary."""

    def __init__(self) -> None:
        self._filled: dict[int, _Filled] = {}  # of the variants that take turns
        self._last: tuple[Kernel, BoundBatch] | None = None

    def prepare(self, variant: Kernel, bound: BoundBatch, args: KernelArgs) -> int:
        """Put the tables' addresses for this variant and batch into the arguments, or an exit."""
        last = self._last
        if last is not None and last[0] is variant and last[1] is bound:
            return Exit.DONE
        places = tuple(bound.dictionary_place(column) for column in variant.lookup_columns)
        filled = self._filled.get(id(variant))
        if filled is None or filled.places != places:
            values = [bound.dictionaries[column] for column in variant.lookup_columns]
            filled = _Filled(variant, places, *_empty_tables(values))
            args.lookups = filled.addresses
            self._last = None
            code = variant.prepare(ctypes.addressof(args))
            if code != Exit.DONE:
                return code
            if len(self._filled) >= _MOST_FILLED:
                self._filled.clear()
            self._filled[id(variant)] = filled
        args.lookups = filled.addresses
        self._last = (variant, bound)
        return Exit.DONE


def _empty_tables(values: list[pa.Array]) -> tuple[int, tuple[object, ...]]:
    tables = [np.zeros(WORDS_BYTES + len(dictionary) + 1, np.uint8) for dictionary in values]
    addresses = np.array([t.ctypes.data for t in tables] or [0], np.int64)
    return int(addresses.ctypes.data), (values, tables, addresses)
