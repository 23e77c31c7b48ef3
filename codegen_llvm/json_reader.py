"""JSON lines in generated code: objects with fields in any order, whole and plainly written.

Odd records, which the host reads: those that are no JSON, and those with a name twice, with an
escape in a name, or with a value that its column does not take.
"""

from __future__ import annotations

from functools import partial

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I8, I64, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.json_strings import is_hex, string_part, unescaping
from codegen_llvm.text_cursor import Cursor, is_one_of, reader, special_byte, wide_character
from codegen_llvm.text_fields import (
    RowWriter,
    is_time,
    number_reader,
    read_number,
    read_quoted_time,
    read_seconds,
)
from codegen_llvm.text_records import CompiledReader, compile_reader
from ir import BOOL, STRING, TIMESTAMP, DataType, Schema

MOST_DEPTH = 100  # Jackson's own limit is higher; the host knows it
_HEX_DIGITS = 4


def compile_json_reader(schema: Schema, unread: frozenset[str] = frozenset()) -> CompiledReader:
    """The reader of records that fills the columns of a schema; `unread` ones stay null."""
    return compile_reader(partial(build_json_record, schema=schema, unread=unread))


def build_json_record(cx: KernelContext, schema: Schema, unread: frozenset[str]) -> None:
    """(place, args, row) -> the end of the line, if the line is an object and nothing else."""
    text, row = Cursor(cx, cx.function.args[0]), RowWriter(cx, schema)
    row.clear()
    width = ll.IntType(max(64, len(schema)))
    seen = cx.local(width, ll.Constant(width, 0))
    text.skip_spaces()
    text.expect("{")
    text.skip_spaces()
    with cx.forever("fields") as done:
        cx.branch_if(text.is_at("}"), done)  # an empty object: behind a comma is a name
        text.expect('"')
        _read_field(text, row, seen, unread)
        text.skip_spaces()
        cx.branch_if(text.is_at("}"), done)
        text.expect(",")
        text.skip_spaces()
        text.demand(text.is_at('"'))
    text.step()
    text.skip_spaces()
    text.demand(text.is_at("\n", "\r"))
    cx.b.ret(text.place)


def _read_field(text: Cursor, row: RowWriter, seen: Local, unread: frozenset[str]) -> None:
    """A name behind its first quote, and its value."""
    cx = text.cx
    done = cx.b.append_basic_block("field.done")
    for index, field in enumerate(row.schema):
        name = field.name.encode()
        if field.name in unread or any(byte in b'"\\' or byte < 0x20 for byte in name):
            continue  # what is written with escapes is left to the host
        with cx.b.if_then(text.starts_with(name + b'"')):
            text.step(len(name) + 1)
            bit = ll.Constant(seen.type, 1 << index)
            is_new = cx.b.icmp_unsigned("==", cx.b.and_(seen.value, bit), ll.Constant(seen.type, 0))
            text.demand(is_new)
            seen.set(cx.b.or_(seen.value, bit))
            _colon(text)
            _read_value(text, row, index, field.type)
            cx.b.branch(done)
    text.follow(_plain_string(cx.module))
    text.step()
    _colon(text)
    text.follow(_skipping(cx.module), i64(MOST_DEPTH))
    cx.b.branch(done)
    cx.b.position_at_end(done)


def _colon(text: Cursor) -> None:
    text.skip_spaces()
    text.expect(":")
    text.skip_spaces()


def _read_value(text: Cursor, row: RowWriter, index: int, type_: DataType) -> None:
    """The value of a column, which stays null where null is written."""
    with text.cx.b.if_else(text.is_at("n"), likely=False) as (null, other):
        with null:
            text.expect_word("null")
        with other:
            if type_ is STRING:
                _read_string(text, row, index)
            elif type_ is BOOL:
                row.store(index, _read_boolean(text))
            elif is_time(type_):
                row.store(index, _read_time(text, type_))
            else:
                row.store(index, read_number(text, type_, json=True))


def _read_string(text: Cursor, row: RowWriter, index: int) -> None:
    """A string, or the source of any other value."""
    cx = text.cx
    with cx.b.if_else(text.is_at('"'), likely=True) as (string, other):
        with string:
            text.step()
            begin, begins, ends = text.place, cx.local(PTR, text.place), cx.local(PTR, text.place)
            text.follow(string_part(cx.module))
            ends.set(text.place)
            with cx.b.if_then(text.is_at("\\"), likely=False):
                size = cx.stack(I64)
                text.follow(unescaping(cx.module), begin, row.scratch, size)
                begins.set(row.scratch)
                ends.set(cx.at(row.scratch, cx.b.load(size, typ=I64)))
            row.store_string(index, begins.value, ends.value)
            text.step()
        with other:
            begin = text.place
            text.follow(_skipping(cx.module), i64(MOST_DEPTH))
            row.store_string(index, begin, text.place)


def _read_boolean(text: Cursor) -> ll.Value:
    cx = text.cx
    is_true = text.is_at("t")
    with cx.b.if_else(is_true) as (true, false):
        with true:
            text.expect_word("true")
        with false:
            text.expect_word("false")
    return cx.b.zext(is_true, I8)


def _read_time(text: Cursor, type_: DataType) -> ll.Value:
    cx = text.cx
    if type_ is not TIMESTAMP:
        text.expect('"')
        made = read_quoted_time(text, type_)
        text.expect('"')
        return made
    moment = cx.local(I64, i64(0))
    with cx.b.if_else(text.is_at('"'), likely=True) as (quoted, number):
        with quoted:
            text.step()
            moment.set(read_quoted_time(text, type_))
            text.expect('"')
        with number:
            moment.set(read_seconds(text))
    return moment.value


def _plain_string(module: ll.Module) -> ll.Function:
    """From behind a quote to the quote that ends the string, which has no escapes."""
    return reader(module, "json.string", partial(_build_string, escapes=False))


def _skipped_string(module: ll.Module) -> ll.Function:
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
        text.follow(_skipped_string(cx.module))
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
            text.follow(_skipped_string(cx.module))
            text.step()
            _colon(text)
        text.follow(_skipping(cx.module), cx.b.sub(depth, i64(1)))
        text.skip_spaces()
        cx.branch_if(text.is_at(end), after)
        text.expect(",")
        text.skip_spaces()
    cx.b.branch(ended)
    cx.b.position_at_end(ended)
    text.step()
