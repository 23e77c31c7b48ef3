"""Running a plan over Arrow batches in one thread."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from adaptive.runtime.binding import BoundBatch, arrow_schema, bind
from adaptive.runtime.export import export_groups
from adaptive.runtime.kernels import VARIANTS
from adaptive.runtime.state import GroupState
from codegen_llvm import CompiledVariant, InputLayout, slot_layout, unsupported
from codegen_llvm.abi import Exit, KernelArgs
from codegen_llvm.columns import WORDS_BYTES
from codegen_llvm.selection import LANES
from ir import GENERIC, Sink, Tier, VariantSpec
from ir.pipelines import cut, flatten
from policies import Fixed, Policy, Specialize
from profiler import Observation, Profile

# Slices with a table each. Beyond that, rows are scattered over time so thinly
# that a table for each costs more than it saves, and one table takes them all.
MOST_SLICES = 1024


class UnsupportedPlan(ValueError):
    """A plan that code generation cannot take."""


class PlanRunner:
    """The groups of one plan, fed batch by batch; results are exact whatever the policy."""

    def __init__(
        self, plan: Sink, policy: Policy | None = None, most_slices: int = MOST_SLICES
    ) -> None:
        reasons = unsupported(plan)
        if reasons:
            raise UnsupportedPlan("; ".join(reasons))
        self.program = flatten(cut(plan)[0])
        self.profile = Profile()
        self._policy = Fixed() if policy is None else policy
        self._most_slices = most_slices
        self._variants: dict[tuple[InputLayout, VariantSpec, bool], CompiledVariant] = {}
        self._args = KernelArgs()
        self._lookups: _LookupTables = _LookupTables()
        self._selection: np.ndarray | None = None
        self._new_state(slice_is_key=False)

    @property
    def state_bytes(self) -> int:
        """The memory that the groups take."""
        return self._state.bytes

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return self._state.groups

    def consume(self, batch: pa.RecordBatch) -> None:
        """Add the rows of a batch; after an error, how many of its rows count is undefined."""
        if not batch.num_rows:
            return
        bound = bind(batch, self.program.input)
        spec = self._choose(bound)
        before = (self._args.rows_passed, self._args.probes)
        begin = time.perf_counter_ns()
        self._run(bound, spec)
        self.profile = self.profile.plus(
            Observation(
                0,
                {},
                int(self._args.rows_passed) - before[0],
                int(self._args.probes) - before[1],
                time.perf_counter_ns() - begin,
            )
        )

    def drain(self) -> Iterator[pa.RecordBatch]:
        """The groups as output rows; the next batch starts with none."""
        state = self._state
        self._new_state(slice_is_key=state.layout.slice_is_key)
        yield from export_groups(self.program, state)
        state.release()

    def finish(self) -> pa.Table:
        """The groups as one table."""
        return pa.Table.from_batches(self.drain(), arrow_schema(self.program.output))

    def _choose(self, bound: BoundBatch) -> VariantSpec:
        """The variant that the policy wants for what the pipeline has seen so far."""
        self.profile = self.profile.plus(Observation(bound.rows, bound.nulls))
        decision = self._policy.decide(self.profile)
        if not isinstance(decision, Specialize):
            return GENERIC
        hints = GENERIC.hints if decision.hints is None else decision.hints
        return VariantSpec(Tier.SPECULATIVE, decision.assumptions, hints)

    def _run(self, bound: BoundBatch, spec: VariantSpec) -> None:
        args = self._args
        args.columns = ctypes.addressof(bound.blocks)
        args.row_begin, args.row_end = 0, bound.rows
        self._reserve_scratch(spec)
        while True:
            variant = self._variant(bound.layout, spec)
            args.state = self._state.address
            args.lookups = self._lookups.prepare(variant, bound, args)
            code = variant.run(ctypes.addressof(args))
            if code == Exit.DONE:
                return
            self._serve(Exit(code), variant)
            args.row_begin = args.rows_done

    def _serve(self, code: Exit, variant: CompiledVariant) -> None:
        """Do what a kernel left for; it goes on at the row where it left."""
        match code:
            case Exit.GROW_TABLE:
                self._state.current.grow(variant)
            case Exit.GROW_ARENA:
                self._state.add_arena(int(self._args.detail))
            case Exit.NEW_SLICE if len(self._state.tables) >= self._most_slices:
                self._share_one_table()
            case Exit.NEW_SLICE:
                self._state.add_slice(int(self._args.detail))
            case Exit.ERROR:
                raise variant.error(int(self._args.detail))

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
        table.block.count = old.groups
        self._state.adopt_strings(old)
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
        window = self.program.window
        self._state = GroupState(
            slot_layout(self.program, slice_is_key), 0 if window is None else window.offset_us
        )

    def _reserve_scratch(self, spec: VariantSpec) -> None:
        """Room for a block's selection; vector stores may run a register beyond its end."""
        wanted = (spec.block_rows or 0) + LANES
        if self._selection is None or len(self._selection) < wanted:
            self._selection = np.empty(wanted, np.int32)
            self._mask = np.empty(wanted, np.uint8)
            self._args.selection = self._selection.ctypes.data
            self._args.mask = self._mask.ctypes.data


class _LookupTables:
    """The look-up tables of a batch's dictionaries; filled again only for a new dictionary."""

    def __init__(self) -> None:
        self._variant: CompiledVariant | None = None
        self._dictionaries: tuple[tuple[int, ...], ...] = ()
        self._keep: tuple[object, ...] = ()
        self._addresses = np.zeros(1, np.int64)

    def prepare(self, variant: CompiledVariant, bound: BoundBatch, args: KernelArgs) -> int:
        """The address of the tables' addresses, for this variant and batch."""
        values = [bound.dictionaries[column] for column in variant.lookup_columns]
        identity = tuple(_identity(dictionary) for dictionary in values)
        if variant is not self._variant or identity != self._dictionaries:
            tables = [
                np.zeros(WORDS_BYTES + len(dictionary) + 1, np.uint8) for dictionary in values
            ]
            self._addresses = np.array([t.ctypes.data for t in tables] or [0], np.int64)
            args.lookups = self._addresses.ctypes.data
            variant.prepare(ctypes.addressof(args))
            # The dictionaries are kept, so that their addresses cannot be used again.
            self._variant, self._dictionaries, self._keep = variant, identity, (values, tables)
        return int(self._addresses.ctypes.data)


def _identity(dictionary: pa.Array) -> tuple[int, ...]:
    """What tells one live dictionary from another without reading it."""
    addresses = (0 if buffer is None else buffer.address for buffer in dictionary.buffers())
    return (*addresses, dictionary.offset, len(dictionary))
