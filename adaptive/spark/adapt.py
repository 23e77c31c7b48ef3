"""Taking over the parts of a DataFrame that have a native form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from pyspark.sql import DataFrame

from adaptive.explain import CannotAdaptError, Explanation, StaysInSpark
from adaptive.explain import Fragment as FragmentReport
from adaptive.spark.catalyst import Catalyst, JavaObject, analyzed_plan, children, class_name, walk
from adaptive.spark.common_tables import common_tables, references, without_unused
from adaptive.spark.key_filters import may_filter_keys
from adaptive.spark.listener import listen
from adaptive.spark.listing import file_rows
from adaptive.spark.plan_tree import TreeBuilder
from adaptive.spark.rebuild import MergeBuilder, Replacements, graft
from adaptive.spark.report import native_report
from adaptive.spark.row_fragment import row_chains, row_fragment
from adaptive.spark.translate_plan import FragmentTranslator
from adaptive.spark.worker import NAME_PREFIX, FragmentTask
from ir import optimize, to_json
from policies import Policy

# What became of each fragment, by the id that its function carries in Spark's
# plan: a DataFrame derived from an adapted one is explained from here.
_REPORTS: dict[str, FragmentReport] = {}
_MOST_REPORTS = 1_000  # the latest: a long run may adapt a new query in every micro-batch

Tried = Sequence[tuple[JavaObject, FragmentReport]]  # nodes of a plan and what became of them


@dataclass(frozen=True)
class Adapted:
    """A DataFrame with its native fragments, and what was done."""

    df: DataFrame
    explanation: Explanation
    tried: Tried = ()

    def explained(self, before: DataFrame) -> Explanation:
        """The explanation with the tree of the plan, which takes Spark a moment."""
        if not hasattr(before, "_jdf"):
            return self.explanation
        root = analyzed_plan(before)
        why = next(iter(self.explanation.reasons), "")
        trees = TreeBuilder(self.tried, _REPORTS, common_tables(root), NAME_PREFIX, why)
        return replace(self.explanation, tree=trees.build(root))


def adapt(
    df: DataFrame, name: str | None = None, policy: Policy | None = None, mode: str = "auto"
) -> DataFrame:
    """The DataFrame with native fragments, or the same object if there are none."""
    if mode == "off":
        return df
    adapted = try_adapt(df, name, policy, forced=mode == "always")
    if mode == "always" and not adapted.explanation.is_fully_native:
        raise CannotAdaptError(adapted.explained(df))
    if adapted.df is not df and df.isStreaming:
        listen(df.sparkSession)
    return adapted.df


def explain_frame(df: DataFrame) -> Explanation:
    """What is native in a DataFrame; for one that was never adapted, what would be."""
    return try_adapt(df).explained(df)


def try_adapt(
    df: DataFrame,
    name: str | None = None,
    policy: Policy | None = None,
    *,
    forced: bool = False,
) -> Adapted:
    """Replace each aggregate that has a native form; explain the others.

    Without any, filters and projections are replaced where it pays, or is forced.
    """
    if not hasattr(df, "_jdf"):
        reason = "Spark Connect does not show its plans; use a classic Spark session"
        return Adapted(df, Explanation(reasons=(reason,)))
    cx = Catalyst(df.sparkSession)
    root = analyzed_plan(df)
    reports = [_REPORTS[found] for found in native_fragments(root) if found in _REPORTS]
    candidates = list(lowest_aggregates(root))
    adaptation = _Adaptation(cx, df, root, name, policy)
    if not candidates and not reports:
        return adaptation.run_rows(forced)
    return adaptation.run(candidates, reports)


class _Adaptation:
    """One attempt at one DataFrame."""

    def __init__(
        self,
        cx: Catalyst,
        df: DataFrame,
        root: JavaObject,
        name: str | None,
        policy: Policy | None,
    ) -> None:
        self._cx = cx
        self._df = df
        self._root = root
        self._name = name or "query"
        self._policy = policy
        self._ctes = common_tables(root)

    def run(self, candidates: list[JavaObject], reports: list[FragmentReport]) -> Adapted:
        """Try each candidate; what was native before stays as it is."""
        replaced: list[tuple[JavaObject, JavaObject]] = []
        tried: list[tuple[JavaObject, FragmentReport]] = []
        for number, aggregate in enumerate(candidates, len(reports)):
            label = self._name if number == 0 else f"{self._name}-{number}"
            try:
                made, report = self._take_over(aggregate, label)
                replaced.append((aggregate, made))
            except StaysInSpark as reason:
                report = FragmentReport(label, reasons=(str(reason),))
            reports.append(report)
            tried.append((aggregate, report))
        df = self._cx.frame(self._grafted(replaced)) if replaced else self._df
        return Adapted(df, Explanation(tuple(reports)), tried)

    def run_rows(self, forced: bool) -> Adapted:
        """Try the filters and projections of a query without an aggregate."""
        chain = next(row_chains(self._root), None)
        if chain is None:
            reason = "there is no aggregate, nor are there filters right above files alone"
            return Adapted(self._df, Explanation(reasons=(reason,)))
        try:
            self._refuse_cached(chain)
            fragment = row_fragment(self._cx, chain, self._name, forced=forced)
            made, fragment_id = fragment.build(self._cx, self._policy)
        except StaysInSpark as reason:
            report = FragmentReport(self._name, reasons=(str(reason),))
            return Adapted(self._df, Explanation((report,)), [(chain, report)])
        _REPORTS[fragment_id] = fragment.report
        df = self._cx.frame(self._grafted([(chain, made)]))
        return Adapted(df, Explanation((fragment.report,)), [(chain, fragment.report)])

    def _grafted(self, replaced: Replacements) -> JavaObject:
        grafted = graft(self._cx, self._root, replaced)
        if not self._ctes:
            return grafted
        return without_unused(self._cx, grafted, references(self._root))

    def _take_over(self, aggregate: JavaObject, label: str) -> tuple[JavaObject, FragmentReport]:
        self._refuse_cached(aggregate)
        fragment = FragmentTranslator(self._cx, aggregate, self._ctes, self._root).translate()
        files = file_rows(self._cx, fragment.source, fragment.columns)
        above = operators_above(self._root, aggregate)
        report = native_report(fragment, label, above, files.tasks)
        plan_json = to_json(optimize(fragment.plan))
        by_key = fragment.watermark is not None and may_filter_keys(self._root, aggregate)
        task = FragmentTask(
            sha256(f"{report}\n{plan_json}".encode()).hexdigest()[:16],
            plan_json,
            tuple(field.name for field in fragment.emitted),
            files,
            self._policy,
            None if fragment.heartbeat is None else to_json(optimize(fragment.heartbeat)),
            fragment.time_column,
            fragment.skips_times and not by_key,
            reports=fragment.source.is_streaming,
            windows=fragment.windows,
            never_null=frozenset(field.name for field in fragment.emitted if not field.nullable),
        )
        made = analyzed_plan(self._cx.frame(MergeBuilder(self._cx, fragment, task).build()))
        if str(made.schema().json()) != str(aggregate.schema().json()):
            raise StaysInSpark("the merged result would have another schema; please report this")
        _REPORTS.pop(task.fragment_id, None)
        _REPORTS[task.fragment_id] = report
        if len(_REPORTS) > _MOST_REPORTS:
            del _REPORTS[next(iter(_REPORTS))]
        return made, report

    def _refuse_cached(self, aggregate: JavaObject) -> None:
        """Where the user cached an input, Spark reads the cache and not the files."""
        if aggregate.isStreaming() or self._cx.session.sharedState().cacheManager().isEmpty():
            return
        with_cache = list(walk(self._df._jdf.queryExecution().withCachedData()))
        if not any(class_name(node) == "InMemoryRelation" for node in with_cache):
            return  # what is cached is of other queries; common tables look different there
        if not any(node.fastEquals(aggregate) for node in with_cache):
            raise StaysInSpark("a part of the query is cached, and Spark reads the cache")


def operators_above(root: JavaObject, node: JavaObject) -> list[str]:
    """The operators between a node and the root, by name, the nearest first."""
    if root.fastEquals(node):
        return []
    for child in children(root):
        if any(part.fastEquals(node) for part in walk(child)):
            return [*operators_above(child, node), class_name(root)]
    return []


def lowest_aggregates(node: JavaObject) -> Iterator[JavaObject]:
    """The aggregates that have no other aggregate and no native fragment below them."""
    found = False
    for child in rows_below(node):
        for aggregate in lowest_aggregates(child):
            found = True
            yield aggregate
    if class_name(node) == "Aggregate" and not found and not any(native_fragments(node)):
        yield node


def rows_below(node: JavaObject) -> list[JavaObject]:
    """The children of a node, without the tables that a stream is joined with."""
    below = children(node)
    if class_name(node) == "Join" and node.isStreaming():
        return [child for child in below if child.isStreaming()]
    return below


def native_fragments(node: JavaObject) -> Iterator[str]:
    """The ids of the native fragments in a plan."""
    for part in walk(node):
        if class_name(part) == "MapInArrow":
            prefix, _, found = str(part.functionExpr().name()).partition("_")
            if prefix == NAME_PREFIX:
                yield found
