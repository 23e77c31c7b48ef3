"""Kernels that group rows: which form of groups each variant fills, and room for it."""

from __future__ import annotations

from dataclasses import dataclass

from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.combine import prepare_arrays, prepare_combine, takes_groups
from adaptive.runtime.dense import DenseState
from adaptive.runtime.deopt import Code, DeoptManager
from adaptive.runtime.kernels import VARIANTS
from adaptive.runtime.key_dictionary import KeyDictionaries, Translations
from adaptive.runtime.shared_state import SharedSlices
from adaptive.runtime.state import GroupState
from adaptive.runtime.states import GroupStates
from codegen_llvm import CompiledVariant, InputLayout, SlotLayout
from codegen_llvm.abi import Exit
from ir import VariantSpec
from ir.pipelines import RowProgram

_MOST_RECENT = 16


@dataclass(frozen=True)
class _Recent:
    """What ran lately, found again by the identity of layout and spec, which it keeps alive."""

    layout: InputLayout
    spec: VariantSpec
    slots: SlotLayout
    code: Code
    in_generic: bool  # whether it works on the generic form of groups


class GroupKernels(DeoptManager):
    """Adds rows to groups, of whose forms each variant fills its own."""

    program: RowProgram

    def __init__(
        self, program: RowProgram, generic: GroupState, slices: SharedSlices | None = None
    ) -> None:
        super().__init__(program)
        self.slices_are_keys = False  # where forms are merged: in one table for all slices
        self.states = GroupStates(program, generic, slices)
        self._translations = Translations(program)
        self.state = generic  # of the variant that left last
        self._recent: dict[tuple[int, int], _Recent] = {}

    def slots_of(self, spec: VariantSpec, layout: InputLayout) -> SlotLayout:
        """The layout of the form that a variant fills."""
        return self.states.layout_of(spec, layout)

    def make_ready(self, spec: VariantSpec, layout: InputLayout, groups: int) -> None:
        """Slices end with groups of both forms: 70 ms of compilation in one push, once.

        The tables themselves are the workers': how many groups there are is only what was sampled.
        """
        slots, generic = self.slots_of(spec, layout), self.states.generic.layout
        if slots == generic:
            return
        merged, sources = self.slices_are_keys, (generic, slots)
        has_slices = self.program.slices is not None and not merged
        in_arrays = has_slices and takes_groups(self.program, slots)
        prepare_combine(
            self.program, (slots, generic), slice_is_key=merged, groups=0 if in_arrays else groups
        )
        self.states.make_room(spec, layout, pieces=1)

        def behind() -> None:
            """The first morsel need not wait for what the first end of a slice needs."""
            self.states.make_room(spec, layout, pieces=2)
            if in_arrays:
                prepare_arrays(self.program, slots, sources)

        VARIANTS.later(behind)

    def begin(
        self, bound: BoundBatch, first: int, last: int, dictionaries: KeyDictionaries | None = None
    ) -> None:
        """Take rows; with `dictionaries`, new arrays have strings by their codes."""
        if dictionaries is not None:
            self.states.dictionaries = dictionaries
        super().begin(bound, first, last)

    def is_ready(self, spec: VariantSpec, layout: InputLayout) -> bool:
        """Whether a variant can run on such batches without being compiled first."""
        return (id(layout), id(spec)) in self._recent or super().is_ready(spec, layout)

    def start_anew(self, generic: GroupState) -> None:
        """Go on with no group, and with this generic state."""
        self.states = GroupStates(self.program, generic)
        self.state = generic
        self._recent.clear()

    def _find(self, spec: VariantSpec) -> tuple[Code, int]:
        """The code and the state of a variant; hashing a spec would take longer than a block."""
        state, code = self._found(spec)
        self.state = state
        if isinstance(state, DenseState):
            self._translations.prepare(self.driver.args, self._bound, state.dictionaries)
        return code, state.address

    def _found(self, spec: VariantSpec) -> tuple[GroupState, Code]:
        layout, generic = self._bound.layout, self.states.generic
        recent = self._recent.get((id(layout), id(spec)))
        if recent is not None and recent.in_generic and recent.slots is generic.layout:
            return generic, recent.code
        state = self.states.of(spec, layout)
        if recent is None or recent.slots is not state.layout:
            if len(self._recent) >= _MOST_RECENT:
                self._recent.clear()
            code = self.code(spec, state.layout)
            recent = _Recent(layout, spec, state.layout, code, state is generic)
            self._recent[id(layout), id(spec)] = recent
        return state, recent.code

    def _gave_room(self, code: Exit, variant: CompiledVariant) -> bool:
        match code:
            case Exit.GROW_TABLE:
                self.state.current.grow(variant)
            case Exit.GROW_ARENA:
                self.state.current.add_arena(int(self.driver.args.detail))
            case _:
                return False
        return True

    def _has_room(self) -> bool:
        return self.states.has_room(self.state)
