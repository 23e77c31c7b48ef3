"""The loop bets on ranges of values by itself, and stays exact where values leave them."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from adaptive import functions as f
from adaptive import stream
from adaptive.loop.controller import Controller
from adaptive.loop.settings import LoopSettings
from adaptive.runtime.adaptation import AdaptiveLoop
from adaptive.runtime.runner import PlanRunner
from ir import EvaluationError, ValuesInRange
from policies import default_policy
from profiler.drift import DriftMonitor

ROWS = 60_000
COLUMNS = ("key", "price", "quantity", "tax")
QUERY = (
    stream(dict.fromkeys(COLUMNS, "int64"))
    .filter(f.col("price") * f.col("quantity") + f.col("tax") > 1_000_000)
    .filter(f.abs(f.col("price") - f.col("tax")) < 80_000)
    .group_by("key")
    .agg(pieces=f.sum("quantity"), rows=f.count())
)
# Whatever a trial says on a machine that does other things, the bet is to be taken.
ALWAYS = replace(
    LoopSettings(),
    first_profile_rows=4 * ROWS,
    min_gain=-1e9,
    hopeless=1e9,
    outclassed=1e9,
    far_too_slow=1e9,
)


def columns(seed: int) -> dict[str, Any]:
    chance = np.random.default_rng(seed)
    highs = (10, 100_000, 50, 1_000)
    return {name: chance.integers(0, high, ROWS) for name, high in zip(COLUMNS, highs, strict=True)}


def sums(batches: list[dict[str, Any]]) -> dict[int, tuple[int, int]]:
    """By key: the pieces and the rows that pass."""
    totals = dict.fromkeys(range(10), (0, 0))
    for one in batches:
        passes = one["price"] * one["quantity"] + one["tax"] > 1_000_000
        passes &= np.abs(one["price"] - one["tax"]) < 80_000
        for key, (pieces, rows) in totals.items():
            mine = passes & (one["key"] == key)
            totals[key] = pieces + int(one["quantity"][mine].sum()), rows + int(mine.sum())
    return totals


def result(runner: PlanRunner) -> dict[int, tuple[int, int]]:
    rows = runner.finish().to_pylist()
    return {row["key"]: (row["pieces"], row["rows"]) for row in rows}


def adopted(runner: PlanRunner, loop: AdaptiveLoop, usual: dict[str, Any]) -> int:
    """Push a batch until the bet has won its trial; how often that was."""
    batch, deadline = pa.record_batch(usual), time.monotonic() + 60
    pushed, held = 0, 0
    while held < 3:
        assert time.monotonic() < deadline, loop.history.swaps
        runner.consume(batch)
        pushed += 1
        last = loop.history.swaps[-1] if loop.history.swaps else None
        is_on = last is not None and last.spec.find(ValuesInRange) is not None
        held = held + 1 if is_on and last is not None and "trial" not in last.reason[:6] else 0
    return pushed


def test_the_loop_bets_that_filters_cannot_fail_and_stays_exact_when_values_grow() -> None:
    usual = columns(1)
    runner = PlanRunner(QUERY.plan)
    loop = AdaptiveLoop(runner.program)
    loop._controller = Controller(default_policy(runner.program), DriftMonitor(), ALWAYS)
    runner = PlanRunner(runner.program, loop=loop)
    pushed = adopted(runner, loop, usual)
    chosen = loop.history.swaps[-1]
    assert "filters [0, 1] cannot fail with price in -" in str(loop.history.swaps)
    assert {claim.column for claim in chosen.spec.assumptions if isinstance(claim, ValuesInRange)}

    grown = columns(2)
    for row in (0, 16_383, 16_384, ROWS - 1):  # first and last rows of blocks
        grown["price"][row] = 2**50
    runner.consume(pa.record_batch(grown))
    loop.leave(runner._kernels)
    assert sum(use.guard_exits for use in loop.history) >= 3
    assert result(runner) == sums([usual] * pushed + [grown])

    wrong = columns(3)
    wrong["price"][20_123], wrong["quantity"][20_123] = 2**58, 49
    with pytest.raises(EvaluationError) as error:
        runner.consume(pa.record_batch(wrong))
    assert error.value.condition == "ARITHMETIC_OVERFLOW"
    assert error.value.row == 20_123
    assert error.value.expression == "price * quantity"
