"""Filters above an aggregate that Spark may evaluate below the watermark.

Spark pushes a filter on grouping keys below the aggregate and the watermark, so that rows of
other keys do not move it. Then the greatest event time of each key counts, not only that of
all rows, and every event time has to be decoded.
"""

from __future__ import annotations

from adaptive.spark.catalyst import JavaObject, children, class_name, expr_id, seq, walk


def may_filter_keys(root: JavaObject, aggregate: JavaObject) -> bool:
    """Whether something above an aggregate may keep rows of some keys only."""
    computed = {
        expr_id(result)
        for result in seq(aggregate.aggregateExpressions())
        if any(class_name(part) == "AggregateExpression" for part in walk(result))
    }
    return any(_selects(node, computed) for node in _ancestors(root, aggregate))


def _selects(node: JavaObject, computed: set[int]) -> bool:
    """Whether a node drops rows by anything but results of aggregate functions."""
    if class_name(node) != "Filter":
        return len(children(node)) > 1
    read = (part for part in walk(node.condition()) if class_name(part) == "AttributeReference")
    return not all(expr_id(attribute) in computed for attribute in read)


def may_filter_key(root: JavaObject, aggregate: JavaObject, key: JavaObject) -> bool:
    """Whether something above an aggregate may keep rows with some values of one key only.

    What is known to be computed from anything else may be filtered by.
    """
    others = {
        expr_id(result)
        for result in seq(aggregate.aggregateExpressions())
        if not any(part.semanticEquals(key) for part in walk(result))
    }
    for node in reversed(_ancestors(root, aggregate)):
        match class_name(node):
            case "Filter" | "Join" if not _read(node) <= others:
                return True
            case "Except" | "Intersect":
                return True
            case "Project":
                others |= {expr_id(c) for c in seq(node.projectList()) if _read(c) <= others}
            case "Aggregate":
                made = seq(node.aggregateExpressions())
                others |= {expr_id(c) for c in made if _read(c) <= others}
    return False


def _read(node: JavaObject) -> set[int]:
    """The ids of all attributes that the expressions of a node read."""
    return {expr_id(attribute) for attribute in seq(node.references().toSeq())}


def _ancestors(root: JavaObject, node: JavaObject) -> list[JavaObject]:
    if root.fastEquals(node):
        return []
    for child in children(root):
        if any(part.fastEquals(node) for part in walk(child)):
            return [root, *_ancestors(child, node)]
    return []
