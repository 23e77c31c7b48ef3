"""Filters and projections without an aggregate: the part of a plan that becomes native rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from pyspark.sql.types import StructField, StructType

import ir
from adaptive.explain import Fragment as FragmentReport
from adaptive.explain import StaysInSpark
from adaptive.runtime.projection import projection_of
from adaptive.spark.arrow_files import arrow_source
from adaptive.spark.catalyst import Catalyst, JavaObject, analyzed_plan, children, class_name, seq
from adaptive.spark.listing import file_rows, list_files
from adaptive.spark.mailbox import outbox
from adaptive.spark.pruning import partition_conditions
from adaptive.spark.row_sample import (
    ADVICE,
    ordered,
    refuse_few_columns,
    refuse_little,
    take_sample,
)
from adaptive.spark.row_task import RowTask
from adaptive.spark.row_verdict import LOSES_ABOVE, VERDICTS, Taken, known_verdict
from adaptive.spark.scope import Scope
from adaptive.spark.sources import FileSource, file_source, refuse_legacy_calendar
from adaptive.spark.static_table import joined_source
from adaptive.spark.types import ir_type, spark_type
from adaptive.spark.worker import source_schema
from codegen_llvm import unsupported_projection
from ir import Expr, Filter, Named, Project, Sink, conjuncts, expr_text, optimize, to_json
from policies import Policy

STEPS = frozenset({"Project", "Filter", "SubqueryAlias", "View"})
FORMATS = frozenset({"parquet", "arrow"})
LEAVES = frozenset({"StreamingRelation", "LogicalRelation"})


@dataclass(frozen=True, slots=True)
class RowFragment:
    """A chain of filters and projections over files, and what `explain` says about it."""

    chain: JavaObject
    plan: Sink
    source: FileSource
    report: FragmentReport
    taken: Taken

    def build(self, cx: Catalyst, policy: Policy | None) -> tuple[JavaObject, str]:
        """The plan with the same output, and the id of the fragment in it."""
        plan_json = to_json(optimize(self.plan))
        name = sha256(f"{self.report}\n{plan_json}".encode()).hexdigest()[:16]
        files = file_rows(cx, self.source, source_schema(self.plan).names)
        conditions = partition_conditions(self.source, self.chain, below_watermark=False)
        listing = list_files(cx, self.source, files, conditions)
        attributes = seq(self.chain.output())
        fields = [
            StructField(column.name, spark_type(column.type), bool(attribute.nullable()))
            for column, attribute in zip(self.plan.schema, attributes, strict=True)
        ]
        told = outbox(cx.spark.sparkContext) if self.source.is_streaming else None
        task = RowTask(name, plan_json, files, policy, told)
        rows = analyzed_plan(listing.mapInArrow(task, StructType(fields)))
        renamed = [
            cx.renamed(made, attribute)
            for made, attribute in zip(seq(rows.output()), attributes, strict=True)
        ]
        VERDICTS.took(name, self.taken)
        return cx.logical.Project(cx.sequence(renamed), rows), name


def row_chains(root: JavaObject) -> Iterator[JavaObject]:
    """The chain of filters and projections over files below operators with one input each.

    Spark plans joins by the sizes of their inputs, and of native rows it knows none.
    """
    node = root
    while not _is_chain(node):
        below = children(node)
        if len(below) != 1:
            return
        [node] = below
    yield node


def _is_chain(node: JavaObject) -> bool:
    while class_name(node) in STEPS:
        [node] = children(node)
    return class_name(node) in LEAVES or arrow_source(node) is not None


def row_fragment(cx: Catalyst, chain: JavaObject, label: str, *, forced: bool) -> RowFragment:
    """The native form of a chain, or the reason why Spark keeps it.

    If it is forced, whether it pays is not asked.
    """
    scope = _scope(cx, chain)
    if scope.source.format not in FORMATS:
        title = scope.source.format
        raise StaysInSpark(f"filters alone over {title} files have no native form yet; aggregate")
    filters = [part for predicate in scope.filters for part in conjuncts(predicate)]
    if not filters:
        raise StaysInSpark("there is neither an aggregate nor a filter: all rows would be moved")
    columns = tuple(
        Named(f"c{number}", _column(scope, attribute))
        for number, attribute in enumerate(seq(chain.output()))
    )
    plan = _plan(filters, columns)
    _check(cx, scope.source, plan)
    key = _key(scope.source, plan)
    said = "taken over without a look at the rows"
    # Of Arrow files, all rows would be moved by what reads them for Spark.
    if not forced and scope.source.format != "arrow":
        filters, said = _worth_it(cx, scope.source, filters, len(source_schema(plan)), key)
        plan = _plan(filters, columns)
    report = _report(label, plan, scope.source, said)
    return RowFragment(chain, plan, scope.source, report, Taken(key, said))


def _worth_it(
    cx: Catalyst, source: FileSource, filters: list[Expr], columns: int, key: str
) -> tuple[list[Expr], str]:
    """The filters in an order that seems good, and why they are taken over; else raises.

    What an earlier run has shown of its rows says more than a sample.
    """
    refuse_few_columns(filters, columns)
    known = known_verdict(key) if source.is_streaming else None
    if known is not None and known.loses:
        raise StaysInSpark(
            f"in an earlier run, the filters kept {known.describe()}, and Spark alone is faster"
            f" from {LOSES_ABOVE:.0%} on; {ADVICE}"
        )
    if known is not None and known.gains:
        return filters, f"in an earlier run, the filters kept {known.describe()}"
    sample = take_sample(cx, source, filters)
    refuse_little(sample)
    return ordered(filters, sample), f"the filters keep {sample.describe()}"


def _key(source: FileSource, plan: Sink) -> str:
    """What the same query over the same files has again."""
    return f"{source.lowered_options.get('path')}\n{to_json(optimize(plan))}"


def _scope(cx: Catalyst, node: JavaObject) -> Scope:
    if class_name(node) not in STEPS:
        return Scope(arrow_source(node) or file_source(cx.spark, node))
    scope = _scope(cx, node.child())
    scope.enter(node)
    return scope


def _column(scope: Scope, attribute: JavaObject) -> Expr:
    made = scope.lookup(attribute)
    if ir_type(attribute.dataType(), f"column `{attribute.name()}`") != made.type:
        raise StaysInSpark(f"column `{attribute.name()}` would be {made.type}; please report this")
    return made


def _plan(filters: list[Expr], columns: tuple[Named, ...]) -> Sink:
    rows = joined_source((), filters, [column.expr for column in columns])
    for predicate in filters:
        rows = Filter(rows, predicate)
    return Sink(Project(rows, columns), "rows")


def _check(cx: Catalyst, source: FileSource, plan: Sink) -> None:
    """What can only be judged of a whole plan: the calendar and code generation."""
    if any(field.type in (ir.DATE, ir.TIMESTAMP) for field in source_schema(plan)):
        refuse_legacy_calendar(cx.spark, source)
    reasons = unsupported_projection(projection_of(plan))
    if reasons:
        raise StaysInSpark("; ".join(reasons))


def _report(label: str, plan: Sink, source: FileSource, said: str) -> FragmentReport:
    [end] = [node for node in plan.walk() if isinstance(node, Project)]
    filters = [node for node in plan.walk() if isinstance(node, Filter)][::-1]
    native = [f"scan {source.describe()}: {', '.join(source_schema(plan).names)}"]
    native += [f"filter {expr_text(node.predicate)}" for node in filters]
    native.append(f"rows of {', '.join(expr_text(column.expr) for column in end.columns)}; {said}")
    return FragmentReport(label, tuple(native), ("list files", "take the rows that pass"))
