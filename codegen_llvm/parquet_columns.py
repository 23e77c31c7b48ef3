"""Reading rows of a column chunk: those that pass a filter of codes, and values of chosen rows.

Pages without a chosen row are not even decompressed. In runs of bits, each code is found by
itself: one row in a hundred costs a hundredth.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, PTR, KernelContext, i64, new_function
from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.parquet_abi import ColumnRead, Page, PageForm, PageProblem
from codegen_llvm.parquet_headers import HEADERS, build_headers
from codegen_llvm.parquet_layout import LAYOUT, build_layout
from codegen_llvm.parquet_pages import open_function, text_index_function
from codegen_llvm.parquet_runs import Run, Runs
from codegen_llvm.snappy import snappy_function

_LENGTH_BYTES = 4
_MOST_TEXT = 2**31 - 1

PASSES = 1
_OPENER = ll.FunctionType(I64, [PTR]).as_pointer()
_PAGE_BYTES = ctypes.sizeof(Page)


@dataclass(frozen=True)
class ParquetCode:
    """Compiled functions; each gives a `PageProblem` where it gives up."""

    headers: Callable[..., int]  # see `build_headers`
    layout: Callable[..., int]  # see `build_layout`
    snappy: Callable[..., int]  # see `snappy_function`
    text_index: Callable[..., int]  # see `text_index_function`
    text_sizes: Callable[..., int]  # addresses, count, offsets -> bytes in all
    copy_texts: Callable[..., int]  # addresses, count, offsets, bytes
    opener: int  # address of `open_function`


@cache
def parquet_code() -> ParquetCode:
    """What reading any column needs, compiled when it is first asked for."""
    module = ll.Module("parquet")
    build_headers(module)
    build_layout(module)
    for shared in (snappy_function, text_index_function, open_function):
        shared(module).linkage = "external"
    _build_text_sizes(module)
    _build_copy_texts(module)
    code: MachineCode = compile_module(module)
    address, word = ctypes.c_void_p, ctypes.c_int64
    return ParquetCode(
        code.function(HEADERS, word, address, word, address, word),
        code.function(LAYOUT, word, address),
        code.function("snappy", word, address, word, address, word),
        code.function("parquet.text_index", word, address, address, word, address),
        code.function("parquet.text_sizes", word, address, word, address),
        code.function("parquet.copy_texts", word, address, word, address, address),
        code.address("parquet.open"),
    )


def read_column(name: str, read: ColumnRead) -> int:
    """Call a reader of columns, for all rows of the range or for those of the selection."""
    read.opener = parquet_code().opener
    return _reader(name, read.selection != 0)(ctypes.addressof(read))


@cache
def _reader(name: str, chosen: bool) -> Callable[..., int]:
    """One reader, in a module of its own: all of them take a second or two to compile."""
    module = ll.Module("parquet_reader")
    READERS[name](module, name, chosen).build()
    entry = _entry(name, chosen)
    return compile_module(module).function(entry, ctypes.c_int64, ctypes.c_void_p)


def _entry(name: str, chosen: bool) -> str:
    return f"parquet.{name}.{'chosen' if chosen else 'all'}"


class _Reader:
    """Generates a function over the pages of a range; each kind says what is done with a row."""

    def __init__(self, module: ll.Module, name: str, chosen: bool) -> None:
        cx = self.cx = new_function(module, _entry(name, chosen), I64, (PTR,))
        self.chosen = chosen
        self.args = cx.function.args[0]
        self.broken = cx.function.append_basic_block("broken")
        self.begin, self.end = self._get("begin"), self._get("end")
        self.selection, self.selected = self._get("selection", PTR), self._get("selected")
        self.dictionary = self._get("dictionary", PTR)
        self.size = self._get("dictionary_size")
        self.out = self._get("out", PTR)
        self.cursor = cx.local(I64, i64(0))  # how many of the selection are done
        self.strange = cx.local(I64, i64(0))  # not 0: a code that the dictionary does not have
        self.nulls = cx.local(I64, i64(0))  # not 0: some rows of the pages are null

    def build(self) -> None:
        """All of the function."""
        cx = self.cx
        pages, count = self._get("pages", PTR), self._get("count")
        with cx.loop(i64(0), count, "page") as number:
            self._read_page(cx.at(pages, cx.b.mul(number, i64(_PAGE_BYTES))))
        cx.branch_if(cx.b.icmp_signed("!=", self.strange.value, i64(0)), self.broken)
        cx.store_field(self.nulls.value, self.args, ColumnRead, "has_nulls")
        cx.b.ret(self._result())
        cx.b.position_at_end(self.broken)
        cx.b.ret(i64(PageProblem.BROKEN))

    # -- what kinds of readers differ in --------------------------------------------

    def _result(self) -> ll.Value:
        return i64(0)

    def _use_code(self, place: ll.Value, row: ll.Value, code: ll.Value) -> None:
        """A row with a code, which the dictionary has an entry for."""
        raise NotImplementedError

    def _use_values(self, page: ll.Value, low: ll.Value, high: ll.Value) -> None:
        """Rows whose values lie one behind the other."""
        raise NotImplementedError

    # -- pages --------------------------------------------------------------------

    def _read_page(self, page: ll.Value) -> None:
        cx = self.cx
        first = cx.load_field(page, Page, "first_row")
        last = cx.b.add(first, cx.load_field(page, Page, "rows"))
        low, high = _greatest(cx, first, self.begin), _least(cx, last, self.end)
        with cx.b.if_then(self._is_needed(low, high)):
            form = cx.local(I64, cx.load_field(page, Page, "form"))
            with cx.b.if_then(cx.b.icmp_signed("==", form.value, i64(PageForm.CLOSED))):
                opened = cx.b.call(self._get("opener", _OPENER), [page])
                cx.branch_if(cx.b.icmp_signed("!=", opened, i64(0)), self.broken)
                form.set(cx.load_field(page, Page, "form"))
            present = cx.load_field(page, Page, "present")
            some = cx.b.icmp_signed("!=", present, cx.load_field(page, Page, "rows"))
            self.nulls.set(cx.b.or_(self.nulls.value, cx.b.zext(some, I64)))
            self._read_open(page, form.value, low, high)

    def _is_needed(self, low: ll.Value, high: ll.Value) -> ll.Value:
        """Whether a row of the page is in the range and, if rows are chosen, among them."""
        cx = self.cx
        inside = cx.b.icmp_signed("<", low, high)
        if not self.chosen:
            return inside
        met = cx.local(ll.IntType(1), inside)
        more = cx.b.icmp_signed("<", self.cursor.value, self.selected)
        with cx.b.if_else(cx.b.and_(inside, more)) as (some, none):
            with some:
                met.set(cx.b.icmp_signed("<", self._row_at(self.cursor.value), high))
            with none:
                met.set(ll.Constant(ll.IntType(1), 0))
        return met.value

    def _read_open(self, page: ll.Value, form: ll.Value, low: ll.Value, high: ll.Value) -> None:
        cx = self.cx
        with cx.b.if_else(cx.b.icmp_signed("==", form, i64(PageForm.VALUES))) as (plain, coded):
            with plain:
                self._use_values(page, low, high)
            with coded:
                with cx.b.if_else(cx.b.icmp_signed("==", form, i64(PageForm.RUNS))) as (
                    runs,
                    codes,
                ):
                    with runs:
                        self._read_runs(page, low, high)
                    with codes:
                        self._read_codes(page, low, high)

    def _read_runs(self, page: ll.Value, low: ll.Value, high: ll.Value) -> None:
        cx = self.cx
        first = cx.load_field(page, Page, "first_row")
        values, end = (cx.load_field(page, Page, name, PTR) for name in ("values", "values_end"))
        width = cx.load_field(page, Page, "width")

        def use(run: Run) -> None:
            if self.chosen:
                with self._rows(low, cx.b.add(first, run.end)) as (place, row):
                    self._use_unchecked(place, row, run.number(cx.b.sub(row, first)))
                return
            begin = _greatest(cx, run.begin, cx.b.sub(low, first))
            before = cx.b.sub(first, self.begin)
            run.each_number(
                _least(cx, begin, run.end),
                run.end,
                lambda index, code: self._use_unchecked(
                    cx.b.add(before, index), cx.b.add(first, index), code
                ),
            )

        Runs(cx, values, end, width, self.broken).each(cx.b.sub(high, first), use)

    def _use_unchecked(self, place: ll.Value, row: ll.Value, code: ll.Value) -> None:
        """A row with a code, which the dictionary may not have."""
        cx = self.cx
        known = cx.b.icmp_unsigned("<", code, self.size)
        self.strange.set(cx.b.or_(self.strange.value, cx.b.zext(cx.b.not_(known), I64)))
        self._use_code(place, row, cx.b.select(known, code, self.size))

    def _read_codes(self, page: ll.Value, low: ll.Value, high: ll.Value) -> None:
        """Codes that were checked when the page was opened."""
        cx = self.cx
        first = cx.load_field(page, Page, "first_row")
        codes = cx.load_field(page, Page, "values", PTR)
        with self._rows(low, high) as (place, row):
            there = cx.element(codes, cx.b.sub(row, first), I32)
            self._use_code(place, row, cx.b.zext(cx.b.load(there, typ=I32, align=1), I64))

    # -- rows ---------------------------------------------------------------------

    @contextmanager
    def _rows(self, low: ll.Value, high: ll.Value) -> Iterator[tuple[ll.Value, ll.Value]]:
        """A loop over the rows that are read, with the place of each in what is put out."""
        cx = self.cx
        if not self.chosen:
            with cx.loop(low, high, "row") as row:
                yield cx.b.sub(row, self.begin), row
            return
        with cx.forever("chosen") as after:
            place = self.cursor.value
            cx.branch_if(cx.b.icmp_signed(">=", place, self.selected), after)
            row = self._row_at(place)
            cx.branch_if(cx.b.icmp_signed(">=", row, high), after)
            yield place, row
            self.cursor.set(cx.b.add(place, i64(1)))

    def _row_at(self, place: ll.Value) -> ll.Value:
        cx = self.cx
        there = cx.b.load(cx.element(self.selection, place, I32), typ=I32)
        return cx.b.add(cx.b.zext(there, I64), self.begin)

    def _get(self, name: str, type_: ll.Type = I64) -> ll.Value:
        return self.cx.load_field(self.args, ColumnRead, name, type_)


class _Select(_Reader):
    """Rows whose code has the bit PASSES in a table; rows without codes pass as well.

    Chosen rows are written over by those of them that pass.
    """

    def __init__(self, module: ll.Module, name: str, chosen: bool) -> None:
        super().__init__(module, name, chosen)
        self.passed = self.cx.local(I64, i64(0))

    def _result(self) -> ll.Value:
        return self.passed.value

    def _use_code(self, place: ll.Value, row: ll.Value, code: ll.Value) -> None:
        cx = self.cx
        entry = cx.b.load(cx.at(self.dictionary, code), typ=I8)
        self._write(row)
        self.passed.add(cx.b.zext(entry, I64))

    def _use_values(self, page: ll.Value, low: ll.Value, high: ll.Value) -> None:
        with self._rows(low, high) as (_, row):
            self._write(row)
            self.passed.add(i64(1))

    def _write(self, row: ll.Value) -> None:
        cx = self.cx
        number = cx.b.trunc(cx.b.sub(row, self.begin), I32)
        cx.b.store(number, cx.element(self.out, self.passed.value, I32))


class _Codes(_Reader):
    """Codes as int32; pages without codes make the column something that only pyarrow reads."""

    def _use_code(self, place: ll.Value, row: ll.Value, code: ll.Value) -> None:
        cx = self.cx
        cx.b.store(cx.b.trunc(code, I32), cx.element(self.out, place, I32), align=1)

    def _use_values(self, page: ll.Value, low: ll.Value, high: ll.Value) -> None:
        self.cx.b.branch(self.broken)
        self.cx.b.position_at_end(self.cx.b.append_basic_block("never"))


class _Values(_Reader):
    """Values of a fixed width, whether they come by codes or not."""

    type: ll.Type = I64
    bytes = 8

    def _use_code(self, place: ll.Value, row: ll.Value, code: ll.Value) -> None:
        cx = self.cx
        value = cx.b.load(cx.element(self.dictionary, code, self.type), typ=self.type, align=1)
        cx.b.store(value, cx.element(self.out, place, self.type), align=1)

    def _use_values(self, page: ll.Value, low: ll.Value, high: ll.Value) -> None:
        cx = self.cx
        first = cx.load_field(page, Page, "first_row")
        values = cx.load_field(page, Page, "values", PTR)
        if not self.chosen:
            begin = cx.element(values, cx.b.sub(low, first), self.type)
            target = cx.element(self.out, cx.b.sub(low, self.begin), self.type)
            cx.copy_bytes(target, begin, cx.b.mul(cx.b.sub(high, low), i64(self.bytes)))
            return
        with self._rows(low, high) as (place, row):
            there = cx.element(values, cx.b.sub(row, first), self.type)
            value = cx.b.load(there, typ=self.type, align=1)
            cx.b.store(value, cx.element(self.out, place, self.type), align=1)


class _NarrowValues(_Values):
    """The same of four bytes."""

    type: ll.Type = I32
    bytes = 4


class _Valid(_Reader):
    """Whether rows have values, a byte for each."""

    def _read_open(self, page: ll.Value, form: ll.Value, low: ll.Value, high: ll.Value) -> None:
        cx = self.cx
        first = cx.load_field(page, Page, "first_row")
        present = cx.load_field(page, Page, "present")
        valid = cx.load_field(page, Page, "valid", PTR)
        all_ = cx.b.icmp_signed("==", present, cx.load_field(page, Page, "rows"))
        with self._rows(low, high) as (place, row):
            byte = cx.local(I8, ll.Constant(I8, 1))
            with cx.b.if_then(cx.b.not_(all_)):
                byte.set(cx.b.load(cx.at(valid, cx.b.sub(row, first)), typ=I8))
            cx.b.store(byte.value, cx.at(self.out, place))


READERS: dict[str, type[_Reader]] = {
    "select": _Select,
    "codes": _Codes,
    "values8": _Values,
    "values4": _NarrowValues,
    "valid": _Valid,
}


def _build_text_sizes(module: ll.Module) -> None:
    """Where texts begin and end one behind the other; an address of 0 is a null."""
    cx = new_function(module, "parquet.text_sizes", I64, (PTR, I64, PTR))
    addresses, count, offsets = cx.function.args
    total = cx.local(I64, i64(0))
    cx.b.store(ll.Constant(I32, 0), offsets)
    with cx.loop(i64(0), count, "text") as index:
        address = cx.b.load(cx.element(addresses, index, I64), typ=I64)
        with cx.b.if_then(cx.b.icmp_signed("!=", address, i64(0))):
            length = cx.b.load(cx.b.inttoptr(address, PTR), typ=I32, align=1)
            total.add(cx.b.zext(length, I64))
        end = cx.b.trunc(total.value, I32)
        cx.b.store(end, cx.element(offsets, cx.b.add(index, i64(1)), I32))
    fits = cx.b.icmp_signed("<=", total.value, i64(_MOST_TEXT))
    cx.b.ret(cx.b.select(fits, total.value, i64(PageProblem.UNKNOWN)))


def _build_copy_texts(module: ll.Module) -> None:
    cx = new_function(module, "parquet.copy_texts", I64, (PTR, I64, PTR, PTR))
    addresses, count, offsets, target = cx.function.args
    with cx.loop(i64(0), count, "text") as index:
        address = cx.b.load(cx.element(addresses, index, I64), typ=I64)
        begin = cx.b.load(cx.element(offsets, index, I32), typ=I32)
        end = cx.b.load(cx.element(offsets, cx.b.add(index, i64(1)), I32), typ=I32)
        text = cx.b.inttoptr(cx.b.add(address, i64(_LENGTH_BYTES)), PTR)
        place = cx.at(target, cx.b.zext(begin, I64))
        cx.copy_bytes(place, text, cx.b.zext(cx.b.sub(end, begin), I64))
    cx.b.ret(i64(0))


def _least(cx: KernelContext, one: ll.Value, other: ll.Value) -> ll.Value:
    return cx.b.select(cx.b.icmp_signed("<", one, other), one, other)


def _greatest(cx: KernelContext, one: ll.Value, other: ll.Value) -> ll.Value:
    return cx.b.select(cx.b.icmp_signed(">", one, other), one, other)
