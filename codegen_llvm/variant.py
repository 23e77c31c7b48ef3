"""A compiled variant of a pipeline: generated, optimised, linked, ready to be called."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.kernel import MIGRATE, PREPARE, REHASH, RUN, KernelModule, build_kernel
from codegen_llvm.keyed import CLOSE, SPLIT, build_keyed
from codegen_llvm.layout import InputLayout, SlotLayout
from codegen_llvm.projection import build_projection
from ir import CountWindow, EvaluationError, SessionWindow, VariantSpec
from ir.pipelines import ProjectionProgram, RowProgram

Program: TypeAlias = RowProgram | ProjectionProgram


@dataclass(frozen=True)
class CompiledVariant:
    """Machine code for one program, input layout and spec; keeps the code alive.

    `run`, `prepare` and `close` take the address of a `KernelArgs`; the GIL is released
    while they run. `close` goes over slots of the table: it makes results of the sessions that
    are closed, or of all count windows that have rows. `split` lists rows for those who add them.
    """

    spec: VariantSpec
    code: MachineCode
    run: Callable[[int], int]
    prepare: Callable[[int], int]
    rehash: Callable[[int, int, int], int] | None  # of hash tables
    migrate: Callable[[int, int, int, int], int] | None  # where slices share one table
    lookup_columns: tuple[str, ...]  # the column whose dictionary each look-up table follows
    errors: tuple[tuple[str, str], ...]
    close: Callable[[int], int] | None = None  # of session and count windows
    split: Callable[[int], int] | None = None  # where rows are listed before they are added

    @property
    def compile_ns(self) -> int:
        """How long optimising and linking took."""
        return self.code.optimize_ns + self.code.link_ns

    def error(self, number: int, row: int) -> EvaluationError:
        """The error that an exit with this number reports, at a row of the batch."""
        condition, expression = self.errors[number]
        return EvaluationError(condition, expression, row)


def compile_variant(
    program: Program, layout: InputLayout, slots: SlotLayout | None, spec: VariantSpec
) -> CompiledVariant:
    """Generate and compile one variant of a program; without slots, rows are written out."""
    kernel = _build(program, layout, slots, spec)
    code = compile_module(kernel.module, in_parts=True)
    word, address = ctypes.c_int64, ctypes.c_void_p
    is_table, is_shared = (
        slots is not None and not slots.dense,
        slots is not None and slots.slice_is_key,
    )
    is_listed = slots is not None and slots.listed
    return CompiledVariant(
        spec,
        code,
        code.function(RUN, ctypes.c_int32, address),
        code.function(PREPARE, ctypes.c_int32, address),
        code.function(REHASH, None, address, word, address) if is_table else None,
        code.function(MIGRATE, None, address, word, address, word) if is_shared else None,
        tuple(lookup.column for lookup in kernel.lookups),
        kernel.errors,
        code.function(CLOSE, ctypes.c_int32, address) if _is_keyed(program) else None,
        code.function(SPLIT, ctypes.c_int32, address) if is_listed else None,
    )


def _build(
    program: Program, layout: InputLayout, slots: SlotLayout | None, spec: VariantSpec
) -> KernelModule:
    if isinstance(program, ProjectionProgram):
        assert slots is None
        return build_projection(program, layout, spec)
    assert slots is not None
    build = build_keyed if _is_keyed(program) else build_kernel
    return build(program, layout, slots, spec)


def _is_keyed(program: Program) -> bool:
    """Whether its windows go by the order of a key's rows."""
    return isinstance(program, RowProgram) and isinstance(
        program.window, SessionWindow | CountWindow
    )
