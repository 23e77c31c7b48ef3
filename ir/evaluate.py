"""The reference evaluator of expressions: the one definition of what they mean.

Slow and clear on purpose. Constant folding calls it, and every faster
implementation is tested against it. The order in which operands are evaluated
is Spark's, because it decides whether an operand that would fail is reached.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from ir.arithmetic import (
    Number,
    compare,
    exponential,
    fits,
    float_remainder,
    natural_logarithm,
    positive_remainder,
    power,
    quotient,
    remainder,
    round_to,
    saturate,
    shifted_left,
    shifted_right,
    shifted_right_unsigned,
    sign,
    square_root,
    wrap,
)
from ir.conversion import Lost, converted
from ir.dates import DATE_MEANINGS
from ir.decimals import Scaled, computed
from ir.errors import EvaluationError, IrError, Unrepresentable
from ir.expr import Call, Cast, Column, Expr, Literal, Scalar
from ir.instants import INSTANT_MEANINGS
from ir.local_times import LOCAL_MEANINGS
from ir.mathematics import MATH_MEANINGS
from ir.patterns import BadPattern, matches
from ir.rounding import rounded_decimal, rounded_float, rounded_integer
from ir.signatures import EvalMode
from ir.text_form import expr_text
from ir.texts import TEXT_MEANINGS
from ir.types import BINARY, DataType, DecimalType

Row: TypeAlias = Mapping[str, Scalar]
Meaning: TypeAlias = Callable[[Call, Row], Scalar]


def evaluate_expr(expr: Expr, row: Row) -> Scalar:
    """The value of an expression for a row; raises EvaluationError where Spark would fail."""
    match expr:
        case Column(name):
            return row[name]
        case Literal(value):
            return value
        case Cast():
            return _cast(expr, row)
        case Call():
            return _MEANINGS[expr.function](expr, row)
    raise TypeError(f"{type(expr).__name__} has no meaning yet; add it to ir.evaluate")


def _cast(cast: Cast, row: Row) -> Scalar:
    value = evaluate_expr(cast.child, row)
    if value is None:
        return None
    mode = cast.mode
    made = converted(value, cast.child.type, cast.type, legacy=mode is EvalMode.LEGACY)
    if not isinstance(made, Lost):
        return made
    raises = {EvalMode.LEGACY: made.in_legacy, EvalMode.TRY: made.in_try}
    if mode in raises and not raises[mode]:
        return None
    return _lost(cast, made.condition, fails=True)


def _lost(expr: Call | Cast, condition: str, *, fails: bool = False) -> Scalar:
    """What ANSI and TRY make of a value that cannot be represented."""
    if expr.mode is EvalMode.EXACT:
        raise IrError(f"{expr_text(expr)} was proven to lose no value, but: {condition}")
    if fails or expr.mode is EvalMode.ANSI:
        raise EvaluationError(condition, expr_text(expr))
    return None


def _strict(compute: Callable[..., Scalar]) -> Meaning:
    """From left to right; the first null is the result and ends the evaluation."""

    def meaning(call: Call, row: Row) -> Scalar:
        values: list[Scalar] = []
        for arg in call.args:
            value = evaluate_expr(arg, row)
            if value is None:
                return None
            values.append(value)
        return compute(call, *values)

    return meaning


def _arithmetic(compute: Callable[..., Number]) -> Meaning:
    def result(call: Call, *values: Number) -> Scalar:
        if call.type.is_decimal:
            return _decimal(call, *values)
        exact = compute(*values)
        if isinstance(exact, float):
            return round_to(exact, call.type)
        return _in_range(call, exact)

    return _strict(result)


def _decimal(call: Call, *values: Scalar) -> Scalar:
    """A function of decimals; what has too many digits fails, or is null also in LEGACY mode."""
    numbers = []
    for arg, value in zip(call.args, values, strict=True):
        assert isinstance(arg.type, DecimalType)
        assert isinstance(value, int)
        numbers.append(Scaled(value, arg.type.scale))
    made = computed(call.function, numbers, call.type)
    return _lost(call, "NUMERIC_VALUE_OUT_OF_RANGE") if made is None else made


def _in_range(call: Call, exact: int) -> Scalar:
    if fits(exact, call.type):
        return exact
    if call.mode is EvalMode.LEGACY:
        return wrap(exact, call.type)
    return _lost(call, "ARITHMETIC_OVERFLOW")


def _division(compute: Callable[..., Scalar], condition: str) -> Meaning:
    """The divisor comes first: where it is null, the dividend is not evaluated.

    Outside ANSI mode, a zero divisor gives null, also without the dividend.
    """

    def meaning(call: Call, row: Row) -> Scalar:
        divisor = evaluate_expr(call.args[1], row)
        if divisor is None or (divisor == 0 and call.mode in (EvalMode.LEGACY, EvalMode.TRY)):
            return None
        dividend = evaluate_expr(call.args[0], row)
        if dividend is None:
            return None
        if divisor == 0:
            return _lost(call, condition)
        if call.args[0].type.is_decimal:
            return _decimal(call, dividend, divisor)
        return compute(call, dividend, divisor)

    return meaning


def _divide(call: Call, left: float, right: float) -> Scalar:
    return left / right


def _int_divide(call: Call, left: int, right: int) -> Scalar:
    return _in_range(call, quotient(left, right))


def _remainder(call: Call, left: Number, right: Number) -> Scalar:
    if call.type.is_float:
        return float_remainder(left, right)
    return remainder(int(left), int(right))


def _pmod(call: Call, left: Number, right: Number) -> Scalar:
    return positive_remainder(left, right, call.type)


def _shift(compute: Callable[[int, int, DataType], int]) -> Meaning:
    return _strict(lambda call, value, by: compute(value, by, call.type))


def _plain(compute: Callable[..., Scalar]) -> Meaning:
    """A function of values that is defined for all of them, in every mode."""
    return _strict(lambda call, *values: compute(*values))


def _whole(rounded: Callable[[float], int]) -> Meaning:
    """Rounded to an integer; NaN is 0, and LEGACY saturates like Java instead of wrapping."""

    def result(call: Call, value: float) -> Scalar:
        if call.type.is_decimal:
            return _decimal(call, value)
        exact = rounded(value) if math.isfinite(value) else None
        if math.isnan(value) or call.mode is EvalMode.LEGACY:
            return saturate(value if exact is None else float(exact), call.type)
        if exact is not None and fits(exact, call.type):
            return exact
        return _lost(call, "ARITHMETIC_OVERFLOW")

    return _strict(result)


def _rounded(half_even: bool) -> Meaning:
    """Rounded to a number of digits behind the point, or, if that is negative, before it."""

    def result(call: Call, value: Number, digits: int) -> Scalar:
        source, target = call.args[0].type, call.type
        if isinstance(value, float):
            return rounded_float(value, digits, target, half_even)
        if isinstance(source, DecimalType) and isinstance(target, DecimalType):
            made = rounded_decimal(Scaled(value, source.scale), digits, target, half_even)
            fitting = target.low <= made <= target.high
            return made if fitting else _lost(call, "NUMERIC_VALUE_OUT_OF_RANGE")
        return _in_range(call, rounded_integer(value, digits, half_even))

    return _strict(result)


def _calendar(compute: Callable[..., float | None]) -> Meaning:
    """A function that raises where there is no such date or timestamp."""

    def result(call: Call, *values: Scalar) -> Scalar:
        try:
            return compute(*values)
        except Unrepresentable as lost:
            return _lost(call, lost.condition)

    return _strict(result)


def _extreme(call: Call, row: Row, direction: int) -> Scalar:
    """The greatest (1) or least (-1) value that is not null; of equal ones, the first.

    All arguments are evaluated: none can make another irrelevant.
    """
    best: Scalar = None
    for value in [evaluate_expr(arg, row) for arg in call.args]:
        if value is not None and (best is None or compare(value, best) == direction):
            best = value
    return best


def _comparison(test: Callable[[int, int], bool]) -> Meaning:
    return _strict(lambda call, left, right: test(compare(left, right), 0))


def _eq_null_safe(call: Call, row: Row) -> Scalar:
    left, right = (evaluate_expr(arg, row) for arg in call.args)
    if left is None or right is None:
        return left is right
    return compare(left, right) == 0


def _between(call: Call, row: Row) -> Scalar:
    """`low <= value and value <= high`, which is what Spark replaces it by."""
    value, low, high = call.args
    return evaluate_expr(Call("and", (Call("ge", (value, low)), Call("le", (value, high)))), row)


def _in(call: Call, row: Row) -> Scalar:
    """True at the first equal element; null if the value, or any element before the end, is."""
    value = evaluate_expr(call.args[0], row)
    if value is None:
        return None
    saw_null = False
    for arg in call.args[1:]:
        element = evaluate_expr(arg, row)
        if element is None:
            saw_null = True
        elif compare(value, element) == 0:
            return True
    return None if saw_null else False


def _connective(call: Call, row: Row, decisive: bool) -> Scalar:
    """`and` is decided by false, `or` by true; a null on the left decides nothing."""
    left = evaluate_expr(call.args[0], row)
    if left is decisive:
        return decisive
    right = evaluate_expr(call.args[1], row)
    if right is decisive:
        return decisive
    return None if left is None or right is None else not decisive


def _coalesce(call: Call, row: Row) -> Scalar:
    values = (evaluate_expr(arg, row) for arg in call.args)
    return next((value for value in values if value is not None), None)


def _case_when(call: Call, row: Row) -> Scalar:
    for condition, value in zip(call.args[0:-1:2], call.args[1:-1:2], strict=True):
        if evaluate_expr(condition, row) is True:
            return evaluate_expr(value, row)
    return evaluate_expr(call.args[-1], row)


def _concat(call: Call, row: Row) -> Scalar:
    """All parts are evaluated; a null one makes the result null."""
    parts = [evaluate_expr(arg, row) for arg in call.args]
    if None in parts:
        return None
    empty: str | bytes = b"" if call.type is BINARY else ""
    return empty.join(parts)  # type: ignore[arg-type]


def _concat_ws(call: Call, row: Row) -> Scalar:
    """All texts are evaluated, null ones are left out; only a null separator gives null."""
    separator, *texts = [evaluate_expr(arg, row) for arg in call.args]
    return (
        None if separator is None else str(separator).join(str(t) for t in texts if t is not None)
    )


def _like(call: Call, text: str, pattern: str) -> Scalar:
    try:
        return matches(text, pattern)
    except BadPattern as error:
        return _lost(call, error.condition)


_MEANINGS: dict[str, Meaning] = {
    "add": _arithmetic(operator.add),
    "subtract": _arithmetic(operator.sub),
    "multiply": _arithmetic(operator.mul),
    "divide": _division(_divide, "DIVIDE_BY_ZERO"),
    "int_divide": _division(_int_divide, "DIVIDE_BY_ZERO"),
    "remainder": _division(_remainder, "REMAINDER_BY_ZERO"),
    "pmod": _division(_pmod, "REMAINDER_BY_ZERO"),
    "negate": _arithmetic(operator.neg),
    "abs": _arithmetic(abs),
    "sign": _plain(sign),
    "bit_and": _plain(operator.and_),
    "bit_or": _plain(operator.or_),
    "bit_xor": _plain(operator.xor),
    "bit_not": _plain(operator.invert),
    "shiftleft": _shift(shifted_left),
    "shiftright": _shift(shifted_right),
    "shiftrightunsigned": _shift(shifted_right_unsigned),
    "sqrt": _plain(square_root),
    "exp": _plain(exponential),
    "ln": _plain(natural_logarithm),
    "pow": _plain(power),
    "ceil": _whole(math.ceil),
    "floor": _whole(math.floor),
    "round": _rounded(half_even=False),
    "bround": _rounded(half_even=True),
    **{name: _plain(meaning) for name, meaning in MATH_MEANINGS.items()},
    **{name: _calendar(meaning) for name, meaning in DATE_MEANINGS.items()},
    **{name: _calendar(meaning) for name, meaning in INSTANT_MEANINGS.items()},
    **{name: _calendar(meaning) for name, meaning in LOCAL_MEANINGS.items()},
    "greatest": partial(_extreme, direction=1),
    "least": partial(_extreme, direction=-1),
    "eq": _comparison(operator.eq),
    "ne": _comparison(operator.ne),
    "lt": _comparison(operator.lt),
    "le": _comparison(operator.le),
    "gt": _comparison(operator.gt),
    "ge": _comparison(operator.ge),
    "eq_null_safe": _eq_null_safe,
    "between": _between,
    "in": _in,
    "and": partial(_connective, decisive=False),
    "or": partial(_connective, decisive=True),
    "not": _strict(lambda call, value: not value),
    "is_null": lambda call, row: evaluate_expr(call.args[0], row) is None,
    "is_not_null": lambda call, row: evaluate_expr(call.args[0], row) is not None,
    "coalesce": _coalesce,
    "case_when": _case_when,
    "concat": _concat,
    "concat_ws": _concat_ws,
    "like": _strict(_like),
    **{name: _plain(meaning) for name, meaning in TEXT_MEANINGS.items()},
}
