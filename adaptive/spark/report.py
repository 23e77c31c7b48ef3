"""A fragment in words, for `ad.explain`."""

from __future__ import annotations

from adaptive.explain import MERGE
from adaptive.explain import Fragment as FragmentReport
from adaptive.spark.translate_plan import Fragment
from ir import (
    Aggregate,
    AggregateCall,
    Filter,
    LookUp,
    Operator,
    SessionWindow,
    Sink,
    SlidingWindow,
    Source,
    TumblingWindow,
    expr_text,
)


def native_report(
    fragment: Fragment, name: str, above: list[str], sharing_tasks: int = 1
) -> FragmentReport:
    """What the native code does for a fragment, and what Spark does with its partials."""
    operators = reversed(tuple(fragment.plan.walk()))
    native = [_operator_text(node, fragment) for node in operators if not isinstance(node, Sink)]
    if fragment.heartbeat is not None:
        native.append("greatest event time before filters that Spark puts after the watermark")
    windows = _window_text(fragment)
    if fragment.windows is not None:
        native += windows
    shared = f", whose bytes {sharing_tasks} tasks share" if sharing_tasks > 1 else ""
    kept = [f"list files{shared}"]
    kept += [
        f"compute {table.name} anew in each run, send it to the tasks" for table in fragment.tables
    ]
    if fragment.watermark is not None:
        kept.append(f"watermark of {fragment.watermark.delay_ms} ms, late rows, state")
    if fragment.windows is None:
        kept += windows
    kept += [MERGE, *above]
    return FragmentReport(name, tuple(native), tuple(kept))


def _window_text(fragment: Fragment) -> list[str]:
    """What windows are made of slices, where they are not the same."""
    match None if fragment.window is None else fragment.window.window.meaning:
        case SlidingWindow(size_us=size, slide_us=slide):
            return [f"windows of {size / 1e6:g} s every {slide / 1e6:g} s, made of slices"]
        case SessionWindow(gap_us=gap):
            return [f"sessions that end after {gap / 1e6:g} s, made of slices"]
    return []


def _operator_text(node: Operator, fragment: Fragment) -> str:
    match node:
        case Source(schema=schema):
            columns = ", ".join(schema.names) or "row counts only"
            return f"scan {fragment.source.describe()}: {columns}"
        case LookUp():
            return _look_up_text(node)
        case Filter(predicate=predicate):
            return f"filter {expr_text(predicate)}"
        case Aggregate():
            return _aggregate_text(node)
    raise TypeError(f"{type(node).__name__} is not part of a fragment")


def _look_up_text(node: LookUp) -> str:
    by = ", ".join(map(expr_text, node.keys))
    got = ", ".join(node.columns.names) or "nothing"
    return f"join with {node.table} by {by}: {got}; {node.found} where it has a partner"


def _aggregate_text(node: Aggregate) -> str:
    groups = [expr_text(key.expr) for key in node.keys]
    if isinstance(node.window, TumblingWindow):
        groups.insert(0, f"{node.window.size_us / 1e6:g} s of {expr_text(node.window.time)}")
    calls = ", ".join(_call_text(aggregate.call) for aggregate in node.aggregates)
    return f"aggregate {calls or 'nothing'} by {', '.join(groups) or 'all rows'}"


def _call_text(call: AggregateCall) -> str:
    return f"{call.function}({'*' if call.argument is None else expr_text(call.argument)})"
