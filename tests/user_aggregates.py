"""Aggregates as users may write them, whose results do not depend on the order of the rows."""

from __future__ import annotations

from ir import (
    FLOAT64,
    INT32,
    INT64,
    STRING,
    Call,
    Cast,
    Column,
    DataType,
    EvalMode,
    Expr,
    Field,
    Literal,
    Schema,
    UserAggregate,
    decimal,
)
from ir.user_aggregates import other_column

DECIMAL = decimal(20, 4)


def fields(**types: DataType) -> Schema:
    """Columns that are never null."""
    return Schema(tuple(Field(name, type_, False) for name, type_ in types.items()))


def columns(schema: Schema) -> list[Column]:
    """What expressions read them as."""
    return [Column(field.name, field.type, field.nullable) for field in schema]


def wrapping(function: str, *args: Expr) -> Expr:
    """Arithmetic that wraps: in any order, the same comes out."""
    return Call(function, args, EvalMode.LEGACY)


def number_of_rows() -> UserAggregate:
    """No input at all."""
    state = fields(count=INT64)
    (count,), one = columns(state), Literal(1, INT64)
    other = other_column(state.fields[0])
    return UserAggregate(
        "rows",
        Schema(()),
        state,
        (Literal(0, INT64),),
        (wrapping("add", count, one),),
        (wrapping("add", count, other),),
        Cast(count, FLOAT64),
        (wrapping("subtract", count, other),),
    )


def sum_of_products() -> UserAggregate:
    """Two inputs, and two columns of state of different widths, which can be taken out again."""
    state, inputs = fields(total=INT64, bits=INT32), fields(a=INT64, b=INT32)
    (total, bits), (a, b) = columns(state), columns(inputs)
    others = [other_column(field) for field in state]
    joined = (wrapping("add", total, others[0]), Call("bit_xor", (bits, others[1])))
    return UserAggregate(
        "products",
        inputs,
        state,
        (Literal(7, INT64), Literal(0, INT32)),
        (
            wrapping("add", total, wrapping("multiply", a, Cast(b, INT64))),
            Call("bit_xor", (bits, b)),
        ),
        (wrapping("subtract", joined[0], Literal(7, INT64)), joined[1]),
        Call("bit_xor", (total, Cast(bits, INT64))),
        (
            wrapping("add", wrapping("subtract", total, others[0]), Literal(7, INT64)),
            Call("bit_xor", (bits, others[1])),
        ),
    )


def greatest(type_: DataType) -> UserAggregate:
    """A state that is null until there is a value."""
    state = Schema((Field("best", type_, True),))
    (best,), value = columns(state), Column("value", type_, False)
    return UserAggregate(
        "top",
        fields(value=type_),
        state,
        (Literal(None, type_),),
        (Call("greatest", (best, value)),),
        (Call("greatest", (best, other_column(state.fields[0]))),),
        best,
    )


def longest() -> UserAggregate:
    """A string as input and as result; the state is a number."""
    state, text = fields(length=INT32), Column("text", STRING, False)
    (length,) = columns(state)
    return UserAggregate(
        "longest",
        fields(text=STRING),
        state,
        (Literal(-1, INT32),),
        (Call("greatest", (length, Call("length", (text,)))),),
        (Call("greatest", (length, other_column(state.fields[0]))),),
        Call(
            "case_when",
            (
                Call("lt", (length, Literal(3, INT32))),
                Literal("short", STRING),
                Literal("long", STRING),
            ),
        ),
    )


DEFINITIONS = (
    number_of_rows(),
    sum_of_products(),
    greatest(INT32),
    greatest(FLOAT64),
    greatest(DECIMAL),
    longest(),
)
