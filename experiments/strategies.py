"""Experiment `strategies`: threads with groups of their own against threads that share them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pyarrow as pa
from rich.console import Console

from adaptive import Engine
from experiments.findings import Grid
from experiments.kodiak_engine import query_of
from experiments.measure import Contestant, Samples, measure
from experiments.record import Record
from experiments.reference import check_of
from experiments.workloads import SEED, Workload, stream_of

THREADS = 2
ROUNDS = 5
KEYS = (1, 100, 10_000, 100_000, 1_000_000)
STRATEGIES = ("independent", "shared")
WINDOW_US = 60_000_000  # all events of the default scale: as many groups as there can be


def run(scale: float, console: Console) -> Record:
    """Groups of their own against shared ones, by the number of keys, on 2 threads."""
    rows = round(scale * 1_000_000)
    samples: list[Samples] = []
    lines = []
    for keys in KEYS:
        console.print(f"{keys:,} keys")
        most_bytes: dict[str, int] = {}
        taken = measure_keys(keys, rows, most_bytes)
        samples += taken
        lines.append(line(keys, taken, rows, most_bytes))
    columns = ("keys", *(f"{s}, M rows/s" for s in STRATEGIES), "ratio", "groups' memory, ratio")
    grid = Grid(f"YSB sums, {rows:,} events, {THREADS} threads", columns, tuple(lines))
    ratios = {f"shared/independent, {cells[0]:,} keys": float(cells[3]) for cells in lines}
    return Record("strategies", scale, rows, SEED, tuple(samples), ratios, grids=(grid,))


def measure_keys(keys: int, rows: int, most_bytes: dict[str, int]) -> tuple[Samples, ...]:
    """Both strategies in turn on the same events."""
    workload = Workload(f"{keys} keys", size=WINDOW_US, keys=keys, encoding="codes")
    contestants = list(contestants_on(workload, rows, most_bytes))
    return measure(contestants, rounds=ROUNDS, check=check_of(workload, stream_of(workload, rows)))


def contestants_on(
    workload: Workload, rows: int, most_bytes: dict[str, int]
) -> Iterator[Contestant[pa.Table]]:
    """An engine for each strategy; the memory of its groups before the end is noted."""

    def contestant(strategy: str) -> Contestant[pa.Table]:
        def timed() -> tuple[pa.Table, int]:
            with Engine(query_of(workload), THREADS, "generic", strategy=strategy) as engine:  # type: ignore[arg-type]
                started_ns = time.perf_counter_ns()
                results = [engine.push(batch) for batch in stream_of(workload, rows).batches]
                results.append(engine.flush())
                most_bytes[strategy] = engine.state_bytes
                results.append(engine.finish())
                return pa.concat_tables(results), time.perf_counter_ns() - started_ns

        return Contestant(f"{workload.name}, {strategy}", timed)

    yield from map(contestant, STRATEGIES)


def line(
    keys: int, taken: tuple[Samples, ...], rows: int, most_bytes: dict[str, int]
) -> tuple[int, float, float, float, float]:
    """Speeds and memory of both, and how they compare."""
    own, shared = (samples.million_rows_per_second(rows) for samples in taken)
    memory = most_bytes["shared"] / most_bytes["independent"]
    return keys, own, shared, shared / own, memory
