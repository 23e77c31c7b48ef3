"""One thread's share of a pipeline: kernels over ranges of rows, into tables of slices."""

from __future__ import annotations

from adaptive.runtime.group_kernels import GroupKernels
from adaptive.runtime.shared_state import SharedSlices
from adaptive.runtime.state import GroupState
from adaptive.runtime.states import Pieces
from codegen_llvm import SlotLayout
from codegen_llvm.abi import Exit
from ir import VariantSpec
from ir.pipelines import RowProgram


class SliceWorker:
    """Adds rows to slices; which windows these are in is nothing to it."""

    def __init__(
        self, program: RowProgram, state: GroupState, slices: SharedSlices | None = None
    ) -> None:
        self.program = program
        self.kernels = GroupKernels(program, state, slices)
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
        """The memory of its own tables."""
        return self.kernels.states.bytes

    def begin(self, row_base: int, span: tuple[int, int] | None = None) -> None:
        """Rows of another batch were taken; `row_base` numbers its first.

        `span` is the least and the greatest of their times, where somebody has looked.
        """
        args = self._args
        args.row_base = row_base
        args.times_known = span is not None
        if span is not None:
            args.time_least, args.time_greatest = span

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
        """Hand out its own slices that end by a window's end; rows that still come start anew."""
        slices = self.program.slices
        assert slices is not None
        return self.kernels.states.detach(boundary, slices.size_us)

    def seal_all(self) -> Pieces:
        """Hand out all that is its own; the worker is not used any more."""
        return self.kernels.states.detach_all()


def own_worker(
    program: RowProgram, layout: SlotLayout, slices: SharedSlices | None = None
) -> SliceWorker:
    """A worker with tables of its own; variants that share groups fill those of `slices`."""
    return SliceWorker(program, GroupState(layout, first_slice(program)), slices)


def shared_worker(program: RowProgram, slices: SharedSlices) -> SliceWorker:
    """A worker that shares all its tables with others, so it has nothing to hand out."""
    return SliceWorker(program, slices.state(first_slice(program)))


def first_slice(program: RowProgram) -> int:
    """Any legal start of a slice: a state always has a current table."""
    return 0 if program.slices is None else program.slices.offset_us
