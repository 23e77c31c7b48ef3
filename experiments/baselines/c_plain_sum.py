"""The plain sum of `plain_sum.c`: how fast the columns of the YSB query can be read at all."""

from __future__ import annotations

import ctypes
import time

import pyarrow as pa

from experiments.baselines.c_buffers import columns_of
from experiments.baselines.c_compiler import library


def run(batch: pa.RecordBatch) -> tuple[tuple[int, ...], int]:
    """Codes, times, keys and values added up, and the nanoseconds that the C call took."""
    columns = columns_of(batch)
    sums = (ctypes.c_int64 * 4)()
    started_ns = time.perf_counter_ns()
    library().plain_sum_codes(ctypes.byref(columns), sums)
    return tuple(sums), time.perf_counter_ns() - started_ns
