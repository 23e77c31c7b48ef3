"""Where Spark's optimizer puts the watermark, and what that means for partial aggregates.

Spark advances the watermark by the rows that reach it. Its optimizer pushes
filters that do not touch event time below the watermark and leaves the others
above. Where one stays above, the rows that it drops have moved the watermark, and
the native code has to send their event times along: see `heartbeat`.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import Catalyst, JavaObject, children, class_name, expr_id, walk
from adaptive.spark.scope import Scope, Watermark
from adaptive.spark.translate_window import Window
from ir import Call, SessionWindow


def check_window_on_watermark(watermark: Watermark | None, window: Window | None) -> None:
    """Raise if the window's life does not follow from the watermark alone."""
    if watermark is None or window is None:
        return
    if isinstance(window.meaning, SessionWindow):
        raise StaysInSpark(
            "session windows under a watermark stay in Spark: it drops each late row by itself, and"
            " partials hold several; use a tumbling or sliding window"
        )
    if window.meaning.time != watermark.time:
        raise StaysInSpark("window and watermark are on different columns; use one for both")
    if not window.is_on_watermark:
        raise StaysInSpark("the window's time is computed from the watermark column; use it as is")


def rows_before_filters(cx: Catalyst, aggregate: JavaObject, scope: Scope) -> JavaObject | None:
    """The plan whose rows move the watermark, if they are more than those that are aggregated."""
    watermark = scope.watermark
    if watermark is None:
        return None
    present = Call("is_not_null", (watermark.time,))
    if all(predicate == present for predicate in scope.filters[watermark.filters_below :]):
        return None
    node, conditions = _optimized_watermark(cx.optimized(aggregate))
    time = expr_id(node.eventTime())
    if all(_is_presence(c, time) or _reads(c, scope.windows) for c in conditions):
        return None
    return node.child()


def _optimized_watermark(plan: JavaObject) -> tuple[JavaObject, list[JavaObject]]:
    """The watermark as the optimizer places it, and the conditions that it leaves above."""
    found: list[JavaObject] = []
    node = plan
    while class_name(node) != "EventTimeWatermark":
        if class_name(node) == "Filter":
            found += _split(node.condition())
        below = children(node)
        if class_name(node) == "Join":
            below = [child for child in below if child.isStreaming()]
            found += [] if class_name(node.joinType()).startswith("LeftOuter") else [node]
        if len(below) != 1:
            raise StaysInSpark("Spark's optimizer removes the watermark from this query")
        [node] = below
    return node, found


def _split(condition: JavaObject) -> list[JavaObject]:
    if class_name(condition) != "And":
        return [condition]
    return _split(condition.left()) + _split(condition.right())


def _is_presence(condition: JavaObject, time: int) -> bool:
    """A row without event time does not move the watermark, wherever it is dropped."""
    if class_name(condition) != "IsNotNull":
        return False
    child = condition.child()
    return class_name(child) == "AttributeReference" and expr_id(child) == time


def _reads(condition: JavaObject, windows: frozenset[int]) -> bool:
    """Whether a condition is that of sliding windows, which every row with a time is in."""
    return any(
        class_name(part) == "AttributeReference" and expr_id(part) in windows
        for part in walk(condition)
    )


def with_guarded(partials: DataFrame, columns: Iterable[str], time_column: str) -> DataFrame:
    """The partials with columns that Spark evaluates filters on behind the watermark.

    A key of a table that is joined behind the watermark is filtered in the table, and what is
    computed from event time above the watermark: rows of other keys and windows still move it.
    Here they must as well, and heartbeats, which have no window, too: Spark pushes nothing below
    the watermark that reads the time column. The values stay the same.
    """
    for name in columns:
        text = f"coalesce(case when {time_column} > timestamp'1970-01-01' then {name} end, {name})"
        partials = partials.withColumn(name, F.expr(text))
    return partials
