"""One thread's share of a pipeline: kernels over ranges of rows, into slice tables of its own."""

from __future__ import annotations

from collections import defaultdict

from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.driver import KernelDriver
from adaptive.runtime.kernels import VARIANTS
from adaptive.runtime.shared_state import SharedSlices, SharedState
from adaptive.runtime.state import GroupState, Table
from codegen_llvm import CompiledVariant, InputLayout, SlotLayout
from codegen_llvm.abi import Exit
from ir import VariantSpec
from ir.pipelines import RowProgram

Sealed = dict[int, list[Table]]  # the pieces of each slice


class SliceWorker:
    """Adds rows to slices of its own; which windows these are in is nothing to it."""

    def __init__(self, program: RowProgram, state: GroupState) -> None:
        self.program = program
        self._state = state
        self._driver = KernelDriver()
        self._bound: BoundBatch | None = None
        self._variants: dict[tuple[InputLayout, VariantSpec], CompiledVariant] = {}
        # Tables whose sums left 64 bits: the slice goes on with an empty one.
        self._spilled: defaultdict[int, list[Table]] = defaultdict(list)

    @property
    def late_rows(self) -> int:
        """How many rows came for slices that no open window has."""
        return int(self._driver.args.rows_late)

    @property
    def rows_passed(self) -> int:
        """How many rows passed the filters, without the late ones."""
        return int(self._driver.args.rows_passed)

    @property
    def bytes(self) -> int:
        """The memory of all tables."""
        spilled = sum(table.bytes for tables in self._spilled.values() for table in tables)
        return self._state.bytes + spilled

    def begin(self, bound: BoundBatch, first: int, last: int, row_base: int) -> None:
        """Take the rows from `first` to before `last` of a batch; `row_base` numbers its first."""
        self._bound = bound
        self._driver.begin(bound, first, last)
        self._driver.args.row_base = row_base

    def run(self, spec: VariantSpec, close_time: int, late_before: int) -> int | None:
        """Go on to the end of the range, or behind a row whose time closes windows: that time."""
        args = self._driver.args
        args.close_time, args.late_before = close_time, late_before
        assert self._bound is not None
        while True:
            variant = self._variant(self._bound.layout, spec)
            code = self._driver.run(variant, self._state.address)
            if code == Exit.DONE:
                return None
            if code == Exit.WINDOW_END:
                return int(args.detail)
            self._serve(code, variant)

    def seal(self, boundary: int) -> Sealed:
        """Hand out the slices that end by a window's end; rows that still come start anew."""
        slices = self.program.slices
        assert slices is not None
        ended = [s for s in self._state.tables if s + slices.size_us <= boundary]
        if not ended:
            return {}
        return self._pieces(self._state.detach(ended, current=boundary))

    def seal_all(self) -> Sealed:
        """Hand out everything; the worker is not used any more."""
        tables, self._state.tables = self._state.tables, {}
        return self._pieces(tables)

    def _pieces(self, tables: dict[int, Table]) -> Sealed:
        sealed: Sealed = {}
        for start, table in tables.items():
            pieces = self._spilled.pop(start, [])
            if table.groups:
                pieces.append(table)
            else:
                table.release()
            if pieces:
                sealed[start] = pieces
        return sealed

    def _serve(self, code: Exit, variant: CompiledVariant) -> None:
        """Do what a kernel left for; it goes on at the row where it left."""
        args = self._driver.args
        match code:
            case Exit.GROW_TABLE:
                self._state.current.grow(variant)
            case Exit.GROW_ARENA:
                self._state.current.add_arena(int(args.detail))
            case Exit.NEW_SLICE:
                self._state.add_slice(int(args.detail))
            case Exit.SPILL:
                piece = self._state.replace_current()
                self._spilled[int(piece.block.slice_start)].append(piece)
            case Exit.ERROR:
                raise variant.error(int(args.detail), int(args.rows_done))
            case _:
                raise RuntimeError(f"a kernel left with {code!r}, which nobody serves")

    def _variant(self, layout: InputLayout, spec: VariantSpec) -> CompiledVariant:
        """A variant of the program; known ones are found without hashing the program again."""
        key = (layout, spec)
        if key not in self._variants:
            self._variants[key] = VARIANTS.get(self.program, layout, self._state.layout, spec)
        return self._variants[key]


class SharedWorker(SliceWorker):
    """Adds rows to slices that it shares with other threads, so it has nothing to hand out."""

    def __init__(self, program: RowProgram, state: SharedState) -> None:
        super().__init__(program, state)
        self._shared = state

    def seal(self, boundary: int) -> Sealed:
        """Go on with slices for rows that come behind a window's end."""
        self._shared.passed = boundary
        super().seal(boundary)
        return {}

    def seal_all(self) -> Sealed:
        """Nothing is its own."""
        return {}


def own_worker(program: RowProgram, layout: SlotLayout) -> SliceWorker:
    """A worker with tables of its own."""
    return SliceWorker(program, GroupState(layout, first_slice(program)))


def shared_worker(program: RowProgram, slices: SharedSlices) -> SharedWorker:
    """A worker that shares its tables."""
    return SharedWorker(program, slices.state(first_slice(program)))


def first_slice(program: RowProgram) -> int:
    """Any legal start of a slice: a state always has a current table."""
    return 0 if program.slices is None else program.slices.offset_us
