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
    """These columns hold no null, in batches where others do: kernels do not read their bitmaps.

    No kernel guards this: whoever runs the variant on a batch compares Arrow's null count of
    each column first, and runs the generic variant if one is not 0 (`DeoptManager`). A spec
    has at most one such claim. With nulls in one of four columns, naming the other three
    made sums run 1.2 to 1.6 times as fast, with 100 to 1 M groups.
    """

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValuesInRange(Assumption):
    """A column's values are in a range, so that arithmetic of filters cannot fail.

    What `ir.intervals` proves of such ranges is not checked, is no barrier for other filters, and
    is tested by vectors. Kernels look at the values in the same loop. With columns in the cache,
    one filter ran 1.2 to 1.7 times as fast, three 1.8 times; with such that come from memory, 1.0
    to 1.14 and 1.3 times. Ranges of columns that only aggregates read gain nothing: sums of
    products ran 0.56 to 0.96 times as fast, as the guard is a pass of its own there. Ignored where
    it proves nothing.
    """

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
    that are left. Filters that are not named follow. Nothing moves past a filter that can
    fail, whatever this says.

    Of five comparisons of int64 columns in memory, one passed by 1 % and four by 90 %, the
    selective one first ran 1.7 times as fast as all together; but 0.75 times where it is
    passed by 10 %, because rows that are left here and there read nearly all memory anyway.
    With a branch per row, it ran 2.1 times as fast as with the selective one last.
    """

    first: tuple[int, ...]
    then: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class HotKeys(Hint):
    """Rows of these keys are added up beside the table, where the same few slots would stall.

    With 1 M groups and 60 % of the rows in one of them, sums ran 1.3 to 2.6 times as fast in
    hash tables and 1.4 to 1.6 times in arrays, on one thread. `Prefetch` gave as much or more
    and both together no more on one machine; on another, of Zen 5, an array took 3.16 ns a row,
    with `Prefetch` 2.71, with this 2.40, with both 2.19. With 1,000 groups, which are in the
    cache, the one more pass made it 0.5 to 1.0 times as fast. Ignored where keys are no
    integers, where values may be null or fail, for aggregates that go by the order of rows, and
    where threads share groups.
    """

    keys: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Prefetch(Hint):
    """Ask for the memory of a group so many rows before it is used: for tables beyond the cache.

    With 1 M groups, sums ran 1.0 to 1.3 times as fast in hash tables and 1.3 to 1.7 times in
    arrays; with 10,000 groups 0.8 to 0.9 times. 16 and 32 rows were equally good. Only for
    keys that are columns of a fixed width.
    """

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
