"""The experiment `engine`: what it measures, prints and finds."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from experiments import engine
from experiments.baselines import c_compiler
from experiments.engine_findings import Speed, findings
from experiments.findings import Grid, Target
from experiments.workloads import FAMILIES, YSB, YSB_CODES, Workload

ONE, _, HUNDRED = FAMILIES["concurrent windows"]


def test_the_experiment_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All systems agree on some workloads, or `run` raises; the record has both sides."""
    try:
        c_compiler.library()
    except c_compiler.CompilerError as error:
        pytest.skip(str(error))
    chosen = (YSB, HUNDRED, FAMILIES["count windows"][0])
    monkeypatch.setattr(engine, "workloads", lambda: chosen)
    monkeypatch.setattr(engine, "ROUNDS", 2)
    monkeypatch.setattr(engine, "LONG_ROUNDS", 1)
    record = engine.run(0.02, Console(quiet=True))
    record.write(tmp_path / "record.json")
    written = json.loads((tmp_path / "record.json").read_text())
    speeds = written["grids"][0]
    assert [row[0] for row in speeds["rows"]] == [workload.name for workload in chosen]
    assert all(isinstance(cell, float) for row in speeds["rows"] for cell in row[1:])
    assert len(written["ratios"]) == len(chosen) * 6
    assert {target["holds"] for target in written["targets"]} >= {None}, "codes did not run"
    assert not written["notes"]


def test_ways_that_are_far_behind_are_tried_once() -> None:
    runs: list[str] = []

    class Two:
        name, threads = "two", 1

        def formulations(self, workload: Workload, rows: int) -> tuple[str, ...]:
            return ("slow", "fast", "near")

        def run(self, workload: Workload, rows: int, way: str) -> tuple[str, int]:
            runs.append(way)
            return way, {"slow": 160, "fast": 100, "near": 140}[way]

    checked: list[str] = []
    ways = engine.near_ways(Two(), YSB, 1, lambda name, table: checked.append(table), str)
    assert ways == ["fast", "near"]
    assert checked == runs == ["slow", "fast", "near"]


def speeds(**by_system: tuple[float, float]) -> tuple[Speed, ...]:
    return tuple(
        Speed(system, threads, "a way", value)
        for system, pair in by_system.items()
        for threads, value in zip((1, 2), pair, strict=True)
    )


def test_targets_compare_with_the_issue() -> None:
    found = findings(
        {
            YSB: speeds(Kodiak=(80, 120), C=(100, 160), DuckDB=(20, 40), Polars=(41, 80)),
            YSB_CODES: speeds(Kodiak=(79, 140), C=(100, 199)),
            ONE: speeds(Kodiak=(100, 100)),
            HUNDRED: speeds(Kodiak=(50, 49)),
        },
        {YSB.name: 50_000_000},
    )
    assert [(target.measured, target.holds) for target in found.targets] == [
        (0.8, True),
        (0.79, False),
        (4.0, True),
        (pytest.approx(80 / 41), False),
        (0.5, True),
        (0.49, False),
        (1.5, True),  # C gains 1.6, of which 0.85 are 1.36
        (pytest.approx(140 / 79), True),
    ]
    assert found.ratios["ysb, 2 threads: Kodiak / DuckDB"] == 3
    assert found.grids[2].rows[0][:2] == (YSB.name, 50.0)


def test_what_is_missing_is_shown_as_missing() -> None:
    grid = Grid("title", ("a", "b", "c"), (("x", None, 1234567), ("y", 0.12345, 123.4)))
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(grid.render())
    text = console.export_text()
    assert "-" in text
    assert "1,234,567" in text
    assert "0.123" in text
    assert Target("t", None, 1).holds is None
    assert Target("t", 1.1, 1, at_most=True).holds is False
    with pytest.raises(ValueError, match="has not the columns"):
        Grid("title", ("a",), (("x", 1),))
