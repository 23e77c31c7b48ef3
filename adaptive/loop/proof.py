"""Whether the winner of a trial is as good once it runs alone."""

from __future__ import annotations

from dataclasses import dataclass

from adaptive.loop.settings import LoopSettings
from profiler.profile import Observation


@dataclass(slots=True)
class Proof:
    """The first morsels of a winner, against the generic variant's time in its trial.

    Data that changes every few morsels can show each variant another side in a trial.
    """

    settings: LoopSettings
    generic_ns: float
    morsels: int = 0
    rows: int = 0
    elapsed_ns: int = 0

    @property
    def over(self) -> bool:
        """Whether nothing has to be proven any more."""
        return self.morsels >= self.settings.proof_morsels

    @property
    def ns_per_row(self) -> float:
        """The time of a row, over all rows so far."""
        return self.elapsed_ns / self.rows if self.rows else 0.0

    def fails(self, seen: Observation) -> bool:
        """Take a morsel; whether the winner does not pay after all."""
        self.morsels += 1
        self.rows += seen.rows
        self.elapsed_ns += seen.elapsed_ns
        if self.over:
            return self.ns_per_row > self.generic_ns
        enough = self.morsels >= self.settings.proof_at_least
        return enough and self.ns_per_row > self.settings.far_too_slow * self.generic_ns
