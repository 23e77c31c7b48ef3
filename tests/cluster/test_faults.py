"""Processes of a cluster are killed in mid-task while files arrive and bets are wrong.

The sinks hold what they hold without a fault, and with Spark alone: each row once.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.cluster.arrival import FILES, ROWS, arriving
from tests.cluster.conftest import Cluster


def run(cluster: Cluster, folder: Path, kills: bool = False, **settings: Any) -> Any:
    """The result of an application that reads files while they arrive; it may be killed once."""
    started = {"data": str(folder / "data"), **settings}
    with arriving(folder / "data", folder / "run" / "adapted-checkpoints" / "update" / "commits"):
        application = cluster.start(folder / "run", **started)
        if kills:
            assert application.ended() == -signal.SIGKILL, application.log()
            assert not (folder / "data" / "_complete").exists()
            application = cluster.start(folder / "run", **started)
        return application.result()


@pytest.fixture(scope="module")
def native(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The sinks of Spark alone; before that, Kodiak ran as it is installed, without a fault."""
    result = run(cluster, tmp_path_factory.mktemp("native"), native=True)
    assert result["adapted"] == result["native"]
    assert_on_both(result["history"])
    return result["native"]


def assert_on_both(history: Any) -> None:
    """All rows were read natively, by both executors."""
    for told in history.values():
        assert told["rows"] == FILES * ROWS
        assert told["executors"] == ["0", "1"]


def test_the_fused_path_runs_on_both_executors(native: Any) -> None:
    """And the data are such that faults would show: late rows are dropped, windows closed."""
    assert len(native["update"]) == 5 * FILES
    assert 0 < sum(n for *_, n in native["append"]) < FILES * ROWS / 2
    assert len(native["append"]) > 5 * FILES / 2


@pytest.mark.parametrize("victim", ["worker", "executor", "driver"])
def test_a_kill_changes_no_sink(cluster: Cluster, native: Any, tmp_path: Path, victim: str) -> None:
    result = run(cluster, tmp_path, kills=victim == "driver", victim=victim)
    assert (tmp_path / "run" / "killed").exists()
    assert result["adapted"] == native
    for told in result["history"].values():  # bets were made and were wrong
        assert told["variants"] > 2
        assert told["guard_exits"] > 0


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    """This Python with all packages but Kodiak: what is named here is searched, not installed."""
    packages = Path(pa.__file__).parent.parent
    script = tmp_path / "python"
    base = sys._base_executable  # type: ignore[attr-defined]
    script.write_text(f'#!/bin/sh\nPYTHONPATH={packages} exec {base} "$@"\n')
    script.chmod(0o755)
    command = [script, "-c", "import llvmlite, adaptive"]
    tried = subprocess.run(command, cwd=tmp_path, stderr=subprocess.PIPE, check=False)
    assert b"No module named 'adaptive'" in tried.stderr
    return script


def test_executors_without_kodiak_get_it_with_add_py_file(
    cluster: Cluster, native: Any, tmp_path: Path, bare_python: Path
) -> None:
    package = str(tmp_path / "kodiak.zip")
    result = run(cluster, tmp_path, python=str(bare_python), package=package)
    assert result["adapted"] == native
    assert_on_both(result["history"])
