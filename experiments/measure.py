"""Measurement of several contestants in one run, so that noise hits all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Generic, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Contestant(Generic[Result]):
    """Something to measure: `run` returns its result and the nanoseconds it took.

    `rows` is how many it takes in, where that is not what the whole record says.
    """

    name: str
    run: Callable[[], tuple[Result, int]]
    description: str = ""
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Samples:
    """Every timing of one contestant, in the order taken."""

    name: str
    elapsed_ns: tuple[int, ...]
    description: str = ""
    rows: int | None = None

    def __post_init__(self) -> None:
        if not self.elapsed_ns:
            raise ValueError(f"{self.name} has no samples; measure at least one round")

    @property
    def best_ns(self) -> int:
        """The fastest run: what other programs on the machine disturbed least."""
        return min(self.elapsed_ns)

    @property
    def median_ns(self) -> float:
        """The middle run: how far it is from the best shows how noisy the machine was."""
        return median(self.elapsed_ns)

    def million_rows_per_second(self, rows: int) -> float:
        """The throughput of the best run; `rows` counts where the samples have no rows."""
        return (self.rows or rows) * 1e3 / self.best_ns


def measure(
    contestants: Sequence[Contestant[Result]],
    *,
    rounds: int,
    warmups: int = 1,
    check: Callable[[str, Result], None] | None = None,
    announce: Callable[[str], None] = lambda name: None,
) -> tuple[Samples, ...]:
    """Run all contestants round-robin; `check` sees every result, warm-up included, untimed.

    `announce` gets the name of whoever runs next.
    """
    _require_measurable(contestants, rounds, warmups)
    taken: dict[str, list[int]] = {c.name: [] for c in contestants}
    for round_ in range(-warmups, rounds):
        for contestant in rotated(contestants, round_ + warmups):
            announce(contestant.name)
            result, elapsed_ns = contestant.run()
            if check is not None:
                check(contestant.name, result)
            if round_ >= 0:
                taken[contestant.name].append(elapsed_ns)
    return tuple(Samples(c.name, tuple(taken[c.name]), c.description, c.rows) for c in contestants)


def rotated(contestants: Sequence[Contestant[Result]], by: int) -> tuple[Contestant[Result], ...]:
    """Another contestant starts each round, so none always runs first or in a periodic pause."""
    cut = by % len(contestants)
    return (*contestants[cut:], *contestants[:cut])


def _require_measurable(
    contestants: Sequence[Contestant[Result]], rounds: int, warmups: int
) -> None:
    if not contestants:
        raise ValueError("nothing to measure: no contestants")
    if len({c.name for c in contestants}) < len(contestants):
        raise ValueError(f"contestants need distinct names: {[c.name for c in contestants]}")
    if rounds < 1 or warmups < 0:
        raise ValueError(f"needs rounds >= 1 and warmups >= 0, got {rounds} and {warmups}")
