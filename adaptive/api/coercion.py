"""Implicit conversions: how a call finds types that its function takes, as in Spark's ANSI mode.

The IR has no implicit casts. A call is tried with the types of its arguments as
they are, then with the one type that all of them widen to, then with each
argument widened by itself, the least widening first. So a new row of
`ir.FUNCTIONS` needs nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod

import ir
from adaptive.api.literals import UNTYPED, literal_as
from ir.functions import can_cast, function_named

INTEGERS = (ir.INT8, ir.INT16, ir.INT32, ir.INT64)
_MOST_COMBINATIONS = 4_096


def call(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode = ir.EvalMode.ANSI) -> ir.Expr:
    """The call of a function, with casts where Spark would add them."""
    try:
        return _IRREGULAR.get(function, _regular)(function, args, mode)
    except ir.IrTypeError as error:
        advice = _ADVICE.get(function, "")
        raise ir.IrTypeError(f"`{_text(function, args)}`: {error}{advice}") from None


_ADVICE = {
    "and": "; for the bits of integers write .bitwise_and",
    "or": "; for the bits of integers write .bitwise_or",
    "not": "; for the bits of integers write f.bit_not",
}


def _text(function: str, args: Sequence[ir.Expr]) -> str:
    """The call as the user may have written it, for messages."""
    row = ir.FUNCTIONS.get(function)
    shown = [ir.expr_text(arg) for arg in args]
    if row is not None and row.symbol is not None and len(shown) == 2:
        return f" {row.symbol} ".join(shown)
    return f"{function}({', '.join(shown)})"


def _regular(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode) -> ir.Expr:
    types = fitting_types(args, function_named(function).result_type)
    return ir.Call(function, tuple(map(implicit, args, types)), mode)


def fitting_types(
    args: Sequence[ir.Expr], rule: Callable[[list[ir.DataType]], object]
) -> list[ir.DataType]:
    """The types to which arguments must be converted for a type rule to accept them."""
    problems: list[ir.IrTypeError] = []
    for types in _attempts(args):
        try:
            rule(types)
        except ir.IrTypeError as error:
            problems.append(error)
        else:
            return types
    # The second attempt is the one with a shared type, if there is one: what is
    # wrong even then says more than that the types differ.
    raise problems[1 if len(problems) > 1 and common_type(args) is not None else 0]


def implicit(expr: ir.Expr, type_: ir.DataType) -> ir.Expr:
    """The expression as a wider type; a constant is converted now."""
    if expr.type == type_:
        return expr
    if isinstance(expr, ir.Literal):
        return literal_as(expr, type_, ir.EvalMode.ANSI)
    return ir.Cast(expr, type_)


def explicit(expr: ir.Expr, type_: ir.DataType, mode: ir.EvalMode) -> ir.Expr:
    """The expression as the type that the user asked for."""
    if expr.type == type_:
        return expr
    if isinstance(expr, ir.Literal):
        return literal_as(expr, type_, mode)
    return ir.Cast(expr, type_, mode)


def common_type(args: Sequence[ir.Expr]) -> ir.DataType | None:
    """The type that all arguments widen to, if there is one; constant texts may be dates."""
    texts = [a for a in args if isinstance(a, ir.Literal) and a.type is ir.STRING]
    others = [a.type for a in args if a.type != UNTYPED and a not in texts]
    if texts and others and set(others) <= {ir.DATE, ir.TIMESTAMP}:
        return _widest(others)
    return _widest(others + [a.type for a in texts])


def _widest(types: Sequence[ir.DataType]) -> ir.DataType | None:
    shared = types[0] if types else None
    for type_ in types[1:]:
        shared = shared and _wider(shared, type_)
    return shared


def _wider(left: ir.DataType, right: ir.DataType) -> ir.DataType | None:
    if left == right:
        return left
    if left.is_integer and right.is_integer:
        return left if left.bits > right.bits else right
    if left.is_numeric and right.is_numeric:
        return ir.FLOAT64  # also an integer with a float32, which would lose digits
    if {left, right} == {ir.DATE, ir.TIMESTAMP}:
        return ir.TIMESTAMP
    return None


def _attempts(args: Sequence[ir.Expr]) -> Iterator[list[ir.DataType]]:
    own = [arg.type for arg in args]
    if UNTYPED not in own:
        yield own
    shared = common_type(args) or (ir.BOOL if {*own} == {UNTYPED} else None)
    if shared is not None:
        yield [shared] * len(args)
    options = [list(enumerate(_options(arg))) for arg in args]
    if prod(map(len, options)) <= _MOST_COMBINATIONS:
        for choice in sorted(product(*options), key=lambda c: sum(rank for rank, _ in c)):
            yield [type_ for _, type_ in choice]


# What a value may become without being asked, the nearest first.
_WIDENINGS: dict[ir.DataType, tuple[ir.DataType, ...]] = {
    UNTYPED: tuple(ir.types.TYPES.values()),
    **{t: (*INTEGERS[i:], ir.FLOAT64) for i, t in enumerate(INTEGERS)},
    ir.FLOAT32: (ir.FLOAT32, ir.FLOAT64),
    ir.DATE: (ir.DATE, ir.TIMESTAMP),
}


def _options(arg: ir.Expr) -> list[ir.DataType]:
    """The types that an argument may be converted to, its own first."""
    options = [*_WIDENINGS.get(arg.type, (arg.type,))]
    if can_cast(arg.type, ir.STRING) and ir.STRING not in options:
        options.append(ir.STRING)
    if isinstance(arg, ir.Literal) and arg.type is ir.STRING:
        options += (ir.DATE, ir.TIMESTAMP)
    castable = (t for t in options if isinstance(arg, ir.Literal) or can_cast(arg.type, t))
    return [arg.type, *(t for t in castable if t != arg.type)] if arg.type != UNTYPED else options


def _comparison(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode) -> ir.Expr:
    """An integer constant takes the type of the column that it is compared with, if it fits.

    So `small = 3` compares two int8 and not `cast(small as int32)`, with the same result.
    """
    columns = [arg.type for arg in args if not isinstance(arg, ir.Literal)]
    narrow = _widest(columns)
    if narrow is not None and narrow.is_integer and all(_fits(arg, narrow) for arg in args):
        args = [implicit(arg, narrow) for arg in args]
    return _regular(function, args, mode)


def _fits(arg: ir.Expr, type_: ir.DataType) -> bool:
    match arg:
        case ir.Literal(int() as value, own) if own.is_integer:
            return type_.low <= value <= type_.high
        case ir.Literal():
            return arg.value is None
    return True


def _rounding(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode) -> ir.Expr:
    """CEIL and FLOOR of an integer are the integer, as a bigint."""
    if len(args) == 1 and args[0].type.is_integer:
        return implicit(args[0], ir.INT64)
    return _regular(function, args, mode)


def _case_when(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode) -> ir.Expr:
    """Only the values take one type, the conditions are what they are."""
    positions = {*range(1, len(args) - 1, 2), len(args) - 1}
    shared = common_type([args[i] for i in positions])
    if shared is None:
        listed = ", ".join(str(args[i].type) for i in sorted(positions))
        raise ir.IrTypeError(f"the values of a case have the types {listed}; cast them to one")
    converted = (implicit(a, shared if i in positions else ir.BOOL) for i, a in enumerate(args))
    return ir.Call(function, tuple(converted), mode)


_IRREGULAR: dict[str, Callable[[str, Sequence[ir.Expr], ir.EvalMode], ir.Expr]] = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), _comparison),
    **dict.fromkeys(("eq_null_safe", "between", "in"), _comparison),
    **dict.fromkeys(("ceil", "floor"), _rounding),
    "case_when": _case_when,
}
