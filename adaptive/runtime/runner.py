"""Running a plan over Arrow batches in one thread."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from adaptive.loop.history import History
from adaptive.runtime.adaptation import Adaptation, adaptation
from adaptive.runtime.binder import Binder
from adaptive.runtime.binding import arrow_schema
from adaptive.runtime.combine import WindowTable
from adaptive.runtime.export import export_groups
from adaptive.runtime.group_kernels import GroupKernels
from adaptive.runtime.state import GroupState, Table
from adaptive.runtime.unsupported import UnsupportedPlan
from codegen_llvm import SlotLayout, slot_layout, unsupported
from codegen_llvm.abi import Exit
from ir import GENERIC, Sink
from ir.pipelines import RowProgram, cut, flatten
from policies import Fixed, Policy

# Slices with a table each. Beyond that, rows are scattered over time so thinly
# that a table for each costs more than it saves, and one table takes them all.
MOST_SLICES = 1024


def supported_program(plan: Sink) -> RowProgram:
    """The plan as kernels run it; raises where there is no code for it."""
    reasons = unsupported(plan)
    if reasons:
        raise UnsupportedPlan("; ".join(reasons))
    return flatten(cut(plan)[0])


class PlanRunner:
    """The groups of one plan, fed batch by batch; results are exact whatever the policy.

    `loop` is one that other runners of the same plan have learned in, or will. Who runs a plan
    again and again keeps its `supported_program`.
    """

    def __init__(
        self,
        plan: Sink | RowProgram,
        policy: Policy | None = None,
        most_slices: int = MOST_SLICES,
        loop: Adaptation | None = None,
    ) -> None:
        self.program = supported_program(plan) if isinstance(plan, Sink) else plan
        self._bound = Binder(self.program.input)
        self._loop = loop or adaptation(self.program, policy or Fixed())
        self._most_slices = most_slices
        self._layouts: dict[bool, SlotLayout] = {}
        self._kernels = GroupKernels(self.program, self._new_state(slice_is_key=False))
        self._kernels.slices_are_keys = self.program.slices is not None
        self._args = self._kernels.driver.args
        self._spilled: WindowTable | None = None

    @property
    def history(self) -> History:
        """The variants that ran, and why."""
        return self._loop.history

    @property
    def generic(self) -> GroupState:
        """The groups that the generic variant has made."""
        return self._kernels.states.generic

    def start_with(self, state: GroupState) -> None:
        """Forget all groups, and go on with this state."""
        self._kernels.start_anew(state)

    @property
    def state_bytes(self) -> int:
        """The memory that the groups take."""
        spilled = 0 if self._spilled is None else self._spilled.bytes
        return self._kernels.states.bytes + spilled

    @property
    def scratch_bytes(self) -> int:
        """The memory for the strings that one row makes."""
        return self._kernels.driver.scratch_bytes

    @property
    def groups(self) -> int:
        """How many groups there are; one that is in several tables counts for each."""
        spilled = 0 if self._spilled is None else self._spilled.groups
        return self._kernels.states.groups + spilled

    @property
    def spilled(self) -> bool:
        """Whether an integer sum has left 64 bits, so that groups are combined of parts."""
        return self._spilled is not None

    def consume(self, batch: pa.RecordBatch) -> None:
        """Add the rows of a batch; after an error, how many of its rows count is undefined."""
        if not batch.num_rows:
            return
        bound = self._bound(batch)
        spec = self._loop.begin(self._kernels, bound, 0, bound.rows)
        while (code := self._kernels.run(spec)) != Exit.DONE:
            self._serve(code)
        self._args.row_base += bound.rows
        self._loop.end(0, self._kernels, spec)

    def drain(self) -> Iterator[pa.RecordBatch]:
        """The groups as output rows; the next batch starts with none."""
        self._loop.leave(self._kernels)
        states, spilled = self._kernels.states, self._spilled
        self._spilled = None
        slice_is_key = states.generic.layout.slice_is_key
        self.start_with(self._new_state(slice_is_key))
        filled = [state for state in states.all() if state.groups]
        if spilled is None and len(filled) <= 1:
            yield from export_groups(self.program, filled[0] if filled else states.generic)
        else:
            spilled = spilled or self._wide_table()
            for state in filled:
                for table in state.tables.values():
                    spilled.add(table)
            yield spilled.export()
            spilled.release()
        for state in states.all():
            state.release()

    def finish(self) -> pa.Table:
        """The groups as one table."""
        return pa.Table.from_batches(self.drain(), arrow_schema(self.program.output))

    def _serve(self, code: Exit) -> None:
        """Do what a kernel left for; it goes on at the row where it left."""
        state = self._kernels.state
        match code:
            case Exit.NEW_SLICE if self._has_most_slices(state):
                self._share_one_table()
            case Exit.NEW_SLICE:
                state.add_slice(int(self._args.detail))
            case Exit.SPILL:
                self._spill(state.replace_current())

    def _has_most_slices(self, state: GroupState) -> bool:
        return len(state.tables) >= self._most_slices

    def _spill(self, piece: Table) -> None:
        """Add a table's groups to sums that are wide enough."""
        if self._spilled is None:
            self._spilled = self._wide_table()
        self._spilled.add(piece)
        piece.release()

    def _wide_table(self) -> WindowTable:
        return WindowTable(self.program, slice_is_key=self.program.slices is not None)

    def _share_one_table(self) -> None:
        """Move the groups of all slices into one table that has the slice as a key.

        Groups of other forms are set aside: variants that need one find only this table.
        """
        states = self._kernels.states
        old = states.generic
        for state in states.all():
            if state is not old:
                for table in state.tables.values():
                    self._spill(table)
        new = self._new_state(slice_is_key=True)
        self.start_with(new)
        variant = self._kernels.code(GENERIC, new.layout).variant
        new.current.grow(variant, at_least=old.groups)
        assert variant.migrate is not None
        for start, piece in old.tables.items():
            variant.migrate(int(piece.block.slots), piece.slot_count, new.current.address, start)
            new.current.adopt_strings(piece)
        new.current.block.count = old.groups
        old.release()

    def _new_state(self, slice_is_key: bool) -> GroupState:
        window = self.program.slices
        if slice_is_key not in self._layouts:
            self._layouts[slice_is_key] = slot_layout(self.program, slice_is_key)
        return GroupState(self._layouts[slice_is_key], 0 if window is None else window.offset_us)
