"""Files dealt out to tasks: every byte once, in equal parts."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from adaptive.scan import ListedFile, Piece, Share

SIZES = st.lists(st.integers(0, 50), max_size=8)


def dealt(
    files: list[ListedFile], count: int, least: int, format_: str = "parquet"
) -> list[list[tuple[int, Piece]]]:
    shares = [Share(number, count, least) for number in range(count)]
    return [list(share.pieces(files, format_)) for share in shares]


def named(sizes: list[int], suffix: str = "") -> list[ListedFile]:
    return [ListedFile(f"f{number}{suffix}", size) for number, size in enumerate(sizes)]


@given(SIZES, st.integers(1, 6), st.integers(1, 40))
def test_every_byte_of_every_file_once(sizes: list[int], count: int, least: int) -> None:
    files = named(sizes)
    pieces = [piece for share in dealt(files, count, least) for _, piece in share]
    for file in files:
        mine = [piece for piece in pieces if piece.path == file.path]
        for byte in range(file.size + 3):  # also where the file has grown since
            assert sum(piece.holds(byte) for piece in mine) == 1


@given(SIZES, st.integers(1, 6), st.integers(1, 40))
def test_shares_are_equal_and_large_enough(sizes: list[int], count: int, least: int) -> None:
    files = named(sizes)
    total = sum(sizes)
    held = [
        sum(piece.holds(b) for _, piece in share for b in range(sizes[int(piece.path[1:])]))
        for share in dealt(files, count, least)
    ]
    used = held[: max(1, min(count, -(-total // least)))]
    assert sum(used) == total
    assert max(used) - min(used) <= 1


@given(SIZES, st.integers(1, 6), st.integers(0, 9))
def test_the_order_of_the_listing_does_not_matter(sizes: list[int], count: int, seed: int) -> None:
    files = named(sizes)
    mixed = random.Random(seed).sample(files, len(files))
    first, second = dealt(files, count, 1), dealt(mixed, count, 1)
    for left, right in zip(first, second, strict=True):
        assert [piece for _, piece in left] == [piece for _, piece in right]
        assert all(mixed[position].path == piece.path for position, piece in right)


@given(SIZES, st.integers(1, 6))
def test_compressed_texts_are_not_cut(sizes: list[int], count: int) -> None:
    files = named(sizes, ".json.GZ")
    pieces = [piece for share in dealt(files, count, 1, "json") for _, piece in share]
    assert sorted(piece.path for piece in pieces) == [file.path for file in files]
    assert all(piece.is_whole for piece in pieces)


def test_two_tasks_cut_one_file_in_the_middle() -> None:
    halves = dealt([ListedFile("a", 101)], 2, 10)
    assert halves == [[(0, Piece("a", 0, 50))], [(0, Piece("a", 50))]]
