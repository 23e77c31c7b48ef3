"""A compiled variant of a pipeline: generated, optimised, linked, ready to be called."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.kernel import MIGRATE, PREPARE, REHASH, RUN, build_kernel
from codegen_llvm.layout import InputLayout, SlotLayout
from codegen_llvm.projection import build_projection
from ir import EvaluationError, VariantSpec
from ir.pipelines import ProjectionProgram, RowProgram

Program: TypeAlias = RowProgram | ProjectionProgram


@dataclass(frozen=True)
class CompiledVariant:
    """Machine code for one program, input layout and spec; keeps the code alive.

    `run` and `prepare` take the address of a `KernelArgs`; the GIL is released
    while they run.
    """

    spec: VariantSpec
    code: MachineCode
    run: Callable[[int], int]
    prepare: Callable[[int], int]
    rehash: Callable[[int, int, int], int] | None  # of hash tables
    migrate: Callable[[int, int, int, int], int] | None  # where slices share one table
    lookup_columns: tuple[str, ...]  # the column whose dictionary each look-up table follows
    errors: tuple[tuple[str, str], ...]

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
    if isinstance(program, ProjectionProgram) or slots is None:
        assert isinstance(program, ProjectionProgram)
        assert slots is None
        kernel = build_projection(program, layout, spec)
    else:
        kernel = build_kernel(program, layout, slots, spec)
    code = compile_module(kernel.module, in_parts=True)
    word, address = ctypes.c_int64, ctypes.c_void_p
    is_table, is_shared = (
        slots is not None and not slots.dense,
        slots is not None and slots.slice_is_key,
    )
    return CompiledVariant(
        spec,
        code,
        code.function(RUN, ctypes.c_int32, address),
        code.function(PREPARE, ctypes.c_int32, address),
        code.function(REHASH, None, address, word, address) if is_table else None,
        code.function(MIGRATE, None, address, word, address, word) if is_shared else None,
        tuple(lookup.column for lookup in kernel.lookups),
        kernel.errors,
    )
