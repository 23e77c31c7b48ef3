"""The record of one experiment: what ran, where, every sample, and the ratios that matter."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from rich.console import Console
from rich.table import Table

from experiments.findings import Grid, Target, targets_table
from experiments.measure import Samples
from profiler import CounterAvailability, counter_availability

PACKAGES = ("duckdb", "llvmlite", "numpy", "polars", "pyarrow", "pyspark")


@dataclass(frozen=True, slots=True)
class Environment:
    """The machine and the software that a measurement was taken on."""

    commit: str
    cpu: str
    cores: int
    counters: CounterAvailability
    python: str
    versions: Mapping[str, str]
    load_average: tuple[float, ...]
    taken_at: str


@dataclass(frozen=True, slots=True)
class Record:
    """One run of an experiment."""

    experiment: str
    scale: float
    rows: int
    seed: int
    samples: tuple[Samples, ...]
    ratios: Mapping[str, float]
    notes: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()
    targets: tuple[Target, ...] = ()
    environment: Environment = field(default_factory=lambda: this_environment())

    def to_json(self) -> str:
        """The record as JSON, raw samples included."""
        record = asdict(self)
        for entry, target in zip(record["targets"], self.targets, strict=True):
            entry["holds"] = target.holds
        return json.dumps(record, indent=2) + "\n"

    def write(self, path: Path) -> None:
        """Write the JSON, complete or not at all."""
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        temporary.write_text(self.to_json(), encoding="utf-8")
        os.replace(temporary, path)

    def show(self, console: Console) -> None:
        """Print tables and targets, or else samples and ratios; then the circumstances."""
        for grid in self.grids:
            console.print(grid.render())
        if self.targets:
            console.print(targets_table(self.targets))
        if not self.grids:
            self._show_samples(console)
        for note in self.notes:
            console.print(f"[yellow]{note}[/yellow]")
        here = self.environment
        console.print(f"{here.cpu}, {here.cores} cores, commit {here.commit}", style="dim")
        console.print(f"signal: {here.counters.rung} ({here.counters.reason})", style="dim")

    def table(self, width: int) -> Table:
        """The samples as a table for a console of that width."""
        return _samples_table(self, describe=width >= 120)

    def _show_samples(self, console: Console) -> None:
        console.print(self.table(console.width))
        for name, ratio in self.ratios.items():
            console.print(f"{name}: [bold]{ratio:.2f}[/bold]")


def this_environment() -> Environment:
    """What can be found out about this machine and installation."""
    return Environment(
        commit=_commit(),
        cpu=_cpu_model(),
        cores=os.cpu_count() or 1,
        counters=counter_availability(),
        python=platform.python_version(),
        versions={name: _version(name) for name in PACKAGES},
        load_average=os.getloadavg(),
        taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _samples_table(record: Record, describe: bool) -> Table:
    """One line for each contestant, the fastest first; described where there is room."""
    table = Table(title=f"{record.experiment}: {record.rows:,} rows, one thread")
    table.add_column("contestant")
    for name in ("M rows/s", "best ms", "median ms", "runs"):
        table.add_column(name, justify="right")
    if describe:
        table.add_column("what it does")
    for s in sorted(record.samples, key=lambda s: s.best_ns):
        speed = f"{s.million_rows_per_second(record.rows):.0f}"
        times = (f"{s.best_ns / 1e6:.2f}", f"{s.median_ns / 1e6:.2f}", str(len(s.elapsed_ns)))
        table.add_row(s.name, speed, *times, *([s.description] if describe else []))
    return table


def _commit() -> str:
    """The commit of the checkout, marked when files differ from it."""
    head = _git("rev-parse", "HEAD")
    if head is None:
        return "unknown (not a git checkout)"
    return f"{head} with local changes" if _git("status", "--porcelain") else head


def _git(*arguments: str) -> str | None:
    """What git prints, or None where git or the repository is missing."""
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
