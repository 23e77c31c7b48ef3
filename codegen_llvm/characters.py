"""Characters of UTF-8 texts in generated code: counting, stepping, decoding, encoding.

No read leaves a text, whatever its bytes are: a character that is cut off ends with it.
Sizes and places are in bytes, 64 bits wide.
"""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, PTR, KernelContext, i64, shared_function
from codegen_llvm.values import Value
from ir import BINARY, INT32, Call

_WORD = 8
DECODED = ll.LiteralStructType([I32, I64])  # a code point, and the bytes that it takes


def size_of(cx: KernelContext, value: Value) -> ll.Value:
    """The bytes of a string or binary."""
    return cx.b.zext(value.length, I64)


def least(cx: KernelContext, left: ll.Value, right: ll.Value) -> ll.Value:
    """The smaller of two signed integers."""
    return cx.b.select(cx.b.icmp_signed("<", left, right), left, right)


def most(cx: KernelContext, left: ll.Value, right: ll.Value) -> ll.Value:
    """The larger of two signed integers."""
    return cx.b.select(cx.b.icmp_signed(">", left, right), left, right)


def character_bytes(cx: KernelContext, data: ll.Value, place: ll.Value, end: ll.Value) -> ll.Value:
    """How many bytes the character at a place has, that is before the end.

    From first byte to first byte, as Spark counts: this decides for text that is not
    UTF-8. A byte that cannot begin a character counts as one.
    """
    first = cx.b.load(cx.at(data, place), typ=I8)
    size: ll.Value = i64(1)
    for lowest in (0xC2, 0xE0, 0xF0):
        longer = cx.b.icmp_unsigned(">=", first, ll.Constant(I8, lowest))
        size = cx.b.add(size, cx.b.zext(longer, I64))
    illegal = cx.b.icmp_unsigned(">", first, ll.Constant(I8, 0xF4))
    size = cx.b.select(illegal, i64(1), size)
    return least(cx, size, cx.b.sub(end, place))


def count_characters(cx: KernelContext, data: ll.Value, size: ll.Value) -> ll.Value:
    """The number of characters."""
    function = shared_function(cx.module, "string.count", I64, (PTR, I64), _build_count)
    return cx.b.call(function, [data, size])


def skip_characters(cx: KernelContext, data: ll.Value, size: ll.Value, count: ll.Value) -> ll.Value:
    """The bytes of the first `count` characters, or of all; none where it is not positive."""
    function = shared_function(cx.module, "string.skip", I64, (PTR, I64, I64), _build_skip)
    return cx.b.call(function, [data, size, count])


def character_before(cx: KernelContext, data: ll.Value, end: ll.Value) -> ll.Value:
    """Where the character begins that ends at a place, which is not the beginning."""
    function = shared_function(cx.module, "string.before", I64, (PTR, I64), _build_before)
    return cx.b.call(function, [data, end])


def decode(
    cx: KernelContext, data: ll.Value, place: ll.Value, end: ll.Value
) -> tuple[ll.Value, ll.Value]:
    """The code point at a place before the end (an i32), and how many bytes it takes."""
    function = shared_function(cx.module, "string.decode", DECODED, (PTR, I64, I64), _build_decode)
    made = cx.b.call(function, [data, place, end])
    return cx.b.extract_value(made, 0), cx.b.extract_value(made, 1)


def encode(cx: KernelContext, target: ll.Value, code: ll.Value) -> ll.Value:
    """Write a code point (an i32) and return how many bytes it took."""
    function = shared_function(cx.module, "string.encode", I64, (PTR, I32), _build_encode)
    return cx.b.call(function, [target, code])


def lower_length(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The number of characters, or of a binary's bytes."""
    (value,) = args
    if value.type is BINARY:
        return Value(INT32, value.length, value.null)
    count = count_characters(cx, value.payload, size_of(cx, value))
    return Value(INT32, cx.b.trunc(count, I32), value.null)


def lower_octet_length(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The number of bytes."""
    return Value(INT32, args[0].length, args[0].null)


def lower_bit_length(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The number of bits, wrapped."""
    return Value(INT32, cx.b.shl(args[0].length, ll.Constant(I32, 3)), args[0].null)


def lower_ascii(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The code point of the first character, 0 of no text."""
    (value,) = args
    code = cx.local(I32, ll.Constant(I32, 0))
    size = size_of(cx, value)
    with cx.b.if_then(cx.b.icmp_signed(">", size, i64(0))):
        code.set(decode(cx, value.payload, i64(0), size)[0])
    return Value(INT32, code.value, value.null)


def _build_count(cx: KernelContext) -> None:
    data, size = cx.function.args
    place, count = cx.local(I64, i64(0)), cx.local(I64, i64(0))
    with cx.forever("character") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed(">=", here, size), done)
        is_plain = _is_plain_word(cx, data, here, size)
        step = character_bytes(cx, data, here, size)
        place.add(cx.b.select(is_plain, i64(_WORD), step))
        count.add(cx.b.select(is_plain, i64(_WORD), i64(1)))
    cx.b.ret(count.value)


def _build_skip(cx: KernelContext) -> None:
    data, size, count = cx.function.args
    place, left = cx.local(I64, i64(0)), cx.local(I64, count)
    with cx.forever("character") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed(">=", here, size), done)
        cx.branch_if(cx.b.icmp_signed("<=", left.value, i64(0)), done)
        is_plain = cx.b.and_(
            _is_plain_word(cx, data, here, size),
            cx.b.icmp_signed(">=", left.value, i64(_WORD)),
        )
        step = character_bytes(cx, data, here, size)
        place.add(cx.b.select(is_plain, i64(_WORD), step))
        left.add(cx.b.select(is_plain, i64(-_WORD), i64(-1)))
    cx.b.ret(place.value)


def _is_plain_word(cx: KernelContext, data: ll.Value, place: ll.Value, end: ll.Value) -> ll.Value:
    """Whether the next eight bytes are eight ASCII characters, which are taken at once.

    On texts of 10 to 39 bytes with some umlauts, `length` ran 1.6 times as fast this way.
    """
    is_inside = cx.b.icmp_signed("<=", cx.b.add(place, i64(_WORD)), end)
    other = cx.constant_bytes(b"\x80" * _WORD)
    address = cx.b.select(is_inside, cx.at(data, place), other)
    word = cx.b.load(address, typ=I64, align=1)
    marks = cx.b.and_(word, i64(int.from_bytes(b"\x80" * _WORD, "little")))
    return cx.b.icmp_unsigned("==", marks, i64(0))


def _build_before(cx: KernelContext) -> None:
    """Back over the bytes that continue a character, at most three."""
    data, end = cx.function.args
    place = cx.local(I64, cx.b.sub(end, i64(1)))
    first = most(cx, cx.b.sub(end, i64(4)), i64(0))
    with cx.forever("byte") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed("<=", here, first), done)
        byte = cx.b.load(cx.at(data, here), typ=I8)
        kind = cx.b.and_(byte, ll.Constant(I8, 0xC0))
        cx.branch_if(cx.b.icmp_unsigned("!=", kind, ll.Constant(I8, 0x80)), done)
        place.add(i64(-1))
    cx.b.ret(place.value)


def _build_decode(cx: KernelContext) -> None:
    """The first byte has fewer bits of the code point the more bytes there are."""
    data, place, end = cx.function.args
    size = character_bytes(cx, data, place, end)
    first = cx.b.zext(cx.b.load(cx.at(data, place), typ=I8), I32)
    lead = cx.b.lshr(ll.Constant(I32, 0x7F), cx.b.trunc(size, I32))
    is_one = cx.b.icmp_signed("==", size, i64(1))
    code = cx.local(I32, cx.b.select(is_one, first, cx.b.and_(first, lead)))
    with cx.loop(i64(1), size, "byte") as index:
        byte = cx.b.zext(cx.b.load(cx.at(data, cx.b.add(place, index)), typ=I8), I32)
        bits = cx.b.and_(byte, ll.Constant(I32, 0x3F))
        code.set(cx.b.or_(cx.b.shl(code.value, ll.Constant(I32, 6)), bits))
    made = cx.b.insert_value(ll.Constant(DECODED, ll.Undefined), code.value, 0)
    cx.b.ret(cx.b.insert_value(made, size, 1))


def _build_encode(cx: KernelContext) -> None:
    target, code = cx.function.args
    for size, limit, mark in ((1, 0x80, 0), (2, 0x800, 0xC0), (3, 0x10000, 0xE0), (4, None, 0xF0)):
        if limit is None:
            _store_encoded(cx, target, code, size, mark)
            cx.b.ret(i64(size))
            return
        with cx.b.if_then(cx.b.icmp_unsigned("<", code, ll.Constant(I32, limit))):
            _store_encoded(cx, target, code, size, mark)
            cx.b.ret(i64(size))


def _store_encoded(
    cx: KernelContext, target: ll.Value, code: ll.Value, size: int, mark: int
) -> None:
    for index in range(size):
        bits = cx.b.lshr(code, ll.Constant(I32, 6 * (size - 1 - index)))
        if index:
            mark, bits = 0x80, cx.b.and_(bits, ll.Constant(I32, 0x3F))
        byte = cx.b.trunc(cx.b.or_(bits, ll.Constant(I32, mark)), I8)
        cx.b.store(byte, cx.at(target, index))
