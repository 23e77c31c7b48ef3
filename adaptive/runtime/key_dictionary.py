"""Codes for the strings of a key, the same in all batches: what dense tables have groups by.

Each batch may have a dictionary of its own, with codes of its own. The runtime numbers strings
as they come, and kernels translate a batch's codes through an array. With campaigns as strings
in codes, YSB ran 4.2 to 5 times as fast by an array as by a hash table where there were 10,000
of them, 4.7 times with 100, and 7.5 times with 100,000.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TypeAlias
from weakref import ref

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from adaptive.runtime.binding import BoundBatch
from codegen_llvm.abi import KernelArgs
from codegen_llvm.layout import columns_of_codes
from ir import Column
from ir.pipelines import RowProgram

Codes: TypeAlias = NDArray[np.int32]
Identity: TypeAlias = tuple[int, ...]

NO_CODE = -1  # no range of codes has it, so its rows are left to the generic variant
# A new dictionary of 10,000 strings is translated in 0.5 ms, one of 100,000 in 11; with a
# million strings it would be 0.5 s, and a hash table does not take that long.
MOST_STRINGS = 1 << 18
MOST_BYTES = 1 << 26
_MOST_RECENT = 8  # dictionaries whose codes are kept


class KeyDictionary:
    """The code of every string that a key has had, up to a limit; threads share it.

    Strings stay where they are: memory for the most there may be is asked for at once, and
    the system gives it as it is filled. So tables may point at them.
    """

    def __init__(self, most_strings: int = MOST_STRINGS, most_bytes: int = MOST_BYTES) -> None:
        self._offsets = np.empty(most_strings + 1, np.int32)
        self._offsets[0] = 0
        self._data = np.empty(most_bytes, np.uint8)
        self._buffers = [None, pa.py_buffer(self._offsets), pa.py_buffer(self._data)]
        self._size = 0
        self._recent: OrderedDict[Identity, tuple[pa.Array, Codes]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._size

    @property
    def offsets_address(self) -> int:
        """Where strings begin and end in the bytes, as int32."""
        return int(self._offsets.ctypes.data)

    @property
    def data_address(self) -> int:
        """The bytes of all strings."""
        return int(self._data.ctypes.data)

    def codes_of(self, dictionary: pa.Array) -> Codes:
        """The code of each value of a batch's dictionary; new values get the next ones."""
        identity = identity_of(dictionary)
        with self._lock:
            known = self._recent.get(identity) or self._equal(dictionary)
            codes = self._translated(dictionary) if known is None else known[1]
            # The dictionary is kept, so that its address cannot be used again.
            self._recent[identity] = (dictionary, codes)
            self._recent.move_to_end(identity)
            while len(self._recent) > _MOST_RECENT:
                self._recent.popitem(last=False)
            return codes

    def strings(self, codes: NDArray[np.int64]) -> pa.Array:
        """The strings that have these codes."""
        return self._values().take(pa.array(codes))

    def _equal(self, dictionary: pa.Array) -> tuple[pa.Array, Codes] | None:
        """The last dictionary, if the new one is a copy: 10,000 strings compare in 0.01 ms."""
        if not self._recent:
            return None
        last = next(reversed(self._recent.values()))
        return last if dictionary.equals(last[0]) else None

    def _translated(self, dictionary: pa.Array) -> Codes:
        if len(dictionary) >= len(self._offsets):
            return np.full(len(dictionary), NO_CODE, np.int32)
        found = pc.index_in(dictionary, value_set=self._values())
        codes: Codes = found.fill_null(NO_CODE).to_numpy().copy()
        if found.null_count:
            # Values of a dictionary may be equal, so those that are new are encoded first.
            new = dictionary.filter(found.is_null()).dictionary_encode()
            first, added = self._size, self._append(new.dictionary)
            numbers = new.indices.to_numpy()
            codes[codes == NO_CODE] = np.where(numbers < added, first + numbers, NO_CODE)
        return codes

    def _append(self, strings: pa.Array) -> int:
        """Add new strings as far as there is room; returns how many were added."""
        begin = int(self._offsets[self._size])
        ends = begin + np.cumsum(pc.binary_length(strings).to_numpy(), dtype=np.int64)
        fitting = int(np.searchsorted(ends, len(self._data), side="right"))
        count = min(fitting, len(self._offsets) - 1 - self._size)
        if count:
            _, _, data = strings.buffers()
            if data is not None:
                bytes_ = np.frombuffer(data, np.uint8)
                start = int(np.frombuffer(strings.buffers()[1], np.int32)[strings.offset])
                room = int(ends[count - 1]) - begin
                self._data[begin : begin + room] = bytes_[start : start + room]
            self._offsets[self._size + 1 : self._size + 1 + count] = ends[:count]
            self._size += count
        return count

    def _values(self) -> pa.Array:
        return pa.Array.from_buffers(pa.string(), self._size, self._buffers)


def identity_of(dictionary: pa.Array) -> Identity:
    """What tells one live dictionary from another without reading it."""
    addresses = (0 if buffer is None else buffer.address for buffer in dictionary.buffers())
    return (*addresses, dictionary.offset, len(dictionary))


class KeyDictionaries:
    """The dictionaries of one pipeline, by column; all its threads have the same."""

    def __init__(self, most_strings: int = MOST_STRINGS) -> None:
        self._most_strings = most_strings
        self._by_column: dict[str, KeyDictionary] = {}
        self._lock = threading.Lock()

    def of(self, column: str) -> KeyDictionary:
        """That of a column."""
        with self._lock:
            if column not in self._by_column:
                self._by_column[column] = KeyDictionary(self._most_strings)
            return self._by_column[column]

    def of_keys(self, program: RowProgram) -> tuple[KeyDictionary | None, ...]:
        """That of each key; None where a key is no string column."""
        coded = columns_of_codes(program)
        exprs = (key.expr for key in program.keys)
        return tuple(
            self.of(e.name) if isinstance(e, Column) and e.name in coded else None for e in exprs
        )

    def codes(self, program: RowProgram, bound: BoundBatch) -> dict[str, Codes]:
        """The codes of a batch's dictionaries, of those columns that are keys."""
        coded = columns_of_codes(program)
        return {
            name: self.of(name).codes_of(values)
            for name, values in bound.dictionaries.items()
            if name in coded
        }


class Translations:
    """Where the kernels of one thread find the runtime's codes for those of a batch."""

    def __init__(self, program: RowProgram) -> None:
        names = list(program.input.names)
        self._columns = [
            (names.index(key.expr.name), key.expr.name, position)
            for position, key in enumerate(program.keys)
            if isinstance(key.expr, Column) and key.expr.name in columns_of_codes(program)
        ]
        self._addresses = np.zeros(max(1, len(names)), np.int64)
        self._keep: list[Codes] = []
        self._batch: ref[BoundBatch] | None = None  # not kept alive: other variants may follow
        self._dictionaries: tuple[KeyDictionary | None, ...] = ()

    def prepare(
        self, args: KernelArgs, bound: BoundBatch, dictionaries: tuple[KeyDictionary | None, ...]
    ) -> None:
        """Before a dense variant runs on a batch."""
        if not self._columns or self._is_for(bound, dictionaries):
            return
        keep = []
        for place, name, position in self._columns:
            dictionary = dictionaries[position]
            assert dictionary is not None
            codes = dictionary.codes_of(bound.dictionaries[name])
            self._addresses[place] = codes.ctypes.data
            keep.append(codes)
        args.translations = self._addresses.ctypes.data
        self._keep, self._batch, self._dictionaries = keep, ref(bound), dictionaries

    def _is_for(self, bound: BoundBatch, dictionaries: tuple[KeyDictionary | None, ...]) -> bool:
        same_batch = self._batch is not None and self._batch() is bound
        return same_batch and self._dictionaries is dictionaries
