"""JSON lines in generated code: objects with fields in any order, whole and plainly written.

Odd records, which the host reads: those that are no JSON, and those with a name twice, with an
escape in a name, or with a value that its column does not take.
"""

from __future__ import annotations

from functools import partial

from llvmlite import ir as ll

from codegen_llvm.builder import I64, PTR, KernelContext, Local
from codegen_llvm.json_shape import Shape, build_shaped_record
from codegen_llvm.json_strings import string_part, unescaping
from codegen_llvm.json_values import (
    expect_colon,
    plain_string,
    read_time,
    skip_value,
)
from codegen_llvm.text_cursor import Cursor
from codegen_llvm.text_fields import RowWriter, read_boolean, read_number
from codegen_llvm.text_records import CompiledReader, compile_reader
from codegen_llvm.text_times import is_time
from ir import BOOL, STRING, DataType, Schema
from ir.zones import Zone


def compile_json_reader(
    schema: Schema,
    unread: frozenset[str] = frozenset(),
    shape: Shape | None = None,
    zone: Zone | None = None,
) -> CompiledReader:
    """The reader of records that fills the columns of a schema; `unread` ones stay null.

    Lines that have the shape are read fast, all others as without it. Times without a zone are
    in the one given.
    """
    build = partial(build_json_record, schema=schema, unread=unread)
    if shape is None:
        return compile_reader(build, zone=zone)
    likely = partial(build_shaped_record, schema=schema, shape=shape)
    return compile_reader(build, likely, zone)


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
            expect_colon(text)
            _read_value(text, row, index, field.type)
            cx.b.branch(done)
    text.follow(plain_string(cx.module))
    text.step()
    expect_colon(text)
    skip_value(text)
    cx.b.branch(done)
    cx.b.position_at_end(done)


def _read_value(text: Cursor, row: RowWriter, index: int, type_: DataType) -> None:
    """The value of a column, which stays null where null is written."""
    with text.cx.b.if_else(text.is_at("n"), likely=False) as (null, other):
        with null:
            text.expect_word("null")
        with other:
            if type_ is STRING:
                _read_string(text, row, index)
            elif type_ is BOOL:
                row.store(index, read_boolean(text))
            elif is_time(type_):
                row.store(index, read_time(text, type_, row.column(index)))
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
            skip_value(text)
            row.store_string(index, begin, text.place)
