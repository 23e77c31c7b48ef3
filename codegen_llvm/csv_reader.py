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

_IN_VALUES = " +-.:"  # and letters and digits


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How lines are written: single characters of ASCII, of which "\\0" is none."""

    separator: str = ","
    quote: str = '"'
    escape: str = "\\"
    null: str = ""  # what stands for null
    empty: str = ""  # what a quoted field without characters is
    comment: str = ""  # what lines begin with that are no records; may be missing
    words: tuple[str, str, str] = ("NaN", "Inf", "-Inf")  # no number, infinite ones
    trims_leading: bool = False  # spaces of fields that are not quoted
    trims_trailing: bool = False


def compile_csv_reader(
    schema: Schema,
    positions: tuple[int, ...],
    form: CsvForm,
    fields: int | None = None,
    zone: Zone | None = None,
) -> CompiledReader:
    """The reader that fills columns from the fields at these positions; at none below zero.

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
    line.trim_leading()
    line.text.demand(line.is_no_space())
    if form.comment:
        line.text.demand(cx.b.not_(line.text.is_at(form.comment)))
    columns = {position: index for index, position in enumerate(positions) if position >= 0}
    count = max(positions, default=-1) + 1 if fields is None else fields
    for position in range(count):
        if position:
            line.text.expect(form.separator)
            line.trim_leading()
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

    def is_no_space(self) -> ll.Value:
        """Whether the next byte is none that Java takes for a space."""
        return self._cx.b.icmp_unsigned(">", self.text.byte(), ll.Constant(I8, 0x20))

    def trim_leading(self) -> None:
        """Go over blanks before a field, if the form says so; other spaces, or nothing but
        blanks at the end of the line, are odd.
        """
        if self.form.trims_leading:
            begin = self.text.place
            self._skip_blanks()
            is_empty = self._cx.b.icmp_signed("==", begin, self.text.place)
            is_empty = self._cx.b.and_(is_empty, self._is_end(self.text.byte()))
            self.text.demand(self._cx.b.or_(self.is_no_space(), is_empty))

    def _skip_blanks(self) -> None:
        if self.form.separator != " ":
            self.text.follow(reader(self._cx.module, "csv.blanks", _build_blanks))

    def skip(self) -> None:
        """Go over a field."""
        with self._cx.b.if_else(self.text.is_at(self.form.quote), likely=False) as (quoted, bare):
            with quoted:
                self.text.step()
                self._demand_known_skip()
                self.text.follow(_quoted_end(self._cx.module, self.form))
                self.text.step()
                self.demand_end()
            with bare:
                self.text.follow(_bare_end(self._cx.module, self.form))

    def _demand_known_skip(self) -> None:
        """Where quotes escape, Spark passes over an empty field up to a later quote that ends one.

        That happens in broken lines alone: the next quote is not where a field ends.
        """
        if self.form.escape != self.form.quote:
            return
        cx, text = self._cx, self.text
        with cx.b.if_then(text.is_at(self.form.quote), likely=False):
            ahead = Cursor(cx, cx.at(text.place, 1))
            ahead.follow(_next_quote(cx.module, self.form))
            is_last = cx.b.not_(ahead.is_at(self.form.quote))
            following = cx.b.icmp_signed(
                "!=", ahead.byte(1), ll.Constant(I8, ord(self.form.separator))
            )
            ahead.demand(cx.b.or_(is_last, following))

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
                if self.form.empty:
                    text.demand(cx.b.icmp_signed("!=", begin, text.place))
                self.row.store_string(index, begin, text.place)
                text.step()
            with bare:
                begin = text.place
                text.follow(_bare_end(cx.module, self.form))
                behind = text.place
                self._trim_back(begin)
                is_empty = cx.b.icmp_signed("==", distance(cx, begin, text.place), i64(0))
                is_null = cx.b.or_(is_empty, self._is_null(begin))
                with cx.b.if_then(cx.b.not_(is_null), likely=True):
                    self.row.store_string(index, begin, text.place)
                text.go(behind)

    def _trim_back(self, begin: ll.Value) -> None:
        """Go back over blanks behind a bare field, if the form says so; nothing but them is odd."""
        if not self.form.trims_trailing:
            return
        cx, text = self._cx, self.text
        is_empty = cx.b.icmp_signed("==", begin, text.place)
        with cx.b.if_then(cx.b.not_(is_empty), likely=True):
            with cx.forever("blanks") as after:
                text.demand(cx.b.icmp_signed("!=", begin, text.place))
                other = cx.b.icmp_signed("!=", text.byte(-1), ll.Constant(I8, 0x20))
                cx.branch_if(other, after)
                text.step(-1)
            last = cx.b.icmp_unsigned(">", text.byte(-1), ll.Constant(I8, 0x20))
            text.demand(last)

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
                begin = text.place
                if self.form.null:
                    text.demand(cx.b.not_(text.starts_with(self.form.null.encode())))
                self.row.store(index, self._typed(type_, self.row.column(index)))
                self._demand_whole(begin, is_quoted)
                text.demand(cx.b.or_(cx.b.not_(is_quoted), text.is_at(self.form.quote)))
                text.step(cx.b.zext(is_quoted, I64))
                if self.form.trims_trailing:
                    with cx.b.if_then(cx.b.not_(is_quoted)):
                        self._skip_blanks()

    def _demand_whole(self, begin: ll.Value, is_quoted: ll.Value) -> None:
        """Where values may have the separator in them, a bare one ends at the first."""
        if not self.form.separator.isalnum() and self.form.separator not in _IN_VALUES:
            return
        cx = self._cx
        with cx.b.if_then(cx.b.not_(is_quoted)):
            field = Cursor(cx, begin)
            field.follow(_bare_end(cx.module, self.form))
            inside = cx.b.icmp_unsigned("<=", self.text.place, field.place)
            self.text.demand(inside)

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


def _next_quote(module: ll.Module, form: CsvForm) -> ll.Function:
    """To the next quote, or to the end of the line."""
    build = partial(_build_end, stops=form.quote, ends=form.quote + "\n\r", odd="")
    return reader(module, "csv.next_quote", build)


def _quoted_end(module: ll.Module, form: CsvForm) -> ll.Function:
    """From behind a quote to the next one, if no escape and no end of the line is before."""
    odd = "\n\r" if form.escape == form.quote else form.escape + "\n\r"
    build = partial(_build_end, stops=form.quote + form.escape, ends=form.quote, odd=odd)
    return reader(module, "csv.quoted_end", build)


def _build_blanks(cx: KernelContext) -> None:
    """(place) -> behind the blanks there."""
    text = Cursor(cx, cx.function.args[0])
    with cx.forever("blanks") as after:
        cx.branch_if(cx.b.not_(text.is_at(" ")), after)
        text.step()
    cx.b.ret(text.place)


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
