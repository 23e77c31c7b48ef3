"""JSON lines that are all written alike: the same names in the same order, with the same spaces.

A shape is a bet on that. What stands between the values is compared as it is, and a line that
differs in any way is left to the reader of any line, before anything of it has taken effect.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I64, PTR, KernelContext, Local
from codegen_llvm.json_strings import string_part
from codegen_llvm.json_values import read_time, skip_value, skipped_string
from codegen_llvm.text_cursor import Cursor, special_bits
from codegen_llvm.text_fields import RowWriter, read_boolean, read_number, stored_type
from codegen_llvm.text_times import TimeForm, is_time, read_likely_timestamp
from ir import BOOL, STRING, TIMESTAMP, DataType, Schema

_LANES = 32  # bytes of a string that are looked at together


@dataclass(frozen=True, slots=True)
class ShapeField:
    """What stands before a value, up to its first byte, and the column that takes it, if any."""

    before: bytes
    column: str | None
    time: TimeForm | None = None  # of a timestamp, as it is likely written
    is_nullable: bool = False  # else a line with null has another shape


@dataclass(frozen=True, slots=True)
class Shape:
    """How lines are written: the fields, and what stands behind the last value."""

    fields: tuple[ShapeField, ...]
    end: bytes

    def __post_init__(self) -> None:
        columns = [field.column for field in self.fields if field.column is not None]
        if len(set(columns)) != len(columns):
            raise ValueError(f"a column is written twice: {columns}")


@dataclass(frozen=True)
class _Found:
    """What was read for a column and is not stored yet."""

    value: Local  # of a string, where it begins
    end: Local | None = None
    is_valid: Local | None = None  # where it may be null


def build_shaped_record(cx: KernelContext, schema: Schema, shape: Shape) -> None:
    """(place, args, row) -> the end of the line, if it has the shape."""
    text, row = Cursor(cx, cx.function.args[0]), RowWriter(cx, schema)
    indexes = {field.name: index for index, field in enumerate(schema)}
    found: dict[int, _Found] = {}
    for field in shape.fields:
        text.expect_bytes(field.before)
        if field.column is None:
            _skip(text)
        else:
            index = indexes[field.column]
            found[index] = _read(text, row, index, field)
    text.expect_bytes(shape.end)
    text.demand(text.is_at("\n", "\r"))
    for index in range(len(schema)):
        _store(row, index, found.get(index))
    cx.b.ret(text.place)


def _read(text: Cursor, row: RowWriter, index: int, field: ShapeField) -> _Found:
    """A value, or null where some lines have that."""
    cx, type_ = text.cx, row.schema.fields[index].type
    found = _empty(cx, type_, is_nullable=field.is_nullable)
    if found.is_valid is None:
        _read_value(text, row.column(index), type_, field.time, found)
        return found
    with cx.b.if_else(text.is_at("n")) as (null, value):
        with null:
            text.expect_word("null")
        with value:
            found.is_valid.set(ll.Constant(I1, 1))
            _read_value(text, row.column(index), type_, field.time, found)
    return found


def _empty(cx: KernelContext, type_: DataType, *, is_nullable: bool) -> _Found:
    is_valid = cx.local(I1, ll.Constant(I1, 0)) if is_nullable else None
    if type_ is STRING:
        nowhere = ll.Constant(PTR, None)
        return _Found(cx.local(PTR, nowhere), cx.local(PTR, nowhere), is_valid)
    wanted = stored_type(type_)
    zero = 0 if isinstance(wanted, ll.IntType) else 0.0
    return _Found(cx.local(wanted, ll.Constant(wanted, zero)), None, is_valid)


def _read_value(
    text: Cursor, column: ll.Value, type_: DataType, time: TimeForm | None, found: _Found
) -> None:
    if found.end is None:
        found.value.set(_typed(text, type_, column, time))
        return
    text.expect('"')
    found.value.set(text.place)
    _find_quote(text, string_part(text.cx.module))
    found.end.set(text.place)
    text.step()


def _typed(text: Cursor, type_: DataType, column: ll.Value, time: TimeForm | None) -> ll.Value:
    if type_ is BOOL:
        return read_boolean(text)
    if type_ is TIMESTAMP and time is not None:
        text.expect('"')
        made = read_likely_timestamp(text, column, time)
        text.expect('"')
        return made
    if is_time(type_):
        return read_time(text, type_, column)
    return read_number(text, type_, json=True)


def _skip(text: Cursor) -> None:
    """Go over a value that no column takes."""
    cx = text.cx
    with cx.b.if_else(text.is_at('"')) as (string, other):
        with string:
            text.step()
            _find_quote(text, skipped_string(cx.module))
            text.step()
        with other:
            skip_value(text)


def _find_quote(text: Cursor, otherwise: ll.Function) -> None:
    """Go from behind a quote to the one that ends the string.

    Where it is among the first bytes, no branch depends on how far; else a function looks for it.
    """
    cx, begin = text.cx, text.place
    bits = special_bits(cx, begin, '"\\', _LANES)
    is_short = cx.b.icmp_unsigned("!=", bits, ll.Constant(bits.type, 0))
    text.step(cx.b.zext(cx.b.cttz(bits, ll.Constant(I1, 0)), I64))
    with cx.b.if_then(cx.b.not_(cx.b.and_(is_short, text.is_at('"'))), likely=False):
        text.go(begin)
        text.follow(otherwise)
        text.demand(text.is_at('"'))  # and not at an escape


def _store(row: RowWriter, index: int, found: _Found | None) -> None:
    cx = row.cx
    if found is None:
        row.clear_column(index)
    elif found.is_valid is None:
        _store_value(row, index, found)
    else:
        with cx.b.if_else(found.is_valid.value) as (value, null):
            with value:
                _store_value(row, index, found)
            with null:
                row.clear_column(index)


def _store_value(row: RowWriter, index: int, found: _Found) -> None:
    if found.end is None:
        row.store(index, found.value.value)
    else:
        row.store_string(index, found.value.value, found.end.value)
