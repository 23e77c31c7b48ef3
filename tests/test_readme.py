"""The example of the README runs as it is written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adaptive.demo.ysb_data import generate

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)[^)]*\)")
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md")),
]


def blocks(language: str) -> list[str]:
    return [text for found, text in BLOCK.findall(README) if found == language]


@pytest.mark.spark
def test_the_example_runs(spark: SparkSession, tmp_path: Path) -> None:
    """Only the folder is another one: a JVM that runs already has its own working directory."""
    example, *_ = blocks("python")
    data = generate(tmp_path / "events", rows=20_000)
    assert '.parquet("events")' in example
    code = example.replace('.parquet("events")', f".parquet({str(data)!r})")
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(code, "README.md", "exec"), names)
    explanation = names["ad"].explain(names["df"])
    assert explanation.is_fully_native
    assert sum(p.sink.numOutputRows for p in names["query"].recentProgress) > 0
    # What the README shows is what explain prints.
    [shown] = [text for text in blocks("") if "operators native" in text]
    assert str(explanation).replace(str(data), "events").strip() == shown.strip()


def test_the_example_without_spark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The window that closes has the five rows before ten seconds, the other one the rest."""
    _, example, _ = blocks("python")
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(example, "README.md", "exec"), names)
    closed, rest = capsys.readouterr().out.split("window_start: timestamp")[1:]
    assert "revenue: [[5]]" in closed
    assert "revenue: [[3]]" in rest
    assert "0 rows came too late" in rest


def test_the_example_of_a_history_runs() -> None:
    """Enough rows for a profile; what comes of it is the machine's to say."""
    *_, example = blocks("python")
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(example, "README.md", "exec"), names)
    history = names["engine"].history()
    assert sum(use.rows for use in history) == 20_000_000
    assert history.swaps
    assert all(swap.reason and swap.signal for swap in history.swaps)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_to_files(document: str) -> None:
    path = ROOT / document
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{document} links to {target}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_are_named_exist(document: str) -> None:
    """Documents name files by their path in the repository; a move must not leave them behind."""
    named = re.findall(r"`([\w./-]+/[\w./-]+\.(?:py|md|c))`", (ROOT / document).read_text("utf-8"))
    for name in named:
        assert (ROOT / name).exists(), f"{document} names {name}"
