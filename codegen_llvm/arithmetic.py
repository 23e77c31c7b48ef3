"""Arithmetic in generated code, with Spark's overflow and division rules."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm.builder import I1, KernelContext, llvm_type
from codegen_llvm.values import Value, any_null
from ir import INT32, INT64, Call, Cast, DataType, EvalMode

_CHECKED = {"add": "sadd", "subtract": "ssub", "multiply": "smul"}
_FLOAT_OPS: dict[str, Callable[..., ll.Value]] = {
    "add": ll.IRBuilder.fadd,
    "subtract": ll.IRBuilder.fsub,
    "multiply": ll.IRBuilder.fmul,
}
# What overflows wraps around: values behind nulls may, also where no other does.
PLAIN_OPS: dict[str, Callable[..., ll.Value]] = {
    "add": ll.IRBuilder.add,
    "subtract": ll.IRBuilder.sub,
    "multiply": ll.IRBuilder.mul,
}


def lower_sum(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """add, subtract, multiply."""
    left, right = args
    null = any_null(cx, left, right)
    if call.type.is_float:
        payload = _FLOAT_OPS[call.function](cx.b, left.payload, right.payload)
        return Value(call.type, payload, null)
    if call.mode is EvalMode.EXACT:
        payload = PLAIN_OPS[call.function](cx.b, left.payload, right.payload)
        return Value(call.type, payload, null)
    payload, overflow = checked(cx, _CHECKED[call.function], left.payload, right.payload)
    return lossy(cx, call, Value(call.type, payload, null), overflow, "ARITHMETIC_OVERFLOW")


def lower_negate(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Minus x: of the least integer it overflows."""
    (value,) = args
    if call.type.is_float:
        return Value(call.type, cx.b.fneg(value.payload), value.null)
    zero = ll.Constant(value.payload.type, 0)
    payload, overflow = checked(cx, "ssub", zero, value.payload)
    return lossy(cx, call, Value(call.type, payload, value.null), overflow, "ARITHMETIC_OVERFLOW")


def lower_divide(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Floating-point division; a zero divisor fails or gives null, never infinity."""
    left, right = args
    made = Value(call.type, cx.b.fdiv(left.payload, right.payload), any_null(cx, left, right))
    return lossy(cx, call, made, is_zero(cx, right), "DIVIDE_BY_ZERO", legacy_is_null=True)


def lower_int_divide(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Integer division toward zero."""
    left, right = args
    minus_one = _equals(cx, right, -1)
    quotient = cx.b.sdiv(left.payload, _safe_divisor(cx, right))
    negated = cx.b.neg(left.payload)  # wraps for the least integer, where sdiv would trap
    made = Value(INT64, cx.b.select(minus_one, negated, quotient), any_null(cx, left, right))
    made = lossy(cx, call, made, is_zero(cx, right), "DIVIDE_BY_ZERO", legacy_is_null=True)
    if _never(minus_one):
        return made
    overflow = cx.b.and_(_equals(cx, left, INT64.low), minus_one)
    return lossy(cx, call, made, overflow, "ARITHMETIC_OVERFLOW")


def lower_remainder(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The remainder with the dividend's sign."""
    left, right = args
    if call.type.is_float:
        payload = cx.b.frem(left.payload, right.payload)
    else:
        payload = cx.b.srem(left.payload, _safe_divisor(cx, right))
    made = Value(call.type, payload, any_null(cx, left, right))
    return lossy(cx, call, made, is_zero(cx, right), "REMAINDER_BY_ZERO", legacy_is_null=True)


def lower_pmod(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The remainder, with the divisor added where it is negative, and cut again."""
    left, right = args
    divisor = right.payload if call.type.is_float else _safe_divisor(cx, right)
    cut = cx.b.frem if call.type.is_float else cx.b.srem
    rest = cut(left.payload, divisor)
    zero = ll.Constant(rest.type, 0.0 if call.type.is_float else 0)
    if call.type.is_float:
        negative = cx.b.fcmp_ordered("<", rest, zero)
        again = cut(cx.b.fadd(rest, divisor), divisor)
    else:
        negative = cx.b.icmp_signed("<", rest, zero)
        again = _cut_sum(cx, rest, divisor)
    made = Value(call.type, cx.b.select(negative, again, rest), any_null(cx, left, right))
    return lossy(cx, call, made, is_zero(cx, right), "REMAINDER_BY_ZERO", legacy_is_null=True)


def _cut_sum(cx: KernelContext, rest: ll.Value, divisor: ll.Value) -> ll.Value:
    """(rest + divisor) % divisor; as in Java, narrow integers are added as int32."""
    narrow = rest.type
    if narrow.width >= INT32.bits:
        return cx.b.srem(cx.b.add(rest, divisor), divisor)
    wide = llvm_type(INT32)
    rest, divisor = cx.b.sext(rest, wide), cx.b.sext(divisor, wide)
    return cx.b.trunc(cx.b.srem(cx.b.add(rest, divisor), divisor), narrow)


def checked(
    cx: KernelContext, operation: str, left: ll.Value, right: ll.Value
) -> tuple[ll.Value, ll.Value]:
    """The wrapped result of an integer operation, and whether it overflowed."""
    width = left.type.width
    pair = ll.LiteralStructType([left.type, I1])
    name = f"llvm.{operation}.with.overflow.i{width}"
    both = cx.b.call(cx.external(name, pair, left.type, left.type), [left, right])
    return cx.b.extract_value(both, 0), cx.b.extract_value(both, 1)


def lossy(
    cx: KernelContext,
    expr: Call | Cast,
    made: Value,
    lost: ll.Value,
    condition: str,
    *,
    legacy_is_null: bool = False,
) -> Value:
    """What the mode makes of a value that is not representable: an error, null, or as it is."""
    if _never(lost) or expr.mode is EvalMode.EXACT:
        return made
    if expr.mode is EvalMode.ANSI:
        if made.null is not None:
            lost = cx.b.and_(lost, cx.b.not_(made.null))
        cx.fail_if(lost, condition, expr)
        return made
    if expr.mode is EvalMode.TRY or legacy_is_null:
        null = lost if made.null is None else cx.b.or_(made.null, lost)
        return Value(made.type, made.payload, null, made.length)
    return made


def _never(condition: ll.Value) -> bool:
    return isinstance(condition, ll.Constant) and not condition.constant


def is_zero(cx: KernelContext, value: Value) -> ll.Value:
    """Whether a divisor is zero."""
    return _equals(cx, value, 0)


def _equals(cx: KernelContext, value: Value, known: int) -> ll.Value:
    """Whether a number is a known one; decided at compile time for a literal."""
    payload = value.payload
    if isinstance(payload, ll.Constant) and value.null is None:
        return ll.Constant(I1, int(payload.constant == known))
    if value.type.is_float:
        return cx.b.fcmp_ordered("==", payload, ll.Constant(payload.type, float(known)))
    return cx.b.icmp_signed("==", payload, ll.Constant(payload.type, known))


def _safe_divisor(cx: KernelContext, value: Value) -> ll.Value:
    """The divisor, or 1 in place of 0 and -1, for which the instruction may trap.

    x % 1 is x % -1, and the quotient by -1 is taken by negation.
    """
    payload, one = value.payload, ll.Constant(value.payload.type, 1)
    if isinstance(payload, ll.Constant):
        return one if payload.constant in (0, -1) else payload
    shifted = cx.b.add(payload, one)  # 0 and -1 become 1 and 0: one unsigned comparison
    return cx.b.select(cx.b.icmp_unsigned("<=", shifted, one), one, payload)


def float_to_integer(cx: KernelContext, payload: ll.Value, target: DataType) -> ll.Value:
    """Saturating, with NaN as 0, as on the JVM; int8 and int16 are cut from int32, as there."""
    wide = llvm_type(target if target.bits >= 32 else INT32)
    suffix = "f64" if isinstance(payload.type, ll.DoubleType) else "f32"
    name = f"llvm.fptosi.sat.i{wide.width}.{suffix}"
    made = cx.b.call(cx.external(name, wide, payload.type), [payload])
    return made if target.bits >= 32 else cx.b.trunc(made, llvm_type(target))


def out_of_range(cx: KernelContext, value: Value, target: DataType) -> ll.Value:
    """Whether a number has no counterpart in an integer type."""
    payload = value.payload
    if not value.type.is_float:
        back = cx.b.sext(cx.b.trunc(payload, llvm_type(target)), payload.type)
        return cx.b.icmp_signed("!=", back, payload)
    double = ll.DoubleType()
    wide = payload if payload.type == double else cx.b.fpext(payload, double)
    floor = cx.b.call(cx.external("llvm.floor.f64", double, double), [wide])
    ceil = cx.b.call(cx.external("llvm.ceil.f64", double, double), [wide])
    # Spark compares with the bound as a double: 2^63 passes for int64 and saturates.
    below = cx.b.fcmp_ordered("<=", floor, ll.Constant(double, float(target.high)))
    above = cx.b.fcmp_ordered(">=", ceil, ll.Constant(double, float(target.low)))
    return cx.b.not_(cx.b.and_(below, above))
