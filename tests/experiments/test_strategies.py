"""The experiment `strategies`, with few events."""

from __future__ import annotations

import pytest
from rich.console import Console

from experiments import strategies


def test_both_strategies_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for each number of keys; results are checked on the way."""
    monkeypatch.setattr(strategies, "ROUNDS", 1)
    monkeypatch.setattr(strategies, "KEYS", (3, 500))
    record = strategies.run(0.02, Console(quiet=True))
    (grid,) = record.grids
    assert [row[0] for row in grid.rows] == [3, 500]
    assert len(record.samples) == 4
    for keys, own, shared, ratio, memory in grid.rows:
        assert record.ratios[f"shared/independent, {keys:,} keys"] == ratio
        assert ratio == pytest.approx(shared / own)
        assert memory > 0
