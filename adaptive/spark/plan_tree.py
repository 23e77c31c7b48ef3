"""The plan of a query as a tree of native and Spark parts, for `ad.explain`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from adaptive.explain import Fragment, PlanNode
from adaptive.spark.catalyst import JavaObject, children, class_name

# Nodes that are only names.
_NAMES = frozenset({"SubqueryAlias", "View"})
_LONGEST = 120
_MOST_FIELDS = 8
# The numbers of columns, the mark of a stream, the delay of a column with a watermark.
_MARKS = re.compile(r"#\d+L?|^~|-T\d+ms")

ON_NATIVE = "works on what the native part puts out"
FOR_SPARK = "reads for an operator that stays in Spark"
OVER_SPARK = "what it works on stays in Spark"
OTHER_SOURCE = "no native part reads it"
# Why Spark does a part of what is native otherwise, by how the part is called.
SPARK_PARTS: Mapping[str, str] = {
    "list files": "Spark decides which files a run reads, and keeps offsets",
    "compute ": "Spark computes the table, which may be any query",
    "watermark": "Spark's watermark follows the latest event time of the partials",
    "windows of": "each slice is in several windows; Spark adds them up",
    "sessions": "sessions of several tasks may touch each other",
    "take the rows": "what comes after the filters is Spark's",
    "shuffle and merge": "groups of several tasks meet in Spark, which keeps the state",
}
_BELOW_THE_SCAN = ("list files", "compute ")
# Native steps that are no operators of the query.
_PARTS_OF_OTHERS = ("greatest event time", "windows of", "sessions")


def fragment_id(node: JavaObject, prefix: str) -> str | None:
    """The native fragment that a node is the upper end of: itself, or an aggregate of partials."""
    if class_name(node) not in ("Aggregate", "MapInArrow"):
        return None
    while True:
        if class_name(node) == "MapInArrow":
            start, _, found = str(node.functionExpr().name()).partition("_")
            return found if start == prefix else None
        below = children(node)
        if len(below) != 1 or class_name(below[0]) == "Aggregate":
            return None
        [node] = below


class TreeBuilder:
    """Builds the tree of one plan from what became of its parts."""

    def __init__(
        self,
        tried: Sequence[tuple[JavaObject, Fragment]],
        known: Mapping[str, Fragment],
        tables: Mapping[int, JavaObject],
        prefix: str,
        why_nothing: str = "",
    ) -> None:
        self._tried = tried  # nodes of this plan
        self._known = known  # fragments of earlier adaptations, by id
        self._tables = tables  # common table expressions
        self._prefix = prefix
        self._why_nothing = why_nothing

    def build(self, node: JavaObject, reason: str = "") -> PlanNode:
        """The tree from a node down; `reason` is why all of it stays in Spark, if it does."""
        kind = class_name(node)
        if kind in _NAMES:
            return self.build(children(node)[0], reason)
        if kind == "WithCTE":
            return self.build(node.plan(), reason)
        if kind == "CTERelationRef":
            return self.build(self._tables[int(node.cteId())], reason)
        fragment = self._fragment(node)
        if fragment is not None and fragment.is_native:
            return native_tree(fragment)
        if fragment is not None:
            return self._spark(node, fragment.reasons[0], FOR_SPARK)
        below = [self.build(child, reason) for child in children(node)]
        reason = reason or self._above_reason(below)
        return PlanNode(described(node), False, reason, _operator(node), tuple(below))

    def _fragment(self, node: JavaObject) -> Fragment | None:
        for tried, report in self._tried:
            if node.fastEquals(tried):
                return report
        return self._known.get(fragment_id(node, self._prefix) or "")

    def _spark(self, node: JavaObject, reason: str, below: str) -> PlanNode:
        """An operator that was tried and refused, with what is below it."""
        parts = tuple(self.build(child, below) for child in children(node))
        return PlanNode(described(node), False, reason, _operator(node), parts)

    def _above_reason(self, below: list[PlanNode]) -> str:
        if any(part.native for node in below for part in node.walk()):
            return ON_NATIVE
        return self._why_nothing or (OVER_SPARK if below else OTHER_SOURCE)


def native_tree(fragment: Fragment) -> PlanNode:
    """The operators of a native fragment, and around them what Spark does for it."""
    deepest: tuple[PlanNode, ...] = ()
    for text in fragment.own:
        if text.startswith(_BELOW_THE_SCAN):
            deepest = (*deepest, PlanNode(text, False, _part_reason(text)))
    node: PlanNode | None = None
    why = f"{fragment.name}: compiled into one loop over the rows of the files"
    for text in fragment.native:
        kind = "" if text.startswith(_PARTS_OF_OTHERS) else text.partition(" ")[0]
        node = PlanNode(text, True, why, kind, deepest if node is None else (node,))
    assert node is not None
    for text in fragment.own:
        if not text.startswith(_BELOW_THE_SCAN):
            kind = "watermark" if text.startswith("watermark") else ""
            node = PlanNode(text, False, _part_reason(text), kind, (node,))
    return node


def described(node: JavaObject) -> str:
    """An operator of Spark in a line, without the numbers of its columns."""
    text = _MARKS.sub("", str(node.simpleString(_MOST_FIELDS)))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _operator(node: JavaObject) -> str:
    """What the summary calls an operator."""
    return class_name(node) if children(node) else "scan"


def _part_reason(text: str) -> str:
    return next((why for start, why in SPARK_PARTS.items() if text.startswith(start)), "")
