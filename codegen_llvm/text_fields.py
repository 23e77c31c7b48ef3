"""Values of columns from text, in generated code: the ordinary forms of each type.

Whatever is not written in an ordinary form is left to the host, which knows them all.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, PTR, KernelContext, i64, llvm_type
from codegen_llvm.civil import Civil, days_from_civil, month_length
from codegen_llvm.parse_floats import parse_float
from codegen_llvm.parse_numbers import parse_decimal
from codegen_llvm.scanning import Parsed, is_status
from codegen_llvm.text_abi import TextArgs, TextColumn
from codegen_llvm.text_cursor import Cursor, distance, reader
from codegen_llvm.text_strings import keep_string
from codegen_llvm.values import Value
from ir import BOOL, DATE, FLOAT32, FLOAT64, STRING, TIMESTAMP, DataType, DecimalType, Schema
from ir.calendar import DAY_US, SECOND_US

# In place of the place behind a record: a column has no room for another string.
FULL = ll.Constant(I64, 1)
_MOST_DIGITS = 18  # of an integer that fits 64 bits whatever they are
_MOST_NUMBER_BYTES = 500
_MOST_FRACTION = 9
_LEAST_YEAR = 1
_MOST_OFFSET_HOURS = 18
_COLUMN_BYTES = 8 * len(TextColumn._fields_)


@dataclass(frozen=True)
class RowWriter:
    """The row that a record becomes: (place, args, row) are the arguments of its function."""

    cx: KernelContext
    schema: Schema

    @property
    def _row(self) -> ll.Value:
        return self.cx.function.args[2]

    def _column(self, index: int) -> ll.Value:
        columns = self.cx.load_field(self.cx.function.args[1], TextArgs, "columns", PTR)
        return self.cx.at(columns, index * _COLUMN_BYTES)

    def clear(self) -> None:
        """All columns null: a record that was given up may have left something."""
        for index, field in enumerate(self.schema):
            self._set_valid(index, 0)
            if field.type is STRING:
                self._clear_string(self._column(index))

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
        valid = self.cx.load_field(self._column(index), TextColumn, "valid", PTR)
        self.cx.b.store(ll.Constant(I8, value), self.cx.at(valid, self._row))

    def store(self, index: int, value: ll.Value) -> None:
        """A value of a column of fixed width."""
        values = self.cx.load_field(self._column(index), TextColumn, "values", PTR)
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
        kept = cx.b.call(keep_string(cx.module), [self._column(index), self._row, begin, size])
        with cx.b.if_then(cx.b.not_(kept), likely=False):
            cx.store_field(i64(index), cx.function.args[1], TextArgs, "detail")
            cx.b.ret(cx.b.inttoptr(FULL, PTR))
        self._set_valid(index, 1)


def stored_type(type_: DataType) -> ll.Type:
    """The type of a value in a column's memory; a boolean is a byte there."""
    return I8 if type_ is BOOL else llvm_type(type_)


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
    cx = text.cx
    out = cx.stack(I64)
    build = _build_json_integer if json else _build_integer
    text.follow(reader(cx.module, f"text.integer.{json}", build, PTR), out)
    return cx.b.load(out, typ=I64)


def _build_integer(cx: KernelContext) -> None:
    """A minus and at most 18 digits."""
    text = Cursor(cx, cx.function.args[0])
    is_minus = text.is_at("-")
    text.step(cx.b.zext(is_minus, I64))
    made, begin = cx.local(I64, i64(0)), text.place
    with cx.forever("digits") as after:
        digit, is_digit = text.digit()
        cx.branch_if(cx.b.not_(is_digit), after)
        made.set(cx.b.add(cx.b.mul(made.value, i64(10)), digit))
        text.step()
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
        _some_digits(text)
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


def read_date(text: Cursor) -> ll.Value:
    """yyyy-mm-dd as days."""
    out = text.cx.stack(I64)
    text.follow(reader(text.cx.module, "text.date", _build_date, PTR), out)
    return text.cx.b.trunc(text.cx.b.load(out, typ=I64), I32)


def read_timestamp(text: Cursor) -> ll.Value:
    """yyyy-mm-ddThh:mm:ss[.fraction][Z|+hh:mm] as microseconds; UTC without a zone."""
    out = text.cx.stack(I64)
    text.follow(reader(text.cx.module, "text.timestamp", _build_timestamp, PTR), out)
    return text.cx.b.load(out, typ=I64)


def _build_date(cx: KernelContext) -> None:
    text = Cursor(cx, cx.function.args[0])
    year = cx.b.add(cx.b.mul(_two_digits(text), i64(100)), _two_digits(text))
    text.expect("-")
    month = _two_digits(text)
    text.expect("-")
    day = _two_digits(text)
    text.demand(cx.b.icmp_signed(">=", year, i64(_LEAST_YEAR)))
    text.demand(cx.b.icmp_unsigned("<", cx.b.sub(month, i64(1)), i64(12)))
    length = month_length(cx, year, month)
    text.demand(cx.b.icmp_unsigned("<", cx.b.sub(day, i64(1)), length))
    cx.b.store(days_from_civil(cx, Civil(year, month, day)), cx.function.args[1])
    cx.b.ret(text.place)


def _build_timestamp(cx: KernelContext) -> None:
    out = cx.function.args[1]
    text = Cursor(cx, cx.function.args[0])
    text.follow(reader(cx.module, "text.date", _build_date, PTR), out)
    text.expect("T", " ")
    seconds = _clock(text, 24)
    text.expect(":")
    seconds = cx.b.add(cx.b.mul(seconds, i64(60)), _at_most(text, 59))
    fraction = _fraction(text)
    seconds = cx.b.sub(seconds, _offset_seconds(text))
    whole = cx.b.add(
        cx.b.mul(cx.b.load(out, typ=I64), i64(DAY_US)), cx.b.mul(seconds, i64(SECOND_US))
    )
    cx.b.store(cx.b.add(whole, fraction), out)
    cx.b.ret(text.place)


def _clock(text: Cursor, hours: int) -> ll.Value:
    """hh:mm as minutes."""
    hour = _at_most(text, hours - 1)
    text.expect(":")
    return text.cx.b.add(text.cx.b.mul(hour, i64(60)), _at_most(text, 59))


def _two_digits(text: Cursor) -> ll.Value:
    cx = text.cx
    values = []
    for _ in range(2):
        value, is_digit = text.digit()
        text.demand(is_digit)
        text.step()
        values.append(value)
    return cx.b.add(cx.b.mul(values[0], i64(10)), values[1])


def _at_most(text: Cursor, most: int) -> ll.Value:
    value = _two_digits(text)
    text.demand(text.cx.b.icmp_unsigned("<=", value, i64(most)))
    return value


def _fraction(text: Cursor) -> ll.Value:
    """Up to nine digits behind a point, as microseconds; those beyond do not round."""
    cx = text.cx
    made, unit = cx.local(I64, i64(0)), cx.local(I64, i64(SECOND_US // 10))
    with cx.b.if_then(text.is_at(".")):
        text.step()
        begin = text.place
        with cx.forever("fraction") as after:
            digit, is_digit = text.digit()
            cx.branch_if(cx.b.not_(is_digit), after)
            made.add(cx.b.mul(digit, unit.value))
            unit.set(cx.b.udiv(unit.value, i64(10)))
            text.step()
        count = distance(cx, begin, text.place)
        text.demand(cx.b.icmp_unsigned("<", cx.b.sub(count, i64(1)), i64(_MOST_FRACTION)))
    return made.value


def _offset_seconds(text: Cursor) -> ll.Value:
    """What a zone is ahead of UTC: Z, +hh:mm, -hh:mm, or none."""
    cx = text.cx
    made = cx.local(I64, i64(0))
    with cx.b.if_else(text.is_at("+", "-")) as (offset, other):
        with offset:
            is_minus = text.is_at("-")
            text.step()
            ahead = cx.b.mul(_clock(text, _MOST_OFFSET_HOURS), i64(60))
            made.set(cx.b.select(is_minus, cx.b.neg(ahead), ahead))
        with other:
            text.step(cx.b.zext(text.is_at("Z"), I64))
    return made.value


def read_seconds(text: Cursor) -> ll.Value:
    """An integer of seconds as microseconds."""
    seconds = _read_integer(text, json=True)
    limit = 10**12
    shifted = text.cx.b.add(seconds, i64(limit))
    text.demand(text.cx.b.icmp_unsigned("<", shifted, i64(2 * limit)))
    return text.cx.b.mul(seconds, i64(SECOND_US))


def read_quoted_time(text: Cursor, type_: DataType) -> ll.Value:
    """A date or timestamp at the place."""
    assert type_ in (DATE, TIMESTAMP)
    return read_date(text) if type_ is DATE else read_timestamp(text)


def is_time(type_: DataType) -> bool:
    """Whether values of a type are written as dates or times."""
    return type_ in (DATE, TIMESTAMP)
