"""Opening a data page: decompressed, nulls in their places, values where they can be read."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.parquet_abi import MISSING, PAGE_PADDING, Page, PageForm, PageProblem
from codegen_llvm.parquet_runs import WIDEST, Run, Runs
from codegen_llvm.snappy import literal_function, snappy_function
from codegen_llvm.text_cursor import NOWHERE, distance

_LENGTH_BYTES = 4


def open_function(module: ll.Module) -> ll.Function:
    """`(page) -> 0`, or a `PageProblem`: fills what is out in a `Page`."""
    made = shared_function(module, "parquet.open", I64, (PTR,), lambda cx: _Opening(cx).build())
    made.attributes.add("noinline")
    return made


def text_index_function(module: ll.Module) -> ll.Function:
    """`(place, end, count, addresses) -> 0`: the address of the length of each text."""
    types = (PTR, PTR, I64, PTR)
    return shared_function(module, "parquet.text_index", I64, types, _build_text_index)


def _build_text_index(cx: KernelContext) -> None:
    begin, end, count, addresses = cx.function.args
    broken = cx.function.append_basic_block("broken")
    place = cx.local(PTR, begin)
    with cx.loop(i64(0), count, "text") as index:
        there = distance(cx, place.value, end)
        cx.branch_if(cx.b.icmp_signed("<", there, i64(_LENGTH_BYTES)), broken)
        length = cx.b.zext(cx.b.load(place.value, typ=I32, align=1), I64)
        left = cx.b.sub(there, i64(_LENGTH_BYTES))
        cx.branch_if(cx.b.icmp_unsigned(">", length, left), broken)
        cx.b.store(cx.b.ptrtoint(place.value, I64), cx.element(addresses, index, I64), align=1)
        place.set(cx.at(place.value, cx.b.add(length, i64(_LENGTH_BYTES))))
    cx.b.ret(i64(0))
    cx.b.position_at_end(broken)
    cx.b.ret(i64(PageProblem.BROKEN))


class _Opening:
    """Generates the opening of a page."""

    def __init__(self, cx: KernelContext) -> None:
        self.cx = cx
        self.page = cx.function.args[0]
        self.broken = cx.function.append_basic_block("broken")
        self.rows = self._get("rows")
        self.size = self._get("size")
        self.spread = self._get("spread", PTR)
        self.valid = self._behind(self.spread, 8)
        self.codes = self._behind(self.valid, 1)
        self.body: Local = cx.local(PTR, self._get("source", PTR))
        self.end: Local = cx.local(PTR, cx.at(self.body.value, self._get("source_size")))
        self.present: Local = cx.local(I64, self.rows)

    def _behind(self, area: ll.Value, width: int) -> ll.Value:
        size = self.cx.b.mul(self.rows, i64(width))
        return self.cx.at(area, self.cx.b.add(size, i64(PAGE_PADDING)))

    def build(self) -> None:
        """All of the function."""
        cx = self.cx
        with cx.b.if_else(self._is("levels_size", MISSING)) as (old, new):
            with old:
                self._decompress()
                with cx.b.if_then(self._is_set("has_levels")):
                    self._read_levels_of_old()
            with new:
                self._read_levels_of_new()
                self._decompress()
        with cx.b.if_else(self._is_set("has_codes")) as (codes, plain):
            with codes:
                self._open_codes()
            with plain:
                self._open_plain()
        self._set("values", cx.b.ptrtoint(self.body.value, I64))
        self._set("values_end", cx.b.ptrtoint(self.end.value, I64))
        self._set("present", self.present.value)
        cx.b.ret(i64(0))
        cx.b.position_at_end(self.broken)
        cx.b.ret(i64(PageProblem.BROKEN))

    # -- decompression and levels -----------------------------------------------

    def _decompress(self) -> None:
        """From the body on; what is not compressed stays where it is."""
        cx = self.cx
        taken = distance(cx, self._get("source", PTR), self.body.value)
        size = cx.b.sub(self.size, taken)
        there = distance(cx, self.body.value, self.end.value)
        # A page of nulls has no values, and some writers then leave out even snappy's size.
        some = cx.b.icmp_signed("!=", cx.b.or_(size, there), i64(0))
        with cx.b.if_else(cx.b.and_(self._is_set("is_snappy"), some)) as (snappy, plain):
            with snappy:
                self._demand(cx.b.icmp_signed(">=", size, i64(0)))
                literal = cx.b.call(literal_function(cx.module), [self.body.value, there, size])
                found = cx.b.icmp_unsigned("!=", literal, NOWHERE)
                with cx.b.if_else(found) as (in_place, elsewhere):
                    with in_place:
                        self.body.set(literal)
                    with elsewhere:
                        self._decompress_elsewhere(there, size)
                self.end.set(cx.at(self.body.value, size))
            with plain:
                self._demand(cx.b.icmp_signed("==", size, there))

    def _decompress_elsewhere(self, there: ll.Value, size: ll.Value) -> None:
        cx, room = self.cx, self._get("room", PTR)
        code = cx.b.call(snappy_function(cx.module), [self.body.value, there, room, size])
        self._demand(cx.b.icmp_signed("==", code, i64(0)))
        self.body.set(room)

    def _read_levels_of_old(self) -> None:
        """Their size is in front of them."""
        cx = self.cx
        self._demand(cx.b.icmp_signed(">=", self._left(), i64(_LENGTH_BYTES)))
        size = cx.b.zext(cx.b.load(self.body.value, typ=I32, align=1), I64)
        self.body.set(cx.at(self.body.value, _LENGTH_BYTES))
        self._read_levels(size)

    def _read_levels_of_new(self) -> None:
        cx = self.cx
        size = self._get("levels_size")
        with cx.b.if_else(self._is_set("has_levels")) as (there, missing):
            with there:
                self._read_levels(size)
            with missing:
                self._demand(cx.b.icmp_signed("==", size, i64(0)))

    def _read_levels(self, size: ll.Value) -> None:
        """Which rows have a value, and how many they are; the body is behind the levels then."""
        cx = self.cx
        self._demand(cx.b.icmp_unsigned("<=", size, self._left()))
        end = cx.at(self.body.value, size)
        self.present.set(i64(0))
        runs = Runs(cx, self.body.value, end, i64(1), self.broken)
        runs.each(self.rows, self._use_levels)
        self.body.set(end)

    def _use_levels(self, run: Run) -> None:
        cx = self.cx
        if run.repeated is not None:
            # Nearly always: one run of as many as there are rows. Nothing asks for it then.
            self._demand(cx.b.icmp_unsigned("<=", run.repeated, i64(1)))
            count = cx.b.sub(run.end, run.begin)
            self.present.add(cx.b.mul(count, run.repeated))
            whole = cx.b.icmp_unsigned("==", cx.b.mul(count, run.repeated), self.rows)
            with cx.b.if_then(cx.b.not_(whole)):
                self._write_levels(run)
            return
        self._write_levels(run)
        with cx.loop(run.begin, run.end, "level") as row:
            self.present.add(run.number(row))

    def _write_levels(self, run: Run) -> None:
        with self.cx.loop(run.begin, run.end, "valid") as row:
            byte = self.cx.b.trunc(run.number(row), I8)
            self.cx.b.store(byte, self.cx.at(self.valid, row))

    # -- values -----------------------------------------------------------------

    def _open_codes(self) -> None:
        cx = self.cx
        width = cx.local(I64, i64(0))
        with cx.b.if_then(cx.b.icmp_signed(">", self.present.value, i64(0)), likely=True):
            self._demand(cx.b.icmp_signed(">", self._left(), i64(0)))
            width.set(cx.b.zext(cx.b.load(self.body.value, typ=I8), I64))
            self._demand(cx.b.icmp_unsigned("<=", width.value, i64(WIDEST)))
            self.body.set(cx.at(self.body.value, 1))
        self._set("width", width.value)
        self._set("form", i64(PageForm.RUNS))
        with cx.b.if_then(self._has_nulls(), likely=False):
            runs = Runs(cx, self.body.value, self.end.value, width.value, self.broken)
            runs.each(self.present.value, self._use_codes)
            size = self._get("dictionary_size")
            null = cx.b.trunc(cx.b.add(size, i64(1)), I32)
            self._spread(self.codes, I32, null, 4)
            self._set("form", i64(PageForm.CODES))

    def _use_codes(self, run: Run) -> None:
        cx = self.cx
        size = self._get("dictionary_size")
        with cx.loop(run.begin, run.end, "code") as index:
            code = run.number(index)
            self._demand(cx.b.icmp_unsigned("<", code, size))
            cx.b.store(cx.b.trunc(code, I32), cx.element(self.codes, index, I32), align=1)

    def _open_plain(self) -> None:
        cx = self.cx
        self._set("form", i64(PageForm.VALUES))
        element = self._get("element")
        with cx.b.if_else(cx.b.icmp_signed("==", element, i64(0))) as (texts, fixed):
            with texts:
                self._open_texts()
            with fixed:
                needed = cx.b.mul(self.present.value, element)
                self._demand(cx.b.icmp_unsigned("<=", needed, self._left()))
                with cx.b.if_then(self._has_nulls(), likely=False):
                    wide = cx.b.icmp_signed("==", element, i64(8))
                    with cx.b.if_else(wide) as (eight, four):
                        with eight:
                            self._spread(self.body.value, I64, i64(0), 8)
                        with four:
                            self._spread(self.body.value, I32, ll.Constant(I32, 0), 4)

    def _open_texts(self) -> None:
        """Addresses of texts; they are found where values would be, behind themselves."""
        cx = self.cx
        addresses = cx.local(PTR, self.spread)
        with cx.b.if_then(self._has_nulls(), likely=False):
            # As many as are present, at the end of the room for all of them, so that each is
            # read before its place is written.
            absent = cx.b.sub(self.rows, self.present.value)
            addresses.set(cx.element(self.spread, absent, I64))
        index = text_index_function(cx.module)
        known = [self.body.value, self.end.value, self.present.value, addresses.value]
        self._demand(cx.b.icmp_signed("==", cx.b.call(index, known), i64(0)))
        self.body.set(self.spread)
        with cx.b.if_then(self._has_nulls(), likely=False):
            self._spread(addresses.value, I64, i64(0), 8)

    def _spread(self, values: ll.Value, type_: ll.Type, null: ll.Value, size: int) -> None:
        """Values that are there, to their rows."""
        cx = self.cx
        next_ = cx.local(I64, i64(0))
        with cx.loop(i64(0), self.rows, "spread") as row:
            valid = cx.b.zext(cx.b.load(cx.at(self.valid, row), typ=I8), I64)
            there = cx.b.load(cx.element(values, next_.value, type_), typ=type_, align=1)
            made = cx.b.select(cx.b.icmp_unsigned("!=", valid, i64(0)), there, null)
            cx.b.store(made, cx.element(self.spread, row, type_), align=1)
            next_.add(valid)
        self.body.set(self.spread)
        self.end.set(cx.at(self.spread, cx.b.mul(self.rows, i64(size))))
        self._set("valid", cx.b.ptrtoint(self.valid, I64))

    # -- fields and conditions ----------------------------------------------------

    def _has_nulls(self) -> ll.Value:
        return self.cx.b.icmp_signed("<", self.present.value, self.rows)

    def _left(self) -> ll.Value:
        return distance(self.cx, self.body.value, self.end.value)

    def _get(self, name: str, type_: ll.Type = I64) -> ll.Value:
        return self.cx.load_field(self.page, Page, name, type_)

    def _set(self, name: str, value: ll.Value) -> None:
        self.cx.store_field(value, self.page, Page, name)

    def _is(self, name: str, value: int) -> ll.Value:
        return self.cx.b.icmp_signed("==", self._get(name), i64(value))

    def _is_set(self, name: str) -> ll.Value:
        return self.cx.b.icmp_signed("!=", self._get(name), i64(0))

    def _demand(self, condition: ll.Value) -> None:
        self.cx.branch_if(self.cx.b.not_(condition), self.broken)
