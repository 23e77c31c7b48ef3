"""Booleans, integers and decimals from text, in generated code."""

from __future__ import annotations

from functools import partial

from llvmlite import ir as ll

from codegen_llvm.arithmetic import checked
from codegen_llvm.builder import (
    I1,
    I8,
    I32,
    I64,
    I128,
    PTR,
    KernelContext,
    Local,
    i64,
    shared_function,
)
from codegen_llvm.characters import decode
from codegen_llvm.decimals import power_at, powers
from codegen_llvm.scanning import (
    Parsed,
    Scanner,
    local,
    parsed_by,
    return_if,
    succeed,
)
from codegen_llvm.values import Value
from ir import DecimalType
from ir.parsing import DIGIT_ZEROS, FALSE_WORDS, TRUE_WORDS
from ir.types import INT64, MAX_PRECISION

Result = tuple[ll.Value, ll.Value]  # the value, and how reading it ended
_MOST_EXPONENT_DIGITS = 10


def parse_bool(cx: KernelContext, text: Value) -> Result:
    """A word for true or false."""
    function = shared_function(cx.module, "parse.bool", I32, (PTR, I64, PTR), _build_bool)
    value, status = parsed_by(cx, function, text, I8)
    return cx.b.trunc(value, I1), status


def parse_integer(cx: KernelContext, text: Value, *, legacy: bool) -> Result:
    """Digits with a sign, as 64 bits; LEGACY also takes a fraction and drops it."""
    name = f"parse.integer{'.legacy' if legacy else ''}"
    build = partial(_build_integer, legacy=legacy)
    function = shared_function(cx.module, name, I32, (PTR, I64, PTR), build)
    return parsed_by(cx, function, text, I64)


def parse_decimal(cx: KernelContext, text: Value, target: DecimalType) -> Result:
    """Digits with a point and an exponent, rounded half up to the target's scale."""
    params = (PTR, I64, I64, I128, PTR)
    function = shared_function(cx.module, "parse.decimal", I32, params, _build_decimal)
    limits = (i64(target.scale), ll.Constant(I128, target.high))
    return parsed_by(cx, function, text, I128, *limits)


def _build_bool(cx: KernelContext) -> None:
    text = Scanner.of_function(cx)
    text.trim(controls=True)
    for words, value in ((TRUE_WORDS, 1), (FALSE_WORDS, 0)):
        for word in words:
            with cx.b.if_then(text.is_word(word)):
                succeed(cx, ll.Constant(I8, value), cx.function.args[2])
    cx.b.ret(ll.Constant(I32, int(Parsed.INVALID)))


def _build_integer(cx: KernelContext, *, legacy: bool) -> None:
    """Below zero, where there is one integer more."""
    text = Scanner.of_function(cx)
    text.trim(controls=True)
    _, is_minus = text.sign()
    made, count = local(cx), local(cx)
    with cx.forever("digits") as after:
        digit = text.digit()
        cx.branch_if(cx.b.icmp_signed("<", digit, i64(0)), after)
        tenfold, first = checked(cx, "smul", made.value, i64(10))
        less, second = checked(cx, "ssub", tenfold, digit)
        return_if(cx, cx.b.or_(first, second))
        made.set(less)
        count.add(i64(1))
        text.step()
    if legacy:
        _skip_fraction(cx, text, count)
    none = cx.b.icmp_signed("==", count.value, i64(0))
    return_if(cx, cx.b.or_(none, cx.b.not_(text.at_end())))
    too_large = cx.b.icmp_signed("==", made.value, i64(INT64.low))
    return_if(cx, cx.b.and_(cx.b.not_(is_minus), too_large))
    value = cx.b.select(is_minus, made.value, cx.b.neg(made.value))
    succeed(cx, value, cx.function.args[2])


def _skip_fraction(cx: KernelContext, text: Scanner, count: Local) -> None:
    """A point counts as a digit: alone it is zero."""
    with cx.b.if_then(text.is_any(text.peek(), ".")):
        text.step()
        text.number()
        count.add(i64(1))


def _build_decimal(cx: KernelContext) -> None:
    """Twice over the digits: to find where the point is, and to add up those that count."""
    _, _, scale, high, out = cx.function.args
    text = Scanner.of_function(cx)
    text.trim(controls=False)
    _, is_minus = text.sign()
    start = text.place.value
    significant, behind_point = _count_digits(cx, text)
    exponent = _exponent(cx, text)
    return_if(cx, cx.b.not_(text.at_end()))
    own_scale = cx.b.sub(behind_point, exponent)
    return_if(cx, cx.b.not_(cx.b.and_(_is_int32(cx, exponent), _is_int32(cx, own_scale))))
    with cx.b.if_then(cx.b.icmp_signed("==", significant, i64(0))):
        succeed(cx, ll.Constant(I128, 0), out)
    whole = cx.b.sub(significant, own_scale)
    return_if(cx, cx.b.icmp_signed(">", whole, i64(MAX_PRECISION)), Parsed.TOO_LARGE)
    kept = cx.b.add(whole, scale)
    too_many = cx.b.icmp_signed(">", kept, i64(MAX_PRECISION))
    return_if(cx, too_many, Parsed.TOO_MANY_DIGITS)
    text.place.set(start)
    made = _add_up(cx, text, significant, kept)
    return_if(cx, cx.b.icmp_unsigned(">", made, high), Parsed.TOO_MANY_DIGITS)
    succeed(cx, cx.b.select(is_minus, cx.b.neg(made), made), out)


def _count_digits(cx: KernelContext, text: Scanner) -> Result:
    """How many digits there are from the first that is not 0, and how many behind the point."""
    found, significant = local(cx), local(cx)
    behind_point, has_point = local(cx), cx.local(I1, ll.Constant(I1, 0))
    with cx.forever("count") as after:
        digit, width = _any_digit(cx, text)
        is_digit = cx.b.icmp_signed(">=", digit, i64(0))
        is_point = cx.b.and_(text.is_any(text.peek(), "."), cx.b.not_(has_point.value))
        cx.branch_if(cx.b.not_(cx.b.or_(is_digit, is_point)), after)
        has_point.set(cx.b.or_(has_point.value, is_point))
        found.add(cx.b.zext(is_digit, I64))
        behind_point.add(cx.b.zext(cx.b.and_(is_digit, has_point.value), I64))
        begun = cx.b.icmp_signed("!=", significant.value, i64(0))
        counts = cx.b.or_(begun, cx.b.icmp_signed("!=", digit, i64(0)))
        significant.add(cx.b.zext(cx.b.and_(is_digit, counts), I64))
        text.place.add(width)
    return_if(cx, cx.b.icmp_signed("==", found.value, i64(0)))
    return significant.value, behind_point.value


def _exponent(cx: KernelContext, text: Scanner) -> ll.Value:
    """What follows an E, or 0; zeros at its start do not count among its ten digits."""
    made, count, found = local(cx), local(cx), local(cx)
    with cx.b.if_then(text.is_any(text.peek(), "eE")):
        text.step()
        _, is_minus = text.sign()
        with cx.forever("exponent") as after:
            digit, width = _any_digit(cx, text)
            cx.branch_if(cx.b.icmp_signed("<", digit, i64(0)), after)
            found.add(i64(1))
            made.set(cx.b.add(cx.b.mul(made.value, i64(10)), digit))
            count.add(cx.b.zext(cx.b.icmp_signed("!=", made.value, i64(0)), I64))
            return_if(cx, cx.b.icmp_signed(">", count.value, i64(_MOST_EXPONENT_DIGITS)))
            text.place.add(width)
        return_if(cx, cx.b.icmp_signed("==", found.value, i64(0)))
        made.set(cx.b.select(is_minus, cx.b.neg(made.value), made.value))
    return made.value


def _add_up(cx: KernelContext, text: Scanner, significant: ll.Value, kept: ll.Value) -> ll.Value:
    """The number of the first digits; the next one rounds, and zeros fill up what lacks."""
    made, count = cx.local(I128, ll.Constant(I128, 0)), local(cx)
    with cx.forever("add") as after:
        is_done = cx.b.icmp_signed(">=", count.value, significant)
        is_beyond = cx.b.icmp_signed(">", count.value, kept)
        cx.branch_if(cx.b.or_(is_done, is_beyond), after)
        digit, width = _any_digit(cx, text)
        text.place.add(width)
        wide = cx.b.zext(digit, I128)
        begun = cx.b.icmp_signed("!=", count.value, i64(0))
        counts = cx.b.or_(begun, cx.b.icmp_signed(">", digit, i64(0)))
        counts = cx.b.and_(counts, cx.b.icmp_signed(">=", digit, i64(0)))
        with cx.b.if_then(counts):
            inside = cx.b.icmp_signed("<", count.value, kept)
            longer = cx.b.add(cx.b.mul(made.value, ll.Constant(I128, 10)), wide)
            up = cx.b.and_(
                cx.b.icmp_signed("==", count.value, kept), cx.b.icmp_signed(">=", digit, i64(5))
            )
            rounded = cx.b.add(made.value, cx.b.zext(up, I128))
            made.set(cx.b.select(inside, longer, rounded))
            count.add(i64(1))
    lacking = cx.b.sub(kept, significant)
    lacks = cx.b.icmp_signed(">", lacking, i64(0))
    factor = power_at(cx, powers(cx.module), cx.b.select(lacks, lacking, i64(0)))
    return cx.b.mul(made.value, factor)


def _any_digit(cx: KernelContext, text: Scanner) -> Result:
    """The digit at the place, of any script, or -1; and how many bytes to go on."""
    function = shared_function(
        cx.module, "text.digit", ll.LiteralStructType([I64, I64]), (PTR, I64, I64), _build_any_digit
    )
    made = cx.b.call(function, [text.data, text.place.value, text.end.value])
    return cx.b.extract_value(made, 0), cx.b.extract_value(made, 1)


def _build_any_digit(cx: KernelContext) -> None:
    text = Scanner(cx, cx.function.args[0], *cx.function.args[1:])
    digit, width = local(cx, -1), local(cx, 1)
    digit.set(text.digit())
    is_ascii = cx.b.icmp_signed("<", text.peek(), ll.Constant(I32, 0x80))
    with cx.b.if_then(cx.b.not_(is_ascii), likely=False):
        code, size = decode(cx, text.data, text.place.value, text.end.value)
        for zero in DIGIT_ZEROS[1:]:
            value = cx.b.sub(code, ll.Constant(I32, zero))
            is_digit = cx.b.icmp_unsigned("<", value, ll.Constant(I32, 10))
            digit.set(cx.b.select(is_digit, cx.b.zext(value, I64), digit.value))
        width.set(size)
    pair = ll.Constant(ll.LiteralStructType([I64, I64]), ll.Undefined)
    cx.b.ret(cx.b.insert_value(cx.b.insert_value(pair, digit.value, 0), width.value, 1))


def _is_int32(cx: KernelContext, value: ll.Value) -> ll.Value:
    return cx.b.icmp_signed("==", cx.b.sext(cx.b.trunc(value, I32), I64), value)
