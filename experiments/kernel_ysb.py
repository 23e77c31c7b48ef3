"""Experiment `kernel-ysb`: the compiled kernel against hand-written C, data in memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console

import ir
from adaptive.demo.ysb_data import ysb_batch
from adaptive.runtime import PlanRunner
from experiments.baselines import c_programs
from experiments.measure import Contestant, Samples, measure
from experiments.record import Record
from policies import Fixed, Policy

SEED = 42
KEYS = 10_000
ROUNDS = 9
WINDOW_US = 10_000_000
ENCODINGS = ("codes", "strings")
SCATTERED = "scattered"
ORDER = [("window_start", "ascending"), ("campaign_id", "ascending")]

POLICIES: dict[str, Policy] = {
    "kodiak generic": Fixed(),
}

TableContestant = Contestant[pa.Table]


class WrongAnswer(AssertionError):
    """A contestant's result differs from the reference, so its time means nothing."""


def run(scale: float, console: Console) -> Record:
    """The compiled kernel against hand-written C on the YSB query, in memory, one thread."""
    rows = round(scale * 1_000_000)
    console.print(f"making {rows:,} rows")
    batches = dict(zip(ENCODINGS, both_encodings(rows), strict=True))
    batches[SCATTERED] = with_scattered_keys(batches["codes"])
    contestants = [c for name, batch in batches.items() for c in contestants_on(name, batch)]
    expected = agrees_with(reference_answer(batches["codes"]))
    scattered = agrees_with(reference_answer(batches[SCATTERED]))

    def check(name: str, table: pa.Table) -> None:
        (scattered if name.endswith(SCATTERED) else expected)(name, table)

    console.print(f"{len(contestants)} contestants, best of {ROUNDS} rounds")
    samples = measure(contestants, rounds=ROUNDS, check=check)
    return Record("kernel-ysb", scale, rows, SEED, samples, dict(ratios(samples)))


def both_encodings(rows: int) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """The same events with event_type as dictionary codes and as plain strings."""
    codes = ysb_batch(rows, KEYS, SEED, dictionary=True)
    plain = codes.column("event_type").cast(pa.string())
    return codes, codes.set_column(0, "event_type", plain)


def with_scattered_keys(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same events with keys drawn from all of int64.

    Consecutive keys hardly collide under a multiplicative hash, which flatters
    every hash table; these collide as any others do.
    """
    keys = np.random.default_rng(SEED).integers(-(2**63), 2**63 - 1, KEYS)
    drawn = pa.array(keys[batch.column("campaign_id").to_numpy()])
    return batch.set_column(1, "campaign_id", drawn)


def contestants_on(encoding: str, batch: pa.RecordBatch) -> Iterator[TableContestant]:
    """Kodiak and every C program on one encoding of the data."""
    for name, policy in POLICIES.items():
        yield kodiak_contestant(name, policy, encoding, batch)
    for program in c_programs.available_programs():
        if encoding == SCATTERED and not program.hashes:
            continue  # a dense array cannot hold such keys
        yield c_contestant(program, encoding, batch)


def c_contestant(
    program: c_programs.CProgram, encoding: str, batch: pa.RecordBatch
) -> TableContestant:
    """One C program."""
    name = f"c {program.name} {encoding}"
    return Contestant(name, lambda: c_programs.run(program, batch), program.description)


def kodiak_contestant(
    name: str, policy: Policy, encoding: str, batch: pa.RecordBatch
) -> TableContestant:
    """The compiled kernel, timed from the first row to the result table; the warm-up compiles."""
    plan = ysb_plan()

    def run() -> tuple[pa.Table, int]:
        runner = PlanRunner(plan, policy)
        started_ns = time.perf_counter_ns()
        runner.consume(batch)
        table = runner.finish()
        return table, time.perf_counter_ns() - started_ns

    return Contestant(f"{name} {encoding}", run, (type(policy).__doc__ or "").partition("\n")[0])


def ysb_plan() -> ir.Sink:
    """The YSB query as a plan."""
    source = ir.Source("events", ysb_schema())
    event_type = ir.Column("event_type", ir.STRING)
    views = ir.Filter(source, ir.Call("eq", (event_type, ir.Literal("view", ir.STRING))))
    revenue = ir.Aggregate(
        views,
        ir.TumblingWindow(ir.Column("event_time", ir.TIMESTAMP), WINDOW_US),
        (ir.Named("campaign_id", ir.Column("campaign_id", ir.INT64)),),
        (ir.NamedAggregate("revenue", ir.AggregateCall("sum", ir.Column("value", ir.INT64))),),
    )
    return ir.Sink(revenue, "results")


def ysb_schema() -> ir.Schema:
    """The events, every column nullable as Spark reads them."""
    return ir.Schema(
        (
            ir.Field("event_type", ir.STRING),
            ir.Field("campaign_id", ir.INT64),
            ir.Field("event_time", ir.TIMESTAMP),
            ir.Field("value", ir.INT64),
        )
    )


def reference_answer(batch: pa.RecordBatch) -> pa.Table:
    """The result by Arrow's own group-by, which shares no code with any contestant."""
    views = batch.filter(pc.equal(batch.column("event_type"), "view"))
    time_us = views.column("event_time").cast(pa.int64())
    # Division truncates, which is the floor for the times after 1970 of this data.
    starts = pc.multiply(pc.divide(time_us, WINDOW_US), WINDOW_US)
    named = pa.table(
        [starts, views.column("campaign_id"), views.column("value")],
        names=["window_start", "campaign_id", "value"],
    )
    sums = named.group_by(["window_start", "campaign_id"]).aggregate([("value", "sum")])
    return canonical(sums.rename_columns({"value_sum": "revenue"}))


def canonical(table: pa.Table) -> pa.Table:
    """The result's columns, types and order that all contestants are compared in."""
    names = c_programs.RESULT_SCHEMA.names
    return table.select(names).cast(c_programs.RESULT_SCHEMA).sort_by(ORDER).combine_chunks()


def agrees_with(expected: pa.Table) -> Callable[[str, pa.Table], None]:
    """A check that a contestant's groups and sums are exactly the expected ones."""

    def check(name: str, table: pa.Table) -> None:
        found = canonical(table)
        if not found.equals(expected):
            raise WrongAnswer(
                f"{name} is wrong: {found.num_rows:,} groups with total "
                f"{pc.sum(found['revenue'])}, expected {expected.num_rows:,} with "
                f"{pc.sum(expected['revenue'])}"
            )

    return check


def ratios(samples: tuple[Samples, ...]) -> Iterator[tuple[str, float]]:
    """Kodiak's speed relative to the best C program of each kind; above 1, Kodiak is faster."""
    best_ns = {s.name: s.best_ns for s in samples}
    kinds = {
        "best C hash program": [p for p in c_programs.PROGRAMS if p.hashes],
        "best C hash program without AVX-512": [
            p for p in c_programs.PROGRAMS if p.hashes and not p.needs_avx512
        ],
        "best C program": list(c_programs.PROGRAMS),
    }
    data = (*ENCODINGS, SCATTERED)
    for kodiak, encoding, (kind, programs) in product(POLICIES, data, kinds.items()):
        times_ns = [best_ns.get(f"c {program.name} {encoding}") for program in programs]
        best_c_ns = min((ns for ns in times_ns if ns is not None), default=None)
        if best_c_ns is None or f"{kodiak} {encoding}" not in best_ns:
            continue
        yield f"{kodiak} / {kind}, {encoding}", best_c_ns / best_ns[f"{kodiak} {encoding}"]
