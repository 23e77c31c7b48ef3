"""Readable text of expressions and plans: stable, and different for different meanings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from zlib import crc32

from ir.aggregates import AGGREGATES, AggregateCall
from ir.expr import Call, Cast, Column, Expr, Literal
from ir.functions import function_named
from ir.local_times import LOCAL_MEANINGS
from ir.operators import (
    Aggregate,
    Filter,
    LookUp,
    Named,
    Operator,
    Project,
    Sink,
    Source,
    Watermark,
)
from ir.printing import decimal_text
from ir.signatures import EvalMode
from ir.types import (
    BOOL,
    DATE,
    FLOAT64,
    INT64,
    TIMESTAMP,
    TYPES,
    DecimalType,
    Field,
    Schema,
)
from ir.user_aggregates import UserAggregate
from ir.windows import CountWindow, SessionWindow, SlidingWindow, TumblingWindow, Window

# How tightly each form binds; an operand that binds less tightly gets parentheses.
_ATOM = 8
_NOT = 3
_COMPARISON = 4
_BINDING = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(("=", "!=", "<", "<=", ">", ">=", "<=>"), _COMPARISON),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "%", "div"), 6),
}
_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words that read as something else: syntax, types, and how special values are written.
_KEYWORDS = frozenset(TYPES) | {
    *("and", "between", "case", "cast", "div", "else", "end", "in", "is", "not", "or", "then"),
    *("when", "null", "true", "false", "nan", "inf", "decimal"),
}
_UNITS = (
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("min", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
    ("us", 1),
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def expr_text(expr: Expr) -> str:
    """The expression in infix form; ANSI is not shown, other modes are (`a +[try] b`)."""
    return _bound(expr)[0]


def aggregate_text(call: AggregateCall) -> str:
    """The call of an aggregate function, such as `sum(value)`; one of a user, with all it is."""
    if call.definition is not None:
        listed = ", ".join(map(expr_text, call.arguments))
        return f"{name_text(call.function)}({listed}) {_definition_text(call.definition)}"
    argument = "*" if call.argument is None else expr_text(call.argument)
    is_default = call.parameters == AGGREGATES[call.function].defaults
    shown = [] if is_default else [json.dumps(value) for value in call.parameters]
    return f"{call.function}{_mode(call.mode)}({', '.join([argument, *shown])})"


def _definition_text(definition: UserAggregate) -> str:
    """The parts of a user's aggregate, each as assignments to the columns of the state."""
    parts = [f"inputs {schema_text(definition.inputs)}", f"state {schema_text(definition.state)}"]
    for role in ("initial", "accumulate", "merge", "inverse"):
        made = zip(definition.state.names, getattr(definition, role), strict=False)
        listed = ", ".join(f"{name_text(name)} = {expr_text(expr)}" for name, expr in made)
        parts += [f"{role} {listed}"] if listed else []
    return f"{{{'; '.join(parts)}; result {expr_text(definition.result)}}}"


def plan_text(plan: Operator) -> str:
    """The operators as an indented tree, the sink first, one line each."""
    lines = [f"{'  ' * depth}{_operator_text(node)}" for depth, node in _with_depth(plan, 0)]
    return "\n".join(lines) + "\n"


def schema_text(schema: Schema) -> str:
    """The fields as `name: type`, with `?` where null may occur."""
    return ", ".join(map(_field_text, schema)) or "no columns"


def window_text(window: Window) -> str:
    """The window as `tumbling(event_time, 10 s)`."""
    match window:
        case TumblingWindow(time, size, offset):
            return f"tumbling({expr_text(time)}, {duration_text(size)}{_offset_text(offset)})"
        case SlidingWindow(time, size, slide, offset):
            every = f"{duration_text(size)} every {duration_text(slide)}"
            return f"sliding({expr_text(time)}, {every}{_offset_text(offset)})"
        case SessionWindow(time, gap):
            return f"session({expr_text(time)}, gap {duration_text(gap)})"
        case CountWindow(size, slide):
            return f"count({size} rows{'' if slide == size else f' every {slide}'})"


def _offset_text(offset_us: int) -> str:
    return f", offset {duration_text(offset_us)}" if offset_us else ""


def duration_text(microseconds: int) -> str:
    """A duration in the largest unit that divides it."""
    for unit, size in _UNITS:
        if microseconds % size == 0 and microseconds:
            return f"{microseconds // size} {unit}"
    return "0 s"


def name_text(name: str) -> str:
    """A column name, in backticks unless it reads as a plain word."""
    if _BARE_NAME.fullmatch(name) and name not in _KEYWORDS:
        return name
    return _quoted(name, "`")


def _bound(expr: Expr) -> tuple[str, int]:
    """The text of an expression and how tightly it binds."""
    match expr:
        case Column(name):
            return name_text(name), _ATOM
        case Literal():
            return _literal_text(expr), _ATOM
        case Cast(child, type_, mode):
            return f"cast{_mode(mode)}({expr_text(child)} as {type_})", _ATOM
        case Call():
            return _call_text(expr)
    raise TypeError(f"{type(expr).__name__} has no text form; add it to ir.text_form")


def _call_text(call: Call) -> tuple[str, int]:
    symbol = function_named(call.function).symbol
    if symbol is not None:
        return _infix(call, symbol), _BINDING[symbol]
    if call.function in _SPECIAL:
        return _SPECIAL[call.function](call)
    listed = ", ".join(map(expr_text, call.args))
    return f"{call.function}{_mode(call.mode)}({listed})", _ATOM


def _infix(call: Call, symbol: str) -> str:
    """Operators associate to the left, comparisons not at all."""
    binding = _BINDING[symbol]
    left, right = call.args
    least = binding + 1 if binding == _COMPARISON else binding
    return f"{_operand(left, least)} {symbol}{_mode(call.mode)} {_operand(right, binding + 1)}"


def _operand(expr: Expr, least: int) -> str:
    text, binding = _bound(expr)
    return text if binding >= least else f"({text})"


def _not(call: Call) -> tuple[str, int]:
    return f"not{_mode(call.mode)} {_operand(call.args[0], _NOT)}", _NOT


def _null_test(words: str) -> Callable[[Call], tuple[str, int]]:
    def text(call: Call) -> tuple[str, int]:
        return f"{_operand(call.args[0], _COMPARISON + 1)} {words}{_mode(call.mode)}", _COMPARISON

    return text


def _between(call: Call) -> tuple[str, int]:
    value, low, high = (_operand(arg, _COMPARISON + 1) for arg in call.args)
    return f"{value} between{_mode(call.mode)} {low} and {high}", _COMPARISON


def _in(call: Call) -> tuple[str, int]:
    listed = ", ".join(map(expr_text, call.args[1:]))
    value = _operand(call.args[0], _COMPARISON + 1)
    return f"{value} in{_mode(call.mode)} ({listed})", _COMPARISON


def _case_when(call: Call) -> tuple[str, int]:
    texts = [expr_text(arg) for arg in call.args]
    pairs = zip(texts[0:-1:2], texts[1:-1:2], strict=True)
    branches = " ".join(f"when {condition} then {value}" for condition, value in pairs)
    return f"case{_mode(call.mode)} {branches} else {texts[-1]} end", _ATOM


def _in_zone(call: Call) -> tuple[str, int]:
    """Of a zone, the name and a number that is another if it has other rules."""
    zone, *args = call.args
    text = str(zone.value) if isinstance(zone, Literal) else ""
    named = _quoted(f"{text.partition(';')[0]}#{crc32(text.encode()):08x}", "'")
    listed = ", ".join([named, *map(expr_text, args)])
    return f"{call.function}{_mode(call.mode)}({listed})", _ATOM


_SPECIAL: dict[str, Callable[[Call], tuple[str, int]]] = {
    "not": _not,
    "is_null": _null_test("is null"),
    "is_not_null": _null_test("is not null"),
    "between": _between,
    "in": _in,
    "case_when": _case_when,
    **dict.fromkeys(LOCAL_MEANINGS, _in_zone),
}


def _mode(mode: EvalMode) -> str:
    """What is proven is written as it was: errors name the expression of the query."""
    return "" if mode in (EvalMode.ANSI, EvalMode.EXACT) else f"[{mode.value}]"


def _literal_text(literal: Literal) -> str:
    """The value; with its type, unless how it is written says that."""
    value, type_ = literal.value, literal.type
    if value is None:
        return f"{type_} null"
    if isinstance(value, str):
        return _quoted(value, "'")
    if isinstance(value, bytes):
        return f"{type_} '{value.hex()}'"
    if type_ is BOOL:
        return "true" if value else "false"
    if isinstance(type_, DecimalType) and isinstance(value, int):
        return f"{type_} {decimal_text(value, type_.scale)}"
    if type_ in (DATE, TIMESTAMP) and isinstance(value, int):
        return f"{type_} {_calendar(value, is_date=type_ is DATE)}"
    return repr(value) if type_ in (INT64, FLOAT64) else f"{type_} {value!r}"


def _calendar(value: int, is_date: bool) -> str:
    """The calendar form, or the bare number outside the years 1 to 9999."""
    try:
        if is_date:
            return f"'{date(1970, 1, 1) + timedelta(days=value)}'"
        moment = _EPOCH + timedelta(microseconds=value)
        return f"'{moment.replace(tzinfo=None)}'"
    except OverflowError:
        return str(value)


def _quoted(value: str, quote: str) -> str:
    return quote + "".join(_escaped(char, quote) for char in value) + quote


def _escaped(char: str, quote: str) -> str:
    if char in (quote, "\\"):
        return "\\" + char
    return char if char.isprintable() else char.encode("unicode_escape").decode()


def _with_depth(node: Operator, depth: int) -> Iterator[tuple[int, Operator]]:
    yield depth, node
    for source in node.inputs:
        yield from _with_depth(source, depth + 1)


def _operator_text(node: Operator) -> str:
    match node:
        case Source(name, schema):
            return f"source {name_text(name)}: {schema_text(schema)}"
        case Filter(_, predicate):
            return f"filter {expr_text(predicate)}"
        case Watermark(_, column, delay, lateness):
            late = f", lateness {duration_text(lateness)}" if lateness else ""
            return f"watermark {name_text(column)}, delay {duration_text(delay)}{late}"
        case LookUp(_, table, keys, columns, found, once):
            by = ", ".join(map(expr_text, keys))
            how = "look up once" if once else "look up"
            made = f"{name_text(found)}: {schema_text(columns)}"
            return f"{how} {by} in {name_text(table)}, found {made}"
        case Project(_, columns):
            return f"project {', '.join(map(_named_text, columns)) or 'no columns'}"
        case Aggregate():
            return _aggregate_node_text(node)
        case Sink(_, name):
            return f"sink {name_text(name)}: {schema_text(node.schema)}"
    raise TypeError(f"{type(node).__name__} has no text form; add it to ir.text_form")


def _aggregate_node_text(node: Aggregate) -> str:
    groups = [] if node.window is None else [window_text(node.window)]
    groups += map(_named_text, node.keys)
    made = [f"{name_text(one.name)} = {aggregate_text(one.call)}" for one in node.aggregates]
    by = f" by {', '.join(groups)}" if groups else ""
    return f"aggregate{by}: {', '.join(made)}" if made else f"aggregate{by}"


def _named_text(named: Named) -> str:
    match named.expr:
        case Column(name) if name == named.name:
            return name_text(name)
    return f"{name_text(named.name)} = {expr_text(named.expr)}"


def _field_text(field: Field) -> str:
    return f"{name_text(field.name)}: {field.type}{'?' if field.nullable else ''}"
