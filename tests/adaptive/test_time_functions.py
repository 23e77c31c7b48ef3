"""Dates, timestamps and rounding as they are written in Python."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

import ir
from adaptive import functions as f
from adaptive.api.expression import Expression, bound
from adaptive.api.literals import days, microseconds
from ir import DATE, FLOAT64, INT32, INT64, STRING, TIMESTAMP, Call, Column, Field, Literal, Schema

SCHEMA = Schema(
    (
        Field("t", TIMESTAMP),
        Field("d", DATE),
        Field("n", INT32),
        Field("x", FLOAT64),
        Field("s", STRING),
    )
)
MOMENT = datetime(2024, 2, 29, 13, 14, 15, 678_901, tzinfo=UTC)
ROW = {"t": microseconds(MOMENT), "d": days(date(2024, 2, 29)), "n": 25, "x": 2.675}
NOON = microseconds(datetime(2024, 2, 29, 12, tzinfo=UTC))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (f.hour("t") * 100 + f.minute("t"), 1314),
        (f.microsecond("t"), 678_901),
        (f.second_with_fraction("t"), 15_678_901),
        (f.date_trunc("minute", "t"), ROW["t"] - 15_678_901),
        (f.date_trunc("fortnight", "t"), None),
        (f.unix_seconds(f.date_trunc("year", f.col("t"))), 1_704_067_200),
        (f.timestamp_add("hour", -1, f.date_trunc("hour", "t")), NOON),
        (f.timestampadd("day", f.col("n"), "t"), ROW["t"] + 25 * 86_400_000_000),
        (f.timestamp_diff("minute", f.lit("2024-02-29 12:00:00"), "t"), 74),
        (f.months_between(f.lit("2024-03-31 13:14:15"), "t"), 1.0),
        (f.months_between(f.lit("2024-03-30 13:14:15"), "t"), 1.03225806),
        (f.col("t") + timedelta(hours=1), ROW["t"] + 3_600_000_000),
        (timedelta(days=1) + f.col("t"), ROW["t"] + 86_400_000_000),
        (f.col("t") - timedelta(microseconds=1), ROW["t"] - 1),
        (f.col("d") + 1, days(date(2024, 3, 1))),
        (1 + f.col("d"), days(date(2024, 3, 1))),
        (f.col("d") - f.col("n"), days(date(2024, 2, 4))),
        (f.extract("DOW", "d"), 5),
        (f.date_part("seconds", "t"), 15_678_901),
        (f.year("d"), 2024),
        (f.dayofmonth("d"), 29),
        (f.weekofyear("d"), 9),
        (f.date_add("d", 1), days(date(2024, 3, 1))),
        (f.add_months("d", 12), days(date(2025, 2, 28))),
        (f.last_day("d"), ROW["d"]),
        (f.next_day("d", "sunday"), days(date(2024, 3, 3))),
        (f.trunc("d", "quarter"), days(date(2024, 1, 1))),
        (f.datediff("d", f.lit(date(2024, 1, 1))), 59),
        (f.make_date(2024, 2, "n"), days(date(2024, 2, 25))),
        (f.try_make_date(2023, 2, f.col("n") + 4), None),
        (f.timestamp_seconds("n"), 25_000_000),
        (f.timestamp_seconds("x"), 2_675_000),
        (f.round("x", 2), 2.68),
        (f.bround("x", 2), 2.68),
        (f.round("x"), 3.0),
        (f.round("n", -1), 30),
        (f.bround("n", -1), 20),
        (f.mod(-7, "n"), -7),
        (f.pmod(-7, "n"), 18),
        (f.shiftleft("n", 2), 100),
        (f.log10(f.col("n") * 4), 2.0),
    ],
    ids=str,
)
def test_values(expression: Expression, expected: object) -> None:
    assert ir.evaluate_expr(bound(expression, SCHEMA), ROW) == expected


def test_a_timestamp_is_taken_as_its_date() -> None:
    made = bound(f.year("t"), SCHEMA)
    assert made == Call("year", (ir.Cast(Column("t", TIMESTAMP), DATE),))
    assert bound(f.hour("d"), SCHEMA) == Call("hour", (ir.Cast(Column("d", DATE), TIMESTAMP),))


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: f.timestamp_add("fortnight", 1, "t"), "no unit 'fortnight'; units are"),
        (lambda: f.next_day("d", "someday"), "no day 'someday'; write 'monday'"),
        (lambda: f.extract("epoch", "t"), "no field 'epoch'; fields are year"),
        (lambda: f.round("x", f.col("n")), "needs a constant as argument 2"),
        (lambda: f.date_trunc(f.col("s"), "t"), "constant"),
    ],
)
def test_errors_name_the_fix(build, part: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ir.IrTypeError, match=part):
        bound(build(), SCHEMA)


def test_constants_stay_constants() -> None:
    made = bound(f.round("x", 2), SCHEMA)
    assert made == Call("round", (Column("x", FLOAT64), Literal(2, INT32)))
    assert bound(f.timestamp_add("day", 1, "t"), SCHEMA).type is TIMESTAMP
    assert bound(f.timestamp_diff("day", "t", "t"), SCHEMA).type is INT64
