"""Bets that are made without a look at the data, so that most of them are wrong."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from ir import (
    BOOL,
    DATE,
    GENERIC,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    FilterOrder,
    Hint,
    HotKeys,
    KeysInRange,
    NoNulls,
    Prefetch,
    SelectRows,
    ShareGroups,
    Tier,
    ValuesInRange,
    VariantSpec,
)
from policies import Decision, Fixed, Specialize
from profiler import Profile
from tests.strategies import NAMES

# Strings are keys of arrays only as columns with codes, so they are there more than once.
KEY_TYPES = (INT64, INT32, INT16, INT8, DATE, TIMESTAMP, BOOL, STRING, STRING, STRING)
_EDGES = (-(2**63), 2**63 - 40, -(2**31), 2**31 - 3, -128, 1_000_000)


@st.composite
def ranges(draw: st.DrawFn, keys: int) -> KeysInRange:
    """A range for each key: mostly about the small values that random rows have."""
    made = []
    for _ in range(keys):
        low = draw(st.one_of(st.integers(-4, 4), st.integers(0, 1), st.sampled_from(_EDGES)))
        made.append((low, low + draw(st.sampled_from((0, 1, 2, 5, 12, 30)))))
    return KeysInRange(tuple(made))


# One row, a few, sixteen at once and three one by one, or mostly all.
_BLOCKS: tuple[tuple[Hint, ...], ...] = (
    (),
    (SelectRows(1),),
    (SelectRows(7),),
    (SelectRows(19),),
    GENERIC.hints,
)


@st.composite
def values(draw: st.DrawFn) -> tuple[ValuesInRange, ...]:
    """Small ranges of columns that there are or not, of whatever type."""
    names = draw(st.sets(st.sampled_from(NAMES), max_size=3))
    edges = [(draw(st.integers(-4, 1)), draw(st.sampled_from((1, 3, 1000)))) for _ in names]
    pairs = zip(sorted(names), edges, strict=True)
    return tuple(ValuesInRange(name, low, high) for name, (low, high) in pairs)


@st.composite
def hints(draw: st.DrawFn) -> tuple[Hint, ...]:
    """Any advice: an order of filters that there are not, keys that nobody has."""
    numbers = draw(st.lists(st.integers(0, 3), max_size=4))
    cut = draw(st.integers(0, len(numbers)))
    keys = st.tuples(*[st.integers(-2, 3)] * draw(st.integers(1, 2)))
    offered: list[tuple[Hint, ...]] = [
        draw(st.sampled_from(_BLOCKS)),
        (FilterOrder(tuple(numbers[:cut]), tuple(numbers[cut:])),),
        (Prefetch(draw(st.integers(1, 3))),),
        (HotKeys(tuple(draw(st.lists(keys, min_size=1, max_size=2)))),),
    ]
    taken = [draw(st.booleans()) for _ in offered[1:]]
    return offered[0] + tuple(h for yes, (h,) in zip(taken, offered[1:], strict=True) if yes)


@st.composite
def specs(draw: st.DrawFn, keys: int) -> list[VariantSpec]:
    """Variants that take turns; few kinds of code, because each kind is compiled."""
    advice = draw(hints())
    shared = (*draw(st.sampled_from((GENERIC.hints, advice))), ShareGroups())
    made = [VariantSpec(Tier.SPECULATIVE, (draw(ranges(keys)),)) for _ in range(2)]
    made.append(VariantSpec(Tier.SPECULATIVE, (draw(ranges(keys)), *draw(values())), advice))
    made.append(VariantSpec(Tier.SPECULATIVE, (draw(ranges(keys)),), (*advice, ShareGroups())))
    return [*made, VariantSpec(Tier.SPECULATIVE, (), shared), GENERIC]


@st.composite
def keyed_specs(draw: st.DrawFn, columns: tuple[str, ...]) -> list[VariantSpec]:
    """The same for windows by the order of a key's rows: no nulls, orders of filters, branches."""
    some = st.lists(st.sampled_from(columns), min_size=1, max_size=3).map(tuple)
    advice = draw(hints())
    branches = tuple(hint for hint in advice if not isinstance(hint, SelectRows))
    return [
        VariantSpec(Tier.SPECULATIVE, (NoNulls(draw(some)),), advice),
        VariantSpec(Tier.SPECULATIVE, (NoNulls(draw(some)), draw(ranges(1))), branches),
        GENERIC,
    ]


@dataclass(frozen=True)
class Erratic(Fixed):
    """Another variant for each morsel, whatever the data."""

    variants: tuple[VariantSpec, ...] = (GENERIC,)
    seed: int = 0

    def decide(self, profile: Profile) -> Decision:
        """By the number of rows so far, as if by chance."""
        chosen = self.variants[hash((profile.rows, self.seed)) % len(self.variants)]
        return Specialize(chosen.assumptions, "by chance", chosen.hints)
