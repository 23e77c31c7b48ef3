"""The query again with a native fragment in it: listing, native scan, watermark, merge.

The new aggregate keeps the output attributes of the old one, ids included, so
that everything above it (HAVING, joins, sorts, sinks) binds as it did.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import count

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import (
    Catalyst,
    JavaObject,
    analyzed_plan,
    children,
    class_name,
    expr_id,
    seq,
    sql_text,
)
from adaptive.spark.heartbeat import alive_condition
from adaptive.spark.listener import METRICS, REPORTS
from adaptive.spark.listing import list_files
from adaptive.spark.merges import FromBuffer, OverValues, SameFunction
from adaptive.spark.pruning import partition_conditions
from adaptive.spark.static_table import with_tables
from adaptive.spark.telemetry import REPORT, REPORT_TYPE
from adaptive.spark.translate_plan import Fragment, GroupedWindow
from adaptive.spark.types import spark_type
from adaptive.spark.watermark import with_guarded
from adaptive.spark.worker import FragmentTask
from ir import Field, SessionWindow

# Spark refuses a query that has two observations of one name, also from two adaptations.
_OBSERVATIONS = count()
WINDOW = "window"  # the column of windows above the partials


class MergeBuilder:
    """Builds the plan that merges the partials of one fragment."""

    def __init__(self, cx: Catalyst, fragment: Fragment, task: FragmentTask) -> None:
        self._cx = cx
        self._fragment = fragment
        self._child = analyzed_plan(self._with_window(self._partials(task)))
        self._columns = {str(a.name()): a for a in seq(self._child.output())}

    def build(self) -> JavaObject:
        """The new Aggregate node with the output of the old one."""
        fragment = self._fragment
        groupings = [
            self._rewritten(grouping) for grouping in seq(fragment.aggregate.groupingExpressions())
        ]
        results = [
            self._result(result) for result in seq(fragment.aggregate.aggregateExpressions())
        ]
        return fragment.aggregate.copy(
            self._cx.sequence(groupings),
            self._cx.sequence(results),
            self._renamed_window(self._child),
            fragment.aggregate.hint(),
        )

    def _partials(self, task: FragmentTask) -> DataFrame:
        fragment = self._fragment
        schema = StructType([_spark_field(field) for field in fragment.emitted])
        if task.reports:
            schema.add(REPORT, from_arrow_type(REPORT_TYPE))
        rows, beats = fragment.aggregate.child(), fragment.heartbeat is not None
        wanted = partition_conditions(fragment.source, rows, below_watermark=beats)
        listing = list_files(self._cx, fragment.source, task.files, wanted)
        listing = with_tables(self._cx, listing, fragment.tables)
        partials = listing.mapInArrow(task, schema)
        if task.reports:
            partials = _observed(partials, f"{task.__name__}_{next(_OBSERVATIONS)}")
        if fragment.watermark is None or fragment.time_column is None:
            return partials
        delay = f"{fragment.watermark.delay_ms} milliseconds"
        partials = partials.withWatermark(fragment.time_column, delay)
        if fragment.heartbeat is not None:
            partials = partials.where(alive_condition(fragment.time_column))
        made_windows = [] if fragment.windows is None else [ir.WINDOW_START]
        guarded = [*sorted(fragment.guarded_keys), *made_windows]
        return with_guarded(partials, guarded, fragment.time_column)

    def _with_window(self, partials: DataFrame) -> DataFrame:
        """The partials with the windows that each is in, computed as the query did of rows.

        A slice is within a window or outside: any time of it tells.
        """
        grouped, time = self._fragment.window, self._fragment.time_column
        if grouped is None or time is None:
            return partials
        return partials.select(_window(self._fragment, grouped, time).alias(WINDOW), "*")

    def _renamed_window(self, child: JavaObject) -> JavaObject:
        """The window under the id that everything above knows it by."""
        grouped = self._fragment.window
        if grouped is None or WINDOW not in self._columns:
            return child
        columns = [c for name, c in self._columns.items() if name != WINDOW]
        window = self._cx.renamed(self._columns[WINDOW], grouped.attribute)
        return self._cx.logical.Project(self._cx.sequence([window, *columns]), child)

    def _result(self, result: JavaObject) -> JavaObject:
        """A result column under its old name and id."""
        value = result.child() if class_name(result) == "Alias" else result
        rewritten = self._rewritten(value)
        return result if rewritten.fastEquals(result) else self._cx.renamed(rewritten, result)

    def _rewritten(self, node: JavaObject) -> JavaObject:
        """The expression over the partials: keys become columns, aggregates become merges."""
        for key in self._fragment.keys:
            if node.semanticEquals(key.grouping):
                return self._columns[key.column]
        window = self._fragment.window
        if window is not None and node.semanticEquals(window.attribute):
            return node  # the new window has the id of the old one
        if class_name(node) == "AggregateExpression":
            return self._merge(node)
        below = children(node)
        if not below:
            return self._leaf(node)
        return node.withNewChildren(self._cx.sequence(map(self._rewritten, below)))

    def _merge(self, node: JavaObject) -> JavaObject:
        merge = self._fragment.merges[int(node.resultId().id())]
        match merge:
            case SameFunction(column, function):
                return self._over(function, (column,)).toAggregateExpression()
            case OverValues(function, arguments, is_distinct):
                over = self._over(function, arguments)
                return over.toAggregateExpression(is_distinct, self._cx.none)
            case FromBuffer(function, buffer):
                parts = zip(seq(function.aggBufferAttributes()), buffer, strict=True)
                meanings = {expr_id(part): self._cx.parsed(text) for part, text in parts}
                return self._substituted(function.evaluateExpression(), meanings)
        return self._cx.parsed(merge.text)

    def _over(self, function: JavaObject, arguments: tuple[str | None, ...]) -> JavaObject:
        """The function with columns of the partials in place of its arguments."""
        below = zip(children(function), arguments, strict=True)
        changed = [old if name is None else self._columns[name] for old, name in below]
        return function.withNewChildren(self._cx.sequence(changed))

    def _substituted(self, node: JavaObject, meanings: dict[int, JavaObject]) -> JavaObject:
        """The expression with others in place of some attributes."""
        if class_name(node) == "AttributeReference" and expr_id(node) in meanings:
            return meanings[expr_id(node)]
        below = children(node)
        if not below:
            return node
        changed = [self._substituted(child, meanings) for child in below]
        return node.withNewChildren(self._cx.sequence(changed))

    def _leaf(self, node: JavaObject) -> JavaObject:
        if class_name(node) != "Literal":
            raise StaysInSpark(
                f"`{sql_text(node)}` stands next to the aggregates; compute it above the aggregate"
            )
        return node


def _window(fragment: Fragment, grouped: GroupedWindow, time: str) -> Column:
    """The window of a partial that has this time; a session is as long as its rows make it."""
    meaning = grouped.window.meaning
    if fragment.windows is not None:
        start = ir.WINDOW_START
        made = _struct(start, start, fragment.windows.size_us)
        return F.expr(f"if({start} is null, null, {made})")  # nullable, as Spark's is
    if not isinstance(meaning, SessionWindow):
        lengths = (meaning.size_us, meaning.slide_us, meaning.offset_us)
        return F.window(time, *(f"{length} microseconds" for length in lengths))
    assert grouped.bounds is not None
    first, last = grouped.bounds
    return F.expr(_struct(first, last, meaning.gap_us))


def _struct(start: str, last: str, length_us: int) -> str:
    """A window from one time to some microseconds after another."""
    end = f"timestamp_micros(unix_micros({last}) + {length_us}L)"
    return f"named_struct('start', {start}, 'end', {end})"


Replacements = Sequence[tuple[JavaObject, JavaObject]]


def graft(cx: Catalyst, root: JavaObject, replaced: Replacements) -> JavaObject:
    """The plan with each old node replaced by its new one."""
    for old, new in replaced:
        if root.fastEquals(old):
            return new
    below = children(root)
    grafted = [graft(cx, child, replaced) for child in below]
    if all(new is old for new, old in zip(grafted, below, strict=True)):
        return root
    return root.withNewChildren(cx.sequence(grafted))


def _observed(partials: DataFrame, name: str) -> DataFrame:
    """The partials alone; what tasks report goes to the listeners of the query.

    Spark evaluates each aggregate function of an observation for each row, and prepares the
    whole of it anew for each task, in the thread that schedules them. So there is one list, and
    few expressions make all metrics of it. Of a trigger of 200 ms with 10,000 partials, a list
    for each metric took 10 ms, one list and a function of a report for each metric 6 ms, and
    this takes 2 ms.
    """
    report = F.col(REPORT)
    metrics = F.transform(F.array(F.collect_list(report)), _metrics)[0]
    observed = partials.observe(name, metrics.alias(METRICS))
    return observed.where(report.isNull()).drop(REPORT)


def _metrics(reports: Column) -> Column:
    """What the progress of the query says of all tasks of a micro-batch."""
    rows, no_variant = _added(reports["rows"]), F.array(F.lit(None).cast("string"))
    # From the beginning of the first task to the end of the last one.
    elapsed_ms = F.array_max(reports["ended_ms"]) - F.array_min(reports["began_ms"])
    return F.struct(
        rows.alias("rows_in"),
        (1000 * rows / F.greatest(F.lit(1), elapsed_ms)).alias("rows_per_second"),
        _added(reports["guard_exits"]).alias("guard_exits"),
        F.array_except(reports["variant"], no_variant).alias("variants"),
        reports["text"].alias(REPORTS),
    )


def _added(values: Column) -> Column:
    """The sum over all reports; 0 where there are none."""
    return F.aggregate(values, F.lit(0).cast("long"), operator.add)


def _spark_field(field: Field) -> StructField:
    return StructField(field.name, spark_type(field.type), field.nullable)
