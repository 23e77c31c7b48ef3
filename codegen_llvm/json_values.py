"""Values of JSON in generated code: those of columns, and those that are passed over."""

from __future__ import annotations

from functools import partial

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I8, I64, PTR, KernelContext, i64, shared_function
from codegen_llvm.json_strings import is_hex
from codegen_llvm.text_cursor import Cursor, is_one_of, reader, special_byte, wide_character
from codegen_llvm.text_fields import number_reader, read_seconds
from codegen_llvm.text_times import read_quoted_time
from ir import TIMESTAMP, DataType

MOST_DEPTH = 100  # Jackson's own limit is higher; the host knows it
_HEX_DIGITS = 4


def read_time(text: Cursor, type_: DataType, column: ll.Value) -> ll.Value:
    """A date or timestamp in quotes; of the latter also seconds, as a number."""
    cx = text.cx
    if type_ is not TIMESTAMP:
        text.expect('"')
        made = read_quoted_time(text, type_, column)
        text.expect('"')
        return made
    moment = cx.local(I64, i64(0))
    with cx.b.if_else(text.is_at('"'), likely=True) as (quoted, number):
        with quoted:
            text.step()
            moment.set(read_quoted_time(text, type_, column))
            text.expect('"')
        with number:
            moment.set(read_seconds(text))
    return moment.value


def skip_value(text: Cursor) -> None:
    """Go over any value that is JSON and not nested too deeply."""
    text.follow(_skipping(text.cx.module), i64(MOST_DEPTH))


def expect_colon(text: Cursor) -> None:
    """Go over a colon and the spaces around it."""
    text.skip_spaces()
    text.expect(":")
    text.skip_spaces()


def plain_string(module: ll.Module) -> ll.Function:
    """From behind a quote to the quote that ends the string, which has no escapes."""
    return reader(module, "json.string", partial(_build_string, escapes=False))


def skipped_string(module: ll.Module) -> ll.Function:
    """From behind a quote to the quote that ends the string."""
    return reader(module, "json.skip_string", partial(_build_string, escapes=True))


def _build_string(cx: KernelContext, escapes: bool) -> None:
    text = Cursor(cx, cx.function.args[0])
    with cx.forever("string"):
        text.follow(special_byte(cx.module, '"\\'))
        with cx.b.if_then(text.is_at('"'), likely=True):
            cx.b.ret(text.place)
        is_wide = cx.b.icmp_signed("<", text.byte(), ll.Constant(I8, 0))
        with cx.b.if_else(is_wide) as (wide, other):
            with wide:
                text.follow(wide_character(cx.module))
            with other:
                text.demand(text.is_at("\\") if escapes else ll.Constant(I1, 0))
                if escapes:
                    _skip_escape(text)
    cx.b.unreachable()


def _skip_escape(text: Cursor) -> None:
    cx = text.cx
    text.step()
    with cx.b.if_else(text.is_at("u")) as (code, other):
        with code:
            for offset in range(1, _HEX_DIGITS + 1):
                text.demand(is_hex(cx, text.byte(offset)))
            text.step(_HEX_DIGITS)
        with other:
            text.demand(text.is_at(*'"\\/bfnrt'))
    text.step()


def _skipping(module: ll.Module) -> ll.Function:
    """Over any value that is JSON and not nested too deeply."""
    return shared_function(module, "json.skip", PTR, (PTR, I64), _build_skip)


def _build_skip(cx: KernelContext) -> None:
    place, depth = cx.function.args
    text = Cursor(cx, place)
    first = text.byte()
    with cx.b.if_then(text.is_at('"')):
        text.step()
        text.follow(skipped_string(cx.module))
        text.step()
        cx.b.ret(text.place)
    for word in ("true", "false", "null"):
        with cx.b.if_then(is_one_of(cx, first, word[0])):
            text.expect_word(word)
            cx.b.ret(text.place)
    with cx.b.if_then(is_one_of(cx, first, "{", "[")):
        text.demand(cx.b.icmp_signed(">", depth, i64(0)))
        with cx.b.if_else(is_one_of(cx, first, "{")) as (members, elements):
            with members:
                _skip_list(text, "}", depth, has_names=True)
            with elements:
                _skip_list(text, "]", depth, has_names=False)
        cx.b.ret(text.place)
    flag = cx.stack(I8)
    text.follow(number_reader(cx.module), flag)
    cx.b.ret(text.place)


def _skip_list(text: Cursor, end: str, depth: ll.Value, *, has_names: bool) -> None:
    """From the first bracket to behind the last one."""
    cx = text.cx
    text.step()
    text.skip_spaces()
    ended = cx.b.append_basic_block("list.ended")
    cx.branch_if(text.is_at(end), ended)
    with cx.forever("list") as after:
        if has_names:
            text.expect('"')
            text.follow(skipped_string(cx.module))
            text.step()
            expect_colon(text)
        text.follow(_skipping(cx.module), cx.b.sub(depth, i64(1)))
        text.skip_spaces()
        cx.branch_if(text.is_at(end), after)
        text.expect(",")
        text.skip_spaces()
    cx.b.branch(ended)
    cx.b.position_at_end(ended)
    text.step()
