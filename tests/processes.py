"""Real processes for tests of what one process leaves to another."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def start(script: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
    """A new Python that runs a script in this checkout; without a cache unless it asks for one."""
    settings = {"KODIAK_CACHE_DIR": "off", "PYTHONPATH": str(ROOT), **environment}
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
        env={**os.environ, **settings},
    )


def finish(process: subprocess.Popen[str], expected: int = 0) -> str:
    """What a process printed, after it ended as expected."""
    try:
        out, errors = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with what it has forked
        raise
    assert process.returncode == expected, errors
    return out.strip()


def run(script: str, *arguments: object, expected: int = 0, **environment: str) -> str:
    """What a script prints in a new process, which ends as expected."""
    return finish(start(script, *arguments, **environment), expected)
