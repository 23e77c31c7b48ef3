"""The small table of a join: how Spark sends it to the tasks, and the look-up that it becomes.

The table stays a part of Spark's query: Spark computes it anew in each micro-batch, from
whatever it is made of, collects it into one row and sends that row to every executor, as it
would for a broadcast join of its own. So a table whose files change, or vanish, while a
stream runs is seen as Spark alone would see it. The row comes to the tasks beside the
listing of files; `table_rows` takes it from there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import ir
from adaptive.spark.catalyst import Catalyst, JavaObject, expr_id
from ir import Column, Expr, Field, LookUp, Schema, key_name


@dataclass
class StaticTable:
    """The table of a join: its keys, and the columns that the query was seen to read."""

    name: str
    found: str
    plan: JavaObject
    once: bool
    is_late: bool  # joined behind the watermark
    # Attributes whose filters tell Spark something of the columns that rows are joined by.
    telling: frozenset[int] = frozenset()
    keys: list[tuple[Expr, JavaObject]] = field(default_factory=list)
    columns: dict[str, tuple[JavaObject, ir.DataType]] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """The columns that it gives to rows."""
        return frozenset({*self.columns, self.found})

    def over(self, source: ir.Operator) -> LookUp:
        """The look-up for rows of a source."""
        fields = tuple(Field(name, type_) for name, (_, type_) in self.columns.items())
        keys = tuple(key for key, _ in self.keys)
        return LookUp(source, self.name, keys, Schema(fields), self.found, self.once)

    def packed(self, cx: Catalyst) -> DataFrame:
        """The table as one row with one column, which holds all rows; Spark plans it."""
        named = [(key_name(place), theirs) for place, (_, theirs) in enumerate(self.keys)]
        named += [(name, attribute) for name, (attribute, _) in self.columns.items()]
        aliases = [_alias(cx, theirs, name) for name, theirs in named]
        rows = cx.frame(cx.logical.Project(cx.sequence(aliases), self.plan))
        whole = F.struct(*(F.col(f"`{name}`") for name, _ in named))
        return rows.groupBy().agg(F.collect_list(whole).alias(self.name))


def with_tables(cx: Catalyst, listing: DataFrame, tables: Iterable[StaticTable]) -> DataFrame:
    """The listing with all tables in each of its rows."""
    for table in tables:
        listing = listing.crossJoin(F.broadcast(table.packed(cx)))
    return listing


def joined_source(
    tables: Iterable[StaticTable], filters: Iterable[Expr], expressions: Iterable[Expr]
) -> ir.Operator:
    """The columns of the files that are read, and behind them the look-ups."""
    tables = tuple(tables)
    keys = [key for table in tables for key, _ in table.keys]
    given = frozenset().union(*(table.names for table in tables))
    read = {
        node.name: node.type
        for expr in (*filters, *expressions, *keys)
        for node in expr.walk()
        if isinstance(node, Column) and node.name not in given
    }
    fields = tuple(Field(name, type_) for name, type_ in read.items())
    operator: ir.Operator = ir.Source("files", Schema(fields))
    for table in tables:
        operator = table.over(operator)
    return operator


def reads_late_tables(expr: Expr, tables: Iterable[StaticTable]) -> bool:
    """Whether an expression depends on a table that rows are joined with behind the watermark."""
    return not late_columns(tables).isdisjoint(expr.columns())


def filters_reach_rows(expr: Expr, tables: Iterable[StaticTable]) -> bool:
    """Whether of a filter on an expression of a late table, one on the rows themselves follows.

    Spark infers `ad_id = 'a'` from `ad_id = ad and ad = 'a'`, and a filter on anything from the
    table of a left join makes an inner one of it, for rows that have a value to join by.
    """
    read = expr.columns()
    return any(
        name in read and expr_id(attribute) in table.telling
        for table in tables
        if table.is_late
        for name, (attribute, _) in table.columns.items()
    )


def late_columns(tables: Iterable[StaticTable]) -> frozenset[str]:
    """What rows get from tables that they are joined with behind the watermark."""
    return frozenset(name for table in tables if table.is_late for name in table.names)


def _alias(cx: Catalyst, child: JavaObject, name: str) -> JavaObject:
    new_id = cx.singleton("org.apache.spark.sql.catalyst.expressions.NamedExpression").newExprId()
    return cx.expressions.Alias(child, name, new_id, cx.sequence([]), cx.none, cx.sequence([]))
