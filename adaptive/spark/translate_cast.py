"""Casts of Catalyst that have a native form, and why others are left to Spark."""

from __future__ import annotations

from pyspark.sql import SparkSession

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, sql_text
from adaptive.spark.zone_rules import written_times_literal, zone_literal
from ir import Call, Cast, Column, DataType, DecimalType, EvalMode, Expr
from ir.conversion import COMPACT_DIGITS

# From this version on, Java writes a float with the fewest digits that read back as it.
SHORTEST_DIGITS_JAVA = 19
# A decimal of no more digits is cut the same way whether or not it goes through a double.
_SURE_DIGITS = 15


def translated_cast(node: JavaObject, child: Expr, target: DataType) -> Expr:
    """The cast of an expression, if its meaning is certain."""
    source = child.type
    mode = EvalMode(str(node.evalMode().toString()).lower())
    if source.is_float and (target is ir.STRING or target.is_decimal):
        _require_shortest_digits(node)
    if (source, target) == (ir.BINARY, ir.STRING):
        raise StaysInSpark(
            f"`{sql_text(node)}`: bytes need not be text, and what functions make of others is"
            " Java's; read the column as string"
        )
    if (source, target) == (ir.STRING, ir.TIMESTAMP):
        times = written_times_literal(zone_literal(node.zoneId()))
        return Call("parse_timestamp", (times, child), mode)
    if ir.TIMESTAMP in (source, target) and {source, target} & {ir.DATE, ir.STRING}:
        return _cast_in_zone(node, child, target, mode)
    if isinstance(source, DecimalType) and target.is_integer:
        _require_sure_digits(node, child, source, target)
    return Cast(child, target, mode)


def _cast_in_zone(node: JavaObject, child: Expr, target: DataType, mode: EvalMode) -> Expr:
    """Between a timestamp and its date or text, which are those of a zone."""
    zone = zone_literal(node.zoneId())
    if zone is None:
        return Cast(child, target, mode)
    if target is ir.TIMESTAMP:
        # Java's arithmetic raises, whatever the mode, but for try_cast.
        return Call("day_start", (zone, child), mode if mode is EvalMode.TRY else EvalMode.ANSI)
    if target is ir.DATE:
        return Call("local_date", (zone, child))
    return Cast(Call("to_local", (zone, child)), target, mode)


def _require_shortest_digits(node: JavaObject) -> None:
    jvm: JavaObject = SparkSession.active()._jvm
    version = str(jvm.java.lang.System.getProperty("java.specification.version"))
    if float(version) < SHORTEST_DIGITS_JAVA:
        raise StaysInSpark(
            f"`{sql_text(node)}`: Java {version} does not always write the shortest digits of a"
            f" float; run Spark with Java {SHORTEST_DIGITS_JAVA} or later, such as 21"
        )


def _require_sure_digits(
    node: JavaObject, child: Expr, source: DecimalType, target: DataType
) -> None:
    """Spark cuts a decimal exactly if it has it as a long: a column's it has, others it may not."""
    if target is ir.INT64 or isinstance(child, Column):
        return
    if _SURE_DIGITS < source.precision <= COMPACT_DIGITS:
        raise StaysInSpark(
            f"`{sql_text(node)}`: Spark may round a computed {source} before it cuts it off;"
            " cast to bigint first"
        )
