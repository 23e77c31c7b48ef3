"""Kodiak as one file that Spark ships to executors on which it is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

PACKAGES = ("adaptive", "codegen_llvm", "ir", "policies", "profiler")


def package(file: Path | str) -> str:
    """Write all of Kodiak's code as a zip file; its path, for `SparkContext.addPyFile`.

    The same code makes the same bytes. Executors still need what Kodiak imports: see
    `install_requires` in setup.cfg.
    """
    path = Path(file).absolute()
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name in PACKAGES:
            for place, content in _sources(files(name), name):
                archive.writestr(ZipInfo(place), content, ZIP_DEFLATED)
    return str(path)


def _sources(folder: Traversable, place: str) -> Iterator[tuple[str, bytes]]:
    """All Python files below a folder, in order; Kodiak itself may be in a zip file."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _sources(entry, f"{place}/{entry.name}")
        elif entry.name.endswith(".py"):
            yield f"{place}/{entry.name}", entry.read_bytes()
