"""Reading text byte by byte in generated code: a place that moves from the start to the end.

The functions that parse return how it went, as a `Parsed`, and write what they read to an
address that they are given.
"""

from __future__ import annotations

from enum import IntEnum

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.values import Value

AT_END = -1  # in place of a byte
_SPACE, _DELETE = 0x20, 0x7F
_MOST_DIGITS_READ = 9  # of a number that is wrong if it has more


class Parsed(IntEnum):
    """How reading a text ended."""

    OK = 0
    INVALID = 1
    TOO_LARGE = 2  # a decimal that no type has
    TOO_MANY_DIGITS = 3  # a decimal that this type does not have
    OPEN = 4  # it names a region, and this machine has no rules of regions


class Scanner:
    """Generates the reading of one text, in a function that returns a `Parsed`."""

    def __init__(self, cx: KernelContext, data: ll.Value, begin: ll.Value, end: ll.Value) -> None:
        self.cx, self.data = cx, data
        self.place, self.end = cx.local(I64, begin), cx.local(I64, end)

    @classmethod
    def of_function(cls, cx: KernelContext) -> Scanner:
        """The text that a function gets as its first two arguments, address and size."""
        data, size = cx.function.args[:2]
        return cls(cx, data, i64(0), size)

    def trim(self, *, controls: bool) -> None:
        """Leave out spaces at both ends, and all below; `controls` also leaves out DEL."""
        with self.cx.forever("lead") as after:
            self.cx.branch_if(self.cx.b.not_(self._is_space(self.peek(), controls)), after)
            self.step()
        with self.cx.forever("trail") as after:
            is_empty = self.cx.b.icmp_signed(">=", self.place.value, self.end.value)
            self.cx.branch_if(is_empty, after)
            last = self._byte(self.cx.b.sub(self.end.value, i64(1)))
            self.cx.branch_if(self.cx.b.not_(self._is_space(last, controls)), after)
            self.end.add(i64(-1))

    def peek(self) -> ll.Value:
        """The byte at the place, as an i32; -1 at the end."""
        found = self.cx.local(I32, ll.Constant(I32, AT_END))
        inside = self.cx.b.icmp_signed("<", self.place.value, self.end.value)
        with self.cx.b.if_then(inside):
            found.set(self._byte(self.place.value))
        return found.value

    def step(self, by: int = 1) -> None:
        """Go on."""
        self.place.add(i64(by))

    def is_any(self, byte: ll.Value, characters: str) -> ll.Value:
        """Whether a byte is one of these characters of ASCII."""
        met: ll.Value = ll.Constant(I1, 0)
        for character in characters:
            known = ll.Constant(I32, ord(character))
            met = self.cx.b.or_(met, self.cx.b.icmp_signed("==", byte, known))
        return met

    def at_end(self) -> ll.Value:
        """Whether everything is read."""
        return self.cx.b.icmp_signed(">=", self.place.value, self.end.value)

    def left(self) -> ll.Value:
        """How many bytes are left."""
        return self.cx.b.sub(self.end.value, self.place.value)

    def here(self) -> ll.Value:
        """The address of the place."""
        return self.cx.at(self.data, self.place.value)

    def sign(self) -> tuple[ll.Value, ll.Value]:
        """Whether there is a sign, which is read, and whether it is a minus."""
        byte = self.peek()
        is_signed, is_minus = self.is_any(byte, "+-"), self.is_any(byte, "-")
        self.place.add(self.cx.b.zext(is_signed, I64))
        return is_signed, is_minus

    def number(self) -> tuple[ll.Value, ll.Value]:
        """Digits as an i64, and how many there are; wrong if these are more than nine."""
        value, count = self.cx.local(I64, i64(0)), self.cx.local(I64, i64(0))
        with self.cx.forever("digits") as after:
            digit = self.digit()
            self.cx.branch_if(self.cx.b.icmp_signed("<", digit, i64(0)), after)
            few = self.cx.b.icmp_signed("<", count.value, i64(_MOST_DIGITS_READ))
            longer = self.cx.b.add(self.cx.b.mul(value.value, i64(10)), digit)
            value.set(self.cx.b.select(few, longer, value.value))
            count.add(i64(1))
            self.step()
        return value.value, count.value

    def digit(self) -> ll.Value:
        """The digit at the place as an i64, which is not read yet; -1 if there is none."""
        value = self.cx.b.sub(self.peek(), ll.Constant(I32, ord("0")))
        is_digit = self.cx.b.icmp_unsigned("<", value, ll.Constant(I32, 10))
        return self.cx.b.select(is_digit, self.cx.b.zext(value, I64), i64(-1))

    def is_word(self, word: str) -> ll.Value:
        """Whether the rest is a word of ASCII, in any case."""
        function = shared_function(
            self.cx.module, "text.word", I1, (PTR, I64, PTR, I64), _build_is_word
        )
        known = self.cx.constant_bytes(word.encode())
        return self.cx.b.call(function, [self.here(), self.left(), known, i64(len(word))])

    def _byte(self, place: ll.Value) -> ll.Value:
        return self.cx.b.zext(self.cx.b.load(self.cx.at(self.data, place), typ=I8), I32)

    def _is_space(self, byte: ll.Value, controls: bool) -> ll.Value:
        """At the end there is none: as an unsigned number, it is the largest."""
        space = self.cx.b.icmp_unsigned("<=", byte, ll.Constant(I32, _SPACE))
        if not controls:
            return space
        delete = self.cx.b.icmp_signed("==", byte, ll.Constant(I32, _DELETE))
        return self.cx.b.or_(space, delete)


def return_if(cx: KernelContext, condition: ll.Value, parsed: Parsed = Parsed.INVALID) -> None:
    """End a function that parses."""
    with cx.b.if_then(condition):
        cx.b.ret(ll.Constant(I32, int(parsed)))


def succeed(cx: KernelContext, value: ll.Value, out: ll.Value) -> None:
    """End a function that parses with a value."""
    cx.b.store(value, out, align=8)
    cx.b.ret(ll.Constant(I32, int(Parsed.OK)))


def parsed_by(
    cx: KernelContext, function: ll.Function, text: Value, type_: ll.Type, *more: ll.Value
) -> tuple[ll.Value, ll.Value]:
    """Call a function that parses: the value, zero if there is none, and its `Parsed`."""
    out = cx.stack(type_)
    is_float = isinstance(type_, ll.FloatType | ll.DoubleType)
    cx.b.store(ll.Constant(type_, 0.0 if is_float else 0), out, align=8)
    size = cx.b.zext(text.length, I64)
    status = cx.b.call(function, [text.payload, size, *more, out])
    return cx.b.load(out, typ=type_, align=8), status


def is_status(cx: KernelContext, status: ll.Value, parsed: Parsed) -> ll.Value:
    """Whether parsing ended so."""
    return cx.b.icmp_signed("==", status, ll.Constant(I32, int(parsed)))


def in_range(cx: KernelContext, value: ll.Value, low: int, high: int) -> ll.Value:
    """Whether low <= value <= high."""
    shifted = cx.b.sub(value, i64(low))
    return cx.b.icmp_unsigned("<=", shifted, i64(high - low))


def _build_is_word(cx: KernelContext) -> None:
    text, size, word, wanted = cx.function.args
    with cx.b.if_then(cx.b.icmp_signed("!=", size, wanted)):
        cx.b.ret(ll.Constant(I1, 0))
    with cx.loop(i64(0), size, "letter") as index:
        byte = cx.b.load(cx.at(text, index), typ=I8)
        upper = cx.b.icmp_unsigned("<", cx.b.sub(byte, ll.Constant(I8, 65)), ll.Constant(I8, 26))
        lower = cx.b.select(upper, cx.b.add(byte, ll.Constant(I8, 32)), byte)
        other = cx.b.icmp_signed("!=", lower, cx.b.load(cx.at(word, index), typ=I8))
        with cx.b.if_then(other):
            cx.b.ret(ll.Constant(I1, 0))
    cx.b.ret(ll.Constant(I1, 1))


def local(cx: KernelContext, value: int = 0) -> Local:
    """A variable of 64 bits."""
    return cx.local(I64, i64(value))
