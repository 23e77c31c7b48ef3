"""The experiment `memory`: the course of the resident size, and that nothing is lost."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from experiments import memory
from experiments.memory import Course
from experiments.reference import WrongAnswer
from experiments.workloads import BATCH_ROWS, YSB, stream_of


def test_quarters_of_a_course() -> None:
    sizes = tuple(size * memory.MEGABYTE for size in (1, 5, 3, 9, 4, 2, 6, 7))
    course = Course(2, tuple(range(8)), sizes, 1)
    assert (course.first_quarter_mb, course.last_quarter_mb, course.peak_mb) == (5, 7, 9)
    assert memory.flat_target(course).holds is False


def test_blocks_follow_each_other_in_time() -> None:
    block = stream_of(YSB, 2 * BATCH_ROWS).batches
    times = [batch.column("event_time") for batch in memory.repeated(block, 5)]
    for before, after in pairwise(times):
        assert 0 < after[0].value - before[-1].value <= 3


def test_lost_rows_are_found() -> None:
    block = stream_of(YSB, BATCH_ROWS).batches
    with pytest.raises(WrongAnswer, match="add up to 0"):
        memory.check_total(block, 3, 0, 0)


def test_the_experiment_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(memory, "BLOCK_BATCHES", 2)
    record = memory.run(0.01, Console(quiet=True))
    record.write(tmp_path / "record.json")
    written = json.loads((tmp_path / "record.json").read_text())
    course, summary = written["grids"]
    assert course["rows"][-1][0] == "5"
    assert all(size > 50 for row in course["rows"] for size in row[1:])
    assert [row[0] for row in summary["rows"]] == ["library", "2 threads"]
    assert len(written["targets"]) == 2
