"""Facts about Spark's arithmetic: the evaluator and Spark itself are tested on the same tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ir import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Column,
    DataType,
    EvalMode,
    Expr,
    Field,
    Literal,
    NamedAggregate,
    Scalar,
    Schema,
    Sink,
    Source,
)
from tests.ir.fact import ANSI, LEGACY, TRY, Fact, Fails, Outcome, always, lossy
from tests.ir.text_facts import TEXT_FACTS

NAN, INF = math.nan, math.inf


def casts(source: DataType, *rows: tuple[Scalar, DataType, Scalar]) -> Iterable[Fact]:
    """Rows of value, target and result, the same in every mode."""
    for value, target, result in rows:
        yield Fact("cast", source, (value,), dict.fromkeys(EvalMode, result), target)


def lossy_casts(source: DataType, *rows: tuple[Scalar, DataType, Scalar]) -> Iterable[Fact]:
    """Rows of value, target and LEGACY result; ANSI fails and TRY gives null."""
    for value, target, legacy in rows:
        expected: dict[EvalMode, Outcome] = {
            ANSI: Fails("CAST_OVERFLOW"),
            LEGACY: legacy,
            TRY: None,
        }
        yield Fact("cast", source, (value,), expected, target)


TENTH, FIFTH = 0.10000000149011612, 0.20000000298023224  # as float32

FACTS: tuple[Fact, ...] = (
    *always("add", INT64, (1, 2, 3), (None, 1, None), (INT64.high, None, None)),
    *lossy("add", INT8, "ARITHMETIC_OVERFLOW", (127, 1, -128)),
    *lossy("add", INT16, "ARITHMETIC_OVERFLOW", (32767, 1, -32768)),
    *lossy("add", INT32, "ARITHMETIC_OVERFLOW", (INT32.high, 1, INT32.low)),
    *lossy("add", INT64, "ARITHMETIC_OVERFLOW", (INT64.high, 1, INT64.low)),
    *lossy("subtract", INT64, "ARITHMETIC_OVERFLOW", (INT64.low, 1, INT64.high)),
    *lossy("multiply", INT16, "ARITHMETIC_OVERFLOW", (32767, 2, -2)),
    *lossy("multiply", INT64, "ARITHMETIC_OVERFLOW", (INT64.high, 2, -2)),
    *lossy("negate", INT8, "ARITHMETIC_OVERFLOW", (-128, -128)),
    *lossy("negate", INT64, "ARITHMETIC_OVERFLOW", (INT64.low, INT64.low)),
    *always("negate", FLOAT64, (0.0, -0.0), (NAN, NAN)),
    *always("add", FLOAT32, (TENTH, FIFTH, 0.30000001192092896)),
    *always("multiply", FLOAT32, (2.0**127, 2.0, INF)),
    *always("multiply", FLOAT64, (1e308, 10.0, INF), (0.0, INF, NAN)),
    *always("divide", FLOAT64, (1.0, 4.0, 0.25), (None, 0.0, None), (1.0, None, None)),
    *lossy("divide", FLOAT64, "DIVIDE_BY_ZERO", (1.0, 0.0, None), (1.0, -0.0, None)),
    *lossy("divide", FLOAT64, "DIVIDE_BY_ZERO", (0.0, 0.0, None), (NAN, 0.0, None)),
    *always("int_divide", INT64, (-7, 2, -3), (7, -2, -3), (None, 0, None), (0, None, None)),
    *lossy("int_divide", INT64, "DIVIDE_BY_ZERO", (1, 0, None)),
    *lossy("int_divide", INT64, "ARITHMETIC_OVERFLOW", (INT64.low, -1, INT64.low)),
    *always("remainder", INT64, (-7, 3, -1), (7, -3, 1), (INT64.low, -1, 0), (None, 0, None)),
    *always("remainder", INT8, (-128, -1, 0)),
    *always("remainder", FLOAT64, (5.5, -2.0, 1.5), (-4.0, 2.0, -0.0), (5.0, INF, 5.0)),
    *always("remainder", FLOAT64, (INF, 5.0, NAN), (NAN, 5.0, NAN), (5.0, NAN, NAN)),
    *always("remainder", FLOAT32, (5.5, TENTH, 0.09999991953372955)),
    *lossy("remainder", INT32, "REMAINDER_BY_ZERO", (-7, 0, None)),
    *lossy("remainder", FLOAT64, "REMAINDER_BY_ZERO", (-7.0, 0.0, None), (-7.0, -0.0, None)),
    *always("eq", FLOAT64, (NAN, NAN, True), (0.0, -0.0, True), (NAN, None, None)),
    *always("ne", FLOAT64, (NAN, NAN, False), (NAN, INF, True)),
    *always("lt", FLOAT64, (NAN, NAN, False), (INF, NAN, True), (-0.0, 0.0, False)),
    *always("le", FLOAT64, (NAN, NAN, True), (NAN, INF, False)),
    *always("gt", FLOAT32, (NAN, INF, True)),
    *always("ge", FLOAT64, (1.0, NAN, False), (0.0, -0.0, True)),
    *always("eq_null_safe", FLOAT64, (NAN, NAN, True), (0.0, -0.0, True), (None, None, True)),
    *always("eq_null_safe", FLOAT64, (None, NAN, False)),
    *always("lt", STRING, ("é", "z", False), ("\uffff", "😀", True), ("a", "ab", True)),
    *always("lt", STRING, ("", "a", True), ("a", "\0", False)),
    *always("lt", BOOL, (False, True, True), (True, False, False)),
    *always("between", INT32, (2, 1, 3, True), (2, None, 1, False), (2, None, 3, None)),
    *always("between", FLOAT64, (NAN, 1.0, NAN, True)),
    *always("in", INT32, (1, 2, None, None), (1, 1, None, True), (None, 1, None), (1, 2, 3, False)),
    *always("in", FLOAT64, (NAN, NAN, True), (-0.0, 0.0, True)),
    *always("and", BOOL, (True, None, None), (False, None, False), (None, False, False)),
    *always("or", BOOL, (True, None, True), (None, True, True), (None, False, None)),
    *always("not", BOOL, (None, None), (True, False)),
    *always("is_null", INT32, (None, True), (1, False)),
    *always("is_not_null", INT32, (None, False), (1, True)),
    *always("coalesce", INT32, (None, 2, 3, 2), (None, None, None)),
    *always("case_when", BOOL, (None, True, False, False), (True, None, False, None)),
    *lossy("abs", INT8, "ARITHMETIC_OVERFLOW", (-128, -128)),
    *lossy("abs", INT16, "ARITHMETIC_OVERFLOW", (INT16.low, INT16.low)),
    *lossy("abs", INT32, "ARITHMETIC_OVERFLOW", (INT32.low, INT32.low)),
    *lossy("abs", INT64, "ARITHMETIC_OVERFLOW", (INT64.low, INT64.low)),
    *always("abs", INT8, (-127, 127), (None, None)),
    *always("abs", FLOAT32, (-0.0, 0.0), (-1.5, 1.5)),
    *always("abs", FLOAT64, (-0.0, 0.0), (-INF, INF), (NAN, NAN)),
    *always("sign", FLOAT64, (-0.0, -0.0), (0.0, 0.0), (NAN, NAN), (-INF, -1.0), (5e-324, 1.0)),
    *always("bit_and", INT8, (-128, 127, 0), (-1, 5, 5), (None, 0, None), (0, None, None)),
    *always("bit_or", INT16, (INT16.low, 1, -32767), (None, -1, None)),
    *always("bit_xor", INT32, (INT32.low, -1, INT32.high)),
    *always("bit_and", INT64, (INT64.low, -1, INT64.low)),
    *always("bit_not", INT8, (0, -1), (127, -128), (None, None)),
    *always("bit_not", INT64, (INT64.low, INT64.high)),
    *always("sqrt", FLOAT64, (2.0, math.sqrt(2.0)), (-1.0, NAN), (-0.0, -0.0), (INF, INF)),
    *always("exp", FLOAT64, (0.0, 1.0), (1000.0, INF), (-1000.0, 0.0), (-INF, 0.0), (NAN, NAN)),
    # Zero and below give null, in every mode.
    *always("ln", FLOAT64, (1.0, 0.0), (0.0, None), (-0.0, None), (-1.0, None), (-INF, None)),
    *always("ln", FLOAT64, (INF, INF), (NAN, NAN), (None, None)),
    *always("pow", FLOAT64, (2.0, 10.0, 1024.0), (-8.0, 0.5, NAN), (-2.0, 3.0, -8.0)),
    *always("pow", FLOAT64, (NAN, 0.0, 1.0), (0.0, 0.0, 1.0), (None, 0.0, None), (1.0, None, None)),
    # In C these are 1.
    *always("pow", FLOAT64, (1.0, NAN, NAN), (1.0, INF, NAN), (-1.0, -INF, NAN)),
    *always("pow", FLOAT64, (0.0, -1.0, INF), (-0.0, -1.0, -INF), (-0.0, -2.0, INF)),
    *always("pow", FLOAT64, (-0.0, -0.5, INF), (-0.0, 3.0, -0.0), (0.0, -INF, INF)),
    *always("pow", FLOAT64, (-10.0, 309.0, -INF), (-10.0, 310.0, INF), (-INF, -3.0, -0.0)),
    *always("ceil", FLOAT64, (1.2, 2), (-1.8, -1), (-0.5, 0), (None, None)),
    *always("floor", FLOAT64, (1.8, 1), (-1.2, -2), (-0.0, 0)),
    *always("ceil", FLOAT64, (NAN, 0), (-(2.0**63), INT64.low), (2.0**63 - 1024, 2**63 - 1024)),
    *always("floor", FLOAT64, (NAN, 0), (-(2.0**63), INT64.low)),
    # Stricter than a cast, for which 2^63 is not too large.
    *lossy("ceil", FLOAT64, "ARITHMETIC_OVERFLOW", (2.0**63, INT64.high), (INF, INT64.high)),
    *lossy("floor", FLOAT64, "ARITHMETIC_OVERFLOW", (2.0**63, INT64.high), (-1e19, INT64.low)),
    *lossy("floor", FLOAT64, "ARITHMETIC_OVERFLOW", (-INF, INT64.low), (1e300, INT64.high)),
    *always("greatest", INT32, (1, None, 3, 3), (None, None, None), (None, -1, -1)),
    *always("least", INT32, (1, None, 3, 1), (None, None, None), (None, -1, -1)),
    *always("greatest", FLOAT64, (NAN, INF, NAN), (INF, NAN, NAN), (None, NAN, NAN)),
    *always("least", FLOAT64, (NAN, INF, INF), (NAN, None, NAN)),
    # Equal: the first stays.
    *always("greatest", FLOAT64, (0.0, -0.0, 0.0), (-0.0, 0.0, -0.0)),
    *always("least", FLOAT32, (0.0, -0.0, 0.0), (-0.0, 0.0, -0.0)),
    *always("greatest", STRING, ("z", "é", "a", "é"), ("\uffff", "😀", "😀"), (None, "", "")),
    *always("least", STRING, ("ab", "a", "b", "a"), ("a", "", "")),
    *always("greatest", BOOL, (False, True, True)),
    *always("least", BOOL, (True, None, False, False)),
    *TEXT_FACTS,
    *casts(INT32, (127, INT8, 127), (1, BOOL, True), (0, BOOL, False), (None, INT8, None)),
    *casts(INT32, (16777217, FLOAT32, 16777216.0), (16777219, FLOAT32, 16777220.0)),
    *lossy_casts(INT32, (300, INT8, 44), (-129, INT8, 127), (70000, INT16, 4464)),
    *lossy_casts(INT64, (3_000_000_000, INT32, -1294967296)),
    *casts(INT64, (2**53 + 1, FLOAT64, 2.0**53), (INT64.low, FLOAT32, -(2.0**63))),
    # Through float64 this would round down to even: the last 1 decides, and float64 drops it.
    *casts(INT64, (2**60 + 2**36 + 1, FLOAT32, float(2**60 + 2**37))),
    *casts(FLOAT64, (127.9, INT8, 127), (-128.9, INT8, -128), (-0.9, INT64, 0)),
    *casts(FLOAT64, (2147483647.9, INT32, INT32.high), (-2147483648.9, INT32, INT32.low)),
    # The bounds are compared as float64: 2^63 is not too large for int64.
    *casts(FLOAT64, (2.0**63, INT64, INT64.high), (-(2.0**63), INT64, INT64.low)),
    *lossy_casts(FLOAT64, (128.0, INT8, -128), (-129.0, INT8, 127), (1e10, INT8, -1)),
    *lossy_casts(FLOAT64, (3e9, INT32, INT32.high), (9.3e18, INT64, INT64.high)),
    *lossy_casts(FLOAT64, (NAN, INT64, 0), (NAN, INT8, 0), (INF, INT32, INT32.high)),
    *lossy_casts(FLOAT64, (-INF, INT16, 0), (-INF, INT64, INT64.low)),
    *lossy_casts(FLOAT32, (INF, INT8, -1), (2.0**31, INT32, INT32.high)),
    *casts(FLOAT32, (2.0**63, INT64, INT64.high)),
    *casts(FLOAT64, (1e300, FLOAT32, INF), (-1e300, FLOAT32, -INF), (1e-50, FLOAT32, 0.0)),
    *casts(FLOAT64, (0.1, FLOAT32, TENTH), (NAN, FLOAT32, NAN), (-0.0, FLOAT32, -0.0)),
    *casts(FLOAT64, (-0.0, BOOL, False), (NAN, BOOL, True), (0.1, BOOL, True)),
    *casts(BOOL, (True, INT8, 1), (True, FLOAT64, 1.0), (False, FLOAT32, 0.0), (None, INT64, None)),
)


@dataclass(frozen=True)
class OrderFact:
    """Which operands are reached, in ANSI mode: one = 1, zero = 0, the others are named so."""

    sql: str
    expr: Expr
    expected: Outcome

    def __str__(self) -> str:
        return self.sql


ORDER_ROW: dict[str, Scalar] = {"one": 1, "zero": 0, "void": None, "yes": True, "no": False}
ORDER_ROW["unknown"] = None
ONE, ZERO, VOID = (Column(name, INT64) for name in ("one", "zero", "void"))
YES, NO, UNKNOWN = (Column(name, BOOL) for name in ("yes", "no", "unknown"))
BAD = Call("int_divide", (ONE, ZERO))
BAD_BOOL = Call("eq", (BAD, ONE))
BY_ZERO = Fails("DIVIDE_BY_ZERO")

A, BAD_INT = Literal("a", STRING), Cast(BAD, INT32)
BAD_TEXT = Call("repeat", (A, BAD_INT))
NO_TEXT = Call("case_when", (YES, Literal(None, STRING), A))
SQL_NO_TEXT, SQL_BAD_TEXT = "if(yes, null, 'a')", "repeat('a', cast(one div zero as int))"

ORDER_FACTS: tuple[OrderFact, ...] = (
    OrderFact("void + (one div zero)", Call("add", (VOID, BAD)), None),
    OrderFact("(one div zero) + void", Call("add", (BAD, VOID)), BY_ZERO),
    OrderFact("void = (one div zero)", Call("eq", (VOID, BAD)), None),
    OrderFact("(one div zero) < void", Call("lt", (BAD, VOID)), BY_ZERO),
    OrderFact("void <=> (one div zero)", Call("eq_null_safe", (VOID, BAD)), BY_ZERO),
    # Division evaluates its divisor first.
    OrderFact("void div (one div zero)", Call("int_divide", (VOID, BAD)), BY_ZERO),
    OrderFact("(one div zero) div void", Call("int_divide", (BAD, VOID)), None),
    OrderFact("(one div zero) % void", Call("remainder", (BAD, VOID)), None),
    OrderFact("void & (one div zero)", Call("bit_and", (VOID, BAD)), None),
    OrderFact("(one div zero) | void", Call("bit_or", (BAD, VOID)), BY_ZERO),
    # Extremes evaluate everything.
    OrderFact("greatest(void, one div zero)", Call("greatest", (VOID, BAD)), BY_ZERO),
    OrderFact("least(one, one div zero, void)", Call("least", (ONE, BAD, VOID)), BY_ZERO),
    OrderFact("void in (one div zero)", Call("in", (VOID, BAD)), None),
    OrderFact("one in (one, one div zero)", Call("in", (ONE, ONE, BAD)), True),
    OrderFact("one in (void, one div zero)", Call("in", (ONE, VOID, BAD)), BY_ZERO),
    OrderFact("void between one and (one div zero)", Call("between", (VOID, ONE, BAD)), None),
    OrderFact("zero between one and (one div zero)", Call("between", (ZERO, ONE, BAD)), False),
    OrderFact("one between void and (one div zero)", Call("between", (ONE, VOID, BAD)), BY_ZERO),
    OrderFact("no and (one div zero = one)", Call("and", (NO, BAD_BOOL)), False),
    OrderFact("unknown and (one div zero = one)", Call("and", (UNKNOWN, BAD_BOOL)), BY_ZERO),
    OrderFact("(one div zero = one) and no", Call("and", (BAD_BOOL, NO)), BY_ZERO),
    OrderFact("yes or (one div zero = one)", Call("or", (YES, BAD_BOOL)), True),
    OrderFact("unknown or (one div zero = one)", Call("or", (UNKNOWN, BAD_BOOL)), BY_ZERO),
    OrderFact("coalesce(void, one, one div zero)", Call("coalesce", (VOID, ONE, BAD)), 1),
    OrderFact("isnull(one div zero)", Call("is_null", (BAD,)), BY_ZERO),
    OrderFact(
        f"replace({SQL_NO_TEXT}, {SQL_BAD_TEXT}, 'b')",
        Call("replace", (NO_TEXT, BAD_TEXT, A)),
        None,
    ),
    OrderFact(
        f"replace('a', {SQL_NO_TEXT}, {SQL_BAD_TEXT})",
        Call("replace", (A, NO_TEXT, BAD_TEXT)),
        None,
    ),
    OrderFact(
        f"replace({SQL_BAD_TEXT}, {SQL_NO_TEXT}, 'a')",
        Call("replace", (BAD_TEXT, NO_TEXT, A)),
        BY_ZERO,
    ),
    OrderFact(
        f"trim(both {SQL_BAD_TEXT} from {SQL_NO_TEXT})", Call("trim", (NO_TEXT, BAD_TEXT)), None
    ),
    OrderFact(
        f"substring({SQL_NO_TEXT}, 1, cast(one div zero as int))",
        Call("substring", (NO_TEXT, Literal(1, INT32), BAD_INT)),
        None,
    ),
    OrderFact(
        f"concat_ws({SQL_NO_TEXT}, {SQL_BAD_TEXT})",
        Call("concat_ws", (NO_TEXT, BAD_TEXT)),
        BY_ZERO,
    ),
    OrderFact(f"{SQL_NO_TEXT} like {SQL_BAD_TEXT}", Call("like", (NO_TEXT, BAD_TEXT)), None),
    OrderFact(
        "case when unknown then one div zero when yes then one else one div zero end",
        Call("case_when", (UNKNOWN, BAD, YES, ONE, BAD)),
        1,
    ),
)


@dataclass(frozen=True)
class AggregateFact:
    """An aggregate of a column's values, in order."""

    function: str
    type: DataType
    values: tuple[Scalar, ...]
    expected: Outcome
    mode: EvalMode = ANSI
    parameters: tuple[Scalar, ...] = ()

    def __str__(self) -> str:
        return f"{self.function}-{self.mode.value}-{self.type}{self.values}"

    @property
    def plan(self) -> Sink:
        """One group of all rows, with the result in column r."""
        call = AggregateCall(self.function, Column("v", self.type), self.mode, self.parameters)
        source = Source("in", Schema((Field("v", self.type),)))
        return Sink(Aggregate(source, None, (), (NamedAggregate("r", call),)), "out")


OVERFLOW = Fails("ARITHMETIC_OVERFLOW")
AGGREGATE_FACTS: tuple[AggregateFact, ...] = (
    AggregateFact("sum", INT64, (INT64.high, 1), OVERFLOW),
    AggregateFact("sum", INT64, (INT64.high, -1, 1), INT64.high),
    AggregateFact("sum", INT64, (INT64.high, 1), INT64.low, LEGACY),
    AggregateFact("sum", INT64, (INT64.high, 1), None, TRY),
    AggregateFact("sum", INT64, (1, None, 2), 3, TRY),
    AggregateFact("sum", INT64, (None,), None),
    AggregateFact("sum", INT8, (127, 127), 254),
    AggregateFact("sum", FLOAT32, (TENTH, FIFTH), 0.30000000447034836),
    AggregateFact("sum", FLOAT64, (-0.0, -0.0), 0.0),
    AggregateFact("sum", FLOAT64, (1.0, NAN), NAN),
    AggregateFact("avg", INT64, (INT64.high, INT64.high), 2.0**63),
    AggregateFact("avg", INT32, (1, 2, None), 1.5),
    AggregateFact("avg", FLOAT32, (TENTH, FIFTH), 0.15000000223517418),
    AggregateFact("avg", FLOAT64, (), None),
    AggregateFact("min", FLOAT64, (NAN, 1.0, None), 1.0),
    AggregateFact("max", FLOAT64, (INF, NAN, 1.0), NAN),
    AggregateFact("min", FLOAT64, (0.0, -0.0), 0.0),  # equal: the first stays
    AggregateFact("max", FLOAT64, (-0.0, 0.0), -0.0),
    AggregateFact("max", STRING, ("z", "é", "a"), "é"),
    AggregateFact("max", STRING, ("😀", "\uffff"), "😀"),
    AggregateFact("min", BOOL, (True, False), False),
    AggregateFact("min", STRING, (), None),
    AggregateFact("count", INT64, (None, 1), 1),
    AggregateFact("count", INT64, (), 0),
    AggregateFact("median", INT32, (1, None, 4, 2, 9), 3.0),
    AggregateFact("median", INT64, (INT64.high, INT64.high - 1), 2.0**63),
    AggregateFact("median", FLOAT32, (TENTH, FIFTH), 0.15000000223517418),
    AggregateFact("median", FLOAT64, (NAN, 2.0), NAN),
    AggregateFact("median", FLOAT64, (INF, INF), INF),
    AggregateFact("median", FLOAT64, (INF, -INF), NAN),
    AggregateFact("median", FLOAT64, (1e308, -1e308), INF),  # their difference does not fit
    AggregateFact("median", FLOAT64, (None,), None),
    AggregateFact("percentile", INT64, (1, 2, INT64.high), 1.6, ANSI, (0.3,)),
    AggregateFact("percentile", INT8, (-5, 7, 100), 2.9992, ANSI, (0.3333,)),
    AggregateFact("percentile", FLOAT64, (3.0, NAN, 1.0, 2.0), 1.0, ANSI, (0.0,)),
    AggregateFact("percentile", FLOAT64, (3.0, NAN, 1.0, 2.0), NAN, ANSI, (1.0,)),
    AggregateFact("mode", INT32, (2, 1, None, 2, 1, 3), 1),  # the least of the most frequent
    AggregateFact("mode", FLOAT64, (-0.0, 0.0, 1.0), 0.0),
    AggregateFact("mode", FLOAT64, (NAN, NAN, 1.0), NAN),
    AggregateFact("mode", STRING, ("b", "é", "é", "b", "a"), "b"),
    AggregateFact("mode", BOOL, (None,), None),
    AggregateFact("count_distinct", FLOAT64, (-0.0, 0.0, NAN, NAN, None), 2),
    AggregateFact("count_distinct", STRING, ("a", "b", "a", None), 2),
    AggregateFact("count_distinct", INT64, (), 0),
)
