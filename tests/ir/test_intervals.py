"""What is proven of ranges holds for every value in them, by the evaluator."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ir import (
    BOOL,
    DATE,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Call,
    Cast,
    Column,
    DataType,
    EvalMode,
    EvaluationError,
    Expr,
    Field,
    Literal,
    Scalar,
    Schema,
    decimal,
    evaluate_expr,
)
from ir.calendar import DAY_US
from ir.intervals import Interval, Ranges, prove, range_of, range_of_type
from tests.strategies import ALL_MODES, ALL_TYPES, FIRST_DAY, LAST_DAY, expressions

Row = dict[str, Scalar]
A, B = Column("a", INT64), Column("b", INT64)
I32, I8 = Column("i", INT32), Column("s", INT8)
DAY, TIME = Column("d", DATE), Column("t", TIMESTAMP)
PRICE = Column("p", decimal(24, 4))
MILLION: Ranges = {name: Interval(0, 10**6) for name in "ab"}


def of(value: int, type_: DataType = INT64) -> Literal:
    return Literal(value, type_)


def call(function: str, *args: Expr) -> Call:
    return Call(function, args)


def of_text(text: str) -> Literal:
    return Literal(text, STRING)


def wide(expr: Expr) -> Cast:
    return Cast(expr, INT64)


THIS_CENTURY: Ranges = {"d": Interval(10_957, 47_482), "t": Interval(0, 4 * 10**15)}
PRODUCT = call("add", call("multiply", A, B), of(7))

# An expression, the ranges, whether it cannot fail, and the values that it has at most.
TABLE: list[tuple[Expr, Ranges, bool, Interval | None]] = [
    (call("add", A, of(1)), {}, False, range_of_type(INT64)),
    (
        call("multiply", wide(I32), of(1000)),
        {},
        True,
        Interval(-(2**31) * 1000, 2**31 * 1000 - 1000),
    ),
    (call("multiply", wide(I32), wide(I32)), {}, True, Interval(-(2**62) + 2**31, 2**62)),
    (call("multiply", I8, I8), {}, False, Interval(-128, 127)),
    (call("add", call("pmod", A, of(100)), of(9)), {}, True, Interval(9, 108)),
    (call("add", call("remainder", A, of(100)), of(9)), {}, True, Interval(-90, 108)),
    (PRODUCT, {}, False, range_of_type(INT64)),
    (PRODUCT, MILLION, True, Interval(7, 10**12 + 7)),
    (PRODUCT, {"a": MILLION["a"]}, False, range_of_type(INT64)),
    (PRODUCT, {"a": Interval(0, 2**32), "b": Interval(0, 2**31)}, False, range_of_type(INT64)),
    (call("abs", call("subtract", A, B)), MILLION, True, Interval(0, 10**6)),
    (call("abs", A), {"a": Interval(INT64.low, 0)}, False, range_of_type(INT64)),
    (call("negate", A), {"a": Interval(INT64.low + 1, 5)}, True, Interval(-5, INT64.high)),
    (Cast(A, INT32), MILLION, True, Interval(0, 10**6)),
    (Cast(A, INT16), MILLION, False, Interval(-(2**15), 2**15 - 1)),
    (call("int_divide", of(100), A), {"a": Interval(1, 7)}, True, Interval(14, 100)),
    (call("int_divide", of(100), A), {"a": Interval(0, 7)}, False, range_of_type(INT64)),
    (call("int_divide", of(100), A), {"a": Interval(-7, -1)}, True, Interval(-100, -14)),
    (call("int_divide", A, of(-1)), MILLION, True, Interval(-(10**6), 0)),
    (call("remainder", of(100), A), {"a": Interval(-3, 0)}, False, Interval(0, 2)),
    (call("add", call("year", DAY), of(1, INT32)), {}, True, Interval(-5_877_640, 5_881_581)),
    (call("add_months", DAY, of(1, INT32)), {}, False, range_of_type(DATE)),
    (call("add_months", DAY, of(12, INT32)), THIS_CENTURY, True, Interval(11_323, 47_847)),
    (Cast(DAY, TIMESTAMP), {}, False, range_of_type(TIMESTAMP)),
    (Cast(DAY, TIMESTAMP), THIS_CENTURY, True, Interval(10_957 * DAY_US, 47_482 * DAY_US)),
    (
        call("timestamp_add", Literal("hour", STRING), of(2), TIME),
        THIS_CENTURY,
        True,
        Interval(7_200_000_000, 4 * 10**15 + 7_200_000_000),
    ),
    (call("date_trunc", Literal("day", STRING), TIME), {}, False, range_of_type(TIMESTAMP)),
    (call("datediff", DAY, DAY), {}, True, range_of_type(INT32)),
    (call("multiply", PRICE, PRICE), {}, False, range_of_type(decimal(38, 6))),
    (
        call("multiply", PRICE, PRICE),
        {"p": Interval(-9, 10**6)},
        True,
        Interval(-90_000, 10**10),
    ),
    (call("divide", PRICE, PRICE), {"p": Interval(0, 9)}, False, None),
    (Cast(PRICE, decimal(6, 2)), {"p": Interval(0, 99_999_949)}, True, Interval(0, 999_999)),
    (
        Cast(PRICE, decimal(6, 2)),
        {"p": Interval(0, 99_999_950)},
        False,
        Interval(-999_999, 999_999),
    ),
    (call("add", Cast(A, FLOAT64), Cast(B, FLOAT64)), {}, True, None),
    (Cast(call("coalesce", of_text("7"), of_text("8")), INT64), {}, False, range_of_type(INT64)),
    # A range that no value of the type has says nothing.
    (call("add", I8, of(1, INT8)), {"s": Interval(200, 300)}, False, Interval(-128, 127)),
]


@pytest.mark.parametrize(("expr", "ranges", "is_sure", "values"), TABLE)
def test_what_is_proven(expr: Expr, ranges: Ranges, is_sure: bool, values: Interval | None) -> None:
    proven = prove(expr, ranges)
    assert proven.can_fail is not is_sure
    if values is not None:
        assert range_of(expr, ranges) == values
    assert prove(proven, ranges) == proven


def test_only_what_is_proven_is_not_checked() -> None:
    """The product may be lost, the sum of something small and the cast may not."""
    small = Cast(call("pmod", B, of(9)), INT32)
    proven = prove(call("multiply", wide(call("add", small, of(1, INT32))), A), {})
    modes = {type(node).__name__ + str(node.type): node.mode for node in _made(proven)}
    assert isinstance(proven, Call)
    assert proven.mode is EvalMode.ANSI
    assert modes["Callint32"] is modes["Castint32"] is EvalMode.EXACT


def _made(expr: Expr) -> list[Call | Cast]:
    return [node for node in expr.walk() if isinstance(node, Call | Cast)]


@st.composite
def ranges_of(draw: st.DrawFn, schema: Schema) -> dict[str, Interval]:
    """For some columns, a few values: small ones, about the ends of the type, or anywhere."""
    made = {}
    for field in schema:
        limits = _limits(field.type)
        if limits is None or not draw(st.integers(0, 4)):
            continue
        near = [value for value in (-9, 0, 1, limits.low, limits.high - 9) if value >= limits.low]
        low = draw(st.one_of(st.sampled_from(near), st.integers(*limits)))
        width = draw(st.sampled_from((0, 1, 3, 100, 10**4, 10**6, 2**31, 10**12, 10**15)))
        made[field.name] = Interval(low, min(limits.high, low + width))
    return made


def _limits(type_: DataType) -> Interval | None:
    """Dates and times are those of the years 1 to 9999."""
    if type_ == DATE:
        return Interval(FIRST_DAY, LAST_DAY)
    if type_ == TIMESTAMP:
        return Interval(FIRST_DAY * DAY_US, LAST_DAY * DAY_US)
    return None if type_ == BOOL else range_of_type(type_)


def value_of(field: Field, ranges: Ranges, chance: Random) -> Scalar:
    """A value in the column's range, often one of its ends."""
    if field.nullable and chance.random() < 0.1:
        return None
    if field.type == BOOL:
        return chance.random() < 0.5
    limits = ranges.get(field.name, _limits(field.type))
    if limits is None:
        return {STRING: "7"}.get(field.type, b"7" if field.type.is_bytes else 0.5)
    ends = (limits.low, limits.high, min(limits.low + 1, limits.high))
    return chance.choice(ends) if chance.random() < 0.6 else chance.randint(*limits)


SCHEMA = Schema(
    tuple(
        Field(f"c{number}", type_, bool(number % 2))
        for number, type_ in enumerate((*ALL_TYPES, INT64, INT32, DATE, TIMESTAMP))
    )
)
RESULTS = tuple(type_ for type_ in ALL_TYPES if not type_.is_bytes)


def result_of(expr: Expr, row: Row) -> object:
    """The value of a row, or the error of Spark's."""
    try:
        return repr(evaluate_expr(expr, row))
    except EvaluationError as error:
        return str(error)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_a_proven_expression_is_the_same_for_all_values_in_range(
    data: st.DataObject, seed: int
) -> None:
    """An operation that is not checked any more, and fails after all, is an `IrError`."""
    type_ = data.draw(st.sampled_from(RESULTS))
    expr = data.draw(
        expressions(SCHEMA, type_, 3, data.draw(st.sampled_from((ALL_MODES, ALL_MODES[:1]))))
    )
    ranges, chance = data.draw(ranges_of(SCHEMA)), Random(seed)
    proven, values = prove(expr, ranges), range_of(expr, ranges)
    for _ in range(20):
        row = {field.name: value_of(field, ranges, chance) for field in SCHEMA}
        made = result_of(expr, row)
        assert result_of(proven, row) == made
        if values is not None and not str(made).startswith("["):
            value = evaluate_expr(expr, row)
            assert value is None or values.low <= int(value) <= values.high  # type: ignore[arg-type]
    assert prove(proven, ranges) == proven
