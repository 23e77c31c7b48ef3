"""From page headers to pages, by compiled code: numpy took 130 us for 50 pages of a column."""

from __future__ import annotations

import ctypes

from llvmlite import ir as ll

from codegen_llvm.builder import I1, I64, PTR, KernelContext, i64, new_function
from codegen_llvm.parquet_abi import (
    HEADER_WORDS,
    INNER,
    MISSING,
    PAGE_PADDING,
    ROOM_FOR_A_ROW,
    ChunkLayout,
    Page,
    PageProblem,
)

LAYOUT = "parquet.layout"
# Fields of page headers, as Parquet numbers them.
BODY, KIND, SIZE, STORED_SIZE = 0, 1, 2, 3
VALUES, OLD_ENCODING, OLD_LEVELS = INNER + 1, INNER + 2, INNER + 3
_NEW_ROWS, _NEW_ENCODING = INNER + 3, INNER + 4
_NEW_LEVELS, _NEW_REPETITIONS, _NEW_IS_COMPRESSED = INNER + 5, INNER + 6, INNER + 7
OLD_PAGE, DICTIONARY_PAGE, NEW_PAGE = 0, 2, 3
PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY = 0, 2, 3, 8
_SPREAD_PADDING = 3 * PAGE_PADDING


def build_layout(module: ll.Module) -> None:
    """`(layout) -> 0`, or a `PageProblem` where headers are not of pages that are read here."""
    _Layout(new_function(module, LAYOUT, I64, (PTR,))).build()


class _Layout:
    """Generates the loop over headers."""

    def __init__(self, cx: KernelContext) -> None:
        self.cx, self.args = cx, cx.function.args[0]
        self.broken = cx.function.append_basic_block("broken")
        self.unknown = cx.function.append_basic_block("unknown")
        self.row = cx.local(I64, i64(0))
        self.room, self.spread = cx.local(I64, i64(0)), cx.local(I64, i64(0))
        self.bytes = cx.local(I64, i64(0))
        self.coded = cx.local(I1, ll.Constant(I1, 1))

    def build(self) -> None:
        """All of the function."""
        cx = self.cx
        headers, pages = self._get("headers", PTR), self._get("pages", PTR)
        with cx.loop(i64(0), self._get("count"), "header") as number:
            self.header = cx.element(headers, cx.b.mul(number, i64(HEADER_WORDS)), I64)
            self.page = cx.at(pages, cx.b.mul(number, i64(ctypes.sizeof(Page))))
            self._lay_out()
        self._demand(cx.b.icmp_signed("==", self.row.value, self._get("rows")), self.broken)
        for name, value in (("room", self.room.value), ("spread", self.spread.value)):
            cx.store_field(value, self.args, ChunkLayout, name)
        cx.store_field(cx.b.zext(self.coded.value, I64), self.args, ChunkLayout, "has_codes")
        cx.b.ret(i64(0))
        for block, problem in (
            (self.broken, PageProblem.BROKEN),
            (self.unknown, PageProblem.UNKNOWN),
        ):
            cx.b.position_at_end(block)
            cx.b.ret(i64(problem))

    def _lay_out(self) -> None:
        cx = self.cx
        is_new = self._is(self._word(KIND), NEW_PAGE)
        self._demand(cx.b.or_(is_new, self._is(self._word(KIND), OLD_PAGE)), self.unknown)
        rows, size = self._word(VALUES), self._word(SIZE)
        self._demand(cx.b.icmp_signed(">=", rows, i64(0)), self.broken)
        self._demand(cx.b.icmp_signed(">=", size, i64(0)), self.broken)
        self._set("first_row", self.row.value)
        self._set("rows", rows)
        self._set("source", cx.b.add(self._get("source"), self._word(BODY)))
        self._set("source_size", self._word(STORED_SIZE))
        self._set_levels(is_new)
        self._set_codes(is_new)
        for name in ("element", "dictionary_size"):
            self._set(name, self._get(name))
        self._set("size", size)
        self._set("form", i64(0))
        self._take_room(rows, size)

    def _set_levels(self, is_new: ll.Value) -> None:
        cx = self.cx
        levels = self._word(_NEW_LEVELS)
        nullable = cx.b.icmp_signed("!=", self._get("is_nullable"), i64(0))
        old = cx.b.not_(is_new)
        # Old levels are runs, new ones always; there are no repetitions, so a row is a value.
        strange = cx.b.and_(nullable, cx.b.not_(self._is(self._word(OLD_LEVELS), RLE)))
        self._demand(cx.b.not_(cx.b.and_(old, strange)), self.unknown)
        nested = cx.b.icmp_signed(">", self._word(_NEW_REPETITIONS), i64(0))
        several = cx.b.icmp_signed("!=", self._word(_NEW_ROWS), self._word(VALUES))
        self._demand(cx.b.not_(cx.b.and_(is_new, cx.b.or_(nested, several))), self.unknown)
        negative = cx.b.icmp_signed("<", levels, i64(0))
        self._demand(cx.b.not_(cx.b.and_(is_new, negative)), self.broken)
        self._set("levels_size", cx.b.select(is_new, levels, i64(MISSING)))
        self._set("has_levels", self._get("is_nullable"))
        bare = cx.b.and_(is_new, self._is(self._word(_NEW_IS_COMPRESSED), 0))
        self._set("is_snappy", cx.b.select(bare, i64(0), self._get("is_compressed")))

    def _set_codes(self, is_new: ll.Value) -> None:
        cx = self.cx
        encoding = cx.b.select(is_new, self._word(_NEW_ENCODING), self._word(OLD_ENCODING))
        coded = cx.b.or_(self._is(encoding, PLAIN_DICTIONARY), self._is(encoding, RLE_DICTIONARY))
        self._demand(cx.b.or_(coded, self._is(encoding, PLAIN)), self.unknown)
        there = cx.b.icmp_signed("!=", self._get("has_dictionary"), i64(0))
        self._demand(cx.b.or_(there, cx.b.not_(coded)), self.broken)
        self._set("has_codes", cx.b.zext(coded, I64))
        self.coded.set(cx.b.and_(self.coded.value, coded))

    def _take_room(self, rows: ll.Value, size: ll.Value) -> None:
        """No more than the footer says: the host would have to find the memory."""
        cx = self.cx
        self._set("room", self.room.value)
        self._set("spread", self.spread.value)
        self.room.add(cx.b.add(size, i64(PAGE_PADDING)))
        self.spread.add(cx.b.add(cx.b.mul(rows, i64(ROOM_FOR_A_ROW)), i64(_SPREAD_PADDING)))
        self.row.add(rows)
        self.bytes.add(size)
        enough = cx.b.icmp_signed("<=", self.bytes.value, self._get("most_bytes"))
        self._demand(enough, self.broken)
        self._demand(cx.b.icmp_signed("<=", self.row.value, self._get("rows")), self.broken)

    def _word(self, number: int) -> ll.Value:
        return self.cx.b.load(self.cx.element(self.header, i64(number), I64), typ=I64)

    def _is(self, value: ll.Value, known: int) -> ll.Value:
        return self.cx.b.icmp_signed("==", value, i64(known))

    def _get(self, name: str, type_: ll.Type = I64) -> ll.Value:
        return self.cx.load_field(self.args, ChunkLayout, name, type_)

    def _set(self, name: str, value: ll.Value) -> None:
        self.cx.store_field(value, self.page, Page, name)

    def _demand(self, condition: ll.Value, otherwise: ll.Block) -> None:
        self.cx.branch_if(self.cx.b.not_(condition), otherwise)
