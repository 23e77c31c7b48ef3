"""The bet on ranges of values: with it, filters that can fail cannot, and are no barrier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ir.expr import Column, Expr
from ir.intervals import Interval, Ranges, prove, range_of_type
from ir.types import DataType
from ir.variant import GENERIC, FilterOrder, ValuesInRange
from policies.bets import FEW_ROWS
from policies.decision import Decision, Generalize, Keep, Specialize
from policies.filters import FilterFacts, PredicateOrder, filter_facts
from policies.ranges import Domain, widened
from profiler.profile import Profile

_MOST_BITS = 63
# Makes a range so many bits wider.
_Shape = Callable[[Interval, int], Interval]


@dataclass(frozen=True, slots=True)
class NarrowValues:
    """Bet that columns stay in ranges in which arithmetic of filters cannot fail.

    The guard costs the same for any range, so it is the widest for which that can be proven, and
    what was seen, with a margin, must be in it. Not for arguments of aggregates: a guard of their
    own takes longer than their checks, see `ValuesInRange`.
    """

    filters: tuple[Expr, ...]
    slack: float = 1 / 2

    def decide(self, profile: Profile) -> Decision:
        """The ranges of the columns of all filters that they prove."""
        risky = [number for number, one in enumerate(self.filters) if one.can_fail]
        if not risky:
            return Generalize("no filter can fail")
        if profile.rows < FEW_ROWS:
            return Keep(f"values of {profile.rows} rows seen, need {FEW_ROWS}")
        seen = self._seen(profile)
        proven = [n for n in risky if not prove(self.filters[n], seen).can_fail]
        if not proven:
            return Generalize(f"filters {risky} can fail also with {_listed(seen) or 'any range'}")
        ranges = _widest(tuple(self.filters[number] for number in proven), seen)
        reason = f"filters {proven} cannot fail with {_listed(ranges)}"
        return Specialize(tuple(ValuesInRange(n, r.low, r.high) for n, r in ranges.items()), reason)

    def _seen(self, profile: Profile) -> dict[str, Interval]:
        """The range of each column that was sampled, with a margin."""
        made = {}
        for name, type_ in _columns(self.filters).items():
            facts, limits = profile.columns.get(name), range_of_type(type_)
            if facts is None or facts.low is None or facts.high is None or limits is None:
                continue
            low, high = widened(facts.low, facts.high, Domain(*limits), self.slack)
            # What is a divisor was hardly ever zero by chance.
            made[name] = Interval(max(low, 1) if facts.low > 0 else low, high)
        return made


@dataclass(frozen=True, slots=True)
class ProvenFilters:
    """Bets on ranges in which filters cannot fail, and on the order that is best then.

    The guard reads the columns of proven filters for all rows, so that these are tested together:
    with the last of three behind the others, "values grow" ran at 0.88 of the best static variant
    instead of 0.98. Where nearly all rows pass, each
    filter has a branch for each row, and a guard for whole blocks of them gains nothing.
    """

    filters: tuple[Expr, ...]

    def decide(self, profile: Profile) -> Decision:
        """The order of the filters as they are with the ranges, if there is a bet on them."""
        values = NarrowValues(self.filters).decide(profile)
        bets = values.assumptions if isinstance(values, Specialize) else ()
        ranges = {
            bet.column: Interval(bet.low, bet.high)
            for bet in bets
            if isinstance(bet, ValuesInRange)
        }
        facts = tuple(filter_facts(prove(one, ranges)) for one in self.filters)
        order = PredicateOrder(facts).decide(profile)
        if not isinstance(values, Specialize) or isinstance(order, Keep):
            return order
        if isinstance(order, Generalize):
            return Specialize(values.assumptions, f"{values.reason}; {order.reason}")
        hint = order.spec.find(FilterOrder)
        if hint is None:
            return order
        made = self._together(hint, facts)
        reason = f"{values.reason}; filters {list(made.first)} together, then {list(made.then)}"
        return Specialize(values.assumptions, reason, (*GENERIC.hints, made))

    def _together(self, order: FilterOrder, facts: tuple[FilterFacts, ...]) -> FilterOrder:
        """The order with proven filters among the first, as far as none before them can fail."""
        end = next((n for n, one in enumerate(facts) if one.can_fail), len(facts))
        proven = {n for n in range(end) if self.filters[n].can_fail and facts[n].vectorised}
        first = tuple(sorted({*order.first, *proven}))
        return FilterOrder(first, tuple(n for n in order.then if n not in proven))


def _widest(filters: tuple[Expr, ...], seen: Ranges) -> dict[str, Interval]:
    """The widest ranges, all by as many bits, in which none of the filters can fail.

    About zero where that can be, else without the other sign, else without zero; the ranges
    that were seen where these are just proven. Columns that need none are left out.
    """
    columns = _columns(filters)
    needed = {name: range_ for name, range_ in seen.items() if name in columns}
    for shape in (_about_zero, _of_one_sign, _without_zero):
        made = _grown(filters, needed, shape)
        if made is not None:
            needed = made
            break
    for name, range_ in list(needed.items()):
        # Another column may be the one that must not be zero.
        both_signs = {**needed, name: Interval(min(range_.low, -range_.high - 1), range_.high)}
        if _holds(filters, both_signs):
            needed = both_signs
        others = {other: range_ for other, range_ in needed.items() if other != name}
        if _holds(filters, others):
            needed = others
    return needed


def _grown(
    filters: tuple[Expr, ...], seen: Mapping[str, Interval], shape: _Shape
) -> dict[str, Interval] | None:
    """The ranges of a shape with the most bits; what a type does not have is not assumed."""
    columns = _columns(filters)

    def wider(bits: int) -> dict[str, Interval]:
        return {n: _within(shape(range_, bits), columns[n]) for n, range_ in seen.items()}

    if not _holds(filters, wider(0)):
        return None
    low, high = 0, _MOST_BITS
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _holds(filters, wider(middle)) else (low, middle - 1)
    return wider(low)


def _holds(filters: tuple[Expr, ...], ranges: Ranges) -> bool:
    return not any(prove(one, ranges).can_fail for one in filters)


def _about_zero(seen: Interval, more: int) -> Interval:
    bits = max(seen.low.bit_length(), seen.high.bit_length()) + more
    return Interval(-(1 << bits), (1 << bits) - 1)


def _of_one_sign(seen: Interval, more: int) -> Interval:
    wide = _about_zero(seen, more)
    return Interval(0 if seen.low >= 0 else wide.low, -1 if seen.high < 0 else wide.high)


def _without_zero(seen: Interval, more: int) -> Interval:
    wide = _of_one_sign(seen, more)
    return Interval(max(wide.low, 1), wide.high) if seen.low > 0 else wide


def _within(range_: Interval, type_: DataType) -> Interval:
    limits = range_of_type(type_)
    assert limits is not None
    return Interval(max(range_.low, limits.low), min(range_.high, limits.high))


def _columns(filters: tuple[Expr, ...]) -> dict[str, DataType]:
    """The columns that filters read, with their types."""
    return {
        node.name: node.type for one in filters for node in one.walk() if isinstance(node, Column)
    }


def _listed(ranges: Ranges) -> str:
    return ", ".join(f"{name} in {one.low}..{one.high}" for name, one in ranges.items())
