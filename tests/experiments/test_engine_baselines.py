"""Every way to write every workload, in every system, gives the answer of numpy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from experiments.baselines import c_compiler
from experiments.baselines.c_windows import C
from experiments.baselines.duckdb_queries import DuckDb
from experiments.baselines.polars_process import Polars, PolarsFailed
from experiments.engine import System
from experiments.kodiak_engine import Kodiak
from experiments.reference import WrongAnswer, check_of
from experiments.workloads import YSB, Workload, stream_of, workloads

ROWS = 60_000
every_workload = pytest.mark.parametrize("workload", list(workloads()), ids=lambda w: w.name)


@pytest.fixture(scope="module", params=[Kodiak, C, DuckDb, Polars], ids=lambda kind: kind.name)
def systems(request: pytest.FixtureRequest) -> Iterator[tuple[System, System]]:
    try:
        c_compiler.find_compiler()
    except c_compiler.CompilerError as error:
        if request.param is C:
            pytest.skip(str(error))
    one, two = request.param(1), request.param(2)
    yield one, two
    one.close()
    two.close()


def small(workload: Workload) -> Workload:
    """With fewer keys, so that few rows are many for each."""
    return replace(workload, keys=min(workload.keys, 500))


@every_workload
def test_all_systems_give_the_reference_answer(
    workload: Workload, systems: tuple[System, System]
) -> None:
    workload = small(workload)
    check = check_of(workload, stream_of(workload, ROWS))
    for system in systems:
        assert system.formulations(workload, ROWS)
        for way in system.formulations(workload, ROWS):
            table, elapsed_ns = system.run(workload, ROWS, way)
            check(f"{system.name} {way}", table)
            assert elapsed_ns > 0


def test_an_error_in_the_process_of_polars_is_shown() -> None:
    polars = Polars(1)
    with pytest.raises(PolarsFailed, match="no such way"):
        polars.run(YSB, 1_000, "no such way")
    polars.close()


def answer(workload: Workload) -> pa.Table:
    duckdb = DuckDb(1)
    table, _ = duckdb.run(workload, ROWS, "grouped")
    duckdb.close()
    return table


def with_result(table: pa.Table, results: np.ndarray) -> pa.Table:
    return table.set_column(2, "result", pa.array(results))


@pytest.mark.parametrize("aggregate", ["sum", "avg", "stddev", "median", "mode"])
def test_one_wrong_result_is_found(aggregate: str) -> None:
    workload = replace(YSB, keys=50, aggregate=aggregate)
    check = check_of(workload, stream_of(workload, ROWS))
    right = answer(workload)
    check("right", right)
    results = right["result"].to_numpy().copy()
    results[3] = results[3] + 1 if results[3] < 99 else results[3] - 1
    with pytest.raises(WrongAnswer, match="x is wrong in 1 of"):
        check("x", with_result(right, results))


def test_missing_doubled_and_strange_groups_are_found() -> None:
    workload = replace(YSB, keys=50)
    check = check_of(workload, stream_of(workload, ROWS))
    right = answer(workload)
    with pytest.raises(WrongAnswer, match="49 groups, expected 50"):
        check("x", right.slice(1))
    with pytest.raises(WrongAnswer, match="other groups"):
        check("x", pa.concat_tables([right.slice(1), right.slice(7, 1)]))
    keys = right["campaign_id"].to_numpy().copy()
    keys[0] += 1_000
    with pytest.raises(WrongAnswer, match="other groups"):
        check("x", right.set_column(1, "campaign_id", pa.array(keys)))
