"""What runs in Spark's Python workers: files in, partial aggregates out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import pyarrow as pa

from adaptive.runtime import PlanRunner, arrow_schema, supported_program
from adaptive.runtime.adaptation import adaptation
from adaptive.runtime.failed_rows import with_values
from adaptive.runtime.projection import computed_program, projection_of
from adaptive.scan import TimeUse, time_use
from adaptive.scan.needed_rows import ALL_ROWS, NeededRows, needed_rows
from adaptive.spark.collector import set_lasting_apart
from adaptive.spark.executor import Siblings
from adaptive.spark.file_rows import PARQUET, FileRows, session_setting
from adaptive.spark.heartbeat import ALIVE, TIME_TYPE, beating, with_alive
from adaptive.spark.prompt_socket import acknowledge_now
from adaptive.spark.sliding import WindowsOfSlices
from adaptive.spark.table_rows import TableRows
from adaptive.spark.task_times import SETTING, TaskTimes, task_times
from adaptive.spark.telemetry import (
    REPORT,
    REPORT_TYPE,
    Reporter,
    report_row,
    without_report,
)
from codegen_llvm import Program
from ir import EvaluationError, RowProgram, Schema, Sink, Source, cut, from_json
from policies import Policy

# Partials leave once per task unless the groups outgrow this: then they leave
# early, and Spark merges a few more of them.
MOST_STATE_BYTES = 256 * 1024 * 1024
NAME_PREFIX = "kodiak"


@dataclass(frozen=True)
class FragmentTask:
    """Runs a native plan over the files of a task; pickled by reference, so it holds only data."""

    fragment_id: str
    plan_json: str
    columns: tuple[str, ...]
    files: FileRows = PARQUET
    policy: Policy | None = None
    heartbeat_json: str | None = None
    time_column: str | None = None
    skips_times: bool = False  # event time is used for window and watermark only
    most_state_bytes: int = MOST_STATE_BYTES
    reports: bool = False  # behind the partials comes a row about the loop
    windows: WindowsOfSlices | None = None  # sliding ones, made of the plan's slices
    never_null: frozenset[str] = frozenset()  # columns, even in a row that is about something else

    @property
    def __name__(self) -> str:
        """Spark's name of the function in plans, by which `explain` finds the fragment again."""
        return f"{NAME_PREFIX}_{self.fragment_id}"

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The partials of all files whose paths are in the batches."""
        acknowledge_now()
        set_lasting_apart()
        times = task_times((session_setting(SETTING) or "").lower() == "true")
        with times.part("prepare"):
            loop = learned(self.plan_json, self.policy)
            loop.begin()
            counted = _Counted()
            rows = self._rows(times.each("wait for the listing", batches), counted)
            counted.batches = times.each("read and decode", rows)
        try:
            yield from self._told(loop, counted, times)
        finally:
            loop.share()

    def _told(
        self, loop: Reporter, counted: _Counted, times: TaskTimes
    ) -> Iterator[pa.RecordBatch]:
        """The partials, and behind them what the loop has to tell the driver."""
        if not self.reports:
            yield from self._partials(loop, counted, times)
            return
        schema = self._emitted().append(pa.field(REPORT, REPORT_TYPE))
        for partials in map(without_report, self._partials(loop, counted, times)):
            schema = partials.schema
            yield partials
        report = replace(loop.report(counted.rows), times_ns=times.ns)
        yield report_row(report, schema, self.never_null)
        loop.told()  # not before: a task that is ended in between reports nothing

    def _partials(
        self, loop: Reporter, batches: Iterable[pa.RecordBatch], times: TaskTimes
    ) -> Iterator[pa.RecordBatch]:
        """The groups of all rows; of some groups several times, if there are very many."""
        with times.part("prepare"):
            runners = self._runners(loop)
        for rows in batches:
            with times.part("kernel"):
                _add(rows, runners)
            if sum(runner.state_bytes for runner in runners) > self.most_state_bytes:
                yield from times.each("export", self._drained(runners))
        yield from times.each("export", self._drained(runners))

    def _rows(
        self, listing: Iterator[pa.RecordBatch], counted: _Counted
    ) -> Iterator[pa.RecordBatch]:
        """The rows of all files of the task, without event times that nobody needs.

        Where rows that are filtered out have to move the watermark, they are read.
        """
        plan = parsed_plan(self.plan_json)
        use = known_time_use(self.plan_json) if self.skips_times else None
        tables = TableRows(plan)
        needed = ALL_ROWS
        if self.heartbeat_json is None:
            needed = replace(known_needs(self.plan_json), left_out=counted.left_out)
        return self.files.read(tables.taken_from(listing), self._schema(), use, tables.join, needed)

    def _runners(self, loop: Reporter) -> list[PlanRunner]:
        """Those of the plan and of its heartbeats; only the plan is worth a bet."""
        plan, *heartbeats = map(program_of, self._texts())
        return [PlanRunner(plan, loop=loop.loop), *map(PlanRunner, heartbeats)]

    def _texts(self) -> list[str]:
        return [text for text in (self.plan_json, self.heartbeat_json) if text is not None]

    def _schema(self) -> Schema:
        """The columns that any of the plans reads."""
        fields = {
            field.name: field
            for plan in map(parsed_plan, self._texts())
            for field in source_schema(plan)
        }
        return Schema(tuple(fields.values()))

    def _drained(self, runners: list[PlanRunner]) -> Iterator[pa.RecordBatch]:
        partials, *heartbeats = runners
        slices = partials.drain()
        if self.windows is not None:
            slices = self.windows.merged(slices, self.most_state_bytes)
        for batch in slices:
            if self.time_column is not None and heartbeats:
                batch = with_alive(batch, self.time_column)
            yield batch.select(list(self.columns))
        for runner in heartbeats:
            yield from self._beats(runner)

    def _beats(self, runner: PlanRunner) -> Iterator[pa.RecordBatch]:
        assert self.time_column is not None
        for batch in runner.drain():
            yield beating(batch, self._emitted(), self.time_column, self.never_null)

    def _emitted(self) -> pa.Schema:
        last = self.plan_json if self.windows is None else self.windows.plan_json
        there = arrow_schema(parsed_plan(last).schema)
        there = there.append(pa.field(ALIVE, TIME_TYPE))
        return pa.schema([there.field(name) for name in self.columns])


class _Counted:
    """Batches on their way, and the rows that have passed or were left out by the scan."""

    def __init__(self) -> None:
        self.batches: Iterable[pa.RecordBatch] = ()
        self.rows = 0

    def left_out(self, rows: int) -> None:
        """Count rows that were read, and dropped before they came here."""
        self.rows += rows

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self.batches:
            self.rows += batch.num_rows
            yield batch


def _add(rows: pa.RecordBatch, runners: list[PlanRunner]) -> None:
    try:
        for runner in runners:
            runner.consume(rows)
    except EvaluationError as error:
        raise with_values(error, rows) from None


@lru_cache(maxsize=64)
def parsed_plan(plan_json: str) -> Sink:
    """The plan of a fragment; workers live on and see the same one in every micro-batch."""
    plan = from_json(plan_json)
    assert isinstance(plan, Sink)
    return plan


@lru_cache(maxsize=64)
def program_of(plan_json: str) -> RowProgram:
    """The same as kernels run it."""
    return supported_program(parsed_plan(plan_json))


@lru_cache(maxsize=64)
def known_time_use(plan_json: str) -> TimeUse | None:
    """How the plan uses event time."""
    return time_use(parsed_plan(plan_json))


@lru_cache(maxsize=64)
def known_needs(plan_json: str) -> NeededRows:
    """The rows of files that the plan needs."""
    return needed_rows(parsed_plan(plan_json))


def learned(plan_json: str, policy: Policy | None = None) -> Reporter:
    """The loop of a plan in this worker: what one task has learned, the next one knows.

    A new worker starts from what others of its executor have learned before.
    Policies travel anew with each task: one that equals only itself has a loop for each.
    """
    if policy is None or (isinstance(policy, Hashable) and _is_value(policy)):
        return _kept_loop(plan_json, policy)
    return _new_loop(plan_json, policy)


def _is_value(policy: Hashable) -> bool:
    try:
        hash(policy)
    except TypeError:
        return False
    return type(policy).__eq__ is not object.__eq__


def _new_loop(plan_json: str, policy: Policy | None) -> Reporter:
    siblings, plan = Siblings(plan_json, policy), parsed_plan(plan_json)
    if len(cut(plan)) == 1:
        program: Program = computed_program(projection_of(plan))
    else:
        program = program_of(plan_json)
    return Reporter(adaptation(program, policy, sibling=siblings.known()), siblings)


_kept_loop = lru_cache(maxsize=64)(_new_loop)


def source_schema(plan: Sink) -> Schema:
    """The schema of the files, cut down to the columns that the plan reads."""
    [source] = [node for node in plan.walk() if isinstance(node, Source)]
    return source.schema
