"""Where Spark's optimizer puts the watermark, and what that means for partial aggregates.

Spark advances the watermark by the rows that reach it. Its optimizer pushes
filters that do not touch event time below the watermark and leaves the others
above, so the native code may filter before it takes the greatest event time only
if no filter stays above.
"""

from __future__ import annotations

from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import Catalyst, JavaObject, children, class_name, expr_id, sql_text
from adaptive.spark.scope import Scope, Window
from ir import Call


def refuse_filters_above_watermark(
    cx: Catalyst, aggregate: JavaObject, scope: Scope, window: Window | None
) -> None:
    """Raise if merging partials would move the watermark other than the rows would."""
    watermark = scope.watermark
    if watermark is None:
        return
    if window is not None and window.meaning.time != watermark.time:
        raise StaysInSpark("window and watermark are on different columns; use one for both")
    if window is not None and not window.is_on_watermark:
        raise StaysInSpark("the window's time is computed from the watermark column; use it as is")
    above = scope.filters[watermark.filters_below :]
    present = Call("is_not_null", (watermark.time,))
    if all(predicate == present for predicate in above):
        return
    for conjunct in _conjuncts_above(cx.optimized(aggregate)):
        raise StaysInSpark(
            f"Spark filters `{sql_text(conjunct)}` after the watermark, so dropped rows move the"
            " watermark too; put the filter before withWatermark"
        )


def _conjuncts_above(plan: JavaObject) -> list[JavaObject]:
    """The conditions that the optimizer leaves between the aggregate and the watermark."""
    found: list[JavaObject] = []
    node = plan
    while class_name(node) != "EventTimeWatermark":
        if class_name(node) == "Filter":
            found += _split(node.condition())
        below = children(node)
        if len(below) != 1:
            raise StaysInSpark("Spark's optimizer removes the watermark from this query")
        [node] = below
    time = expr_id(node.eventTime())
    return [condition for condition in found if not _is_presence(condition, time)]


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
