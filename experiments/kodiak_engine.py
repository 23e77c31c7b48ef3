"""The workloads on Kodiak's engine, written as a user would."""

from __future__ import annotations

import time

import pyarrow as pa

from adaptive import Engine, Stream, stream
from adaptive import functions as f
from adaptive.api.expression import Expression
from adaptive.api.windows import WindowOver
from adaptive.runtime import UnsupportedPlan
from experiments.workloads import SLIDE_US, Workload, stream_of

COLUMNS = {
    "event_type": "string",
    "campaign_id": "int64",
    "event_time": "timestamp",
    "value": "int64",
}


class Kodiak:
    """The generic engine: one thread is the caller's own, which is the library mode."""

    name = "Kodiak"

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def formulations(self, workload: Workload, rows: int) -> tuple[str, ...]:
        """The generic variant, or nothing where the engine has no such operator."""
        return () if self.refusal(workload) else ("generic",)

    def refusal(self, workload: Workload) -> str | None:
        """Why the engine cannot run a workload, if it cannot."""
        try:
            self._engine(workload).close()
        except UnsupportedPlan as error:
            return str(error)
        return None

    def first_result_ns(self, workload: Workload, rows: int) -> int:
        """From the query to the result of its first thousand rows: mostly the compiler's time."""
        batch = stream_of(workload, rows).batches[0].slice(0, 1_000)
        started_ns = time.perf_counter_ns()
        with self._engine(workload) as engine:
            engine.push(batch)
            engine.finish()
        return time.perf_counter_ns() - started_ns

    def run(self, workload: Workload, rows: int, way: str) -> tuple[pa.Table, int]:
        """The query's result, and the nanoseconds from the first push to all of it as Arrow.

        Sliding windows that are open at the end are left out, as the others leave them out.
        """
        batches = stream_of(workload, rows).batches
        with self._engine(workload) as engine:
            started_ns = time.perf_counter_ns()
            results = [engine.push(batch) for batch in batches]
            results.append(engine.flush() if workload.window == "sliding" else engine.finish())
            table = pa.concat_tables(results)
            return table, time.perf_counter_ns() - started_ns

    def close(self) -> None:
        """Nothing is kept."""

    def _engine(self, workload: Workload) -> Engine:
        threads = 0 if self.threads == 1 else self.threads
        return Engine(query_of(workload), threads=threads, policy="generic")


def query_of(workload: Workload) -> Stream:
    """The query: views, by window and campaign; events come in order, so nothing is waited for."""
    events = stream(COLUMNS)
    if workload.window != "count":
        events = events.watermark("event_time", "0 seconds")
    views = events.filter(f.col("event_type") == "view")
    aggregate: Expression = getattr(f, workload.aggregate)("value")
    return views.group_by(window_of(workload), "campaign_id").agg(result=aggregate)


def window_of(workload: Workload) -> WindowOver:
    """The workload's window."""
    if workload.window == "count":
        return f.count_window(workload.size)
    size = f"{workload.size} microseconds"
    slide = f"{SLIDE_US} microseconds" if workload.window == "sliding" else None
    return f.window("event_time", size, slide)
