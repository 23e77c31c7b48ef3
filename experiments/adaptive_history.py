"""The history of an adaptive run as a table: who swapped, when, to what, why, and what it did."""

from __future__ import annotations

from collections.abc import Sequence

from adaptive.loop.history import History, SwapRecord, described
from experiments.findings import Cell, Grid

COLUMNS = ("M rows", "phase", "thread", "variant", "signal", "ns before", "ns after", "why")
MOST_LINES = 40


def history_grid(name: str, history: History, phases: Sequence[str], phase_rows: int) -> Grid:
    """A line for each swap; of very many, the first."""
    swaps = history.swaps
    lines = [_line(swap, phases, phase_rows) for swap in swaps[:MOST_LINES]]
    if len(swaps) > MOST_LINES:
        rest: list[Cell] = [None] * (len(COLUMNS) - 1)
        lines.append((*rest, f"and {len(swaps) - MOST_LINES} more"))
    return Grid(f"history: {name}", COLUMNS, tuple(lines))


def _line(swap: SwapRecord, phases: Sequence[str], phase_rows: int) -> tuple[Cell, ...]:
    phase = phases[min(swap.at_rows // phase_rows, len(phases) - 1)]
    return (
        f"{swap.at_rows / 1e6:.1f}",
        phase,
        swap.worker,
        described(swap.spec),
        swap.signal,
        swap.before_ns,
        swap.after_ns,
        swap.reason,
    )
