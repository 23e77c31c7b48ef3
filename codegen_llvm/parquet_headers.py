"""Page headers of a column chunk, by compiled code: there is one every 20,000 rows or so."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I64, PTR, KernelContext, i64, new_function, shared_function
from codegen_llvm.parquet_abi import HEADER_WORDS, INNER, MISSING, PageProblem
from codegen_llvm.text_cursor import NOWHERE, distance

HEADERS = "parquet.headers"
_DEEPEST = 4
_MOST_SHIFT = 63
# Types of Thrift's compact protocol.
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _STRUCT = (*range(9), 12)
_COMPRESSED_SIZE = 3


def build_headers(module: ll.Module) -> None:
    """`(bytes, size, words, most pages) -> pages`, or a `PageProblem`.

    Reads headers one behind the other and goes over the pages between them.
    """
    cx = new_function(module, HEADERS, I64, (PTR, I64, PTR, I64))
    begin, size, words, most = cx.function.args
    end = cx.at(begin, size)
    place, count = cx.local(PTR, begin), cx.local(I64, i64(0))
    fields = _fields(module)
    with cx.forever("page") as done:
        cx.branch_if(cx.b.icmp_unsigned(">=", place.value, end), done)
        cx.branch_if(cx.b.icmp_signed(">=", count.value, most), done)
        header = cx.element(words, cx.b.mul(count.value, i64(HEADER_WORDS)), I64)
        with cx.loop(i64(0), i64(HEADER_WORDS), "word") as word:
            cx.b.store(i64(MISSING), cx.element(header, word, I64))
        body = cx.b.call(fields, [place.value, end, header, i64(0)])
        _return_if(cx, cx.b.icmp_unsigned("==", body, NOWHERE), PageProblem.UNKNOWN)
        cx.b.store(distance(cx, begin, body), header)
        page = cx.b.load(cx.element(header, i64(_COMPRESSED_SIZE), I64), typ=I64)
        # A size below zero is a large one.
        beyond = cx.b.icmp_unsigned(">", page, distance(cx, body, end))
        _return_if(cx, beyond, PageProblem.BROKEN)
        place.set(cx.at(body, page))
        count.add(i64(1))
    cx.b.ret(count.value)


def _return_if(cx: KernelContext, condition: ll.Value, problem: PageProblem) -> None:
    with cx.b.if_then(condition, likely=False):
        cx.b.ret(i64(problem))


def _fields(module: ll.Module) -> ll.Function:
    """`(place, end, words, depth) -> place behind a structure`, or null."""
    types = (PTR, PTR, PTR, I64)
    return shared_function(module, "thrift.fields", PTR, types, lambda cx: _Fields(cx).build())


class _Fields:
    """Generates reading a structure; numbers go to the words, all else is gone over."""

    def __init__(self, cx: KernelContext) -> None:
        self.cx = cx
        begin, self.end, self.words, self.depth = cx.function.args
        self.place = cx.local(PTR, begin)
        self.number = cx.local(I64, i64(0))

    def build(self) -> None:
        """A loop over fields."""
        cx = self.cx
        self._demand(cx.b.icmp_signed("<", self.depth, i64(_DEEPEST)))
        with cx.forever("field") as done:
            byte = self._byte()
            cx.branch_if(cx.b.icmp_unsigned("==", byte, i64(_STOP)), done)
            self._read_number(cx.b.lshr(byte, i64(4)))
            self._read_value(cx.b.and_(byte, i64(15)))
        cx.b.ret(self.place.value)

    def _read_number(self, step: ll.Value) -> None:
        """The number of the field: so many more than the last one, or in full."""
        cx = self.cx
        with cx.b.if_else(cx.b.icmp_unsigned("==", step, i64(0)), likely=False) as (full, more):
            with full:
                self.number.set(_signed(cx, self._varint()))
            with more:
                self.number.add(step)

    def _read_value(self, type_: ll.Value) -> None:
        cx = self.cx
        after = cx.b.append_basic_block("value")
        unknown = cx.b.append_basic_block("unknown")
        choice = cx.b.switch(type_, unknown)
        for known, read in self._readers().items():
            block = cx.b.append_basic_block("type")
            choice.add_case(i64(known), block)
            cx.b.position_at_end(block)
            read()
            cx.b.branch(after)
        cx.b.position_at_end(unknown)
        cx.b.ret(NOWHERE)
        cx.b.position_at_end(after)

    def _readers(self) -> dict[int, Callable[[], None]]:
        def integer() -> None:
            self._keep(_signed(self.cx, self._varint()))

        return {
            _TRUE: lambda: self._keep(i64(1)),
            _FALSE: lambda: self._keep(i64(0)),
            _BYTE: lambda: self._skip(i64(1)),
            _I16: integer,
            _I32: integer,
            _I64: integer,
            _DOUBLE: lambda: self._skip(i64(8)),
            _BINARY: lambda: self._skip(self._varint()),
            _STRUCT: self._read_struct,
        }

    def _read_struct(self) -> None:
        """Into the other half of the words if it is in the header; else to no avail."""
        cx = self.cx
        outer = cx.b.icmp_unsigned("==", self.depth, i64(0))
        aside = cx.stack(ll.ArrayType(I64, INNER))
        words = cx.b.select(outer, cx.element(self.words, i64(INNER), I64), aside)
        deeper = cx.b.add(self.depth, i64(1))
        place = cx.b.call(cx.function, [self.place.value, self.end, words, deeper])
        self._demand(cx.b.icmp_unsigned("!=", place, NOWHERE))
        self.place.set(place)

    def _keep(self, value: ll.Value) -> None:
        cx = self.cx
        fits = cx.b.icmp_unsigned("<", self.number.value, i64(INNER))
        with cx.b.if_then(fits):
            cx.b.store(value, cx.element(self.words, self.number.value, I64))

    def _byte(self) -> ll.Value:
        cx = self.cx
        self._demand(cx.b.icmp_unsigned("<", self.place.value, self.end))
        byte = cx.b.zext(cx.b.load(self.place.value, typ=I8), I64)
        self.place.set(cx.at(self.place.value, 1))
        return byte

    def _varint(self) -> ll.Value:
        cx = self.cx
        found, shift = cx.local(I64, i64(0)), cx.local(I64, i64(0))
        with cx.forever("varint") as after:
            self._demand(cx.b.icmp_unsigned("<=", shift.value, i64(_MOST_SHIFT)))
            byte = self._byte()
            found.set(cx.b.or_(found.value, cx.b.shl(cx.b.and_(byte, i64(127)), shift.value)))
            shift.add(i64(7))
            cx.branch_if(cx.b.icmp_unsigned("<", byte, i64(128)), after)
        return found.value

    def _skip(self, size: ll.Value) -> None:
        cx = self.cx
        self._demand(cx.b.icmp_unsigned("<=", size, distance(cx, self.place.value, self.end)))
        self.place.set(cx.at(self.place.value, size))

    def _demand(self, condition: ll.Value) -> None:
        with self.cx.b.if_then(self.cx.b.not_(condition), likely=False):
            self.cx.b.ret(NOWHERE)


def _signed(cx: KernelContext, value: ll.Value) -> ll.Value:
    """A number whose sign is its lowest bit."""
    return cx.b.xor(cx.b.lshr(value, i64(1)), cx.b.neg(cx.b.and_(value, i64(1))))
