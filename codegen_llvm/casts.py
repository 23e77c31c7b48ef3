"""Casts in generated code: by the type that a value is cast to."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm import decimal_casts as decimals
from codegen_llvm.arithmetic import checked, float_to_integer, lossy, out_of_range
from codegen_llvm.builder import I1, I64, KernelContext, i64, llvm_type
from codegen_llvm.civil import floor_divide
from codegen_llvm.parse_floats import parse_float
from codegen_llvm.parse_numbers import parse_bool, parse_decimal, parse_integer
from codegen_llvm.parse_times import parse_date, parse_timestamp
from codegen_llvm.print_values import lower_to_text
from codegen_llvm.scanning import Parsed, is_status
from codegen_llvm.values import Value
from ir import (
    BINARY,
    BOOL,
    DATE,
    FLOAT64,
    INT64,
    STRING,
    TIMESTAMP,
    Call,
    Cast,
    DataType,
    DecimalType,
    EvalMode,
)
from ir.calendar import DAY_US, SECOND_US
from ir.casts import cast_can_lose, is_always_null
from ir.expr import constant
from ir.regions import WrittenTimes, local_times, written_times

DOUBLE = ll.DoubleType()
_CONDITIONS = {
    Parsed.INVALID: "CAST_INVALID_INPUT",
    Parsed.TOO_LARGE: "NUMERIC_OUT_OF_SUPPORTED_RANGE",
    Parsed.TOO_MANY_DIGITS: "NUMERIC_VALUE_OUT_OF_RANGE",
}


def lower_cast(cx: KernelContext, cast: Cast, value: Value) -> Value:
    """A value as another type; the mode says what becomes of one that has no counterpart."""
    source, target = value.type, cast.type
    if source == target:
        return value
    if is_always_null(source, target):
        zero = ll.Constant(llvm_type(target), 0.0 if target.is_float else 0)
        return Value(target, zero, ll.Constant(I1, 1))
    if source == STRING and not target.is_bytes:
        return _parsed(cx, cast, value)
    return _lowering(target)(cx, cast, value)


def _lowering(target: DataType) -> Callable[[KernelContext, Cast, Value], Value]:
    if target.is_integer:
        return _to_integer
    if target.is_float:
        return _to_float
    if target.is_decimal:
        return decimals.lower_to_decimal
    others = {BOOL: _to_bool, STRING: _to_text, BINARY: _to_binary, DATE: _to_date}
    return others.get(target, _to_timestamp)


def _parsed(cx: KernelContext, cast: Cast, text: Value) -> Value:
    """A text that is read: what is wrong fails, or is null also in LEGACY mode."""
    if cast.type == TIMESTAMP:
        return parsed_timestamp(cx, cast, text, local_times())
    payload, status = _read(cx, cast, text)
    made = Value(cast.type, payload, text.null)
    if cast.type.is_integer and cast.type != INT64:
        narrow = cx.b.trunc(payload, llvm_type(cast.type))
        outside = cx.b.icmp_signed("!=", cx.b.sext(narrow, I64), payload)
        made = Value(cast.type, narrow, text.null)
        made = lossy(cx, cast, made, outside, "CAST_INVALID_INPUT", legacy_is_null=True)
    statuses = _CONDITIONS if cast.type.is_decimal else [Parsed.INVALID]
    for parsed in statuses:
        lost = is_status(cx, status, parsed)
        made = lossy(cx, cast, made, lost, _CONDITIONS[parsed], legacy_is_null=True)
    return made


def lower_parse_timestamp(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The same as a cast, where the first argument says what regions and no zone mean."""
    return parsed_timestamp(cx, call, args[1], written_times(constant(call, 0)))


def parsed_timestamp(
    cx: KernelContext, expr: Call | Cast, text: Value, times: WrittenTimes
) -> Value:
    """A text that is read; where rules of zones are missing, a region fails in all modes."""
    payload, status = parse_timestamp(cx, text, times)
    if not times.regions.are_known:
        open_ = is_status(cx, status, Parsed.OPEN)
        if text.null is not None:
            open_ = cx.b.and_(open_, cx.b.not_(text.null))
        cx.fail_if(open_, "TIME_ZONE_RULES_MISSING", expr)
    made = Value(TIMESTAMP, payload, text.null)
    lost = is_status(cx, status, Parsed.INVALID)
    return lossy(cx, expr, made, lost, _CONDITIONS[Parsed.INVALID], legacy_is_null=True)


def _read(cx: KernelContext, cast: Cast, text: Value) -> tuple[ll.Value, ll.Value]:
    target = cast.type
    if isinstance(target, DecimalType):
        return parse_decimal(cx, text, target)
    if target.is_integer:
        return parse_integer(cx, text, legacy=cast.mode is EvalMode.LEGACY)
    if target.is_float:
        return parse_float(cx, text, llvm_type(target))
    return parse_bool(cx, text) if target == BOOL else parse_date(cx, text)


def _to_text(cx: KernelContext, cast: Cast, value: Value) -> Value:
    return lower_to_text(cx, value, legacy=cast.mode is EvalMode.LEGACY)


def _to_binary(cx: KernelContext, cast: Cast, value: Value) -> Value:
    """The bytes of a text as they are; those of an integer from the highest on."""
    if value.type == STRING:
        return Value(BINARY, value.payload, value.null, value.length)
    size = value.type.bits // 8
    place, payload = cx.scratch(i64(size)), value.payload
    if size > 1:
        swap = cx.external(f"llvm.bswap.i{8 * size}", payload.type, payload.type)
        payload = cx.b.call(swap, [payload])
    cx.b.store(payload, place, align=1)
    return Value(BINARY, place, value.null, ll.Constant(ll.IntType(32), size))


def _to_bool(cx: KernelContext, cast: Cast, value: Value) -> Value:
    payload = value.payload
    if value.type.is_float:
        nonzero = cx.b.fcmp_unordered("!=", payload, ll.Constant(payload.type, 0.0))
    else:
        nonzero = cx.b.icmp_signed("!=", payload, ll.Constant(payload.type, 0))
    return Value(BOOL, nonzero, value.null)


def _to_integer(cx: KernelContext, cast: Cast, value: Value) -> Value:
    source, target, payload = value.type, cast.type, value.payload
    to = llvm_type(target)
    if isinstance(source, DecimalType):
        return decimals.lower_to_integer(cx, cast, value)
    if source == BOOL:
        return Value(target, cx.b.zext(payload, to), value.null)
    if source == TIMESTAMP:
        return _seconds(cx, cast, value)
    if source.is_float:
        made = float_to_integer(cx, payload, target)
    else:
        made = cx.b.sext(payload, to) if target.bits > source.bits else cx.b.trunc(payload, to)
    result = Value(target, made, value.null)
    if not cast_can_lose(source, target):
        return result
    return lossy(cx, cast, result, out_of_range(cx, value, target), "CAST_OVERFLOW")


def _seconds(cx: KernelContext, cast: Cast, value: Value) -> Value:
    """The whole seconds of a timestamp; what does not fit is null also in LEGACY mode."""
    seconds = Value(INT64, floor_divide(cx, value.payload, SECOND_US), value.null)
    if cast.type == INT64:
        return seconds
    made = Value(cast.type, cx.b.trunc(seconds.payload, llvm_type(cast.type)), value.null)
    outside = out_of_range(cx, seconds, cast.type)
    return lossy(cx, cast, made, outside, "CAST_OVERFLOW", legacy_is_null=True)


def _to_float(cx: KernelContext, cast: Cast, value: Value) -> Value:
    source, target, payload = value.type, cast.type, value.payload
    to = llvm_type(target)
    if isinstance(source, DecimalType):
        return Value(target, decimals.to_float(cx, payload, source, to), value.null)
    if source == TIMESTAMP:
        seconds = cx.b.fdiv(cx.b.sitofp(payload, DOUBLE), ll.Constant(DOUBLE, float(SECOND_US)))
        made = seconds if target == FLOAT64 else cx.b.fptrunc(seconds, to)
    elif source.is_float:
        made = cx.b.fpext(payload, to) if target == FLOAT64 else cx.b.fptrunc(payload, to)
    else:
        made = cx.b.uitofp(payload, to) if source == BOOL else cx.b.sitofp(payload, to)
    return Value(target, made, value.null)


def _to_date(cx: KernelContext, cast: Cast, value: Value) -> Value:
    days = floor_divide(cx, value.payload, DAY_US)
    return Value(DATE, cx.b.trunc(days, llvm_type(DATE)), value.null)


def _to_timestamp(cx: KernelContext, cast: Cast, value: Value) -> Value:
    """Numbers are seconds: integers saturate, decimals wrap around."""
    source, payload = value.type, value.payload
    if source == BOOL:
        return Value(TIMESTAMP, cx.b.zext(payload, I64), value.null)
    if source.is_float:
        return _float_to_timestamp(cx, cast, value)
    if isinstance(source, DecimalType):
        return Value(TIMESTAMP, decimals.to_micros(cx, payload, source), value.null)
    wide = payload if payload.type == I64 else cx.b.sext(payload, I64)
    made, overflow = checked(cx, "smul", wide, i64(DAY_US if source == DATE else SECOND_US))
    if source == DATE:
        return _checked_date(cx, cast, Value(TIMESTAMP, made, value.null), overflow)
    limit = cx.b.select(cx.b.icmp_signed("<", wide, i64(0)), i64(INT64.low), i64(INT64.high))
    return Value(TIMESTAMP, cx.b.select(overflow, limit, made), value.null)


def _checked_date(cx: KernelContext, cast: Cast, made: Value, overflow: ll.Value) -> Value:
    """Java's arithmetic raises also in LEGACY mode."""
    if cast.mode in (EvalMode.TRY, EvalMode.EXACT):
        return lossy(cx, cast, made, overflow, "ARITHMETIC_OVERFLOW")
    if made.null is not None:
        overflow = cx.b.and_(overflow, cx.b.not_(made.null))
    cx.fail_if(overflow, "ARITHMETIC_OVERFLOW", cast)
    return made


def _float_to_timestamp(cx: KernelContext, cast: Cast, value: Value) -> Value:
    payload = value.payload
    wide = payload if payload.type == DOUBLE else cx.b.fpext(payload, DOUBLE)
    micros = cx.b.fmul(wide, ll.Constant(DOUBLE, float(SECOND_US)))
    made = Value(TIMESTAMP, float_to_integer(cx, micros, INT64), value.null)
    size = cx.b.call(cx.external("llvm.fabs.f64", DOUBLE, DOUBLE), [wide])
    infinite = ll.Constant(DOUBLE, float("inf"))
    endless = cx.b.not_(cx.b.fcmp_ordered("<", size, infinite))
    made = lossy(cx, cast, made, endless, "CAST_INVALID_INPUT", legacy_is_null=True)
    outside = out_of_range(cx, Value(FLOAT64, micros), INT64)
    outside = cx.b.and_(outside, cx.b.not_(endless))
    return lossy(cx, cast, made, outside, "CAST_OVERFLOW")
