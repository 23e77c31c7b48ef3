"""Kernels of session and count windows: one state for all variants, and room in it."""

from __future__ import annotations

from adaptive.runtime.deopt import Code, DeoptManager
from adaptive.runtime.keyed_state import KeyedState
from codegen_llvm import CompiledVariant, InputLayout, SlotLayout
from codegen_llvm.abi import Exit
from ir import GENERIC, VariantSpec
from ir.pipelines import RowProgram

_MOST_RECENT = 16


class KeyedKernels(DeoptManager):
    """Adds rows to the windows of keys: all that pass, or those that were listed.

    Every variant works on the same windows, so that one goes on where another has stopped.
    """

    program: RowProgram

    def __init__(self, program: RowProgram, state: KeyedState) -> None:
        super().__init__(program)
        self.state = state
        # By the identity of layout and spec, which are kept alive here.
        self._recent: dict[tuple[int, int], tuple[InputLayout, VariantSpec, Code]] = {}
        self._code: Code | None = None  # that ran last on slots of this layout

    def slots_of(self, spec: VariantSpec, layout: InputLayout) -> SlotLayout:
        """The layout of the windows, whichever variant fills them."""
        return self.state.layout

    def make_ready(self, spec: VariantSpec, layout: InputLayout, groups: int) -> None:
        """All variants have the same state, so none needs its own."""

    def is_ready(self, spec: VariantSpec, layout: InputLayout) -> bool:
        """Whether a variant can run on such batches without being compiled first."""
        return (id(layout), id(spec)) in self._recent or super().is_ready(spec, layout)

    def list_rows(self, address: int, count: int) -> None:
        """Of the rows that were taken, only these pass."""
        self.state.block.listed, self.state.block.listed_count = address, count

    @property
    def any_variant(self) -> CompiledVariant:
        """A variant for what all have in common, once there has been a row."""
        if self._code is None:
            self._code = self.code(GENERIC, self.state.layout)
        return self._code.variant

    def change_layout(self, state: KeyedState) -> None:
        """Go on with windows in other slots; generic to the end of the range.

        Other variants may not be there for them yet.
        """
        self.state, self._code = state, None
        self._recent.clear()
        self._generic_until = self._last

    def _find(self, spec: VariantSpec) -> tuple[Code, int]:
        """The code of a variant; hashing a spec would take longer than a block."""
        layout = self._bound.layout
        key = (id(layout), id(spec))
        if key not in self._recent:
            if len(self._recent) >= _MOST_RECENT:
                self._recent.clear()
            self._recent[key] = layout, spec, self.code(spec, self.state.layout)
        self._code = self._recent[key][2]
        return self._code, self.state.address

    def _gave_room(self, code: Exit, variant: CompiledVariant) -> bool:
        """For results and nodes; a table may have to move, which is left to the caller."""
        match code:
            case Exit.OUTPUT_FULL:
                self.state.grow_results(int(self.driver.args.detail))
            case Exit.GROW_NODES:
                self.state.grow_nodes()
            case _:
                return False
        return True
