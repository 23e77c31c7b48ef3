"""The shortest digits of floats, in generated code, and floats as text.

C writes a number with as many digits as it is asked for, correctly rounded, and reads it
back. A decimal of 15 digits (6 of a float32) is always that of one float at most, so fewer
need not be tried: zeros at the end are left out instead. Only the least floats have fewer.

Most float64 that people write need no C: an integer of 15 digits and a power of ten whose
quotient is the float are its digits. Prices with two places then take a ninth of the time.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.parse_floats import float_powers, read_text
from codegen_llvm.print_digits import write_byte, write_digits, write_integer, write_unsigned
from codegen_llvm.scanning import local
from ir.printing import LEAST_PLAIN, MOST_PLAIN

DOUBLE, FLOAT = ll.DoubleType(), ll.FloatType()
MOST_FLOAT_BYTES = 32
_BUFFER_BYTES = 64
_DIGITS = ll.LiteralStructType([I64, I64])
# Between these, an exact power of ten makes an integer of 15 digits of a float.
_LEAST_QUOTIENT, _MOST_QUOTIENT = 1e-6, 1e15
_MOST_PLACES = 21  # and one less for each power from the -6th on that is reached


@dataclass(frozen=True)
class _Format:
    """What is known about a type of floats."""

    type: ll.Type
    reader: str
    sure_digits: int
    most_digits: int
    least_normal: float


_DOUBLE = _Format(DOUBLE, "strtod", 15, 17, 2.0**-1022)
_FLOAT = _Format(FLOAT, "strtof", 6, 9, 2.0**-126)


def shortest_digits(cx: KernelContext, size: ll.Value) -> tuple[ll.Value, ll.Value]:
    """The integer and the power of ten of the shortest decimal of a positive float."""
    form = _DOUBLE if size.type == DOUBLE else _FLOAT

    def build(inner: KernelContext) -> None:
        _build_shortest(inner, form)

    name = f"shortest.{form.reader}"
    function = shared_function(cx.module, name, _DIGITS, (form.type,), build)
    made = cx.b.call(function, [size])
    return cx.b.extract_value(made, 0), cx.b.extract_value(made, 1)


def write_float(cx: KernelContext, place: ll.Value, value: ll.Value) -> ll.Value:
    """Write a float as Java does; returns how many bytes."""
    name = f"write.{'double' if value.type == DOUBLE else 'float'}"
    function = shared_function(cx.module, name, I64, (PTR, value.type), _build_write)
    return cx.b.call(function, [place, value])


def _build_shortest(cx: KernelContext, form: _Format) -> None:
    (size,) = cx.function.args
    if form is _DOUBLE:
        _return_quotient(cx, size)
    buffer = cx.stack(ll.ArrayType(I8, _BUFFER_BYTES))
    is_normal = cx.b.fcmp_ordered(">=", size, ll.Constant(form.type, form.least_normal))
    digits = cx.local(I64, cx.b.select(is_normal, i64(form.sure_digits), i64(2)))
    with cx.forever("digits") as after:
        number, power = _written(cx, buffer, size, digits.value)
        for more in (0, 1):
            # Just above a power of two, the nearest decimal may be too low, and the next fits.
            candidate = cx.b.add(number, i64(more))
            back = _read_back(cx, form, buffer, candidate, power)
            with cx.b.if_then(cx.b.fcmp_ordered("==", back, size)):
                _return_digits(cx, candidate, power)
        cx.branch_if(cx.b.icmp_signed(">=", digits.value, i64(form.most_digits)), after)
        digits.add(i64(1))
    cx.b.unreachable()


def _return_quotient(cx: KernelContext, size: ll.Value) -> None:
    """The digits of a float that is an integer of 15 digits by an exact power of ten, if it is."""
    least, most = (ll.Constant(DOUBLE, limit) for limit in (_LEAST_QUOTIENT, _MOST_QUOTIENT))
    above = cx.b.fcmp_ordered(">=", size, least)
    with cx.b.if_then(cx.b.and_(above, cx.b.fcmp_ordered("<", size, most))):
        places: ll.Value = i64(_MOST_PLACES)
        for exponent in range(-6, 16):
            reached = cx.b.fcmp_ordered(">=", size, ll.Constant(DOUBLE, 10.0**exponent))
            places = cx.b.sub(places, cx.b.zext(reached, I64))
        factor = cx.b.load(cx.element(float_powers(cx, DOUBLE), places, DOUBLE), typ=DOUBLE)
        nearest = cx.external("llvm.rint.f64", DOUBLE, DOUBLE)
        whole = cx.b.call(nearest, [cx.b.fmul(size, factor)])
        few = cx.b.fcmp_ordered("<", whole, most)
        same = cx.b.fcmp_ordered("==", cx.b.fdiv(whole, factor), size)
        with cx.b.if_then(cx.b.and_(few, same)):
            _return_digits(cx, cx.b.fptosi(whole, I64), cx.b.neg(places))


def _return_digits(cx: KernelContext, number: ll.Value, power: ll.Value) -> None:
    """Without zeros at the end."""
    kept, exponent = cx.local(I64, number), cx.local(I64, power)
    with cx.forever("zeros") as after:
        rest = cx.b.urem(kept.value, i64(10))
        cx.branch_if(cx.b.icmp_signed("!=", rest, i64(0)), after)
        kept.set(cx.b.udiv(kept.value, i64(10)))
        exponent.add(i64(1))
    pair = cx.b.insert_value(ll.Constant(_DIGITS, ll.Undefined), kept.value, 0)
    cx.b.ret(cx.b.insert_value(pair, exponent.value, 1))


def _written(
    cx: KernelContext, buffer: ll.Value, size: ll.Value, digits: ll.Value
) -> tuple[ll.Value, ll.Value]:
    """So many digits as an integer, and its power of ten; whatever the locale's point is."""
    name = "snprintf"
    function = cx.module.globals.get(name)
    if function is None:
        kind = ll.FunctionType(I32, (PTR, I64, PTR), var_arg=True)
        function = ll.Function(cx.module, kind, name)
    wide = size if size.type == DOUBLE else cx.b.fpext(size, DOUBLE)
    behind = cx.b.trunc(cx.b.sub(digits, i64(1)), I32)
    form = cx.constant_bytes(b"%.*e\0")
    cx.b.call(function, [buffer, i64(_BUFFER_BYTES), form, behind, wide])
    number, count, place = local(cx), local(cx), local(cx)
    with cx.forever("read") as after:
        cx.branch_if(cx.b.icmp_signed("==", count.value, digits), after)
        byte = cx.b.load(cx.at(buffer, place.value), typ=I8)
        digit = cx.b.zext(cx.b.sub(byte, ll.Constant(I8, ord("0"))), I64)
        place.add(i64(1))
        with cx.b.if_then(cx.b.icmp_unsigned("<", digit, i64(10))):
            number.set(cx.b.add(cx.b.mul(number.value, i64(10)), digit))
            count.add(i64(1))
    behind_e = cx.at(buffer, cx.b.add(place.value, i64(1)))
    strtol = cx.external("strtol", I64, PTR, PTR, I32)
    exponent = cx.b.call(strtol, [behind_e, ll.Constant(PTR, None), ll.Constant(I32, 10)])
    return number.value, cx.b.sub(exponent, cx.b.sub(digits, i64(1)))


def _read_back(
    cx: KernelContext, form: _Format, buffer: ll.Value, number: ll.Value, power: ll.Value
) -> ll.Value:
    size = write_unsigned(cx, buffer, number)
    write_byte(cx, cx.at(buffer, size), "e")
    behind_e = cx.at(buffer, cx.b.add(size, i64(1)))
    end = cx.at(behind_e, write_integer(cx, behind_e, power))
    cx.b.store(ll.Constant(I8, 0), end)
    return read_text(cx, form.reader, form.type, buffer)


def _build_write(cx: KernelContext) -> None:
    place, value = cx.function.args
    is_nan = cx.b.fcmp_unordered("uno", value, value)
    with cx.b.if_then(is_nan):
        _return_text(cx, place, i64(0), b"NaN")
    bits = cx.b.bitcast(value, I64 if value.type == DOUBLE else I32)
    negative = cx.b.icmp_signed("<", bits, ll.Constant(bits.type, 0))
    with cx.b.if_then(negative):
        write_byte(cx, place, "-")
    sign = cx.b.zext(negative, I64)
    size = cx.b.select(negative, cx.b.fneg(value), value)
    for known, text in ((0.0, b"0.0"), (float("inf"), b"Infinity")):
        with cx.b.if_then(cx.b.fcmp_ordered("==", size, ll.Constant(value.type, known))):
            _return_text(cx, place, sign, text)
    number, power = shortest_digits(cx, size)
    buffer = cx.stack(ll.ArrayType(I8, MOST_FLOAT_BYTES))
    count = write_unsigned(cx, buffer, number)
    point = cx.b.add(count, power)  # digits before the point
    end = cx.local(I64, sign)
    writer = _Writer(cx, place, buffer, count, end)
    writer.write(point)
    cx.b.ret(end.value)


def _return_text(cx: KernelContext, place: ll.Value, sign: ll.Value, text: bytes) -> None:
    cx.copy_bytes(cx.at(place, sign), cx.constant_bytes(text), i64(len(text)))
    cx.b.ret(cx.b.add(sign, i64(len(text))))


@dataclass
class _Writer:
    """Writes the digits of a float around its point."""

    cx: KernelContext
    place: ll.Value
    digits: ll.Value
    count: ll.Value
    end: Local

    def write(self, point: ll.Value) -> None:
        """Plainly, or with an exponent where Java has one."""
        cx = self.cx
        above = cx.b.icmp_signed(">", point, i64(LEAST_PLAIN))
        plain = cx.b.and_(above, cx.b.icmp_signed("<=", point, i64(MOST_PLAIN)))
        with cx.b.if_else(plain) as (plainly, scientific):
            with plainly:
                self._zeros_and_digits(point)
            with scientific:
                self._around_point(i64(1))
                self._put("E")
                self._advance(write_integer(cx, self._here(), cx.b.sub(point, i64(1))))

    def _zeros_and_digits(self, point: ll.Value) -> None:
        cx = self.cx
        small = cx.b.icmp_signed("<=", point, i64(0))
        with cx.b.if_else(small) as (below_one, others):
            with below_one:
                self._put("0")
                self._put(".")
                zeros = cx.b.neg(point)
                write_digits(cx, self._here(), i64(0), zeros)
                self._advance(zeros)
                self._copy(i64(0), self.count)
            with others:
                self._around_point(point)

    def _around_point(self, point: ll.Value) -> None:
        """The digits before a point, filled up with zeros, and those behind; 0 for none."""
        cx = self.cx
        short = cx.b.icmp_signed("<", self.count, point)
        before = cx.b.select(short, self.count, point)
        self._copy(i64(0), before)
        missing = cx.b.sub(point, before)
        write_digits(cx, self._here(), i64(0), missing)
        self._advance(missing)
        self._put(".")
        behind = cx.b.sub(self.count, before)
        self._copy(before, behind)
        with cx.b.if_then(cx.b.icmp_signed("==", behind, i64(0))):
            self._put("0")

    def _copy(self, start: ll.Value, count: ll.Value) -> None:
        self.cx.copy_bytes(self._here(), self.cx.at(self.digits, start), count)
        self._advance(count)

    def _put(self, character: str) -> None:
        write_byte(self.cx, self._here(), character)
        self._advance(i64(1))

    def _here(self) -> ll.Value:
        return self.cx.at(self.place, self.end.value)

    def _advance(self, count: ll.Value) -> None:
        self.end.add(count)
