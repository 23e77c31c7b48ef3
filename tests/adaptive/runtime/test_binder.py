"""A binder sees in a batch what binding column by column sees, whatever the batch looks like."""

from __future__ import annotations

import ctypes
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive.runtime.binder import Binder
from adaptive.runtime.binding import BatchError, BoundBatch, bind
from codegen_llvm.abi import ColumnBlock
from ir import BOOL, INT64, STRING, TIMESTAMP, Field, Schema

SCHEMA = Schema(
    (Field("flag", BOOL), Field("name", STRING), Field("n", INT64), Field("at", TIMESTAMP))
)
FIELDS = [name for name, _ in ColumnBlock._fields_]


def words(bound: BoundBatch) -> list[dict[str, int]]:
    """All of the blocks but the bitmaps that somebody made up."""
    return [
        {name: getattr(block, name) for name in FIELDS if name != "validity"}
        for block in bound.blocks
    ]


def bits(bound: BoundBatch, column: int) -> list[bool]:
    """The validity of a column as kernels read it."""
    block = bound.blocks[column]
    read = (ctypes.c_uint8 * ((block.bit_offset + bound.rows) // 8 + 1)).from_address(
        block.validity
    )
    rows = range(block.bit_offset, block.bit_offset + bound.rows)
    return [bool(read[row // 8] >> row % 8 & 1) for row in rows]


def assert_same(batch: pa.RecordBatch, bound: BoundBatch) -> None:
    expected = bind(batch, SCHEMA)
    assert bound.rows == expected.rows
    assert bound.layout is expected.layout
    assert dict(bound.nulls) == expected.nulls
    if not has_empty_dictionary(batch):  # then strings are made, elsewhere each time
        assert words(bound) == words(expected)
    assert bound.dictionaries == expected.dictionaries
    if expected.layout.has_nulls:
        for column in range(len(SCHEMA)):
            assert bits(bound, column) == bits(expected, column)


def has_empty_dictionary(batch: pa.RecordBatch) -> bool:
    names = batch.column("name")
    return isinstance(names, pa.DictionaryArray) and not len(names.dictionary)


def batch_of(rows: list[tuple[Any, ...]], coded: bool, extra: bool) -> pa.RecordBatch:
    flags, names, numbers, times = zip(*rows, strict=True) if rows else ((), (), (), ())
    texts = pa.array(names, pa.string())
    columns = {
        "at": pa.array(times, pa.int64()).cast(pa.timestamp("us", tz="Europe/Rome")),
        "name": texts.dictionary_encode() if coded else texts,
        "flag": pa.array(flags, pa.bool_()),
        "n": pa.array(numbers, pa.int64()),
    }
    if extra:
        columns = {"other": pa.nulls(len(rows)), **columns}
    return pa.record_batch(columns)


ROWS = st.lists(
    st.tuples(
        st.none() | st.booleans(),
        st.none() | st.text(max_size=3),
        st.none() | st.integers(-5, 5),
        st.none() | st.integers(0, 10),
    ),
    max_size=20,
)


@settings(max_examples=100)
@given(
    batches=st.lists(
        st.tuples(ROWS, st.booleans(), st.booleans(), st.integers(0, 9)), min_size=1, max_size=4
    )
)
def test_one_binder_sees_each_batch_as_it_is(batches: list[Any]) -> None:
    binder = Binder(SCHEMA)
    for rows, coded, extra, skipped in batches:
        batch = batch_of(rows, coded, extra)
        for piece in (batch, batch.slice(min(skipped, batch.num_rows))):
            for _ in range(2):  # pyarrow counts nulls when it is first asked
                assert_same(piece, binder(piece))


def test_what_must_be_converted_is() -> None:
    rows = [(True, "a", 1, 2), (False, "b", 3, 4)]
    batch = batch_of(rows, coded=False, extra=False)
    large = batch.set_column(1, "name", batch.column("name").cast(pa.large_string()))
    assert Binder(SCHEMA)(large).rows == 2


def test_a_batch_that_does_not_fit_is_refused() -> None:
    binder = Binder(Schema((Field("n", INT64, nullable=False),)))
    assert binder(pa.record_batch({"n": pa.array([1])})).rows == 1
    with pytest.raises(BatchError, match="'n' has 1 nulls but is declared without"):
        binder(pa.record_batch({"n": pa.array([1, None])}))
    with pytest.raises(BatchError, match="no column 'n'; it has: m"):
        binder(pa.record_batch({"m": pa.array([1])}))
    with pytest.raises(BatchError, match="'n' is double; the query needs int64"):
        binder(pa.record_batch({"n": pa.array([1.0])}))


def test_a_bound_batch_keeps_the_memory_alive() -> None:
    """The batch itself is gone; its rows are still where the blocks say."""
    binder = Binder(Schema((Field("n", INT64),)))
    bound = binder(pa.record_batch({"n": pa.array(range(1000))}))
    pa.default_memory_pool().release_unused()
    again = (ctypes.c_int64 * 1000).from_address(bound.blocks[0].data)
    assert list(again) == list(range(1000))
