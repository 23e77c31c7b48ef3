"""The command line: what it refuses and how, and what the doctor finds."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from adaptive import cli, doctor
from adaptive.demo.compare import Comparison
from adaptive.demo.run import DemoReport, DemoSettings
from adaptive.demo.session import SparkFailed
from adaptive.doctor import Finding, Status
from adaptive.explain import Explanation
from adaptive.java import Java, JavaMissing
from profiler import CounterAvailability, Rung, ThreadSignals, counter_availability


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, list(arguments))


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals are about the options, whether or not this machine has Java."""
    monkeypatch.setattr("adaptive.java.find_java", lambda: Java(Path("/java"), 17))


def demo_that(
    monkeypatch: pytest.MonkeyPatch, outcome: Comparison | Exception
) -> list[DemoSettings]:
    """Put something in the place of the demonstration; returns what it was asked to do."""
    asked: list[DemoSettings] = []

    def run_demo(settings: DemoSettings, console: Console) -> DemoReport:
        asked.append(settings)
        if isinstance(outcome, Exception):
            raise outcome
        return DemoReport(settings.rows, 2, {}, outcome, Explanation())

    monkeypatch.setattr("adaptive.demo.run.run_demo", run_demo)
    return asked


def assert_refused(result: Result, *texts: str) -> None:
    """One line that says what is wrong, and nothing else."""
    assert result.exit_code == 2
    assert not isinstance(result.exception, (OSError, ValueError))
    [line] = result.stderr.strip().splitlines()
    assert line.startswith("error: ")
    for text in texts:
        assert text in line


@pytest.mark.parametrize("scale", ["0", "-3", "nan", "inf", "0.0000001"])
def test_a_scale_without_rows_is_refused(scale: str) -> None:
    assert_refused(run("demo", "--scale", scale), "--scale", "must be above 0", "try 10")


def test_a_demo_without_rounds_is_refused() -> None:
    assert_refused(run("demo", "--rounds", "0"), "--rounds must be at least 1", "try 5")


@pytest.mark.parametrize("arguments", [("demo", "--scale", "many"), ("demo", "--speed"), ("dmo",)])
def test_what_cannot_be_parsed_is_refused(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.usefixtures("java")
def test_a_file_in_the_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    result = run("demo", "--scale", "0.01", "--data", str(file))
    assert_refused(result, f"{file} is a file", "--data")


@pytest.mark.usefixtures("java")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    result = run("demo", "--scale", "0.01", "--data", str(tmp_path / "data"))
    assert_refused(result, os.strerror(errno.EACCES), "--data")


@pytest.mark.usefixtures("java")
def test_foreign_files_are_not_mixed_into_the_data(tmp_path: Path) -> None:
    (tmp_path / "mine.parquet").touch()
    result = run("demo", "--scale", "0.01", "--data", str(tmp_path))
    assert_refused(result, "mine.parquet", "give an empty directory")


@pytest.mark.usefixtures("java")
def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        free = 5

    monkeypatch.setattr("shutil.disk_usage", lambda path: Full)
    result = run("demo", "--scale", "0.01", "--data", str(tmp_path))
    assert_refused(result, "not enough disk space", "5 are free", "smaller --scale")


def test_without_java_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_found() -> Java:
        raise JavaMissing("Spark needs Java 17 or 21. Run: sudo apt-get install -y java")

    monkeypatch.setattr("adaptive.java.find_java", none_found)
    assert_refused(run("demo"), "Java 17 or 21", "Run: sudo apt-get install")


@pytest.mark.usefixtures("java")
def test_identical_results_are_a_success(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = demo_that(monkeypatch, Comparison(3, 3))
    result = run("demo", "--scale", "0.5", "--rounds", "2", "--data", str(tmp_path), "--no-keep")
    assert result.exit_code == 0
    assert asked == [DemoSettings(500_000, tmp_path, 2, keep=False)]


@pytest.mark.usefixtures("java")
def test_different_results_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    demo_that(monkeypatch, Comparison(3, 2, missing=("a row",)))
    assert run("demo").exit_code == 1


@pytest.mark.usefixtures("java")
def test_a_failed_query_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    demo_that(monkeypatch, SparkFailed("the query failed: out of luck"))
    result = run("demo")
    assert result.exit_code == 1
    assert result.stderr == "error: the query failed: out of luck\n"


@pytest.mark.usefixtures("java")
def test_data_goes_to_the_cache_by_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = demo_that(monkeypatch, Comparison(3, 3))
    run("demo", "--scale", "0.1")
    assert asked[0].data == tmp_path / "kodiak" / "ysb-100000"


def test_help_names_the_commands_and_options() -> None:
    assert {"demo", "doctor"} <= set(run("--help").output.split())
    text = run("demo", "--help").output
    for option in ("--scale", "--data", "--rounds", "--keep"):
        assert option in text


def test_the_doctor_compiles_a_kernel_and_knows_the_signal() -> None:
    result = run("doctor")
    for text in ("Python", "LLVM", "answer", "Java", "signal", "cores"):
        assert text in result.output
    assert result.exit_code in (0, 1)


def test_something_missing_makes_the_doctor_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = (
        Finding("Python", Status.GOOD, "3.12"),
        Finding("Java", Status.MISSING, "no Java", "sudo apt-get install -y java"),
    )
    monkeypatch.setattr("adaptive.doctor.examine", lambda: findings)
    result = run("doctor")
    assert result.exit_code == 1
    assert "Java: sudo apt-get install -y java\n" in result.output


@pytest.mark.parametrize("rung", [rung for rung in Rung if rung is not Rung.HARDWARE])
def test_a_lower_rung_is_a_note_with_what_it_measures_and_its_remedy(rung: Rung) -> None:
    found = doctor.counters(CounterAvailability(rung, "no counters", "get some"))
    assert (found.subject, found.status, found.fix) == ("signal", Status.NOTE, "get some")
    assert found.text.startswith(f"{rung} (CPU time")
    assert found.text.endswith("): no counters")


def test_hardware_counters_are_good() -> None:
    best = doctor.counters(CounterAvailability(Rung.HARDWARE, "cycles"))
    assert best == Finding("signal", Status.GOOD, "hardware counters: cycles")


def test_the_doctor_names_the_rung_that_threads_are_on() -> None:
    assert doctor.counters(counter_availability()).text.startswith(ThreadSignals().rung)


def test_a_missing_package_is_named_with_its_fix() -> None:
    def version(name: str) -> str:
        if name == "numpy":
            raise doctor.metadata.PackageNotFoundError(name)
        return "1.0"

    installed, missing = doctor.packages(version)
    assert "pyarrow 1.0" in installed.text
    assert missing == Finding("numpy", Status.MISSING, "not installed", "pip install numpy")


def test_a_kernel_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(plan: object) -> None:
        raise RuntimeError("no code today")

    monkeypatch.setattr(doctor, "PlanRunner", broken)
    found = doctor.smoke_check()
    assert found.status is Status.MISSING
    assert "no code today" in found.text
