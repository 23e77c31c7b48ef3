"""Codes for strings: the same in every batch, up to a limit, and back again."""

from __future__ import annotations

import ctypes
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from adaptive.runtime.key_dictionary import NO_CODE, KeyDictionary

TEXTS = st.lists(st.sampled_from(("", "a", "b", "ab", "é", "\x00", "long " * 9)), max_size=12)


def codes_of(dictionary: KeyDictionary, *texts: str) -> list[int]:
    """The codes of a batch's dictionary with these values."""
    made: list[int] = dictionary.codes_of(pa.array(texts, pa.string())).tolist()
    return made


@given(batches=st.lists(TEXTS, max_size=6), skipped=st.integers(0, 3))
def test_a_string_has_one_code_whatever_the_batch(batches: list[list[str]], skipped: int) -> None:
    """Values come in the order of their codes; some dictionaries name a value twice."""
    dictionary, wanted = KeyDictionary(100, 1000), dict[str, int]()
    for texts in batches:
        values = pa.array(texts, pa.string())[skipped:]
        for text in texts[skipped:]:
            wanted.setdefault(text, len(wanted))
        assert dictionary.codes_of(values).tolist() == [wanted[t] for t in texts[skipped:]]
    assert len(dictionary) == len(wanted)
    assert dictionary.strings(np.array(list(wanted.values()), np.int64)).to_pylist() == list(wanted)


def test_what_kernels_read() -> None:
    dictionary = KeyDictionary()
    addresses = dictionary.offsets_address, dictionary.data_address
    codes_of(dictionary, "one", "", "three")
    codes_of(dictionary, *map(str, range(100_000)))
    assert (dictionary.offsets_address, dictionary.data_address) == addresses
    assert list((ctypes.c_int32 * 5).from_address(addresses[0])) == [0, 3, 3, 8, 9]
    assert ctypes.string_at(addresses[1], 10) == b"onethree01"


def test_beyond_so_many_strings_there_is_no_code() -> None:
    dictionary = KeyDictionary(most_strings=3)
    assert codes_of(dictionary, "a", "b") == [0, 1]
    assert codes_of(dictionary, "c", "b", "d", "c") == [NO_CODE] * 4  # more than all there may be
    assert codes_of(dictionary, "c", "b", "d") == [2, 1, NO_CODE]
    assert codes_of(dictionary, "e", "a") == [NO_CODE, 0]


def test_beyond_so_many_bytes_there_is_no_code() -> None:
    dictionary = KeyDictionary(most_bytes=6)
    assert codes_of(dictionary, "abc", "defg", "x") == [0, NO_CODE, NO_CODE]
    assert codes_of(dictionary, "x", "abc", "yz", "") == [1, 0, 2, 3]
    assert codes_of(dictionary, "w", "yz") == [NO_CODE, 2]


def test_the_same_dictionary_is_translated_once() -> None:
    """The same memory, or a copy of the last one; memory that is used again is not the same."""
    dictionary = KeyDictionary()
    values = pa.array(["a", "b"])
    codes = dictionary.codes_of(values)
    assert dictionary.codes_of(values) is codes
    assert dictionary.codes_of(pa.array(["a", "b"])) is codes
    for number in range(100):
        assert codes_of(dictionary, str(number), "b") == [2 + number, 1]


def test_threads_get_the_same_codes() -> None:
    dictionary = KeyDictionary()
    batches = [pa.array([f"{(n * 7 + k) % 500}" for n in range(300)]) for k in range(40)]
    with ThreadPoolExecutor(4) as pool:
        translated = list(pool.map(dictionary.codes_of, batches))
    for values, codes in zip(batches, translated, strict=True):
        assert dictionary.strings(codes.astype(np.int64)).equals(values)
