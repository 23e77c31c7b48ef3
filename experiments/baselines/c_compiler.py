"""The C files of this folder as one shared library, compiled on demand for this CPU."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path

SOURCES = tuple(sorted(Path(__file__).parent.glob("*.c")))
HEADERS = tuple(sorted(Path(__file__).parent.glob("*.h")))
FLAGS = ("-O3", "-march=native", "-fwrapv", "-pthread", "-fPIC", "-shared", "-Wall", "-Wextra")


class CompilerError(RuntimeError):
    """The C programs cannot be compiled here; the message says what to do."""


@cache
def library() -> ctypes.CDLL:
    """The loaded library; compiled at the first use."""
    loaded = ctypes.CDLL(str(compile_library()))
    loaded.groups_free.restype = None
    return loaded


def compile_library(directory: Path | None = None) -> Path:
    """Compile the programs, unless an earlier run did so with the same sources and flags."""
    compiler = find_compiler()
    directory = directory or default_cache_directory()
    path = directory / f"baselines-{_fingerprint(compiler)}.so"
    if not path.exists():
        directory.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        _compile(compiler, temporary)
        os.replace(temporary, path)
    return path


def find_compiler() -> str:
    """The C compiler: $CC, else gcc, else cc."""
    wanted = os.environ.get("CC")
    found = shutil.which(wanted) if wanted else shutil.which("gcc") or shutil.which("cc")
    if found is None:
        looked_for = f"CC={wanted}" if wanted else "gcc or cc"
        raise CompilerError(
            f"no C compiler ({looked_for}) on PATH. Install one: `sudo apt-get install gcc` "
            "(Debian, Ubuntu), `sudo dnf install gcc` (Fedora), `xcode-select --install` (macOS); "
            "or set CC to its path."
        )
    return found


def default_cache_directory() -> Path:
    """Where compiled baselines are kept between runs."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "kodiak" / "baselines"


def cpu_description() -> str:
    """The CPU's model and features: code for -march=native is for one of these only."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    wanted = ("model name", "flags", "Features", "CPU part")
    return "\n".join(sorted({line for line in lines if line.startswith(wanted)}))


def _compile(compiler: str, output: Path) -> None:
    command = [compiler, *FLAGS, *map(str, SOURCES), "-o", str(output), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        output.unlink(missing_ok=True)
        raise CompilerError(f"`{' '.join(command)}` failed:\n{done.stderr.strip()}")


def _fingerprint(compiler: str) -> str:
    """A key of everything that decides the machine code."""
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    texts = (path.read_text(encoding="utf-8") for path in (*SOURCES, *HEADERS))
    parts = (*texts, *FLAGS, version.stdout, cpu_description())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
