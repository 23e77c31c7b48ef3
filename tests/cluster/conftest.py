"""A standalone cluster on loopback for the tests of this folder, and what runs on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, spark_environment

SCRIPT = ROOT / "scripts" / "cluster"
APPLICATIONS = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folder = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker(pytest.mark.cluster)
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.timeout(1200))  # up to six JVMs start in one test


@dataclass(frozen=True)
class Cluster:
    """A running cluster: the address of its master, and the folder of its logs."""

    url: str
    folder: Path

    def start(
        self,
        folder: Path,
        script: str = "application.py",
        python: str = sys.executable,
        **settings: Any,
    ) -> Application:
        """An application on the cluster; `python` is that of the executors."""
        folder.mkdir(exist_ok=True)
        path = folder / "settings.json"
        path.write_text(json.dumps({"master": self.url, "folder": str(folder), **settings}))
        log = (folder / "application.log").open("a")
        process = subprocess.Popen(
            [sys.executable, str(APPLICATIONS / script), str(path)],
            env={**os.environ, **spark_environment(), "PYSPARK_PYTHON": python},
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        log.close()
        return Application(process, folder)


@dataclass(frozen=True)
class Application:
    """The driver of an application, and the folder in which it leaves its result."""

    process: subprocess.Popen[bytes]
    folder: Path

    def ended(self) -> int:
        """The exit code; waits for the end."""
        try:
            return self.process.wait(500)
        finally:
            self.process.kill()

    def result(self) -> Any:
        """What the application has found out; waits for its end."""
        assert self.ended() == 0, self.log()
        return json.loads((self.folder / "result.json").read_text())

    def log(self) -> str:
        """The end of what the driver has printed."""
        return (self.folder / "application.log").read_text()[-5000:]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One master and two workers of one core, for all tests."""
    folder = tmp_path_factory.mktemp("cluster")
    # The folders are those that users get: of the executor, and behind it the user's cache.
    cache = {"KODIAK_CACHE_DIR": "", "XDG_CACHE_HOME": str(ROOT / ".pytest_cache" / "home")}
    environment = {**os.environ, **spark_environment(), **cache}
    command = [str(SCRIPT), "start", str(folder)]
    started = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert started.returncode == 0, started.stderr
    try:
        yield Cluster(started.stdout.strip(), folder)
    finally:
        subprocess.run([str(SCRIPT), "stop", str(folder)], check=True)
