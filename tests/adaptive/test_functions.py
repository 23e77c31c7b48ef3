"""Expressions that are built in Python mean what the IR means."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ir
from adaptive import functions as f
from adaptive import stream
from adaptive.api.expression import Expression, bound
from ir import (
    BOOL,
    DATE,
    FLOAT32,
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
    DecimalType,
    EvalMode,
    EvaluationError,
    Expr,
    Field,
    Literal,
    Scalar,
    Schema,
)
from ir.aggregates import ALIASES
from ir.local_times import LOCAL_MEANINGS
from tests.arrow import canonical
from tests.strategies import ALL_TYPES, expressions, rows_for, schemas

SCHEMA = Schema(
    tuple(
        Field(f"{type_}", type_)
        for type_ in (BOOL, INT8, INT16, INT32, INT64, FLOAT32, FLOAT64, STRING, DATE, TIMESTAMP)
    )
)


def over(expression: Expression) -> Expr:
    return bound(expression, SCHEMA)


def column(type_: ir.DataType) -> Column:
    return Column(type_.name, type_)


@pytest.mark.parametrize("name", [name for name in ir.FUNCTIONS if name not in LOCAL_MEANINGS])
def test_every_scalar_function_is_there(name: str) -> None:
    assert callable(getattr(f, name))
    assert name in dir(f)


@pytest.mark.parametrize("name", LOCAL_MEANINGS)
def test_functions_that_take_the_rules_of_a_zone_are_not_offered(name: str) -> None:
    assert name in ir.FUNCTIONS
    assert name not in dir(f)
    with pytest.raises(AttributeError):
        getattr(f, name)


@pytest.mark.parametrize("name", ir.AGGREGATES)
def test_every_aggregate_is_there(name: str) -> None:
    assert callable(getattr(f, name))
    assert name in dir(f)


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_aggregates_have_other_names(alias: str, name: str) -> None:
    assert getattr(f, alias)("x").function == name


@pytest.mark.parametrize("name", f.SPARK_NAMES)
def test_sparks_names_are_those_of_functions(name: str) -> None:
    assert f.SPARK_NAMES[name] in {*ir.FUNCTIONS, *ir.AGGREGATES}
    assert name not in {*ir.FUNCTIONS, *ir.AGGREGATES}
    assert callable(getattr(f, name))


def test_an_unknown_function_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no function 'sqrtt'; did you mean 'sqrt'"):
        _ = f.sqrtt
    with pytest.raises(AttributeError, match="try_length"):
        _ = f.try_length  # it cannot fail


def built(expr: Expr) -> Expression:
    """The builder's form of an IR expression."""
    match expr:
        case Column(name):
            return f.col(name)
        case Literal():
            return f.lit(expr.value).cast(expr.type) if _is_plain(expr) else _calendar(expr)
        case Cast(child, type_, mode):
            return (
                built(child).try_cast(type_) if mode is EvalMode.TRY else built(child).cast(type_)
            )
        case Call(function, args, mode):
            return getattr(f, _name(function, mode))(*map(built, args))  # type: ignore[no-any-return]
    raise TypeError(expr)


def _is_plain(literal: Literal) -> bool:
    special = literal.type in (DATE, TIMESTAMP) or literal.type.is_decimal
    return literal.value is None or not special


def _calendar(literal: Literal) -> Expression:
    assert isinstance(literal.value, int)
    if isinstance(literal.type, DecimalType):
        digits = tuple(map(int, str(abs(literal.value))))
        value = Decimal((int(literal.value < 0), digits, -literal.type.scale))
        return f.lit(value).cast(literal.type)
    if literal.type is DATE:
        return f.lit(date(1970, 1, 1) + timedelta(days=literal.value))
    return f.lit(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=literal.value))


def _name(function: str, mode: EvalMode) -> str:
    """The try form, where there is one: elsewhere the mode has no meaning."""
    has_try = ir.FUNCTIONS[function].failure.name != "NONE"
    return f"try_{function}" if mode is EvalMode.TRY and has_try else function


@st.composite
def cases(draw: st.DrawFn) -> tuple[Schema, Expr, list[dict[str, Scalar]]]:
    schema = draw(schemas())
    type_ = draw(st.sampled_from(ALL_TYPES))
    expr = draw(expressions(schema, type_, 3, (EvalMode.ANSI, EvalMode.TRY)))
    return schema, expr, draw(rows_for(schema, max_size=5))


def outcome(expr: Expr, row: dict[str, Scalar]) -> list[str]:
    try:
        return canonical([{"x": ir.evaluate_expr(expr, row)}])
    except EvaluationError as error:
        return [error.condition]


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases())
def test_builder_expressions_are_the_ir_s(
    case: tuple[Schema, Expr, list[dict[str, Scalar]]],
) -> None:
    schema, expr, rows = case
    made = bound(built(expr), schema)
    assert made.type == expr.type
    for row in rows:
        assert outcome(made, row) == outcome(expr, row)


def test_operators() -> None:
    a, b = f.col("int64"), f.col("float64")
    long, double = column(INT64), column(FLOAT64)
    wide = Cast(long, FLOAT64)
    one = Literal(1, INT64)
    assert over(a + 1) == Call("add", (long, one))
    assert over(1 + a) == Call("add", (one, long))
    assert over(1 - a) == Call("subtract", (one, long))
    assert over(2 * a % 3) == Call(
        "remainder", (Call("multiply", (Literal(2, INT64), long)), Literal(3, INT64))
    )
    assert over(a * b) == Call("multiply", (wide, double))
    assert over(a / 2) == Call("divide", (wide, Literal(2.0, FLOAT64)))
    assert over(7 // a) == Call("int_divide", (Literal(7, INT64), long))
    assert over(-a) == Call("negate", (long,))
    assert over((a < 1) & ~(a >= 1) | (a != 1)) == Call(
        "or",
        (
            Call("and", (Call("lt", (long, one)), Call("not", (Call("ge", (long, one)),)))),
            Call("ne", (long, one)),
        ),
    )
    assert over(a.between(1, 2)) == Call("between", (long, one, Literal(2, INT64)))
    assert over(a.isin(1)) == over(a.isin([1])) == Call("in", (long, one))
    assert over(a.is_null()) == Call("is_null", (long,))
    assert over(f.col("string").startswith("a")) == Call(
        "startswith", (column(STRING), Literal("a", STRING))
    )


def test_conversions_are_sparks() -> None:
    """Integers widen, an integer with a float is a double, dates and texts compare as times."""
    small, narrow = column(INT8), column(FLOAT32)
    assert over(f.col("int8") + 1).type is INT32
    assert over(f.col("int8") + f.col("int16")).type is INT16
    assert over(f.col("int8") + f.col("float32")).type is FLOAT64
    assert over(f.col("float32") + f.col("float32")) == Call("add", (narrow, narrow))
    assert over(f.col("int8") == 3) == Call("eq", (small, Literal(3, INT8)))
    assert over(f.col("int8") == 300) == Call("eq", (Cast(small, INT32), Literal(300, INT32)))
    assert over(f.col("int32") < 2**40) == Call(
        "lt", (Cast(column(INT32), INT64), Literal(2**40, INT64))
    )
    assert over(f.sqrt("int8")) == Call("sqrt", (Cast(small, FLOAT64),))
    assert over(f.ceil("int8")) == Cast(small, INT64)
    assert over(f.coalesce("int8", f.lit(None), f.col("int64"))).type is INT64
    assert over(f.lit(None) == f.col("string")) == Call(
        "eq", (Literal(None, STRING), column(STRING))
    )
    assert over(f.coalesce(*[f.lit(None)] * 20).cast("int8")) == Cast(
        Call("coalesce", (Literal(None, BOOL),) * 20), INT8
    )
    midnight = Literal(86_400_000_000, TIMESTAMP)
    assert over(f.col("timestamp") > "1970-01-02") == Call("gt", (column(TIMESTAMP), midnight))
    assert over(f.col("timestamp") > date(1970, 1, 2)) == Call("gt", (column(TIMESTAMP), midnight))
    assert over(f.col("date") == "1970-01-02") == Call("eq", (column(DATE), Literal(1, DATE)))


def test_conditional_functions() -> None:
    x, schema = f.col("x"), Schema((Field("x", INT64),))
    table = [
        (f.when(x > 1, "big").when(x > 0, "one"), ["big", "one", None, None]),
        (f.when(x > 1, "big").otherwise("small"), ["big", "small", "small", "small"]),
        (f.expr_if(x > 0, x, -x), [2, 1, 0, None]),
        (f.nullif("x", 1), [2, None, 0, None]),
        (f.nvl("x", 7), [2, 1, 0, 7]),
        (f.ifnull("x", 7), [2, 1, 0, 7]),
        (f.nvl2("x", 1, 2), [1, 1, 1, 2]),
        (f.zeroifnull("x"), [2, 1, 0, 0]),
        (f.nullifzero("x"), [2, 1, None, None]),
        (f.coalesce("x", f.lit(-1)), [2, 1, 0, -1]),
        (f.try_add("x", 2**63 - 2), [None, 2**63 - 1, 2**63 - 2, None]),
        (x.eq_null_safe(None), [False, False, False, True]),
        (x.bitwise_and(1), [0, 1, 0, None]),
        (x.bitwise_or(4), [6, 5, 4, None]),
        (x.bitwise_xor(1), [3, 0, 1, None]),
        (x.cast("double"), [2.0, 1.0, 0.0, None]),
        (f.lit(300).try_cast("int8").is_null(), [True] * 4),
    ]
    for expression, expected in table:
        made = bound(expression, schema)
        assert [ir.evaluate_expr(made, {"x": v}) for v in (2, 1, 0, None)] == expected


def test_functions_of_texts() -> None:
    """Arguments that PySpark takes as texts are texts; the others are names of columns."""
    s, schema = f.col("s"), Schema((Field("s", STRING), Field("p", STRING)))
    row: dict[str, Scalar] = {"s": "Straße.de", "p": "ß"}
    table: list[tuple[Expression, Scalar]] = [
        (f.upper("s"), "STRASSE.DE"),
        (f.lcase("s"), "straße.de"),
        (f.substr("s", 2, 3), "tra"),
        (s.substr(-2, 2), "de"),
        (f.substring("s", 8), "de"),
        (f.left("s", 3), "Str"),
        (f.right("s", 2), "de"),
        (f.btrim("s", f.lit("Se")), "traße.d"),
        (f.concat_ws(".", "s", f.lit(None), "p"), "Straße.de.ß"),
        (f.instr("s", "e"), 6),
        (f.locate("e", "s", 7), 9),
        (f.locate("e", "s", f.lit(None).cast("int")), 0),
        (f.position("p", "s"), 5),
        (f.lpad("s", 11, "-"), "--Straße.de"),
        (f.rpad("p", 3), "ß  "),
        (f.replace("s", "p", f.lit("ss")), "Strasse.de"),
        (f.replace("s", "p"), "Strae.de"),
        (f.translate("s", "Sß", "s"), "strae.de"),
        (f.substring_index("s", ".", 1), "Straße"),
        (f.reverse("p"), "ß"),
        (f.repeat("p", 3), "ßßß"),
        (f.ascii("p"), 223),
        (f.len("s"), 9),
        (s.like("Str%_de"), True),
        (f.like("s", f.lit("%!%"), "!"), False),
        (f.like("p", "s"), False),
        (s.ilike("STRA%"), True),
        (f.ilike("s", f.lit("STRA!%"), "!"), False),
    ]
    for expression, expected in table:
        assert ir.evaluate_expr(bound(expression, schema), row) == expected


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (True, Literal(True, BOOL)),
        (5, Literal(5, INT32)),
        (-(2**31), Literal(-(2**31), INT32)),
        (2**31, Literal(2**31, INT64)),
        (0.5, Literal(0.5, FLOAT64)),
        ("a", Literal("a", STRING)),
        (date(1970, 1, 3), Literal(2, DATE)),
        (datetime(1970, 1, 1, 0, 0, 1), Literal(1_000_000, TIMESTAMP)),
        (datetime(1970, 1, 1, 1, tzinfo=UTC), Literal(3_600_000_000, TIMESTAMP)),
    ],
)
def test_constants(value: object, literal: Literal) -> None:
    assert over(f.lit(value)) == literal


WRONG = [
    (lambda: f.lit(2**70), ("64 bits", "Decimal")),
    (lambda: f.lit(timedelta(1)), ("timedelta is for windows",)),
    (lambda: f.lit([1, 2]), ("isin",)),
    (lambda: f.lit(object()), ("constants are",)),
    (lambda: over(f.col("timestamp") > "yesterday"), ("'yesterday'", "2026-01-31")),
    (lambda: over(f.col("bool") + 1), ("add needs", "bool, int32")),
    (lambda: over(f.length("int64", "int64")), ("length takes 1 arguments, got 2",)),
    (lambda: over(f.when(f.col("bool"), 1).otherwise("a")), ("'a' is no int64",)),
    (
        lambda: over(f.when(f.col("bool"), 1).otherwise(f.col("date"))),
        ("int32, date", "cast them"),
    ),
    (lambda: over(f.col("date").cast("bool")), ("cannot cast date to bool", "legacy")),
    (lambda: f.sum("a", "b"), ("sum takes one argument, got 2",)),
    (lambda: f.col("a").isin(), ("at least one value",)),
    (lambda: f.like("string", "string", "!"), ("constant pattern",)),
    (lambda: f.like("string", f.lit("a"), "!!"), ("one character",)),
    (lambda: f.like("string", f.lit("a!b"), "!"), ("'a!b' is wrong", "ESC_IN_THE_MIDDLE")),
    (lambda: over(f.lpad("string", "int64")), ("lpad needs (string, int32, string)",)),
]


@pytest.mark.parametrize(("build", "parts"), WRONG)
def test_errors_name_the_fix(build, parts) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ir.IrError) as caught:
        build()
    for part in parts:
        assert part in str(caught.value)


def test_text_is_a_column_as_an_argument_and_a_constant_beside_an_operator() -> None:
    query = stream({"a": "string", "b": "string"}).select(
        joined=f.concat("a", "b"), same=f.col("a") == "b", dashed=f.concat("a", f.lit("-"), "b")
    )
    assert ir.evaluate(query.plan, [{"a": "x", "b": "b"}]) == [
        {"joined": "xb", "same": False, "dashed": "x-b"}
    ]
