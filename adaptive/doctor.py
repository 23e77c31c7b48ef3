"""What this machine has of what Kodiak needs, each found out by trying it."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import metadata

import psutil
import pyarrow as pa
from rich.console import Console
from rich.table import Table

import ir
from adaptive.java import JavaMissing, find_java
from adaptive.runtime import PlanRunner
from codegen_llvm.host import code_target
from profiler import CounterAvailability, Rung, counter_availability

PYTHON_VERSIONS = ((3, 11), (3, 13))
PACKAGES = ("llvmlite", "numpy", "pyarrow", "pandas", "pyspark", "psutil", "rich", "typer")
# Spark's driver takes 2 GB in the demonstration, and a Python worker a core comes on top.
ENOUGH_MEMORY_GIB = 4
# What is measured of a thread below the best rung; kernels count rows, probes and exits on all.
LOWER_RUNGS = {
    Rung.SOFTWARE: "CPU time, page faults and context switches",
    Rung.THREAD_TIME: "CPU time only",
}


class Status(Enum):
    """How a finding matters; the value is its mark and colour."""

    GOOD = "[green]ok[/green]"
    NOTE = "[yellow]note[/yellow]"  # works, though not at its best
    MISSING = "[bold red]missing[/bold red]"  # something that is needed does not work


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the table."""

    subject: str
    status: Status
    text: str
    fix: str | None = None


def examine() -> tuple[Finding, ...]:
    """Everything, in the order in which it would stop a user."""
    return (
        python(),
        *packages(),
        target(),
        smoke_check(),
        java(),
        counters(counter_availability()),
        machine(),
    )


def python() -> Finding:
    """The interpreter."""
    low, high = (".".join(map(str, version)) for version in PYTHON_VERSIONS)
    fits = PYTHON_VERSIONS[0] <= sys.version_info[:2] <= PYTHON_VERSIONS[1]
    text = f"{platform.python_version()} ({sys.executable})"
    if fits:
        return Finding("Python", Status.GOOD, text)
    return Finding("Python", Status.MISSING, text, f"use Python {low} to {high}")


def packages(version: Callable[[str], str] = metadata.version) -> Iterator[Finding]:
    """The packages that are installed in one line, and one line for each that is not."""
    installed, missing = [], []
    for name in PACKAGES:
        try:
            installed.append(f"{name} {version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    yield Finding("packages", Status.GOOD, ", ".join(installed))
    for name in missing:
        yield Finding(name, Status.MISSING, "not installed", f"pip install {name}")


def target() -> Finding:
    """What code is generated for."""
    here = code_target()
    features = " ".join(here.features) or "no notable features"
    text = f"LLVM {here.llvm_version} for {here.cpu} ({features}), {here.triple}"
    return Finding("compiler", Status.GOOD, text)


def smoke_check() -> Finding:
    """Compile a tiny query, run it and check its answer."""
    rows = pa.record_batch({"key": [1, 2, 1, None], "value": [10, 20, 30, 40]})
    expected = {(1, 40), (2, 20), (None, 40)}
    try:
        first_ms, _ = _run_tiny(rows)
        again_ms, found = _run_tiny(rows)
    except Exception as error:  # whatever it is, the table has to say it
        return Finding("kernel", Status.MISSING, f"{type(error).__name__}: {error}", _report())
    if found != expected:
        return Finding(
            "kernel", Status.MISSING, f"wrong answer {sorted(map(str, found))}", _report()
        )
    text = f"compiled and ran in {first_ms:.1f} ms, again in {again_ms:.1f} ms; answer correct"
    return Finding("kernel", Status.GOOD, text)


def java() -> Finding:
    """The Java that Spark would run on."""
    try:
        found = find_java()
    except JavaMissing as error:
        return Finding("Java", Status.MISSING, "no Java 17 or 21", str(error))
    return Finding("Java", Status.GOOD, f"{found.version} ({found.home})")


def counters(found: CounterAvailability) -> Finding:
    """The signal that adaptive decisions can rest on; a lower rung is no defect."""
    if found.has_hardware:
        return Finding("signal", Status.GOOD, f"{found.rung}: {found.reason}")
    text = f"{found.rung} ({LOWER_RUNGS[found.rung]}): {found.reason}"
    return Finding("signal", Status.NOTE, text, found.remedy)


def machine() -> Finding:
    """Cores and memory."""
    memory = psutil.virtual_memory()
    total, free = memory.total / 2**30, memory.available / 2**30
    text = f"{os.cpu_count()} cores, {total:.1f} GiB memory, {free:.1f} GiB of it available"
    if free < ENOUGH_MEMORY_GIB:
        advice = f"the demo wants about {ENOUGH_MEMORY_GIB} GiB; close other programs"
        return Finding("machine", Status.NOTE, text, advice)
    return Finding("machine", Status.GOOD, text)


def show(findings: tuple[Finding, ...], console: Console) -> bool:
    """Print the table; true if nothing that is needed is missing."""
    table = Table(title=f"Kodiak {metadata.version('kodiak')}", show_lines=False)
    table.add_column("what", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("found", overflow="fold")
    for finding in findings:
        table.add_row(finding.subject, finding.status.value, finding.text)
    console.print(table)
    for finding in findings:
        if finding.fix is not None:
            # Outside the table and not wrapped, so that commands can be copied.
            console.print(f"{finding.subject}: {finding.fix}", soft_wrap=True, markup=False)
    return not any(finding.status is Status.MISSING for finding in findings)


def _run_tiny(rows: pa.RecordBatch) -> tuple[float, set[tuple[int | None, int]]]:
    begin = time.perf_counter()
    runner = PlanRunner(_tiny_plan())
    runner.consume(rows)
    groups = runner.finish().to_pydict()
    elapsed_ms = (time.perf_counter() - begin) * 1e3
    return elapsed_ms, set(zip(groups["key"], groups["total"], strict=True))


def _tiny_plan() -> ir.Sink:
    """sum(value) by key, where value > 0"""
    key, value = ir.Column("key", ir.INT64), ir.Column("value", ir.INT64)
    schema = ir.Schema((ir.Field("key", ir.INT64), ir.Field("value", ir.INT64)))
    positive = ir.Filter(ir.Source("rows", schema), ir.Call("gt", (value, ir.Literal(0, ir.INT64))))
    total = ir.NamedAggregate("total", ir.AggregateCall("sum", value))
    return ir.Sink(ir.Aggregate(positive, None, (ir.Named("key", key),), (total,)), "groups")


def _report() -> str:
    return "please report this with the table above; meanwhile use mode='off'"
