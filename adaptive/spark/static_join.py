"""Joins with a small table between files and aggregate: which ones have a native form."""

from __future__ import annotations

from dataclasses import dataclass

from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import (
    Catalyst,
    JavaObject,
    children,
    class_name,
    expr_id,
    seq,
    sql_text,
    walk,
)
from adaptive.spark.scope import Scope
from adaptive.spark.static_table import StaticTable
from adaptive.spark.types import column_type, ir_type
from ir import BOOL, Call, Column, Expr

LIMIT = "spark.sql.autoBroadcastJoinThreshold"
MOST_COUNTED_ROWS = 100_000  # of a table whose size Spark does not know
# Of each kind of join: the sides that may be the table, as positions.
TABLE_SIDES = {
    "Inner": (1, 0),
    "LeftOuter": (1,),
    "RightOuter": (0,),
    "LeftSemi": (1,),
    "LeftAnti": (1,),
}


@dataclass(frozen=True, slots=True)
class StaticJoin:
    """A join, with the side that has the rows and the side that is the table."""

    kind: str
    rows: JavaObject
    table: JavaObject
    condition: JavaObject


def static_join(cx: Catalyst, node: JavaObject) -> StaticJoin:
    """The rows and the table of a join, or the reason why Spark must join them."""
    kind = class_name(node.joinType()).removesuffix("$")
    condition = node.condition()
    if kind not in TABLE_SIDES or not condition.isDefined():
        raise StaysInSpark(
            f"a {kind} join without a native form is between the files and the aggregate;"
            " join by equal columns: inner, left outer, left semi or left anti"
        )
    sides = children(node)
    for position in TABLE_SIDES[kind]:
        table, rows = sides[position], sides[1 - position]
        if not table.isStreaming() and (rows.isStreaming() or not node.isStreaming()):
            break
    else:
        raise StaysInSpark(
            f"the {kind} join between the files and the aggregate has a stream where it needs a"
            " table; aggregate before the join"
        )
    if kind == "Inner" and not node.isStreaming() and _is_rather_table(cx, rows, table):
        table, rows = rows, table
    if any(class_name(part) == "CTERelationRef" for part in walk(table)):
        raise StaysInSpark("the table of a join is a common table expression; make it a view")
    _refuse_large(cx, table)
    return StaticJoin(kind, _unhinted(rows), table, condition.get())


def _is_rather_table(cx: Catalyst, rows: JavaObject, table: JavaObject) -> bool:
    """Of two tables, whether the one that was to have the rows is the one to be sent."""
    if _is_hinted(rows) or _is_hinted(table):
        return _is_hinted(rows)
    has_files = any(class_name(part) == "LogicalRelation" for part in walk(table))
    return has_files and _size(cx, rows) < _size(cx, table)


def _is_hinted(plan: JavaObject) -> bool:
    return class_name(plan) == "ResolvedHint" and "broadcast" in str(plan.hints().toString())


def _refuse_large(cx: Catalyst, table: JavaObject) -> None:
    """Only what Spark itself would send to every executor, or was told to."""
    if _is_hinted(table):
        return
    limit = int(cx.session.sessionState().conf().autoBroadcastJoinThreshold())
    size = _size(cx, table)
    if size <= limit:
        return
    advice = "make it smaller, or hint it with broadcast()"
    if any(class_name(part) == "LogicalRDD" for part in walk(table)):
        counted = cx.frame(table).limit(MOST_COUNTED_ROWS + 1).count()
        if counted <= MOST_COUNTED_ROWS and limit >= 0:
            return
        raise StaysInSpark(
            f"the table of a join has more than {MOST_COUNTED_ROWS:,} rows, and Spark does not"
            f" know its size; {advice}"
        )
    raise StaysInSpark(
        f"the table of a join has {size:,} bytes by Spark's estimate, and {LIMIT} is {limit:,};"
        f" {advice}"
    )


def _size(cx: Catalyst, plan: JavaObject) -> int:
    return int(cx.optimized(plan).stats().sizeInBytes())


def _unhinted(plan: JavaObject) -> JavaObject:
    return plan.child() if class_name(plan) == "ResolvedHint" else plan


def enter_join(scope: Scope, join: StaticJoin) -> None:
    """Take in a join: rows get the columns of the table, and those without a partner may go."""
    once = join.kind in ("LeftSemi", "LeftAnti")
    if once and scope.watermark is not None:
        raise StaysInSpark(
            f"withWatermark is below a {join.kind} join, which Spark may evaluate before it;"
            " put withWatermark behind the join"
        )
    table = scope.add_table(join.table, once)
    theirs = {expr_id(attribute) for attribute in seq(join.table.output())}
    is_left = join.kind == "LeftOuter"
    table.telling = frozenset(theirs if is_left else theirs & _reads(join.condition))
    others = [
        part for part in _conjuncts(join.condition) if not _take_key(scope, table, part, theirs)
    ]
    if not table.keys:
        raise StaysInSpark(f"`{sql_text(join.condition)}` joins by no equal columns")
    if others and join.kind != "Inner":
        raise StaysInSpark(
            f"`{sql_text(others[0])}` is a condition of a {join.kind} join beside equal columns;"
            " only inner joins have such a native form"
        )
    found = Column(table.found, BOOL, nullable=False)
    if join.kind in ("Inner", "LeftSemi"):
        scope.filters.append(found)
    elif join.kind == "LeftAnti":
        scope.filters.append(Call("not", (found,)))
    if not once:
        for attribute in seq(join.table.output()):
            _define(scope, table, attribute)
    scope.filters += [scope.expressions.translate(part) for part in others]


def _take_key(scope: Scope, table: StaticTable, condition: JavaObject, theirs: set[int]) -> bool:
    """Whether a condition compares a value of the row with one of the table; then it is a key."""
    if class_name(condition) != "EqualTo":
        return False
    left, right = _reads(condition.left()), _reads(condition.right())
    if left and right and left <= theirs and not right & theirs:
        key, there = condition.right(), condition.left()
    elif left and right and right <= theirs and not left & theirs:
        key, there = condition.left(), condition.right()
    else:
        return False
    mine = scope.expressions.translate(key)
    if ir_type(there.dataType(), f"`{sql_text(there)}`") != mine.type:
        raise StaysInSpark(f"`{sql_text(condition)}` compares two types; cast one of them")
    if mine.can_fail:
        raise StaysInSpark(
            f"`{sql_text(key)}` can fail, and would be computed for rows that a filter drops;"
            " use its try_ form as the key of the join"
        )
    table.keys.append((mine, there))
    return True


def _define(scope: Scope, table: StaticTable, attribute: JavaObject) -> None:
    def meaning() -> Expr:
        type_ = column_type(attribute)
        name = scope.free_name(str(attribute.name()))
        table.columns[name] = (attribute, type_)
        return Column(name, type_)

    scope.define(attribute, meaning)


def _conjuncts(condition: JavaObject) -> list[JavaObject]:
    if class_name(condition) != "And":
        return [condition]
    return _conjuncts(condition.left()) + _conjuncts(condition.right())


def _reads(expression: JavaObject) -> set[int]:
    return {expr_id(part) for part in walk(expression) if class_name(part) == "AttributeReference"}
