"""Adding rows to the windows of their keys, where those are sessions or counts of rows."""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, KernelArgs
from codegen_llvm.accumulators import Accumulator
from codegen_llvm.aggregates import accumulator
from codegen_llvm.builder import I32, I64, KernelContext
from codegen_llvm.columns import Lookup
from codegen_llvm.keyed_slots import WindowSlots
from codegen_llvm.keys import Key
from codegen_llvm.layout import InputLayout, SlotLayout
from codegen_llvm.rows import RowAggregator
from ir.pipelines import RowProgram


class KeyedRows(RowAggregator):
    """Generates the update of a key's windows by a row; a subclass for each kind of window."""

    def __init__(
        self,
        cx: KernelContext,
        program: RowProgram,
        layout: InputLayout,
        slots: SlotLayout,
        lookups: tuple[Lookup, ...],
    ) -> None:
        super().__init__(cx, program, layout, slots, lookups)
        self.direct = False  # whether the table is known to be complete
        self.rest: ll.Block | None = None  # where a row that is left out goes on
        self.windows: WindowSlots = WindowSlots(cx, program, self.table)

    def add(self, row: ll.Value) -> None:
        """Add one row that passed to its windows. All that can fail or leave comes first."""
        cx = self.cx
        cx.row = row
        self.enter(row)
        arguments = [self._arguments(a.call) for a in self.program.aggregates]
        keys = [self._key(position) for position in range(len(self.program.keys))]
        accumulators = [
            accumulator(cx, self.table, position, aggregate, values)
            for position, (aggregate, values) in enumerate(
                zip(self.program.aggregates, arguments, strict=True)
            )
        ]
        self.windows = WindowSlots(cx, self.program, self.table, accumulators)
        self.table.reserve_all(self.rooms(accumulators))
        self.add_to(self.find(keys))

    def find(self, keys: list[Key]) -> ll.Value:
        """The slot of the row's key, which is made if the key is new."""
        return self.table.find_or_insert(keys, self.windows.init)

    def rooms(self, accumulators: list[Accumulator]) -> list[ll.Value]:
        """The arena bytes that the row may need."""
        return [room for one in accumulators if (room := one.room()) is not None]

    def leave_out(self) -> None:
        """Go on with the next row."""
        self.cx.b.branch(self.rest)

    def enter(self, row: ll.Value) -> None:
        """What comes before a row's keys and arguments are evaluated: it may be late."""

    def add_to(self, slot: ll.Value) -> None:
        """Add the row to the windows of a key."""
        raise NotImplementedError

    def end_block(self, last: ll.Value) -> None:
        """What comes behind the rows before `last`, also those that were not given."""

    def write_back(self) -> None:
        """Store what the function keeps in registers, before it returns."""
        for variable, name in self._counters():
            before = self.cx.load_field(self.args, KernelArgs, name)
            value = self.cx.b.add(before, self.cx.b.load(variable, typ=I64))
            self.cx.store_field(value, self.args, KernelArgs, name)

    def finish(self) -> None:
        """Emit the exits."""
        for code, block in self.cx.tails.items():
            self.cx.b.position_at_end(block)
            self.write_back()
            self.cx.b.ret(ll.Constant(I32, int(code)))

    def hand_on(self, code: ll.Value) -> None:
        """Return an exit of a called function, which has filled in the arguments."""
        left = self.cx.b.icmp_signed("!=", code, ll.Constant(I32, int(Exit.DONE)))
        with self.cx.b.if_then(left, likely=False):
            self.write_back()
            self.cx.b.ret(code)

    def _counters(self) -> list[tuple[ll.Value, str]]:
        return [
            (self.done, "rows_passed"),
            (self.table.probes, "probes"),
            (self.late_count, "rows_late"),
        ]
