"""Time zones behind a written timestamp, in generated code: offsets, and names of regions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.region_table import region_table
from codegen_llvm.regions import find_region, region_offset, region_offset_of_local
from codegen_llvm.scanning import Parsed, Scanner, in_range, local, return_if, succeed
from ir.parsing_times import MOST_OFFSET_S, UTC_PREFIXES
from ir.regions import Regions

_REGION_MARKS = "~/._+-"


@dataclass(frozen=True)
class WrittenZone:
    """The zone of a text that is being read: that of a region, or an offset if that is null."""

    cx: KernelContext
    region: Local
    offset_s: Local

    @classmethod
    def none(cls, cx: KernelContext) -> WrittenZone:
        """UTC, as long as nothing is read."""
        return cls(cx, cx.local(PTR, ll.Constant(PTR, None)), local(cx))

    def read(self, text: Scanner, regions: Regions) -> None:
        """The rest of a text; the function ends if that is no zone."""
        cx, params = self.cx, (PTR, I64, I64, PTR, PTR)
        function = shared_function(
            cx.module,
            f"parse.zone.{region_table(regions)}",
            I32,
            params,
            lambda inner: _build_zone(inner, regions),
        )
        region, offset = cx.stack(PTR), cx.stack(I64)
        cx.b.store(ll.Constant(PTR, None), region, align=8)
        cx.b.store(i64(0), offset, align=8)
        args = [text.data, text.place.value, text.end.value, region, offset]
        status = cx.b.call(function, args)
        wrong = cx.b.icmp_signed("!=", status, ll.Constant(I32, int(Parsed.OK)))
        with cx.b.if_then(wrong):
            cx.b.ret(status)
        self.region.set(cx.b.load(region, typ=PTR, align=8))
        self.offset_s.set(cx.b.load(offset, typ=I64, align=8))

    def ahead_at(self, second: ll.Value) -> ll.Value:
        """How many seconds it is ahead of UTC at an instant."""
        return self._ahead(region_offset, second)

    def ahead_at_local(self, second: ll.Value) -> ll.Value:
        """The same at a local time."""
        return self._ahead(region_offset_of_local, second)

    def _ahead(
        self, of_region: Callable[[KernelContext, ll.Value, ll.Value], ll.Value], second: ll.Value
    ) -> ll.Value:
        cx, made = self.cx, self.cx.local(I64, self.offset_s.value)
        address = cx.b.ptrtoint(self.region.value, I64)
        with cx.b.if_then(cx.b.icmp_signed("!=", address, i64(0))):
            made.set(of_region(cx, self.region.value, second))
        return made.value


def _build_zone(cx: KernelContext, regions: Regions) -> None:
    data, begin, end, region, offset = cx.function.args
    text = Scanner(cx, data, begin, end)
    text.trim(controls=False)
    for name in ("Z", *UTC_PREFIXES):
        with cx.b.if_then(_is_exactly(cx, text, name)):
            succeed(cx, i64(0), offset)
    begin_of_name = text.place.value
    for prefix in UTC_PREFIXES:
        with cx.b.if_then(_is_before_offset(cx, text, prefix)):
            text.step(len(prefix))
    with cx.b.if_then(text.is_any(text.peek(), "+-")):
        succeed(cx, _offset(cx, text), offset)
    text.place.set(begin_of_name)
    _find(cx, text, regions, region)


def _find(cx: KernelContext, text: Scanner, regions: Regions, region: ll.Value) -> None:
    """A region, or the end of the function without one: there may be rules missing."""
    found = find_region(cx, regions, text.here(), text.left())
    with cx.b.if_then(cx.b.icmp_signed("!=", cx.b.ptrtoint(found, I64), i64(0))):
        succeed(cx, found, region)
    if not regions.are_known:
        return_if(cx, _is_region(cx, text), Parsed.OPEN)
    cx.b.ret(ll.Constant(I32, int(Parsed.INVALID)))


def _is_exactly(cx: KernelContext, text: Scanner, name: str) -> ll.Value:
    return _begins(cx, text, name, cx.b.icmp_signed("==", text.left(), i64(len(name))))


def _is_before_offset(cx: KernelContext, text: Scanner, prefix: str) -> ll.Value:
    """Whether the text begins with a name for UTC, and a sign follows."""
    longer = cx.b.icmp_signed(">", text.left(), i64(len(prefix)))
    met = cx.local(I1, ll.Constant(I1, 0))
    with cx.b.if_then(_begins(cx, text, prefix, longer)):
        following = cx.b.load(cx.at(text.here(), len(prefix)), typ=I8)
        met.set(text.is_any(cx.b.zext(following, I32), "+-"))
    return met.value


def _begins(cx: KernelContext, text: Scanner, name: str, long_enough: ll.Value) -> ll.Value:
    met = cx.local(I1, ll.Constant(I1, 0))
    with cx.b.if_then(long_enough):
        memcmp = cx.external("memcmp", I32, PTR, PTR, I64)
        known = cx.constant_bytes(name.encode())
        order = cx.b.call(memcmp, [text.here(), known, i64(len(name))])
        met.set(cx.b.icmp_signed("==", order, ll.Constant(I32, 0)))
    return met.value


def _offset(cx: KernelContext, text: Scanner) -> ll.Value:
    """A sign, and `h`, `hh`, `hhmm`, `hhmmss`, `h:mm`, `hh:mm:ss`, or `hh:m` at the end."""
    _, is_minus = text.sign()
    value, count = text.number()
    hour, minute, second = local(cx), local(cx), local(cx)
    with cx.b.if_else(text.at_end()) as (joined, apart):
        with joined:
            _split(cx, value, count, (hour, minute, second))
        with apart:
            hour.set(value)
            _wanted(cx, cx.b.and_(in_range(cx, count, 1, 2), text.is_any(text.peek(), ":")))
            text.step()
            value, count = text.number()
            minute.set(value)
            short = cx.b.and_(_equals(cx, count, 1), text.at_end())
            _wanted(cx, cx.b.or_(short, _equals(cx, count, 2)))
            with cx.b.if_then(cx.b.not_(text.at_end())):
                _wanted(cx, text.is_any(text.peek(), ":"))
                text.step()
                value, count = text.number()
                second.set(value)
                _wanted(cx, cx.b.and_(_equals(cx, count, 2), text.at_end()))
    for part in (minute, second):
        return_if(cx, cx.b.icmp_signed(">", part.value, i64(59)))
    minutes = cx.b.add(cx.b.mul(hour.value, i64(60)), minute.value)
    total = cx.b.add(cx.b.mul(minutes, i64(60)), second.value)
    return_if(cx, cx.b.icmp_signed(">", total, i64(MOST_OFFSET_S)))
    return cx.b.select(is_minus, cx.b.neg(total), total)


def _split(
    cx: KernelContext, value: ll.Value, count: ll.Value, parts: tuple[Local, Local, Local]
) -> None:
    """Digits without colons: one or two of the hour, then two for each."""
    hour, minute, second = parts
    few, four, six = in_range(cx, count, 1, 2), _equals(cx, count, 4), _equals(cx, count, 6)
    _wanted(cx, cx.b.or_(few, cx.b.or_(four, six)))
    hundreds, rest = cx.b.udiv(value, i64(100)), cx.b.urem(value, i64(100))
    minutes = cx.b.urem(hundreds, i64(100))
    with_six = cx.b.udiv(value, i64(10_000))
    hour.set(cx.b.select(few, value, cx.b.select(four, hundreds, with_six)))
    minute.set(cx.b.select(few, i64(0), cx.b.select(four, rest, minutes)))
    second.set(cx.b.select(six, rest, i64(0)))


def _is_region(cx: KernelContext, text: Scanner) -> ll.Value:
    """Whether a zone could be the name of a region: two characters or more, a letter first."""
    met = cx.local(I1, cx.b.icmp_signed(">=", text.left(), i64(2)))
    met.set(cx.b.and_(met.value, _is_letter(cx, text.peek())))
    with cx.forever("name") as after:
        cx.branch_if(text.at_end(), after)
        byte = text.peek()
        digit = cx.b.icmp_signed(">=", text.digit(), i64(0))
        legal = cx.b.or_(cx.b.or_(_is_letter(cx, byte), digit), text.is_any(byte, _REGION_MARKS))
        met.set(cx.b.and_(met.value, legal))
        text.step()
    return met.value


def _is_letter(cx: KernelContext, byte: ll.Value) -> ll.Value:
    place = cx.b.sub(cx.b.or_(byte, ll.Constant(I32, 0x20)), ll.Constant(I32, ord("a")))
    return cx.b.icmp_unsigned("<", place, ll.Constant(I32, 26))


def _equals(cx: KernelContext, value: ll.Value, known: int) -> ll.Value:
    return cx.b.icmp_signed("==", value, i64(known))


def _wanted(cx: KernelContext, condition: ll.Value) -> None:
    return_if(cx, cx.b.not_(condition))
