"""An aggregate over Parquet files as a fragment: the native plan and how Spark merges it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import codegen_llvm
import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.arrow_files import arrow_source
from adaptive.spark.catalyst import (
    Catalyst,
    JavaObject,
    children,
    class_name,
    seq,
    sql_text,
    walk,
)
from adaptive.spark.common_tables import inlined
from adaptive.spark.heartbeat import ALIVE, BEAT
from adaptive.spark.key_filters import may_filter_key
from adaptive.spark.merges import Merge, Partials
from adaptive.spark.scope import Scope, Watermark
from adaptive.spark.sliding import WindowsOfSlices, windows_of_slices
from adaptive.spark.sources import FileSource, file_source, refuse_legacy_calendar
from adaptive.spark.static_join import enter_join, static_join
from adaptive.spark.static_table import (
    StaticTable,
    filters_reach_rows,
    joined_source,
    late_columns,
    reads_late_tables,
)
from adaptive.spark.text_plans import checked_text_source
from adaptive.spark.text_sources import TEXT_TITLES
from adaptive.spark.translate_aggregate import AggregateTranslator
from adaptive.spark.translate_window import Window
from adaptive.spark.watermark import check_window_on_watermark, rows_before_filters
from adaptive.spark.worker import source_schema
from ir import (
    Aggregate,
    AggregateCall,
    Expr,
    Field,
    Filter,
    Named,
    NamedAggregate,
    SessionWindow,
    Sink,
    SlidingWindow,
)

# Operators that rows pass one by one, or that are only names.
PASSED = frozenset({"Project", "Filter", "EventTimeWatermark", "Expand", "SubqueryAlias", "View"})
ADVICE: dict[str, str] = {
    "Union": "aggregate each input, then unite the results",
    "Deduplicate": "duplicates are only known where all rows meet",
    "Distinct": "duplicates are only known where all rows meet",
    "GlobalLimit": "which rows a limit keeps is Spark's choice",
    "LocalLimit": "which rows a limit keeps is Spark's choice",
    "Aggregate": "only the lowest aggregate reads files",
    "MapInArrow": "the Python function would have to be compiled",
    "MapInPandas": "the Python function would have to be compiled",
}


@dataclass(frozen=True, slots=True)
class Key:
    """A grouping expression and its column in the partials."""

    column: str
    type: ir.DataType
    grouping: JavaObject

    @property
    def nullable(self) -> bool:
        """Whether Spark allows null in it; the partials must promise no less and no more."""
        return bool(self.grouping.nullable())


@dataclass(frozen=True, slots=True)
class GroupedWindow:
    """The window that the query groups by, and the attribute that it groups by."""

    attribute: JavaObject
    window: Window
    bounds: tuple[str, str] | None = None  # of a session: its first and its last time


@dataclass(frozen=True, slots=True)
class Fragment:
    """The part of a query that becomes native, and all that Spark needs for the rest."""

    aggregate: JavaObject
    plan: Sink
    source: FileSource
    keys: tuple[Key, ...]
    window: GroupedWindow | None
    watermark: Watermark | None
    merges: Mapping[int, Merge]  # by the result id of the AggregateExpression
    time_column: str | None  # of the partials: carries event time to watermark and window
    skips_times: bool  # the query does not ask for event times, only for windows of them
    windows: WindowsOfSlices | None = None  # sliding ones, where the worker makes them
    heartbeat: Sink | None = None  # where rows that are filtered out move the watermark
    tables: tuple[StaticTable, ...] = ()  # of joins between the files and the aggregate
    guarded_keys: frozenset[str] = frozenset()  # columns of keys that Spark filters by too late

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the source that the native code reads."""
        plans = [self.plan] if self.heartbeat is None else [self.plan, self.heartbeat]
        return frozenset(name for plan in plans for name in source_schema(plan).names)

    @property
    def emitted(self) -> tuple[Field, ...]:
        """The columns that the partials have on their way to Spark.

        Window bounds that Spark computes from the time column do not travel.
        """
        nullable = {key.column: key.nullable for key in self.keys}
        unused = {ir.WINDOW_START, ir.WINDOW_END} - {self.time_column}
        if self.windows is not None:
            unused -= {ir.WINDOW_START}
        fields = tuple(
            Field(f.name, f.type, nullable.get(f.name, True))
            for f in self.plan.schema
            if f.name not in unused
        )
        return fields if self.heartbeat is None else (*fields, Field(ALIVE, ir.TIMESTAMP))


def aggregate_expressions(node: JavaObject) -> Iterator[JavaObject]:
    """The aggregate functions within an expression, outermost."""
    if class_name(node) == "AggregateExpression":
        yield node
        return
    for child in children(node):
        yield from aggregate_expressions(child)


class FragmentTranslator:
    """Translates one Aggregate node and what is below it."""

    def __init__(
        self,
        cx: Catalyst,
        aggregate: JavaObject,
        ctes: Mapping[int, JavaObject],
        root: JavaObject,
    ) -> None:
        self._cx = cx
        self._aggregate = aggregate
        self._root = root
        self._ctes = ctes
        self._partials = Partials()

    def translate(self) -> Fragment:
        """The fragment, or the reason why this aggregate stays in Spark."""
        scope = self._read_chain(self._aggregate.child())
        window, keys = self._groupings(scope)
        check_window_on_watermark(scope.watermark, None if window is None else window.window)
        merges = self._merges(scope, keys)
        window = self._bounded(window)
        asked = window is not None and self._asks_for_greatest(window.window.meaning.time)
        time_column = self._time_column(scope, window, keys)
        plan = self._plan(scope, window, keys)
        heartbeat = self._heartbeat(scope, keys)
        for native in (plan, heartbeat):
            if native is not None:
                self._check(scope.source, native)
        source = scope.source
        if source.format in TEXT_TITLES:
            plans = [native for native in (plan, heartbeat) if native is not None]
            source = checked_text_source(self._cx, scope, self._whole(), self._root, plans)
        return Fragment(
            self._aggregate,
            plan,
            source,
            tuple(key for key, _ in keys),
            window,
            scope.watermark,
            merges,
            time_column,
            not asked and heartbeat is None,
            _sliding(plan, window),
            heartbeat,
            tuple(scope.tables),
            self._guarded(scope, keys) - {time_column},
        )

    def _read_chain(self, node: JavaObject) -> Scope:
        """Go down to the files, then take the operators in on the way back up."""
        kind = class_name(node)
        if kind == "CTERelationRef":
            definition = self._ctes[int(node.cteId())]
            scope = self._read_chain(definition)
            scope.rename(seq(definition.output()), seq(node.output()))
            return scope
        if kind == "Join":
            join = static_join(self._cx, node)
            scope = self._read_chain(join.rows)
            enter_join(scope, join)
            return scope
        below = children(node)
        arrow = arrow_source(node)
        if arrow is not None or not below:
            return Scope(arrow or file_source(self._cx.spark, node))
        if kind not in PASSED:
            advice = ADVICE.get(kind, "only projections and filters may be between")
            raise StaysInSpark(f"{kind} is between the files and the aggregate: {advice}")
        scope = self._read_chain(below[0])
        scope.enter(node)
        return scope

    def _groupings(self, scope: Scope) -> tuple[GroupedWindow | None, list[tuple[Key, Expr]]]:
        grouped: GroupedWindow | None = None
        keys: list[tuple[Key, Expr]] = []
        for grouping in seq(self._aggregate.groupingExpressions()):
            window = scope.window(grouping)
            if window is None:
                expr = scope.expressions.translate(grouping)
                keys.append((Key(f"k{len(keys)}", expr.type, grouping), expr))
            elif grouped is None:
                grouped = GroupedWindow(grouping, window)
            else:
                raise StaysInSpark("the query groups by two windows; group by one")
        return grouped, keys

    def _merges(self, scope: Scope, keys: list[tuple[Key, Expr]]) -> dict[int, Merge]:
        columns = {expr: key.column for key, expr in keys}
        translator = AggregateTranslator(
            scope.expressions, self._partials, columns, scope.source.is_streaming
        )
        return {
            int(node.resultId().id()): translator.translate(node)
            for result in seq(self._aggregate.aggregateExpressions())
            for node in aggregate_expressions(result)
        }

    def _bounded(self, grouped: GroupedWindow | None) -> GroupedWindow | None:
        """A session with the columns that hold its first and its last time."""
        if grouped is None or not isinstance(grouped.window.meaning, SessionWindow):
            return grouped
        time = grouped.window.meaning.time
        first, last = (self._partials.column(AggregateCall(f, time)) for f in ("min", "max"))
        return replace(grouped, bounds=(first, last))

    def _asks_for_greatest(self, time: Expr) -> bool:
        """Whether the query's own aggregates include the greatest event time."""
        return AggregateCall("max", time) in self._partials

    def _time_column(
        self, scope: Scope, window: GroupedWindow | None, keys: list[tuple[Key, Expr]]
    ) -> str | None:
        """The partials' column that stands for event time in watermark and window.

        Under a watermark it is the greatest event time of the group: with anything
        smaller the watermark would lag, and windows would come out in other batches.
        """
        if scope.watermark is None:
            return None if window is None else ir.WINDOW_START
        time = scope.watermark.time
        for key, expr in keys:
            if expr == time:
                return key.column  # one value a group, and Spark evicts state by it
        return self._partials.column(AggregateCall("max", time))

    def _plan(
        self, scope: Scope, window: GroupedWindow | None, keys: list[tuple[Key, Expr]]
    ) -> Sink:
        meaning = None if window is None else window.window.slices
        named = tuple(Named(key.column, expr) for key, expr in keys) + self._partials.values
        arguments = [partial.call.argument for partial in self._partials.named]
        read = [key.expr for key in named] + [a for a in arguments if a is not None]
        if meaning is not None:
            read.append(meaning.time)
        grouped = Aggregate(
            _filtered(scope.filters, read, scope.tables), meaning, named, self._partials.named
        )
        return Sink(grouped, "partials")

    def _heartbeat(self, scope: Scope, keys: list[tuple[Key, Expr]]) -> Sink | None:
        """The greatest event time for each key before filters that Spark evaluates too late."""
        below = rows_before_filters(self._cx, self._whole(), scope)
        if below is None or scope.watermark is None:
            return None
        if any(expr.can_fail for _, expr in keys):
            raise StaysInSpark(
                "a key can fail for rows that a filter after the watermark drops;"
                " put the filter before withWatermark"
            )
        if any(class_name(node) == "Join" for node in walk(below)):
            raise StaysInSpark(
                "a filter on event time stands behind a join and withWatermark; put the filter"
                " before withWatermark"
            )
        time = scope.watermark.time
        keys = [(key, expr) for key, expr in keys if not reads_late_tables(expr, scope.tables)]
        rows = _filtered(self._read_chain(below).filters, [*(expr for _, expr in keys), time])
        named = tuple(Named(key.column, expr) for key, expr in keys)
        latest = NamedAggregate(BEAT, AggregateCall("max", time))
        return Sink(Aggregate(rows, None, named, (latest,)), "heartbeats")

    def _guarded(self, scope: Scope, keys: list[tuple[Key, Expr]]) -> frozenset[str]:
        """The columns of keys that Spark evaluates filters on behind the watermark.

        If it reads other columns as well, or one that rows are joined by, Spark infers filters
        from those on the key and evaluates them before the watermark.
        """
        if scope.watermark is None:
            return frozenset()
        late = late_columns(scope.tables)
        guarded = [
            (key, expr)
            for key, expr in keys
            if scope.reads_event_time(key.grouping) or not late.isdisjoint(expr.columns())
        ]
        late |= scope.watermark.time.columns()
        for key, expr in guarded:
            is_mixed = not expr.columns() <= late
            if not is_mixed and not filters_reach_rows(expr, scope.tables):
                continue
            if may_filter_key(self._root, self._aggregate, key.grouping):
                raise StaysInSpark(_inferred(key, is_mixed))
        return frozenset(key.column for key, _ in guarded)

    def _whole(self) -> JavaObject:
        """The aggregate as Spark's optimizer can take it by itself: with common tables in place."""
        if not self._ctes:
            return self._aggregate
        return inlined(self._cx, self._aggregate, self._ctes)

    def _check(self, source: FileSource, plan: Sink) -> None:
        """What can only be judged of a whole plan: the calendar and code generation."""
        if any(field.type in (ir.DATE, ir.TIMESTAMP) for field in source_schema(plan)):
            refuse_legacy_calendar(self._cx.spark, source)
        reasons = codegen_llvm.unsupported(plan)
        if reasons:
            raise StaysInSpark("; ".join(reasons))


def _inferred(key: Key, is_mixed: bool) -> str:
    """Why a key whose filters lead to others before the watermark stays in Spark."""
    text = sql_text(key.grouping)
    if is_mixed:
        return (
            f"a filter on the key `{text}`, which is computed from event time or a table behind"
            " withWatermark, and from other columns as well: Spark asks before the watermark"
            " whether those are there; group by each by itself"
        )
    return (
        f"a filter on the key `{text}` from a join behind withWatermark tells Spark which values"
        " rows have that they are joined by; put withWatermark behind the join, or filter by the"
        " rows' own columns in an inner join"
    )


def _sliding(plan: Sink, window: GroupedWindow | None) -> WindowsOfSlices | None:
    """How the worker makes windows of slices, where there are such and it can."""
    if window is None or not isinstance(window.window.meaning, SlidingWindow):
        return None
    return windows_of_slices(plan, window.window.meaning)


def _filtered(
    filters: list[Expr], expressions: Iterable[Expr], tables: Iterable[StaticTable] = ()
) -> ir.Operator:
    """The source, cut down to the columns that are read, its tables, and the filters over it."""
    operator = joined_source(tables, filters, expressions)
    for predicate in filters:
        operator = Filter(operator, predicate)
    return operator
