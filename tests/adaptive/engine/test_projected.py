"""Queries without an aggregate in the engine: the same loop, and rows in order whatever it does."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest

from adaptive import Engine, stream
from adaptive import functions as f
from ir import GENERIC, FilterOrder, NoNulls, SelectRows, Tier, VariantSpec
from tests.bets import Erratic

COLUMNS = tuple("abcde")
QUERY = stream(dict.fromkeys(COLUMNS, "int64"))
for name, least in (("a", 10), ("b", 10), ("c", 10), ("d", 10), ("e", 99)):
    QUERY = QUERY.filter(f.col(name) >= least)
QUERY = QUERY.select("a", "e", total=f.col("b") + f.col("c"))


def batch(rows: int, seed: int, nulls: bool = False) -> pa.RecordBatch:
    """Numbers below 100 without a pattern that a filter could follow."""
    numbers = range(seed, seed + rows)
    columns = {
        name: [(n * (7919 + 2 * place) + place) // 11 % 100 for n in numbers]
        for place, name in enumerate(COLUMNS)
    }
    if nulls:
        columns["b"] = [None if n % 3 else value for n, value in enumerate(columns["b"])]
    return pa.record_batch({name: pa.array(values, pa.int64()) for name, values in columns.items()})


def passing(rows: pa.RecordBatch) -> list[dict[str, int]]:
    """The rows of the query, by a loop of its own."""
    found = []
    for row in rows.to_pylist():
        if row["b"] is None or row["e"] < 99 or min(row[name] for name in "abcd") < 10:
            continue
        found.append({"a": row["a"], "e": row["e"], "total": row["b"] + row["c"]})
    return found


@pytest.mark.parametrize("threads", [0, 2])
def test_variants_take_turns_and_rows_stay_in_order(threads: int) -> None:
    """Orders of filters, branches and wrong claims of no nulls, from morsel to morsel."""
    variants = (
        GENERIC,
        VariantSpec(Tier.SPECULATIVE, (), ()),
        VariantSpec(Tier.SPECULATIVE, (NoNulls(("b", "e")),), (SelectRows(64), FilterOrder((4,)))),
        VariantSpec(Tier.SPECULATIVE, (), (*GENERIC.hints, FilterOrder((4,), (0, 1, 2, 3)))),
    )
    policy = Erratic(variants=variants, seed=3)
    pieces = [batch(500, 500 * n, nulls=n % 3 == 1) for n in range(12)]
    with Engine(QUERY, threads=threads, policy=policy) as engine:
        made = [row for piece in pieces for row in engine.push(piece).to_pylist()]
        made += engine.finish().to_pylist()
        history = engine.history()
    assert made == [row for piece in pieces for row in passing(piece)]
    assert sum(use.rows for use in history) == 6_000
    assert len({use.spec for use in history}) > 1


@pytest.mark.parametrize("threads", [0, 2])
def test_the_loop_profiles_and_tries_another_order(threads: int) -> None:
    """Whether it pays is a matter of time, and of no test; that it is tried is not."""
    rows, deadline = batch(300_000, 0), time.monotonic() + 60
    expected, pushed, made = passing(rows), 0, 0
    with Engine(QUERY, threads=threads) as engine:
        while time.monotonic() < deadline:
            made += engine.push(rows).num_rows
            pushed += 1
            if any(use.spec.find(FilterOrder) for use in engine.history()):
                break
        made += engine.finish().num_rows
        history = engine.history()
    [order] = {use.spec.find(FilterOrder) for use in history if use.spec.find(FilterOrder)}
    assert order.first[:1] == (4,)
    assert made == pushed * len(expected)
    assert sum(use.rows for use in history) == pushed * rows.num_rows
