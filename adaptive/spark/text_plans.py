"""What can only be judged of a whole plan over JSON or CSV: its columns, its filters, its mode.

Spark's readers apply filters while they read a record, and then do not look at the rest of it.
In PERMISSIVE mode a bad field is null and nothing else. Where it has further effects (it drops
the row, fails the query, or fills the column of corrupt records), it also matters which columns
Spark itself would read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter

from pyspark.sql import SparkSession

import ir
from adaptive.explain import StaysInSpark
from adaptive.scan import RecordMode
from adaptive.spark.catalyst import Catalyst, JavaObject, children, class_name, expr_id, seq
from adaptive.spark.scope import Scope
from adaptive.spark.sources import FileSource
from adaptive.spark.text_sources import (
    CORRUPT_COLUMN,
    CORRUPT_OPTION,
    FIELDS_OPTION,
    PUSHED_OPTION,
    TIMES_OPTION,
)
from adaptive.spark.worker import source_schema
from adaptive.spark.zone_rules import named_zone_literal, written_times_literal
from ir import Filter, Schema, Sink, Source

_DEFAULT_VALUE_KEYS = ("EXISTS_DEFAULT", "CURRENT_DEFAULT")
_JSON_FILTERS = "org.apache.spark.sql.catalyst.json.JsonFilters"
_STRATEGY = "org.apache.spark.sql.execution.datasources.DataSourceStrategy"


def checked_text_source(
    cx: Catalyst, scope: Scope, aggregate: JavaObject, root: JavaObject, plans: Sequence[Sink]
) -> FileSource:
    """The source with what its scan must know; raises where the meaning of a text is uncertain.

    `root` is the whole query, of which the aggregate is a part.
    """
    source = scope.source
    fields = {field.name: field for plan in plans for field in source_schema(plan)}
    read = Schema(tuple(f for name, f in fields.items() if name not in source.partitions))
    options = source.lowered_options
    corrupt = options.get(CORRUPT_OPTION.lower()) or str(cx.spark.conf.get(CORRUPT_COLUMN))
    _refuse_defaults(source)
    if any(field.type in (ir.DATE, ir.TIMESTAMP) for field in read):
        _refuse_other_times(cx.spark)
    added = {CORRUPT_OPTION.lower(): corrupt}
    if any(field.type is ir.TIMESTAMP for field in read):
        added[TIMES_OPTION.lower()] = _times(cx.spark, options)
    mode = RecordMode.named(options.get("mode"))
    is_strict = mode is not RecordMode.PERMISSIVE or corrupt in read.names
    if is_strict or any(isinstance(node, Filter) for plan in plans for node in plan.walk()):
        scan = _spark_scan(cx, source, aggregate)
        if is_strict:
            _refuse_other_columns(source, scan, read, corrupt)
            if not root.fastEquals(aggregate):
                _refuse_fewer_columns(scan, _spark_scan(cx, source, root), mode)
        added[PUSHED_OPTION] = _pushed_filters(cx, scope, scan, read, corrupt)
    if source.format == "csv":
        added[FIELDS_OPTION] = _fields(source, corrupt)
    known = {key: value for key, value in source.options.items() if key.lower() not in added}
    return replace(source, options={**known, **added})


def _fields(source: FileSource, corrupt: str) -> str:
    """The names of the fields of a line, in order."""
    names = [str(attribute.name()) for attribute in seq(source.leaf.output())]
    return json.dumps([n for n in names if n not in source.partitions and n != corrupt])


def _refuse_defaults(source: FileSource) -> None:
    for attribute in seq(source.leaf.output()):
        if any(attribute.metadata().contains(key) for key in _DEFAULT_VALUE_KEYS):
            raise StaysInSpark(f"column `{attribute.name()}` has a default for missing values")


def _refuse_other_times(spark: SparkSession) -> None:
    policy = str(spark.conf.get("spark.sql.legacy.timeParserPolicy"))
    if policy.upper() != "CORRECTED":
        raise StaysInSpark(f"spark.sql.legacy.timeParserPolicy is {policy}; set it to CORRECTED")


def _times(spark: SparkSession, options: dict[str, str]) -> str:
    """What times mean that are written as text, for the scan."""
    name = options.get("timezone") or str(spark.conf.get("spark.sql.session.timeZone"))
    return str(written_times_literal(named_zone_literal(name)).value)


def _refuse_fewer_columns(scan: _SparkScan, whole: _SparkScan, mode: RecordMode) -> None:
    """Spark does not see that a record is bad by a column that the whole query does not need."""
    unread = sorted(scan.columns - whole.columns)
    if unread or scan.columns != whole.columns or len(scan.conditions) != len(whole.conditions):
        which = ", ".join(f"`{name}`" for name in unread) or "other columns"
        raise StaysInSpark(
            f"in mode {mode.name} it depends on {which} which records are bad, and Spark reads less"
            " for what is above the aggregate; leave unused aggregates out, or use mode PERMISSIVE"
        )


def _pushes_filters(spark: SparkSession, format_: str) -> bool:
    return str(spark.conf.get(f"spark.sql.{format_}.filterPushdown.enabled")) == "true"


@dataclass(frozen=True, slots=True)
class _SparkScan:
    """What Spark's own scan would do: the columns that it reads, and conditions right above it."""

    columns: frozenset[str]
    conditions: tuple[JavaObject, ...]


def _spark_scan(cx: Catalyst, source: FileSource, aggregate: JavaObject) -> _SparkScan:
    """As Spark plans it: a projection and a filter over a relation become one scan."""
    ids = {expr_id(attribute) for attribute in seq(source.leaf.output())}
    ways = list(_ways(cx.optimized(aggregate), ids))
    if len(ways) != 1:
        raise StaysInSpark("Spark's optimizer makes several scans of one, or none")
    [[*above, node]] = ways
    conditions: list[JavaObject] = []
    read = seq(node.output())
    while above and class_name(above[-1]) == "Filter":
        conditions += _split(above.pop().condition())
    if above and class_name(above[-1]) == "Project":
        columns = seq(above.pop().projectList())
        read = [*_attributes(columns), *_attributes(conditions)]
    if above and class_name(above[-1]) in ("Filter", "Project"):
        raise StaysInSpark("what Spark's reader does itself is not certain for this query")
    names = {expr_id(a): str(a.name()) for a in seq(node.output())}
    return _SparkScan(frozenset(names[expr_id(a)] for a in read), tuple(conditions))


def _ways(node: JavaObject, ids: set[int]) -> Iterator[list[JavaObject]]:
    """The nodes from a plan down to each leaf with one of these attributes."""
    below = children(node)
    if not below and any(expr_id(attribute) in ids for attribute in seq(node.output())):
        yield [node]
    for child in below:
        for way in _ways(child, ids):
            yield [node, *way]


def _split(condition: JavaObject) -> list[JavaObject]:
    if class_name(condition) != "And":
        return [condition]
    return _split(condition.left()) + _split(condition.right())


def _attributes(expressions: list[JavaObject]) -> list[JavaObject]:
    found: list[JavaObject] = []
    for node in expressions:
        is_attribute = class_name(node) == "AttributeReference"
        found += [node] if is_attribute else _attributes(children(node))
    return found


def _refuse_other_columns(source: FileSource, scan: _SparkScan, read: Schema, corrupt: str) -> None:
    columns = scan.columns - source.partitions.keys()
    if columns == {corrupt}:
        raise StaysInSpark(f"the query reads nothing but `{corrupt}`, which Spark refuses")
    other = columns ^ set(read.names)
    if other:
        raise StaysInSpark(
            f"a bad field in {', '.join(sorted(other))} would count in Spark but not natively, or"
            " the other way round; use mode PERMISSIVE"
        )


def _pushed_filters(
    cx: Catalyst, scope: Scope, scan: _SparkScan, read: Schema, corrupt: str
) -> str:
    """The filters that Spark's reader applies before it has read all of a record, as a plan."""
    plan: ir.Operator = Source("files", read)
    if _pushes_filters(cx.spark, scope.source.format):
        is_json = scope.source.format == "json"  # the order has no effect on CSV
        schema = scope.source.leaf.schema() if is_json else None
        for condition in _in_order(cx, scan.conditions, schema):
            predicate = scope.expressions.translate(condition)
            is_read = predicate.columns() <= set(read.names) - {corrupt}
            plan = Filter(plan, predicate) if is_read else plan
    return ir.to_json(Sink(plan, "pushed"))


def _in_order(
    cx: Catalyst, conditions: Sequence[JavaObject], schema: JavaObject | None
) -> list[JavaObject]:
    """Conditions that Spark hands to its reader, which applies the last one first."""
    translate = cx.singleton(_STRATEGY).translateFilter
    pushed = [(translate(condition, True), condition) for condition in conditions]
    found = [(made.get(), condition) for made, condition in pushed if made.isDefined()]
    places = _places(cx, [made for made, _ in found], schema)
    return [condition for _, condition in sorted(found, key=lambda one: -places[_about(one[0])])]


def _about(pushed: JavaObject) -> frozenset[str]:
    return frozenset(str(name) for name in pushed.references())


def _places(
    cx: Catalyst, pushed: Sequence[JavaObject], schema: JavaObject | None
) -> dict[frozenset[str], int]:
    """When Spark's reader of JSON applies filters, by the columns that they are about.

    It has them in Scala maps, whose order follows from hashes, so an instance of it is looked at.
    """
    groups = {_about(made) for made in pushed}
    if len(groups) < 2 or schema is None:
        return dict.fromkeys(groups, 0)
    reader = getattr(cx.jvm, _JSON_FILTERS)(cx.sequence(pushed), schema)
    field = reader.getClass().getDeclaredField("predicates")
    field.setAccessible(True)
    number = cx.jvm.java.lang.System.identityHashCode
    orders = [[int(number(one)) for one in mine] for mine in field.get(reader)]
    names = [str(name) for name in schema.fieldNames()]
    about: dict[int, frozenset[str]] = {}
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for name, order in zip(names, orders, strict=True):
        for before, one in zip([None, *order], order, strict=False):
            about[one] = about.get(one, frozenset()) | {name}
            sorter.add(one, *([] if before is None else [before]))
    return {about[one]: place for place, one in enumerate(sorter.static_order())}
