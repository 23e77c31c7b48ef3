"""Probes: what sampled rows of a batch show, written down without any effect on groups.

The instrumented variant is the generic kernel with such a function beside it: kernels stay as
they are, and profiling costs as much as the rows that are sampled. Those are short runs of
neighbours, one at a random place of every `step` rows, so that the order of times shows and
rows share cache lines.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from llvmlite import ir as ll

from codegen_llvm.abi import HASH_MULTIPLIER, ColumnBlock, KernelArgs
from codegen_llvm.builder import I1, I32, I64, PTR, KernelContext, i64, llvm_type, new_function
from codegen_llvm.columns import Columns
from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.expressions import lower
from codegen_llvm.keys import Key, hash_keys, normalize_key
from codegen_llvm.layout import Encoding, InputLayout
from codegen_llvm.values import Value, is_true, null_bit
from ir import BOOL, DATE, STRING, TIMESTAMP, Call, Cast, Column, DataType, EvalMode, Expr
from ir.pipelines import RowProgram, narrow_nulls
from ir.windows import time_of

PROBE = "probe"
# Bits of the word `flags`.
GROUPED = 1  # the row passed all filters and has its time: it belongs to a group
TIMED = 2  # the row's time was computed and is not null
_WORD_BITS = 64
# The memory of a run is asked for so many runs before: without, the probe of a YSB morsel took
# 1.5 times as long on codes and 1.3 times on strings.
_RUNS_AHEAD = 4


@dataclass(frozen=True, slots=True)
class SampleLayout:
    """The 64-bit words of a sampled row; they depend on the program, not on the input's layout.

    `outcome`, `key_nulls` and `column_nulls` have a bit for each filter, key and input column.
    Of a key, `key<i>` is its value where it counts as an integer, else a hash of it; a string
    column as key also has `code<i>`, its dictionary code, where the batch has codes. What is
    not `GROUPED` has no keys.
    """

    filters: int
    keys: tuple[Expr, ...]
    columns: tuple[str, ...]
    ranged: tuple[str, ...]  # the columns whose values are written down, as integers

    @property
    def fields(self) -> tuple[tuple[str, int], ...]:
        """The pieces of a sampled row in their order: name and words."""
        return (
            ("row", 1),  # its number in the batch
            ("run", 1),  # the number of the run that it is in
            ("flags", 1),
            ("time", 1),
            ("outcome", _bit_words(self.filters)),
            ("key_nulls", _bit_words(len(self.keys))),
            ("column_nulls", _bit_words(len(self.columns))),
            *((f"key{position}", 1) for position in range(len(self.keys))),
            *((f"code{position}", 1) for position in self.coded),
            *((f"value{position}", 1) for position in range(len(self.ranged))),
        )

    @property
    def words(self) -> int:
        """How many words a sampled row takes."""
        return sum(words for _, words in self.fields)

    @property
    def coded(self) -> tuple[int, ...]:
        """The keys that are string columns, which may come as dictionary codes."""
        return tuple(
            position
            for position, key in enumerate(self.keys)
            if isinstance(key, Column) and key.type == STRING
        )

    def offset(self, name: str) -> int:
        """The first word of a piece."""
        names = [field for field, _ in self.fields]
        return sum(words for _, words in self.fields[: names.index(name)])


def sample_layout(program: RowProgram) -> SampleLayout:
    """What probes of a program write down."""
    read: set[str] = set()
    for predicate in program.filters:
        if predicate.can_fail:
            read |= predicate.columns()
    numbers = [f for f in program.input if counts_as_integer(f.type) and f.type != BOOL]
    ranged = tuple(field.name for field in numbers if field.name in read)
    keys = tuple(key.expr for key in program.keys)
    return SampleLayout(len(program.filters), keys, program.input.names, ranged)


def tested_form(predicate: Expr) -> Expr:
    """A filter as a probe tests it: what fails is null, so that no other filter has to protect it.

    Where ranges prove that it cannot fail, it may be tested before the others.
    """
    if not predicate.can_fail:
        return predicate
    changed = predicate.with_children(tuple(map(tested_form, predicate.children)))
    match changed:
        case Call(function, args, EvalMode.ANSI):
            return Call(function, args, EvalMode.TRY)
        case Cast(child, type_, EvalMode.ANSI):
            return Cast(child, type_, EvalMode.TRY)
    return changed


def counts_as_integer(type_: DataType) -> bool:
    """Whether values of a key have a range: numbers without a fraction, days, times, bools."""
    return type_.is_integer or type_ in (BOOL, DATE, TIMESTAMP)


@dataclass(frozen=True)
class CompiledProbe:
    """The machine code of a probe; keeps it alive.

    `run` takes the addresses of a `KernelArgs` and of the memory for the sample, the rows from
    one run to the next and the most rows of a run, and returns how many rows it wrote. Of the
    arguments it reads the columns, the range of rows, `row_base` and the scratch memory.
    """

    sample: SampleLayout
    code: MachineCode
    run: Callable[[int, int, int, int], int]


def compile_probe(program: RowProgram, layout: InputLayout) -> CompiledProbe:
    """Generate and compile the probe of a program for one layout of its input."""
    # It runs over one row in 256 and is waited for by the first bet.
    code = compile_module(build_probe(program, layout), speed=1)
    word, address = ctypes.c_int64, ctypes.c_void_p
    run = code.function(PROBE, word, address, address, word, word)
    return CompiledProbe(sample_layout(program), code, run)


def build_probe(program: RowProgram, layout: InputLayout) -> ll.Module:
    """The module with the function `probe(args, sample, step, run rows) -> sampled rows`."""
    sample = sample_layout(program)
    if not layout.has_nulls:
        program = narrow_nulls(program, frozenset(program.input.names))
    module = ll.Module("kodiak probe")
    cx = new_function(module, PROBE, I64, (PTR, PTR, I64, I64))
    _Probe(cx, program, layout, sample).build()
    return module


class _Probe:
    """Generates the function; dictionary strings are read as such, without look-up tables.

    A row that fails, or whose strings outgrow the scratch memory, is left out of the sample:
    the exits of expressions go on with the next row. So a probe never reports an error. If
    one is due, the kernel reports it.
    """

    def __init__(
        self, cx: KernelContext, program: RowProgram, layout: InputLayout, sample: SampleLayout
    ) -> None:
        self.cx, self.program, self.sample = cx, program, sample
        self.columns = Columns(cx, program.input, layout, ())
        self.arrays = tuple(self._arrays())
        args = cx.function.args[0]
        self.begin = cx.load_field(args, KernelArgs, "row_begin")
        self.end = cx.load_field(args, KernelArgs, "row_end")
        self.base = cx.load_field(args, KernelArgs, "row_base")
        self.count = cx.local(I64, i64(0))
        self.passed = cx.local(I1, ll.Constant(I1, 1))
        self.timed = cx.local(I1, ll.Constant(I1, 0))
        self.place: ll.Value = cx.function.args[1]

    def build(self) -> None:
        """Emit run after run."""
        cx = self.cx
        step = cx.function.args[2]
        rows = cx.b.add(cx.b.sub(self.end, self.begin), cx.b.sub(step, i64(1)))
        runs = cx.b.udiv(rows, step)
        with cx.loop(i64(0), runs, "run") as run:
            ahead = self._least(cx.b.add(run, i64(_RUNS_AHEAD)), cx.b.sub(runs, i64(1)))
            self._prefetch(*self._run(ahead))
            start, stop = self._run(run)
            with cx.loop(start, stop, "row") as row:
                rest = cx.b.append_basic_block("row.next")
                self._write(row, run)
                cx.b.branch(rest)
                cx.b.position_at_end(rest)
        cx.b.ret(self.count.value)
        for tail in cx.tails.values():
            cx.b.position_at_end(tail)
            cx.b.branch(rest)

    def _run(self, run: ll.Value) -> tuple[ll.Value, ll.Value]:
        """The bounds of a run, at a random place of its step: data may have a period."""
        cx = self.cx
        _, _, step, run_rows = cx.function.args
        first = cx.b.add(self.begin, cx.b.mul(run, step))
        last = self._least(cx.b.add(first, step), self.end)
        spare = cx.b.sub(cx.b.sub(last, first), run_rows)
        spare = cx.b.select(cx.b.icmp_signed("<", spare, i64(0)), i64(0), spare)
        hash_ = cx.b.mul(cx.b.add(self.base, first), i64(HASH_MULTIPLIER))
        hash_ = cx.b.mul(cx.b.xor(hash_, cx.b.lshr(hash_, i64(32))), i64(HASH_MULTIPLIER))
        part = cx.b.mul(cx.b.lshr(hash_, i64(32)), cx.b.add(spare, i64(1)))
        start = cx.b.add(first, cx.b.lshr(part, i64(32)))
        return start, self._least(cx.b.add(start, run_rows), last)

    def _prefetch(self, start: ll.Value, stop: ll.Value) -> None:
        """Ask for the memory of a later run."""
        cx = self.cx
        fetch = cx.external("llvm.prefetch.p0", ll.VoidType(), PTR, I32, I32, I32)
        options = [ll.Constant(I32, option) for option in (0, 3, 1)]  # read, keep, data
        for address, type_ in self.arrays:
            for row in (start, stop):
                cx.b.call(fetch, [cx.element(address, row, type_), *options])

    def _arrays(self) -> Iterator[tuple[ll.Value, ll.Type]]:
        """The arrays with an element for each row, where they begin; bitmaps are small."""
        base = self.cx.load_field(self.cx.function.args[0], KernelArgs, "columns", PTR)
        for position, column in enumerate(self.program.input):
            block = self.cx.at(base, position * ctypes.sizeof(ColumnBlock))
            if self.columns.encoding(column.name) is Encoding.DICTIONARY:
                yield self.cx.load_field(block, ColumnBlock, "data", PTR), I32
            elif column.type.is_bytes:
                yield self.cx.load_field(block, ColumnBlock, "offsets", PTR), I32
            elif column.type != BOOL:
                yield self.cx.load_field(block, ColumnBlock, "data", PTR), llvm_type(column.type)

    def _write(self, row: ll.Value, run: ll.Value) -> None:
        """Write one row; it counts once nothing more can fail."""
        cx = self.cx
        begin = cx.b.mul(self.count.value, i64(8 * self.sample.words))
        self.place = cx.at(cx.function.args[1], begin)
        self._store(row, "row")
        self._store(run, "run")
        self._write_columns(row)
        self._test_filters(row)
        grouped = self._write_time(row)
        with cx.b.if_then(grouped):
            self._write_keys(row)
        flags = cx.b.shl(cx.b.zext(self.timed.value, I64), i64(TIMED.bit_length() - 1))
        self._store(cx.b.or_(flags, cx.b.zext(grouped, I64)), "flags")
        self.count.add(i64(1))

    def _write_columns(self, row: ll.Value) -> None:
        cx = self.cx
        cx.row = row
        nulls = []
        for name in self.sample.columns:
            null = self.columns.null(name, row)
            nulls.append(ll.Constant(I1, 0) if null is None else null)
        self._store_bits(nulls, "column_nulls")
        for position, name in enumerate(self.sample.ranged):
            field = self.program.input[name]
            value = self.columns.column(cx, Column(name, field.type, field.nullable))
            self._store(self._integer(value), f"value{position}")

    def _test_filters(self, row: ll.Value) -> None:
        """Every filter for every row, but one that fails in any form only where others pass."""
        cx = self.cx
        self.passed.set(ll.Constant(I1, 1))
        outcomes = []
        for predicate in map(tested_form, self.program.filters):
            outcome = cx.local(I1, ll.Constant(I1, 0))
            with self._where_passed(predicate):
                cx.row = row
                outcome.set(is_true(cx, lower(cx, self.columns, predicate)))
            outcomes.append(outcome.value)
            self.passed.set(cx.b.and_(self.passed.value, outcomes[-1]))
        self._store_bits(outcomes, "outcome")

    def _write_time(self, row: ll.Value) -> ll.Value:
        """The time of the window, or that of the watermark; whether the row is in a group."""
        cx = self.cx
        self.timed.set(ll.Constant(I1, 0))
        time = self._time()
        if time is None:
            return self.passed.value
        with self._where_passed(time):
            cx.row = row
            value = lower(cx, self.columns, time)
            self._store(value.payload, "time")
            self.timed.set(cx.b.not_(null_bit(value)))
        if time_of(self.program.window) is None:
            return self.passed.value
        return cx.b.and_(self.passed.value, self.timed.value)

    def _time(self) -> Expr | None:
        if self.program.watermark is None:
            return time_of(self.program.window)
        field = self.program.input[self.program.watermark]
        column = Column(field.name, field.type, field.nullable)
        return time_of(self.program.window) or column

    def _write_keys(self, row: ll.Value) -> None:
        cx, nulls = self.cx, []
        for position, key in enumerate(self.program.keys):
            cx.row = row
            value = normalize_key(cx, lower(cx, self.columns, key.expr))
            nulls.append(null_bit(value))
            if counts_as_integer(value.type):
                word = self._integer(value)
            else:
                word = hash_keys(cx, [Key(f"key{position}", value, 0)])
            self._store(word, f"key{position}")
            if position in self.sample.coded:
                self._store(self._code(key.expr, value, row), f"code{position}")
        self._store_bits(nulls, "key_nulls")

    def _code(self, key: Expr, value: Value, row: ll.Value) -> ll.Value:
        """The dictionary code of a string; the one behind a null may be anything."""
        assert isinstance(key, Column)
        if self.columns.encoding(key.name) is not Encoding.DICTIONARY:
            return i64(0)
        address = self.cx.element(self.columns.values(key.name), row, I32)
        code = self.cx.b.sext(self.cx.b.load(address, typ=I32), I64)
        return self.cx.b.select(null_bit(value), i64(0), code)

    def _where_passed(self, expr: Expr) -> AbstractContextManager[object]:
        """Around the code of an expression that is evaluated only where it cannot fail wrongly."""
        if expr.can_fail:
            held: AbstractContextManager[object] = self.cx.b.if_then(self.passed.value)
            return held
        return nullcontext()

    def _integer(self, value: Value) -> ll.Value:
        widen = self.cx.b.zext if value.type == BOOL else self.cx.b.sext
        return value.payload if value.payload.type == I64 else widen(value.payload, I64)

    def _store(self, word: ll.Value, name: str, further: int = 0) -> None:
        at = 8 * (self.sample.offset(name) + further)
        self.cx.b.store(word, self.cx.at(self.place, at))

    def _store_bits(self, bits: list[ll.Value], name: str) -> None:
        for word in range(_bit_words(len(bits))):
            joined: ll.Value = i64(0)
            for shift, bit in enumerate(bits[word * _WORD_BITS : (word + 1) * _WORD_BITS]):
                set_ = self.cx.b.shl(self.cx.b.zext(bit, I64), i64(shift))
                joined = self.cx.b.or_(joined, set_)
            self._store(joined, name, word)

    def _least(self, left: ll.Value, right: ll.Value) -> ll.Value:
        return self.cx.b.select(self.cx.b.icmp_signed("<", left, right), left, right)


def _bit_words(bits: int) -> int:
    """The words that so many bits take; one at least."""
    return max(1, -(-bits // _WORD_BITS))
