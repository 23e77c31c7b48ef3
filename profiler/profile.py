"""What is known about the data of a pipeline from running it: the input of policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Observation:
    """What one batch showed: counts that Arrow and the kernel keep anyway."""

    rows: int
    nulls: Mapping[str, int]
    rows_passed: int = 0
    probes: int = 0
    elapsed_ns: int = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """The sum of all observations of a pipeline."""

    rows: int = 0
    rows_passed: int = 0
    probes: int = 0
    elapsed_ns: int = 0
    nulls: Mapping[str, int] = field(default_factory=dict)

    def plus(self, seen: Observation) -> Profile:
        """The profile after one more batch."""
        names = self.nulls.keys() | seen.nulls.keys()
        return Profile(
            self.rows + seen.rows,
            self.rows_passed + seen.rows_passed,
            self.probes + seen.probes,
            self.elapsed_ns + seen.elapsed_ns,
            {name: self.nulls.get(name, 0) + seen.nulls.get(name, 0) for name in names},
        )

    @property
    def selectivity(self) -> float | None:
        """The share of rows that passed the filters, once there were rows."""
        return self.rows_passed / self.rows if self.rows else None

    @property
    def ns_per_row(self) -> float | None:
        """The time in kernels for each row, once there were rows."""
        return self.elapsed_ns / self.rows if self.rows else None
