"""Lines of CSV in generated code: fields that are bare, or quoted without escapes.

Odd records, which the host reads: those with fewer fields than are needed, with escapes or quotes
within quotes, that begin with a space, or with a value that its column does not take.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I8, I64, KernelContext, i64
from codegen_llvm.text_cursor import (
    Cursor,
    distance,
    line_end,
    reader,
    special_byte,
    wide_character,
)
from codegen_llvm.text_fields import RowWriter, read_boolean, read_number
from codegen_llvm.text_records import CompiledReader, compile_reader
from codegen_llvm.text_times import is_time, read_quoted_time
from ir import BOOL, STRING, DataType, Schema
from ir.zones import Zone


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How lines are written: single characters of ASCII, and the text that stands for null."""

    separator: str = ","
    quote: str = '"'
    escape: str = "\\"
    null: str = ""


def compile_csv_reader(
    schema: Schema,
    positions: tuple[int, ...],
    form: CsvForm,
    fields: int | None = None,
    zone: Zone | None = None,
) -> CompiledReader:
    """The reader that fills columns from the fields at these positions.

    With `fields`, a line that has more or fewer is odd. Times without a zone are in the one given.
    """
    build = partial(build_csv_record, schema=schema, positions=positions, form=form, fields=fields)
    return compile_reader(build, zone=zone)


def build_csv_record(
    cx: KernelContext,
    schema: Schema,
    positions: tuple[int, ...],
    form: CsvForm,
    fields: int | None,
) -> None:
    """(place, args, row) -> the end of the line."""
    row = RowWriter(cx, schema)
    line = _Line(Cursor(cx, cx.function.args[0]), row, form)
    row.clear()
    # A line of spaces is no record, and others that begin with one are rare.
    line.text.demand(cx.b.icmp_unsigned(">", line.text.byte(), ll.Constant(I8, 0x20)))
    columns = {position: index for index, position in enumerate(positions)}
    count = max(positions, default=-1) + 1 if fields is None else fields
    for position in range(count):
        if position:
            line.text.expect(form.separator)
        if position in columns:
            line.read(columns[position], schema.fields[columns[position]].type)
        else:
            line.skip()
    if fields is None:
        if count:
            line.demand_end()
        line.text.follow(line_end(cx.module))
    line.text.demand(line.text.is_at("\n", "\r"))
    cx.b.ret(line.text.place)


@dataclass(frozen=True)
class _Line:
    """Generates the reading of one field after the other."""

    text: Cursor
    row: RowWriter
    form: CsvForm

    @property
    def _cx(self) -> KernelContext:
        return self.text.cx

    def skip(self) -> None:
        """Go over a field."""
        with self._cx.b.if_else(self.text.is_at(self.form.quote), likely=False) as (quoted, bare):
            with quoted:
                self.text.step()
                self.text.follow(_quoted_end(self._cx.module, self.form))
                self.text.step()
                self.demand_end()
            with bare:
                self.text.follow(_bare_end(self._cx.module, self.form))

    def read(self, index: int, type_: DataType) -> None:
        """A field as the value of a column."""
        if type_ is STRING:
            self._read_string(index)
        else:
            self._read_value(index, type_)

    def _read_string(self, index: int) -> None:
        cx, text = self._cx, self.text
        with cx.b.if_else(text.is_at(self.form.quote), likely=False) as (quoted, bare):
            with quoted:
                text.step()
                begin = text.place
                text.follow(_quoted_end(cx.module, self.form))
                text.demand(cx.b.not_(self._is_null(begin)))
                self.row.store_string(index, begin, text.place)
                text.step()
            with bare:
                begin = text.place
                text.follow(_bare_end(cx.module, self.form))
                is_empty = cx.b.icmp_signed("==", distance(cx, begin, text.place), i64(0))
                is_null = cx.b.or_(is_empty, self._is_null(begin))
                with cx.b.if_then(cx.b.not_(is_null), likely=True):
                    self.row.store_string(index, begin, text.place)

    def _is_null(self, begin: ll.Value) -> ll.Value:
        """Whether what is between a place and the cursor stands for null, or is empty."""
        cx, null = self._cx, self.form.null.encode()
        length = distance(cx, begin, self.text.place)
        same = cx.b.icmp_signed("==", length, i64(len(null)))
        same = cx.b.and_(same, Cursor(cx, begin).starts_with(null))
        return cx.b.or_(same, cx.b.icmp_signed("==", length, i64(0)))

    def _read_value(self, index: int, type_: DataType) -> None:
        cx, text = self._cx, self.text
        is_quoted = text.is_at(self.form.quote)
        is_null = cx.b.and_(cx.b.not_(is_quoted), self._null_ahead())
        with cx.b.if_else(is_null, likely=False) as (null, value):
            with null:
                text.follow(_bare_end(cx.module, self.form))
            with value:
                text.step(cx.b.zext(is_quoted, I64))
                if self.form.null:
                    text.demand(cx.b.not_(text.starts_with(self.form.null.encode())))
                self.row.store(index, self._typed(type_, self.row.column(index)))
                text.demand(cx.b.or_(cx.b.not_(is_quoted), text.is_at(self.form.quote)))
                text.step(cx.b.zext(is_quoted, I64))

    def _null_ahead(self) -> ll.Value:
        """Whether a bare field is empty or stands for null."""
        cx, null = self._cx, self.form.null.encode()
        ahead = self._is_end(self.text.byte())
        if not null:
            return ahead
        same = cx.b.and_(self.text.starts_with(null), self._is_end(self.text.byte(len(null))))
        return cx.b.or_(ahead, same)

    def _typed(self, type_: DataType, column: ll.Value) -> ll.Value:
        if is_time(type_):
            return read_quoted_time(self.text, type_, column)
        if type_ is BOOL:
            return read_boolean(self.text)
        return read_number(self.text, type_, json=False)

    def demand_end(self) -> None:
        """Give up if the field goes on."""
        self.text.demand(self._is_end(self.text.byte()))

    def _is_end(self, byte: ll.Value) -> ll.Value:
        """Whether a byte ends a field."""
        cx = self._cx
        met: ll.Value = ll.Constant(I1, 0)
        for char in (self.form.separator, "\n", "\r"):
            met = cx.b.or_(met, cx.b.icmp_signed("==", byte, ll.Constant(I8, ord(char))))
        return met


def _bare_end(module: ll.Module, form: CsvForm) -> ll.Function:
    """From a place in a bare field to its end."""
    build = partial(_build_end, stops=form.separator, ends=form.separator + "\n\r", odd="")
    return reader(module, "csv.bare_end", build)


def _quoted_end(module: ll.Module, form: CsvForm) -> ll.Function:
    """From behind a quote to the next one, if no escape and no end of the line is before."""
    odd = "\n\r" if form.escape == form.quote else form.escape + "\n\r"
    build = partial(_build_end, stops=form.quote + form.escape, ends=form.quote, odd=odd)
    return reader(module, "csv.quoted_end", build)


def _build_end(cx: KernelContext, stops: str, ends: str, odd: str) -> None:
    text = Cursor(cx, cx.function.args[0])
    with cx.forever("field"):
        text.follow(special_byte(cx.module, stops))
        with cx.b.if_then(text.is_at(*ends), likely=True):
            cx.b.ret(text.place)
        is_wide = cx.b.icmp_signed("<", text.byte(), ll.Constant(I8, 0))
        with cx.b.if_else(is_wide) as (wide, other):
            with wide:
                text.follow(wide_character(cx.module))
            with other:
                text.demand(cx.b.not_(text.is_at(*odd)))
                text.step()
    cx.b.unreachable()
