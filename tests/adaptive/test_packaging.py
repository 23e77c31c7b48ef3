"""Kodiak as a zip file: whole, the same each time, and enough to run a task."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import adaptive as ad
from adaptive import cli
from adaptive.packaging import PACKAGES
from tests.conftest import ROOT

TASK = """
import sys
import pyarrow as pa
import adaptive
from adaptive.spark.worker import FragmentTask
from tests_plan import PLAN
print(adaptive.__file__)
task = FragmentTask("f", PLAN, ("a0", "k0"))
[partials] = task(iter([pa.record_batch({"path": sys.argv[1:]})]))
print(sum(partials["a0"].to_pylist()))
print(adaptive.package("again.zip"))
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return Path(ad.package(tmp_path / "kodiak.zip"))


def test_all_code_of_the_five_packages_is_in_it(archive: Path) -> None:
    expected = {
        str(path.relative_to(ROOT)) for name in PACKAGES for path in (ROOT / name).rglob("*.py")
    }
    assert set(ZipFile(archive).namelist()) == expected


def test_a_task_runs_from_it_where_kodiak_is_not_installed(archive: Path, tmp_path: Path) -> None:
    """And makes the same file again, from itself."""
    import pyarrow.parquet as pq

    from tests.spark.test_worker import PLAN

    pq.write_table(pa.table({"k": ["a", "b", "a"], "x": [1, 2, 3]}), tmp_path / "rows.parquet")
    (tmp_path / "tests_plan.py").write_text(f"PLAN = {PLAN!r}\n")
    packages = Path(pa.__file__).parent.parent  # searched, so that nothing is installed there
    done = subprocess.run(
        [sys._base_executable, "-c", TASK, f"file:{tmp_path}/rows.parquet"],  # type: ignore[attr-defined]
        env={"PYTHONPATH": f"{archive}:{tmp_path}:{packages}", "KODIAK_CACHE_DIR": "off"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == [
        f"{archive}/adaptive/__init__.py",
        "6",
        str(tmp_path / "again.zip"),
    ], done.stderr
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()


def test_the_command_says_where_the_file_is_or_why_not(tmp_path: Path) -> None:
    path = tmp_path / "kodiak.zip"
    done = CliRunner().invoke(cli.app, ["package", str(path)])
    assert (done.exit_code, done.stdout.strip()) == (0, str(path))
    refused = CliRunner().invoke(cli.app, ["package", str(tmp_path / "missing" / "kodiak.zip")])
    assert refused.exit_code == 2
    assert "No such file or directory" in refused.stderr
