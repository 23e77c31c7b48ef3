"""The workloads in DuckDB's SQL, on Arrow tables in memory.

Windows are computed by integer division: `time_bucket` took 1.6 times as long. Where
several ways to write a query are close, all are here, and the fastest one is measured.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import duckdb
import pyarrow as pa

from adaptive.demo.ysb_data import EVENT_TYPES
from experiments.workloads import SECOND_US, Stream, Workload, stream_of

AGGREGATES = {
    "sum": "sum(value)::BIGINT",
    "avg": "avg(value)",
    "stddev": "stddev_samp(value)",
    "median": "median(value)",
    "mode": "mode(value)",
}

TUMBLING = """
    SELECT make_timestamp(w * {size}) AS window_start, campaign_id, result
    FROM (SELECT epoch_us(event_time) // {size} AS w, campaign_id, {aggregate} AS result
          FROM events WHERE event_type = 'view' GROUP BY ALL)"""

# On a table of its own, with the codes as its own kind of them and times as numbers: from Arrow,
# codes become strings first (M rows/s on YSB with one thread: 95 against 61).
OWN = """
    CREATE TABLE own AS
    SELECT event_type::VARCHAR::ENUM ({types}) AS event_type, campaign_id,
        epoch_us(event_time) AS time_us, value
    FROM events"""
CODED = """
    SELECT make_timestamp(w * {size}) AS window_start, campaign_id, result
    FROM (SELECT time_us // {size} AS w, campaign_id, {aggregate} AS result
          FROM own WHERE event_type = 'view' GROUP BY ALL)"""

SLICES = """
    WITH slices AS MATERIALIZED (
        SELECT epoch_us(event_time) // 1000000 AS s, campaign_id, sum(value) AS v, count(*) AS c
        FROM events WHERE event_type = 'view' GROUP BY ALL)"""

# Windows of one slice are just groups.
SINGLE = """
    SELECT make_timestamp(s * 1000000) AS window_start, campaign_id, v::BIGINT AS result
    FROM (SELECT epoch_us(event_time) // 1000000 AS s, campaign_id, sum(value) AS v
          FROM events WHERE event_type = 'view' GROUP BY ALL)
    WHERE s * 1000000 < {last_end_us}"""

# Each slice is added to the n windows that it is in.
EXPANDED = """{slices}
    SELECT make_timestamp((s - k) * 1000000) AS window_start, campaign_id, sum(v)::BIGINT AS result
    FROM slices, range({n}) AS earlier(k)
    WHERE (s - k + {n}) * 1000000 <= {last_end_us} GROUP BY s - k, campaign_id"""

# A moving frame over all seconds of all keys: a key without rows in a second has a window too.
FRAMED = """{slices},
    grid AS (
        SELECT s, campaign_id FROM (SELECT DISTINCT campaign_id FROM slices),
            range((SELECT min(s) FROM slices), {last_end_us} // 1000000) AS seconds(s)),
    slid AS (
        SELECT s, campaign_id, sum(v) OVER frame AS v, sum(c) OVER frame AS c
        FROM grid LEFT JOIN slices USING (s, campaign_id)
        WINDOW frame AS (PARTITION BY campaign_id ORDER BY s
                         ROWS BETWEEN {n} - 1 PRECEDING AND CURRENT ROW))
    SELECT make_timestamp((s - {n} + 1) * 1000000) AS window_start, campaign_id,
        v::BIGINT AS result
    FROM slid WHERE c > 0"""

# The same by differences of running sums.
RUNNING = """{slices},
    grid AS (
        SELECT s, campaign_id FROM (SELECT DISTINCT campaign_id FROM slices),
            range((SELECT min(s) FROM slices), {last_end_us} // 1000000) AS seconds(s)),
    running AS (
        SELECT s, campaign_id, sum(v) OVER frame AS v, sum(c) OVER frame AS c
        FROM grid LEFT JOIN slices USING (s, campaign_id)
        WINDOW frame AS (PARTITION BY campaign_id ORDER BY s
                         ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)),
    slid AS (
        SELECT s, campaign_id, coalesce(v, 0) - lag(coalesce(v, 0), {n}, 0) OVER frame AS v,
            coalesce(c, 0) - lag(coalesce(c, 0), {n}, 0) OVER frame AS c
        FROM running WINDOW frame AS (PARTITION BY campaign_id ORDER BY s))
    SELECT make_timestamp((s - {n} + 1) * 1000000) AS window_start, campaign_id,
        v::BIGINT AS result
    FROM slid WHERE c > 0"""

NUMBERED = """
    SELECT r // {size} * {size} AS window_start, campaign_id, sum(value)::BIGINT AS result
    FROM (SELECT row_number() OVER (PARTITION BY campaign_id ORDER BY event_time) - 1 AS r,
              campaign_id, value
          FROM events WHERE event_type = 'view')
    GROUP BY ALL"""

# Lists are in order of arrival on one thread only, so several need the order of time.
LISTED = """
    SELECT k * {size} AS window_start, campaign_id,
        list_sum(l[k * {size} + 1 : (k + 1) * {size}])::BIGINT AS result
    FROM (SELECT campaign_id, list({value}) AS l
          FROM events WHERE event_type = 'view' GROUP BY ALL),
        LATERAL (SELECT unnest(range((len(l) - 1) // {size} + 1)) AS k)"""


def formulations(workload: Workload, stream: Stream, threads: int) -> Mapping[str, str]:
    """The ways to write a workload's query, by name."""
    settings: dict[str, object]
    match workload.window:
        case "tumbling":
            ways = {"grouped": TUMBLING}
            if workload.encoding == "codes":
                ways["own table"] = CODED
            settings = {"size": workload.size, "aggregate": AGGREGATES[workload.aggregate]}
        case "count":
            value = "value" if threads == 1 else "value ORDER BY event_time"
            settings = {"size": workload.size, "value": value}
            ways = {"listed": LISTED, "numbered": NUMBERED}
        case "sliding":
            settings = {
                "slices": SLICES,
                "n": workload.size // SECOND_US,
                "last_end_us": stream.last_end_us,
            }
            ways = {"expanded": EXPANDED, "framed": FRAMED, "running": RUNNING}
            if workload.size == SECOND_US:
                ways = {"single": SINGLE}
    return {name: text.format(**settings) for name, text in ways.items()}


class DuckDb:
    """DuckDB with a number of threads; its data is the Arrow table of the stream."""

    name = "DuckDB"

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._connection = duckdb.connect()
        self._connection.execute(f"SET threads = {threads}")
        self._stream: Stream | None = None

    def formulations(self, workload: Workload, rows: int) -> tuple[str, ...]:
        """The names of the ways to write the query."""
        return tuple(formulations(workload, stream_of(workload, rows), self.threads))

    def run(self, workload: Workload, rows: int, way: str) -> tuple[pa.Table, int]:
        """The query's result, in no particular order, and the nanoseconds that it took."""
        stream = stream_of(workload, rows)
        self._take(workload, stream)
        query = formulations(workload, stream, self.threads)[way]
        started_ns = time.perf_counter_ns()
        table = self._connection.sql(query).to_arrow_table()
        return table, time.perf_counter_ns() - started_ns

    def _take(self, workload: Workload, stream: Stream) -> None:
        """Make the stream known; what is copied is copied before the time is taken."""
        if stream is self._stream:
            return
        self._connection.execute("DROP TABLE IF EXISTS own")
        self._connection.register("events", stream.table)
        if workload.encoding == "codes":
            self._connection.execute(OWN.format(types=", ".join(map(repr, EVENT_TYPES))))
        self._stream = stream

    def close(self) -> None:
        """Give the memory back."""
        self._connection.close()
