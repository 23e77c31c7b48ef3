"""Memory that is used again is zero again, aligned, and not hoarded."""

from __future__ import annotations

from adaptive.runtime.memory import MemoryPool


def test_a_piece_given_back_comes_again_and_is_zero() -> None:
    """Only for the same size."""
    pool = MemoryPool()
    piece = pool.take(1000)
    address = piece.address
    assert address == piece.bytes.ctypes.data
    assert address % 64 == 0
    assert piece.size == len(piece.bytes) == 1000
    piece.bytes.fill(7)
    pool.give(piece)
    assert pool.kept_bytes == 1000
    assert pool.take(999).address != address
    again = pool.take(1000)
    assert again.address == address
    assert not again.bytes.any()
    assert pool.kept_bytes == 0


def test_a_pool_keeps_no_more_than_it_may() -> None:
    """What is too much is left to the allocator."""
    pool = MemoryPool(most_kept_bytes=1500)
    for piece in [pool.take(1000), pool.take(1000)]:
        pool.give(piece)
    assert pool.kept_bytes == 1000
