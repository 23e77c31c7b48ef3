"""Reading the buffers of a batch from Arrow's C data interface, by compiled code.

One call for a batch. Asking pyarrow for each array, buffer and address took 80 us for the
four columns of YSB where the caches hold the rows of the batch before, a twentieth of the
time of a million rows; this takes about 10.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from llvmlite import ir as ll

from codegen_llvm.abi import ArrowArray, ColumnBlock, ColumnForm
from codegen_llvm.builder import I64, PTR, KernelContext, i64, new_function
from codegen_llvm.compile import MachineCode, compile_module

# How values lie in memory; a positive number is their width in bytes.
BITS, BYTES, CODES = 0, -1, -2
UNUSUAL = -1  # something that only the host can sort out
_NULL = ll.Constant(PTR, None)


def bind_columns(
    batch: int, forms: int, count: int, blocks: int, nulls: int, ones: int, ones_bytes: int
) -> int:
    """Fill `count` column blocks from an exported batch, which is released.

    Each of `forms` says which column it is and how it lies in memory; the numbers of nulls go
    to `nulls`. Where any column has some, one without a bitmap gets `ones`, of so many bytes.
    Returns how many nulls there are, or UNUSUAL: then nothing of the blocks counts.
    """
    return _compiled().bind(batch, forms, count, blocks, nulls, ones, ones_bytes)


class _Binding:
    """The compiled function, and the machine code that it needs to stay alive."""

    def __init__(self) -> None:
        module = ll.Module("arrow_columns")
        _build(module)
        self.code: MachineCode = compile_module(module)
        address, word = ctypes.c_void_p, ctypes.c_int64
        self.bind: Callable[..., int] = self.code.brief(
            "bind", word, address, address, word, address, address, address, word
        )


@cache
def _compiled() -> _Binding:
    return _Binding()


def _build(module: ll.Module) -> None:
    cx = new_function(module, "bind", I64, (PTR, PTR, I64, PTR, PTR, PTR, I64))
    batch, forms, count, blocks, nulls, ones, ones_bytes = cx.function.args
    total = cx.variable(I64, i64(0))
    unusual = cx.b.append_basic_block("unusual")
    with cx.loop(i64(0), count, "column") as index:
        column = _Column(cx, batch, forms, blocks, index, unusual)
        found = column.nulls()
        cx.b.store(found, cx.element(nulls, index, I64))
        cx.count_up(total, found)
        column.fill()
    with cx.b.if_then(cx.b.icmp_signed("!=", cx.b.load(total, typ=I64), i64(0))):
        with cx.loop(i64(0), count, "validity") as index:
            _Column(cx, batch, forms, blocks, index, unusual).fill_validity(ones, ones_bytes)
    _release(cx, batch)
    cx.b.ret(cx.b.load(total, typ=I64))
    cx.b.position_at_end(unusual)
    _release(cx, batch)
    cx.b.ret(i64(UNUSUAL))


def _release(cx: KernelContext, batch: ll.Value) -> None:
    """Whoever has bound the batch keeps it alive; the exported structure was only to be read."""
    type_ = ll.FunctionType(ll.VoidType(), [PTR])
    release = cx.load_field(batch, ArrowArray, "release", type_.as_pointer())
    cx.b.call(release, [batch])


class _Column:
    """One column of the batch, and the block for it."""

    def __init__(
        self,
        cx: KernelContext,
        batch: ll.Value,
        forms: ll.Value,
        blocks: ll.Value,
        index: ll.Value,
        unusual: ll.Block,
    ) -> None:
        self.cx, self.unusual = cx, unusual
        form = cx.at(forms, cx.b.mul(index, i64(ctypes.sizeof(ColumnForm))))
        self.block = cx.at(blocks, cx.b.mul(index, i64(ctypes.sizeof(ColumnBlock))))
        self.form = cx.load_field(form, ColumnForm, "form")
        self.nullable = cx.load_field(form, ColumnForm, "nullable")
        children = cx.load_field(batch, ArrowArray, "children", PTR)
        position = cx.load_field(form, ColumnForm, "position")
        self.array = cx.b.load(cx.element(children, position, PTR), typ=PTR)
        self.offset = cx.load_field(self.array, ArrowArray, "offset")

    def nulls(self) -> ll.Value:
        """How many values are null; unusual if nobody has counted, or if there should be none."""
        cx = self.cx
        counted = cx.load_field(self.array, ArrowArray, "null_count")
        has_bitmap = cx.b.icmp_unsigned("!=", self._buffer(self.array, 0), _NULL)
        found = cx.b.select(has_bitmap, counted, i64(0))
        cx.branch_if(cx.b.icmp_signed("<", found, i64(0)), self.unusual)
        some = cx.b.icmp_signed("!=", found, i64(0))
        forbidden = cx.b.icmp_signed("==", self.nullable, i64(0))
        cx.branch_if(cx.b.and_(some, forbidden), self.unusual)
        return found

    def fill(self) -> None:
        """The addresses of the values."""
        cx = self.cx
        cx.store_field(self.offset, self.block, ColumnBlock, "bit_offset")
        is_codes = cx.b.icmp_signed("==", self.form, i64(CODES))
        is_bytes = cx.b.icmp_signed("==", self.form, i64(BYTES))
        with cx.b.if_else(is_bytes) as (bytes_, others):
            with bytes_:
                self._store("offsets", self.array, 1, cx.b.mul(self.offset, i64(4)))
                self._store("data", self.array, 2, i64(0))
            with others:
                width = cx.b.select(is_codes, i64(4), self.form)
                self._store("data", self.array, 1, cx.b.mul(self.offset, width))
        with cx.b.if_then(is_codes):
            self._fill_dictionary()

    def _fill_dictionary(self) -> None:
        cx = self.cx
        values = cx.load_field(self.array, ArrowArray, "dictionary", PTR)
        size = cx.load_field(values, ArrowArray, "length")
        empty = cx.b.icmp_signed("==", size, i64(0))
        with_bitmap = cx.b.icmp_unsigned("!=", self._buffer(values, 0), _NULL)
        uncertain = cx.b.icmp_signed("!=", cx.load_field(values, ArrowArray, "null_count"), i64(0))
        cx.branch_if(cx.b.or_(empty, cx.b.and_(with_bitmap, uncertain)), self.unusual)
        offset = cx.load_field(values, ArrowArray, "offset")
        self._store("dictionary_offsets", values, 1, cx.b.mul(offset, i64(4)))
        self._store("dictionary_data", values, 2, i64(0))
        cx.store_field(size, self.block, ColumnBlock, "dictionary_size")

    def fill_validity(self, ones: ll.Value, ones_bytes: ll.Value) -> None:
        """The bitmap, or one that says that nothing is null, if that is long enough."""
        cx = self.cx
        bitmap = self._buffer(self.array, 0)
        missing = cx.b.icmp_unsigned("==", bitmap, _NULL)
        rows = cx.load_field(self.array, ArrowArray, "length")
        needed = cx.b.add(cx.b.lshr(cx.b.add(self.offset, rows), i64(3)), i64(2))
        short = cx.b.icmp_signed("<", ones_bytes, needed)
        cx.branch_if(cx.b.and_(missing, short), self.unusual)
        address = cx.b.ptrtoint(cx.b.select(missing, ones, bitmap), I64)
        cx.store_field(address, self.block, ColumnBlock, "validity")

    def _buffer(self, array: ll.Value, number: int) -> ll.Value:
        buffers = self.cx.load_field(array, ArrowArray, "buffers", PTR)
        return self.cx.b.load(self.cx.element(buffers, i64(number), PTR), typ=PTR)

    def _store(self, field: str, array: ll.Value, number: int, skipped: ll.Value) -> None:
        """The address of a buffer, so many bytes further; unusual where Arrow left it out."""
        cx = self.cx
        address = cx.b.ptrtoint(self._buffer(array, number), I64)
        cx.branch_if(cx.b.icmp_signed("==", address, i64(0)), self.unusual)
        cx.store_field(cx.b.add(address, skipped), self.block, ColumnBlock, field)
