"""Running a variant over rows, and the generic one where the variant's assumptions fail."""

from __future__ import annotations

from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.driver import KernelDriver
from adaptive.runtime.kernels import VARIANTS
from adaptive.runtime.state import GroupState
from adaptive.runtime.states import GroupStates, code_spec
from codegen_llvm import CompiledVariant, InputLayout, SlotLayout
from codegen_llvm.abi import Exit
from ir import GENERIC, VariantSpec
from ir.pipelines import RowProgram

# A guard that fails now and then costs few rows, one that fails all the time few exits.
_FIRST_STRETCH = 1024


class DeoptManager:
    """Runs kernels over ranges of a batch in one thread.

    A row that fails a guard has changed nothing. The generic variant goes on from exactly
    there, for a stretch of rows that doubles with every exit from the same range; then the
    variant is tried again.
    """

    def __init__(self, program: RowProgram, generic: GroupState) -> None:
        self.program = program
        self.driver = KernelDriver()
        self.states = GroupStates(program, generic)
        self.state = generic  # of the variant that left last
        self.guard_exits = 0
        self.generic_rows = 0  # that were left to the generic variant by guards
        self._last = 0
        self._generic_until = 0
        self._stretch = _FIRST_STRETCH
        self._variants: dict[tuple[InputLayout, SlotLayout, VariantSpec], CompiledVariant] = {}

    def begin(self, bound: BoundBatch, first: int, last: int) -> None:
        """Take the rows from `first` to before `last` of a batch."""
        self._bound = bound
        self._last = last
        self._generic_until = first
        self._stretch = _FIRST_STRETCH
        self.driver.begin(bound, first, last)

    def run(self, spec: VariantSpec) -> Exit:
        """Go on until all rows are done, or for something that the caller has to do."""
        args = self.driver.args
        while int(args.rows_done) < self._last:
            row = int(args.rows_done)
            deopt = row < self._generic_until
            args.row_end = min(self._generic_until, self._last) if deopt else self._last
            code = self._enter(GENERIC if deopt else spec)
            if deopt:
                self.generic_rows += int(args.rows_done) - row
            match code:
                case Exit.DONE:
                    pass
                case Exit.GUARD:
                    self._leave_to_generic()
                case _:
                    return code
        return Exit.DONE

    def variant(self, spec: VariantSpec, state: GroupState) -> CompiledVariant:
        """A variant for the batch; known ones are found without hashing the program again."""
        layout = self._bound.layout
        key = (layout, state.layout, spec)
        if key not in self._variants:
            self._variants[key] = VARIANTS.get(self.program, layout, state.layout, code_spec(spec))
        return self._variants[key]

    def start_anew(self, generic: GroupState) -> None:
        """Go on with no group, and with this generic state."""
        self.states = GroupStates(self.program, generic)
        self.state = generic

    def _enter(self, spec: VariantSpec) -> Exit:
        """Run a variant until it leaves for something that is not just more memory."""
        self.state = state = self.states.of(spec)
        variant = self.variant(spec, state)
        while True:
            code = self.driver.run(variant, state.address)
            match code:
                case Exit.GROW_TABLE:
                    state.current.grow(variant)
                case Exit.GROW_ARENA:
                    state.current.add_arena(int(self.driver.args.detail))
                case Exit.ERROR:
                    args = self.driver.args
                    raise variant.error(int(args.detail), int(args.rows_done))
                case _:
                    return code

    def _leave_to_generic(self) -> None:
        self.guard_exits += 1
        self._generic_until = int(self.driver.args.rows_done) + self._stretch
        self._stretch *= 2
