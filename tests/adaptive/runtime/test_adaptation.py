"""What the loop is told: every row once, however it was put together."""

from __future__ import annotations

import pyarrow as pa
import pytest

from adaptive import Engine, stream
from adaptive import functions as f
from adaptive.runtime.adaptation import AdaptiveLoop
from adaptive.runtime.runner import PlanRunner

QUERY = stream({"key": "int64", "value": "int64"}).group_by("key").agg(total=f.sum("value"))


def batch(rows: int, keys: int) -> pa.RecordBatch:
    numbers = range(rows)
    return pa.record_batch({"key": [n % keys for n in numbers], "value": list(numbers)})


@pytest.mark.parametrize("policy", ["generic", "adaptive"])
@pytest.mark.parametrize("threads", [0, 2])
def test_a_history_has_every_row_at_any_time(policy: str, threads: int) -> None:
    """Also those that nobody has reported yet, and those of a few rows."""
    small, large = batch(1_000, 7), batch(200_000, 5_000)
    with Engine(QUERY, threads=threads, policy=policy) as engine:
        for piece in (small, large, small, large, large, small):
            engine.push(piece)
            engine.flush()
            assert sum(use.rows for use in engine.history()) == engine.rows
        engine.finish()
        assert sum(use.rows for use in engine.history()) == engine.rows


def test_runners_that_share_a_loop_tell_it_of_small_batches_together() -> None:
    """As the tasks of a worker do, each with kernels of its own."""
    first = PlanRunner(QUERY.plan)
    loop = AdaptiveLoop(first.program)
    for number in range(1, 9):
        runner = PlanRunner(first.program, loop=loop)
        runner.consume(batch(10_000, 7))
        list(runner.drain())
        assert sum(use.rows for use in loop.history) == number * 10_000
    assert loop.learned.trials == 0
    assert not loop._waiting  # batches of tasks that have ended are not held on to
    assert loop._small is not None
    assert loop._small.seen.rows == 10_000  # the others are enough to be told of
