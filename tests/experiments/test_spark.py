"""The experiment `spark`: both sides agree or it raises, and the record has what is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from experiments import spark as experiment
from experiments.reference import WrongAnswer
from experiments.spark_profile import worker_times
from experiments.spark_runs import BatchSum, Run, Side, best_ns, first_difference
from experiments.spark_workloads import STARTING_TRIGGERS, WORKLOADS

ALL = {workload.name: workload for workload in WORKLOADS}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.long
@pytest.mark.spark
def test_the_experiment_runs(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def session(cores: int) -> Iterator[SparkSession]:
        yield spark

    monkeypatch.setattr(experiment, "local_session", session)
    monkeypatch.setattr(experiment, "ROUNDS", 1)
    monkeypatch.setattr(experiment, "WARMUPS", 0)
    record = experiment.run(0.0005, Console(quiet=True), only=["ysb", "five filters"])
    record.write(tmp_path / "record.json")
    written = json.loads((tmp_path / "record.json").read_text())
    assert [row[:2] for row in written["grids"][0]["rows"]] == [
        ["ysb", 20_000],
        ["five filters", 50_000],
    ]
    assert [target["needed"] for target in written["targets"]] == [4, 3]
    assert written["ratios"]["ysb"] > 0
    assert written["ratios"]["ysb, CPU"] > 0
    assert written["notes"][0].startswith("ysb: 4 of 5 operators native; scan fused")


def test_every_target_of_the_issue_is_there() -> None:
    assert [workload.needed for workload in WORKLOADS] == [4, 3, 4, 10, 5, 3, 3, 0.95, 0.95]


def test_the_first_triggers_of_many_do_not_count() -> None:
    assert Run((7,), 0, 0, 0).counted_ns == 7
    assert Run((100,) * STARTING_TRIGGERS + (1, 2), 0, 0, 0).counted_ns == 3
    small = ALL["100,000 rows a trigger"]
    assert (small.scaled_rows(1), small.counted_rows(1)) == (2_000_000, 1_500_000)
    assert small.counted_rows(0.001) == 200_000


def test_results_that_differ_are_found() -> None:
    one = BatchSum(0, 10, 5, 3)
    assert first_difference([one], [one]) is None
    assert first_difference([one], []) == "0 micro-batches put out rows, not 1"
    for other in (replace(one, rows=9), replace(one, hashes_mixed=4), replace(one, number=1)):
        assert "micro-batch 0 has 10 rows" in str(first_difference([one], [other]))
    with pytest.raises(WrongAnswer, match="puts out 9 rows, not 10"):
        experiment.rows_check(10)("ysb: Kodiak", Run((), 0, 0, 9))


@pytest.mark.spark
def test_a_wrong_result_ends_the_experiment(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Side, "sums", lambda side: [BatchSum(0, 1, 0, len(side.name))])
    with pytest.raises(WrongAnswer, match=r"ysb: micro-batch 0 has 1 rows in Spark"):
        experiment.measure_workload(ALL["ysb"], 0.0001, spark, lambda what: None)


def test_times_of_workers_are_those_of_the_longest_task() -> None:
    """The listing comes while rows are asked for, so its time is taken off."""
    reports = [
        json.dumps({"times_ns": {"wait for the listing": 1e6, "read and decode": ms * 1e6}})
        for ms in (5, 9)
    ]
    observed = {"reports": [*reports, "{}"]}
    progress = SimpleNamespace(observedMetrics={"kodiak_x": {"metrics": observed}})
    assert worker_times(progress) == {"wait for the listing": 1, "read and decode": 8}


def test_the_best_time_of_each_trigger_counts() -> None:
    """A disturbed trigger of one run does not count, nor do the first of many."""
    first, second = ((9,) * STARTING_TRIGGERS + times for times in ((2, 7), (5, 3)))
    assert best_ns([Run(first, 0, 0, 0), Run(second, 0, 0, 0)]) == 2 + 3
    assert best_ns([Run((8,), 0, 0, 0), Run((6,), 0, 0, 0)]) == 6
