"""What the adaptive engine is measured by on the YSB query: every C program, and a plain sum."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from adaptive.demo.ysb_data import START_US
from experiments.adaptive_clock import own_time_ns
from experiments.adaptive_data import BLOCK_US
from experiments.adaptive_reference import Tally
from experiments.adaptive_stream import BATCHES, Block
from experiments.baselines import c_plain_sum, c_programs
from experiments.drift_workloads import Drift
from experiments.measure import Contestant
from experiments.reference import WrongAnswer

C_BLOCKS = 4  # in one call: only the first window of a C program grows its table
# The best of so many calls is one sample: a call is as short as a few batches, so that a single one
# on a busy machine says little (10,000 keys, codes: 574 M rows/s in one run, 788 in another).
CALLS = 4
PLAIN_SUM = "plain sum"


def yardsticks(drift: Drift, block: Block) -> Iterator[Contestant[None]]:
    """The C programs on the same events in one piece, and the reading of the same columns."""
    piece = one_piece(block)
    for program in c_programs.available_programs():
        yield _program(drift, block, program, piece)
    if pa.types.is_dictionary(piece.schema.field("event_type").type):
        yield _plain_sum(drift, piece)


def c_name(drift: Drift, program: c_programs.CProgram) -> str:
    """The name of a C program's samples."""
    return f"{drift.name}: C {program.name}"


def plain_sum_name(drift: Drift) -> str:
    """The name of the plain sum's samples."""
    return f"{drift.name}: {PLAIN_SUM}"


def one_piece(block: Block) -> pa.RecordBatch:
    """Several repetitions of a block as one batch."""
    batches = []
    for number in range(C_BLOCKS):
        start_us = START_US + number * BLOCK_US
        for position in range(BATCHES):
            room = np.empty_like(block.times_us[position])
            batches.append(block.batch(position, start_us, room))
    table = pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()
    (piece,) = table.to_batches()
    return piece


def _program(
    drift: Drift, block: Block, program: c_programs.CProgram, piece: pa.RecordBatch
) -> Contestant[None]:
    name = c_name(drift, program)

    def timed() -> tuple[None, int]:
        calls = [c_programs.run(program, piece, own_time_ns) for _ in range(CALLS)]
        for table, _ in calls:
            check(table)
        return None, min(elapsed_ns for _, elapsed_ns in calls)

    def check(table: pa.Table) -> None:
        tally = Tally(drift, START_US, "revenue")
        for number in range(C_BLOCKS):
            tally.expect(number, block.sums)
        tally.take(name, table)
        tally.end(name, 0)

    return Contestant(name, timed, program.description, piece.num_rows)


def _plain_sum(drift: Drift, piece: pa.RecordBatch) -> Contestant[None]:
    columns = (
        piece.column("event_type").indices,
        *(piece.column(name).cast(pa.int64()) for name in ("event_time", "campaign_id", "value")),
    )
    with np.errstate(over="ignore"):
        expected = tuple(int(np.sum(column.to_numpy(), dtype=np.int64)) for column in columns)

    def timed() -> tuple[None, int]:
        calls = [c_plain_sum.run(piece, own_time_ns) for _ in range(CALLS)]
        for sums, _ in calls:
            if sums != expected:
                raise WrongAnswer(f"the plain sum is wrong: {sums}, expected {expected}")
        return None, min(elapsed_ns for _, elapsed_ns in calls)

    return Contestant(plain_sum_name(drift), timed, "all columns added up", piece.num_rows)
