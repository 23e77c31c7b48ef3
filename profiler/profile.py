"""What is known about the data of a pipeline from running it: the input of policies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ir.variant import VariantSpec


@dataclass(frozen=True, slots=True)
class Observation:
    """What one morsel showed: counts that the kernel keeps anyway, and the time it took."""

    rows: int
    rows_passed: int = 0
    probes: int = 0  # table slots visited beyond the first
    guard_exits: int = 0  # how often a kernel left because an assumption was wrong
    generic_rows: int = 0  # the rows that the generic variant did after such an exit
    elapsed_ns: int = 0  # of the thread's own time
    # Of hardware counters, where they can be read: events by name.
    counters: Mapping[str, int] = field(default_factory=dict)

    @property
    def ns_per_row(self) -> float:
        """The time that a row took in one thread."""
        return self.elapsed_ns / self.rows if self.rows else 0.0

    @property
    def selectivity(self) -> float:
        """The share of rows that passed the filters."""
        return self.rows_passed / self.rows if self.rows else 0.0

    def plus(self, other: Observation) -> Observation:
        """Both together."""
        names = self.counters.keys() | other.counters.keys()
        return Observation(
            self.rows + other.rows,
            self.rows_passed + other.rows_passed,
            self.probes + other.probes,
            self.guard_exits + other.guard_exits,
            self.generic_rows + other.generic_rows,
            self.elapsed_ns + other.elapsed_ns,
            {name: self.counters.get(name, 0) + other.counters.get(name, 0) for name in names},
        )


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What sampled rows that passed showed of one key of the program.

    `low` and `high` are None where the key is no integer; a string that comes as a
    dictionary code counts as one, by the code.
    """

    low: int | None = None
    high: int | None = None
    nulls: int = 0


@dataclass(frozen=True, slots=True)
class HotKey:
    """A group with many rows: its keys, and its share of the rows that passed."""

    key: tuple[int, ...]
    share: float


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What sampled rows showed of one input column; a range only where a filter can fail by it."""

    low: int | None = None
    high: int | None = None
    nulls: int = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """What sampled rows showed, all filters tested for each of them.

    Bit i of an outcome says that filter i of the program passed the row; where it fails, it does
    not. A filter that has no form without errors is tested only where those before it pass.
    """

    rows: int = 0  # sampled
    outcomes: Mapping[int, int] = field(default_factory=dict)  # how many rows had each
    filters: int = 0
    keys: tuple[KeyFacts, ...] = ()
    hot: tuple[HotKey, ...] = ()  # the heaviest first
    groups: int = 0  # an estimate of how many there are among the rows that pass
    columns: Mapping[str, ColumnFacts] = field(default_factory=dict)
    back_in_time: float = 0.0  # the share of rows whose time is before that of the row ahead
    dictionaries: Mapping[str, int] = field(default_factory=dict)  # their sizes, by column
    threads: int = 1  # that may share groups
    running: VariantSpec | None = None  # what ran before the rows were sampled

    @property
    def passed(self) -> int:
        """How many of the sampled rows passed all filters."""
        return self.outcomes.get((1 << self.filters) - 1, 0)

    @property
    def selectivity(self) -> float | None:
        """The share of rows that pass all filters, once there were rows."""
        return self.passed / self.rows if self.rows else None

    def passing(self, filters: Iterable[int]) -> int:
        """How many of the sampled rows pass all of these filters."""
        wanted = sum(1 << one for one in filters)
        return sum(rows for outcome, rows in self.outcomes.items() if outcome & wanted == wanted)
