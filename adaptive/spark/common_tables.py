"""Common table expressions: where a plan refers to them, and the plan with them in place."""

from __future__ import annotations

from collections.abc import Mapping

from adaptive.spark.catalyst import Catalyst, JavaObject, children, class_name, expr_id, seq, walk


def common_tables(root: JavaObject) -> dict[int, JavaObject]:
    """The common table expressions of a plan by id, each as the plan that defines it."""
    found: dict[int, JavaObject] = {}
    pending = [root]
    while pending:
        node = pending.pop()
        if class_name(node) == "CTERelationDef":
            found[int(node.id())] = node.child()
        pending.extend(children(node))
    return found


def inlined(cx: Catalyst, node: JavaObject, tables: Mapping[int, JavaObject]) -> JavaObject:
    """A part of a plan with the definitions in place of references, which Spark would not find."""
    if class_name(node) == "CTERelationRef":
        return _in_place(cx, node, inlined(cx, tables[int(node.cteId())], tables))
    below = children(node)
    made = [inlined(cx, child, tables) for child in below]
    if all(new is old for new, old in zip(made, below, strict=True)):
        return node
    return node.withNewChildren(cx.sequence(made))


def _in_place(cx: Catalyst, reference: JavaObject, table: JavaObject) -> JavaObject:
    """The table under the ids that the reference has for its columns."""
    pairs = zip(seq(table.output()), seq(reference.output()), strict=True)
    columns = [new if expr_id(old) == expr_id(new) else cx.renamed(old, new) for old, new in pairs]
    return cx.logical.Project(cx.sequence(columns), table)


def references(root: JavaObject) -> set[int]:
    """The ids of the common table expressions that a plan refers to."""
    return {int(n.cteId()) for n in walk(root) if class_name(n) == "CTERelationRef"}


def without_unused(cx: Catalyst, root: JavaObject, used: set[int]) -> JavaObject:
    """The plan without definitions that were used and are not any more.

    They would do no harm in a table. In a stream they may have a watermark, and Spark's
    watermark waits for all that the plan has, also for one that no row ever passes.
    """
    while unused := (used & common_tables(root).keys()) - references(root):
        root = _without(cx, root, unused)
    return root


def _without(cx: Catalyst, node: JavaObject, unused: set[int]) -> JavaObject:
    below = [_without(cx, child, unused) for child in children(node)]
    if class_name(node) != "WithCTE":
        return node.withNewChildren(cx.sequence(below)) if below else node
    *definitions, plan = below
    kept = [table for table in definitions if int(table.id()) not in unused]
    return cx.logical.WithCTE(plan, cx.sequence(kept)) if kept else plan
