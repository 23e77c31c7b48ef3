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
from ir.casts import can_cast
from ir.functions import function_named
from ir.types import MAX_PRECISION

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
    for types in _attempts(args, any_type=_takes_any_type(rule, len(args))):
        problem = _problem(rule, types)
        if problem is None:
            return types
        problems.append(problem)
    # The second attempt is the one with a shared type, if there is one: what is
    # wrong even then says more than that the types differ.
    raise problems[1 if len(problems) > 1 and common_type(args) is not None else 0]


def _problem(
    rule: Callable[[list[ir.DataType]], object], types: list[ir.DataType]
) -> ir.IrTypeError | None:
    try:
        rule(types)
    except ir.IrTypeError as error:
        return error
    return None


def _takes_any_type(rule: Callable[[list[ir.DataType]], object], count: int) -> bool:
    """Whether a function only wants one type of all arguments, such as a comparison."""
    return all(_problem(rule, [type_] * count) is None for type_ in (ir.DATE, ir.BINARY))


def implicit(expr: ir.Expr, type_: ir.DataType) -> ir.Expr:
    """The expression as a wider type; a constant is converted now, and must be one of it."""
    if expr.type == type_:
        return expr
    if not isinstance(expr, ir.Literal):
        return ir.Cast(expr, type_)
    made = literal_as(expr, type_, ir.EvalMode.ANSI)
    if not isinstance(made, ir.Literal):
        raise ir.IrTypeError(f"{expr.value!r} is no {type_}{_examples(type_)}")
    return made


def _examples(type_: ir.DataType) -> str:
    if type_ in (ir.DATE, ir.TIMESTAMP):
        return "; write it as '2026-01-31' or '2026-01-31 12:00:00'"
    return f"; write a constant of type {type_}"


def explicit(expr: ir.Expr, type_: ir.DataType, mode: ir.EvalMode) -> ir.Expr:
    """The expression as the type that the user asked for."""
    if expr.type == type_:
        return expr
    if isinstance(expr, ir.Literal):
        return literal_as(expr, type_, mode)
    return ir.Cast(expr, type_, mode)


def common_type(args: Sequence[ir.Expr]) -> ir.DataType | None:
    """The type that all arguments widen to, if there is one."""
    return _widest([arg.type for arg in args if arg.type != UNTYPED])


def _widest(types: Sequence[ir.DataType]) -> ir.DataType | None:
    shared = types[0] if types else None
    for type_ in types[1:]:
        shared = shared and _wider(shared, type_)
    return shared


def _wider(left: ir.DataType, right: ir.DataType) -> ir.DataType | None:
    if left == right:
        return left
    if left is ir.STRING or right is ir.STRING:
        return _beside_text(right if left is ir.STRING else left)
    if left.is_integer and right.is_integer:
        return left if left.bits > right.bits else right
    if left.is_float or right.is_float:
        # Also an integer with a float32, which would lose digits.
        return ir.FLOAT64 if left.is_numeric and right.is_numeric else None
    if left.is_numeric and right.is_numeric:
        return wider_decimal(decimal_for(left), decimal_for(right))
    if {left, right} == {ir.DATE, ir.TIMESTAMP}:
        return ir.TIMESTAMP
    return None


def _beside_text(other: ir.DataType) -> ir.DataType:
    """What a text is read as beside a value of another type."""
    if other.is_integer:
        return ir.INT64
    return ir.FLOAT64 if other.is_numeric else other


def decimal_for(type_: ir.DataType) -> ir.DecimalType:
    """The decimal type that has every integer of a type."""
    if isinstance(type_, ir.DecimalType):
        return type_
    return ir.decimal(_INTEGER_DIGITS[type_], 0)


def wider_decimal(left: ir.DecimalType, right: ir.DecimalType) -> ir.DecimalType:
    """Room for the digits of both; if there is too little, those behind the point go first."""
    scale = max(left.scale, right.scale)
    precision = max(left.precision - left.scale, right.precision - right.scale) + scale
    surplus = max(0, precision - MAX_PRECISION)
    return ir.decimal(precision - surplus, max(0, scale - surplus))


# As Spark has it: a bigint has 19 digits, and gets one more.
_INTEGER_DIGITS = {ir.INT8: 3, ir.INT16: 5, ir.INT32: 10, ir.INT64: 20}


def _attempts(args: Sequence[ir.Expr], *, any_type: bool) -> Iterator[list[ir.DataType]]:
    own = [arg.type for arg in args]
    if UNTYPED not in own:
        yield own
    shared = common_type(args) or (ir.BOOL if {*own} == {UNTYPED} else None)
    if shared is not None:
        yield [shared] * len(args)
    if any_type:
        return  # what has no common type must not become text to have one
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
    if arg.type.is_decimal:
        options.append(ir.FLOAT64)
    if can_cast(arg.type, ir.STRING) and ir.STRING not in options:
        options.append(ir.STRING)
    if isinstance(arg, ir.Literal) and arg.type is ir.STRING:
        options += (ir.DATE, ir.TIMESTAMP, ir.FLOAT64, ir.INT64, ir.BOOL, ir.BINARY)
    return options


def _comparison(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode) -> ir.Expr:
    """An integer constant takes the type of the column that it is compared with, if it fits.

    So `small = 3` compares two int8 and not `cast(small as int32)`, with the same result.
    """
    columns = [arg.type for arg in args if not isinstance(arg, ir.Literal)]
    narrow = _widest(columns)
    if narrow is not None and narrow.is_integer and all(_fits(arg, narrow) for arg in args):
        args = [implicit(arg, narrow) for arg in args]
    elif any(arg.type.is_decimal for arg in args):
        args = [_with_own_digits(arg) for arg in args]
    return _regular(function, args, mode)


def _arithmetic(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode) -> ir.Expr:
    """Beside a decimal, an integer is one of its own digits: the result's type depends on them."""
    exact = all(arg.type.is_decimal or arg.type.is_integer for arg in args)
    if exact and any(arg.type.is_decimal for arg in args):
        sized = (_with_own_digits(arg) for arg in args)
        args = [implicit(arg, decimal_for(arg.type)) for arg in sized]
    return _regular(function, args, mode)


def _with_own_digits(arg: ir.Expr) -> ir.Expr:
    """An integer constant as a decimal of just its digits."""
    match arg:
        case ir.Literal(int() as value, own) if own.is_integer:
            return ir.Literal(value, ir.decimal(len(str(abs(value))), 0))
    return arg


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


def _to_digits(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode) -> ir.Expr:
    """ROUND and BROUND without digits round to an integer, but keep the type."""
    digits = args[1:] or [ir.Literal(0, ir.INT32)]
    return _regular(function, [args[0], *digits], mode)


def _rounded_months(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode) -> ir.Expr:
    """MONTHS_BETWEEN rounds to 8 digits unless it is told not to."""
    is_rounded = args[2:] or [ir.Literal(True, ir.BOOL)]
    return _regular(function, [*args[:2], *is_rounded], mode)


def _sum(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode) -> ir.Expr:
    """A date and a number of days make a date, as in Spark."""
    match [arg.type for arg in args]:
        case [ir.DATE, days] if days.is_integer:
            return _regular("date_add" if function == "add" else "date_sub", args, mode)
        case [days, ir.DATE] if days.is_integer and function == "add":
            return _regular("date_add", args[::-1], mode)
    return _arithmetic(function, args, mode)


def _of_dates(function: str, args: Sequence[ir.Expr], mode: ir.EvalMode) -> ir.Expr:
    """A timestamp is taken as its date, in UTC."""
    days = [explicit(a, ir.DATE, mode) if a.type is ir.TIMESTAMP else a for a in args]
    return _regular(function, days, mode)


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
    **dict.fromkeys(("add", "subtract"), _sum),
    **dict.fromkeys(("multiply", "divide", "int_divide", "remainder", "pmod"), _arithmetic),
    **dict.fromkeys(("ceil", "floor"), _rounding),
    **dict.fromkeys(("round", "bround"), _to_digits),
    **dict.fromkeys(("year", "quarter", "month", "day", "dayofyear", "dayofweek"), _of_dates),
    **dict.fromkeys(("weekday", "weekofyear", "yearofweek", "last_day", "next_day"), _of_dates),
    **dict.fromkeys(("date_add", "date_sub", "datediff", "add_months", "trunc"), _of_dates),
    "months_between": _rounded_months,
    "case_when": _case_when,
}
