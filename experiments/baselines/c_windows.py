"""The hand-written C programs for other aggregates and windows, on one thread or several."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator

import pyarrow as pa

from experiments.baselines import c_programs
from experiments.baselines.c_buffers import Columns, Groups, columns_of, encoding_of, table_of
from experiments.baselines.c_compiler import library
from experiments.workloads import Stream, Workload, is_ysb, result_schema, stream_of

# Threads share work by chunks of this many rows; a multiple of BLOCK of columns.h.
CHUNK_ROWS = 8 * 16_384
CHUNKS = "chunks"


class C:
    """The C programs with a number of threads; all use hash tables."""

    name = "C"

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def formulations(self, workload: Workload, rows: int) -> tuple[str, ...]:
        """The names of the programs: those of `ysb.c` read the same rows in one piece."""
        one_piece = [p.name for p in c_programs.available_programs() if p.hashes]
        return (CHUNKS, *(one_piece if is_ysb(workload) and self.threads == 1 else ()))

    def run(self, workload: Workload, rows: int, way: str) -> tuple[pa.Table, int]:
        """The query's result, in no particular order, and the nanoseconds that it took."""
        stream = stream_of(workload, rows)
        if way == CHUNKS:
            return run(workload, stream, self.threads)
        program = next(p for p in c_programs.PROGRAMS if p.name == way)
        table, elapsed_ns = c_programs.run(program, stream.events)
        return table.rename_columns(result_schema(workload).names), elapsed_ns

    def close(self) -> None:
        """Nothing is kept."""


def run(workload: Workload, stream: Stream, threads: int) -> tuple[pa.Table, int]:
    """The query's result, in no particular order, and the nanoseconds that the C call took."""
    chunks = [columns_of(chunk) for batch in stream.batches for chunk in _chunks(batch)]
    array = (Columns * len(chunks))(*chunks)
    groups = (Groups * threads)()
    function = getattr(library(), f"{_name(workload)}_{encoding_of(stream.batches[0])}")
    arguments = (array, ctypes.c_int64(len(chunks)), threads, *_settings(workload, stream), groups)
    try:
        started_ns = time.perf_counter_ns()
        function(*arguments)
        elapsed_ns = time.perf_counter_ns() - started_ns
        return table_of(groups, result_schema(workload)), elapsed_ns
    finally:
        for part in groups:
            library().groups_free(ctypes.byref(part))


def _name(workload: Workload) -> str:
    kind = {"tumbling": "tumbling", "sliding": "sliding", "count": "counted"}[workload.window]
    return f"{kind}_{workload.aggregate}"


def _settings(workload: Workload, stream: Stream) -> Iterator[ctypes.c_int64]:
    """What the program is told beyond its rows."""
    match workload.window:
        case "sliding":
            yield ctypes.c_int64(workload.size)
            yield ctypes.c_int64(stream.last_end_us)
        case "count":
            yield ctypes.c_int64(workload.size)


def _chunks(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    return (batch.slice(at, CHUNK_ROWS) for at in range(0, batch.num_rows, CHUNK_ROWS))
