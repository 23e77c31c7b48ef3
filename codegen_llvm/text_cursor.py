"""A place in a text in generated code, where a reader gives up by returning null.

The text ends with a line feed and padding. No reader goes over a line feed, so none asks
whether it is at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, i64, shared_function

NOWHERE = ll.Constant(PTR, None)
_LANES = 16
_WORD_BYTES = 8


class Cursor:
    """Generates reading from a place on, in a function that returns the place behind, or null."""

    def __init__(self, cx: KernelContext, place: ll.Value) -> None:
        self.cx = cx
        self._place = cx.local(PTR, place)

    @property
    def place(self) -> ll.Value:
        """The address."""
        return self._place.value

    def go(self, place: ll.Value) -> None:
        """Go to an address."""
        self._place.set(place)

    def step(self, by: int | ll.Value = 1) -> None:
        """Go on by some bytes."""
        self._place.set(self.cx.at(self.place, by))

    def byte(self, offset: int = 0) -> ll.Value:
        """A byte from the place on."""
        return self.cx.b.load(self.cx.at(self.place, offset), typ=I8)

    def is_at(self, *characters: str) -> ll.Value:
        """Whether one of these characters of ASCII is at the place."""
        return is_one_of(self.cx, self.byte(), *characters)

    def demand(self, condition: ll.Value) -> None:
        """Give up where a condition does not hold."""
        with self.cx.b.if_then(self.cx.b.not_(condition), likely=False):
            self.cx.b.ret(NOWHERE)

    def expect(self, *characters: str) -> None:
        """Go over one of these characters, or give up."""
        self.demand(self.is_at(*characters))
        self.step()

    def expect_word(self, word: str) -> None:
        """Go over a word, or give up."""
        self.expect_bytes(word.encode())

    def expect_bytes(self, known: bytes) -> None:
        """Go over these bytes, or give up."""
        self.demand(self.starts_with(known))
        self.step(len(known))

    def follow(self, function: ll.Function, *args: ll.Value) -> None:
        """Go on to where a function has come, or give up where it has."""
        place = self.cx.b.call(function, [self.place, *args])
        self.demand(self.cx.b.icmp_unsigned("!=", place, NOWHERE))
        self.go(place)

    def starts_with(self, word: bytes) -> ll.Value:
        """Whether these bytes are at the place, compared by words."""
        same: ll.Value = ll.Constant(I1, 1)
        for start in range(0, len(word), _WORD_BYTES):
            part = word[start : start + _WORD_BYTES]
            there = self.cx.b.load(self.cx.at(self.place, start), typ=I64, align=1)
            known = int.from_bytes(part, "little")
            if len(part) < _WORD_BYTES:
                there = self.cx.b.and_(there, i64((1 << 8 * len(part)) - 1))
            equal = self.cx.b.icmp_signed("==", there, ll.Constant(I64, known))
            same = self.cx.b.and_(same, equal)
        return same

    def skip_spaces(self) -> None:
        """Go over spaces and tabs."""
        with self.cx.forever("spaces") as after:
            self.cx.branch_if(self.cx.b.not_(self.is_at(" ", "\t")), after)
            self.step()

    def digit(self) -> tuple[ll.Value, ll.Value]:
        """The digit at the place as an i64, and whether it is one."""
        value = self.cx.b.sub(self.byte(), ll.Constant(I8, ord("0")))
        return self.cx.b.zext(value, I64), self.cx.b.icmp_unsigned("<", value, ll.Constant(I8, 10))

    def skip_digits(self) -> ll.Value:
        """Go over digits; how many there were."""
        start = self.place
        with self.cx.forever("digits") as after:
            self.cx.branch_if(self.cx.b.not_(self.digit()[1]), after)
            self.step()
        return distance(self.cx, start, self.place)


def is_one_of(cx: KernelContext, byte: ll.Value, *characters: str) -> ll.Value:
    """Whether a byte is one of these characters of ASCII."""
    met: ll.Value = ll.Constant(I1, 0)
    for character in characters:
        met = cx.b.or_(met, cx.b.icmp_signed("==", byte, ll.Constant(I8, ord(character))))
    return met


def distance(cx: KernelContext, begin: ll.Value, end: ll.Value) -> ll.Value:
    """The bytes between two addresses."""
    return cx.b.sub(cx.b.ptrtoint(end, I64), cx.b.ptrtoint(begin, I64))


def reader(
    module: ll.Module, name: str, build: Callable[[KernelContext], None], *more: ll.Type
) -> ll.Function:
    """A function from a place to the place behind what it has read, or null."""
    return shared_function(module, name, PTR, (PTR, *more), build)


def special_byte(module: ll.Module, characters: str) -> ll.Function:
    """From a place to the next of these characters, control character or byte beyond ASCII."""
    name = "text.special." + "".join(f"{ord(char):02x}" for char in characters)
    return reader(module, name, lambda cx: _build_special(cx, characters))


def _build_special(cx: KernelContext, characters: str) -> None:
    text = Cursor(cx, cx.function.args[0])
    with cx.forever("lanes") as after:
        bits = special_bits(cx, text.place, characters, _LANES)
        with cx.b.if_then(cx.b.icmp_unsigned("!=", bits, ll.Constant(bits.type, 0)), likely=True):
            first = cx.b.cttz(bits, ll.Constant(I1, 1))
            cx.b.ret(cx.at(text.place, cx.b.zext(first, I64)))
        text.step(_LANES)
        del after  # the padding has a line feed, so the loop ends by itself
    cx.b.unreachable()


def special_bits(cx: KernelContext, place: ll.Value, characters: str, lanes: int) -> ll.Value:
    """For each byte from a place on a bit: whether it is special.

    As signed numbers, those beyond ASCII are below the controls too.
    """
    kind = ll.VectorType(I8, lanes)

    def splat(value: int) -> ll.Constant:
        return ll.Constant(kind, [ll.Constant(I8, value)] * lanes)

    found = cx.b.load(place, typ=kind, align=1)
    met = cx.b.icmp_signed("<", found, splat(0x20))
    for char in characters:
        met = cx.b.or_(met, cx.b.icmp_signed("==", found, splat(ord(char))))
    return cx.b.bitcast(met, ll.IntType(lanes))


def wide_character(module: ll.Module) -> ll.Function:
    """Over one character of several bytes that is UTF-8 in its shortest form."""
    return reader(module, "text.wide", _build_wide)


def _build_wide(cx: KernelContext) -> None:
    text = Cursor(cx, cx.function.args[0])
    first = cx.b.zext(text.byte(), I32)
    second = cx.b.zext(text.byte(1), I32)
    low, high = ll.Constant(I32, 0x80), ll.Constant(I32, 0xBF)
    for lead, only, begin, end, more in _UTF8:
        inside = _between(cx, first, ll.Constant(I32, lead), ll.Constant(I32, only))
        with cx.b.if_then(inside):
            text.demand(_between(cx, second, ll.Constant(I32, begin), ll.Constant(I32, end)))
            for offset in range(2, more + 1):
                text.demand(_between(cx, cx.b.zext(text.byte(offset), I32), low, high))
            cx.b.ret(cx.at(text.place, more + 1))
    cx.b.ret(NOWHERE)


# First byte from and to, second byte from and to, bytes that follow the first.
_UTF8 = (
    (0xC2, 0xDF, 0x80, 0xBF, 1),
    (0xE0, 0xE0, 0xA0, 0xBF, 2),
    (0xE1, 0xEC, 0x80, 0xBF, 2),
    (0xED, 0xED, 0x80, 0x9F, 2),
    (0xEE, 0xEF, 0x80, 0xBF, 2),
    (0xF0, 0xF0, 0x90, 0xBF, 3),
    (0xF1, 0xF3, 0x80, 0xBF, 3),
    (0xF4, 0xF4, 0x80, 0x8F, 3),
)


def _between(cx: KernelContext, value: ll.Value, low: ll.Value, high: ll.Value) -> ll.Value:
    return cx.b.icmp_unsigned("<=", cx.b.sub(value, low), cx.b.sub(high, low))


def line_end(module: ll.Module) -> ll.Function:
    """From a place to the next line feed or carriage return."""
    return reader(module, "text.line_end", _build_line_end)


def _build_line_end(cx: KernelContext) -> None:
    text = Cursor(cx, cx.function.args[0])
    with cx.forever("line") as after:
        cx.branch_if(text.is_at("\n", "\r"), after)
        text.step()
    cx.b.ret(text.place)
