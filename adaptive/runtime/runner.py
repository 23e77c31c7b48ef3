"""Running a plan over Arrow batches in one thread."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pyarrow as pa

from adaptive.runtime.binding import BoundBatch, arrow_schema, bind
from adaptive.runtime.combine import WindowTable
from adaptive.runtime.driver import KernelDriver
from adaptive.runtime.export import export_groups
from adaptive.runtime.kernels import VARIANTS
from adaptive.runtime.state import GroupState
from adaptive.runtime.unsupported import UnsupportedPlan
from codegen_llvm import CompiledVariant, InputLayout, slot_layout, unsupported
from codegen_llvm.abi import Exit
from ir import GENERIC, Sink, Tier, VariantSpec
from ir.pipelines import cut, flatten
from policies import Fixed, Policy, Specialize
from profiler import Observation, Profile

# Slices with a table each. Beyond that, rows are scattered over time so thinly
# that a table for each costs more than it saves, and one table takes them all.
MOST_SLICES = 1024


class PlanRunner:
    """The groups of one plan, fed batch by batch; results are exact whatever the policy."""

    def __init__(
        self, plan: Sink, policy: Policy | None = None, most_slices: int = MOST_SLICES
    ) -> None:
        reasons = unsupported(plan)
        if reasons:
            raise UnsupportedPlan("; ".join(reasons))
        self.program = flatten(cut(plan)[0])
        self.seen = Observation(0)
        self._policy = Fixed() if policy is None else policy
        self._most_slices = most_slices
        self._variants: dict[tuple[InputLayout, VariantSpec, bool], CompiledVariant] = {}
        self._driver = KernelDriver()
        self._spilled: WindowTable | None = None
        self._new_state(slice_is_key=False)

    @property
    def state_bytes(self) -> int:
        """The memory that the groups take."""
        return self._state.bytes + (0 if self._spilled is None else self._spilled.bytes)

    @property
    def scratch_bytes(self) -> int:
        """The memory for the strings that one row makes."""
        return self._driver.scratch_bytes

    @property
    def groups(self) -> int:
        """How many groups there are; one that was spilled may count twice."""
        return self._state.groups + (0 if self._spilled is None else self._spilled.groups)

    @property
    def spilled(self) -> bool:
        """Whether an integer sum has left 64 bits, so that groups are combined of parts."""
        return self._spilled is not None

    def consume(self, batch: pa.RecordBatch) -> None:
        """Add the rows of a batch; after an error, how many of its rows count is undefined."""
        if not batch.num_rows:
            return
        bound = bind(batch, self.program.input)
        spec = self._choose()
        before = (self._driver.args.rows_passed, self._driver.args.probes)
        begin = time.perf_counter_ns()
        self._run(bound, spec)
        self._driver.args.row_base += bound.rows
        self.seen = self.seen.plus(
            Observation(
                bound.rows,
                int(self._driver.args.rows_passed) - before[0],
                int(self._driver.args.probes) - before[1],
                elapsed_ns=time.perf_counter_ns() - begin,
            )
        )

    def drain(self) -> Iterator[pa.RecordBatch]:
        """The groups as output rows; the next batch starts with none."""
        state, spilled = self._state, self._spilled
        self._spilled = None
        self._new_state(slice_is_key=state.layout.slice_is_key)
        if spilled is None:
            yield from export_groups(self.program, state)
        else:
            for table in state.tables.values():
                spilled.add(table)
            yield spilled.export()
            spilled.release()
        state.release()

    def finish(self) -> pa.Table:
        """The groups as one table."""
        return pa.Table.from_batches(self.drain(), arrow_schema(self.program.output))

    def _choose(self) -> VariantSpec:
        """The variant that the policy wants for what the pipeline has seen so far."""
        decision = self._policy.decide(Profile(self.seen.rows))
        if not isinstance(decision, Specialize):
            return GENERIC
        hints = GENERIC.hints if decision.hints is None else decision.hints
        return VariantSpec(Tier.SPECULATIVE, decision.assumptions, hints)

    def _run(self, bound: BoundBatch, spec: VariantSpec) -> None:
        self._driver.begin(bound, 0, bound.rows)
        while True:
            variant = self._variant(bound.layout, spec)
            code = self._driver.run(variant, self._state.address)
            if code == Exit.DONE:
                return
            self._serve(code, variant)

    def _serve(self, code: Exit, variant: CompiledVariant) -> None:
        """Do what a kernel left for; it goes on at the row where it left."""
        match code:
            case Exit.GROW_TABLE:
                self._state.current.grow(variant)
            case Exit.GROW_ARENA:
                self._state.current.add_arena(int(self._driver.args.detail))
            case Exit.NEW_SLICE if len(self._state.tables) >= self._most_slices:
                self._share_one_table()
            case Exit.NEW_SLICE:
                self._state.add_slice(int(self._driver.args.detail))
            case Exit.SPILL:
                self._spill()
            case Exit.ERROR:
                raise variant.error(int(self._driver.args.detail), int(self._driver.args.rows_done))

    def _spill(self) -> None:
        """Add the current table's groups to sums that are wide enough; go on with an empty one."""
        if self._spilled is None:
            self._spilled = WindowTable(self.program, slice_is_key=self.program.slices is not None)
        piece = self._state.replace_current()
        self._spilled.add(piece)
        piece.release()

    def _share_one_table(self) -> None:
        """Move the groups of all slices into one table that has the slice as a key."""
        old = self._state
        self._new_state(slice_is_key=True)
        table = self._state.current
        layout = bind(self._no_rows(), self.program.input).layout
        variant = self._variant(layout, GENERIC)
        table.grow(variant, at_least=old.groups)
        assert variant.migrate is not None
        for start, piece in old.tables.items():
            variant.migrate(piece.slots.ctypes.data, len(piece.slots), table.address, start)
            table.adopt_strings(piece)
        table.block.count = old.groups
        old.release()

    def _variant(self, layout: InputLayout, spec: VariantSpec) -> CompiledVariant:
        """A variant of this plan; known ones are found without hashing the program again."""
        key = (layout, spec, self._state.layout.slice_is_key)
        if key not in self._variants:
            self._variants[key] = VARIANTS.get(self.program, layout, self._state.layout, spec)
        return self._variants[key]

    def _no_rows(self) -> pa.RecordBatch:
        return pa.RecordBatch.from_pylist([], arrow_schema(self.program.input))

    def _new_state(self, slice_is_key: bool) -> None:
        window = self.program.slices
        self._state = GroupState(
            slot_layout(self.program, slice_is_key), 0 if window is None else window.offset_us
        )
