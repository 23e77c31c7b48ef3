"""Digits of text in generated code, eight at a time in one word."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I64, KernelContext, i64

WORD_DIGITS = 8
_BITS = 8  # of a byte


def each_byte(value: int) -> ll.Constant:
    """A word with the same value in each byte."""
    return i64(int.from_bytes(bytes([value]) * WORD_DIGITS, "little", signed=True))


def leading_digits(cx: KernelContext, word: ll.Value) -> ll.Value:
    """How many of the bytes of a word are digits, up to the first that is none."""
    first = cx.b.cttz(other_bits(cx, word), ll.Constant(I1, 0))  # 64 where all are digits
    return cx.b.lshr(first, i64(3))


def other_bits(cx: KernelContext, word: ll.Value) -> ll.Value:
    """Zero where all bytes are digits; else the lowest bit that is set is in the first other one.

    A digit has 3 in its upper half, also when 6 is added. That carries into the next byte only
    from one that is no digit, so what it spoils is behind the first other byte.
    """
    upper, zeros = each_byte(0xF0), each_byte(ord("0"))
    as_it_is = cx.b.xor(cx.b.and_(word, upper), zeros)
    raised = cx.b.xor(cx.b.and_(cx.b.add(word, each_byte(6)), upper), zeros)
    return cx.b.or_(as_it_is, raised)


def number_of(cx: KernelContext, word: ll.Value, count: ll.Value) -> ll.Value:
    """The number that the first bytes of a word are the digits of; `count` is 1 to 8."""
    unused = cx.b.sub(i64(WORD_DIGITS), count)
    digits = cx.b.and_(word, each_byte(0x0F))
    return _eight_digits(cx, cx.b.shl(digits, cx.b.mul(unused, i64(_BITS))))


def fraction_of(cx: KernelContext, word: ll.Value, count: ll.Value) -> ll.Value:
    """The same with zeros put behind the digits, up to eight."""
    unused = cx.b.mul(cx.b.sub(i64(WORD_DIGITS), count), i64(_BITS))
    mask = cx.b.lshr(i64(-1), unused)
    return _eight_digits(cx, cx.b.and_(cx.b.and_(word, each_byte(0x0F)), mask))


def pairs_of(cx: KernelContext, digits: ll.Value) -> ll.Value:
    """In each byte, ten times the digit that it has and the one behind it."""
    return cx.b.add(cx.b.mul(digits, i64(10)), cx.b.lshr(digits, i64(_BITS)))


def _eight_digits(cx: KernelContext, digits: ll.Value) -> ll.Value:
    """The number of eight digits, the first of them in the lowest byte: 3 multiplications."""
    pairs = pairs_of(cx, digits)
    every_fourth = i64(0x000000FF000000FF)
    outer = cx.b.mul(cx.b.and_(pairs, every_fourth), i64(100 + (1_000_000 << 32)))
    moved = cx.b.and_(cx.b.lshr(pairs, i64(16)), every_fourth)
    inner = cx.b.mul(moved, i64(1 + (10_000 << 32)))
    return cx.b.lshr(cx.b.add(outer, inner), i64(32))


def power_of_ten(cx: KernelContext, exponent: ll.Value) -> ll.Value:
    """Of 0 to 8, from a table."""
    name = "text.powers"
    table = cx.module.globals.get(name)
    if table is None:
        powers = [i64(10**n) for n in range(WORD_DIGITS + 1)]
        kind = ll.ArrayType(I64, len(powers))
        table = ll.GlobalVariable(cx.module, kind, name)
        table.linkage, table.global_constant = "private", True
        table.initializer = ll.Constant(kind, powers)
    address = ll.FormattedConstant(ll.PointerType(), table.get_reference())
    return cx.b.load(cx.element(address, exponent, I64), typ=I64)
