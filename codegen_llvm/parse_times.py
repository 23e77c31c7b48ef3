"""Dates and timestamps from text, in generated code: the forms that `ir.parsing_times` reads."""

from __future__ import annotations

import time
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I32, I64, I128, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.civil import Civil, days_from_civil, floor_divide, month_length
from codegen_llvm.local_times import zone_key, zone_offset, zone_offset_of_local
from codegen_llvm.parse_zones import WrittenZone
from codegen_llvm.region_table import region_table
from codegen_llvm.scanning import (
    AT_END,
    Scanner,
    in_range,
    local,
    parsed_by,
    return_if,
    succeed,
)
from codegen_llvm.values import Value
from ir import INT64
from ir.calendar import DAY_US, SECOND_US
from ir.regions import WrittenTimes
from ir.zones import CYCLE_US

Result = tuple[ll.Value, ll.Value]
_DATE_YEAR_DIGITS = (4, 7)
_TIME_YEAR_DIGITS = (4, 6)
_FRACTION_DIGITS = 6
_DAY_S = DAY_US // SECOND_US


def parse_date(cx: KernelContext, text: Value) -> Result:
    """The day of a text, and how reading it ended."""
    function = shared_function(cx.module, "parse.date", I32, (PTR, I64, PTR), _build_date)
    return parsed_by(cx, function, text, I32)


def parse_timestamp(cx: KernelContext, text: Value, times: WrittenTimes) -> Result:
    """The microsecond of a text, and how reading it ended."""

    def build(inner: KernelContext) -> None:
        _build_timestamp(inner, times)

    name = f"parse.timestamp.{zone_key(times.zone)}.{region_table(times.regions)}"
    function = shared_function(cx.module, name, I32, (PTR, I64, PTR), build)
    return parsed_by(cx, function, text, I64)


def _build_date(cx: KernelContext) -> None:
    text = Scanner.of_function(cx)
    text.trim(controls=True)
    _, is_minus = text.sign()
    month, day = local(cx, 1), local(cx, 1)
    year = _number(cx, text, *_DATE_YEAR_DIGITS)
    with cx.b.if_then(cx.b.not_(text.at_end())):
        _separator(cx, text, "-")
        month.set(_number(cx, text, 1, 2))
        with cx.b.if_then(cx.b.not_(text.at_end())):
            _separator(cx, text, "-")
            day.set(_number(cx, text, 1, 2))
            ends = cx.b.or_(text.at_end(), text.is_any(text.peek(), " T"))
            return_if(cx, cx.b.not_(ends))
    signed = cx.b.select(is_minus, cx.b.neg(year), year)
    days = _days(cx, Civil(signed, month.value, day.value))
    narrow = cx.b.trunc(days, I32)
    return_if(cx, cx.b.icmp_signed("!=", cx.b.sext(narrow, I64), days))
    succeed(cx, narrow, cx.function.args[2])


def _number(cx: KernelContext, text: Scanner, least: int, most: int) -> ll.Value:
    """A number of so many digits; otherwise the function ends."""
    value, count = text.number()
    return_if(cx, cx.b.not_(in_range(cx, count, least, most)))
    return value


def _separator(cx: KernelContext, text: Scanner, characters: str) -> None:
    """One of these characters; otherwise the function ends."""
    return_if(cx, cx.b.not_(text.is_any(text.peek(), characters)))
    text.step()


def _days(cx: KernelContext, date: Civil) -> ll.Value:
    """Days since 1970 of a date that exists; otherwise the function ends."""
    return_if(cx, cx.b.not_(in_range(cx, date.month, 1, 12)))
    length = month_length(cx, date.year, date.month)
    return_if(cx, cx.b.icmp_signed("<", date.day, i64(1)))
    return_if(cx, cx.b.icmp_signed(">", date.day, length))
    return days_from_civil(cx, date)


@dataclass
class _Parts:
    """The parts of a timestamp, and the blocks of code that read the later ones."""

    cx: KernelContext
    text: Scanner
    times: WrittenTimes
    done: ll.Block
    year: Local
    month: Local
    day: Local
    hour: Local
    minute: Local
    second: Local
    micros: Local
    zone: WrittenZone
    has_zone: Local
    is_only_time: Local

    @classmethod
    def of(cls, cx: KernelContext, text: Scanner, times: WrittenTimes) -> _Parts:
        done = cx.b.append_basic_block("done")
        return cls(
            cx,
            text,
            times,
            done,
            year=local(cx, 1),
            month=local(cx, 1),
            day=local(cx, 1),
            hour=local(cx),
            minute=local(cx),
            second=local(cx),
            micros=local(cx),
            zone=WrittenZone.none(cx),
            has_zone=cx.local(I1, ll.Constant(I1, 0)),
            is_only_time=cx.local(I1, ll.Constant(I1, 0)),
        )

    def read_date(self, clock: ll.Block, minutes: ll.Block) -> None:
        """Up to the time; a time without a date may begin as well."""
        cx, text = self.cx, self.text
        is_signed, is_minus = text.sign()
        value, count = text.number()
        separator = text.peek()
        only_time = cx.b.and_(text.is_any(separator, ":"), cx.b.not_(is_signed))
        with cx.b.if_then(only_time):
            return_if(cx, cx.b.not_(in_range(cx, count, 1, 2)))
            self.hour.set(value)
            self.is_only_time.set(ll.Constant(I1, 1))
            text.step()
            cx.b.branch(minutes)
        return_if(cx, cx.b.not_(in_range(cx, count, *_TIME_YEAR_DIGITS)))
        self.year.set(cx.b.select(is_minus, cx.b.neg(value), value))
        for part in (self.month, self.day):
            self._done_at_end()
            _separator(cx, text, "-")
            part.set(_number(cx, text, 1, 2))
        self._done_at_end()
        _separator(cx, text, " T")
        cx.b.branch(clock)

    def read_clock(self, clock: ll.Block, minutes: ll.Block) -> None:
        """Hours, minutes and seconds with a fraction, and a zone; each may end the text."""
        cx, text = self.cx, self.text
        cx.b.position_at_end(clock)
        self.hour.set(_number(cx, text, 1, 2))
        self._done_at_end()
        _separator(cx, text, ":")
        cx.b.branch(minutes)
        cx.b.position_at_end(minutes)
        self.minute.set(_number(cx, text, 1, 2))
        self._done_at_end()
        _separator(cx, text, ":")
        self.second.set(_number(cx, text, 1, 2))
        self._done_at_end()
        with cx.b.if_then(text.is_any(text.peek(), ".")):
            text.step()
            self.micros.set(_fraction(cx, text))
        self._done_at_end()
        self.zone.read(text, self.times.regions)
        self.has_zone.set(ll.Constant(I1, 1))
        cx.b.branch(self.done)

    def moment(self) -> ll.Value:
        """The microsecond since 1970, of 128 bits."""
        cx = self.cx
        for part, most in ((self.hour, 23), (self.minute, 59), (self.second, 59)):
            return_if(cx, cx.b.icmp_signed(">", part.value, i64(most)))
        days = cx.local(I64, _days(cx, Civil(self.year.value, self.month.value, self.day.value)))
        with cx.b.if_then(self.is_only_time.value, likely=False):
            days.set(self._today())
        minutes = cx.b.add(cx.b.mul(self.hour.value, i64(60)), self.minute.value)
        of_day = cx.b.add(cx.b.mul(minutes, i64(60)), self.second.value)
        second = cx.b.add(cx.b.mul(days.value, i64(_DAY_S)), of_day)
        second = cx.b.sub(second, self._ahead_at_local(second))
        wide = cx.b.mul(cx.b.sext(second, I128), ll.Constant(I128, SECOND_US))
        return cx.b.add(wide, cx.b.sext(self.micros.value, I128))

    def _today(self) -> ll.Value:
        """The day that calendars show now in the zone."""
        cx = self.cx
        clock = cx.external("clock_gettime", I32, I32, PTR)
        now = cx.stack(ll.ArrayType(I64, 2))
        cx.b.call(clock, [ll.Constant(I32, time.CLOCK_REALTIME), now])
        second = cx.b.load(now, typ=I64, align=8)
        ahead = cx.local(I64, self.zone.ahead_at(second))
        with cx.b.if_then(cx.b.not_(self.has_zone.value)):
            unwritten = zone_offset(cx, self.times.zone, cx.b.mul(second, i64(SECOND_US)))
            ahead.set(cx.b.sdiv(unwritten, i64(SECOND_US)))
        return floor_divide(cx, cx.b.add(second, ahead.value), _DAY_S)

    def _ahead_at_local(self, second: ll.Value) -> ll.Value:
        """How many seconds the zone is ahead of UTC; of years that no moment has, some number."""
        cx = self.cx
        ahead = cx.local(I64, self.zone.ahead_at_local(second))
        with cx.b.if_then(cx.b.not_(self.has_zone.value)):
            unwritten = zone_offset_of_local(cx, self.times.zone, _narrowed(cx, second))
            ahead.set(cx.b.sdiv(unwritten, i64(SECOND_US)))
        return ahead.value

    def _done_at_end(self) -> None:
        byte = self.text.peek()
        self.cx.branch_if(self.cx.b.icmp_signed("==", byte, ll.Constant(I32, AT_END)), self.done)


def _narrowed(cx: KernelContext, second: ll.Value) -> ll.Value:
    """The microsecond; of one behind 64 bits, that of 400 years before, with the same offset."""
    most = INT64.high // SECOND_US
    made = cx.local(I64, second)
    with cx.b.if_then(cx.b.icmp_signed(">", second, i64(most)), likely=False):
        earlier = cx.b.sub(second, i64(CYCLE_US // SECOND_US))
        too_late = cx.b.icmp_signed(">", earlier, i64(most))
        made.set(cx.b.select(too_late, i64(most), earlier))
    too_early = cx.b.icmp_signed("<", second, i64(-most))
    return cx.b.mul(cx.b.select(too_early, i64(-most), made.value), i64(SECOND_US))


def _build_timestamp(cx: KernelContext, times: WrittenTimes) -> None:
    text = Scanner.of_function(cx)
    text.trim(controls=True)
    return_if(cx, text.at_end())
    parts = _Parts.of(cx, text, times)
    clock, minutes = cx.b.append_basic_block("clock"), cx.b.append_basic_block("minutes")
    # A time may begin with T, but not behind a space.
    at_start = cx.b.icmp_signed("==", text.place.value, i64(0))
    with cx.b.if_then(cx.b.and_(at_start, text.is_any(text.peek(), "T"))):
        parts.is_only_time.set(ll.Constant(I1, 1))
        text.step()
        cx.b.branch(clock)
    parts.read_date(clock, minutes)
    parts.read_clock(clock, minutes)
    cx.b.position_at_end(parts.done)
    moment = parts.moment()
    narrow = cx.b.trunc(moment, I64)
    return_if(cx, cx.b.icmp_signed("!=", cx.b.sext(narrow, I128), moment))
    succeed(cx, narrow, cx.function.args[2])


def _fraction(cx: KernelContext, text: Scanner) -> ll.Value:
    """Digits as microseconds; what is beyond them is dropped."""
    made, count = local(cx), local(cx)
    with cx.forever("fraction") as after:
        digit = text.digit()
        cx.branch_if(cx.b.icmp_signed("<", digit, i64(0)), after)
        with cx.b.if_then(cx.b.icmp_signed("<", count.value, i64(_FRACTION_DIGITS))):
            made.set(cx.b.add(cx.b.mul(made.value, i64(10)), digit))
            count.add(i64(1))
        text.step()
    with cx.loop(count.value, i64(_FRACTION_DIGITS), "fill"):
        made.set(cx.b.mul(made.value, i64(10)))
    return made.value
