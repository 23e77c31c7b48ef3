"""How the demonstration presents its outcome."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from adaptive.demo.compare import Comparison
from adaptive.loop.history import SwapRecord, VariantUse, described
from adaptive.spark.stream_history import StreamHistory, times_text, worker_name
from ir import VariantSpec

if TYPE_CHECKING:
    from adaptive.demo.run import DemoReport

_MOST_USES, _MOST_SWAPS = 5, 6  # that are shown


def show_report(report: DemoReport, console: Console) -> None:
    """The table of both contestants, what ran natively, and what was checked."""
    console.print(_times_table(report))
    rounds = " ".join(f"{ratio:.2f}" for ratio in report.round_speed_ups)
    console.print(f"Speed-up: [bold]{report.speed_up:.2f}[/bold] times, best against best")
    console.print(f"          {rounds}, round by round", highlight=False, soft_wrap=True)
    groups = report.comparison.expected_rows
    console.print(f"[green]Results identical[/green]: all {groups:,} groups, batch by batch.")
    if not report.explanation.is_native:
        console.print("Nothing ran natively, so both sides did the same.", style="bold yellow")
    console.print(str(report.explanation), markup=False, highlight=False, soft_wrap=True)
    if report.history:
        show_history(report.history, console)
    console.print(
        "Timed: the whole query, from building it to the end of its last micro-batch, with all"
        " files in one trigger, into Spark's noop sink, which computes every row and drops it."
        " The results were collected and compared in the warm-up, which is not counted.",
        style="dim",
    )


def show_history(history: StreamHistory, console: Console) -> None:
    """Which variants ran in which worker, and the latest changes of variant."""
    uses = Table(title="What Kodiak's workers ran, in all rounds")
    for name in ("worker", "variant"):
        uses.add_column(name)
    for name in ("rows", "ns/row", "guard exits"):
        uses.add_column(name, justify="right")
    for use in _most_used(history)[:_MOST_USES]:
        counts = (f"{use.rows:,}", f"{use.ns_per_row:.2f}", f"{use.guard_exits:,}")
        uses.add_row(worker_name(use), described(use.spec), *counts)
    console.print(uses)
    if history.swaps:
        _show_swaps(history, console)


def show_difference(comparison: Comparison, console: Console) -> None:
    """A result that differs, so that nobody overlooks it."""
    console.print("RESULTS DIFFER", style="bold white on red")
    console.print(
        f"Spark alone gives {comparison.expected_rows:,} rows,"
        f" with Kodiak there are {comparison.found_rows:,}.",
        style="red",
    )
    for title, rows in (("only Spark", comparison.missing), ("only Kodiak", comparison.surplus)):
        for row in rows:
            console.print(f"  {title}: {row}", markup=False, highlight=False)
    console.print("This is a bug in Kodiak; nothing was timed.", style="red")


def _times_table(report: DemoReport) -> Table:
    title = f"{report.rows:,} events, {report.cores} cores, warm"
    table = Table(title=title)
    table.add_column("")
    for name in ("rows/s", "best s", "median s"):
        table.add_column(name, justify="right")
    for name, seconds in report.seconds.items():
        best = min(seconds)
        rate = f"{report.rows / best / 1e6:.1f} M"
        table.add_row(name, rate, f"{best:.2f}", f"{median(seconds):.2f}")
    return table


def _most_used(history: StreamHistory) -> list[VariantUse]:
    """The variants of each worker, those of all queries together, the most rows first."""
    found: dict[tuple[str, VariantSpec], VariantUse] = {}
    for use in history:
        key = (worker_name(use), use.spec)
        known = found.get(key)
        found[key] = use if known is None else known.plus(use)
    return sorted(found.values(), key=lambda use: use.rows, reverse=True)


def _show_swaps(history: StreamHistory, console: Console) -> None:
    """A line for each of the last swaps, cut where the terminal ends."""
    total = len(history.swaps)
    shown = f"the last {_MOST_SWAPS} of {total}" if total > _MOST_SWAPS else str(total)
    console.print(f"Swaps: {shown}", highlight=False)
    for swap in history.swaps[-_MOST_SWAPS:]:
        console.print(
            _swap_text(swap), markup=False, highlight=False, no_wrap=True, overflow="ellipsis"
        )


def _swap_text(swap: SwapRecord) -> str:
    times = times_text(swap)
    judged = f", {times} ns/row" if times else ""
    where = f"{worker_name(swap)} at {swap.at_rows / 1e6:.1f} M rows"
    return f"  {where}: {described(swap.spec)}{judged}; {swap.signal}: {swap.reason}"
