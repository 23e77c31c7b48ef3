"""Functions that make new strings: their bytes lie in scratch memory until the next row.

A null argument may have any value: where that decides how much memory is needed, a
null result takes none.
"""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I32, I64, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.characters import (
    character_bytes,
    count_characters,
    most,
    size_of,
    skip_characters,
)
from codegen_llvm.string_search import find
from codegen_llvm.values import Value, any_null, null_bit
from ir import STRING, Call

_VOID = ll.VoidType()
_MOST_BYTES_OF_CHARACTER = 4


def lower_concat(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The bytes of all arguments, one after the other."""
    sizes = [size_of(cx, value) for value in args]
    total: ll.Value = i64(0)
    for size in sizes:
        total = cx.b.add(total, size)
    made = place = cx.scratch(total)
    for value, size in zip(args, sizes, strict=True):
        cx.copy_bytes(place, value.payload, size)
        place = cx.at(place, size)
    return Value(call.type, made, any_null(cx, *args), cx.b.trunc(total, I32))


def lower_concat_ws(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The arguments that are not null, with a separator between any two."""
    separator, *texts = args
    between = size_of(cx, separator)
    room: ll.Value = i64(0)
    for text in texts:
        room = cx.b.add(room, cx.b.add(size_of(cx, text), between))
    made = cx.scratch(room)
    size, gap = cx.local(I64, i64(0)), cx.local(I64, i64(0))
    for text in texts:
        with cx.b.if_then(cx.b.not_(null_bit(text))):
            cx.copy_bytes(cx.at(made, size.value), separator.payload, gap.value)
            size.add(gap.value)
            cx.copy_bytes(cx.at(made, size.value), text.payload, size_of(cx, text))
            size.add(size_of(cx, text))
            gap.set(between)
    return Value(STRING, made, separator.null, cx.b.trunc(size.value, I32))


def lower_repeat(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """A text so many times."""
    text, times = args
    null = any_null(cx, *args)
    size = size_of(cx, text)
    count = most(cx, cx.b.sext(times.payload, I64), i64(0))
    total = _none_if(cx, null, cx.b.mul(size, count))
    made = cx.scratch(total)
    _fill(cx, made, text, total)
    return Value(STRING, made, null, cx.b.trunc(total, I32))


def lower_pad(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """lpad, rpad: the text cut off at a length, or filled up to it."""
    text, length, pad = args
    null = any_null(cx, *args)
    wanted = cx.b.sext(length.payload, I64)
    kept = _none_if(cx, null, skip_characters(cx, text.payload, size_of(cx, text), wanted))
    missing = cx.b.sub(wanted, count_characters(cx, text.payload, size_of(cx, text)))
    filling = _none_if(cx, null, _filling_bytes(cx, pad, missing))
    made = cx.scratch(cx.b.add(kept, filling))
    text_at, pad_at = (filling, i64(0)) if call.function == "lpad" else (i64(0), kept)
    cx.copy_bytes(cx.at(made, text_at), text.payload, kept)
    _fill(cx, cx.at(made, pad_at), pad, filling)
    return Value(STRING, made, null, cx.b.trunc(cx.b.add(kept, filling), I32))


def lower_reverse(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The characters in the opposite order."""
    (text,) = args
    size = size_of(cx, text)
    made = cx.scratch(size)
    params = (PTR, PTR, I64)
    reverse = shared_function(cx.module, "string.reverse", _VOID, params, _build_reverse)
    cx.b.call(reverse, [made, text.payload, size])
    return Value(STRING, made, text.null, text.length)


def lower_replace(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Every occurrence of a text as another: first counted, then written."""
    given = [part for value in args for part in (value.payload, size_of(cx, value))]
    text_size, search_size, instead_size = given[1::2]
    params = (PTR, I64, PTR, I64)
    count = shared_function(cx.module, "string.occurrences", I64, params, _build_occurrences)
    found = cx.b.call(count, given[:4])
    total = cx.b.add(text_size, cx.b.mul(found, cx.b.sub(instead_size, search_size)))
    made = cx.scratch(total)
    writes = (PTR, *(PTR, I64) * 3, I64)
    replace = shared_function(cx.module, "string.replace", _VOID, writes, _build_replace)
    cx.b.call(replace, [made, *given, found])
    return Value(STRING, made, any_null(cx, *args), cx.b.trunc(total, I32))


def lower_translate(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Each character as the one at its place in another text."""
    given = [part for value in args for part in (value.payload, size_of(cx, value))]
    made = cx.scratch(cx.b.mul(given[1], i64(_MOST_BYTES_OF_CHARACTER)))
    params = (PTR, *(PTR, I64) * 3)
    function = shared_function(cx.module, "string.translate", I64, params, _build_translate)
    size = cx.b.call(function, [made, *given])
    return Value(STRING, made, any_null(cx, *args), cx.b.trunc(size, I32))


def _none_if(cx: KernelContext, null: ll.Value | None, size: ll.Value) -> ll.Value:
    return size if null is None else cx.b.select(null, i64(0), size)


def _fill(cx: KernelContext, target: ll.Value, pad: Value, size: ll.Value) -> None:
    """Write a text again and again until so many bytes are there."""
    params = (PTR, PTR, I64, I64)
    fill = shared_function(cx.module, "string.fill", _VOID, params, _build_fill)
    cx.b.call(fill, [target, pad.payload, size_of(cx, pad), size])


def _filling_bytes(cx: KernelContext, pad: Value, missing: ll.Value) -> ll.Value:
    """The bytes of so many characters of a text that is repeated, of an empty one none."""
    size = size_of(cx, pad)
    chars = most(cx, count_characters(cx, pad.payload, size), i64(1))
    wanted = most(cx, missing, i64(0))
    rest = skip_characters(cx, pad.payload, size, cx.b.srem(wanted, chars))
    return cx.b.add(cx.b.mul(cx.b.sdiv(wanted, chars), size), rest)


def _build_fill(cx: KernelContext) -> None:
    """What is written is copied behind itself, twice as much each time."""
    target, pad, pad_size, size = cx.function.args
    first = cx.b.select(cx.b.icmp_signed("<", pad_size, size), pad_size, size)
    cx.copy_bytes(target, pad, first)
    done_bytes = cx.local(I64, first)
    with cx.forever("piece") as done:
        here = done_bytes.value
        left = cx.b.sub(size, here)
        cx.branch_if(cx.b.icmp_signed("<=", left, i64(0)), done)
        piece = cx.b.select(cx.b.icmp_signed("<", here, left), here, left)
        cx.copy_bytes(cx.at(target, here), target, piece)
        done_bytes.add(piece)
    cx.b.ret_void()


def _build_reverse(cx: KernelContext) -> None:
    target, data, size = cx.function.args
    place = cx.local(I64, i64(0))
    with cx.forever("character") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed(">=", here, size), done)
        step = character_bytes(cx, data, here, size)
        place.add(step)
        cx.copy_bytes(cx.at(target, cx.b.sub(size, place.value)), cx.at(data, here), step)
    cx.b.ret_void()


def _build_occurrences(cx: KernelContext) -> None:
    """How often a text occurs in another, without overlaps; an empty one never does."""
    text, size, part, part_size = cx.function.args
    place, count = cx.local(I64, i64(0)), cx.local(I64, i64(0))
    with cx.b.if_then(cx.b.icmp_signed("==", part_size, i64(0))):
        cx.b.ret(i64(0))
    with cx.forever("occurrence") as done:
        found = find(cx, text, size, part, part_size, place.value)
        cx.branch_if(cx.b.icmp_signed("<", found, i64(0)), done)
        count.add(i64(1))
        place.set(cx.b.add(found, part_size))
    cx.b.ret(count.value)


def _build_replace(cx: KernelContext) -> None:
    target, text, size, search, search_size, instead, instead_size, count = cx.function.args
    place, written = cx.local(I64, i64(0)), cx.local(I64, i64(0))
    with cx.loop(i64(0), count, "occurrence"):
        here = place.value
        found = find(cx, text, size, search, search_size, here)
        kept = cx.b.sub(found, here)
        cx.copy_bytes(cx.at(target, written.value), cx.at(text, here), kept)
        written.add(kept)
        cx.copy_bytes(cx.at(target, written.value), instead, instead_size)
        written.add(instead_size)
        place.set(cx.b.add(found, search_size))
    rest = cx.b.sub(size, place.value)
    cx.copy_bytes(cx.at(target, written.value), cx.at(text, place.value), rest)
    cx.b.ret_void()


def _build_translate(cx: KernelContext) -> None:
    """Write the text and return its size."""
    target, text, size, matching, matching_size, instead, instead_size = cx.function.args
    place, written = cx.local(I64, i64(0)), cx.local(I64, i64(0))
    with cx.forever("character") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed(">=", here, size), done)
        step = character_bytes(cx, text, here, size)
        place.add(step)
        char = cx.at(text, here)
        found = find(cx, matching, matching_size, char, step, i64(0))
        with cx.b.if_else(cx.b.icmp_signed("<", found, i64(0))) as (as_it_is, replaced):
            with as_it_is:
                _write(cx, target, written, char, step)
            with replaced:
                number = count_characters(cx, matching, found)
                begin = skip_characters(cx, instead, instead_size, number)
                with cx.b.if_then(cx.b.icmp_signed("<", begin, instead_size)):
                    taken = character_bytes(cx, instead, begin, instead_size)
                    _write(cx, target, written, cx.at(instead, begin), taken)
    cx.b.ret(written.value)


def _write(
    cx: KernelContext, target: ll.Value, written: Local, source: ll.Value, size: ll.Value
) -> None:
    cx.copy_bytes(cx.at(target, written.value), source, size)
    written.add(size)
