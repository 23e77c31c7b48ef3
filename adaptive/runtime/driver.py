"""Calling kernels: the argument block, the memory that calls need, and the way back in."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Protocol

import numpy as np
import pyarrow as pa

from adaptive.runtime.binding import BoundBatch
from codegen_llvm.abi import Exit, KernelArgs
from codegen_llvm.columns import WORDS_BYTES
from codegen_llvm.kernel import BLOCK_ROWS
from codegen_llvm.selection import LANES
from ir import VariantSpec

# Little, so that tests of all kinds come through its growth: a task grows it a few times.
_FIRST_SCRATCH_BYTES = 64
# A string has at most 2 GiB in Arrow and in Spark; a row that makes more fails there too.
_MOST_SCRATCH_BYTES = 2**31 - 1


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
                return Exit(code)
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
        wanted = (variant.spec.block_rows or BLOCK_ROWS) + LANES
        if self._selection is None or len(self._selection) < 2 * wanted:
            self._selection = np.empty(2 * wanted, np.int32)
            self._mask = np.empty(wanted, np.uint8)
            self.args.selection = self._selection.ctypes.data
            self.args.mask = self._mask.ctypes.data


class _LookupTables:
    """The look-up tables of a batch's dictionaries; filled again only for a new dictionary."""

    def __init__(self) -> None:
        self._variant: Kernel | None = None
        self._dictionaries: tuple[tuple[int, ...], ...] = ()
        self._keep: tuple[object, ...] = ()
        self._addresses = np.zeros(1, np.int64)

    def prepare(self, variant: Kernel, bound: BoundBatch, args: KernelArgs) -> int:
        """Put the tables' addresses for this variant and batch into the arguments, or an exit."""
        values = [bound.dictionaries[column] for column in variant.lookup_columns]
        identity = tuple(_identity(dictionary) for dictionary in values)
        if variant is not self._variant or identity != self._dictionaries:
            tables = [
                np.zeros(WORDS_BYTES + len(dictionary) + 1, np.uint8) for dictionary in values
            ]
            addresses = np.array([t.ctypes.data for t in tables] or [0], np.int64)
            args.lookups = addresses.ctypes.data
            code = variant.prepare(ctypes.addressof(args))
            if code != Exit.DONE:
                return code
            self._addresses = addresses
            # The dictionaries are kept, so that their addresses cannot be used again.
            self._variant, self._dictionaries, self._keep = variant, identity, (values, tables)
        args.lookups = self._addresses.ctypes.data
        return Exit.DONE


def _identity(dictionary: pa.Array) -> tuple[int, ...]:
    """What tells one live dictionary from another without reading it."""
    addresses = (0 if buffer is None else buffer.address for buffer in dictionary.buffers())
    return (*addresses, dictionary.offset, len(dictionary))
