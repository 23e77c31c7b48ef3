"""Comparisons and three-valued logic in generated code."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I32, KernelContext
from codegen_llvm.strings import equal_constant, equal_strings, order_strings
from codegen_llvm.values import Value, any_null, null_bit
from ir import BOOL, Call, Expr, Literal

_SYMBOLS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def lower_comparison(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """eq, ne, lt, le, gt, ge."""
    left, right = args
    null = any_null(cx, left, right)
    literal = _string_literal(call.args[1])
    if literal is not None and call.function in ("eq", "ne"):
        same = equal_constant(cx, left, literal)
        payload = same if call.function == "eq" else cx.b.not_(same)
    else:
        payload = compare(cx, call.function, left, right)
    return Value(BOOL, payload, null)


def compare(cx: KernelContext, function: str, left: Value, right: Value) -> ll.Value:
    """A comparison of two values that are not null."""
    if left.type.is_bytes:
        return _compare_strings(cx, function, left, right)
    if left.type.is_float:
        return _compare_floats(cx, function, left.payload, right.payload)
    if left.type == BOOL:
        return cx.b.icmp_unsigned(_SYMBOLS[function], left.payload, right.payload)
    return cx.b.icmp_signed(_SYMBOLS[function], left.payload, right.payload)


def lower_eq_null_safe(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Equal, or both null."""
    left, right = args
    same = compare(cx, "eq", left, right)
    if left.null is None and right.null is None:
        return Value(BOOL, same)
    left_null, right_null = null_bit(left), null_bit(right)
    both = cx.b.and_(left_null, right_null)
    neither = cx.b.not_(cx.b.or_(left_null, right_null))
    return Value(BOOL, cx.b.or_(both, cx.b.and_(neither, same)))


def lower_between(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """low <= x and x <= high, in three-valued logic: a null bound may still decide."""
    value, low, high = args
    above = Value(BOOL, compare(cx, "ge", value, low), any_null(cx, value, low))
    below = Value(BOOL, compare(cx, "le", value, high), any_null(cx, value, high))
    return conjoin(cx, above, below)


def lower_in(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Whether a value is in a list; unknown if it is not found and a null is involved."""
    value, *options = args
    found: ll.Value = ll.Constant(I1, 0)
    for expr, option in zip(call.args[1:], options, strict=True):
        literal = _string_literal(expr)
        same = (
            equal_constant(cx, value, literal)
            if literal is not None
            else compare(cx, "eq", value, option)
        )
        if option.null is not None:
            same = cx.b.and_(same, cx.b.not_(option.null))
        found = cx.b.or_(found, same)
    null_option = any_null(cx, *options)
    null = value.null
    if null_option is not None:
        missed = cx.b.and_(null_option, cx.b.not_(found))
        null = missed if null is None else cx.b.or_(null, missed)
    return Value(BOOL, found, null)


def conjoin(cx: KernelContext, left: Value, right: Value) -> Value:
    """and: false if either is false, else null if either is null."""
    payload = cx.b.and_(left.payload, right.payload)
    null = any_null(cx, left, right)
    if null is None:
        return Value(BOOL, payload)
    false = cx.b.or_(_is_false(cx, left), _is_false(cx, right))
    return Value(BOOL, payload, cx.b.and_(null, cx.b.not_(false)))


def disjoin(cx: KernelContext, left: Value, right: Value) -> Value:
    """or: true if either is true, else null if either is null."""
    null = any_null(cx, left, right)
    if null is None:
        return Value(BOOL, cx.b.or_(left.payload, right.payload))
    true = cx.b.or_(_is_true(cx, left), _is_true(cx, right))
    return Value(BOOL, true, cx.b.and_(null, cx.b.not_(true)))


def _is_true(cx: KernelContext, value: Value) -> ll.Value:
    return cx.b.and_(value.payload, cx.b.not_(null_bit(value)))


def _is_false(cx: KernelContext, value: Value) -> ll.Value:
    return cx.b.not_(cx.b.or_(value.payload, null_bit(value)))


def _compare_strings(cx: KernelContext, function: str, left: Value, right: Value) -> ll.Value:
    if function in ("eq", "ne"):
        same = equal_strings(cx, left, right)
        return same if function == "eq" else cx.b.not_(same)
    order = order_strings(cx, left, right)
    return cx.b.icmp_signed(_SYMBOLS[function], order, ll.Constant(I32, 0))


def _compare_floats(cx: KernelContext, function: str, left: ll.Value, right: ll.Value) -> ll.Value:
    """NaN equals NaN and is greater than any other number; -0.0 equals 0.0."""
    match function:
        case "eq":
            both_nan = cx.b.and_(_is_nan(cx, left), _is_nan(cx, right))
            return cx.b.or_(cx.b.fcmp_ordered("==", left, right), both_nan)
        case "ne":
            return cx.b.not_(_compare_floats(cx, "eq", left, right))
        case "lt":
            # "unordered or less" and left is a number: right may be NaN, left may not.
            less = cx.b.fcmp_unordered("<", left, right)
            return cx.b.and_(less, cx.b.not_(_is_nan(cx, left)))
        case "gt":
            return _compare_floats(cx, "lt", right, left)
        case "le":
            return cx.b.not_(_compare_floats(cx, "lt", right, left))
        case _:
            return cx.b.not_(_compare_floats(cx, "lt", left, right))


def _is_nan(cx: KernelContext, value: ll.Value) -> ll.Value:
    return cx.b.fcmp_unordered("uno", value, value)


def _string_literal(expr: Expr) -> Literal | None:
    """The expression as a non-null literal of bytes, if it is one."""
    if isinstance(expr, Literal) and expr.type.is_bytes and expr.value is not None:
        return expr
    return None
