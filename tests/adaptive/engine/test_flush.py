"""What has been pushed before `flush` is in the results that it returns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from adaptive import Engine, stream
from adaptive import functions as f

WINDOW_US = 1_000
ROWS = 4_000


def batch_at(start_us: int) -> pa.RecordBatch:
    """A row for each microsecond."""
    times = pa.array(range(start_us, start_us + ROWS), pa.int64())
    return pa.record_batch({"time": times.cast(pa.timestamp("us", tz="UTC")), "value": times})


@pytest.mark.parametrize("threads", [0, 1, 2, 3])
def test_flush_returns_all_windows_that_have_ended(threads: int) -> None:
    """Also those that the last thread to pass their end has yet to close."""
    query = (
        stream({"time": "timestamp", "value": "int64"})
        .watermark("time", "0 seconds")
        .group_by(f.window("time", f"{WINDOW_US} microseconds"))
        .agg(rows=f.count())
    )
    batches = [batch_at(number * ROWS) for number in range(6)]
    for _ in range(40):
        with Engine(query, threads=threads, policy="generic") as engine:
            results = pa.concat_tables([*map(engine.push, batches), engine.flush()])
        starts = results["window_start"].cast(pa.int64()).to_pylist()
        assert starts == list(range(0, 6 * ROWS - WINDOW_US, WINDOW_US))
        assert set(results["rows"].to_pylist()) == {WINDOW_US}
