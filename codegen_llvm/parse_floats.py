"""Floats from text, in generated code: Java's syntax, C's rounding.

What is read is written anew without a point, for the point of C's functions is the locale's.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.print_digits import write_integer
from codegen_llvm.scanning import Scanner, local, parsed_by, return_if, succeed
from codegen_llvm.values import Value
from ir.parsing import INFINITE_WORDS

# No float is decided by more digits than these, but by whether there are others behind.
_MOST_DIGITS = 800
_BUFFER_BYTES = 840
_MOST_EXPONENT = 100_000  # beyond, all numbers of so many digits are infinite or zero
_LONGEST_EXPONENT = 100_000_000
# Products and quotients of such numbers are rounded once: digits and powers of ten are exact.
_EXACT: dict[str, tuple[int, int]] = {"strtod": (15, 22), "strtof": (7, 10)}


def parse_float(cx: KernelContext, text: Value, type_: ll.Type) -> tuple[ll.Value, ll.Value]:
    """The float of a text, and how reading it ended."""
    reader = "strtod" if isinstance(type_, ll.DoubleType) else "strtof"

    def build(inner: KernelContext) -> None:
        _build(inner, reader, type_)

    function = shared_function(cx.module, f"parse.{reader}", I32, (PTR, I64, PTR), build)
    return parsed_by(cx, function, text, type_)


def read_text(cx: KernelContext, reader: str, type_: ll.Type, text: ll.Value) -> ll.Value:
    """C's reading of a number that ends with a zero byte."""
    return cx.b.call(cx.external(reader, type_, PTR, PTR), [text, ll.Constant(PTR, None)])


def _build(cx: KernelContext, reader: str, type_: ll.Type) -> None:
    out = cx.function.args[2]
    text = Scanner.of_function(cx)
    text.trim(controls=False)
    nan = ll.Constant(type_, float("nan"))
    _return_word(cx, text.is_word("nan"), nan)
    is_signed, is_minus = text.sign()
    for word in INFINITE_WORDS:
        infinity = ll.Constant(type_, float("inf"))
        size = cx.b.select(is_minus, ll.Constant(type_, float("-inf")), infinity)
        _return_word(cx, text.is_word(word), size)
    _return_word(cx, cx.b.and_(is_signed, _is_nan(cx, text)), ll.Constant(type_, float("nan")))
    digits = _Digits.read(cx, text)
    _return_exact(cx, digits, is_minus, reader, type_)
    made = read_text(cx, reader, type_, digits.finished())
    succeed(cx, cx.b.select(is_minus, cx.b.fneg(made), made), out)


def _return_word(cx: KernelContext, met: ll.Value, value: ll.Value) -> None:
    with cx.b.if_then(met):
        succeed(cx, value, cx.function.args[2])


def _is_nan(cx: KernelContext, text: Scanner) -> ll.Value:
    """Behind a sign, Java wants this word in just this case."""
    met = cx.b.icmp_signed("==", text.left(), i64(3))
    exact = cx.local(I1, ll.Constant(I1, 0))
    with cx.b.if_then(met):
        memcmp = cx.external("memcmp", I32, PTR, PTR, I64)
        order = cx.b.call(memcmp, [text.here(), cx.constant_bytes(b"NaN"), i64(3)])
        exact.set(cx.b.icmp_signed("==", order, ll.Constant(I32, 0)))
    return exact.value


@dataclass
class _Digits:
    """The digits of a number in a buffer, and the power that belongs to them."""

    cx: KernelContext
    buffer: ll.Value
    size: Local  # of what is in the buffer
    count: Local  # digits from the first that is not 0
    small: Local  # the number that they are, if it is small
    power: Local
    is_hex: ll.Value

    @classmethod
    def read(cls, cx: KernelContext, text: Scanner) -> _Digits:
        """Read a number to its end, or return from the function."""
        buffer = cx.stack(ll.ArrayType(I8, _BUFFER_BYTES))
        is_hex = _starts_hex(cx, text)
        made = cls(cx, buffer, local(cx), local(cx), local(cx), local(cx), is_hex)
        with cx.b.if_then(is_hex):
            text.step(2)
            made.append(b"0x")
        made._read_mantissa(text)
        made._read_exponent(text)
        with cx.b.if_then(text.is_any(text.peek(), "fFdD")):
            text.step()
        return_if(cx, cx.b.not_(text.at_end()))
        return made

    def append(self, data: bytes) -> None:
        """Write constant bytes behind the others."""
        self.cx.copy_bytes(
            self.cx.at(self.buffer, self.size.value), self.cx.constant_bytes(data), i64(len(data))
        )
        self.size.add(i64(len(data)))

    def finished(self) -> ll.Value:
        """The buffer with all that C wants to read."""
        cx = self.cx
        with cx.b.if_then(cx.b.icmp_signed("==", self.count.value, i64(0))):
            self.append(b"0")
        with cx.b.if_else(self.is_hex) as (hexadecimal, decimal):
            with hexadecimal:
                self.append(b"p")
            with decimal:
                self.append(b"e")
        limit, power = i64(_MOST_EXPONENT), self.power.value
        power = cx.b.select(cx.b.icmp_signed(">", power, limit), limit, power)
        least = cx.b.neg(limit)
        power = cx.b.select(cx.b.icmp_signed("<", power, least), least, power)
        self.size.add(write_integer(cx, cx.at(self.buffer, self.size.value), power))
        self.append(b"\0")
        return self.buffer

    def _read_mantissa(self, text: Scanner) -> None:
        """The point only changes the power; digits beyond the buffer count if one is not 0."""
        cx = self.cx
        found, lost = local(cx), local(cx)
        has_point = cx.local(I1, ll.Constant(I1, 0))
        step = cx.b.select(self.is_hex, i64(4), i64(1))
        with cx.forever("mantissa") as after:
            byte = text.peek()
            digit = self._digit(text, byte)
            is_digit = cx.b.icmp_signed(">=", digit, i64(0))
            is_point = cx.b.and_(text.is_any(byte, "."), cx.b.not_(has_point.value))
            cx.branch_if(cx.b.not_(cx.b.or_(is_digit, is_point)), after)
            has_point.set(cx.b.or_(has_point.value, is_point))
            with cx.b.if_then(is_digit):
                found.add(i64(1))
                self.power.add(cx.b.select(has_point.value, cx.b.neg(step), i64(0)))
                self._keep(byte, digit, lost, step)
            text.step()
        return_if(cx, cx.b.icmp_signed("==", found.value, i64(0)))
        with cx.b.if_then(cx.b.icmp_signed("!=", lost.value, i64(0))):
            self.append(b"1")
            self.power.add(cx.b.neg(step))

    def _keep(self, byte: ll.Value, digit: ll.Value, lost: Local, step: ll.Value) -> None:
        cx = self.cx
        begun = cx.b.icmp_signed("!=", self.count.value, i64(0))
        counts = cx.b.or_(begun, cx.b.icmp_signed("!=", digit, i64(0)))
        with cx.b.if_then(counts):
            room = cx.b.icmp_signed("<", self.count.value, i64(_MOST_DIGITS))
            with cx.b.if_else(room) as (kept, dropped):
                with kept:
                    place = cx.at(self.buffer, self.size.value)
                    cx.b.store(cx.b.trunc(byte, I8), place)
                    self.size.add(i64(1))
                    self.count.add(i64(1))
                    self.small.set(cx.b.add(cx.b.mul(self.small.value, i64(10)), digit))
                with dropped:
                    self.power.add(step)
                    lost.set(cx.b.or_(lost.value, digit))

    def _read_exponent(self, text: Scanner) -> None:
        """A hexadecimal number must have one: otherwise its last digits could be a suffix."""
        cx = self.cx
        byte = text.peek()
        decimal = cx.b.and_(text.is_any(byte, "eE"), cx.b.not_(self.is_hex))
        binary = cx.b.and_(text.is_any(byte, "pP"), self.is_hex)
        has_one = cx.b.or_(decimal, binary)
        return_if(cx, cx.b.and_(self.is_hex, cx.b.not_(has_one)))
        with cx.b.if_then(has_one):
            text.step()
            _, is_minus = text.sign()
            made, found = local(cx), local(cx)
            with cx.forever("exponent") as after:
                digit = text.digit()
                cx.branch_if(cx.b.icmp_signed("<", digit, i64(0)), after)
                longer = cx.b.add(cx.b.mul(made.value, i64(10)), digit)
                few = cx.b.icmp_signed("<", made.value, i64(_LONGEST_EXPONENT))
                made.set(cx.b.select(few, longer, made.value))
                found.add(i64(1))
                text.step()
            return_if(cx, cx.b.icmp_signed("==", found.value, i64(0)))
            self.power.add(cx.b.select(is_minus, cx.b.neg(made.value), made.value))

    def _digit(self, text: Scanner, byte: ll.Value) -> ll.Value:
        """The digit that a byte is, or -1."""
        cx = self.cx
        letter = cx.b.sub(cx.b.or_(byte, ll.Constant(I32, 0x20)), ll.Constant(I32, ord("a")))
        is_letter = cx.b.icmp_unsigned("<", letter, ll.Constant(I32, 6))
        value = cx.b.add(cx.b.zext(letter, I64), i64(10))
        return cx.b.select(cx.b.and_(is_letter, self.is_hex), value, text.digit())


def _starts_hex(cx: KernelContext, text: Scanner) -> ll.Value:
    met = cx.local(I1, ll.Constant(I1, 0))
    long = cx.b.icmp_signed(">=", text.left(), i64(2))
    with cx.b.if_then(cx.b.and_(text.is_any(text.peek(), "0"), long)):
        second = cx.b.zext(cx.b.load(cx.at(text.here(), 1), typ=I8), I32)
        met.set(text.is_any(second, "xX"))
    return met.value


def _return_exact(
    cx: KernelContext, digits: _Digits, is_minus: ll.Value, reader: str, type_: ll.Type
) -> None:
    """Few digits and a small power need one rounding, which the machine does."""
    most_digits, most_power = _EXACT[reader]
    few = cx.b.icmp_signed("<=", digits.count.value, i64(most_digits))
    power = digits.power.value
    size = cx.b.select(cx.b.icmp_signed("<", power, i64(0)), cx.b.neg(power), power)
    near = cx.b.icmp_signed("<=", size, i64(most_power))
    easy = cx.b.and_(cx.b.and_(few, near), cx.b.not_(digits.is_hex))
    with cx.b.if_then(easy):
        whole = cx.b.sitofp(digits.small.value, type_)
        table = float_powers(cx, type_)
        factor = cx.b.load(cx.element(table, size, type_), typ=type_)
        less = cx.b.icmp_signed("<", power, i64(0))
        made = cx.b.select(less, cx.b.fdiv(whole, factor), cx.b.fmul(whole, factor))
        succeed(cx, cx.b.select(is_minus, cx.b.fneg(made), made), cx.function.args[2])


def float_powers(cx: KernelContext, type_: ll.Type) -> ll.Value:
    """The address of a table of the powers of ten that a type of floats has exactly."""
    reader = "strtod" if isinstance(type_, ll.DoubleType) else "strtof"
    name, count = f"float.powers.{reader}", _EXACT[reader][1] + 1
    if name not in cx.module.globals:
        array = ll.Constant(ll.ArrayType(type_, count), [10.0**i for i in range(count)])
        made = ll.GlobalVariable(cx.module, array.type, name)
        made.linkage, made.global_constant, made.initializer = "private", True, array
    return ll.FormattedConstant(PTR, cx.module.globals[name].get_reference())
