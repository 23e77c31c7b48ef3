"""What distinguishes two variants of one pipeline: tier, assumptions and hints.

An assumption changes results if it is wrong, so it is guarded before any effect
of a row. A hint only changes time and needs no guard. They are different types,
so that no code can mistake one for the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import TypeVar

from ir.errors import IrError


class Tier(Enum):
    """How much a variant bets on the data."""

    GENERIC = "generic"
    INSTRUMENTED = "instrumented"
    SPECULATIVE = "speculative"


class Assumption:
    """A claim about the data that changes results when it is wrong."""

    __slots__ = ()


class Hint:
    """Advice that changes only the time that correct code takes."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class KeysInRange(Assumption):
    """Every key is in its range, so groups lie in an array by key instead of a hash table.

    `ranges` has the least and the greatest value of each key of the program, in their
    order; that of a string is the code that the runtime's dictionary has for it.
    """

    ranges: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        if not self.ranges:
            raise IrError("keys in range: needs a range for each key of the program, got none")
        for low, high in self.ranges:
            if low > high:
                raise IrError(f"keys in range: the range from {low} to {high} is empty")

    @property
    def cells(self) -> int:
        """How many groups there may be."""
        return prod(high - low + 1 for low, high in self.ranges)


@dataclass(frozen=True, slots=True)
class NoNulls(Assumption):
    """These columns hold no null, in batches where others do; Arrow's count is the guard."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValuesInRange(Assumption):
    """A column's values are in a range so narrow that sums of them need no overflow check."""

    column: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class SelectRows(Hint):
    """Filter a block branch-free into row numbers, then aggregate those rows.

    Wins unless nearly all rows pass: an integer predicate ran 2.4 times as fast as
    with a branch per row where a third passes, and 0.84 times where all do. The
    end of a block costs a few mispredicted loop exits: with 8,192 rows a block
    instead of 16,384, YSB took 1.04 times as long.
    """

    block_rows: int = 16384


@dataclass(frozen=True, slots=True)
class FilterOrder(Hint):
    """In which order filters are tested, by their numbers in the program.

    The `first` ones are tested together, for all rows; each of `then` only for the rows
    that are left. A filter that can fail stays behind those that stand before it in the
    program, whatever this says.
    """

    first: tuple[int, ...]
    then: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class HotKeys(Hint):
    """Rows of these keys are added up beside the table, where the same few slots would stall."""

    keys: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Prefetch(Hint):
    """Ask for the memory of a group so many rows before it is used: for tables beyond the cache."""

    rows_ahead: int = 16


@dataclass(frozen=True, slots=True)
class ShareGroups(Hint):
    """Threads add to the same groups instead of groups of their own: for very many keys."""


_Claim = TypeVar("_Claim", bound=Assumption | Hint)


@dataclass(frozen=True, slots=True)
class VariantSpec:
    """A variant of a pipeline: the same meaning, other machine code."""

    tier: Tier = Tier.GENERIC
    assumptions: tuple[Assumption, ...] = ()
    hints: tuple[Hint, ...] = (SelectRows(),)

    @property
    def block_rows(self) -> int | None:
        """The rows of a selection block, or None for a branch per row."""
        select = self.find(SelectRows)
        return None if select is None else select.block_rows

    def find(self, kind: type[_Claim]) -> _Claim | None:
        """The assumption or hint of a kind, if the variant has one."""
        return next((c for c in (*self.assumptions, *self.hints) if isinstance(c, kind)), None)


GENERIC = VariantSpec()
INSTRUMENTED = VariantSpec(Tier.INSTRUMENTED)
