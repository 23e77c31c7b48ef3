"""Spark's column types as IR types, both ways; other types are a reason to stay in Spark."""

from __future__ import annotations

from pyspark.sql import types as spark_types

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject

# By Catalyst's `simpleString`; a collated string or a char(n) is spelled differently.
IR_TYPES: dict[str, ir.DataType] = {
    "boolean": ir.BOOL,
    "tinyint": ir.INT8,
    "smallint": ir.INT16,
    "int": ir.INT32,
    "bigint": ir.INT64,
    "float": ir.FLOAT32,
    "double": ir.FLOAT64,
    "string": ir.STRING,
    "binary": ir.BINARY,
    "date": ir.DATE,
    "timestamp": ir.TIMESTAMP,
}
SPARK_TYPES: dict[ir.DataType, spark_types.DataType] = {
    ir.BOOL: spark_types.BooleanType(),
    ir.INT8: spark_types.ByteType(),
    ir.INT16: spark_types.ShortType(),
    ir.INT32: spark_types.IntegerType(),
    ir.INT64: spark_types.LongType(),
    ir.FLOAT32: spark_types.FloatType(),
    ir.FLOAT64: spark_types.DoubleType(),
    ir.STRING: spark_types.StringType(),
    ir.BINARY: spark_types.BinaryType(),
    ir.DATE: spark_types.DateType(),
    ir.TIMESTAMP: spark_types.TimestampType(),
}
# Spark keeps char(n) and varchar(n) as strings and leaves the length in this metadata.
CHAR_TYPE_KEY = "__CHAR_VARCHAR_TYPE_STRING"


def ir_type(data_type: JavaObject, subject: str) -> ir.DataType:
    """The IR type of a Catalyst type; `subject` names the value in the reason."""
    name = str(data_type.simpleString())
    if name.startswith("decimal("):
        return ir.decimal(int(data_type.precision()), int(data_type.scale()))
    if name not in IR_TYPES:
        known = ", ".join((*IR_TYPES, "decimal"))
        raise StaysInSpark(f"{subject} has type {name}; native types are {known}")
    return IR_TYPES[name]


def spark_type(type_: ir.DataType) -> spark_types.DataType:
    """The Spark type of an IR type."""
    if isinstance(type_, ir.DecimalType):
        return spark_types.DecimalType(type_.precision, type_.scale)
    return SPARK_TYPES[type_]


def column_type(attribute: JavaObject) -> ir.DataType:
    """The IR type of a file's column."""
    subject = f"column `{attribute.name()}`"
    if attribute.metadata().contains(CHAR_TYPE_KEY):
        raise StaysInSpark(f"{subject} is a char or varchar; declare it as string")
    return ir_type(attribute.dataType(), subject)
