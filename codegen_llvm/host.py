"""The CPU that code is generated for, as LLVM sees it."""

from __future__ import annotations

from dataclasses import dataclass

import llvmlite
import llvmlite.binding as llvm

# What decides how wide and how clever generated loops can be, by LLVM's names.
NOTABLE_FEATURES = ("sse4.2", "avx2", "bmi2", "avx512f", "avx512vl", "neon", "sve")


@dataclass(frozen=True, slots=True)
class CodeTarget:
    """LLVM's version, the CPU that it generates for, and that CPU's notable features."""

    llvm_version: str
    llvmlite_version: str
    triple: str
    cpu: str
    features: tuple[str, ...]


def code_target() -> CodeTarget:
    """What kernels are compiled for in this process."""
    present = llvm.get_host_cpu_features()
    return CodeTarget(
        ".".join(map(str, llvm.llvm_version_info)),
        llvmlite.__version__,
        llvm.get_default_triple(),
        llvm.get_host_cpu_name(),
        tuple(name for name in NOTABLE_FEATURES if present.get(name)),
    )
