"""Variants made without a look at the data, and plans for which most of what they say matters."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from ir import (
    BOOL,
    FLOAT64,
    GENERIC,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Assumption,
    Call,
    Cast,
    Column,
    EvalMode,
    Expr,
    Field,
    Filter,
    FilterOrder,
    Hint,
    HotKeys,
    Literal,
    Named,
    NamedAggregate,
    NoNulls,
    Operator,
    Prefetch,
    Project,
    Scalar,
    Schema,
    SelectRows,
    Sink,
    Source,
    Tier,
    TumblingWindow,
    ValuesInRange,
    VariantSpec,
)
from tests.bets import KEY_TYPES, ranges
from tests.strategies import ALL_MODES, SECOND_US, expressions

BLOCKS: tuple[tuple[Hint, ...], ...] = (
    (),
    (SelectRows(1),),
    (SelectRows(7),),
    (SelectRows(19),),  # sixteen at once and three one by one
    GENERIC.hints,
)


@st.composite
def advice(draw: st.DrawFn, keys: int) -> tuple[Hint, ...]:
    """Hints that hold or not, also such as no policy gives: filters and keys that there are not."""
    numbers = st.lists(st.integers(-1, 5), max_size=4).map(tuple)
    length = draw(st.sampled_from((keys, keys, keys, keys, keys + 1)))
    number = st.one_of(st.integers(-2, 4), st.integers(-2, 4), st.sampled_from((2**63, -(2**31))))
    key = st.tuples(*[number] * length)
    offered: list[st.SearchStrategy[Hint]] = [
        st.builds(FilterOrder, numbers, numbers),
        st.builds(Prefetch, st.sampled_from((-1, 0, 1, 3, 16, 2**40))),
        st.builds(HotKeys, st.lists(key, max_size=5).map(tuple)),
        st.builds(HotKeys, st.lists(key, min_size=2, max_size=6).map(tuple)),
        st.builds(HotKeys, st.just(tuple((value,) * keys for value in (0, 1, 3)))),
    ]
    taken = draw(st.sets(st.sampled_from(range(len(offered))), min_size=1))
    return draw(st.sampled_from(BLOCKS)) + tuple(draw(offered[one]) for one in sorted(taken))


@st.composite
def claims(draw: st.DrawFn, columns: tuple[str, ...]) -> tuple[Assumption, ...]:
    """Assumptions about columns, of which there may be none."""
    names = st.sampled_from((*columns, "no such column"))
    free = st.builds(NoNulls, st.lists(names, max_size=3).map(tuple))
    small = st.builds(
        ValuesInRange, names, st.integers(-3, 0), st.one_of(st.integers(0, 5), st.just(1 << 20))
    )
    return tuple(draw(st.lists(st.one_of(free, small, small, small), max_size=4)))


@st.composite
def variants(draw: st.DrawFn, keys: int, columns: tuple[str, ...]) -> tuple[VariantSpec, ...]:
    """Some that take turns: arrays for several ranges, which have one code, and hash tables."""
    assumed, hints = draw(claims(columns)), draw(advice(keys))
    wanted = draw(st.sampled_from((keys, keys, keys, 1, 3))) or 1
    arrays = [draw(ranges(wanted)) for _ in range(3)]
    return (
        *(VariantSpec(Tier.SPECULATIVE, (*assumed, one), hints) for one in arrays),
        VariantSpec(Tier.SPECULATIVE, assumed, hints),
        GENERIC,
    )


NAMES = ("a", "b", "c", "d")


@st.composite
def many_rows(draw: st.DrawFn, schema: Schema) -> list[dict[str, Scalar]]:
    """More rows than hypothesis would draw one by one; keys repeat, and a few values are large."""
    chance = Random(draw(st.integers(0, 2**32)))
    nulls, large = draw(st.sampled_from((0.0, 0.0, 0.1))), draw(st.sampled_from((0.0, 0.02, 0.3)))
    count = draw(st.sampled_from((1, 8, 40, 120)))

    def cell(field: Field) -> Scalar:
        if field.nullable and chance.random() < nulls:
            return None
        if field.type == TIMESTAMP:
            return chance.randrange(-3 * SECOND_US, 30 * SECOND_US)
        if chance.random() < large:
            return chance.choice((field.type.low, field.type.high, field.type.high // 2, 1 << 20))
        return chance.randrange(-2, 5)

    return [{field.name: cell(field) for field in schema} for _ in range(count)]


@st.composite
def grouped_plans(draw: st.DrawFn) -> Sink:
    """Integer keys behind several filters, of which some protect others from failing."""
    nullable = draw(st.sampled_from((st.just(False), st.just(True), st.booleans())))
    fields = [Field(name, draw(_number_types), draw(nullable)) for name in NAMES]
    schema = Schema((*fields, Field("t", TIMESTAMP, draw(nullable))))
    node: Operator = Source("in", schema)
    for predicate in draw(st.lists(_filters(schema), max_size=3)):
        for part in predicate:
            node = Filter(node, part)
    simple = draw(st.booleans())
    keys = draw(st.lists(_keys(schema, simple), min_size=1, max_size=draw(st.integers(1, 3))))
    calls = draw(st.lists(_calls(schema, simple), min_size=1, max_size=3))
    window = None
    if draw(st.booleans()):
        size = draw(st.sampled_from((SECOND_US, 10 * SECOND_US, 86_400 * SECOND_US)))
        window = TumblingWindow(_column(schema["t"]), size)
    named = tuple(NamedAggregate(f"r{i}", call) for i, call in enumerate(calls))
    return Sink(
        Aggregate(node, window, tuple(Named(f"k{i}", key) for i, key in enumerate(keys)), named),
        "out",
    )


@st.composite
def projected_plans(draw: st.DrawFn) -> Sink:
    """Columns, and what is computed of them, behind filters as above."""
    nullable = draw(st.sampled_from((st.just(False), st.just(True), st.booleans())))
    schema = Schema(tuple(Field(name, draw(_number_types), draw(nullable)) for name in NAMES))
    node: Operator = Source("in", schema)
    for predicate in draw(st.lists(_filters(schema), max_size=3)):
        for part in predicate:
            node = Filter(node, part)
    made = draw(st.lists(_made(schema), min_size=1, max_size=3))
    return Sink(Project(node, tuple(Named(f"c{i}", expr) for i, expr in enumerate(made))), "out")


_number_types = st.sampled_from((INT64, INT64, INT32))
_ANSI_MOSTLY = st.sampled_from((EvalMode.ANSI, EvalMode.ANSI, *ALL_MODES))


def _column(field: Field) -> Column:
    return Column(field.name, field.type, field.nullable)


def _columns(schema: Schema) -> st.SearchStrategy[Column]:
    return st.sampled_from([_column(schema[name]) for name in NAMES])


@st.composite
def _filters(draw: st.DrawFn, schema: Schema) -> tuple[Expr, ...]:
    """What most rows pass; a division, behind the filter that mostly protects it; anything."""
    column = draw(_columns(schema))
    match draw(st.integers(0, 7)):
        case 0:
            return (draw(expressions(schema, BOOL, 2, ALL_MODES[1:])),)
        case 1 | 2:
            divided = Call("remainder", (Literal(7, column.type), column), EvalMode.ANSI)
            safe = Call("ne", (column, Literal(0, column.type)))
            first = () if not draw(st.integers(0, 5)) else (safe,)
            return (*first, Call("ge", (divided, Literal(-6, column.type))))
        case 3:
            return (Call("ne", (column, Literal(0, column.type))),)
        case 4 | 5:
            return draw(_overflowing(column))
        case _:
            return (Call("ge", (column, Literal(draw(st.integers(-4, 1)), column.type))),)


@st.composite
def _overflowing(draw: st.DrawFn, column: Column) -> tuple[Expr, ...]:
    """Arithmetic that has a result for small values only, mostly behind what protects it."""
    limit = draw(st.sampled_from((2, 3, 5, 1 << 21)))
    least, most = Literal(-limit, column.type), Literal(limit, column.type)
    safe = Call("between", (column, least, most))
    large = Call("multiply", (column, Literal(column.type.high // limit, column.type)))
    made = draw(st.sampled_from((large, Cast(large, INT32), Call("abs", (large,)))))
    first = (safe,) if draw(st.integers(0, 4)) else ()
    return (*first, Call("ge", (made, Literal(made.type.low, made.type))))


@st.composite
def _made(draw: st.DrawFn, schema: Schema) -> Expr:
    """A column of numbers or of texts, passed on or computed; now and then one that can fail."""
    column = draw(_columns(schema))
    match draw(st.integers(0, 3)):
        case 0:
            return column
        case 1:
            return Call("concat", (Cast(column, STRING), Literal(":", STRING)))
        case 2:
            return Call("remainder", (Literal(7, column.type), column), draw(_ANSI_MOSTLY))
    return draw(expressions(schema, draw(st.sampled_from((INT64, FLOAT64, BOOL))), 1, ALL_MODES))


@st.composite
def _keys(draw: st.DrawFn, schema: Schema, simple: bool) -> Expr:
    """Mostly a column, so that keys are as small as its values; now and then computed."""
    if simple or draw(st.booleans()):
        return draw(_columns(schema))
    return draw(expressions(schema, draw(st.sampled_from(KEY_TYPES)), 1, ALL_MODES[1:]))


_SIMPLE = ("count", "sum", "sum", "min", "max", "avg", "bit_xor", "bit_and", "bit_or")


@st.composite
def _calls(draw: st.DrawFn, schema: Schema, simple: bool) -> AggregateCall:
    """Mostly what can be added up beside a table."""
    mode, column = draw(_ANSI_MOSTLY), draw(_columns(schema))
    function = draw(st.sampled_from(_SIMPLE))
    if function == "count":
        return AggregateCall("count", None if draw(st.booleans()) else column)
    if simple:
        return AggregateCall(function, column, mode)
    match draw(st.integers(0, 4)):
        case 0:
            return AggregateCall("first", column, mode, (draw(st.booleans()),))
        case 4:
            ahead = Call("add", (column, Literal(column.type.high - 5, column.type)))
            return AggregateCall(function, ahead, mode)
        case 1 if function in ("sum", "min", "max"):
            value = draw(expressions(schema, FLOAT64, 1, ALL_MODES[1:]))
            return AggregateCall(function, value, mode)
    return AggregateCall(function, draw(expressions(schema, INT64, 1, ALL_MODES[1:])), mode)
