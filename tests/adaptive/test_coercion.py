"""Implicit casts of the builder API: types and values are those of Spark's ANSI mode.

The types were printed by Spark 4.3 for the same expressions in SQL.
"""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

import ir
from adaptive import functions as f
from adaptive import stream
from adaptive.api.expression import Expression, bound
from adaptive.runtime import Projection
from ir import DATE, Call, Cast, Column, Field, Literal, Schema, decimal

SCHEMA = Schema(
    tuple(
        Field(name, ir.type_named(type_))
        for name, type_ in {
            "price": "decimal(5,2)",
            "rate": "decimal(38,10)",
            "whole": "decimal(38,0)",
            "fine": "decimal(38,18)",
            "count": "int32",
            "single": "float32",
            "text": "string",
            "day": "date",
            "flag": "bool",
            "bytes": "binary",
        }.items()
    )
)
PRICE = Column("price", decimal(5, 2))
price, count, text = f.col("price"), f.col("count"), f.col("text")

TYPES: list[tuple[Expression, str]] = [
    (price + 5, "decimal(6,2)"),
    (price + count, "decimal(13,2)"),
    (price / 3, "decimal(9,6)"),
    (price // 3, "int64"),
    (price + 1.5, "float64"),
    (price * f.col("single"), "float64"),
    (f.lit(Decimal("1.5")) + 1, "decimal(3,1)"),
    (-price, "decimal(5,2)"),
    (f.coalesce("whole", "fine"), "decimal(38,0)"),
    (f.coalesce("rate", f.lit(5)), "decimal(38,10)"),
    (f.coalesce("price", "single"), "float64"),
    (f.nvl("price", f.lit(0)), "decimal(12,2)"),
    (f.nullif("price", f.lit(1)), "decimal(5,2)"),
    (text + 1, "int64"),
    (text + price, "float64"),
    (f.coalesce("text", f.lit(1)), "int64"),
    (f.coalesce("day", f.lit("2020-01-02")), "date"),
    (f.coalesce("flag", f.lit("true")), "bool"),
    (f.coalesce("text", "bytes"), "binary"),
    (f.when(f.col("flag"), text).otherwise(1.5), "float64"),
    (f.sqrt(f.lit("4")), "float64"),
    (f.sqrt("price"), "float64"),
    (f.concat("count", "text"), "string"),
]


@pytest.mark.parametrize(("expression", "wanted"), TYPES)
def test_types_are_sparks(expression: Expression, wanted: str) -> None:
    assert bound(expression, SCHEMA).type == ir.type_named(wanted)


def test_a_constant_beside_a_decimal_needs_no_cast_of_the_column() -> None:
    three = Literal(300, decimal(5, 2))
    assert bound(price > 3, SCHEMA) == Call("gt", (PRICE, three))
    assert bound(price > Decimal("0.5"), SCHEMA) == Call("gt", (PRICE, Literal(50, decimal(5, 2))))
    assert bound(f.col("day") == "2020-01-02", SCHEMA) == Call(
        "eq", (Column("day", DATE), Literal(18_263, DATE))
    )


def test_texts_are_read_as_what_they_are_compared_with() -> None:
    numbers = Cast(Column("text", ir.STRING), ir.INT64)
    assert bound(text > 3, SCHEMA) == Call("gt", (numbers, Literal(3, ir.INT64)))
    with pytest.raises(ir.IrTypeError, match="'many' is no int64"):
        bound(count > "many", SCHEMA)
    with pytest.raises(ir.IrTypeError, match="cast"):
        bound(f.col("day") > 3, SCHEMA)


def test_casts_and_decimals_compiled() -> None:
    query = stream({"text": "string", "price": "decimal(5,2)", "n": "int32"}).select(
        total=price * f.col("n") + Decimal("0.01"),
        parsed=text.try_cast("decimal(10,1)"),
        day=text.try_cast("date").cast("string"),
        shown=f.concat(f.col("price"), f.lit(" "), f.col("n").cast("string")),
    )
    rows = pa.record_batch(
        {
            "text": ["2020-2-29", " 12.25 ", None],
            "price": pa.array([Decimal("1.50"), None, Decimal("-0.05")], pa.decimal128(5, 2)),
            "n": pa.array([2, 3, -4], pa.int32()),
        }
    )
    made = Projection(query.plan).run(rows).to_pylist()
    assert [row["total"] for row in made] == [Decimal("3.01"), None, Decimal("0.21")]
    assert [row["parsed"] for row in made] == [None, Decimal("12.3"), None]
    assert [row["day"] for row in made] == ["2020-02-29", None, None]
    assert [row["shown"] for row in made] == ["1.50 2", None, "-0.05 -4"]
