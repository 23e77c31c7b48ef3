"""Running a variant over rows, and the generic one where the variant's assumptions fail."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

from adaptive.runtime.bans import VariantBanned
from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.driver import KernelDriver
from adaptive.runtime.journal import JOURNAL
from adaptive.runtime.kernels import VARIANTS, code_spec
from adaptive.runtime.key_dictionary import KeyDictionaries
from adaptive.runtime.meter import Clock
from codegen_llvm import CompiledVariant, InputLayout, Program, SlotLayout
from codegen_llvm.abi import Exit
from ir import GENERIC, NoNulls, Tier, VariantSpec
from profiler.profile import Observation

# A guard that fails now and then costs few rows, one that fails all the time few exits.
_FIRST_STRETCH = 1024


class _Mark(NamedTuple):
    """What was seen up to some place: it is put behind every usual morsel, so it has to be cheap.

    An `Observation` took five times as long to make.
    """

    rows: int = 0
    rows_passed: int = 0
    probes: int = 0
    guard_exits: int = 0
    generic_rows: int = 0
    elapsed_ns: int = 0


_START = _Mark()


@dataclass(frozen=True)
class Code:
    """A variant that can run, and what the journal calls it; the generic one is never banned."""

    variant: CompiledVariant
    name: str | None


class DeoptManager(ABC):
    """Runs kernels over ranges of a batch in one thread.

    A row that fails a guard has changed nothing. The generic variant goes on from exactly
    there, for a stretch of rows that doubles with every exit from the same range; then the
    variant is tried again. What rows become is a matter of subclasses.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.driver = KernelDriver()
        self.meter = Clock()
        self.has_begun = False  # whether there has been a row
        self._last = 0
        self._generic_until = 0
        self._stretch = _FIRST_STRETCH
        self._codes: dict[tuple[InputLayout, SlotLayout | None, VariantSpec], Code] = {}
        self._rows = self._guard_exits = self._generic_rows = 0
        self._counted = (0, 0)  # the rows that had passed, and the probes, when it was taken last
        self.marked = _START
        self.is_odd = False  # whether what is behind the mark took another time than usual
        self.running: tuple[VariantSpec, InputLayout] | None = None  # what is seen is of these
        self.worker = 0  # who runs it
        self.large = 0  # morsels that are reported one by one, among what nobody has taken

    @property
    def layout(self) -> InputLayout:
        """How the batch lies in memory."""
        return self._bound.layout

    @abstractmethod
    def slots_of(self, spec: VariantSpec, layout: InputLayout) -> SlotLayout | None:
        """How groups lie that a variant makes of such batches; None where rows are not grouped."""

    @abstractmethod
    def make_ready(self, spec: VariantSpec, layout: InputLayout, groups: int) -> None:
        """What takes long and a variant needs besides its code, for about so many groups."""

    def begin(
        self, bound: BoundBatch, first: int, last: int, dictionaries: KeyDictionaries | None = None
    ) -> None:
        """Take the rows from `first` to before `last` of a batch.

        With `dictionaries`, groups may have strings by their codes from now on.
        """
        self.has_begun = True
        self._bound = bound
        self._last = last
        self._generic_until = first
        self._stretch = _FIRST_STRETCH
        self._rows += last - first
        self.driver.begin(bound, first, last)

    def is_ready(self, spec: VariantSpec, layout: InputLayout) -> bool:
        """Whether a variant can run on such batches without being compiled first."""
        slots = self.slots_of(spec, layout)
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
        self.marked, self.is_odd = _START, False
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
        args, (passed, probes) = self.driver.args, self._counted
        self.is_odd = False
        self.marked = _Mark(
            self._rows,
            args.rows_passed - passed,
            args.probes - probes,
            self._guard_exits,
            self._generic_rows,
            self.meter.elapsed_ns,
        )

    def since_mark(self) -> tuple[int, int, int]:
        """The rows behind the mark, the nanoseconds that they took, and how many passed."""
        marked = self.marked
        passed = int(self.driver.args.rows_passed) - self._counted[0] - marked.rows_passed
        return self._rows - marked.rows, self.meter.elapsed_ns - marked.elapsed_ns, passed

    def take_marked(self) -> Observation:
        """What was seen before the mark; what came behind it waits."""
        marked, (passed, probes) = self.marked, self._counted
        seen = Observation(*marked, self.meter.counters)
        self._rows -= marked.rows
        self._guard_exits -= marked.guard_exits
        self._generic_rows -= marked.generic_rows
        self._counted = passed + marked.rows_passed, probes + marked.probes
        self.meter.elapsed_ns -= marked.elapsed_ns
        self.meter.counters = {}
        self.marked = _START
        return seen

    def code(self, spec: VariantSpec, slots: SlotLayout | None) -> Code:
        """A variant for the batch; known ones are found without hashing the program again."""
        layout = self._bound.layout
        key = (layout, slots, spec)
        if key not in self._codes:
            wanted = (self.program, layout, slots, code_spec(spec))
            name = None if wanted[3].tier is Tier.GENERIC else VARIANTS.name(*wanted)
            self._codes[key] = Code(VARIANTS.get(*wanted), name)
        return self._codes[key]

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
                case Exit.NEW_SLICE if not self._has_room():
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
        code, address = self._find(spec)
        if code.name is None:
            return self._drive(code.variant, address)
        JOURNAL.begin(code.name)
        try:
            return self._drive(code.variant, address)
        finally:
            JOURNAL.end()

    def _drive(self, variant: CompiledVariant, address: int) -> Exit:
        while (code := self.driver.run(variant, address)) != Exit.DONE:
            if code == Exit.ERROR:
                args = self.driver.args
                raise variant.error(int(args.detail), int(args.rows_done))
            if not self._gave_room(code, variant):
                return code
        return code

    @abstractmethod
    def _find(self, spec: VariantSpec) -> tuple[Code, int]:
        """The code of a variant for the batch, and the address of what it fills."""

    def _gave_room(self, code: Exit, variant: CompiledVariant) -> bool:
        """Whether a kernel has left for memory only, which it has now."""
        return False

    def _has_room(self) -> bool:
        """Whether the variant that left last may have a table for one more slice."""
        return True

    def _leave_to_generic(self) -> None:
        self._guard_exits += 1
        self._generic_until = int(self.driver.args.rows_done) + self._stretch
        self._stretch *= 2
