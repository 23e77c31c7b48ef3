"""One thread's share of a pipeline: kernels over ranges of rows, into slice tables of its own."""

from __future__ import annotations

from adaptive.runtime.deopt import DeoptManager
from adaptive.runtime.shared_state import SharedSlices, SharedState
from adaptive.runtime.state import GroupState
from adaptive.runtime.states import Pieces
from codegen_llvm import SlotLayout
from codegen_llvm.abi import Exit
from ir import VariantSpec
from ir.pipelines import RowProgram


class SliceWorker:
    """Adds rows to slices of its own; which windows these are in is nothing to it."""

    def __init__(self, program: RowProgram, state: GroupState) -> None:
        self.program = program
        self.kernels = DeoptManager(program, state)
        self._args = self.kernels.driver.args

    @property
    def late_rows(self) -> int:
        """How many rows came for slices that no open window has."""
        return int(self._args.rows_late)

    @property
    def rows_passed(self) -> int:
        """How many rows passed the filters, without the late ones."""
        return int(self._args.rows_passed)

    @property
    def bytes(self) -> int:
        """The memory of all tables."""
        return self.kernels.states.bytes

    def begin(self, row_base: int) -> None:
        """Rows of another batch were taken; `row_base` numbers its first."""
        self._args.row_base = row_base

    def run(self, spec: VariantSpec, close_time: int, late_before: int) -> int | None:
        """Go on to the end of the range, or behind a row whose time closes windows: that time."""
        self._args.close_time, self._args.late_before = close_time, late_before
        while (code := self.kernels.run(spec)) != Exit.DONE:
            match code:
                case Exit.WINDOW_END:
                    return int(self._args.detail)
                case Exit.NEW_SLICE:
                    self.kernels.state.add_slice(int(self._args.detail))
                case Exit.SPILL:
                    self.kernels.states.retire_current(self.kernels.state)
                case _:
                    raise RuntimeError(f"a kernel left with {code!r}, which nobody serves")
        return None

    def seal(self, boundary: int) -> Pieces:
        """Hand out the slices that end by a window's end; rows that still come start anew."""
        slices = self.program.slices
        assert slices is not None
        return self.kernels.states.detach(boundary, slices.size_us)

    def seal_all(self) -> Pieces:
        """Hand out everything; the worker is not used any more."""
        return self.kernels.states.detach_all()


class SharedWorker(SliceWorker):
    """Adds rows to slices that it shares with other threads, so it has nothing to hand out."""

    def __init__(self, program: RowProgram, state: SharedState) -> None:
        super().__init__(program, state)
        self._shared = state

    def seal(self, boundary: int) -> Pieces:
        """Go on with slices for rows that come behind a window's end."""
        self._shared.passed = boundary
        super().seal(boundary)
        return {}

    def seal_all(self) -> Pieces:
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
