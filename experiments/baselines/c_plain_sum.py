"""The plain sum of `plain_sum.c`: how fast the columns of the YSB query can be read at all."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable

import pyarrow as pa

from experiments.baselines.c_buffers import columns_of
from experiments.baselines.c_compiler import library


def run(
    batch: pa.RecordBatch, clock: Callable[[], int] = time.perf_counter_ns
) -> tuple[tuple[int, ...], int]:
    """Codes, times, keys and values added up, and the nanoseconds that the C call took."""
    columns = columns_of(batch)
    sums = (ctypes.c_int64 * 4)()
    started_ns = clock()
    library().plain_sum_codes(ctypes.byref(columns), sums)
    return tuple(sums), clock() - started_ns
