"""What the loop is told: every row once, however it was put together."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest

from adaptive import Engine, stream
from adaptive import functions as f
from adaptive.runtime import group_kernels
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


def test_a_variant_that_cannot_be_prepared_is_told_as_one_that_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the loop would wait for it until the stream ends."""

    def fails(*_: object, **__: object) -> None:
        raise KeyError("a table that is gone")

    monkeypatch.setattr(group_kernels, "prepare_combine", fails)
    rows, deadline = batch(200_000, 5_000), time.monotonic() + 60
    with Engine(QUERY, threads=0) as engine:
        while not engine.history().events and time.monotonic() < deadline:
            engine.push(rows)
        assert "a table that is gone" in engine.history().events[0]
        state = engine._made.loops[0]._controller.state  # type: ignore[union-attr]
        assert type(state.phase).__name__ != "Awaiting"
