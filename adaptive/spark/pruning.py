"""Conditions on partition columns, which spare Spark whole directories."""

from __future__ import annotations

from adaptive.spark.catalyst import JavaObject, children, class_name, expr_id, seq, walk
from adaptive.spark.sources import FileSource


def partition_conditions(
    source: FileSource, rows: JavaObject, below_watermark: bool
) -> list[JavaObject]:
    """What the query asks of partition columns; the native filters ask it again.

    Where rows that are filtered out move the watermark, files are left out only if
    the condition is below it.
    """
    if not source.partitions:
        return []
    ids = {expr_id(a) for a in seq(source.leaf.output()) if str(a.name()) in source.partitions}
    below = _filters(rows, source.leaf, below_watermark)
    found = (part for node in below for part in _conjuncts(node.condition()))
    return [part for part in found if _is_only_on(part, ids)]


def _filters(node: JavaObject, leaf: JavaObject, below_watermark: bool) -> list[JavaObject]:
    """The filters that every row of the source passes, and nothing but its rows.

    Those above a node with several inputs are about other rows as well.
    """
    found: list[JavaObject] = []
    while not node.fastEquals(leaf) and (inputs := children(node)):
        if class_name(node) == "Filter":
            found.append(node)
        if len(inputs) > 1 or (below_watermark and class_name(node) == "EventTimeWatermark"):
            found.clear()
        if len(inputs) > 1:  # none of them reads the source where that is in a common table
            inputs = [i for i in inputs if any(part.fastEquals(leaf) for part in walk(i))]
        if not inputs:
            break
        node = inputs[0]
    return found


def _conjuncts(condition: JavaObject) -> list[JavaObject]:
    if class_name(condition) != "And":
        return [condition]
    return _conjuncts(condition.left()) + _conjuncts(condition.right())


def _is_only_on(condition: JavaObject, ids: set[int]) -> bool:
    read = [expr_id(attribute) for attribute in seq(condition.references().toSeq())]
    return bool(read) and set(read) <= ids and bool(condition.deterministic())
