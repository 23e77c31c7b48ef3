"""Running a variant over rows, and the generic one where the variant's assumptions fail."""

from __future__ import annotations

from dataclasses import dataclass

from adaptive.runtime.bans import VariantBanned
from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.dense import DenseState
from adaptive.runtime.driver import KernelDriver
from adaptive.runtime.journal import JOURNAL
from adaptive.runtime.kernels import VARIANTS
from adaptive.runtime.key_dictionary import KeyDictionaries, Translations
from adaptive.runtime.meter import Clock
from adaptive.runtime.shared_state import SharedSlices
from adaptive.runtime.state import GroupState
from adaptive.runtime.states import GroupStates, code_spec
from codegen_llvm import CompiledVariant, InputLayout, SlotLayout
from codegen_llvm.abi import Exit
from ir import GENERIC, NoNulls, Tier, VariantSpec
from ir.pipelines import RowProgram
from profiler.profile import Observation

# A guard that fails now and then costs few rows, one that fails all the time few exits.
_FIRST_STRETCH = 1024
_MOST_RECENT = 16
_NOTHING = Observation(0)


@dataclass(frozen=True)
class _Recent:
    """What ran lately, found again by the identity of layout and spec, which it keeps alive."""

    layout: InputLayout
    spec: VariantSpec
    slots: SlotLayout
    code: Code
    in_generic: bool  # whether it works on the generic form of groups


@dataclass(frozen=True)
class Code:
    """A variant that can run, and what the journal calls it; the generic one is never banned."""

    variant: CompiledVariant
    name: str | None


class DeoptManager:
    """Runs kernels over ranges of a batch in one thread.

    A row that fails a guard has changed nothing. The generic variant goes on from exactly
    there, for a stretch of rows that doubles with every exit from the same range; then the
    variant is tried again.
    """

    def __init__(
        self, program: RowProgram, generic: GroupState, slices: SharedSlices | None = None
    ) -> None:
        self.program = program
        self.driver = KernelDriver()
        self.meter = Clock()
        self.slices_are_keys = False  # where forms are merged: in one table for all slices
        self.states = GroupStates(program, generic, slices)
        self._translations = Translations(program)
        self.state = generic  # of the variant that left last
        self._last = 0
        self._generic_until = 0
        self._stretch = _FIRST_STRETCH
        self._codes: dict[tuple[InputLayout, SlotLayout, VariantSpec], Code] = {}
        self._recent: dict[tuple[int, int], _Recent] = {}
        self._rows = self._guard_exits = self._generic_rows = 0
        self._counted = (0, 0)  # the rows that had passed, and the probes, when it was taken last
        self.marked = _NOTHING
        self.running: tuple[VariantSpec, InputLayout] | None = None  # what is seen is of these
        self.worker = 0  # who runs it
        self.large = 0  # morsels that are reported one by one, among what nobody has taken

    @property
    def layout(self) -> InputLayout:
        """How the batch lies in memory."""
        return self._bound.layout

    def begin(
        self, bound: BoundBatch, first: int, last: int, dictionaries: KeyDictionaries | None = None
    ) -> None:
        """Take the rows from `first` to before `last` of a batch.

        With `dictionaries`, arrays that are made from now on have strings by their codes.
        """
        if dictionaries is not None:
            self.states.dictionaries = dictionaries
        self._bound = bound
        self._last = last
        self._generic_until = first
        self._stretch = _FIRST_STRETCH
        self._rows += last - first
        self.driver.begin(bound, first, last)

    def is_ready(self, spec: VariantSpec, layout: InputLayout) -> bool:
        """Whether a variant can run on such batches without being compiled first."""
        if (id(layout), id(spec)) in self._recent:
            return True
        slots = self.states.layout_of(spec, layout)
        if spec == GENERIC or (layout, slots, spec) in self._codes:
            return True
        try:
            ready = VARIANTS.ready(self.program, layout, slots, code_spec(spec))
        except VariantBanned:
            return False
        return ready is not None

    def run(self, spec: VariantSpec) -> Exit:
        """Go on until all rows are done, or for something that the caller has to do."""
        self.meter.start()
        try:
            return self._run(spec)
        finally:
            self.meter.stop()

    @property
    def rows(self) -> int:
        """The rows of which nobody has taken what was seen."""
        return self._rows

    @property
    def guard_exits(self) -> int:
        """How often a variant left among these rows because an assumption was wrong."""
        return self._guard_exits

    def take(self) -> Observation:
        """What was seen since the last time."""
        seen = self.peek()
        self.meter.take()
        self._rows = self._guard_exits = self._generic_rows = 0
        args = self.driver.args
        self._counted = int(args.rows_passed), int(args.probes)
        self.marked = _NOTHING
        return seen

    def peek(self) -> Observation:
        """The same, and it will be seen again."""
        args, (passed, probes) = self.driver.args, self._counted
        return Observation(
            self._rows,
            int(args.rows_passed) - passed,
            int(args.probes) - probes,
            self._guard_exits,
            self._generic_rows,
            self.meter.elapsed_ns,
            self.meter.counters,
        )

    def mark(self) -> None:
        """Put a mark behind what was seen so far."""
        self.marked = self.peek()

    def since_mark(self) -> tuple[int, int, int]:
        """The rows behind the mark, the nanoseconds that they took, and how many passed."""
        marked = self.marked
        passed = int(self.driver.args.rows_passed) - self._counted[0] - marked.rows_passed
        return self._rows - marked.rows, self.meter.elapsed_ns - marked.elapsed_ns, passed

    def take_marked(self) -> Observation:
        """What was seen before the mark; what came behind it waits."""
        marked, (passed, probes) = self.marked, self._counted
        self._rows -= marked.rows
        self._guard_exits -= marked.guard_exits
        self._generic_rows -= marked.generic_rows
        self._counted = passed + marked.rows_passed, probes + marked.probes
        self.meter.elapsed_ns -= marked.elapsed_ns
        self.meter.counters = {}
        self.marked = _NOTHING
        return marked

    def code(self, spec: VariantSpec, slots: SlotLayout) -> Code:
        """A variant for the batch; known ones are found without hashing the program again."""
        layout = self._bound.layout
        key = (layout, slots, spec)
        if key not in self._codes:
            wanted = (self.program, layout, slots, code_spec(spec))
            name = None if wanted[3].tier is Tier.GENERIC else VARIANTS.name(*wanted)
            self._codes[key] = Code(VARIANTS.get(*wanted), name)
        return self._codes[key]

    def start_anew(self, generic: GroupState) -> None:
        """Go on with no group, and with this generic state."""
        self.states = GroupStates(self.program, generic)
        self.state = generic
        self._recent.clear()

    def _run(self, spec: VariantSpec) -> Exit:
        args = self.driver.args
        self._guard_nulls(spec)
        while int(args.rows_done) < self._last:
            row = int(args.rows_done)
            deopt = row < self._generic_until
            args.row_end = min(self._generic_until, self._last) if deopt else self._last
            code = self._enter(GENERIC if deopt else spec)
            if deopt:
                self._generic_rows += int(args.rows_done) - row
            match code:
                case Exit.DONE:
                    pass
                case Exit.GUARD:
                    self._leave_to_generic()
                case Exit.NEW_SLICE if not self.states.has_room(self.state):
                    self._leave_to_generic()
                case _:
                    return code
        return Exit.DONE

    def _guard_nulls(self, spec: VariantSpec) -> None:
        """Leave the batch to the generic variant if a column that should have no nulls has some."""
        if not spec.assumptions:
            return
        assumed = spec.find(NoNulls)
        if assumed is None or self._generic_until == self._last:
            return
        if any(self._bound.nulls.get(name, 0) for name in assumed.columns):
            self._guard_exits += 1
            self._generic_until = self._last

    def _enter(self, spec: VariantSpec) -> Exit:
        """Run a variant until it leaves for something that is not just more memory."""
        state, code = self._find(spec)
        self.state = state
        if isinstance(state, DenseState):
            self._translations.prepare(self.driver.args, self._bound, state.dictionaries)
        if code.name is None:
            return self._drive(code.variant, state)
        JOURNAL.begin(code.name)
        try:
            return self._drive(code.variant, state)
        finally:
            JOURNAL.end()

    def _find(self, spec: VariantSpec) -> tuple[GroupState, Code]:
        """The state and the code of a variant; hashing a spec would take longer than a block."""
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

    def _drive(self, variant: CompiledVariant, state: GroupState) -> Exit:
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
        self._guard_exits += 1
        self._generic_until = int(self.driver.args.rows_done) + self._stretch
        self._stretch *= 2
