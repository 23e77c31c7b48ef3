"""A compiled variant of a pipeline: generated, optimised, linked, ready to be called."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.kernel import MIGRATE, PREPARE, REHASH, RUN, build_kernel
from codegen_llvm.layout import InputLayout, SlotLayout
from ir import EvaluationError, VariantSpec
from ir.pipelines import RowProgram


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
    program: RowProgram, layout: InputLayout, slots: SlotLayout, spec: VariantSpec
) -> CompiledVariant:
    """Generate and compile one variant of a program."""
    kernel = build_kernel(program, layout, slots, spec)
    code = compile_module(kernel.module)
    word, address = ctypes.c_int64, ctypes.c_void_p
    return CompiledVariant(
        spec,
        code,
        code.function(RUN, ctypes.c_int32, address),
        code.function(PREPARE, ctypes.c_int32, address),
        None if slots.dense else code.function(REHASH, None, address, word, address),
        code.function(MIGRATE, None, address, word, address, word) if slots.slice_is_key else None,
        tuple(lookup.column for lookup in kernel.lookups),
        kernel.errors,
    )
