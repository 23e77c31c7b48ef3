"""What runs in Spark's Python workers for a query without an aggregate: files in, few rows out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.accumulators import Accumulator

from adaptive.runtime import Projection
from adaptive.runtime.failed_rows import with_values
from adaptive.scan.needed_rows import needed_rows
from adaptive.spark.collector import set_lasting_apart
from adaptive.spark.file_rows import PARQUET, FileRows, session_setting
from adaptive.spark.mailbox import Letter
from adaptive.spark.prompt_socket import acknowledge_now
from adaptive.spark.telemetry import Reporter, RowCounts, TaskReport, report_text
from adaptive.spark.worker import NAME_PREFIX, learned, parsed_plan, source_schema
from ir import EvaluationError
from policies import Policy

# Spark's local properties of the jobs of a stream.
RUN_ID = "spark.jobGroup.id"
BATCH_ID = "streaming.sql.batchId"


@dataclass(frozen=True)
class RowTask:
    """Runs filters and projections over the files of a task; it holds only data."""

    fragment_id: str
    plan_json: str
    files: FileRows = PARQUET
    policy: Policy | None = None
    outbox: Accumulator[list[Letter]] | None = None  # of a stream, for what there is to report

    @property
    def __name__(self) -> str:
        """Spark's name of the function in plans, by which `explain` finds the fragment again."""
        return f"{NAME_PREFIX}_{self.fragment_id}"

    def __call__(self, listing: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows that pass, of all files of the listing."""
        acknowledge_now()
        set_lasting_apart()
        loop = learned(self.plan_json, self.policy)
        loop.begin()
        counted = _Counted()
        try:
            yield from self._rows(listing, loop, counted)
            if self.outbox is not None:
                self.outbox.add([self._letter(self._report(loop, counted))])
                loop.told()  # not before: a task that is ended in between reports nothing
        finally:
            loop.share()

    def _rows(
        self, listing: Iterator[pa.RecordBatch], loop: Reporter, counted: _Counted
    ) -> Iterator[pa.RecordBatch]:
        plan = parsed_plan(self.plan_json)
        projection = Projection(plan, loop=loop.loop)
        needed = needed_rows(plan, counted.left_out)
        try:
            for rows in self.files.read(listing, source_schema(plan), needed=needed):
                counted.read += rows.num_rows
                made = _projected(projection, rows)
                if made.num_rows:
                    counted.kept += made.num_rows
                    began = time.perf_counter_ns()
                    yield made
                    counted.given_ns += time.perf_counter_ns() - began
        finally:
            projection.leave()

    def _report(self, loop: Reporter, counted: _Counted) -> TaskReport:
        counts = RowCounts(counted.kept, time.perf_counter_ns() - counted.began, counted.given_ns)
        return replace(loop.report(counted.read), counts=counts)

    def _letter(self, report: TaskReport) -> Letter:
        run_id, batch_id = session_setting(RUN_ID) or "", int(session_setting(BATCH_ID) or 0)
        return Letter(run_id, batch_id, self.fragment_id, report.partition, report_text(report))


def _projected(projection: Projection, rows: pa.RecordBatch) -> pa.RecordBatch:
    try:
        return projection.run(rows)
    except EvaluationError as error:
        raise with_values(error, rows) from None


class _Counted:
    """The rows of a task, and how long they waited to be taken by Spark."""

    def __init__(self) -> None:
        self.began = time.perf_counter_ns()
        self.read = self.kept = self.given_ns = 0

    def left_out(self, rows: int) -> None:
        """Count rows that were read, and dropped while they were decoded."""
        self.read += rows
