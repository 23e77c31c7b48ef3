"""Lower and upper case in generated code: ASCII in registers, other letters by tables.

A module has the tables only if it has such a function. They are looked up in two
steps: a byte for each 128 code points names the block of theirs, and equal blocks are
stored once (25 KB for each direction in place of 500).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from functools import cache, partial

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.characters import character_before, decode, encode, size_of
from codegen_llvm.values import Value
from ir import STRING, Call
from ir import letter_case as letters

_BLOCK_BITS = 7
_BLOCK = 1 << _BLOCK_BITS
_SPECIAL = 1 << 24  # of a mapping: the number of a record follows, not a distance
_RECORD_BYTES = 8  # a length, and that many bytes
_MOST_GROWTH = 3  # one letter of two bytes becomes three of two
_CASED, _IGNORED = 1, 2

_MAPPINGS: dict[str, Callable[[], Mapping[str, str]]] = {
    "lower": letters.lower_mapping,
    "upper": letters.upper_mapping,
}


def lower_case(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """lower, upper."""
    (text,) = args
    size = size_of(cx, text)
    plain = shared_function(cx.module, "string.is_ascii", I1, (PTR, I64), _build_is_ascii)
    is_ascii = cx.b.call(plain, [text.payload, size])
    made = cx.scratch(cx.b.select(is_ascii, size, cx.b.mul(size, i64(_MOST_GROWTH))))
    written = cx.local(I64, size)
    with cx.b.if_else(is_ascii) as (quick, slow):
        with quick:
            _map_ascii(cx, call.function, made, text.payload, size)
        with slow:
            name, params = f"string.{call.function}", (PTR, PTR, I64)
            build = partial(_build_mapped, function=call.function)
            mapped = shared_function(cx.module, name, I64, params, build)
            written.set(cx.b.call(mapped, [made, text.payload, size]))
    return Value(STRING, made, text.null, cx.b.trunc(written.value, I32))


def _build_is_ascii(cx: KernelContext) -> None:
    """All bytes are joined, without a branch, so that LLVM takes many at a time."""
    data, size = cx.function.args
    joined = cx.local(I8, ll.Constant(I8, 0))
    with cx.loop(i64(0), size, "byte") as index:
        joined.set(cx.b.or_(joined.value, cx.b.load(cx.at(data, index), typ=I8)))
    cx.b.ret(cx.b.icmp_signed(">=", joined.value, ll.Constant(I8, 0)))


def _map_ascii(
    cx: KernelContext, function: str, target: ll.Value, data: ll.Value, size: ll.Value
) -> None:
    with cx.loop(i64(0), size, "byte") as index:
        byte = cx.b.load(cx.at(data, index), typ=I8)
        cx.b.store(_ascii_mapped(cx, function, byte), cx.at(target, index))


def _ascii_mapped(cx: KernelContext, function: str, byte: ll.Value) -> ll.Value:
    first, distance = ("A", 32) if function == "lower" else ("a", -32)
    offset = cx.b.sub(byte, ll.Constant(I8, ord(first)))
    is_letter = cx.b.icmp_unsigned("<", offset, ll.Constant(I8, 26))
    return cx.b.add(byte, cx.b.select(is_letter, ll.Constant(I8, distance), ll.Constant(I8, 0)))


def _build_mapped(cx: KernelContext, function: str) -> None:
    """Write the text in another case and return its size."""
    target, data, size = cx.function.args
    place, written = cx.local(I64, i64(0)), cx.local(I64, i64(0))
    with cx.forever("character") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed(">=", here, size), done)
        byte = cx.b.load(cx.at(data, here), typ=I8)
        out = cx.at(target, written.value)
        with cx.b.if_else(cx.b.icmp_signed(">=", byte, ll.Constant(I8, 0))) as (ascii_, other):
            with ascii_:
                cx.b.store(_ascii_mapped(cx, function, byte), out)
                place.add(i64(1))
                written.add(i64(1))
            with other:
                code, step = decode(cx, data, here, size)
                place.add(step)
                written.add(_write_mapped(cx, function, out, code, here, place))
    cx.b.ret(written.value)


def _write_mapped(
    cx: KernelContext, function: str, out: ll.Value, code: ll.Value, here: ll.Value, place: Local
) -> ll.Value:
    """Write what a code point becomes and return how many bytes that is."""
    mapped = cx.b.add(code, _looked_up(cx, function, code))
    if function == "lower":
        _, data, size = cx.function.args
        is_sigma = cx.b.icmp_unsigned("==", code, ll.Constant(I32, ord(letters.CAPITAL_SIGMA)))
        chosen = cx.local(I32, mapped)
        with cx.b.if_then(is_sigma, likely=False):
            final = ll.Constant(I32, ord(letters.FINAL_SIGMA))
            is_final = _ends_word(cx, data, here, place.value, size)
            chosen.set(cx.b.select(is_final, final, mapped))
        mapped = chosen.value
    written = cx.local(I64, i64(0))
    is_special = cx.b.icmp_signed(">=", mapped, ll.Constant(I32, _SPECIAL))
    with cx.b.if_else(is_special, likely=False) as (special, single):
        with special:
            number = cx.b.sub(mapped, cx.b.add(code, ll.Constant(I32, _SPECIAL)))
            written.set(_copy_record(cx, function, out, number))
        with single:
            written.set(encode(cx, out, mapped))
    return written.value


def _copy_record(cx: KernelContext, function: str, out: ll.Value, number: ll.Value) -> ll.Value:
    records = _shared_bytes(cx, f"case.{function}.records", _records(function))
    record = cx.at(records, cx.b.mul(cx.b.zext(number, I64), i64(_RECORD_BYTES)))
    size = cx.b.zext(cx.b.load(record, typ=I8), I64)
    cx.copy_bytes(out, cx.at(record, 1), size)
    return size


def _ends_word(
    cx: KernelContext, data: ll.Value, here: ll.Value, behind: ll.Value, size: ll.Value
) -> ll.Value:
    """Whether a letter comes before a place and none behind it, marks passed over."""
    before = shared_function(cx.module, "case.before", I1, (PTR, I64), _build_letter_before)
    after = shared_function(cx.module, "case.behind", I1, (PTR, I64, I64), _build_letter_behind)
    first = cx.b.call(before, [data, here])
    return cx.b.and_(first, cx.b.not_(cx.b.call(after, [data, behind, size])))


def _build_letter_before(cx: KernelContext) -> None:
    data, end = cx.function.args
    place = cx.local(I64, end)
    with cx.forever("character") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed("<=", here, i64(0)), done)
        start = character_before(cx, data, here)
        _return_unless_ignored(cx, decode(cx, data, start, here)[0])
        place.set(start)
    cx.b.ret(ll.Constant(I1, 0))


def _build_letter_behind(cx: KernelContext) -> None:
    data, begin, end = cx.function.args
    place = cx.local(I64, begin)
    with cx.forever("character") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed(">=", here, end), done)
        code, step = decode(cx, data, here, end)
        _return_unless_ignored(cx, code)
        place.add(step)
    cx.b.ret(ll.Constant(I1, 0))


def _return_unless_ignored(cx: KernelContext, code: ll.Value) -> None:
    """Whether this is a letter settles it, unless it is passed over."""
    kind = _looked_up(cx, "kind", code)
    with cx.b.if_then(cx.b.icmp_unsigned("!=", kind, ll.Constant(I32, _IGNORED))):
        cx.b.ret(cx.b.icmp_unsigned("==", kind, ll.Constant(I32, _CASED)))


def _looked_up(cx: KernelContext, table: str, code: ll.Value) -> ll.Value:
    """The entry of a code point (an i32) in a table, 0 beyond its end."""
    function = shared_function(
        cx.module, f"case.{table}.entry", I32, (I32,), partial(_build_entry, table=table)
    )
    return cx.b.call(function, [code])


def _build_entry(cx: KernelContext, table: str) -> None:
    (code,) = cx.function.args
    index, blocks = _blocks(table)
    number = cx.b.lshr(code, ll.Constant(I32, _BLOCK_BITS))
    with cx.b.if_then(cx.b.icmp_unsigned(">=", number, ll.Constant(I32, len(index)))):
        cx.b.ret(ll.Constant(I32, 0))
    numbers = _shared_bytes(cx, f"case.{table}.index", index)
    entries = _shared_bytes(cx, f"case.{table}.blocks", blocks)
    block = cx.b.load(cx.at(numbers, cx.b.zext(number, I64)), typ=I8)
    start = cx.b.shl(cx.b.zext(block, I64), i64(_BLOCK_BITS))
    within = cx.b.zext(cx.b.and_(code, ll.Constant(I32, _BLOCK - 1)), I64)
    width = I8 if table == "kind" else I32
    address = cx.element(entries, cx.b.add(start, within), width)
    entry = cx.b.load(address, typ=width, align=1)
    cx.b.ret(cx.b.zext(entry, I32) if width == I8 else entry)


def _shared_bytes(cx: KernelContext, name: str, data: bytes) -> ll.Value:
    """Constant bytes that a module has once."""
    known = cx.module.globals.get(name)
    if known is None:
        array = ll.Constant(ll.ArrayType(I8, len(data)), bytearray(data))
        known = ll.GlobalVariable(cx.module, array.type, name)
        known.linkage, known.global_constant, known.initializer = "internal", True, array
    return ll.FormattedConstant(PTR, known.get_reference())


@cache
def _blocks(table: str) -> tuple[bytes, bytes]:
    """The number of each block, and the blocks: a byte for each kind, 32 bits for a distance."""
    form = f"<{_BLOCK}{'b' if table == 'kind' else 'i'}"
    entries = _kinds() if table == "kind" else _distances(table)
    numbers: dict[tuple[int, ...], int] = {(0,) * _BLOCK: 0}
    index = bytearray()
    for first in range(0, max(entries) + 1, _BLOCK):
        block = tuple(entries.get(code, 0) for code in range(first, first + _BLOCK))
        index.append(numbers.setdefault(block, len(numbers)))
    return bytes(index), b"".join(struct.pack(form, *block) for block in numbers)


def _kinds() -> dict[int, int]:
    kinds = dict.fromkeys(map(ord, letters.cased()), _CASED)
    return kinds | dict.fromkeys(map(ord, letters.ignored()), _IGNORED)


def _distances(function: str) -> dict[int, int]:
    """How far each letter moves; those that become several have the number of their record."""
    several = {char: number for number, char in enumerate(_several(function))}
    return {
        ord(char): _SPECIAL + several[char] if char in several else ord(made) - ord(char)
        for char, made in _MAPPINGS[function]().items()
    }


def _several(function: str) -> list[str]:
    return [char for char, made in _MAPPINGS[function]().items() if len(made) > 1]


def _records(function: str) -> bytes:
    made = (_MAPPINGS[function]()[char].encode() for char in _several(function))
    return b"".join(struct.pack("B7s", len(text), text) for text in made)
