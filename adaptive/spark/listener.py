"""The driver's end of telemetry: listening to sessions, and finding a query's history."""

from __future__ import annotations

import json
import logging
import threading
from typing import Any, ClassVar, cast

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener
from pyspark.sql.streaming.query import StreamingQuery

from adaptive.spark.catalyst import JavaObject, class_name, walk
from adaptive.spark.mailbox import MAILBOX
from adaptive.spark.query_records import QueryRecords
from adaptive.spark.row_verdict import VERDICTS
from adaptive.spark.stream_history import MicroBatch, StreamHistory
from adaptive.spark.telemetry import RowCounts, TaskReport, parsed_report
from adaptive.spark.worker import NAME_PREFIX

WAIT_SECONDS = 5.0  # for Spark to deliver what a query has done already
METRICS = "metrics"  # the one column that is observed of a fragment: a struct
REPORTS = "reports"  # of all tasks, among these
RECORDS = QueryRecords()

logger = logging.getLogger(__name__)
_LISTENING: set[str] = set()  # to the sessions of these ids
_LOCK = threading.Lock()


class ReportListener:
    """Keeps what the tasks of adapted streams report; Spark's JVM calls it.

    PySpark's own listener fetches all of a progress value by value, which takes the driver
    40 ms a micro-batch; this one takes it as one text.
    """

    def onQueryStarted(self, event: JavaObject) -> None:
        """Nothing is known of it yet."""

    def onQueryProgress(self, event: JavaObject) -> None:
        """A micro-batch has ended."""
        progress = json.loads(event.progress().json())
        try:
            found = _reports(progress)
        except Exception:  # a worker of another version; the query itself is all right
            logger.exception("a report of query %s cannot be read", progress["id"])
            found = {}
        reports = [report for some in found.values() for report in some]
        judged = (VERDICTS.judge(progress["runId"], name, some) for name, some in found.items())
        events = [told for told in judged if told is not None]
        RECORDS.add(progress["id"], _micro_batch(progress, reports), reports, events)

    def onQueryIdle(self, event: JavaObject) -> None:
        """There is nothing new."""

    def onQueryTerminated(self, event: JavaObject) -> None:
        """The query has ended or failed."""
        RECORDS.end(str(event.id().toString()))

    class Java:
        """Which interface this is, for py4j."""

        implements: ClassVar = ["org.apache.spark.sql.streaming.PythonStreamingQueryListener"]


class _Wrapped:
    """The listener in the form in which PySpark adds it to a session."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm: JavaObject = spark._jvm

    @property
    def _jlistener(self) -> JavaObject:
        """Asked for when Python can be called from the JVM."""
        wrapper = self._jvm.org.apache.spark.sql.streaming.PythonStreamingQueryListenerWrapper
        return wrapper(ReportListener())


def listen(spark: SparkSession) -> None:
    """Listen to the streams of a session, once."""
    session_id = _session_id(spark._jsparkSession)
    with _LOCK:
        if session_id not in _LISTENING:
            spark.streams.addListener(cast(StreamingQueryListener, _Wrapped(spark)))
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
    if class_name(node) == "MapInArrow":
        return str(node.functionExpr().name()).startswith(NAME_PREFIX)
    return class_name(node) == "CollectMetrics" and str(node.name()).startswith(NAME_PREFIX)


def _session_id(session: JavaObject) -> str:
    return str(session.sessionUUID())


def _reports(progress: dict[str, Any]) -> dict[str, list[TaskReport]]:
    """Those of all native fragments of the query, by the id of the fragment."""
    letters = MAILBOX.take(progress["runId"], progress["batchId"])
    found = {name: list(map(parsed_report, texts)) for name, texts in letters.items()}
    for name, metrics in progress.get("observedMetrics", {}).items():
        prefix, _, rest = name.partition("_")
        if prefix == NAME_PREFIX and metrics is not None:
            reports = map(parsed_report, metrics[METRICS][REPORTS])
            found.setdefault(rest.partition("_")[0], []).extend(reports)
    return found


def _micro_batch(progress: dict[str, Any], reports: list[TaskReport]) -> MicroBatch:
    return MicroBatch(
        progress["batchId"],
        progress["runId"],
        sum(report.rows for report in reports),
        len(reports),
        sum(report.guard_exits for report in reports),
        progress["batchDuration"],
        tuple(sorted({report.variant for report in reports if report.uses})),
        _kept([report.counts for report in reports if report.counts is not None]),
    )


def _kept(counts: list[RowCounts]) -> int | None:
    return sum(one.kept for one in counts) if counts else None
