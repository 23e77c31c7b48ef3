"""Lowering of expressions: a table for the regular functions, code for those that branch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from llvmlite import ir as ll

from codegen_llvm import arithmetic as arith
from codegen_llvm import comparisons as comp
from codegen_llvm import mathematics as math
from codegen_llvm.builder import I1, I32, KernelContext, llvm_type
from codegen_llvm.casts import lower_cast, lower_parse_timestamp
from codegen_llvm.dates import DATE_LOWERINGS
from codegen_llvm.decimals import DECIMAL_LOWERINGS
from codegen_llvm.instants import INSTANT_LOWERINGS
from codegen_llvm.local_times import LOCAL_LOWERINGS
from codegen_llvm.rounding import lower_rounded
from codegen_llvm.text_functions import MAKERS, TEXT_LOWERINGS
from codegen_llvm.values import Value, choose, constant, is_true, null_bit
from ir import BOOL, Call, Cast, Column, DataType, EvalMode, Expr, Literal

Lowering = Callable[[KernelContext, Call, list[Value]], Value]


class Scope(Protocol):
    """Where the columns of a row, and results that were computed before, come from."""

    def column(self, cx: KernelContext, column: Column) -> Value:
        """The value of a column in the current row."""

    def known(self, cx: KernelContext, expr: Expr) -> Value | None:
        """The value of an expression that needs no computation, such as a look-up."""


def _is_null(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    return Value(BOOL, null_bit(args[0]))


def _is_not_null(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    return Value(BOOL, cx.b.not_(null_bit(args[0])))


def _not(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    return Value(BOOL, cx.b.not_(args[0].payload), args[0].null)


LOWERINGS: dict[str, Lowering] = {
    "add": arith.lower_sum,
    "subtract": arith.lower_sum,
    "multiply": arith.lower_sum,
    "negate": arith.lower_negate,
    "divide": arith.lower_divide,
    "int_divide": arith.lower_int_divide,
    "remainder": arith.lower_remainder,
    "pmod": arith.lower_pmod,
    "abs": math.lower_abs,
    "sign": math.lower_sign,
    "bit_and": math.lower_bits,
    "bit_or": math.lower_bits,
    "bit_xor": math.lower_bits,
    "bit_not": math.lower_bit_not,
    "sqrt": math.lower_sqrt,
    "shiftleft": math.lower_shift,
    "shiftright": math.lower_shift,
    "shiftrightunsigned": math.lower_shift,
    **dict.fromkeys(("ln", "log2", "log10", "log1p"), math.lower_logarithm),
    **dict.fromkeys(("exp", "expm1", "cbrt", "sin", "cos", "tan"), math.lower_library),
    **dict.fromkeys(("asin", "acos", "atan", "sinh", "cosh", "tanh"), math.lower_library),
    **dict.fromkeys(("degrees", "radians"), math.lower_angle),
    "pow": math.lower_pow,
    "ceil": math.lower_rounding,
    "floor": math.lower_rounding,
    "round": lower_rounded,
    "bround": lower_rounded,
    "greatest": math.lower_extreme,
    "least": math.lower_extreme,
    "eq": comp.lower_comparison,
    "ne": comp.lower_comparison,
    "lt": comp.lower_comparison,
    "le": comp.lower_comparison,
    "gt": comp.lower_comparison,
    "ge": comp.lower_comparison,
    "eq_null_safe": comp.lower_eq_null_safe,
    "between": comp.lower_between,
    "is_null": _is_null,
    "is_not_null": _is_not_null,
    "not": _not,
    **TEXT_LOWERINGS,
    **DATE_LOWERINGS,
    **INSTANT_LOWERINGS,
    **LOCAL_LOWERINGS,
    "parse_timestamp": lower_parse_timestamp,
}
# Functions that evaluate some arguments only if others allow it.
BRANCHING = frozenset({"and", "or", "in", "coalesce", "case_when"})


def needs_branch(expr: Expr) -> bool:
    """Whether an expression is evaluated only where it is wanted: it may fail, or be vast."""
    if expr.can_fail:
        return True
    return any(isinstance(node, Call) and node.function in MAKERS for node in expr.walk())


def lower(cx: KernelContext, scope: Scope, expr: Expr) -> Value:
    """Generate the code that computes an expression for the current row."""
    known = scope.known(cx, expr)
    if known is not None:
        return known
    match expr:
        case Column():
            return scope.column(cx, expr)
        case Literal():
            return constant(cx, expr)
        case Cast(child):
            return lower_cast(cx, expr, lower(cx, scope, child))
        case Call(function) if function in LOWERINGS:
            return _lower_regular(cx, scope, expr)
        case Call():
            return _lower_branching(cx, scope, expr)
    raise TypeError(f"no lowering for {expr!r}")


def _lower_regular(cx: KernelContext, scope: Scope, call: Call) -> Value:
    """All arguments, unless a null one must keep another from failing."""
    if call.function == "between" and any(arg.can_fail for arg in call.args):
        value, low, high = call.args
        both = Call("and", (Call("ge", (value, low)), Call("le", (value, high))))
        return lower(cx, scope, both)
    if call.function not in _ALL_EVALUATED:
        order = call.args[::-1] if call.function in _DIVISIONS else call.args
        if any(arg.can_fail for arg in order[1:]) and (
            call.nullable or any(arg.nullable for arg in order)
        ):
            return _lower_in_turn(cx, scope, call, [], list(order))
    return _lowering(call)(cx, call, [lower(cx, scope, arg) for arg in call.args])


def _lowering(call: Call) -> Lowering:
    """Arithmetic of decimals is another than that of machine numbers."""
    if call.args[0].type.is_decimal and call.function in DECIMAL_LOWERINGS:
        return DECIMAL_LOWERINGS[call.function]
    return LOWERINGS[call.function]


# A null argument does not settle the result.
_ALL_EVALUATED = frozenset({"eq_null_safe", "greatest", "least", "concat", "concat_ws"})
# Spark evaluates the divisor first, and the dividend only if it can be divided.
_DIVISIONS = frozenset({"divide", "int_divide", "remainder", "pmod"})


def _lower_in_turn(
    cx: KernelContext, scope: Scope, call: Call, known: list[Value], rest: list[Expr]
) -> Value:
    """Evaluate each operand only if those before it leave the result open."""
    if not any(arg.can_fail for arg in rest[1:]):
        args = [*known, *(lower(cx, scope, arg) for arg in rest)]
        return _lowering(call)(cx, call, args[::-1] if call.function in _DIVISIONS else args)
    value = lower(cx, scope, rest[0])
    wanted = cx.b.not_(null_bit(value))
    null_of_zero = call.function in _DIVISIONS and call.mode in (EvalMode.LEGACY, EvalMode.TRY)
    if null_of_zero and not known:
        wanted = cx.b.and_(wanted, cx.b.not_(arith.is_zero(cx, value)))
    blank = _blank(cx, call.type)
    null = Value(blank.type, blank.payload, ll.Constant(I1, 1), blank.length)

    def compute() -> Value:
        return _lower_in_turn(cx, scope, call, [*known, value], rest[1:])

    return _guarded(cx, wanted, compute, null, nullable=True)


def _lower_branching(cx: KernelContext, scope: Scope, call: Call) -> Value:
    match call.function:
        case "and":
            return _lower_and(cx, scope, call)
        case "or":
            return _lower_or(cx, scope, call)
        case "in":
            return _lower_in(cx, scope, call)
        case "coalesce":
            return _lower_coalesce(cx, scope, list(call.args))
        case "case_when":
            return _lower_case(cx, scope, list(call.args))
    raise TypeError(f"no lowering for function {call.function!r}")


def _lower_and(cx: KernelContext, scope: Scope, call: Call) -> Value:
    left, right = call.args
    first = lower(cx, scope, left)
    if not needs_branch(right):
        return comp.conjoin(cx, first, lower(cx, scope, right))
    # Only a false left side settles it: a null one still evaluates the right, as Spark does.
    undecided = cx.b.or_(first.payload, null_bit(first))
    false = Value(BOOL, ll.Constant(I1, 0))
    second = _guarded(cx, undecided, lambda: lower(cx, scope, right), false, right.nullable)
    return comp.conjoin(cx, first, second)


def _lower_or(cx: KernelContext, scope: Scope, call: Call) -> Value:
    left, right = call.args
    first = lower(cx, scope, left)
    if not needs_branch(right):
        return comp.disjoin(cx, first, lower(cx, scope, right))
    undecided = cx.b.not_(is_true(cx, first))
    true = Value(BOOL, ll.Constant(I1, 1))
    second = _guarded(cx, undecided, lambda: lower(cx, scope, right), true, right.nullable)
    return comp.disjoin(cx, first, second)


def _lower_in(cx: KernelContext, scope: Scope, call: Call) -> Value:
    if not any(map(needs_branch, call.args[1:])):
        return comp.lower_in(cx, call, [lower(cx, scope, arg) for arg in call.args])
    # An option is evaluated only while the value is not null and none before was equal.
    value, *options = call.args
    joined: Expr = Literal(False, BOOL)
    for option in reversed(options):
        joined = Call("or", (Call("eq", (value, option)), joined))
    probe = Call("is_null", (value,))
    return lower(cx, scope, Call("case_when", (probe, Literal(None, BOOL), joined)))


def _lower_coalesce(cx: KernelContext, scope: Scope, args: list[Expr]) -> Value:
    first = lower(cx, scope, args[0])
    if len(args) == 1 or first.null is None:
        return first
    return _otherwise(
        cx,
        first.null,
        lambda: _lower_coalesce(cx, scope, args[1:]),
        first=Value(first.type, first.payload, None, first.length),
        lazy=any(map(needs_branch, args[1:])),
        nullable=all(arg.nullable for arg in args[1:]),
    )


def _lower_case(cx: KernelContext, scope: Scope, args: list[Expr]) -> Value:
    if len(args) == 1:
        return lower(cx, scope, args[0])
    condition, value, *rest = args
    met = is_true(cx, lower(cx, scope, condition))
    rest_nullable = any(arg.nullable for arg in (*rest[1:-1:2], rest[-1]))
    if needs_branch(value):
        blank = _blank(cx, value.type)
        first = _guarded(cx, met, lambda: lower(cx, scope, value), blank, value.nullable)
    else:
        first = lower(cx, scope, value)
    return _otherwise(
        cx,
        cx.b.not_(met),
        lambda: _lower_case(cx, scope, rest),
        first=first,
        lazy=any(map(needs_branch, rest)),
        nullable=rest_nullable,
    )


def _otherwise(
    cx: KernelContext,
    wanted: ll.Value,
    second: Callable[[], Value],
    *,
    first: Value,
    lazy: bool,
    nullable: bool,
) -> Value:
    """`second() if wanted else first`; behind a branch where evaluating it may fail."""
    if lazy:
        return _guarded(cx, wanted, second, first, nullable)
    return choose(cx, wanted, second(), first)


def _guarded(
    cx: KernelContext,
    wanted: ll.Value,
    compute: Callable[[], Value],
    default: Value,
    nullable: bool,
) -> Value:
    """Evaluate only where wanted: `compute() if wanted else default`."""
    null_slot = None
    payload = cx.variable(default.payload.type, default.payload)
    length = cx.variable(I32, default.length) if default.length is not None else None
    if nullable or default.null is not None:
        null_slot = cx.variable(I1, null_bit(default))
    with cx.b.if_then(wanted):
        made = compute()
        cx.b.store(made.payload, payload)
        if length is not None:
            cx.b.store(made.length, length)
        if null_slot is not None:
            cx.b.store(null_bit(made), null_slot)
    return Value(
        default.type,
        cx.b.load(payload, typ=default.payload.type),
        None if null_slot is None else cx.b.load(null_slot, typ=I1),
        None if length is None else cx.b.load(length, typ=I32),
    )


def _blank(cx: KernelContext, type_: DataType) -> Value:
    """Some value of a type, for where it is not looked at."""
    if type_.is_bytes:
        return Value(type_, cx.constant_bytes(b"\0"), None, ll.Constant(I32, 0))
    return Value(type_, ll.Constant(llvm_type(type_), 0.0 if type_.is_float else 0))
