"""Reading input columns: Arrow buffers, validity bitmaps, dictionaries and look-up tables."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

from llvmlite import ir as ll

from codegen_llvm.abi import ColumnBlock, KernelArgs, offset_of
from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, i64, llvm_type
from codegen_llvm.layout import Encoding, InputLayout
from codegen_llvm.values import Value
from ir import BOOL, INT32, Column, Expr, Field, Schema


@dataclass(frozen=True, slots=True)
class Lookup:
    """A boolean expression over one dictionary column, tabulated once a dictionary.

    The table has a byte for each code and one more for null: bit 0 is the
    value, bit 1 says that it is null. Before it stand two words with the same
    for the first 32 codes, a bit each: of a small dictionary, LLVM looks up
    sixteen rows at once in a register.
    """

    column: str
    expr: Expr


def find_lookups(
    expressions: tuple[Expr, ...], schema: Schema, layout: InputLayout
) -> tuple[Lookup, ...]:
    """The largest boolean expressions that depend on one dictionary column only."""
    encoded = {
        f.name
        for f, encoding in zip(schema, layout.encodings, strict=True)
        if encoding is Encoding.DICTIONARY
    }
    found: dict[Expr, Lookup] = {}
    for expr in expressions:
        _collect(expr, encoded, found)
    return tuple(found.values())


def _collect(expr: Expr, encoded: set[str], found: dict[Expr, Lookup]) -> None:
    columns = expr.columns()
    if len(columns) == 1 and columns <= encoded and expr.type == BOOL and not expr.can_fail:
        found.setdefault(expr, Lookup(next(iter(columns)), expr))
        return
    for child in expr.children:
        _collect(child, encoded, found)


WORD_BITS = 32
WORDS_BYTES = 8  # the word of values and the word of nulls, before the table


@dataclass
class Columns:
    """The input columns of a kernel; their addresses are loaded once, at its entry."""

    cx: KernelContext
    schema: Schema
    layout: InputLayout
    lookups: tuple[Lookup, ...]
    _words: dict[tuple[str, str], ll.Value] = field(default_factory=dict)
    _tables: dict[Expr, ll.Value] = field(default_factory=dict)
    _bits: dict[Expr, tuple[ll.Value, ll.Value]] = field(default_factory=dict)
    in_registers: bool = False  # look up in the words, not in the tables
    first: ll.Value | None = None  # the row that columns begin with, if not the batch's first
    translated: frozenset[str] = frozenset()  # the columns of which the runtime has codes

    def __post_init__(self) -> None:
        args = self.cx.function.args[0]
        base = self.cx.load_field(args, KernelArgs, "columns", PTR)
        for position, column in enumerate(self.schema):
            for name in self._fields(column.name):
                offset = position * ctypes.sizeof(ColumnBlock) + offset_of(ColumnBlock, name)
                type_ = I64 if name in ("bit_offset", "dictionary_size") else PTR
                loaded = self.cx.b.load(self.cx.at(base, offset), typ=type_)
                self._words[column.name, name] = self._from_first(column, name, loaded)
        self._load_translations(args)
        tables = self.cx.load_field(args, KernelArgs, "lookups", PTR)
        for position, lookup in enumerate(self.lookups):
            address = self.cx.element(tables, i64(position), PTR)
            table = self.cx.b.load(address, typ=PTR)
            self._tables[lookup.expr] = self.cx.at(table, WORDS_BYTES)
            self._bits[lookup.expr] = (
                self.cx.b.load(table, typ=I32),
                self.cx.b.load(self.cx.at(table, 4), typ=I32),
            )

    def encoding(self, name: str) -> Encoding:
        """How a column lies in memory."""
        return self.layout.encodings[self.schema.index(name)]

    def column(self, cx: KernelContext, column: Column) -> Value:
        """The value of a column in the current row."""
        name, row = column.name, cx.index
        null = self.null(name, row)
        if column.type == BOOL:
            return Value(BOOL, self._bit(self._words[name, "data"], name, row), null)
        if not column.type.is_bytes:
            return Value(column.type, self._number(column, row), null)
        if self.encoding(name) is Encoding.PLAIN:
            return self._string(name, "offsets", "data", row, null)
        # The code behind a null may be anything: read entry 0 of a never empty dictionary.
        code = cx.b.sext(self._code(name, row), I64)
        if null is not None:
            code = cx.b.select(null, i64(0), code)
        return self._string(name, "dictionary_offsets", "dictionary_data", code, null)

    def runtime_code(self, cx: KernelContext, name: str) -> Value:
        """The code that the runtime has for a string, which is negative where it has none."""
        code, null = cx.b.sext(self._code(name, cx.index), I64), self.null(name, cx.index)
        if null is not None:
            code = cx.b.select(null, i64(0), code)
        address = cx.element(self._words[name, "translation"], code, I32)
        return Value(INT32, cx.b.load(address, typ=I32), null)

    def is_tabulated(self, expr: Expr) -> bool:
        """Whether an expression is looked up rather than computed."""
        return expr in self._tables

    def known(self, cx: KernelContext, expr: Expr) -> Value | None:
        """The tabulated value of an expression over one dictionary column."""
        table = self._tables.get(expr)
        if table is None:
            return None
        (name,) = expr.columns()
        code, null = cx.b.sext(self._code(name, cx.index), I64), self.null(name, cx.index)
        if null is not None:
            code = cx.b.select(null, self._words[name, "dictionary_size"], code)
        if self.in_registers:
            values, nulls = self._bits[expr]
            shift = cx.b.trunc(code, I32)
            value, null = (cx.b.trunc(cx.b.lshr(word, shift), I1) for word in (values, nulls))
        else:
            byte = cx.b.load(cx.at(table, code), typ=I8)
            value = cx.b.trunc(byte, I1)
            null = cx.b.trunc(cx.b.lshr(byte, ll.Constant(I8, 1)), I1)
        return Value(BOOL, value, null if expr.nullable else None)

    def fit_registers(self, expressions: list[Expr]) -> ll.Value | None:
        """Whether all look-ups of these expressions have small dictionaries, if there are any."""
        small: ll.Value | None = None
        for expr in {n for e in expressions for n in e.walk() if n in self._tables}:
            (name,) = expr.columns()
            # The code after the last one stands for null.
            fits = self.cx.b.icmp_signed("<", self.dictionary_size(name), i64(WORD_BITS))
            small = fits if small is None else self.cx.b.and_(small, fits)
        return small

    def null(self, name: str, row: ll.Value) -> ll.Value | None:
        """Whether a column is null in a row, or None where it never is."""
        if not self.schema[name].nullable:
            return None
        return self.cx.b.not_(self._bit(self._words[name, "validity"], name, row))

    def values(self, name: str) -> ll.Value:
        """The address of a column's values; of one with a dictionary, of its codes."""
        return self._words[name, "data"]

    def offsets(self, name: str) -> ll.Value:
        """The address of the offsets of plain strings."""
        return self._words[name, "offsets"]

    def fetch_ahead(self, name: str, row: ll.Value, distance: int) -> None:
        """Ask for a column's memory so many bytes behind a row; beyond its end, that does no harm.

        It is read once, so it need not stay in the caches.
        """
        column = self.schema[name]
        if column.type == BOOL:
            return  # a line has 512 rows
        base = self._words[name, "offsets" if self.is_text(name) else "data"]
        type_ = I32 if column.type.is_bytes else llvm_type(column.type)
        address = self.cx.element(base, row, type_)
        ahead = self.cx.b.gep(address, [i64(distance)], source_etype=I8)
        self.cx.prefetch(ahead, kept=0)

    def fetch_text(self, name: str, row: ll.Value) -> None:
        """Ask for the bytes of a row's string."""
        address = self.cx.element(self._words[name, "offsets"], row, I32)
        offset = self.cx.b.sext(self.cx.b.load(address, typ=I32), I64)
        self.cx.prefetch(self.cx.at(self._words[name, "data"], offset), kept=0)

    def is_text(self, name: str) -> bool:
        """Whether a column's strings lie in memory one behind the other."""
        return self.schema[name].type.is_bytes and self.encoding(name) is Encoding.PLAIN

    def word_of(self, expr: Expr) -> ll.Value:
        """A tabulated expression's values, a bit for each code, where the dictionary is small."""
        return self._bits[expr][0]

    def dictionary_entry(self, name: str, code: ll.Value) -> Value:
        """A value of a column's dictionary."""
        return self._string(name, "dictionary_offsets", "dictionary_data", code, None)

    def dictionary_size(self, name: str) -> ll.Value:
        """The number of values in a column's dictionary."""
        return self._words[name, "dictionary_size"]

    def table(self, lookup: Lookup) -> ll.Value:
        """The address of a look-up table."""
        return self._tables[lookup.expr]

    def _load_translations(self, args: ll.Value) -> None:
        if not self.translated:
            return
        base = self.cx.load_field(args, KernelArgs, "translations", PTR)
        for position, name in enumerate(self.schema.names):
            if name in self.translated:
                address = self.cx.element(base, i64(position), PTR)
                self._words[name, "translation"] = self.cx.b.load(address, typ=PTR)

    def _fields(self, name: str) -> list[str]:
        fields = ["data"]
        if self.schema[name].nullable:
            fields.append("validity")
        if self.schema[name].nullable or self.schema[name].type == BOOL:
            fields.append("bit_offset")
        if self.encoding(name) is Encoding.DICTIONARY:
            fields += ["dictionary_data", "dictionary_offsets", "dictionary_size"]
        elif self.schema[name].type.is_bytes:
            fields.append("offsets")
        return fields

    def _from_first(self, column: Field, name: str, word: ll.Value) -> ll.Value:
        """A word of a column so that row `first` is its first: no addition for each row."""
        if self.first is None:
            return word
        if name == "bit_offset":
            return self.cx.b.add(word, self.first)
        is_codes = self.encoding(column.name) is Encoding.DICTIONARY
        if name == "offsets" or (name == "data" and is_codes):
            return self.cx.element(word, self.first, I32)
        if name == "data" and column.type != BOOL and not column.type.is_bytes:
            return self.cx.element(word, self.first, llvm_type(column.type))
        return word

    def _number(self, column: Column, row: ll.Value) -> ll.Value:
        type_ = llvm_type(column.type)
        address = self.cx.element(self._words[column.name, "data"], row, type_)
        # Arrow aligns to 8 bytes at least; LLVM takes 16 for granted where it reads 16.
        align = 8 if column.type.is_decimal else None
        return self.cx.b.load(address, typ=type_, align=align)

    def _code(self, name: str, row: ll.Value) -> ll.Value:
        address = self.cx.element(self._words[name, "data"], row, I32)
        return self.cx.b.load(address, typ=I32)

    def _bit(self, bitmap: ll.Value, name: str, row: ll.Value) -> ll.Value:
        b = self.cx.b
        position = b.add(row, self._words[name, "bit_offset"])
        byte = b.load(self.cx.at(bitmap, b.lshr(position, i64(3))), typ=I8)
        shift = b.and_(b.trunc(position, I8), ll.Constant(I8, 7))
        return b.trunc(b.lshr(byte, shift), I1)

    def _string(
        self, name: str, offsets: str, data: str, index: ll.Value, null: ll.Value | None
    ) -> Value:
        cx = self.cx
        address = cx.element(self._words[name, offsets], index, I32)
        start = cx.b.load(address, typ=I32)
        end = cx.b.load(cx.at(address, 4), typ=I32)
        bytes_ = cx.at(self._words[name, data], cx.b.sext(start, I64))
        return Value(self.schema[name].type, bytes_, null, cx.b.sub(end, start))
