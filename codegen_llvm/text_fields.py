"""Values of columns from text, in generated code: the ordinary forms of each type.

Whatever is not written in an ordinary form is left to the host, which knows them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, PTR, KernelContext, i64, llvm_type
from codegen_llvm.parse_floats import parse_float
from codegen_llvm.parse_numbers import parse_decimal
from codegen_llvm.scanning import Parsed, is_status
from codegen_llvm.text_abi import TextArgs, TextColumn
from codegen_llvm.text_cursor import Cursor, distance, reader
from codegen_llvm.text_digits import WORD_DIGITS, leading_digits, number_of, power_of_ten
from codegen_llvm.text_strings import keep_known, keep_string
from codegen_llvm.values import Value
from ir import BOOL, FLOAT32, FLOAT64, STRING, DataType, DecimalType, Schema
from ir.calendar import SECOND_US

# In place of the place behind a record: a column has no room for another string.
FULL = ll.Constant(I64, 1)
_MOST_DIGITS = 18  # of an integer that fits 64 bits whatever they are
_MOST_NUMBER_BYTES = 500
_MANY_EXPONENT_DIGITS = 9  # Java gives up a decimal for a power of so many
_COLUMN_BYTES = 8 * len(TextColumn._fields_)


@dataclass(frozen=True)
class RowWriter:
    """The row that a record becomes: (place, args, row) are the arguments of its function."""

    cx: KernelContext
    schema: Schema

    @cached_property
    def _columns(self) -> ll.Value:
        """Loaded once, at the start: LLVM cannot know that no column overwrites it."""
        with self.cx.b.goto_entry_block():
            return self.cx.load_field(self.cx.function.args[1], TextArgs, "columns", PTR)

    @property
    def _row(self) -> ll.Value:
        return self.cx.function.args[2]

    def column(self, index: int) -> ll.Value:
        """The address of a column's block."""
        return self.cx.at(self._columns, index * _COLUMN_BYTES)

    def clear(self) -> None:
        """All columns null: a record that was given up may have left something."""
        for index in range(len(self.schema)):
            self.clear_column(index)

    def clear_column(self, index: int) -> None:
        """One column null; its value is zero, so that what a kernel makes of it is the same."""
        type_ = self.schema.fields[index].type
        if type_ is STRING:
            self._clear_string(self.column(index))
        else:
            wanted = stored_type(type_)
            zero = 0 if isinstance(wanted, ll.IntType) else 0.0
            self.store(index, ll.Constant(wanted, zero))
        self._set_valid(index, 0)

    def _clear_string(self, column: ll.Value) -> None:
        """An empty string, or a code that exists."""
        cx = self.cx
        is_plain = cx.b.icmp_signed("!=", cx.load_field(column, TextColumn, "is_plain"), i64(0))
        with cx.b.if_else(is_plain) as (plain, coded):
            with plain:
                offsets = cx.load_field(column, TextColumn, "offsets", PTR)
                begin = cx.b.load(cx.element(offsets, self._row, I32), typ=I32)
                after = cx.b.add(self._row, i64(1))
                cx.b.store(begin, cx.element(offsets, after, I32))
            with coded:
                values = cx.load_field(column, TextColumn, "values", PTR)
                cx.b.store(ll.Constant(I32, 0), cx.element(values, self._row, I32))

    def _set_valid(self, index: int, value: int) -> None:
        valid = self.cx.load_field(self.column(index), TextColumn, "valid", PTR)
        self.cx.b.store(ll.Constant(I8, value), self.cx.at(valid, self._row))

    def store(self, index: int, value: ll.Value) -> None:
        """A value of a column of fixed width."""
        values = self.cx.load_field(self.column(index), TextColumn, "values", PTR)
        self.cx.b.store(value, self.cx.element(values, self._row, value.type), align=1)
        self._set_valid(index, 1)

    @property
    def scratch(self) -> ll.Value:
        """The address of memory for one string."""
        return self.cx.load_field(self.cx.function.args[1], TextArgs, "scratch", PTR)

    def store_string(self, index: int, begin: ll.Value, end: ll.Value) -> None:
        """The bytes between two places; returns where the column has no room for them."""
        cx = self.cx
        size = distance(cx, begin, end)
        column = self.column(index)
        with cx.b.if_then(cx.b.not_(keep_known(cx, column, self._row, begin, size)), likely=False):
            kept = cx.b.call(keep_string(cx.module), [column, self._row, begin, size])
            with cx.b.if_then(cx.b.not_(kept), likely=False):
                cx.store_field(i64(index), cx.function.args[1], TextArgs, "detail")
                cx.b.ret(cx.b.inttoptr(FULL, PTR))
        self._set_valid(index, 1)


def stored_type(type_: DataType) -> ll.Type:
    """The type of a value in a column's memory; a boolean is a byte there."""
    return I8 if type_ is BOOL else llvm_type(type_)


def read_boolean(text: Cursor) -> ll.Value:
    """true or false."""
    cx = text.cx
    is_true = text.is_at("t")
    with cx.b.if_else(is_true) as (true, false):
        with true:
            text.expect_word("true")
        with false:
            text.expect_word("false")
    return cx.b.zext(is_true, I8)


def read_number(text: Cursor, type_: DataType, *, json: bool) -> ll.Value:
    """An integer, float or decimal at the place."""
    if type_ in (FLOAT32, FLOAT64) or isinstance(type_, DecimalType):
        return _read_fraction(text, type_, json=json)
    value = _read_integer(text, json=json)
    wanted = stored_type(type_)
    if wanted == I64:
        return value
    narrow = text.cx.b.trunc(value, wanted)
    text.demand(text.cx.b.icmp_signed("==", text.cx.b.sext(narrow, I64), value))
    return narrow


def _read_integer(text: Cursor, *, json: bool) -> ll.Value:
    """Up to seven digits right here, without a branch that depends on how many there are."""
    cx = text.cx
    made = cx.local(I64, i64(0))
    word = cx.b.load(text.place, typ=I64, align=1)
    count = leading_digits(cx, word)
    is_short = cx.b.icmp_unsigned("<", cx.b.sub(count, i64(1)), i64(WORD_DIGITS - 1))
    if json:  # a zero is alone
        other = cx.b.icmp_signed("!=", text.byte(), ll.Constant(I8, ord("0")))
        alone = cx.b.icmp_signed("==", count, i64(1))
        is_short = cx.b.and_(is_short, cx.b.or_(other, alone))
    with cx.b.if_else(is_short, likely=True) as (short, long):
        with short:
            made.set(number_of(cx, word, count))
            text.step(count)
        with long:
            made.set(_read_any_integer(text, json=json))
    return made.value


def _read_any_integer(text: Cursor, *, json: bool) -> ll.Value:
    cx = text.cx
    out = cx.stack(I64)
    build = _build_json_integer if json else _build_integer
    function = reader(cx.module, f"text.integer.{json}", build, PTR)
    function.attributes.add("noinline")
    text.follow(function, out)
    return cx.b.load(out, typ=I64)


def _build_integer(cx: KernelContext) -> None:
    """A minus and at most 18 digits, eight of them at a time."""
    text = Cursor(cx, cx.function.args[0])
    is_minus = text.is_at("-")
    text.step(cx.b.zext(is_minus, I64))
    made, begin = cx.local(I64, i64(0)), text.place
    with cx.forever("digits") as after:
        word = cx.b.load(text.place, typ=I64, align=1)
        count = leading_digits(cx, word)
        cx.branch_if(cx.b.icmp_signed("==", count, i64(0)), after)
        moved = cx.b.mul(made.value, power_of_ten(cx, count))
        made.set(cx.b.add(moved, number_of(cx, word, count)))
        text.step(count)
        cx.branch_if(cx.b.icmp_signed("<", count, i64(WORD_DIGITS)), after)
    count = distance(cx, begin, text.place)
    text.demand(cx.b.icmp_unsigned("<", cx.b.sub(count, i64(1)), i64(_MOST_DIGITS)))
    value = cx.b.select(is_minus, cx.b.neg(made.value), made.value)
    cx.b.store(value, cx.function.args[1])
    cx.b.ret(text.place)


def _build_json_integer(cx: KernelContext) -> None:
    """As others, but zero is alone: what begins with it is no number of JSON."""
    text = Cursor(cx, cx.function.args[0])
    digits = cx.at(text.place, cx.b.zext(text.is_at("-"), I64))
    text.follow(reader(cx.module, "text.integer.False", _build_integer, PTR), cx.function.args[1])
    is_zero = cx.b.icmp_signed("==", cx.b.load(digits, typ=I8), ll.Constant(I8, ord("0")))
    is_long = cx.b.icmp_signed(">", distance(cx, digits, text.place), i64(1))
    text.demand(cx.b.not_(cx.b.and_(is_zero, is_long)))
    cx.b.ret(text.place)


def number_reader(module: ll.Module) -> ll.Function:
    """Over a number of JSON; stores a byte: whether it is an integer."""
    return reader(module, "text.number", _build_number, PTR)


def _build_number(cx: KernelContext) -> None:
    text = Cursor(cx, cx.function.args[0])
    begin = text.place
    is_integer = cx.local(I8, ll.Constant(I8, 1))
    text.step(cx.b.zext(text.is_at("-"), I64))
    with cx.b.if_else(text.is_at("0")) as (zero, other):
        with zero:
            text.step()
        with other:
            _some_digits(text)
    with cx.b.if_then(text.is_at(".")):
        is_integer.set(ll.Constant(I8, 0))
        text.step()
        _some_digits(text)
    with cx.b.if_then(text.is_at("e", "E")):
        is_integer.set(ll.Constant(I8, 0))
        text.step()
        text.step(cx.b.zext(text.is_at("+", "-"), I64))
        exponent = text.place
        _some_digits(text)
        exponent_digits = distance(cx, exponent, text.place)
        text.demand(cx.b.icmp_signed("<", exponent_digits, i64(_MANY_EXPONENT_DIGITS)))
    length = distance(cx, begin, text.place)
    text.demand(cx.b.icmp_signed("<", length, i64(_MOST_NUMBER_BYTES)))
    cx.b.store(is_integer.value, cx.function.args[1])
    cx.b.ret(text.place)


def _some_digits(text: Cursor) -> None:
    text.demand(text.digit()[1])
    text.skip_digits()


def _read_fraction(text: Cursor, type_: DataType, *, json: bool) -> ll.Value:
    cx = text.cx
    begin, flag = text.place, cx.stack(I8)
    text.follow(number_reader(cx.module), flag)
    length = distance(cx, begin, text.place)
    written = Value(STRING, begin, length=cx.b.trunc(length, I32))
    if isinstance(type_, DecimalType):
        value, status = parse_decimal(cx, written, type_)
        text.demand(is_status(cx, status, Parsed.OK))
        return value
    if json:
        _demand_plain_integer(text, begin, length, cx.b.load(flag, typ=I8))
    value, status = parse_float(cx, written, llvm_type(type_))
    text.demand(is_status(cx, status, Parsed.OK))
    return value


def _demand_plain_integer(
    text: Cursor, begin: ll.Value, length: ll.Value, is_integer: ll.Value
) -> None:
    """Jackson reads integers as such before it makes floats of them: -0 and long ones differ."""
    cx = text.cx
    is_integer = cx.b.icmp_signed("!=", is_integer, ll.Constant(I8, 0))
    is_long = cx.b.icmp_signed(">", length, i64(_MOST_DIGITS))
    minus_zero = Cursor(cx, begin).starts_with(b"-0")
    text.demand(cx.b.not_(cx.b.and_(is_integer, cx.b.or_(is_long, minus_zero))))


def read_seconds(text: Cursor) -> ll.Value:
    """An integer of seconds as microseconds."""
    seconds = _read_integer(text, json=True)
    limit = 10**12
    shifted = text.cx.b.add(seconds, i64(limit))
    text.demand(text.cx.b.icmp_unsigned("<", shifted, i64(2 * limit)))
    return text.cx.b.mul(seconds, i64(SECOND_US))
