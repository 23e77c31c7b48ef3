"""The demonstration, end to end on a small stream."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from adaptive.demo import run as demo
from adaptive.demo.compare import Comparison
from adaptive.demo.run import KODIAK, SPARK, DemoReport, DemoSettings, run_demo
from adaptive.demo.session import SparkFailed
from adaptive.demo.show import show_history, show_report
from adaptive.explain import Explanation
from adaptive.spark import StreamHistory, WorkerSwap, WorkerUse
from codegen_llvm import InputLayout
from ir import GENERIC, KeysInRange, Tier, VariantSpec

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 20_000


def quiet() -> Console:
    return Console(width=120, record=True, file=StringIO())


def wrong(events: DataFrame) -> DataFrame:
    """As the query, but one is added to each sum."""
    from pyspark.sql import functions as F

    return demo.revenue(events).withColumn("revenue", F.col("revenue") + 1)


def fewer(events: DataFrame) -> DataFrame:
    return demo.revenue(events.where("campaign_id > 5"))


@pytest.mark.long
@pytest.mark.spark
def test_both_sides_agree_and_are_timed(spark: SparkSession, tmp_path: Path) -> None:
    console = quiet()
    report = run_demo(DemoSettings(ROWS, tmp_path / "data", rounds=2), console, spark)
    assert report.comparison.identical
    assert report.comparison.expected_rows > 0
    assert report.explanation.is_fully_native
    assert {name: len(taken) for name, taken in report.seconds.items()} == {SPARK: 2, KODIAK: 2}
    assert report.history.rows == 3 * ROWS
    views = spark.read.parquet(str(tmp_path / "data" / "*")).where("event_type = 'view'").count()
    # Others are left out while the file is decoded, and reach no variant.
    assert sum(use.rows for use in report.history) == 3 * views
    text = console.export_text()
    for expected in (
        "Results identical",
        "Speed-up",
        "operators native",
        "noop",
        "20,000 events",
        "What Kodiak's workers ran",
    ):
        assert expected in text


@pytest.mark.spark
def test_a_wrong_result_is_loud_and_not_timed(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(demo.CONTESTANTS, KODIAK, wrong)  # type: ignore[arg-type]
    console = quiet()
    report = run_demo(DemoSettings(1_000, tmp_path, rounds=1, keep=False), console, spark)
    assert not report.comparison.identical
    assert not report.seconds
    text = console.export_text()
    assert "RESULTS DIFFER" in text
    assert "Speed-up" not in text
    assert not tmp_path.exists()  # the data was not to be kept


@pytest.mark.spark
def test_a_timed_round_with_other_rows_ends_the_demo(spark: SparkSession, tmp_path: Path) -> None:
    from adaptive.demo.ysb_data import generate

    stage = demo._Stage(spark, generate(tmp_path, 1_000), quiet())
    with pytest.raises(SparkFailed, match=r"put out .* rows in a timed round, 7 before"):
        stage._time(SPARK, result_rows=7)


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.slow
def test_the_command_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    arguments = ["--scale", "0.02", "--rounds", "1", "--data", str(tmp_path)]
    command = [sys.executable, "-m", "adaptive.cli", "demo", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Results identical" in done.stdout
    assert " WARN " not in done.stderr


def test_a_query_that_stays_in_spark_is_said() -> None:
    seconds = {SPARK: (2.0, 4.5), KODIAK: (1.0, 3.0)}
    report = DemoReport(ROWS, 2, seconds, Comparison(5, 5), Explanation(reasons=("no files",)))
    console = quiet()
    show_report(report, console)
    text = console.export_text()
    assert "Speed-up: 2.00 times, best against best" in text
    assert "2.00 1.50, round by round" in text
    assert "Nothing ran natively" in text
    assert "no files" in text


def test_a_history_is_shown_in_a_few_lines() -> None:
    """Uses of one worker and variant are added up, and of many swaps the last are shown."""
    dense = VariantSpec(Tier.SPECULATIVE, (KeysInRange(((0, 99),)),))
    uses = [
        WorkerUse(GENERIC, InputLayout(()), "start", 1_000, 4_000, pid=7, executor="driver"),
        WorkerUse(GENERIC, InputLayout(()), "start", 1_000, 2_000, pid=7, executor="driver"),
        *(WorkerUse(dense, InputLayout(()), "narrow", n, pid=n) for n in range(1, 50)),
    ]
    swaps = [
        WorkerSwap(n * 1_000_000, 0, dense, "keys in 0..99", "ns/row", 3.0, 2.0, "driver", 7, n)
        for n in range(50)
    ]
    console = quiet()
    show_history(StreamHistory(uses, swaps), console)
    text = console.export_text()
    for expected in (
        "driver/7",
        "2,000",
        "3.00 -> 2.00",
        "the last 6 of 50",
        "49.0",
        "dense 0..99",
    ):
        assert expected in text
    assert len(text.splitlines()) <= 22  # with titles and borders


@pytest.mark.parametrize(("rows", "rounds"), [(0, 1), (1, 0)])
def test_nothing_to_do_is_refused(rows: int, rounds: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one row and one round"):
        DemoSettings(rows, tmp_path, rounds)
