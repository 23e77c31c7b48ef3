"""The order of filters: what each order costs by how sampled rows passed them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from ir.expr import Call, Cast, Column, Expr, Literal
from ir.types import BOOL, STRING
from ir.variant import GENERIC, FilterOrder, Hint
from policies.decision import Decision, Generalize, Keep, Specialize
from profiler.profile import Profile

# Nanoseconds of a row, fitted to comparisons of five 8-byte columns that come from memory: with
# the most selective one first, the others took 0.25 ns each where it leaves 1 % of the rows, 0.7
# where it leaves 10 %, and 0.65 where it leaves half; all five together took 2.5.
VECTOR_NS = 0.45  # to test a filter together with others, for all rows
PACK_NS = 0.10  # to pack the numbers of the rows that passed those
PASS_NS = 0.20  # of one more pass, for a filter that is tested after others
LINES_NS = 0.50  # to read the column's cache lines that have a row which is left
COSTLY_NS = 0.65  # what a row that is left takes beyond that, for each comparison's worth
LINE_ROWS = 8
# Relative to one comparison of numbers.
TEXT_COST = 4.0
PATTERN_COST = 12.0

MOST_EXACT = 6  # filters for which all orders are compared; beyond, one is chosen after another
_PATTERNS = frozenset(("like", "contains", "instr", "replace", "translate"))
_COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "eq_null_safe", "between"))
_ARITHMETIC = frozenset(("add", "subtract", "multiply", "negate", "abs"))
_LOGIC = frozenset(("and", "or", "not", "is_null", "is_not_null"))
_VECTORISED = _COMPARISONS | _ARITHMETIC | _LOGIC


@dataclass(frozen=True, slots=True)
class FilterFacts:
    """What a filter is, as far as its place in the order depends on it."""

    can_fail: bool = False
    vectorised: bool = True  # can be tested for several rows at a time
    cost: float = 1.0  # relative to one comparison of numbers
    dictionary: str | None = None  # a column whose dictionary, if it has one, makes it a look-up


def filter_facts(predicate: Expr) -> FilterFacts:
    """The facts of a predicate over input columns."""
    read = sorted(predicate.columns())
    texts = any(node.type == STRING for node in predicate.walk() if isinstance(node, Column))
    known = read[0] if len(read) == 1 and texts and not predicate.can_fail else None
    return FilterFacts(predicate.can_fail, _is_vectorised(predicate), _cost(predicate), known)


def _is_vectorised(expr: Expr) -> bool:
    """Whether it is made of comparisons of numbers, and of arithmetic on them."""
    if expr.can_fail or expr.type.is_bytes or expr.type.is_decimal:
        return False
    match expr:
        case Column():
            return expr.type != BOOL
        case Literal():
            return True
        case Cast(child):
            return _is_vectorised(child)
        case Call(function, args):
            return function in _VECTORISED and all(map(_is_vectorised, args))
    return False


def _cost(predicate: Expr) -> float:
    calls = [node for node in predicate.walk() if isinstance(node, Call)]
    return max(1.0, sum(map(_call_cost, calls)))


def _call_cost(call: Call) -> float:
    if call.function in _PATTERNS:
        return PATTERN_COST
    return TEXT_COST if any(arg.type.is_bytes for arg in call.args) else 1.0


@dataclass(frozen=True, slots=True)
class FilterCosts:
    """What orders of filters cost a row, correlations between filters included.

    Sets of filters are bit masks. Nothing moves past a filter that can fail: behind it,
    because it may be protected; before it, because the row's error would not be reached.
    """

    facts: tuple[FilterFacts, ...]
    profile: Profile
    _left: dict[int, float] = field(default_factory=dict)
    _tails: dict[int, tuple[float, tuple[int, ...]]] = field(default_factory=dict)

    def of(self, order: FilterOrder) -> float:
        """The nanoseconds that a row takes in this order."""
        tested = _mask(order.first)
        cost = self._together(order.first)
        for number in order.then:
            cost += self._alone(number, tested)
            tested |= 1 << number
        return cost

    def best(self) -> FilterOrder:
        """The cheapest order, or one that is cheap where there are too many to compare."""
        orders = self._exact() if len(self.facts) <= MOST_EXACT else self._greedy()
        return min(orders, key=lambda order: (self.of(order), order.then, order.first))

    def of_program(self) -> FilterOrder:
        """What the generic variant does: vectors up to the first filter that needs none."""
        numbers = tuple(range(len(self.facts)))
        end = next((n for n in numbers if not self.facts[n].vectorised), len(numbers))
        return FilterOrder(numbers[:end], numbers[end:])

    def _exact(self) -> Iterator[FilterOrder]:
        """For each set that can be tested first, the cheapest order of the others."""
        free = self._before_failing()
        for size in range(len(free) + 1):
            for first in combinations(free, size):
                yield FilterOrder(first, self._tail(_mask(first))[1])

    def _greedy(self) -> Iterator[FilterOrder]:
        """One filter after another by rows dropped for its cost; any start of that first."""
        order: list[int] = []
        while len(order) < len(self.facts):
            tested = _mask(order)
            order.append(max(self._next(tested), key=lambda n: (self._worth(n, tested), -n)))
        free = set(self._before_failing())
        yield FilterOrder((), tuple(order))
        for end in range(1, len(order) + 1):
            if order[end - 1] not in free:
                return
            yield FilterOrder(tuple(sorted(order[:end])), tuple(order[end:]))

    def _tail(self, tested: int) -> tuple[float, tuple[int, ...]]:
        """The cheapest order of the filters that are not tested yet, and its cost."""
        if tested not in self._tails:
            ways = []
            for number in self._next(tested):
                cost, order = self._tail(tested | 1 << number)
                ways.append((self._alone(number, tested) + cost, (number, *order)))
            self._tails[tested] = min(ways, default=(0.0, ()))
        return self._tails[tested]

    def _next(self, tested: int) -> Iterator[int]:
        """The filters that may be tested now: none past one that can fail."""
        for number, facts in enumerate(self.facts):
            if tested >> number & 1:
                continue
            before = (1 << number) - 1
            if not facts.can_fail or tested & before == before:
                yield number
            if facts.can_fail:
                return

    def _before_failing(self) -> tuple[int, ...]:
        """The filters that can be tested for all rows together."""
        numbers = range(len(self.facts))
        end = next((n for n in numbers if self.facts[n].can_fail), len(self.facts))
        return tuple(n for n in numbers[:end] if self.facts[n].vectorised)

    def _together(self, first: tuple[int, ...]) -> float:
        if not first:
            return 0.0
        return PACK_NS + VECTOR_NS * sum(self.facts[number].cost for number in first)

    def _alone(self, number: int, tested: int) -> float:
        """Rows that are left here and there read nearly all memory: one in ten is enough."""
        share = self._share(tested)
        lines = 1.0 - (1.0 - share) ** LINE_ROWS
        more = COSTLY_NS * (self.facts[number].cost - 1.0) * share
        return PASS_NS + LINES_NS * lines + more

    def _worth(self, number: int, tested: int) -> float:
        dropped = self._share(tested) - self._share(tested | 1 << number)
        return dropped / self.facts[number].cost

    def _share(self, tested: int) -> float:
        """The share of rows that pass all filters of a set."""
        if tested not in self._left:
            members = (n for n in range(len(self.facts)) if tested >> n & 1)
            self._left[tested] = self.profile.passing(members) / self.profile.rows
        return self._left[tested]


@dataclass(frozen=True, slots=True)
class PredicateOrder:
    """Bet that rows go on to pass filters as the sampled ones did."""

    filters: tuple[FilterFacts, ...]
    min_rows: int = 256
    min_gain: float = 0.05  # of the time of all filters, for another order
    branch_above: float = 0.9  # the share of rows that pass from which a branch is better
    branch_stays_above: float = 0.85  # where branches run already

    def decide(self, profile: Profile) -> Decision:
        """A branch per row where nearly all pass; else the cheapest order, if it gains enough."""
        if not self.filters:
            return Generalize("the program has no filter")
        if profile.rows < self.min_rows:
            return Keep(f"filters of {profile.rows} rows seen, need {self.min_rows}")
        share = profile.passed / profile.rows
        if share > self._branch_above(profile):
            return Specialize((), f"{share:.0%} of rows pass: a branch for each", ())
        costs = FilterCosts(tuple(_with_codes(f, profile) for f in self.filters), profile)
        return self._ordered(costs, _order_of(profile, len(self.filters)))

    def _branch_above(self, profile: Profile) -> float:
        branches = profile.running is not None and profile.running.block_rows is None
        return self.branch_stays_above if branches else self.branch_above

    def _ordered(self, costs: FilterCosts, running: FilterOrder | None) -> Decision:
        best, program = costs.best(), costs.of_program()
        if running is not None and costs.of(running) * (1 - self.min_gain) <= costs.of(best):
            best = running
        new_ns, old_ns = costs.of(best), costs.of(program)
        if best == program or new_ns > old_ns * (1 - self.min_gain):
            return Generalize(f"filters take {old_ns:.2f} ns a row, {new_ns:.2f} in another order")
        order = f"filters {list(best.first)} first, then {list(best.then)}"
        hints: tuple[Hint, ...] = (*GENERIC.hints, best)
        return Specialize((), f"{order}: {new_ns:.2f} ns a row instead of {old_ns:.2f}", hints)


def _with_codes(facts: FilterFacts, profile: Profile) -> FilterFacts:
    """A filter over a column that comes with a dictionary is a look-up by code."""
    if facts.dictionary is None or facts.dictionary not in profile.dictionaries:
        return facts
    return FilterFacts(facts.can_fail, vectorised=True, cost=1.0)


def _order_of(profile: Profile, filters: int) -> FilterOrder | None:
    """The order that runs now, if it is one of all filters."""
    order = None if profile.running is None else profile.running.find(FilterOrder)
    if order is None or sorted((*order.first, *order.then)) != list(range(filters)):
        return None
    return order


def _mask(numbers: tuple[int, ...] | list[int]) -> int:
    return sum(1 << number for number in numbers)
