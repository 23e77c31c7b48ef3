"""Profiles from sampled rows: probes run beside kernels, and what they wrote is summed up."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.memory import MemoryPool
from codegen_llvm.abi import KernelArgs
from codegen_llvm.layout import Encoding
from codegen_llvm.probe import (
    GROUPED,
    TIMED,
    CompiledProbe,
    SampleLayout,
    counts_as_integer,
    sample_layout,
)
from ir import Column
from ir.pipelines import RowProgram
from profiler.profile import ColumnFacts, HotKey, KeyFacts, Profile
from profiler.sketches import Tally, distinct_values, heavy_values, mixed, share_back, tally

# The runtime's code for each code of a batch's dictionary, by column.
Codes = Mapping[str, NDArray[np.int32]]

# One row in 256 of up to 8 M. On YSB with 10,000 keys, morsels of 1 M rows took 1.03 to 1.05
# times as long with their probes (0.12 ms of 1.9 on codes, 0.16 of 2.8 on strings), and the
# profile of all 32,768 sampled rows 3 ms, once.
SAMPLE_EVERY = 256
MOST_SAMPLED = 32_768
RUN_ROWS = 16
# Of the strings that one expression makes; a row that needs more is left out of the sample.
_SCRATCH_BYTES = 64 * 1024

SAMPLE_MEMORY = MemoryPool(16 * 1024 * 1024, zeroed=False)
LEAST_HOT_SHARE = 0.01
LEAST_HOT_RUNS = 4


@dataclass(frozen=True)
class _Piece:
    """What a probe wrote of one morsel, and the dictionaries that its codes are of."""

    rows: NDArray[np.void]
    dictionaries: Mapping[str, pa.Array | None]  # None: codes are those of the runtime


class _Arguments(threading.local):
    """The arguments of probes in one thread; those of kernels stay as they are."""

    def __init__(self) -> None:
        self.block = KernelArgs()
        self.address = ctypes.addressof(self.block)
        self._scratch = np.empty(_SCRATCH_BYTES, np.uint8)
        self.block.scratch = self._scratch.ctypes.data
        self.block.scratch_end = self.block.scratch + _SCRATCH_BYTES


_ARGUMENTS = _Arguments()


class Sampler:
    """Collects sampled rows of one program until there are enough, from any thread."""

    def __init__(
        self, program: RowProgram, every: int = SAMPLE_EVERY, most_rows: int = MOST_SAMPLED
    ) -> None:
        self.program, self.layout = program, sample_layout(program)
        self._step, self._most = every * RUN_ROWS, most_rows
        self._dtype = sample_dtype(self.layout)
        self._lock = threading.Lock()
        self._memory = SAMPLE_MEMORY.take(most_rows * self._dtype.itemsize)
        self._memory.bytes.fill(0)  # the faults of fresh memory here, where no kernel waits
        self._address = self._memory.address
        self._rows = self._memory.bytes.view(self._dtype)
        self._pieces: list[_Piece] = []
        self._reserved = 0  # rows that there is no room for any more, left out ones included
        self._adding = 0  # threads that write to the memory
        self._is_released = False
        self._offered = 0
        self._owed = 0  # rows that went by since the last one of which some were sampled
        self._with_nulls: set[str] = set()
        self._dictionaries: dict[str, int] = {}

    @property
    def rows(self) -> int:
        """How many rows were sampled."""
        return sum(len(piece.rows) for piece in self._pieces)

    @property
    def is_full(self) -> bool:
        """Whether no more rows are taken."""
        return self._most - self._reserved < RUN_ROWS

    def add(
        self,
        probe: CompiledProbe,
        bound: BoundBatch,
        first: int,
        last: int,
        codes: Codes | None = None,
    ) -> int:
        """Sample the rows from `first` to before `last` of a batch; returns how many were.

        `probe` is that of this program and the batch's layout. With `codes`, dictionary codes
        of keys become those of the runtime; without, they count only while all batches have
        the very same dictionary.
        """
        with self._lock:
            base, place = self._offered, self._reserved
            step = self._next_step(last - first)
            if step is None:
                return 0
            self._reserved += min(last - first, -(-(last - first) // step) * RUN_ROWS)
            self._adding += 1
        args = _ARGUMENTS.block
        args.columns, args.row_base = ctypes.addressof(bound.blocks), base
        args.row_begin, args.row_end = first, last
        address = self._address + place * self._dtype.itemsize
        count = probe.run(_ARGUMENTS.address, address, step, RUN_ROWS)
        piece = self._piece(bound, self._rows[place : place + count], codes or {})
        with self._lock:
            self._keep(piece, bound)
            self._adding -= 1
            self._give_back()
        return count

    def profile(self, threads: int = 1) -> Profile:
        """What all sampled rows show together."""
        with self._lock:
            pieces, with_nulls = list(self._pieces), set(self._with_nulls)
            dictionaries = dict(self._dictionaries)
        sample = _Sample(self.layout, pieces)
        keys = [sample.key_facts(position) for position in range(len(self.layout.keys))]
        seen = sample.tally()
        return Profile(
            rows=sample.count,
            outcomes=sample.outcomes(),
            filters=self.layout.filters,
            keys=tuple(keys),
            hot=tuple(sample.hot(seen)),
            groups=distinct_values(seen),
            columns=dict(sample.columns(with_nulls)),
            back_in_time=sample.back_in_time(),
            dictionaries=dictionaries,
            threads=threads,
        )

    def release(self) -> None:
        """Give the memory back as soon as no thread writes to it; no more rows are taken."""
        with self._lock:
            self._is_released, self._reserved, self._pieces = True, self._most, []
            self._give_back()

    def _give_back(self) -> None:
        if self._is_released and not self._adding:
            SAMPLE_MEMORY.give(self._memory)

    def _keep(self, piece: _Piece, bound: BoundBatch) -> None:
        if self._is_released:
            return
        self._pieces.append(piece)
        self._with_nulls |= {name for name, nulls in bound.nulls.items() if nulls}
        for name, values in bound.dictionaries.items():
            self._dictionaries[name] = max(len(values), self._dictionaries.get(name, 0))

    def _next_step(self, rows: int) -> int | None:
        """The rows from run to run in a morsel, or None where none of it is sampled.

        Of small morsels, only every so many are looked at: a call of a probe takes as long as
        a kernel does for some thousand rows.
        """
        self._offered += rows
        self._owed += rows
        if rows == 0 or self.is_full or self._owed <= self._step - RUN_ROWS:
            return None
        self._owed = 0
        runs = (self._most - self._reserved) // RUN_ROWS
        return max(self._step, -(-rows // runs))

    def _piece(self, bound: BoundBatch, rows: NDArray[np.void], codes: Codes) -> _Piece:
        """The rows, their codes translated where that is known."""
        dictionaries: dict[str, pa.Array | None] = {}
        for position in self.layout.coded:
            key = self.layout.keys[position]
            assert isinstance(key, Column)
            if bound.layout.encodings[self.program.input.index(key.name)] is Encoding.PLAIN:
                continue
            dictionaries[key.name] = bound.dictionaries[key.name]
            if key.name in codes:
                of_key, grouped = rows[f"code{position}"], (rows["flags"] & GROUPED) != 0
                of_key[grouped] = codes[key.name][of_key[grouped]]
                dictionaries[key.name] = None
        return _Piece(rows, dictionaries)


def sample_dtype(layout: SampleLayout) -> np.dtype[np.void]:
    """How numpy reads sampled rows."""
    bits = ("outcome", "key_nulls", "column_nulls")
    return np.dtype(
        [
            (name, "<u8", (words,)) if name in bits else (name, "<i8")
            for name, words in layout.fields
        ]
    )


def _coded_alike(pieces: list[_Piece]) -> frozenset[str]:
    """The columns whose codes mean the same value in all pieces."""
    if not pieces:
        return frozenset()
    first, *others = (piece.dictionaries for piece in pieces)
    return frozenset(
        name
        for name, values in first.items()
        if all(name in other and _is_same(other[name], values) for other in others)
    )


def _is_same(one: pa.Array | None, other: pa.Array | None) -> bool:
    """Whether two dictionaries are the same memory; None is that of the runtime."""
    if one is None or other is None:
        return one is other
    same_place = one.offset == other.offset and len(one) == len(other)
    buffers = zip(one.buffers(), other.buffers(), strict=True)
    return same_place and all(_address(a) == _address(b) for a, b in buffers)


def _address(buffer: pa.Buffer | None) -> int:
    return 0 if buffer is None else int(buffer.address)


class _Sample:
    """Reads the sampled rows of all morsels; a field at a time, to copy no more than needed."""

    def __init__(self, layout: SampleLayout, pieces: list[_Piece]) -> None:
        self.layout = layout
        self._pieces = [np.zeros(0, sample_dtype(layout)), *(piece.rows for piece in pieces)]
        self._coded_alike = _coded_alike(pieces)
        self.count = sum(map(len, self._pieces))
        self._runs = self._numbered_runs()
        flags = self._column("flags")
        self._is_grouped, self._is_timed = (flags & GROUPED) != 0, (flags & TIMED) != 0
        self._key_nulls = _bits(self._grouped("key_nulls"), len(layout.keys))

    def outcomes(self) -> dict[int, int]:
        """How many rows had each outcome of the filters."""
        words = self._column("outcome")
        if words.shape[1] == 1:
            # Many times as fast as comparing rows of words, of which there is hardly ever more.
            found, counts = np.unique(words[:, 0], return_counts=True)
            return dict(zip(found.tolist(), counts.tolist(), strict=True))
        found, counts = np.unique(words, axis=0, return_counts=True)
        joined = (sum(w << (64 * at) for at, w in enumerate(row)) for row in found.tolist())
        return dict(zip(joined, counts.tolist(), strict=True))

    def key_facts(self, position: int) -> KeyFacts:
        """The range and the nulls of one key, among rows of groups."""
        nulls = self._key_nulls[:, position]
        numbers = self._numbers(position)
        low, high = (None, None) if numbers is None else _range(numbers[~nulls])
        return KeyFacts(low, high, int(np.count_nonzero(nulls)))

    def tally(self) -> Tally:
        """The groups among the sampled rows."""
        keys = [self._grouped(f"key{i}").view(np.uint64) for i in range(len(self.layout.keys))]
        nulls = self._grouped("key_nulls")
        words = [*keys, *(nulls[:, i] for i in range(nulls.shape[1]))] if keys else []
        runs = self._runs[self._is_grouped]
        return tally(mixed(words, len(runs)), runs)

    def hot(self, seen: Tally) -> Iterator[HotKey]:
        """The heaviest groups, where a key can be told by integers."""
        numbers = [self._numbers(position) for position in range(len(self.layout.keys))]
        told = [one for one in numbers if one is not None]
        if not numbers or len(told) < len(numbers):
            return
        for at, share in heavy_values(seen, LEAST_HOT_SHARE, LEAST_HOT_RUNS):
            if not self._key_nulls[at].any():
                yield HotKey(tuple(int(one[at]) for one in told), share)

    def columns(self, with_nulls: set[str]) -> Iterator[tuple[str, ColumnFacts]]:
        """The nulls of each column, and the ranges of those by which filters can fail.

        A batch with a null that was not sampled counts as one: none is a claim that Arrow's
        count would refute.
        """
        is_null = _bits(self._column("column_nulls"), len(self.layout.columns))
        for position, name in enumerate(self.layout.columns):
            nulls = is_null[:, position]
            low = high = None
            if name in self.layout.ranged:
                values = self._column(f"value{self.layout.ranged.index(name)}")
                low, high = _range(values[~nulls])
            count = int(np.count_nonzero(nulls))
            yield name, ColumnFacts(low, high, max(count, int(name in with_nulls)))

    def back_in_time(self) -> float:
        """The share of rows that are before the row ahead."""
        return share_back(self._column("time")[self._is_timed], self._runs[self._is_timed])

    def _numbers(self, position: int) -> NDArray[np.int64] | None:
        """A key as integers, or None where it is none and has no codes of one dictionary."""
        key = self.layout.keys[position]
        if counts_as_integer(key.type):
            return self._grouped(f"key{position}")
        if isinstance(key, Column) and key.name in self._coded_alike:
            codes: NDArray[np.int64] = self._grouped(f"code{position}")
            return None if (codes < 0).any() else codes  # some are beyond the runtime's limit
        return None

    def _numbered_runs(self) -> NDArray[np.int64]:
        """The run of each row, numbered on from piece to piece."""
        runs, before, at = self._column("run"), 0, 0
        for piece in self._pieces:
            part = runs[at : at + len(piece)]
            part += before
            before = int(part[-1]) + 1 if len(part) else before
            at += len(piece)
        return runs

    def _grouped(self, name: str) -> NDArray[Any]:
        """A field of the rows that belong to groups."""
        found: NDArray[Any] = self._column(name)[self._is_grouped]
        return found

    def _column(self, name: str) -> NDArray[Any]:
        """A field of all rows."""
        return np.concatenate([rows[name] for rows in self._pieces])


def _bits(words: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    """A column for each of the first `count` bits of rows of words."""
    rows = np.ascontiguousarray(words).view(np.uint8).reshape(len(words), 8 * words.shape[1])
    return np.unpackbits(rows, axis=1, count=count, bitorder="little").astype(np.bool_)


def _range(values: NDArray[Any]) -> tuple[int, int] | tuple[None, None]:
    return (int(values.min()), int(values.max())) if len(values) else (None, None)
