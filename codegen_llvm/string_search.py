"""Looking for texts in texts, in generated code: positions and patterns."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.arithmetic import lossy
from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.characters import (
    character_bytes,
    count_characters,
    size_of,
    skip_characters,
)
from codegen_llvm.strings import equal_constant
from codegen_llvm.values import Value, any_null
from ir import BOOL, INT32, STRING, Call, Literal
from ir.patterns import (
    ESCAPE,
    ESCAPE_AT_THE_END,
    ESCAPE_IN_THE_MIDDLE,
    is_pattern,
    plain_pieces,
)

_ANY_TEXT, _ANY_CHARACTER, _ESCAPE = (ll.Constant(I8, ord(c)) for c in ("%", "_", ESCAPE))
_RIGHT, _ENDS, _IN_THE_MIDDLE = (ll.Constant(I32, code) for code in range(3))


def find(
    cx: KernelContext,
    text: ll.Value,
    size: ll.Value,
    part: ll.Value,
    part_size: ll.Value,
    start: ll.Value,
) -> ll.Value:
    """Where a part that is not empty begins in a text, from a place on, or -1."""
    params = (PTR, I64, PTR, I64, I64)
    function = shared_function(cx.module, "string.find", I64, params, _build_find)
    return cx.b.call(function, [text, size, part, part_size, start])


def find_back(
    cx: KernelContext, text: ll.Value, part: ll.Value, part_size: ll.Value, start: ll.Value
) -> ll.Value:
    """Where a part begins in a text, at a place or before it, or -1."""
    params = (PTR, PTR, I64, I64)
    function = shared_function(cx.module, "string.find_back", I64, params, _build_find_back)
    return cx.b.call(function, [text, part, part_size, start])


def lower_instr(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The position of a part, 0 where there is none."""
    text, part = args
    return _position(cx, text, part, i64(1), any_null(cx, *args))


def lower_locate(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The position of a part from a position on."""
    part, text, start = args
    return _position(cx, text, part, cx.b.sext(start.payload, I64), any_null(cx, *args))


def lower_like(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Whether a text matches a pattern; a wrong pattern is an error, or null."""
    text, pattern = args
    null = any_null(cx, text, pattern)
    match call.args[1]:
        case Literal(str() as known) if is_pattern(known):
            pieces = plain_pieces(known)
            found = _matches(cx, text, pattern) if pieces is None else _has(cx, text, pieces)
            return Value(BOOL, found, null)
    made = Value(BOOL, _matches(cx, text, pattern), null)
    check = shared_function(cx.module, "pattern.check", I32, (PTR, I64), _build_check)
    verdict = cx.b.call(check, [pattern.payload, size_of(cx, pattern)])
    for code, condition in ((_ENDS, ESCAPE_AT_THE_END), (_IN_THE_MIDDLE, ESCAPE_IN_THE_MIDDLE)):
        wrong = cx.b.icmp_signed("==", verdict, code)
        made = lossy(cx, call, made, wrong, condition, legacy_is_null=True)
    return made


def _matches(cx: KernelContext, text: Value, pattern: Value) -> ll.Value:
    params = (PTR, I64, PTR, I64)
    match = shared_function(cx.module, "pattern.match", I1, params, _build_match)
    sizes = size_of(cx, text), size_of(cx, pattern)
    return cx.b.call(match, [text.payload, sizes[0], pattern.payload, sizes[1]])


def _has(cx: KernelContext, text: Value, pieces: list[str]) -> ll.Value:
    """Whether a text has the outer pieces at its ends, and the others between, in order."""
    if len(pieces) == 1:
        return equal_constant(cx, text, Literal(pieces[0], STRING))
    first, *middle, last = (Value(STRING, *_constant(cx, piece)) for piece in pieces)
    begin, end = size_of(cx, first), cx.b.sub(size_of(cx, text), size_of(cx, last))
    found = cx.local(I1, ll.Constant(I1, 0))
    with cx.b.if_then(cx.b.icmp_signed(">=", end, begin)):
        starts = _same_bytes(cx, text.payload, first)
        found.set(cx.b.and_(starts, _same_bytes(cx, cx.at(text.payload, end), last)))
    place = cx.local(I64, begin)
    for piece in middle:
        with cx.b.if_then(found.value):
            size = size_of(cx, piece)
            here = find(cx, text.payload, end, piece.payload, size, place.value)
            found.set(cx.b.icmp_signed(">=", here, i64(0)))
            place.set(cx.b.add(here, size))
    return found.value


def _constant(cx: KernelContext, piece: str) -> tuple[ll.Value, None, ll.Value]:
    data = piece.encode()
    return cx.constant_bytes(data or b"\0"), None, ll.Constant(I32, len(data))


def _same_bytes(cx: KernelContext, place: ll.Value, known: Value) -> ll.Value:
    """Whether the bytes at a place are those of a constant: LLVM compares them as words."""
    memcmp = cx.external("memcmp", I32, PTR, PTR, I64)
    order = cx.b.call(memcmp, [place, known.payload, size_of(cx, known)])
    return cx.b.icmp_signed("==", order, ll.Constant(I32, 0))


def _position(
    cx: KernelContext, text: Value, part: Value, start: ll.Value, null: ll.Value | None
) -> Value:
    params = (PTR, I64, PTR, I64, I64)
    function = shared_function(cx.module, "string.position", I64, params, _build_position)
    sizes = size_of(cx, text), size_of(cx, part)
    found = cx.b.call(function, [text.payload, sizes[0], part.payload, sizes[1], start])
    return Value(INT32, cx.b.trunc(found, I32), null)


def _build_find(cx: KernelContext) -> None:
    text, size, part, part_size, start = cx.function.args
    with cx.b.if_then(cx.b.icmp_signed("<", cx.b.sub(size, start), part_size)):
        cx.b.ret(i64(-1))
    memmem = cx.external("memmem", PTR, PTR, I64, PTR, I64)
    rest = cx.b.sub(size, start)
    found = cx.b.call(memmem, [cx.at(text, start), rest, part, part_size])
    distance = cx.b.sub(cx.b.ptrtoint(found, I64), cx.b.ptrtoint(text, I64))
    is_missing = cx.b.icmp_unsigned("==", found, ll.Constant(PTR, None))
    cx.b.ret(cx.b.select(is_missing, i64(-1), distance))


def _build_find_back(cx: KernelContext) -> None:
    text, part, part_size, start = cx.function.args
    memcmp = cx.external("memcmp", I32, PTR, PTR, I64)
    place = cx.local(I64, start)
    with cx.forever("place") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed("<", here, i64(0)), done)
        order = cx.b.call(memcmp, [cx.at(text, here), part, part_size])
        cx.branch_if(cx.b.icmp_signed("==", order, ll.Constant(I32, 0)), done)
        place.add(i64(-1))
    cx.b.ret(cx.b.select(cx.b.icmp_signed("<", place.value, i64(0)), i64(-1), place.value))


def _build_position(cx: KernelContext) -> None:
    text, size, part, part_size, start = cx.function.args
    with cx.b.if_then(cx.b.icmp_signed("<", start, i64(1))):
        cx.b.ret(i64(0))
    with cx.b.if_then(cx.b.icmp_signed("==", part_size, i64(0))):
        cx.b.ret(i64(1))
    begin = skip_characters(cx, text, size, cx.b.sub(start, i64(1)))
    found = find(cx, text, size, part, part_size, begin)
    with cx.b.if_then(cx.b.icmp_signed("<", found, i64(0))):
        cx.b.ret(i64(0))
    cx.b.ret(cx.b.add(count_characters(cx, text, found), i64(1)))


def _build_check(cx: KernelContext) -> None:
    """What is wrong with a pattern: the first escape that escapes nothing."""
    pattern, size = cx.function.args
    place = cx.local(I64, i64(0))
    with cx.forever("byte") as done:
        here = place.value
        cx.branch_if(cx.b.icmp_signed(">=", here, size), done)
        escapes = cx.b.icmp_unsigned("==", _byte(cx, pattern, here), _ESCAPE)
        with cx.b.if_then(escapes):
            escaped = cx.b.add(here, i64(1))
            with cx.b.if_then(cx.b.icmp_signed(">=", escaped, size)):
                cx.b.ret(_ENDS)
            byte = _byte(cx, pattern, escaped)
            plain: ll.Value = ll.Constant(I1, 1)
            for special in (_ANY_TEXT, _ANY_CHARACTER, _ESCAPE):
                plain = cx.b.and_(plain, cx.b.icmp_unsigned("!=", byte, special))
            with cx.b.if_then(plain):
                cx.b.ret(_IN_THE_MIDDLE)
        place.add(cx.b.select(escapes, i64(2), i64(1)))
    cx.b.ret(_RIGHT)


def _build_match(cx: KernelContext) -> None:
    """Byte by byte; what does not match goes back to the last % and gives it a character more.

    Earlier ones need no second try: the last one can take all that they could.
    """
    text, size, pattern, pattern_size = cx.function.args
    at_text, at_pattern = cx.local(I64, i64(0)), cx.local(I64, i64(0))
    back_text, back_pattern = cx.local(I64, i64(0)), cx.local(I64, i64(-1))
    with cx.forever("step") as done:
        cx.branch_if(cx.b.icmp_signed(">=", at_text.value, size), done)
        moved = cx.local(I1, ll.Constant(I1, 0))
        with cx.b.if_then(cx.b.icmp_signed("<", at_pattern.value, pattern_size)):
            is_any = cx.b.icmp_unsigned("==", _byte(cx, pattern, at_pattern.value), _ANY_TEXT)
            with cx.b.if_else(is_any) as (any_text, other):
                with any_text:
                    at_pattern.add(i64(1))
                    back_text.set(at_text.value)
                    back_pattern.set(at_pattern.value)
                    moved.set(ll.Constant(I1, 1))
                with other:
                    moved.set(_match_character(cx, at_text, at_pattern))
        with cx.b.if_then(cx.b.not_(moved.value)):
            with cx.b.if_then(cx.b.icmp_signed("<", back_pattern.value, i64(0))):
                cx.b.ret(ll.Constant(I1, 0))
            back_text.add(character_bytes(cx, text, back_text.value, size))
            at_text.set(back_text.value)
            at_pattern.set(back_pattern.value)
    cx.b.ret(_is_only_any_text(cx, at_pattern))


def _match_character(cx: KernelContext, at_text: Local, at_pattern: Local) -> ll.Value:
    """Step over a byte, or a character where _ stands for it; whether it was the right one."""
    text, size, pattern, pattern_size = cx.function.args
    here, place = at_text.value, at_pattern.value
    byte, behind = _byte(cx, pattern, place), cx.b.add(place, i64(1))
    escapes = cx.b.icmp_unsigned("==", byte, _ESCAPE)
    escapes = cx.b.and_(escapes, cx.b.icmp_signed("<", behind, pattern_size))
    plain = cx.b.select(escapes, behind, place)
    same = cx.b.icmp_unsigned("==", _byte(cx, text, here), _byte(cx, pattern, plain))
    is_any = cx.b.icmp_unsigned("==", byte, _ANY_CHARACTER)
    matched = cx.b.or_(is_any, same)
    with cx.b.if_then(matched):
        at_text.add(cx.b.select(is_any, character_bytes(cx, text, here, size), i64(1)))
        at_pattern.set(cx.b.add(plain, i64(1)))
    return matched


def _is_only_any_text(cx: KernelContext, at_pattern: Local) -> ll.Value:
    """Whether nothing but % is left of the pattern."""
    _, _, pattern, pattern_size = cx.function.args
    with cx.forever("rest") as done:
        here = at_pattern.value
        cx.branch_if(cx.b.icmp_signed(">=", here, pattern_size), done)
        cx.branch_if(cx.b.icmp_unsigned("!=", _byte(cx, pattern, here), _ANY_TEXT), done)
        at_pattern.add(i64(1))
    return cx.b.icmp_signed(">=", at_pattern.value, pattern_size)


def _byte(cx: KernelContext, data: ll.Value, place: ll.Value) -> ll.Value:
    return cx.b.load(cx.at(data, place), typ=I8)
