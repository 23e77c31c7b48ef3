"""Memory that is used again: a fresh page costs a fault, which on a virtual machine is dear."""

from __future__ import annotations

import threading
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

_LINE_BYTES = 64
# Two threads with a million groups each use more than 256 MB in turn: with no more kept, half of
# their CPU time went into fresh pages, and a row cost 1.1 to 1.5 times as much.
_MOST_KEPT_BYTES = 512 * 1024 * 1024
_MOST_KEPT_ARENA_BYTES = 256 * 1024 * 1024


class Piece:
    """A piece of memory; its address is known, which numpy takes a while to tell."""

    __slots__ = ("address", "bytes", "size")

    def __init__(self, memory: Bytes) -> None:
        self.bytes, self.address, self.size = memory, int(memory.ctypes.data), len(memory)


class MemoryPool:
    """Pieces of memory that start at a cache line; those given back are kept for reuse.

    Tables come and go with every slice and task. With fresh memory each time,
    a run of YSB over 10 M rows took 1.07 times as long.
    """

    def __init__(self, most_kept_bytes: int = _MOST_KEPT_BYTES, *, zeroed: bool = True) -> None:
        self._most = most_kept_bytes
        self._zeroed = zeroed
        self._kept_bytes = 0
        self._kept: defaultdict[int, list[Piece]] = defaultdict(list)
        self._lock = threading.Lock()

    @property
    def kept_bytes(self) -> int:
        """The memory that waits for reuse."""
        return self._kept_bytes

    def take(self, size: int, *, as_it_is: bool = False) -> Piece:
        """A piece of this size; all zero, if those of this pool are and it is not `as_it_is`."""
        zeroed = self._zeroed and not as_it_is
        with self._lock:
            known = self._kept[size].pop() if self._kept.get(size) else None
            self._kept_bytes -= 0 if known is None else size
        if known is not None:
            if zeroed:
                known.bytes.fill(0)
            return known
        memory = (np.zeros if zeroed else np.empty)(size + _LINE_BYTES, np.uint8)
        skipped = -memory.ctypes.data % _LINE_BYTES
        return Piece(memory[skipped : skipped + size])

    def reserve(self, size: int, pieces: int) -> None:
        """Have so many pieces of a size at hand, in memory that was touched before."""
        if pieces * size > self._most // 4:
            return
        made = [self.take(size) for _ in range(pieces)]
        for piece in made:
            piece.bytes.fill(0)
            self.give(piece)

    def give(self, piece: Piece) -> None:
        """Give a piece back; nothing may use it any more."""
        with self._lock:
            if self._kept_bytes + piece.size <= self._most:
                self._kept[piece.size].append(piece)
                self._kept_bytes += piece.size


SLOT_MEMORY = MemoryPool()
ARENA_MEMORY = MemoryPool(_MOST_KEPT_ARENA_BYTES, zeroed=False)
