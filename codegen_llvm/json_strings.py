"""Strings of JSON with escapes, in generated code."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, PTR, KernelContext, Local, i64
from codegen_llvm.text_cursor import Cursor, distance, reader, special_byte, wide_character

_HEX_DIGITS = 4
_PLAIN_ESCAPES = {**{char: char for char in '"\\/'}, "b": "\b", "f": "\f", "n": "\n", "r": "\r"}
_PLAIN_ESCAPES["t"] = "\t"
_HALVES = (0xD800, 0xE000)  # of characters, which only mean something together


def string_part(module: ll.Module) -> ll.Function:
    """From a place in a string to the quote or the backslash that comes next."""
    return reader(module, "json.part", _build_part)


def _build_part(cx: KernelContext) -> None:
    text = Cursor(cx, cx.function.args[0])
    with cx.forever("part"):
        text.follow(special_byte(cx.module, '"\\'))
        with cx.b.if_then(text.is_at('"', "\\"), likely=True):
            cx.b.ret(text.place)
        text.follow(wide_character(cx.module))  # gives up at a control character
    cx.b.unreachable()


def unescaping(module: ll.Module) -> ll.Function:
    """(place of the first backslash, begin, scratch, size) -> the quote at the end.

    The string without escapes is in the scratch memory, and its size is stored.
    """
    return reader(module, "json.unescape", _build_unescape, PTR, PTR, PTR)


def _build_unescape(cx: KernelContext) -> None:
    place, begin, scratch, size = cx.function.args
    text = Cursor(cx, begin)
    text.go(place)
    first = distance(cx, begin, place)
    cx.copy_bytes(scratch, begin, first)
    used = cx.local(I64, first)
    with cx.forever("unescape") as done:
        cx.branch_if(text.is_at('"'), done)
        with cx.b.if_else(text.is_at("\\")) as (escape, plain):
            with escape:
                text.step()
                _escaped(text, scratch, used)
            with plain:
                start = text.place
                text.follow(string_part(cx.module))
                length = distance(cx, start, text.place)
                cx.copy_bytes(cx.at(scratch, used.value), start, length)
                used.add(length)
    cx.b.store(used.value, size)
    cx.b.ret(text.place)


def _escaped(text: Cursor, scratch: ll.Value, used: Local) -> None:
    """What stands behind a backslash."""
    cx = text.cx
    done = cx.b.append_basic_block("escaped")
    for char, meaning in _PLAIN_ESCAPES.items():
        with cx.b.if_then(text.is_at(char)):
            cx.b.store(ll.Constant(I8, ord(meaning)), cx.at(scratch, used.value))
            used.add(i64(1))
            text.step()
            cx.b.branch(done)
    text.expect("u")
    code = _four_digits(text)
    low, high = _HALVES
    shifted = cx.b.sub(code, ll.Constant(I32, low))
    text.demand(cx.b.icmp_unsigned(">=", shifted, ll.Constant(I32, high - low)))
    _write_utf8(cx, code, cx.at(scratch, used.value), used)
    cx.b.branch(done)
    cx.b.position_at_end(done)


def _four_digits(text: Cursor) -> ll.Value:
    cx = text.cx
    code: ll.Value = ll.Constant(I32, 0)
    for _ in range(_HEX_DIGITS):
        byte = text.byte()
        text.demand(is_hex(cx, byte))
        letter = cx.b.and_(cx.b.lshr(byte, ll.Constant(I8, 6)), ll.Constant(I8, 1))
        low = cx.b.and_(byte, ll.Constant(I8, 15))
        digit = cx.b.add(low, cx.b.mul(letter, ll.Constant(I8, 9)))
        code = cx.b.or_(cx.b.shl(code, ll.Constant(I32, 4)), cx.b.zext(digit, I32))
        text.step()
    return code


def _write_utf8(cx: KernelContext, code: ll.Value, target: ll.Value, used: Local) -> None:
    """A character of at most 16 bits as one to three bytes."""

    def put(offset: int, value: ll.Value) -> None:
        cx.b.store(cx.b.trunc(value, I8), cx.at(target, offset))

    def part(shift: int, mark: int, mask: int) -> ll.Value:
        moved = cx.b.lshr(code, ll.Constant(I32, shift))
        return cx.b.or_(cx.b.and_(moved, ll.Constant(I32, mask)), ll.Constant(I32, mark))

    with cx.b.if_else(cx.b.icmp_unsigned("<", code, ll.Constant(I32, 0x80))) as (one, more):
        with one:
            put(0, code)
            used.add(i64(1))
        with more:
            with cx.b.if_else(cx.b.icmp_unsigned("<", code, ll.Constant(I32, 0x800))) as (
                two,
                three,
            ):
                with two:
                    put(0, part(6, 0xC0, 0x1F))
                    put(1, part(0, 0x80, 0x3F))
                    used.add(i64(2))
                with three:
                    put(0, part(12, 0xE0, 0x0F))
                    put(1, part(6, 0x80, 0x3F))
                    put(2, part(0, 0x80, 0x3F))
                    used.add(i64(3))


def is_hex(cx: KernelContext, byte: ll.Value) -> ll.Value:
    """Whether a byte is a digit of base 16."""
    lower = cx.b.or_(byte, ll.Constant(I8, 0x20))
    digit = cx.b.icmp_unsigned("<", cx.b.sub(byte, ll.Constant(I8, ord("0"))), ll.Constant(I8, 10))
    letter = cx.b.icmp_unsigned("<", cx.b.sub(lower, ll.Constant(I8, ord("a"))), ll.Constant(I8, 6))
    return cx.b.or_(digit, letter)
