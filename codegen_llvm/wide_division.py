"""Division of integers wider than the machine's, in generated code.

LLVM divides up to 128 bits by calling a library that the JIT does not link, and
wider ones bit by bit: 256 bits took 850 ns here, 512 bits 5 us. These functions
take 32 bits a step (Knuth, The Art of Computer Programming 2, 4.3.1 D).
"""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I32, I64, I128, PTR, KernelContext, i64, new_function

_DIGIT_BITS = 32
I192 = ll.IntType(192)


def divide(cx: KernelContext, dividend: ll.Value, divisor: ll.Value) -> tuple[ll.Value, ll.Value]:
    """Quotient and remainder (128 bits) of an unsigned integer by one of 128 bits, not 0."""
    function = _divide_function(cx.module, dividend.type.width)
    rest = cx.stack(I128)
    quotient = cx.b.call(function, [dividend, divisor, rest])
    return quotient, cx.b.load(rest, typ=I128)


def divide_by_any(
    cx: KernelContext, dividend: ll.Value, divisor: ll.Value
) -> tuple[ll.Value, ll.Value]:
    """Quotient and remainder of unsigned integers of one width, bit by bit."""
    name = f"wide.slow.divide.{dividend.type.width}"
    both = ll.LiteralStructType([dividend.type, dividend.type])
    function = cx.module.globals.get(name)
    if function is None:
        # Nothing about its arguments may reach LLVM: it would narrow the division to 128 bits.
        inner = new_function(cx.module, name, both, (dividend.type, dividend.type))
        inner.function.attributes.add("noinline")
        left, right = inner.function.args
        quotient = inner.b.udiv(left, right)
        rest = inner.b.sub(left, inner.b.mul(quotient, right))
        made = inner.b.insert_value(ll.Constant(both, ll.Undefined), quotient, 0)
        inner.b.ret(inner.b.insert_value(made, rest, 1))
        function = inner.function
    result = cx.b.call(function, [dividend, divisor])
    return cx.b.extract_value(result, 0), cx.b.extract_value(result, 1)


def divide_half_up(cx: KernelContext, dividend: ll.Value, divisor: ll.Value) -> ll.Value:
    """The nearest integer to a quotient of unsigned integers; halves go up."""
    quotient, rest = divide(cx, dividend, divisor)
    up = cx.b.icmp_unsigned(">=", rest, cx.b.sub(divisor, rest))
    return cx.b.add(quotient, cx.b.zext(up, quotient.type))


def _divide_function(module: ll.Module, width: int) -> ll.Function:
    """The function `(dividend, divisor, address of the remainder) -> quotient`."""
    name = f"wide.divide.{width}"
    if name in module.globals:
        return module.globals[name]
    wide = ll.IntType(width)
    cx = _internal(module, name, wide, (wide, I128, PTR))
    dividend, divisor, rest = cx.function.args
    small = cx.b.icmp_unsigned("<=", dividend, ll.Constant(wide, 2**64 - 1))
    narrow = cx.b.icmp_unsigned("<=", divisor, ll.Constant(I128, 2**64 - 1))
    with cx.b.if_then(cx.b.and_(small, narrow)):
        left, right = cx.b.trunc(dividend, I64), cx.b.trunc(divisor, I64)
        cx.b.store(cx.b.zext(cx.b.urem(left, right), I128), rest)
        cx.b.ret(cx.b.zext(cx.b.udiv(left, right), wide))
    cx.b.ret(_long_division(cx, dividend, divisor, rest))
    return cx.function


def _long_division(
    cx: KernelContext, dividend: ll.Value, divisor: ll.Value, rest: ll.Value
) -> ll.Value:
    """Digit by digit, after shifting both so that the divisor's highest bit is set.

    A digit guessed from the highest ones is then at most two too large.
    """
    wide, longer = dividend.type, ll.IntType(dividend.type.width + 128)
    shift = _leading_zeros(cx, divisor)
    shifted = cx.b.shl(divisor, shift)
    top = cx.b.trunc(cx.b.lshr(shifted, ll.Constant(I128, 96)), I64)
    long_divisor = cx.b.zext(shifted, I192)
    whole = cx.b.shl(cx.b.zext(dividend, longer), cx.b.zext(shift, longer))
    digits, made = cx.stack(longer), cx.stack(longer)
    cx.b.store(whole, digits)
    cx.b.store(ll.Constant(longer, 0), made)
    carried = cx.variable(I192, ll.Constant(I192, 0))
    used = cx.b.sub(i64(longer.width), cx.b.trunc(_leading_zeros(cx, whole), I64))
    count = cx.b.udiv(cx.b.add(used, i64(_DIGIT_BITS - 1)), i64(_DIGIT_BITS))
    with cx.loop(i64(0), count, "digit") as step:
        place = cx.b.sub(cx.b.sub(count, i64(1)), step)
        digit = cx.b.load(cx.element(digits, place, I32), typ=I32)
        moved = cx.b.shl(cx.b.load(carried, typ=I192), ll.Constant(I192, _DIGIT_BITS))
        value = cx.b.or_(moved, cx.b.zext(digit, I192))
        guess, left = _quotient_digit(cx, value, long_divisor, top)
        cx.b.store(cx.b.trunc(guess, I32), cx.element(made, place, I32))
        cx.b.store(left, carried)
    left = cx.b.trunc(cx.b.load(carried, typ=I192), I128)
    cx.b.store(cx.b.lshr(left, shift), rest)
    return cx.b.trunc(cx.b.load(made, typ=longer), wide)


def _quotient_digit(
    cx: KernelContext, value: ll.Value, divisor: ll.Value, top: ll.Value
) -> tuple[ll.Value, ll.Value]:
    """The digit of value / divisor, which is less than 2^32, and what is left."""
    guess = cx.b.udiv(cx.b.trunc(cx.b.lshr(value, ll.Constant(I192, 96)), I64), top)
    product = cx.b.mul(cx.b.zext(guess, I192), divisor)
    for _ in range(2):
        over = cx.b.icmp_unsigned(">", product, value)
        guess = cx.b.select(over, cx.b.sub(guess, i64(1)), guess)
        product = cx.b.select(over, cx.b.sub(product, divisor), product)
    return guess, cx.b.sub(value, product)


def _leading_zeros(cx: KernelContext, value: ll.Value) -> ll.Value:
    name = f"llvm.ctlz.i{value.type.width}"
    count = cx.external(name, value.type, value.type, ll.IntType(1))
    return cx.b.call(count, [value, ll.Constant(ll.IntType(1), 0)])


def _internal(
    module: ll.Module, name: str, result: ll.Type, params: tuple[ll.Type, ...]
) -> KernelContext:
    cx = new_function(module, name, result, params)
    cx.function.linkage = "internal"
    return cx
