"""Snappy by generated code gives what pyarrow's gives, and gives up on anything else."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from codegen_llvm.parquet_columns import parquet_code
from codegen_llvm.snappy import SNAPPY_PADDING

CODEC = pa.Codec("snappy")
GUARD = 0xA5


def decompressed(packed: bytes, size: int) -> bytes | None:
    """What generated code makes of the bytes; it must not write beyond the padding."""
    source = np.zeros(len(packed) + SNAPPY_PADDING, np.uint8)
    source[: len(packed)] = np.frombuffer(packed, np.uint8)
    room = np.full(size + 2 * SNAPPY_PADDING, GUARD, np.uint8)
    broken = parquet_code().snappy(source.ctypes.data, len(packed), room.ctypes.data, size)
    assert (room[size + SNAPPY_PADDING :] == GUARD).all()
    return None if broken else room[:size].tobytes()


@st.composite
def patterned(draw: st.DrawFn) -> bytes:
    """Bytes with repetitions near and far, which become literals and copies of all kinds."""
    parts = draw(st.lists(st.binary(min_size=1, max_size=90), min_size=1, max_size=5))
    order = draw(st.lists(st.integers(0, len(parts) - 1), max_size=40))
    times = draw(st.lists(st.integers(1, 30), min_size=len(order), max_size=len(order)))
    return b"".join(parts[part] * count for part, count in zip(order, times, strict=True))


def increasing(count: int, step: int) -> bytes:
    return (np.arange(count, dtype=np.int64) * step + 2**50).tobytes()


@given(st.one_of(patterned(), st.builds(increasing, st.integers(0, 3000), st.integers(0, 400))))
def test_what_was_compressed_comes_back(plain: bytes) -> None:
    assert decompressed(CODEC.compress(plain).to_pybytes(), len(plain)) == plain


def test_far_copies_and_long_literals() -> None:
    random = np.random.default_rng(7)
    noise = random.integers(0, 256, 90_000, np.uint8).tobytes()
    for plain in (noise, noise + noise[:70_000], b"", b"x", bytes(100_000), noise[:61] * 2):
        assert decompressed(CODEC.compress(plain).to_pybytes(), len(plain)) == plain


@given(patterned(), st.data())
def test_broken_bytes_are_refused_or_give_something_of_that_size(
    plain: bytes, data: st.DataObject
) -> None:
    packed = bytearray(CODEC.compress(plain).to_pybytes())
    cut = data.draw(st.integers(0, len(packed)))
    for _ in range(data.draw(st.integers(0, 3))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    decompressed(bytes(packed[:cut]), len(plain))  # `decompressed` looks at the memory behind
    assert decompressed(CODEC.compress(plain).to_pybytes(), len(plain) + 1) is None


def test_a_copy_of_what_is_not_there_is_refused() -> None:
    for packed in (b"\x08\x00a\x11\x02", b"\x04\x01\x00", b"\x05\x10ab", b"\x0a\x00a\x1d\x01"):
        assert decompressed(packed, packed[0]) is None
