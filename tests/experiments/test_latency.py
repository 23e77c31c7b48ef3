"""The experiment `latency`: what counts as latency, and that every window has one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console

from adaptive.demo.ysb_data import START_US
from experiments import latency
from experiments.latency import Arrivals, Passed, last_views
from experiments.reference import WrongAnswer


def test_at_full_speed_rows_come_in_with_their_buffer() -> None:
    arrivals = Arrivals(10, np.array([100, 200, 300]))
    assert list(arrivals.of(np.array([0, 9, 10, 29]))) == [100, 100, 200, 300]


def test_at_a_rate_rows_come_in_one_by_one() -> None:
    """A buffer is pushed when its last row has come in."""
    arrivals = Arrivals(10, np.array([1_000, 2_000]), rate=1e7)
    assert list(arrivals.of(np.array([0, 9, 10, 19]))) == [100, 1_000, 1_100, 2_000]


def result(window: int) -> pa.Table:
    start = pa.array([START_US + window * latency.WINDOW_ROWS] * 2)
    return pa.table({"window_start": start.cast(pa.timestamp("us", tz="UTC"))})


def test_latency_is_from_the_last_row_in_to_the_result_out() -> None:
    passed = Passed(1, Arrivals(1_000, np.array([10, 20, 30])), [(15, result(0)), (45, result(1))])
    assert list(passed.latencies_ns(np.array([990, 1_995]))) == [5, 25]
    with pytest.raises(WrongAnswer, match="1 windows have no result"):
        passed.latencies_ns(np.array([990, 1_995, 2_999]))


def test_the_last_contributing_row_is_a_view() -> None:
    types = ["view"] * 998 + ["click"] * 2 + ["click", "view"] * 500 + ["view"]
    batch = pa.record_batch({"event_type": types})
    assert list(last_views([batch.slice(0, 700), batch.slice(700)])) == [997, 1_999]


def test_a_rate_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A buffer is due when its last row is, and never pushed before."""
    clock = iter(range(0, 10**9, 300))
    slept: list[float] = []
    monkeypatch.setattr(latency.time, "perf_counter_ns", lambda: next(clock))
    monkeypatch.setattr(latency.time, "sleep", slept.append)
    wait = latency.waiting(buffer=10, rate=1e7)
    assert [wait(0), wait(1)] == [1_000, 2_000]
    assert len(slept) == 5  # the clock passes 1,000 at 1,200 and 2,000 at 2,100


def test_the_experiment_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(latency, "BUFFERS", (10, 1_000, 10_000))
    record = latency.run(0.01, Console(quiet=True))
    record.write(tmp_path / "record.json")
    (grid,) = json.loads((tmp_path / "record.json").read_text())["grids"]
    assert [(row[0], row[1]) for row in grid["rows"]] == [
        (mode, buffer) for mode in ("library", "2 threads") for buffer in (10, 1_000, 10_000)
    ]
    assert all(figure > 0 for row in grid["rows"] for figure in row[2:])
    assert grid["rows"][0][-1] == 2
