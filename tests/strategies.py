"""Random schemas, expressions, plans and rows, with the values that tend to break things."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from hypothesis import strategies as st

from ir import (
    BINARY,
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
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Column,
    DataType,
    EvalMode,
    Expr,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Operator,
    Project,
    Scalar,
    Schema,
    Sink,
    Source,
    TumblingWindow,
    decimal,
)
from ir.arithmetic import round_to
from ir.casts import can_cast
from ir.errors import IrTypeError
from tests.calendar_forms import (
    DATE_PARTS,
    DATES,
    TIME_NUMBERS,
    any_time,
    months_apart,
    time_near,
)
from tests.user_aggregates import DEFINITIONS

Modes: TypeAlias = tuple[EvalMode, ...]

INTEGERS = (INT8, INT16, INT32, INT64)
FLOATS = (FLOAT32, FLOAT64)
NUMBERS = (*INTEGERS, *FLOATS)
# Those of columns, and others that literals and results have: narrow, wide, all behind the point.
DECIMALS = (decimal(5, 2), decimal(20, 4), decimal(38, 18))
OTHER_DECIMALS = (decimal(1, 0), decimal(18, 9), decimal(19, 0), decimal(38, 0), decimal(38, 38))
ALL_TYPES = (BOOL, *NUMBERS, STRING, BINARY, DATE, TIMESTAMP, *DECIMALS)
# All that queries have; what is EXACT has been proven.
ALL_MODES: Modes = (EvalMode.ANSI, EvalMode.LEGACY, EvalMode.TRY)
MODE_MIXES: tuple[Modes, ...] = (
    (EvalMode.ANSI,),
    ALL_MODES,
    (EvalMode.LEGACY, EvalMode.TRY),
)
NAMES = ("a", "b", "c", "d", "e", "event time", "größe", "null", "x`y")

# Microseconds and days of the years 1 to 9999, which Spark, Python and Arrow all have.
FIRST_US, LAST_US = -62_135_596_800_000_000, 253_402_300_799_999_999
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
SECOND_US = 1_000_000


def integers(type_: DataType) -> st.SearchStrategy[int]:
    """Integers of a type: small ones, which collide as keys, and its extremes."""
    edges = (type_.low, type_.low + 1, type_.high - 1, type_.high)
    small = st.integers(-3, 3)
    return st.one_of(small, small, st.sampled_from(edges), st.integers(type_.low, type_.high))


def decimals(type_: DataType) -> st.SearchStrategy[int]:
    """Unscaled integers of a decimal type: also halves and nines, which round up to more digits."""
    halves = st.integers(0, 37).map(lambda zeros: min(5 * 10**zeros, type_.high))
    nines = st.integers(1, 38).map(lambda digits: min(10**digits - 1, type_.high))
    sizes = st.one_of(halves, nines, st.integers(0, type_.high))
    signed = st.builds(lambda size, sign: size * sign, sizes, st.sampled_from((1, -1)))
    return st.one_of(integers(type_), signed)


# Of few digits, such as 2.675: many are ties when they are rounded.
_PRICES = st.integers(-1_000_005, 1_000_005)


def floats(type_: DataType) -> st.SearchStrategy[float]:
    """Floats of a type, with NaN, infinities, both zeros and the edges of the integer types."""
    edges = (0.0, -0.0, math.nan, math.inf, -math.inf, 0.5, -128.0, 2.0**31, -(2.0**63), 2.0**63)
    any_float = st.floats(width=32) if type_ is FLOAT32 else st.floats()
    short = st.builds(lambda n, zeros: round_to(n / 10**zeros, type_), _PRICES, st.integers(0, 9))
    return st.one_of(st.sampled_from(edges), st.integers(-3, 3).map(float), short, any_float)


def strings() -> st.SearchStrategy[str]:
    """Short ones that collide, the empty one, long ones, and any that UTF-8 can encode."""
    known = (
        *("", "a", "b", "view", "view ", "ew", "é", "\uffff", "😀", "\0", "x" * 300),
        *("ß", "İ", "ΔΣ", " Δ.Σ ", "%", "\\"),
    )
    return st.one_of(st.sampled_from(known), st.sampled_from(known), st.text(max_size=12))


def timestamps() -> st.SearchStrategy[int]:
    """Times that share windows, times around 1970, and any of the years 1 to 9999."""
    near = st.integers(-30 * SECOND_US, 30 * SECOND_US)
    edges = st.sampled_from((FIRST_US, LAST_US, 0, -1))
    return st.one_of(near, near, edges, st.integers(FIRST_US, LAST_US))


def dates() -> st.SearchStrategy[int]:
    """Days of the years 1 to 9999."""
    return st.one_of(st.integers(-3, 3), st.integers(FIRST_DAY, LAST_DAY))


def values(type_: DataType) -> st.SearchStrategy[Scalar]:
    """Values of a type, without null."""
    if type_.is_integer:
        return integers(type_)
    if type_.is_float:
        return floats(type_)
    if type_.is_decimal:
        return decimals(type_)
    others: dict[DataType, st.SearchStrategy[Scalar]] = {
        BOOL: st.booleans(),
        STRING: strings(),
        BINARY: st.one_of(strings().map(str.encode), st.binary(max_size=12)),
        DATE: dates(),
        TIMESTAMP: timestamps(),
    }
    return others[type_]


@st.composite
def schemas(draw: st.DrawFn, max_columns: int = 5) -> Schema:
    """Columns of any types; most schemas have a timestamp."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=max_columns, unique=True))
    fields = [Field(n, draw(st.sampled_from(ALL_TYPES)), draw(st.booleans())) for n in names]
    if draw(st.integers(0, 3)):
        fields.append(Field("event_time", TIMESTAMP, draw(st.booleans())))
    return Schema(tuple(fields))


def rows_for(schema: Schema, max_size: int = 20) -> st.SearchStrategy[list[dict[str, Scalar]]]:
    """Rows of a schema, with nulls where it allows them."""
    columns = {field.name: cells(field) for field in schema}
    some = st.lists(st.fixed_dictionaries(columns), min_size=min(4, max_size), max_size=max_size)
    return st.one_of(some, some, st.lists(st.fixed_dictionaries(columns), max_size=4))


def cells(field: Field) -> st.SearchStrategy[Scalar]:
    """Values of a field, about one in five null where it is nullable."""
    present = values(field.type)
    if not field.nullable:
        return present
    return st.one_of(present, present, present, present, st.none())


def expressions(
    schema: Schema, type_: DataType, depth: int, modes: Modes = ALL_MODES
) -> st.SearchStrategy[Expr]:
    """Legal expressions of a type over a schema, nested at most `depth` deep."""
    return _expressions(schema, type_, depth, modes)


@st.composite
def _expressions(
    draw: st.DrawFn, schema: Schema, type_: DataType, depth: int, modes: Modes
) -> Expr:
    return _Maker(draw, schema, modes).expr(type_, depth)


@st.composite
def decimal_expressions(draw: st.DrawFn, schema: Schema, depth: int, modes: Modes) -> Expr:
    """Arithmetic on decimals over a schema, of whatever type comes out."""
    return _Maker(draw, schema, modes).decimal(depth)


class _Maker:
    """Draws expressions over one schema."""

    def __init__(self, draw: st.DrawFn, schema: Schema, modes: Modes) -> None:
        self.draw = draw
        self.schema = schema
        self.modes = modes

    def expr(self, type_: DataType, depth: int) -> Expr:
        """An expression of a type; a leaf at depth 0 and now and then before."""
        if depth == 0 or not self.draw(st.integers(0, 3)):
            return self.leaf(type_)
        forms = _DECIMAL_FORMS if type_.is_decimal else _FORMS[type_]
        return self.draw(st.sampled_from(forms))(self, type_, depth - 1)

    def leaf(self, type_: DataType) -> Expr:
        """A column where there is one of the type, more often than a literal."""
        columns: list[Expr] = [
            Column(f.name, f.type, f.nullable) for f in self.schema if f.type is type_
        ]
        if bool(columns) and self.draw(st.integers(0, 2)):
            return self.draw(st.sampled_from(columns))
        if not self.draw(st.integers(0, 9)):
            return Literal(None, type_)
        return Literal(self.draw(values(type_)), type_)

    def call(self, function: str, args: tuple[Expr, ...]) -> Expr:
        """A call in a random mode."""
        return Call(function, args, self.draw(st.sampled_from(self.modes)))

    def some(self, type_: DataType, depth: int, least: int, most: int) -> tuple[Expr, ...]:
        """A few expressions of one type."""
        count = self.draw(st.integers(least, most))
        return tuple(self.expr(type_, depth) for _ in range(count))

    def digits(self) -> Expr:
        """How many digits to keep: around the point, and now and then far from it."""
        digits = st.one_of(st.integers(-4, 4), st.integers(-40, 40), integers(INT32))
        return Literal(self.draw(digits), INT32)

    def any_type(self) -> DataType:
        """Any type, more often one of a column."""
        return self.draw(st.sampled_from((*(f.type for f in self.schema), *ALL_TYPES)))

    def decimal(self, depth: int) -> Expr:
        """Arithmetic on decimals; its type is what comes out."""
        if depth == 0 or not self.draw(st.integers(0, 3)):
            return self.leaf(self.draw(st.sampled_from((*DECIMALS, *OTHER_DECIMALS))))
        function = self.draw(st.sampled_from(_DECIMAL_FUNCTIONS))
        if function in ("round", "bround"):
            return self.call(function, (self.decimal(depth - 1), self.digits()))
        if function == "second_with_fraction":
            return self.call(function, (any_time(self, depth - 1),))
        count = 1 if function in ("negate", "abs", "ceil", "floor") else 2
        try:
            return self.call(function, tuple(self.decimal(depth - 1) for _ in range(count)))
        except IrTypeError:  # a quotient of more digits than Java has
            return self.leaf(DECIMALS[0])


Form: TypeAlias = Callable[[_Maker, DataType, int], Expr]


def _function(*names: str, args: int) -> Form:
    def form(maker: _Maker, type_: DataType, depth: int) -> Expr:
        name = maker.draw(st.sampled_from(names))
        return maker.call(name, maker.some(type_, depth, args, args))

    return form


def _over_any_type(*names: str, least: int, most: int) -> Form:
    def form(maker: _Maker, type_: DataType, depth: int) -> Expr:
        name = maker.draw(st.sampled_from(names))
        return maker.call(name, maker.some(maker.any_type(), depth, least, most))

    return form


def _round(maker: _Maker, type_: DataType, depth: int) -> Expr:
    function = maker.draw(st.sampled_from(("round", "bround")))
    return maker.call(function, (maker.expr(type_, depth), maker.digits()))


def _shift(maker: _Maker, type_: DataType, depth: int) -> Expr:
    name = maker.draw(st.sampled_from(("shiftleft", "shiftright", "shiftrightunsigned")))
    return maker.call(name, (maker.expr(type_, depth), maker.expr(INT32, depth)))


def _cast(maker: _Maker, type_: DataType, depth: int) -> Expr:
    """From any type that can be cast; seldom from text, which is mostly wrong."""
    mode = maker.draw(st.sampled_from(maker.modes))
    sources = [t for t in ALL_TYPES if not t.is_bytes and can_cast(t, type_, mode)]
    if not sources or not maker.draw(st.integers(0, 5)):
        sources = [BINARY if type_ is BINARY else STRING]
    return Cast(maker.expr(maker.draw(st.sampled_from(sources)), depth), type_, mode)


def _coalesce(maker: _Maker, type_: DataType, depth: int) -> Expr:
    return maker.call("coalesce", maker.some(type_, depth, 1, 3))


def _case_when(maker: _Maker, type_: DataType, depth: int) -> Expr:
    args: list[Expr] = []
    for _ in range(maker.draw(st.integers(1, 2))):
        args += (maker.expr(BOOL, depth), maker.expr(type_, depth))
    return maker.call("case_when", (*args, maker.expr(type_, depth)))


def _extreme(maker: _Maker, type_: DataType, depth: int) -> Expr:
    function = maker.draw(st.sampled_from(("greatest", "least")))
    return maker.call(function, maker.some(type_, depth, 2, 3))


def _of(argument: DataType, *names: str, args: int) -> Form:
    """Functions of another type than their result's."""

    def form(maker: _Maker, type_: DataType, depth: int) -> Expr:
        name = maker.draw(st.sampled_from(names))
        return maker.call(name, maker.some(argument, depth, args, args))

    return form


def _concat(maker: _Maker, type_: DataType, depth: int) -> Expr:
    return maker.call("concat", maker.some(type_, depth, 1, 3))


def _concat_ws(maker: _Maker, type_: DataType, depth: int) -> Expr:
    return maker.call("concat_ws", maker.some(type_, depth, 1, 4))


def _taking(types: tuple[DataType, ...], *names: str, least: int | None = None) -> Form:
    """Functions of arguments of these types, of which the last ones may be left out."""

    def form(maker: _Maker, type_: DataType, depth: int) -> Expr:
        count = maker.draw(st.integers(len(types) if least is None else least, len(types)))
        name = maker.draw(st.sampled_from(names))
        return maker.call(name, tuple(maker.expr(t, depth) for t in types[:count]))

    return form


def _lengthening(maker: _Maker, type_: DataType, depth: int) -> Expr:
    """A text made longer, but not by much: the evaluator would run out of memory first."""
    text, pad = maker.expr(STRING, depth), maker.expr(STRING, min(depth, 1))
    few = Call("remainder", (maker.expr(INT32, depth), Literal(7, INT32)))
    name = maker.draw(st.sampled_from(("repeat", "lpad", "rpad")))
    return maker.call(name, (text, few) if name == "repeat" else (text, few, pad))


def _like(maker: _Maker, type_: DataType, depth: int) -> Expr:
    """Mostly of a constant pattern, which may be wrong."""
    alphabet = st.sampled_from(("%", "_", "a", "e", "view", "é", "\\%", "\\\\", "\\"))
    known = Literal("".join(maker.draw(st.lists(alphabet, max_size=5))), STRING)
    pattern = known if maker.draw(st.integers(0, 3)) else maker.expr(STRING, depth)
    return maker.call("like", (maker.expr(STRING, depth), pattern))


_CHOICES: tuple[Form, ...] = (_coalesce, _case_when, _extreme, _cast)
_COMPARISONS = _over_any_type("eq", "ne", "lt", "le", "gt", "ge", "eq_null_safe", least=2, most=2)
_ARITHMETIC: tuple[Form, ...] = (
    _function("add", "subtract", "multiply", args=2),
    _function("remainder", "pmod", args=2),
    _round,
    _function("negate", "abs", args=1),
    _cast,
)
_BITS: tuple[Form, ...] = (
    _function("bit_and", "bit_or", "bit_xor", args=2),
    _function("bit_not", args=1),
)
_DECIMAL_FUNCTIONS = (
    *("add", "subtract", "multiply", "divide", "remainder", "pmod"),
    *("negate", "abs", "ceil", "floor", "round", "bround", "second_with_fraction"),
)
_DECIMAL_FORMS: tuple[Form, ...] = (_function("negate", "abs", args=1), *_CHOICES)


def _compare_decimals(maker: _Maker, type_: DataType, depth: int) -> Expr:
    left = maker.decimal(depth)
    function = maker.draw(st.sampled_from(("eq", "lt", "ge", "eq_null_safe")))
    return maker.call(function, (left, maker.expr(left.type, min(depth, 1))))


def _divide_decimals(maker: _Maker, type_: DataType, depth: int) -> Expr:
    try:
        return maker.call("int_divide", (maker.decimal(depth), maker.decimal(depth)))
    except IrTypeError:
        return maker.leaf(type_)


# What only some of the numbers have.
_OWN: dict[DataType, tuple[Form, ...]] = {
    INT8: _BITS,
    INT16: _BITS,
    INT32: (
        *_BITS,
        _shift,
        *DATE_PARTS,
        _of(STRING, "length", "octet_length", "bit_length", "ascii", args=1),
        _of(BINARY, "length", "octet_length", "bit_length", args=1),
        _of(STRING, "instr", args=2),
        _taking((STRING, STRING, INT32), "locate_from"),
    ),
    INT64: (
        *_BITS,
        _shift,
        *TIME_NUMBERS,
        _divide_decimals,
        _function("int_divide", args=2),
        _of(FLOAT64, "ceil", "floor", args=1),
    ),
    FLOAT32: (),
    FLOAT64: (
        _function("divide", args=2),
        _function("pow", args=2),
        months_apart,
        _function("sqrt", "exp", "ln", "sign", "log2", "log10", "log1p", "expm1", args=1),
        _function("cbrt", "sin", "cos", "tan", "asin", "acos", "atan", args=1),
        _function("sinh", "cosh", "tanh", "degrees", "radians", args=1),
    ),
}
_TEXTS: tuple[Form, ...] = (
    _concat,
    _concat_ws,
    _lengthening,
    _function("lower", "upper", "reverse", args=1),
    _function("trim", "ltrim", "rtrim", args=1),
    _function("trim", "ltrim", "rtrim", args=2),
    _function("replace", "translate", args=3),
    _taking((STRING, INT32, INT32), "substring", least=2),
    _taking((STRING, INT32), "left", "right"),
    _taking((STRING, STRING, INT32), "substring_index"),
)
_BINARIES: tuple[Form, ...] = (
    _concat,
    _taking((BINARY, INT32, INT32), "substring", least=2),
    _taking((BINARY, INT32), "left"),
)
_TESTS: tuple[Form, ...] = (
    _COMPARISONS,
    _compare_decimals,
    _COMPARISONS,
    _over_any_type("between", least=3, most=3),
    _over_any_type("in", least=2, most=4),
    _over_any_type("is_null", "is_not_null", least=1, most=1),
    _function("and", "or", args=2),
    _function("not", args=1),
    _of(STRING, "startswith", "endswith", "contains", args=2),
    _of(BINARY, "startswith", "endswith", "contains", args=2),
    _like,
    _cast,
)
_FORMS: dict[DataType, tuple[Form, ...]] = {
    BOOL: (*_TESTS, *_CHOICES),
    **{number: (*_ARITHMETIC, *_OWN[number], *_CHOICES) for number in NUMBERS},
    STRING: (*_TEXTS, *_CHOICES),
    BINARY: (*_BINARIES, *_CHOICES),
    DATE: (*DATES, *_CHOICES),
    TIMESTAMP: (time_near, *_CHOICES),
}


@st.composite
def plans(draw: st.DrawFn, modes: Modes | None = None) -> Sink:
    """Source -> filters and projects -> aggregate -> sink, which is what a kernel runs.

    A third of the plans is all ANSI, as in Spark by default, and a third cannot fail.
    """
    modes = modes or draw(st.sampled_from(MODE_MIXES))
    return Sink(_aggregate(draw, _steps(draw, _source(draw), modes), modes), "out")


@st.composite
def any_plans(draw: st.DrawFn) -> Sink:
    """Also plans without an aggregate, and with steps behind it."""
    modes = draw(st.sampled_from(MODE_MIXES))
    node = _steps(draw, _source(draw), modes)
    if draw(st.booleans()):
        node = _steps(draw, _aggregate(draw, node, modes), modes)
    return Sink(node, "out")


def _source(draw: st.DrawFn) -> Operator:
    return Source("in", draw(schemas()))


def _steps(draw: st.DrawFn, node: Operator, modes: Modes) -> Operator:
    for _ in range(draw(st.integers(0, 3))):
        node = _filter(draw, node, modes) if draw(st.booleans()) else _project(draw, node, modes)
    return node


def _filter(draw: st.DrawFn, node: Operator, modes: Modes) -> Operator:
    """Most filters keep most rows, or hardly any would reach the end of a plan."""
    predicate = draw(expressions(node.schema, BOOL, 3, modes))
    if draw(st.integers(0, 3)):
        kept = draw(expressions(node.schema, draw(st.sampled_from(ALL_TYPES)), 0, modes))
        predicate = Call("or", (predicate, Call("is_not_null", (kept,))))
    return Filter(node, predicate)


def _project(draw: st.DrawFn, node: Operator, modes: Modes) -> Operator:
    """Keeps some columns, so that later steps have something to read, and adds others."""
    kept = [f for f in node.schema if draw(st.booleans())]
    columns = [Named(f.name, Column(f.name, f.type, f.nullable)) for f in kept]
    taken = {f.name for f in kept}
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)):
        if name not in taken:
            type_ = draw(st.sampled_from(ALL_TYPES))
            columns.append(Named(name, draw(expressions(node.schema, type_, 2, modes))))
    return Project(node, tuple(columns))


def _aggregate(draw: st.DrawFn, node: Operator, modes: Modes) -> Operator:
    window = _window(draw, node, modes) if draw(st.booleans()) else None
    key_types = draw(st.lists(st.sampled_from(ALL_TYPES), max_size=2))
    keys = tuple(
        Named(f"k{i}", draw(expressions(node.schema, type_, 1, modes)))
        for i, type_ in enumerate(key_types)
    )
    least = 0 if window or keys else 1
    count = draw(st.integers(least, 3))
    calls = (NamedAggregate(f"r{i}", _call(draw, node, modes)) for i in range(count))
    return Aggregate(node, window, keys, tuple(calls))


def _window(draw: st.DrawFn, node: Operator, modes: Modes) -> TumblingWindow:
    size = draw(st.sampled_from((1, 1_000, SECOND_US, 10 * SECOND_US, 86_400 * SECOND_US)))
    offset = draw(st.sampled_from((0, 0, size // 3)))
    return TumblingWindow(draw(expressions(node.schema, TIMESTAMP, 1, modes)), size, offset)


_ARGUMENTS: dict[str, tuple[DataType, ...]] = {
    "count": ALL_TYPES,
    "sum": (*NUMBERS, *DECIMALS),
    "avg": (*NUMBERS, *DECIMALS),
    **dict.fromkeys(("min", "max", "first", "last"), ALL_TYPES),
    **dict.fromkeys(("var_pop", "var_samp", "stddev_pop", "stddev_samp"), (FLOAT64,)),
    **dict.fromkeys(("bool_and", "bool_or"), (BOOL,)),
    **dict.fromkeys(("bit_and", "bit_or", "bit_xor"), INTEGERS),
    **dict.fromkeys(("product", "median", "percentile"), NUMBERS),
    **dict.fromkeys(("mode", "count_distinct"), ALL_TYPES),
}
# Aggregates whose results do not depend on the order of the rows, not even by rounding.
EXACT = frozenset(("count", "count_distinct", "min", "max", "median", "percentile", "mode"))


def _call(draw: st.DrawFn, node: Operator, modes: Modes) -> AggregateCall:
    mode = draw(st.sampled_from(modes))
    if not draw(st.integers(0, 9)):
        return _user_call(draw, node, modes)
    function = draw(st.sampled_from(("count", "sum", "min", "max", *_ARGUMENTS)))
    if function == "count" and draw(st.booleans()):
        return AggregateCall("count", None, mode)
    type_ = draw(st.sampled_from(_ARGUMENTS[function]))
    if type_.is_decimal:
        argument = draw(decimal_expressions(node.schema, 2, modes))
    else:
        argument = draw(expressions(node.schema, type_, 2, modes))
    parameters: tuple[Scalar, ...] = ()
    if function in ("first", "last"):
        parameters = (draw(st.booleans()),)
    elif function == "percentile":
        parameters = (draw(st.sampled_from((0.0, 0.25, 0.9, 1.0, 1 / 3))),)
    return AggregateCall(function, argument, mode, parameters)


def _user_call(draw: st.DrawFn, node: Operator, modes: Modes) -> AggregateCall:
    """An aggregate that a user has defined."""
    definition = draw(st.sampled_from(DEFINITIONS))
    types = (field.type for field in definition.inputs)
    first, *more = [draw(expressions(node.schema, type_, 1, modes)) for type_ in types] or [None]
    return AggregateCall(definition.name, first, more=tuple(more), definition=definition)
