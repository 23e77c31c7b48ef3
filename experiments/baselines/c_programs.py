"""The hand-written C programs of `ysb.c`: one thread, one batch, called on Arrow buffers."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from experiments.baselines.c_buffers import Groups, columns_of, encoding_of, table_of
from experiments.baselines.c_compiler import library

RESULT_SCHEMA = pa.schema(
    [
        ("window_start", pa.timestamp("us", tz="UTC")),
        ("campaign_id", pa.int64()),
        ("revenue", pa.int64()),
    ]
)
KEYS_TOO_WIDE = 1


@dataclass(frozen=True, slots=True)
class CProgram:
    """One program of `ysb.c`."""

    name: str
    description: str
    hashes: bool
    needs_avx512: bool = False

    def symbol(self, encoding: str) -> str:
        """The C function for this encoding of event_type."""
        return f"{self.name.replace('-', '_')}_{encoding}"


PROGRAMS = (
    CProgram("hash-row", "one hash table keyed by (window, key), branch per row", True),
    CProgram("window-hash-row", "a hash table per window, branch per row", True),
    CProgram("window-hash-select", "a hash table per window, selection vector", True),
    CProgram(
        "window-hash-simd",
        "a hash table per window, AVX-512 selection",
        True,
        needs_avx512=True,
    ),
    CProgram("dense-row", "a dense array per window, branch per row", False),
    CProgram("dense-select", "a dense array per window, selection vector", False),
    CProgram("dense-simd", "a dense array per window, AVX-512 selection", False, needs_avx512=True),
)


def available_programs() -> tuple[CProgram, ...]:
    """The programs that were compiled for this CPU."""
    has_avx512 = hasattr(library(), "window_hash_simd_codes")
    return tuple(p for p in PROGRAMS if has_avx512 or not p.needs_avx512)


def run(
    program: CProgram, batch: pa.RecordBatch, clock: Callable[[], int] = time.perf_counter_ns
) -> tuple[pa.Table, int]:
    """The query's result, in no particular order, and the nanoseconds that the C call took."""
    columns = columns_of(batch)
    function = getattr(library(), program.symbol(encoding_of(batch)))
    groups = Groups()
    try:
        started_ns = clock()
        function(ctypes.byref(columns), ctypes.byref(groups))
        elapsed_ns = clock() - started_ns
        if groups.status == KEYS_TOO_WIDE:
            raise ValueError(f"{program.name}: keys span more than 64 M values; use a hash program")
        return table_of([groups], RESULT_SCHEMA), elapsed_ns
    finally:
        library().groups_free(ctypes.byref(groups))
