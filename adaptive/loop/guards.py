"""How often guards fail lately."""

from __future__ import annotations

from dataclasses import dataclass

from adaptive.loop.settings import LoopSettings
from profiler.profile import Observation


@dataclass(slots=True)
class RecentExits:
    """Morsels and rows of the running variant, and how many of them left it."""

    settings: LoopSettings
    morsels: float = 0.0
    rows: float = 0.0
    exit_morsels: float = 0.0
    generic_rows: float = 0.0
    flooded: int = 0  # morsels in a row of which generic did most

    def add(self, seen: Observation, morsels: int = 1) -> bool:
        """Count some morsels; whether guards fail too often."""
        self.morsels += morsels
        self.rows += seen.rows
        is_flooded = seen.guard_exits and 2 * seen.generic_rows >= seen.rows
        # Each exit was a new try, after twice as many rows as before the one ahead of it.
        if is_flooded and seen.guard_exits >= morsels * self.settings.flood_exits:
            self.exit_morsels += 1
            self.generic_rows += seen.generic_rows
            return True
        self.flooded = self.flooded + 1 if is_flooded else 0
        if not seen.guard_exits:
            if self.morsels >= 2 * self.settings.exit_window:
                self._halve()
            return False
        self.exit_morsels += 1
        self.generic_rows += seen.generic_rows
        if self.exit_morsels < self.settings.exit_morsels:
            return False
        # What went well before says nothing of data that have changed from one morsel to the next.
        return self.flooded >= self.settings.exit_morsels or self.share > self.settings.exit_share

    @property
    def share(self) -> float:
        """The share of the morsels that left, or that of the rows, whichever is more."""
        if not self.morsels or not self.rows:
            return 0.0
        return max(self.exit_morsels / self.morsels, self.generic_rows / self.rows)

    def _halve(self) -> None:
        self.morsels /= 2
        self.rows /= 2
        self.exit_morsels /= 2
        self.generic_rows /= 2
