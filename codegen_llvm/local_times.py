"""Functions of timestamps in a time zone, in generated code.

The changes of a zone are a constant of the module, with those of one cycle of its rules, 400
years: later times are looked up that much earlier. For each stretch of about a hundred days the
number of the span that it begins in is a constant, too, so that there is no search.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256

from llvmlite import ir as ll

from codegen_llvm.arithmetic import checked, lossy
from codegen_llvm.builder import I32, I64, I128, PTR, KernelContext, i64, shared_function
from codegen_llvm.civil import floor_divide
from codegen_llvm.values import Value, any_null
from ir import Call
from ir.calendar import DAY_US, SECOND_US, days_of
from ir.expr import constant
from ir.zones import CYCLE_US, Zone, zone_of

_STRETCH_BITS = 43  # of microseconds: 102 days, so that most have one change at most
_CYCLE_YEARS = 400
_OVERFLOW = "DATETIME_OVERFLOW"
_FAR = 1 << 61  # further than any change; twice that can be added to it without an overflow


def changes_of(zone: Zone) -> list[tuple[int, int]]:
    """Seconds in which a zone changes, each with the offset behind it, of one cycle of rules."""
    made = list(zip(zone.changes_s, zone.offsets_s[1:], strict=True))
    if zone.rules:
        made += zone.by_rules(zone.last_year, zone.last_year + _CYCLE_YEARS + 3)
    return made


def end_of(zone: Zone) -> int | None:
    """The second where the cycle begins again: behind it, times are looked up a cycle earlier."""
    if not zone.rules:
        return None
    day = days_of(zone.last_year + 2 + _CYCLE_YEARS, 1, 1)
    assert day is not None
    return day * DAY_US // SECOND_US


@dataclass(frozen=True)
class _Table:
    """The changes of a zone that generated code knows."""

    zone: Zone

    @cached_property
    def changes(self) -> tuple[tuple[int, int], ...]:
        """The instants in microseconds, each with the offset behind it."""
        changes = changes_of(self.zone)
        return tuple((when * SECOND_US, offset * SECOND_US) for when, offset in changes)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The offset of each span."""
        return (self.zone.offsets_s[0] * SECOND_US, *(offset for _, offset in self.changes))

    @cached_property
    def instants(self) -> tuple[int, ...]:
        """Where each span but the first begins."""
        return tuple(when for when, _ in self.changes)

    @cached_property
    def walls(self) -> tuple[int, ...]:
        """The same in local time: one that comes twice, or never, is of the span before."""
        pairs = zip(self.instants, self.offsets, self.offsets[1:], strict=False)
        return tuple(when + max(before, after) for when, before, after in pairs)

    @property
    def end(self) -> int | None:
        """The same as `end_of`, in microseconds."""
        end = end_of(self.zone)
        return None if end is None else end * SECOND_US

    @cached_property
    def name(self) -> str:
        """Another for other changes."""
        return sha256(repr((self.offsets, self.instants, self.end)).encode()).hexdigest()[:16]


@lru_cache(64)
def _table(zone: Zone) -> _Table:
    return _Table(zone)


def lower_local_date(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The day: days and time of day are taken apart first, so that nothing overflows."""
    days, _, later = _apart(cx, call, args[1].payload)
    return Value(call.type, cx.b.trunc(cx.b.add(days, later), I32), args[1].null)


def lower_local_time(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The time of day."""
    _, time, later = _apart(cx, call, args[1].payload)
    return Value(call.type, cx.b.sub(time, cx.b.mul(later, i64(DAY_US))), args[1].null)


def _apart(cx: KernelContext, call: Call, moment: ll.Value) -> tuple[ll.Value, ll.Value, ll.Value]:
    """Days in UTC, the time of day with the offset, and how many days that is later: -1, 0, 1."""
    b = cx.b
    days = floor_divide(cx, moment, DAY_US)
    time = b.add(b.sub(moment, b.mul(days, i64(DAY_US))), _offset(cx, call, moment))
    before = b.zext(b.icmp_signed("<", time, i64(0)), I64)
    after = b.zext(b.icmp_signed(">=", time, i64(DAY_US)), I64)
    return days, time, b.sub(after, before)


def lower_to_local(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """What calendars and clocks show."""
    moment = args[1]
    local, lost = checked(cx, "sadd", moment.payload, _offset(cx, call, moment.payload))
    return _bounded(cx, call, Value(call.type, local, moment.null), lost)


def lower_from_local(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """The instant of a local time, with the offset of another instant if there may be two."""
    local, *near = args[1:]
    null = any_null(cx, *args[1:])
    offset = _called(cx, call, "offset_of_local", _build_offset_of_local, local.payload)
    if near:
        offset = _rather(cx, call, local.payload, near[0].payload, offset)
    moment, lost = checked(cx, "ssub", local.payload, offset)
    return _bounded(cx, call, Value(call.type, moment, null), lost)


def _rather(
    cx: KernelContext, call: Call, local: ll.Value, near: ll.Value, offset: ll.Value
) -> ll.Value:
    """The offset of another instant, if the local time is one with that offset."""
    wanted = _offset(cx, call, near)
    moment, lost = checked(cx, "ssub", local, wanted)
    there = cx.b.icmp_signed("==", _offset(cx, call, moment), wanted)
    return cx.b.select(cx.b.and_(there, cx.b.not_(lost)), wanted, offset)


def lower_day_start(cx: KernelContext, call: Call, args: list[Value]) -> Value:
    """Midnight, or where clocks go forward."""
    day, *near = args[1:]
    days = cx.b.sext(day.payload, I128)
    wide = cx.b.mul(days, ll.Constant(I128, DAY_US))
    local = cx.b.trunc(wide, I64)
    lost = cx.b.icmp_signed("!=", cx.b.sext(local, I128), wide)
    offset = _called(cx, call, "offset_of_midnight", _build_offset_of_midnight, local)
    if near:
        offset = _rather(cx, call, local, near[0].payload, offset)
    moment, too_far = checked(cx, "ssub", local, offset)
    made = Value(call.type, moment, any_null(cx, *args[1:]))
    return _bounded(cx, call, made, cx.b.or_(lost, too_far))


def _offset(cx: KernelContext, call: Call, moment: ll.Value) -> ll.Value:
    """What the zone is ahead of UTC by at an instant, in microseconds."""
    return _called(cx, call, "offset", _build_offset, moment)


def zone_key(zone: Zone) -> str:
    """Another for zones with other changes."""
    return _table(zone).name


def zone_offset(cx: KernelContext, zone: Zone, moment: ll.Value) -> ll.Value:
    """What the zone is ahead of UTC by at an instant, in microseconds."""
    return _of_zone(cx, zone, "offset", _build_offset, moment)


def zone_offset_of_local(cx: KernelContext, zone: Zone, local: ll.Value) -> ll.Value:
    """What the zone is ahead of UTC by at a local time, in microseconds."""
    return _of_zone(cx, zone, "offset_of_local", _build_offset_of_local, local)


_Build = Callable[[KernelContext, _Table], None]


def _called(cx: KernelContext, call: Call, name: str, build: _Build, value: ll.Value) -> ll.Value:
    return _of_zone(cx, zone_of(constant(call, 0)), name, build, value)


def _of_zone(cx: KernelContext, zone: Zone, name: str, build: _Build, value: ll.Value) -> ll.Value:
    """A function of the zone, or what it is for all times."""
    if not zone.changes_s:
        return i64(zone.offsets_s[0] * SECOND_US)
    table = _table(zone)
    full = f"zone.{table.name}.{name}"
    function = shared_function(cx.module, full, I64, (I64,), lambda inner: build(inner, table))
    # Nothing but the argument decides, so LLVM computes it once for the same argument.
    function.attributes.add("readnone")
    function.attributes.add("nounwind")
    return cx.b.call(function, [value])


def _build_offset(cx: KernelContext, table: _Table) -> None:
    span, _ = _span(cx, table, table.instants, "instants", cx.function.args[0])
    cx.b.ret(_offset_of_span(cx, table, span))


def _build_offset_of_local(cx: KernelContext, table: _Table) -> None:
    span, _ = _span(cx, table, table.walls, "walls", cx.function.args[0])
    cx.b.ret(_offset_of_span(cx, table, span))


def _build_offset_of_midnight(cx: KernelContext, table: _Table) -> None:
    """In a gap, that which leads to the change itself: its instant is where the day begins."""
    (local,) = cx.function.args
    span, early = _span(cx, table, table.walls, "walls", local)
    offset = _offset_of_span(cx, table, span)
    data = _words(cx, table, "instants", _bounds(table.instants))
    behind = cx.b.load(cx.element(data, cx.b.add(span, i64(1)), I64), typ=I64)
    for far, is_beyond in ((-_FAR, "<"), (_FAR, ">")):
        early = cx.b.select(cx.b.icmp_signed(is_beyond, early, i64(far)), i64(far), early)
    to_change = cx.b.sub(early, behind)
    cx.b.ret(cx.b.select(cx.b.icmp_signed(">", to_change, offset), to_change, offset))


def _span(
    cx: KernelContext, table: _Table, starts: tuple[int, ...], name: str, time: ll.Value
) -> tuple[ll.Value, ll.Value]:
    """The number of the span that a time is in, and the time where the table has it."""
    low = starts[0] - 1
    early = time if table.end is None else _within_cycle(cx, table.end, time)
    known = cx.b.select(cx.b.icmp_signed(">", early, i64(low)), early, i64(low))
    if table.end is None:
        last = i64(starts[-1])
        known = cx.b.select(cx.b.icmp_signed("<", known, last), known, last)
    high = starts[-1] if table.end is None else table.end
    first = range(low, high + 1, 1 << _STRETCH_BITS)
    numbers = [bisect_right(starts, when) for when in first]
    stretches = _packed(cx, f"zone.{table.name}.{name}.stretches", "H", numbers)
    stretch = cx.b.lshr(cx.b.sub(known, i64(low)), i64(_STRETCH_BITS))
    number = cx.b.load(cx.element(stretches, stretch, ll.IntType(16)), typ=ll.IntType(16))
    data = _words(cx, table, name, _bounds(starts))
    span = cx.local(I64, cx.b.zext(number, I64))
    with cx.forever("span") as found:
        behind = cx.b.load(cx.element(data, cx.b.add(span.value, i64(1)), I64), typ=I64)
        cx.branch_if(cx.b.icmp_signed("<", known, behind), found)
        span.add(i64(1))
    return span.value, early


def _within_cycle(cx: KernelContext, end: int, time: ll.Value) -> ll.Value:
    """The time, or of one behind the table, that so many cycles earlier that it is within."""
    made = cx.local(I64, time)
    with cx.b.if_then(cx.b.icmp_signed(">=", time, i64(end)), likely=False):
        cycles = cx.b.add(cx.b.udiv(cx.b.sub(time, i64(end)), i64(CYCLE_US)), i64(1))
        made.set(cx.b.sub(time, cx.b.mul(cycles, i64(CYCLE_US))))
    return made.value


def _offset_of_span(cx: KernelContext, table: _Table, span: ll.Value) -> ll.Value:
    data = _words(cx, table, "offsets", table.offsets)
    return cx.b.load(cx.element(data, span, I64), typ=I64)


def _bounds(starts: tuple[int, ...]) -> tuple[int, ...]:
    return (-2 * _FAR, *starts, 2 * _FAR)


def _words(cx: KernelContext, table: _Table, name: str, words: tuple[int, ...]) -> ll.Value:
    return _packed(cx, f"zone.{table.name}.{name}", "q", words)


def _packed(
    cx: KernelContext, name: str, form: str, values: tuple[int, ...] | list[int]
) -> ll.Value:
    """The address of constants that a module has once."""
    made = cx.module.globals.get(name)
    if made is None:
        data = struct.pack(f"<{len(values)}{form}", *values)
        array = ll.Constant(ll.ArrayType(ll.IntType(8), len(data)), bytearray(data))
        made = ll.GlobalVariable(cx.module, array.type, name)
        made.linkage, made.global_constant, made.initializer = "internal", True, array
        made.align = 8
    return ll.FormattedConstant(PTR, made.get_reference())


def _bounded(cx: KernelContext, call: Call, made: Value, lost: ll.Value) -> Value:
    return lossy(cx, call, made, lost, _OVERFLOW, legacy_is_null=True)


LOCAL_LOWERINGS: dict[str, Callable[[KernelContext, Call, list[Value]], Value]] = {
    "local_date": lower_local_date,
    "local_time": lower_local_time,
    "to_local": lower_to_local,
    "from_local": lower_from_local,
    "day_start": lower_day_start,
}
