"""Correlation, covariance, skewness and kurtosis: Spark's results, whatever the pieces."""

from __future__ import annotations

import math
import random

import pyarrow as pa
import pytest

import ir
from adaptive import Engine, stream
from adaptive import functions as f
from tests.arrow import from_table, to_batch

PAIRS = stream({"x": "double", "y": "double"})
SCHEMA = [*PAIRS.plan.walk()][-1].schema
QUERY = PAIRS.group_by().agg(
    corr=f.corr("x", "y"),
    covar_pop=f.covar_pop("x", "y"),
    covar_samp=f.covar_samp("x", "y"),
    skewness=f.skewness("x"),
    kurtosis=f.kurtosis("x"),
)
Pairs = list[tuple[float | None, float | None]]
# What Spark 4 gives.
FACTS: list[tuple[Pairs, tuple[float | None, ...]]] = [
    ([(1.0, 2.0)], (None, 0.0, None, None, None)),
    ([(1.0, 2.0), (1.0, 3.0)], (None, 0.0, 0.0, None, None)),
    ([(1.0, None)], (None, None, None, None, None)),
    (
        [(1.0, 2.0), (2.5, 2.0), (7.0, -3.0), (4.0, None)],
        (
            -0.970725343394151,
            -5.833333333333333,
            -8.75,
            0.43465075957466565,
            -1.1542857142857144,
        ),
    ),
    ([(math.nan, 2.0), (2.5, 2.0)], (None, math.nan, math.nan, math.nan, math.nan)),
    ([], (None, None, None, None, None)),
]


def rows_of(pairs: Pairs) -> list[dict[str, ir.Scalar]]:
    return [{"x": x, "y": y} for x, y in pairs]


@pytest.mark.parametrize(("pairs", "expected"), FACTS, ids=lambda value: str(len(value)))
def test_facts(pairs: Pairs, expected: tuple[float | None, ...]) -> None:
    (row,) = ir.evaluate(QUERY.plan, rows_of(pairs))
    for made, wanted in zip(row.values(), expected, strict=True):
        assert made == (None if wanted is None else pytest.approx(wanted, 1e-12, nan_ok=True))


@pytest.mark.parametrize("threads", [0, 2])
def test_pieces(threads: int) -> None:
    """Merged of pieces, they are what all rows give."""
    draw = random.Random(7)
    pairs: Pairs = [(draw.gauss(3, 2), draw.gauss(0, 1)) for _ in range(500)]
    (wanted,) = ir.evaluate(QUERY.plan, rows_of(pairs))
    with Engine(QUERY, threads=threads, morsel_rows=50) as engine:
        made = [
            engine.push(to_batch(rows_of(pairs[i : i + 100]), SCHEMA)) for i in range(0, 500, 100)
        ]
        made.append(engine.finish())
    (row,) = from_table(pa.concat_tables(made))
    assert list(row.values()) == pytest.approx(list(wanted.values()), 1e-9)
