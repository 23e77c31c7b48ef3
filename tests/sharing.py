"""Threads that fill shared tables, for tests: what a worker of an engine does, and no more."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from adaptive.runtime.binding import bind
from adaptive.runtime.combine import WindowTable
from adaptive.runtime.driver import KernelDriver
from adaptive.runtime.kernels import VARIANTS
from adaptive.runtime.shared_state import SharedSlices, SharedState
from codegen_llvm import CompiledVariant, slot_layout
from codegen_llvm.abi import Exit
from ir import GENERIC, VariantSpec
from ir.pipelines import RowProgram

Morsels = Sequence[tuple[int, pa.RecordBatch]]  # each with the number of its first row


class Sharing:
    """The shared groups of a program."""

    def __init__(
        self, program: RowProgram, spec: VariantSpec = GENERIC, first_groups: int = 2048
    ) -> None:
        self.program, self.spec = program, spec
        window = program.slices
        self.layout = slot_layout(program, False, shared=True)
        self.slices = SharedSlices(self.layout, window and window.size_us, first_groups)
        self._first_slice = 0 if window is None else window.offset_us
        self.exits: list[Exit] = []

    def run(self, work: Sequence[Morsels]) -> None:
        """One thread for each of these; they start together, and the first error is raised."""
        start = threading.Barrier(len(work))

        def attend(morsels: Morsels) -> None:
            state, driver = self.slices.state(self._first_slice), KernelDriver()
            bound = [(base, bind(batch, self.program.input)) for base, batch in morsels]
            variants = [
                VARIANTS.get(self.program, one.layout, self.layout, self.spec) for _, one in bound
            ]
            start.wait()
            for (base, one), variant in zip(bound, variants, strict=True):
                driver.begin(one, 0, one.rows)
                driver.args.row_base = base
                while (code := driver.run(variant, state.address)) != Exit.DONE:
                    self._serve(code, variant, driver, state)

        with ThreadPoolExecutor(len(work)) as pool:
            for done in [pool.submit(attend, morsels) for morsels in work]:
                done.result()

    def _serve(
        self, code: Exit, variant: CompiledVariant, driver: KernelDriver, state: SharedState
    ) -> None:
        self.exits.append(code)
        match code:
            case Exit.GROW_TABLE:
                state.current.grow(variant)
            case Exit.GROW_ARENA:
                state.current.add_arena(int(driver.args.detail))
            case Exit.NEW_SLICE:
                state.add_slice(int(driver.args.detail))
            case Exit.ERROR:
                raise variant.error(int(driver.args.detail), int(driver.args.rows_done))
            case _:
                raise AssertionError(f"shared kernels never leave with {code!r}")

    def merged(self) -> WindowTable:
        """All groups; the shared tables are released."""
        window = WindowTable(self.program, slice_is_key=self.program.window is not None)
        for piece in self.slices.close_all():
            for table in piece.tables:
                window.add(table)
            piece.release()
        return window

    def result(self) -> pa.RecordBatch:
        """The output rows."""
        window = self.merged()
        made = window.export()
        window.release()
        return made
