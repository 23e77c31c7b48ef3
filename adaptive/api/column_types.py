"""The types of columns, as users and pyarrow write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import pyarrow as pa

import ir
from adaptive.runtime.binding import arrow_type

TypeLike: TypeAlias = str | ir.DataType | pa.DataType

# Spark's SQL and Python names for the types that the IR calls something else.
SPARK_NAMES: dict[str, str] = {
    "boolean": "bool",
    "tinyint": "int8",
    "byte": "int8",
    "smallint": "int16",
    "short": "int16",
    "int": "int32",
    "integer": "int32",
    "bigint": "int64",
    "long": "int64",
    "float": "float32",
    "real": "float32",
    "double": "float64",
    "str": "string",
    "numeric": "decimal",
    "dec": "decimal",
}
_NOT_NULL = " not null"


def type_of(written: TypeLike) -> ir.DataType:
    """The IR type that a name (the IR's, Spark's) or an Arrow type stands for."""
    if isinstance(written, ir.DataType):
        return written
    if isinstance(written, pa.DataType):
        return _from_arrow(written)
    if not isinstance(written, str):
        raise ir.IrTypeError(
            f"a type is a name such as 'int64', or a pyarrow type; got {written!r}"
        )
    name, bracket, digits = written.strip().lower().replace(" ", "").partition("(")
    name = SPARK_NAMES.get(name, name)
    if name == "decimal" and not bracket:
        digits = "10,0)"  # as in Spark
    elif name == "decimal" and "," not in digits:
        digits = digits.replace(")", ",0)")
    return ir.type_named(f"{name}({digits}" if digits else name)


def schema_of(written: Mapping[str, TypeLike] | pa.Schema | ir.Schema) -> ir.Schema:
    """The IR schema of a dict of names and types, or of an Arrow schema."""
    if isinstance(written, ir.Schema):
        return written
    if isinstance(written, pa.Schema):
        return ir.Schema(tuple(_arrow_field(field) for field in written))
    if not isinstance(written, Mapping):
        raise ir.IrTypeError(
            f"a schema is a dict of names and types, or a pyarrow.Schema; got {written!r}"
        )
    return ir.Schema(tuple(_field(name, type_) for name, type_ in written.items()))


def _field(name: str, written: TypeLike) -> ir.Field:
    """A field is nullable unless its type says `not null`."""
    if isinstance(written, str) and written.lower().endswith(_NOT_NULL):
        return ir.Field(name, _named(name, written[: -len(_NOT_NULL)]), nullable=False)
    return ir.Field(name, _named(name, written))


def _arrow_field(field: pa.Field) -> ir.Field:
    return ir.Field(field.name, _named(field.name, field.type), field.nullable)


def _named(name: str, written: TypeLike) -> ir.DataType:
    try:
        return type_of(written)
    except ir.IrTypeError as error:
        raise ir.IrTypeError(f"column {name!r}: {error}") from None


def _from_arrow(type_: pa.DataType) -> ir.DataType:
    if pa.types.is_dictionary(type_):
        return _from_arrow(type_.value_type)
    if pa.types.is_large_string(type_) or pa.types.is_string_view(type_):
        return ir.STRING
    if pa.types.is_large_binary(type_) or pa.types.is_binary_view(type_):
        return ir.type_named("binary")
    if pa.types.is_decimal128(type_):
        return ir.type_named(f"decimal({type_.precision},{type_.scale})")
    if pa.types.is_timestamp(type_):
        if type_.unit != "us":
            raise ir.IrTypeError(f"{type_} is not in microseconds; cast to timestamp('us')")
        return ir.TIMESTAMP
    for known in ir.types.TYPES.values():
        if arrow_type(known) == type_:
            return known
    raise ir.IrTypeError(f"{type_} has no native form; cast it to another type")
