"""Dates and timestamps of text in generated code, in the forms that programs write.

The day of a timestamp is remembered: most rows of a stream have that of the row before, and
then its eleven characters are compared and not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I32, I64, PTR, KernelContext, Local, i64
from codegen_llvm.civil import Civil, days_from_civil, month_length
from codegen_llvm.local_times import zone_offset_of_local
from codegen_llvm.text_abi import TextColumn
from codegen_llvm.text_cursor import Cursor, reader
from codegen_llvm.text_digits import (
    WORD_DIGITS,
    each_byte,
    fraction_of,
    leading_digits,
    number_of,
    other_bits,
    pairs_of,
)
from ir import DATE, TIMESTAMP, DataType
from ir.calendar import DAY_US, SECOND_US
from ir.zones import Zone

_LEAST_YEAR = 1
_MOST_OFFSET_HOURS = 18
_MICRO_DIGITS = 6
_DAY_BYTES = 11  # of the day and what stands between it and the time
_TAIL = _DAY_BYTES - WORD_DIGITS  # where the second of two words begins that cover them
_SECONDS_END = _DAY_BYTES + WORD_DIGITS
_USUAL = re.compile(
    rb'"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.([0-9]{1,8}))?(Z?)"'
)
_COLON_PLACES = 0x0000FF0000FF0000  # of hh:mm:ss, in a word


def is_time(type_: DataType) -> bool:
    """Whether values of a type are written as dates or times."""
    return type_ in (DATE, TIMESTAMP)


def read_quoted_time(text: Cursor, type_: DataType, column: ll.Value) -> ll.Value:
    """A date or timestamp at the place, for the column whose block is at an address."""
    assert type_ in (DATE, TIMESTAMP)
    return _read_date(text) if type_ is DATE else _read_timestamp(text, column)


@dataclass(frozen=True, slots=True)
class TimeForm:
    """How a timestamp is written behind its seconds: digits of the fraction, and whether a Z."""

    fraction: int
    is_utc: bool

    def __post_init__(self) -> None:
        if not 0 <= self.fraction <= WORD_DIGITS:
            raise ValueError(f"a form has 0 to {WORD_DIGITS} digits, not {self.fraction}")

    @classmethod
    def of(cls, text: bytes) -> TimeForm | None:
        """The form of a text in quotes, if it is a usual one."""
        found = _USUAL.fullmatch(text)
        return None if found is None else cls(len(found[1] or b""), bool(found[2]))

    @property
    def size(self) -> int:
        """Of the whole timestamp."""
        return _SECONDS_END + bool(self.fraction) + self.fraction + self.is_utc


def read_likely_timestamp(text: Cursor, column: ll.Value, form: TimeForm) -> ll.Value:
    """A timestamp up to its closing quote; one of the day that is remembered and of a form is fast.

    Its size is known beforehand, so what comes behind need not wait for it.
    """
    cx = text.cx
    ahead = Cursor(cx, text.place)
    made = cx.local(I64, cx.load_field(column, TextColumn, "day_us"))
    is_likely = _is_known_day(ahead, column)
    ahead.step(_DAY_BYTES)
    is_clock, seconds = _clock_word(ahead)
    ahead.step(WORD_DIGITS)
    is_fraction, fraction = _fraction_of_form(ahead, form)
    behind = Cursor(cx, cx.at(text.place, form.size - form.is_utc))
    ends = behind.starts_with(b'Z"' if form.is_utc else b'"')
    for condition in (is_clock, is_fraction, ends):
        is_likely = cx.b.and_(is_likely, condition)
    with cx.b.if_else(is_likely, likely=True) as (likely, other):
        with likely:
            made.add(cx.b.add(cx.b.mul(seconds, i64(SECOND_US)), fraction))
            if not form.is_utc:
                made.set(cx.b.sub(made.value, _unwritten_offset(cx, made.value)))
            text.step(form.size)
        with other:
            made.set(_read_timestamp(text, column))
    return made.value


def _fraction_of_form(text: Cursor, form: TimeForm) -> tuple[ll.Value, ll.Value]:
    """Whether there is a point and its digits, and the microseconds."""
    cx = text.cx
    if not form.fraction:
        return ll.Constant(I1, 1), i64(0)
    is_point = text.is_at(".")
    text.step()
    word, count = _word(text), i64(form.fraction)
    has_digits = cx.b.icmp_unsigned(">=", leading_digits(cx, word), count)
    if form.fraction > _MICRO_DIGITS:
        return cx.b.and_(is_point, has_digits), _microseconds(cx, word, count)
    unit = i64(10 ** (_MICRO_DIGITS - form.fraction))
    return cx.b.and_(is_point, has_digits), cx.b.mul(number_of(cx, word, count), unit)


def _microseconds(cx: KernelContext, word: ll.Value, count: ll.Value) -> ll.Value:
    return cx.b.udiv(fraction_of(cx, word, count), i64(100))


def _read_date(text: Cursor) -> ll.Value:
    """yyyy-mm-dd as days."""
    out = text.cx.stack(I64)
    text.follow(reader(text.cx.module, "text.date", _build_date, PTR), out)
    return text.cx.b.trunc(text.cx.b.load(out, typ=I64), I32)


def _read_timestamp(text: Cursor, column: ll.Value) -> ll.Value:
    """yyyy-mm-ddThh:mm:ss[.fraction][Z|+hh:mm] as microseconds."""
    out = text.cx.stack(I64)
    text.follow(reader(text.cx.module, "text.timestamp", _build_timestamp, PTR, PTR), out, column)
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
    place, out, column = cx.function.args
    text = Cursor(cx, place)
    made = cx.local(I64, _day_us(text, column))
    made.add(cx.b.mul(_seconds_of_day(text), i64(SECOND_US)))
    with cx.b.if_then(text.is_at("."), likely=True):
        text.step()
        made.add(_fraction(text))
    made.set(cx.b.sub(made.value, _offset_us(text, made.value)))
    cx.b.store(made.value, out)
    cx.b.ret(text.place)


def _day_us(text: Cursor, column: ll.Value) -> ll.Value:
    """The microsecond with which a day begins, and what stands behind the day is read too."""
    cx = text.cx
    made = cx.local(I64, cx.load_field(column, TextColumn, "day_us"))
    with cx.b.if_then(cx.b.not_(_is_known_day(text, column)), likely=False):
        _read_day(text, made)
        cx.store_field(_word(text), column, TextColumn, "day_head")
        cx.store_field(_word(text, _TAIL), column, TextColumn, "day_tail")
        cx.store_field(made.value, column, TextColumn, "day_us")
    text.step(_DAY_BYTES)
    return made.value


def _is_known_day(text: Cursor, column: ll.Value) -> ll.Value:
    """Whether the day at the place is the one that was read last."""
    cx = text.cx
    head, tail = (cx.load_field(column, TextColumn, name) for name in ("day_head", "day_tail"))
    same_head = cx.b.icmp_signed("==", _word(text), head)
    return cx.b.and_(same_head, cx.b.icmp_signed("==", _word(text, _TAIL), tail))


def _read_day(text: Cursor, made: Local) -> None:
    """A day that is not the remembered one; the cursor stays where it is."""
    cx, out = text.cx, text.cx.stack(I64)
    ahead = Cursor(cx, text.place)
    ahead.follow(reader(cx.module, "text.date", _build_date, PTR), out)
    ahead.expect("T", " ")
    made.set(cx.b.mul(cx.b.load(out, typ=I64), i64(DAY_US)))


def _word(text: Cursor, offset: int = 0) -> ll.Value:
    return text.cx.b.load(text.cx.at(text.place, offset), typ=I64, align=1)


def _seconds_of_day(text: Cursor) -> ll.Value:
    is_clock, seconds = _clock_word(text)
    text.demand(is_clock)
    text.step(WORD_DIGITS)
    return seconds


def _clock_word(text: Cursor) -> tuple[ll.Value, ll.Value]:
    """Whether hh:mm:ss is at the place, all of it in one word, and its seconds."""
    cx = text.cx
    # As if the colons were zeros; what became a zero otherwise is noticed.
    digits = cx.b.xor(_word(text), i64(_COLON_PLACES & (ord(":") ^ ord("0")) * 0x0101010101010101))
    zeros = cx.b.and_(each_byte(ord("0")), i64(_COLON_PLACES))
    not_colons = cx.b.xor(cx.b.and_(digits, i64(_COLON_PLACES)), zeros)
    wrong = cx.b.or_(other_bits(cx, digits), not_colons)
    is_clock = cx.b.icmp_signed("==", wrong, i64(0))
    pairs = pairs_of(cx, cx.b.and_(digits, each_byte(0x0F)))
    hour, minute, second = (
        cx.b.and_(cx.b.lshr(pairs, i64(8 * place)), i64(0xFF)) for place in (0, 3, 6)
    )
    for part, most in ((hour, 23), (minute, 59), (second, 59)):
        is_clock = cx.b.and_(is_clock, cx.b.icmp_unsigned("<=", part, i64(most)))
    minutes = cx.b.add(cx.b.mul(hour, i64(60)), minute)
    return is_clock, cx.b.add(cx.b.mul(minutes, i64(60)), second)


def _fraction(text: Cursor) -> ll.Value:
    """One to nine digits behind a point, as microseconds; those beyond do not round."""
    cx = text.cx
    word = _word(text)
    count = leading_digits(cx, word)
    text.demand(cx.b.icmp_signed("!=", count, i64(0)))
    text.step(count)
    with cx.b.if_then(cx.b.icmp_signed("==", count, i64(WORD_DIGITS)), likely=False):
        text.step(cx.b.zext(text.digit()[1], I64))
    return _microseconds(cx, word, count)


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


def _offset_us(text: Cursor, local: ll.Value) -> ll.Value:
    """What a zone is ahead of UTC: Z, +hh:mm, -hh:mm, or none, at a local time."""
    cx = text.cx
    made = cx.local(I64, i64(0))
    with cx.b.if_else(text.is_at("+", "-")) as (offset, other):
        with offset:
            is_minus = text.is_at("-")
            text.step()
            ahead = cx.b.mul(_clock(text, _MOST_OFFSET_HOURS), i64(60 * SECOND_US))
            made.set(cx.b.select(is_minus, cx.b.neg(ahead), ahead))
        with other:
            is_utc = text.is_at("Z")
            text.step(cx.b.zext(is_utc, I64))
            made.set(cx.b.select(is_utc, i64(0), _unwritten_offset(cx, local)))
    return made.value


_ZONES: WeakKeyDictionary[ll.Module, Zone] = WeakKeyDictionary()


def read_in_zone(module: ll.Module, zone: Zone | None) -> None:
    """Times that are written without a zone are in this one; in UTC where none is told."""
    if zone is not None:
        _ZONES[module] = zone


def _unwritten_offset(cx: KernelContext, local: ll.Value) -> ll.Value:
    """What the zone of the reader is ahead of UTC at a local time."""
    zone = _ZONES.get(cx.module)
    return i64(0) if zone is None else zone_offset_of_local(cx, zone, local)
