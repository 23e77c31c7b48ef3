"""Adding rows to their groups: the part of a kernel that has effects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llvmlite import ir as ll

from codegen_llvm.abi import KernelArgs
from codegen_llvm.accumulators import Accumulator
from codegen_llvm.aggregates import accumulator
from codegen_llvm.builder import I32, I64, PTR, KernelContext, i64
from codegen_llvm.columns import Columns, Lookup
from codegen_llvm.expressions import lower
from codegen_llvm.keys import Key, normalize_key
from codegen_llvm.layout import ROWS, InputLayout, SlotLayout, columns_of_codes
from codegen_llvm.shared_table import SharedTable
from codegen_llvm.slices import LateRows, Slices
from codegen_llvm.table import Table, table_registers
from codegen_llvm.values import Value, any_null
from ir import STRING, TIMESTAMP, AggregateCall, Column, Prefetch
from ir.pipelines import RowProgram

_SHARED_AHEAD = 16  # rows between asking for memory and using it, where threads share a table
_MOST_AHEAD = 1 << 20
# Rows that were selected are read with gaps, which hardware does not see through. On a Zen 5 core,
# with a third of the rows selected, asking 8 KiB ahead made YSB run 1.13 times as fast as 2 KiB
# ahead with 100 keys, 1.17 with 10,000 (strings 1.07 and 1.01), and 1.0 to 1.15 with 1 to 100 % of
# the rows selected. 4 KiB gained less with codes, 64 KiB less with strings.
_STREAM_AHEAD_BYTES = 8192
_MOST_STREAMS = 4  # columns; with more, asking takes longer than waiting


class RowAggregator:
    """Generates the update of a group by a row, in a function that takes `KernelArgs` first.

    The current table lives in registers of that function; its exits write the
    counters back.
    """

    def __init__(
        self,
        cx: KernelContext,
        program: RowProgram,
        layout: InputLayout,
        slots: SlotLayout,
        lookups: tuple[Lookup, ...],
        first: ll.Value | None = None,
        ahead: Prefetch | None = None,
    ) -> None:
        self.cx, self.program, self.slots = cx, program, slots
        default = _SHARED_AHEAD if slots.shared else 0
        self.rows_ahead = default if ahead is None else ahead.rows_ahead
        self.args = cx.function.args[0]
        coded = columns_of_codes(program) if slots.dense else frozenset()
        self.columns = Columns(cx, program.input, layout, lookups, first=first, translated=coded)
        self.state = cx.load_field(self.args, KernelArgs, "state", PTR)
        self.done = cx.variable(I64, i64(0))  # the rows that were added to their groups
        probes = cx.variable(I64, i64(0))
        self.registers = table_registers(cx, self.state, slots)
        kind = SharedTable if slots.shared else Table
        self.table = kind(cx, slots, self.state, self.registers, probes)
        self.late: LateRows | None = None
        self.late_count = cx.variable(I64, i64(0))
        if program.watermark is not None:
            self.late_before = cx.load_field(self.args, KernelArgs, "late_before")

    def aggregate(
        self,
        row: ll.Value,
        index: ll.Value | None = None,
        *,
        in_slice: bool = False,
        direct: bool = False,
    ) -> None:
        """Add one row that passed to its group. All that can fail or leave comes first.

        `in_slice`: the row's slice is known to be the current one. `direct`: the
        current table is known to be complete.
        """
        cx = self.cx
        cx.go_to(row, row if index is None else index)
        # First the slice: a late row is not evaluated, so it cannot fail.
        keys = [] if in_slice else self._enter_slice()
        arguments = [self._arguments(a.call) for a in self.program.aggregates]
        keys += [self._key(position) for position in range(len(self.program.keys))]
        accumulators = [
            accumulator(cx, self.table, position, aggregate, values)
            for position, (aggregate, values) in enumerate(
                zip(self.program.aggregates, arguments, strict=True)
            )
        ]
        self.table.reserve_all([room for a in accumulators if (room := a.room()) is not None])

        def init(slot: ll.Value) -> None:
            for one in accumulators:
                one.init(slot)
            if self.slots.rows == ROWS:
                cx.b.store(i64(0), cx.at(slot, self.slots.offset(ROWS)))

        self.table.incomplete = self._incomplete(keys, accumulators)
        slot = self.table.find_or_insert(keys, init, self._always_seen(accumulators), direct=direct)
        with self.table.updating(slot):
            stores = [one.prepare(slot) for one in accumulators]
            for store in stores:
                store()
            if self.slots.rows == ROWS:
                self.table.add_word(cx.at(slot, self.slots.offset(ROWS)), i64(1))
            self._mark_seen(slot, accumulators)

    def look_ahead(
        self, index: ll.Value, end: ll.Value, index_of: Callable[[ll.Value], ll.Value]
    ) -> None:
        """Ask for the memory of a later row's home, if a hint says so or threads share the table.

        An atomic instruction waits for all memory before it, so that a CPU would
        fetch the slots of rows one after another. With 1 M groups, a shared sum ran
        1.4 to 1.6 times as fast with this on one thread and 1.2 to 1.4 times on two;
        with 100 groups, which are better not shared, 0.85 to 0.97 times.
        """
        keys = [key.expr for key in self.program.keys]
        dense = self.slots.dense
        fixed = all(isinstance(key, Column) and (dense or not key.type.is_bytes) for key in keys)
        if not (keys and fixed) or self.slots.slice_is_key or self.rows_ahead < 1:
            return
        b, last = self.cx.b, self.cx.b.sub(end, i64(1))
        ahead = b.add(index, i64(min(self.rows_ahead, _MOST_AHEAD)))
        self.cx.row = index_of(b.select(b.icmp_signed("<", ahead, last), ahead, last))
        self.table.prefetch([self._key(position) for position in range(len(keys))])

    def stream_ahead(self, index: ll.Value) -> None:
        """Ask for the columns behind a row that was selected."""
        for name in self._read_columns():
            self.columns.fetch_ahead(name, index, _STREAM_AHEAD_BYTES)

    def _read_columns(self) -> list[str]:
        """The columns that are read of rows that passed, if they are few."""
        read = [key.expr for key in self.program.keys]
        read += [argument for a in self.program.aggregates for argument in a.call.arguments]
        names = sorted({name for expr in read for name in expr.columns()})
        return names if len(names) <= _MOST_STREAMS else []

    def fetch_row(self, row: ll.Value, sooner: ll.Value) -> None:
        """Ask for what a later row has in the columns, and for the texts of one that comes sooner.

        Where to find these is in memory that was asked for before.
        """
        for name in self._read_columns():
            self.columns.fetch_ahead(name, row, 0)
            if self.columns.is_text(name):
                self.columns.fetch_text(name, sooner)

    @property
    def reads_texts(self) -> bool:
        """Whether rows have texts that lie one behind the other."""
        return any(self.columns.is_text(name) for name in self._read_columns())

    def finish(self) -> None:
        """Emit the exits: each writes the counters back before it returns."""
        for code, block in self.cx.tails.items():
            self.cx.b.position_at_end(block)
            for variable, name in self._counters():
                before = self.cx.load_field(self.args, KernelArgs, name)
                value = self.cx.b.add(before, self.cx.b.load(variable, typ=I64))
                self.cx.store_field(value, self.args, KernelArgs, name)
            self.cx.b.ret(ll.Constant(I32, int(code)))

    @contextmanager
    def each(self) -> Iterator[None]:
        """Around the update by one row: what is late goes on behind it."""
        if self.program.watermark is None:
            yield
            return
        rest = self.cx.b.append_basic_block("row.rest")
        self.late = LateRows(self.late_before, self.late_count, rest)
        yield
        self.cx.b.branch(rest)
        self.cx.b.position_at_end(rest)

    def _counters(self) -> list[tuple[ll.Value, str]]:
        counters = [(self.done, "rows_passed"), (self.table.probes, "probes")]
        if self.program.watermark is not None:
            counters.append((self.late_count, "rows_late"))
        return counters

    def _arguments(self, call: AggregateCall) -> list[Value]:
        return [lower(self.cx, self.columns, argument) for argument in call.arguments]

    def _enter_slice(self) -> list[Key]:
        """Bring the row's slice into the registers; it is a key where slices share a table."""
        window = self.program.slices
        if window is None:
            return []
        time = lower(self.cx, self.columns, window.time).payload
        slices = Slices(self.cx, window, self.state, self.registers, self.late)
        if not self.slots.slice_is_key:
            slices.enter(time)
            return []
        return [Key("slice", Value(TIMESTAMP, slices.track(time)), 0)]

    def _key(self, position: int) -> Key:
        expr = self.program.keys[position].expr
        if self.slots.dense and isinstance(expr, Column) and expr.type == STRING:
            value = self.columns.runtime_code(self.cx, expr.name)
        else:
            value = lower(self.cx, self.columns, expr)
        return Key(
            f"key{position}", normalize_key(self.cx, value), self.slots.key_null_bit(position)
        )

    def _always_seen(self, accumulators: list[Accumulator]) -> int:
        """The seen bits that every row of this batch sets: the table sets them when it must."""
        if self.slots.locked:
            return 0  # so that a tag changes under the slot's lock only
        return sum(
            a.seen_bit
            for a in accumulators
            if self.slots.tracks_seen(a.position) and not a.skips_rows and not a.type.is_bytes
        )

    def _incomplete(self, keys: list[Key], accumulators: list[Accumulator]) -> ll.Value | None:
        """Whether a group made by this row has a null key or an aggregate without a value."""
        if self.slots.direct is None:
            return None
        values = [key.value for key in keys]
        for one in accumulators:
            if one.argument is not None and self.slots.tracks_seen(one.position):
                values.append(one.argument)
        return any_null(self.cx, *values)

    def _mark_seen(self, slot: ll.Value, accumulators: list[Accumulator]) -> None:
        """Set the bits of the other aggregates that have a value now."""
        always = self._always_seen(accumulators)
        bits: ll.Value = i64(0)
        for one in accumulators:
            if self.slots.tracks_seen(one.position) and not one.seen_bit & always:
                bits = self.cx.b.or_(bits, one.seen())
        if isinstance(bits, ll.Constant):
            return
        self.table.mark(slot, bits)
