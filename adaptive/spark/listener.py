"""The driver's end of telemetry: listening to sessions, and finding a query's history."""

from __future__ import annotations

import logging
import threading

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
    StreamingQueryProgress,
)
from pyspark.sql.streaming.query import StreamingQuery

from adaptive.spark.catalyst import JavaObject, class_name, walk
from adaptive.spark.query_records import QueryRecords
from adaptive.spark.stream_history import MicroBatch, StreamHistory
from adaptive.spark.telemetry import TaskReport, parsed_report
from adaptive.spark.worker import NAME_PREFIX

WAIT_SECONDS = 5.0  # for Spark to deliver what a query has done already
REPORTS = "reports"  # of all tasks, among the observed metrics of a fragment
RECORDS = QueryRecords()

logger = logging.getLogger(__name__)
_LISTENING: set[str] = set()  # to the sessions of these ids
_LOCK = threading.Lock()


class ReportListener(StreamingQueryListener):
    """Keeps what the tasks of adapted streams report."""

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Nothing is known of it yet."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """A micro-batch has ended."""
        progress = event.progress
        try:
            reports = _reports(progress)
        except Exception:  # a listener must not fail: Spark would log it and go on
            logger.exception("a report of query %s cannot be read", progress.id)
            reports = []
        RECORDS.add(str(progress.id), _micro_batch(progress, reports), reports)

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """The query has ended or failed."""
        RECORDS.end(str(event.id))


def listen(spark: SparkSession) -> None:
    """Listen to the streams of a session, once."""
    session_id = _session_id(spark._jsparkSession)
    with _LOCK:
        if session_id not in _LISTENING:
            spark.streams.addListener(ReportListener())
            _LISTENING.add(session_id)


def query_history(query: StreamingQuery | str) -> StreamHistory:
    """What the workers of an adapted stream have done, at least up to its last progress."""
    if isinstance(query, str):
        found = RECORDS.history(query)
        if found is None:
            raise ValueError(
                f"no micro-batch of an adapted query {query} is known in this process;"
                " queries are known by their id, from their first micro-batch on"
            )
        return found
    if not hasattr(query, "_jsq"):
        raise ValueError("Spark Connect does not show its plans, so nothing there is adapted")
    progress = query.lastProgress
    if progress is not None:
        RECORDS.wait_for(str(progress["runId"]), int(progress["batchId"]), WAIT_SECONDS)
    found = RECORDS.history(query.id)
    if found is None:
        _refuse_unknown(query)
        return StreamHistory()
    return found


def _refuse_unknown(query: StreamingQuery) -> None:
    """Only a query that is adapted and young may have no history."""
    stream = query._jsq.streamingQuery()
    if not any(_is_native_stream(node) for node in walk(stream.analyzedPlan())):
        raise ValueError(
            f"query {query.id} has no native stream in it: put @adaptive on it,"
            " or see ad.explain(df) for what keeps it in Spark"
        )
    if _session_id(stream.sparkSession()) not in _LISTENING:
        raise ValueError(f"query {query.id} belongs to a session in which nothing was adapted")


def _is_native_stream(node: JavaObject) -> bool:
    return class_name(node) == "CollectMetrics" and str(node.name()).startswith(NAME_PREFIX)


def _session_id(session: JavaObject) -> str:
    return str(session.sessionUUID())


def _reports(progress: StreamingQueryProgress) -> list[TaskReport]:
    """Those of all native fragments of the query."""
    return [
        parsed_report(text)
        for name, metrics in progress.observedMetrics.items()
        if name.startswith(NAME_PREFIX) and metrics is not None
        for text in metrics[REPORTS]
    ]


def _micro_batch(progress: StreamingQueryProgress, reports: list[TaskReport]) -> MicroBatch:
    return MicroBatch(
        progress.batchId,
        str(progress.runId),
        sum(report.rows for report in reports),
        len(reports),
        sum(report.guard_exits for report in reports),
        progress.batchDuration,
        tuple(sorted({report.variant for report in reports if report.uses})),
    )
