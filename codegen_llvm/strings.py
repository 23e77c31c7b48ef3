"""Strings and binaries in generated code: equality, order, hash and search of their bytes."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, i64, new_function
from codegen_llvm.values import Value, any_null, literal_bytes
from ir import BOOL, Call, Literal

# A constant up to this long is compared with loads of its exact length; longer
# ones call memcmp.
INLINE_BYTES = 32


def equal_strings(cx: KernelContext, left: Value, right: Value) -> ll.Value:
    """Whether two strings have the same bytes."""
    compare = _equal_function(cx.module)
    return cx.b.call(compare, [left.payload, left.length, right.payload, right.length])


def equal_constant(cx: KernelContext, value: Value, literal: Literal) -> ll.Value:
    """Whether a string equals a constant, without a branch.

    A string of another length reads the constant itself instead, so that no
    load leaves the column's buffer.
    """
    data = literal_bytes(literal)
    same_length = cx.b.icmp_signed("==", value.length, ll.Constant(I32, len(data)))
    if len(data) > INLINE_BYTES:
        known = Value(value.type, cx.constant_bytes(data), None, ll.Constant(I32, len(data)))
        return equal_strings(cx, value, known)
    address = cx.b.select(same_length, value.payload, cx.constant_bytes(data or b"\0"))
    return cx.b.and_(same_length, same_bytes(cx, address, data))


def same_bytes(cx: KernelContext, address: ll.Value, data: bytes) -> ll.Value:
    """Whether a string of the same length, which is short, has these bytes."""
    same: ll.Value = ll.Constant(I1, 1)
    for offset, width in _pieces(len(data)):
        type_ = ll.IntType(8 * width)
        piece = cx.b.load(cx.at(address, offset), typ=type_, align=1)
        wanted = int.from_bytes(data[offset : offset + width], "little")
        same = cx.b.and_(same, cx.b.icmp_signed("==", piece, ll.Constant(type_, wanted)))
    return same


def _pieces(size: int) -> list[tuple[int, int]]:
    """Loads of 8, 4, 2 and 1 bytes that cover `size` bytes; the last ones may overlap."""
    if size == 0:
        return []
    width = max(w for w in (1, 2, 4, 8) if w <= size)
    starts = list(range(0, size - width + 1, width))
    if starts[-1] + width < size:
        starts.append(size - width)
    return [(start, width) for start in starts]


def order_strings(cx: KernelContext, left: Value, right: Value) -> ll.Value:
    """A negative, zero or positive i32 as left is before, equal to or after right."""
    compare = _order_function(cx.module)
    return cx.b.call(compare, [left.payload, left.length, right.payload, right.length])


def hash_string(cx: KernelContext, value: Value) -> ll.Value:
    """A 64-bit hash of the bytes."""
    return cx.b.call(_hash_function(cx.module), [value.payload, value.length])


def lower_search(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """startswith, endswith, contains."""
    text, part = args
    function = _contains_function if call.function == "contains" else _affix_function
    search = function(cx.module, call.function)
    found = cx.b.call(search, [text.payload, text.length, part.payload, part.length])
    return Value(BOOL, found, any_null(cx, text, part))


_TWO_STRINGS = (PTR, I32, PTR, I32)


def _equal_function(module: ll.Module) -> ll.Function:
    name = "string.equal"
    if name in module.globals:
        return module.globals[name]
    cx = _helper(module, name, I1, _TWO_STRINGS)
    left, left_length, right, right_length = cx.function.args
    differs = cx.b.icmp_signed("!=", left_length, right_length)
    with cx.b.if_then(differs):
        cx.b.ret(ll.Constant(I1, 0))
    order = _memcmp(cx, left, right, cx.b.zext(left_length, I64))
    cx.b.ret(cx.b.icmp_signed("==", order, ll.Constant(I32, 0)))
    return cx.function


def _order_function(module: ll.Module) -> ll.Function:
    name = "string.order"
    if name in module.globals:
        return module.globals[name]
    cx = _helper(module, name, I32, _TWO_STRINGS)
    left, left_length, right, right_length = cx.function.args
    shorter = cx.b.select(
        cx.b.icmp_signed("<", left_length, right_length), left_length, right_length
    )
    order = _memcmp(cx, left, right, cx.b.zext(shorter, I64))
    tie = cx.b.icmp_signed("==", order, ll.Constant(I32, 0))
    cx.b.ret(cx.b.select(tie, cx.b.sub(left_length, right_length), order))
    return cx.function


def _hash_function(module: ll.Module) -> ll.Function:
    """Eight bytes a step, folded by a 128-bit product; the tail byte by byte."""
    name = "string.hash"
    if name in module.globals:
        return module.globals[name]
    cx = _helper(module, name, I64, (PTR, I32))
    data, length = cx.function.args[0], cx.b.zext(cx.function.args[1], I64)
    hash_ = cx.variable(I64, cx.b.xor(length, i64(_SEED)))
    words = cx.b.lshr(length, i64(3))
    with cx.loop(i64(0), words, "word") as index:
        word = cx.b.load(cx.element(data, index, I64), typ=I64, align=1)
        cx.b.store(_mix(cx, cx.b.load(hash_, typ=I64), word), hash_)
    tail = cx.variable(I64, i64(0))
    with cx.loop(cx.b.shl(words, i64(3)), length, "byte") as index:
        byte = cx.b.zext(cx.b.load(cx.at(data, index), typ=I8), I64)
        cx.b.store(cx.b.or_(cx.b.shl(cx.b.load(tail, typ=I64), i64(8)), byte), tail)
    cx.b.ret(_mix(cx, cx.b.load(hash_, typ=I64), cx.b.load(tail, typ=I64)))
    return cx.function


def _affix_function(module: ll.Module, which: str) -> ll.Function:
    """Whether a string starts or ends with another."""
    name = f"string.{which}"
    if name in module.globals:
        return module.globals[name]
    cx = _helper(module, name, I1, _TWO_STRINGS)
    text, text_length, part, part_length = cx.function.args
    spare = cx.b.sub(text_length, part_length)
    with cx.b.if_then(cx.b.icmp_signed("<", spare, ll.Constant(I32, 0))):
        cx.b.ret(ll.Constant(I1, 0))
    place = cx.at(text, cx.b.zext(spare, I64)) if which == "endswith" else text
    order = _memcmp(cx, place, part, cx.b.zext(part_length, I64))
    cx.b.ret(cx.b.icmp_signed("==", order, ll.Constant(I32, 0)))
    return cx.function


def _contains_function(module: ll.Module, which: str) -> ll.Function:
    """Whether a string has another in it."""
    name = f"string.{which}"
    if name in module.globals:
        return module.globals[name]
    cx = _helper(module, name, I1, _TWO_STRINGS)
    text, text_length, part, part_length = cx.function.args
    # Before the search: it answers with an address, and that of no bytes may be null.
    with cx.b.if_then(cx.b.icmp_signed("==", part_length, ll.Constant(I32, 0))):
        cx.b.ret(ll.Constant(I1, 1))
    memmem = cx.external("memmem", PTR, PTR, I64, PTR, I64)
    sizes = [cx.b.zext(length, I64) for length in (text_length, part_length)]
    found = cx.b.call(memmem, [text, sizes[0], part, sizes[1]])
    cx.b.ret(cx.b.icmp_unsigned("!=", found, ll.Constant(PTR, None)))
    return cx.function


_SEED = 0x2D358DCCAA6C78A5
_FOLD = 0x8BB84B93962EACC9


def _mix(cx: KernelContext, hash_: ll.Value, word: ll.Value) -> ll.Value:
    """The two halves of a 64 x 64 -> 128 bit product, xored: every input bit reaches all."""
    wide = ll.IntType(128)
    product = cx.b.mul(
        cx.b.zext(cx.b.xor(hash_, word), wide), ll.Constant(wide, _FOLD), name="product"
    )
    high = cx.b.trunc(cx.b.lshr(product, ll.Constant(wide, 64)), I64)
    return cx.b.xor(cx.b.xor(cx.b.trunc(product, I64), high), i64(_SEED))


def _helper(
    module: ll.Module, name: str, result: ll.Type, params: tuple[ll.Type, ...]
) -> KernelContext:
    cx = new_function(module, name, result, params)
    cx.function.linkage = "internal"
    return cx


def _memcmp(cx: KernelContext, left: ll.Value, right: ll.Value, count: ll.Value) -> ll.Value:
    return cx.b.call(cx.external("memcmp", I32, PTR, PTR, I64), [left, right, count])
