"""Comparison of results: rows in any order, but every one of them."""

from __future__ import annotations

import pyarrow as pa

from adaptive.demo.compare import Comparison, compare, in_batch


def rows(*pairs: tuple[int, int], batch: int = 0) -> pa.Table:
    keys, sums = zip(*pairs, strict=True) if pairs else ((), ())
    types = pa.schema([("key", pa.int64()), ("sum", pa.int64())])
    return in_batch(batch, pa.table([list(keys), list(sums)], schema=types))


def test_order_does_not_matter() -> None:
    assert compare(rows((1, 10), (2, 20)), rows((2, 20), (1, 10))) == Comparison(2, 2)
    assert compare(rows((1, 10), (2, 20)), rows((2, 20), (1, 10))).identical


def test_a_wrong_value_is_shown_from_both_sides() -> None:
    found = compare(rows((1, 10), (2, 20)), rows((1, 10), (2, 21)))
    assert not found.identical
    assert found.missing == ("batch: int64 = 0, key: int64 = 2, sum: int64 = 20",)
    assert found.surplus == ("batch: int64 = 0, key: int64 = 2, sum: int64 = 21",)


def test_a_row_that_comes_twice_is_a_difference() -> None:
    found = compare(rows((1, 10)), rows((1, 10), (1, 10)))
    assert not found.identical
    assert len(found.surplus) == 1


def test_the_batch_counts() -> None:
    assert not compare(rows((1, 10)), rows((1, 10), batch=1)).identical


def test_the_type_counts() -> None:
    whole = rows((1, 10))
    wide = whole.set_column(2, "sum", pa.array([10.0]))
    assert not compare(whole, wide).identical


def test_nothing_equals_nothing() -> None:
    assert compare(rows(), rows()).identical


def test_nulls_are_values() -> None:
    null = rows((1, 10)).set_column(2, "sum", pa.array([None], pa.int64()))
    assert compare(null, null).identical
    assert not compare(null, rows((1, 10))).identical
