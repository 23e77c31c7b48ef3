"""Filling the look-up tables of a batch's dictionaries, in generated code."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import Exit
from codegen_llvm.builder import I1, I8, I32, PTR, KernelContext, i64, new_function
from codegen_llvm.columns import WORD_BITS, WORDS_BYTES, Columns, Lookup
from codegen_llvm.expressions import lower
from codegen_llvm.layout import InputLayout
from codegen_llvm.values import Value, null_bit
from ir import Column, Expr, Schema


def build_prepare(
    module: ll.Module,
    schema: Schema,
    layout: InputLayout,
    lookups: tuple[Lookup, ...],
    name: str,
) -> None:
    """The function `prepare(args)`: evaluate each look-up for every entry of its dictionary.

    If it leaves for more memory, it is called again and starts from the beginning.
    """
    cx = new_function(module, name, I32, (PTR,))
    cx.resume = i64(0)
    columns = Columns(cx, schema, layout, lookups)
    for lookup in lookups:
        words = (cx.variable(I32, ll.Constant(I32, 0)), cx.variable(I32, ll.Constant(I32, 0)))
        size = columns.dictionary_size(lookup.column)
        with cx.loop(i64(0), size, "entry") as code:
            cx.row = code
            entry = columns.dictionary_entry(lookup.column, code)
            _tabulate(cx, columns.table(lookup), words, code, lower_entry(cx, lookup, entry))
        if schema[lookup.column].nullable:
            cx.row = size
            any_entry = columns.dictionary_entry(lookup.column, i64(0))
            null = Value(any_entry.type, any_entry.payload, ll.Constant(I1, 1), any_entry.length)
            _tabulate(cx, columns.table(lookup), words, size, lower_entry(cx, lookup, null))
        for offset, word in zip((-WORDS_BYTES, 4 - WORDS_BYTES), words, strict=True):
            address = cx.at(columns.table(lookup), offset)
            cx.b.store(cx.b.load(word, typ=I32), address)
    cx.b.branch(cx.leave_block(Exit.DONE))
    cx.return_codes()


def lower_entry(cx: KernelContext, lookup: Lookup, entry: Value) -> Value:
    """The look-up's value for one entry of the dictionary."""
    return lower(cx, _OneEntry(entry), lookup.expr)


def _tabulate(
    cx: KernelContext,
    table: ll.Value,
    words: tuple[ll.Value, ll.Value],
    code: ll.Value,
    value: Value,
) -> None:
    null = cx.b.zext(null_bit(value), I8)
    byte = cx.b.or_(cx.b.zext(value.payload, I8), cx.b.shl(null, ll.Constant(I8, 1)))
    cx.b.store(byte, cx.at(table, code))
    fits = cx.b.icmp_unsigned("<", code, i64(WORD_BITS))
    with cx.b.if_then(fits):
        shift = cx.b.trunc(code, I32)
        for word, bit in zip(words, (value.payload, null_bit(value)), strict=True):
            set_ = cx.b.shl(cx.b.zext(bit, I32), shift)
            cx.b.store(cx.b.or_(cx.b.load(word, typ=I32), set_), word)


@dataclass(frozen=True)
class _OneEntry:
    """A scope in which the only column is one entry of its dictionary."""

    entry: Value

    def column(self, cx: KernelContext, column: Column) -> Value:
        """The entry."""
        return self.entry

    def known(self, cx: KernelContext, expr: Expr) -> Value | None:
        """Nothing is tabulated yet."""
        return None
