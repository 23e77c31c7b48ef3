"""In which order a variant tests the filters of a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ir import Call, Expr, FilterOrder
from ir.pipelines import RowProgram
from ir.windows import time_of

_Numbered: TypeAlias = tuple[int | None, Expr]


@dataclass(frozen=True, slots=True)
class OrderedFilters:
    """Filters in the order in which they are tested."""

    filters: tuple[Expr, ...]
    together: int | None = None  # so many may be tested for all rows at once; None: as they come


def effective_filters(program: RowProgram) -> tuple[Expr, ...]:
    """The program's filters that are not met anyway; a row without a time is in no window."""
    return tuple(predicate for _, predicate in _numbered(program))


def ordered_filters(program: RowProgram, order: FilterOrder | None) -> OrderedFilters:
    """The effective filters as a hint wants them, as far as no row's error depends on it.

    Nothing moves past a filter that can fail: it would meet rows that another one protects it
    from, or miss a row that has to fail.
    """
    numbered = list(_numbered(program))
    if order is None:
        return OrderedFilters(tuple(predicate for _, predicate in numbered))
    ranks = _ranks(order)
    made: list[_Numbered] = []
    for stretch in _stretches(numbered):
        made += sorted(stretch, key=lambda one: ranks.get(one[0], len(ranks)))
    then = [position for position, (number, _) in enumerate(made) if number in order.then]
    return OrderedFilters(tuple(predicate for _, predicate in made), min(then, default=len(made)))


def is_met(predicate: Expr) -> bool:
    """Whether a filter passes every row: a test for null of what is never null."""
    match predicate:
        case Call("is_not_null", (tested,)):
            return not tested.nullable and not tested.can_fail
    return False


def _numbered(program: RowProgram) -> Iterator[_Numbered]:
    """The effective filters with their numbers in the program; that of the time has none."""
    filters: list[_Numbered] = list(enumerate(program.filters))
    time = time_of(program.window)
    if time is not None:
        filters.append((None, Call("is_not_null", (time,))))
    return (one for one in filters if not is_met(one[1]))


def _ranks(order: FilterOrder) -> dict[int | None, int]:
    """The place of each filter that the hint names; the first place of one named twice."""
    ranks: dict[int | None, int] = {}
    for number in (*order.first, *order.then):
        ranks.setdefault(number, len(ranks))
    return ranks


def _stretches(numbered: list[_Numbered]) -> Iterator[list[_Numbered]]:
    """The filters between those that can fail, and each of these alone."""
    stretch: list[_Numbered] = []
    for one in numbered:
        if one[1].can_fail:
            yield stretch
            yield [one]
            stretch = []
        else:
            stretch.append(one)
    yield stretch
