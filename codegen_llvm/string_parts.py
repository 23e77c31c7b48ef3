"""Functions whose result is a part of their argument: it is pointed to, not copied."""

from __future__ import annotations

from functools import partial

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, PTR, KernelContext, i64, shared_function
from codegen_llvm.characters import (
    character_before,
    character_bytes,
    count_characters,
    least,
    most,
    size_of,
    skip_characters,
)
from codegen_llvm.string_search import find, find_back
from codegen_llvm.values import Value, any_null
from ir import BINARY, STRING, Call, DataType
from ir.texts import LONGEST

_SPAN = ll.LiteralStructType([I64, I64])  # where a part begins, and its bytes


def lower_substring(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """From a position on, at most so many."""
    position = cx.b.sext(args[1].payload, I64)
    length = cx.b.sext(args[2].payload, I64) if len(args) == 3 else i64(LONGEST)
    return _substring(cx, args, position, length)


def lower_left(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The first characters."""
    return _substring(cx, args, i64(1), cx.b.sext(args[1].payload, I64))


def lower_right(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The last characters: from a position before the end on, if there are any."""
    count = cx.b.sext(args[1].payload, I64)
    length = cx.b.select(cx.b.icmp_signed(">", count, i64(0)), i64(LONGEST), i64(0))
    return _substring(cx, args, cx.b.neg(count), length)


def lower_trim(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """trim, ltrim, rtrim: of spaces, or of the characters of another text."""
    text, size = args[0].payload, size_of(cx, args[0])
    begin, end = i64(0), size
    if call.function != "rtrim":
        begin = _trimmed(cx, "ltrim", args, [text, i64(0), end])
    if call.function != "ltrim":
        end = _trimmed(cx, "rtrim", args, [text, begin, end])
    length = cx.b.trunc(cx.b.sub(end, begin), I32)
    return Value(STRING, cx.at(text, begin), any_null(cx, *args), length)


def lower_substring_index(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Before the count-th delimiter, or behind it from the end."""
    text, delimiter, count = args
    function = shared_function(
        cx.module,
        "string.substring_index",
        _SPAN,
        (PTR, I64, PTR, I64, I64),
        _build_substring_index,
    )
    span = cx.b.call(
        function,
        [
            *(text.payload, size_of(cx, text)),
            *(delimiter.payload, size_of(cx, delimiter)),
            cx.b.sext(count.payload, I64),
        ],
    )
    return _part(cx, text, span, args)


def _substring(cx: KernelContext, args: list[Value], position: ll.Value, length: ll.Value) -> Value:
    value = args[0]
    function = shared_function(
        cx.module,
        f"{value.type}.substring",
        _SPAN,
        (PTR, I64, I64, I64),
        partial(_build_substring, type_=value.type),
    )
    span = cx.b.call(function, [value.payload, size_of(cx, value), position, length])
    return _part(cx, value, span, args)


def _part(cx: KernelContext, value: Value, span: ll.Value, args: list[Value]) -> Value:
    begin, size = cx.b.extract_value(span, 0), cx.b.extract_value(span, 1)
    length = cx.b.trunc(size, I32)
    return Value(value.type, cx.at(value.payload, begin), any_null(cx, *args), length)


def _return_span(cx: KernelContext, begin: ll.Value, size: ll.Value) -> None:
    made = cx.b.insert_value(ll.Constant(_SPAN, ll.Undefined), begin, 0)
    cx.b.ret(cx.b.insert_value(made, size, 1))


def _build_substring(cx: KernelContext, type_: DataType) -> None:
    """Characters are counted only for a position from the end."""
    data, size, position, length = cx.function.args
    start = cx.local(I64, most(cx, cx.b.sub(position, i64(1)), i64(0)))
    with cx.b.if_then(cx.b.icmp_signed("<", position, i64(0))):
        count = size if type_ is BINARY else count_characters(cx, data, size)
        start.set(cx.b.add(count, position))
    first = most(cx, start.value, i64(0))
    begin = _skip(cx, type_, data, size, first)
    wanted = cx.b.sub(cx.b.add(start.value, length), first)
    rest = cx.b.sub(size, begin)
    _return_span(cx, begin, _skip(cx, type_, cx.at(data, begin), rest, wanted))


def _skip(
    cx: KernelContext, type_: DataType, data: ll.Value, size: ll.Value, count: ll.Value
) -> ll.Value:
    if type_ is BINARY:
        return most(cx, least(cx, count, size), i64(0))
    return skip_characters(cx, data, size, count)


def _trimmed(cx: KernelContext, side: str, args: list[Value], span: list[ll.Value]) -> ll.Value:
    """Where a text begins or ends without the characters of a set, or without spaces."""
    chars = [part for text in args[1:] for part in (text.payload, size_of(cx, text))]
    params = (PTR, I64, I64, *(PTR, I64)[: len(chars)])
    name = f"string.{side}.set" if chars else f"string.{side}"
    build = _build_ltrim if side == "ltrim" else _build_rtrim
    return cx.b.call(shared_function(cx.module, name, I64, params, build), [*span, *chars])


def _build_ltrim(cx: KernelContext) -> None:
    data, begin, end, *chars = cx.function.args
    place = cx.local(I64, begin)
    with cx.forever("character") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed(">=", here, end), done)
        size = character_bytes(cx, data, here, end) if chars else i64(1)
        cx.branch_if(cx.b.not_(_is_trimmed(cx, cx.at(data, here), size, chars)), done)
        place.add(size)
    cx.b.ret(place.value)


def _build_rtrim(cx: KernelContext) -> None:
    data, begin, end, *chars = cx.function.args
    place = cx.local(I64, end)
    with cx.forever("character") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed("<=", here, begin), done)
        before = character_before(cx, data, here) if chars else cx.b.sub(here, i64(1))
        size = cx.b.sub(here, before)
        cx.branch_if(cx.b.not_(_is_trimmed(cx, cx.at(data, before), size, chars)), done)
        place.set(before)
    cx.b.ret(place.value)


def _is_trimmed(
    cx: KernelContext, char: ll.Value, size: ll.Value, chars: list[ll.Value]
) -> ll.Value:
    """Whether a character is in the set, or a space where there is none."""
    if not chars:
        return cx.b.icmp_unsigned("==", cx.b.load(char, typ=I8), ll.Constant(I8, ord(" ")))
    found = find(cx, chars[0], chars[1], char, size, i64(0))
    return cx.b.icmp_signed(">=", found, i64(0))


def _build_substring_index(cx: KernelContext) -> None:
    """Delimiters may overlap: the next is looked for a byte further on."""
    text, size, part, part_size, count = cx.function.args
    nothing = cx.b.icmp_signed("==", part_size, i64(0))
    with cx.b.if_then(cx.b.or_(nothing, cx.b.icmp_signed("==", count, i64(0)))):
        _return_span(cx, i64(0), i64(0))
    with cx.b.if_then(cx.b.icmp_signed(">", count, i64(0))):
        place = cx.local(I64, i64(-1))
        with cx.loop(i64(0), count, "delimiter"):
            place.set(find(cx, text, size, part, part_size, cx.b.add(place.value, i64(1))))
            _return_whole_if_missing(cx, place.value, size)
        _return_span(cx, i64(0), place.value)
    place = cx.local(I64, cx.b.add(cx.b.sub(size, part_size), i64(1)))
    with cx.loop(i64(0), cx.b.neg(count), "delimiter"):
        place.set(find_back(cx, text, part, part_size, cx.b.sub(place.value, i64(1))))
        _return_whole_if_missing(cx, place.value, size)
    behind = cx.b.add(place.value, part_size)
    _return_span(cx, behind, cx.b.sub(size, behind))


def _return_whole_if_missing(cx: KernelContext, place: ll.Value, size: ll.Value) -> None:
    with cx.b.if_then(cx.b.icmp_signed("<", place, i64(0))):
        _return_span(cx, i64(0), size)
