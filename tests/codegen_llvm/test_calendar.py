"""The calendar and rounding in generated code over all of their range, against the evaluator."""

from __future__ import annotations

import random
import struct

from adaptive.runtime import Projection
from ir import (
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Call,
    Column,
    EvalMode,
    Expr,
    Field,
    Literal,
    Named,
    Project,
    Scalar,
    Schema,
    Sink,
    Source,
    evaluate,
)
from ir.arithmetic import round_to
from ir.functions import FUNCTIONS
from tests.arrow import canonical, from_table, to_batch

SCHEMA = Schema(
    (
        Field("d", DATE, False),
        Field("t", TIMESTAMP, False),
        Field("u", TIMESTAMP, False),
        Field("i", INT32, False),
        Field("n", INT64, False),
        Field("x", FLOAT64, False),
        Field("y", FLOAT32, False),
    )
)
COLUMNS = {field.name: Column(field.name, field.type, False) for field in SCHEMA}
UNITS = ("microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month")
UNITS += ("quarter", "year")


def call(function: str, *args: str | Literal) -> Expr:
    """Null where it would fail: all rows go on."""
    made = tuple(COLUMNS[arg] if isinstance(arg, str) else arg for arg in args)
    return Call(function, made, EvalMode.TRY)


def parts() -> list[Expr]:
    """All functions of a date or a timestamp, and those with units."""
    made = [
        call(row.name, {DATE: "d", TIMESTAMP: "t"}[type_])
        for row in FUNCTIONS.values()
        if row.arity == (1, 1)
        for type_ in (DATE, TIMESTAMP)
        if _takes(row.name, type_)
    ]
    for unit in (Literal(unit, STRING) for unit in UNITS):
        made += (call("date_trunc", unit, "t"), call("trunc", "d", unit))
        made += (call("timestamp_add", unit, "n", "t"), call("timestamp_diff", unit, "t", "u"))
    for is_rounded in (Literal(True, BOOL), Literal(False, BOOL)):
        made.append(call("months_between", "t", "u", is_rounded))
    return [*made, call("add_months", "d", "i"), call("next_day", "d", Literal("sun", STRING))]


def _takes(function: str, type_: object) -> bool:
    wanted = FUNCTIONS[function].result
    try:
        wanted(function, [type_])  # type: ignore[list-item]
    except ValueError:
        return False
    return function not in ("is_null", "is_not_null", "coalesce")


def rounding() -> list[Expr]:
    digits = (-22, -3, 0, 2, 5, 12, 17, 23)
    return [
        call(function, name, Literal(count, INT32))
        for function in ("round", "bround")
        for name in ("x", "y", "n")
        for count in digits
    ]


def any_integer(rng: random.Random, bits: int) -> int:
    edge = rng.choice((-(1 << bits - 1), (1 << bits - 1) - 1, 0))
    size = rng.getrandbits(bits - 1) >> rng.randint(0, bits - 1)
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    return min(max(rng.choice((edge + rng.randint(-99, 99), size, -size)), low), high)


def any_float(rng: random.Random) -> float:
    """Of few digits, ties, numbers of 15 to 17 digits, and any bits."""
    short = rng.randint(-(10**7), 10**7) / 10 ** rng.randint(0, 9)
    tie = (2 * rng.randint(-(10**6), 10**6) + 1) / 2 / 10 ** rng.randint(0, 5)
    long = rng.randint(-(10**17), 10**17) / 10 ** rng.randint(0, 12)
    bits: float = struct.unpack("d", rng.randbytes(8))[0]
    return rng.choice((short, tie, long, bits))


def any_row(rng: random.Random) -> dict[str, Scalar]:
    row: dict[str, Scalar] = {
        name: any_integer(rng, column.type.bits)
        for name, column in COLUMNS.items()
        if not column.type.is_float
    }
    if rng.random() < 0.5:  # near enough for sums to fit
        row |= {"n": rng.randint(-99, 99), "i": rng.randint(-99, 99)}
    return row | {"x": any_float(rng), "y": round_to(any_float(rng), FLOAT32)}


def check(columns: list[Expr], rows: list[dict[str, Scalar]]) -> None:
    named = tuple(Named(f"c{i}", column) for i, column in enumerate(columns))
    plan = Sink(Project(Source("in", SCHEMA), named), "out")
    made = from_table(Projection(plan).run(to_batch(rows, SCHEMA)))
    for row, here, there in zip(rows, made, evaluate(plan, rows), strict=True):
        assert canonical([here]) == canonical([there]), row


def test_the_calendar() -> None:
    rng = random.Random(5)
    check(parts(), [any_row(rng) for _ in range(600)])


def test_rounding() -> None:
    rng = random.Random(6)
    check(rounding(), [any_row(rng) for _ in range(200)])
