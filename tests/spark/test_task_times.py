"""The times of a task's parts: measured where they are asked for, and reported."""

from __future__ import annotations

import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adaptive.spark import worker
from adaptive.spark.task_times import SETTING, task_times
from adaptive.spark.telemetry import REPORT, parsed_report
from adaptive.spark.worker import FragmentTask
from ir import (
    INT64,
    Aggregate,
    AggregateCall,
    Column,
    Field,
    Named,
    NamedAggregate,
    Schema,
    Sink,
    Source,
    to_json,
)

BATCH = pa.record_batch({"x": [1]})


def test_parts_add_up() -> None:
    times = task_times(asked=True)
    for _ in range(2):
        with times.part("kernel"):
            time.sleep(0.002)
    assert list(times.each("decode", [BATCH, BATCH])) == [BATCH, BATCH]
    assert times.ns["kernel"] >= 4_000_000
    assert times.ns["decode"] > 0


def test_nothing_is_measured_unasked() -> None:
    times = task_times(asked=False)
    with times.part("kernel"):
        pass
    assert list(times.each("decode", [BATCH])) == [BATCH]
    assert times.ns == {}


@pytest.mark.parametrize("asked", [True, False])
def test_a_task_reports_its_times(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch, asked: bool
) -> None:
    path = f"{tmp_path}/rows.parquet"
    pq.write_table(pa.table({"k": [1, 2, 1], "v": [1, 2, 3]}), path)
    columns = [Column(name, INT64) for name in ("k", "v")]
    source = Source("files", Schema(tuple(Field(c.name, c.type) for c in columns)))
    total = NamedAggregate("a0", AggregateCall("sum", columns[1]))
    plan = Sink(Aggregate(source, None, (Named("k0", columns[0]),), (total,)), "partials")
    monkeypatch.setattr(
        worker, "session_setting", lambda name: str(asked) if name == SETTING else None
    )
    task = FragmentTask("id", to_json(plan), ("k0", "a0"), reports=True)
    *_, last = task(iter([pa.record_batch({"path": [path]})]))
    [text] = last.column(REPORT).field("text").to_pylist()
    measured = parsed_report(text).times_ns
    assert bool(measured) is asked
    if asked:
        assert {"prepare", "read and decode", "kernel", "export"} <= measured.keys()
        assert all(ns > 0 for ns in measured.values())
