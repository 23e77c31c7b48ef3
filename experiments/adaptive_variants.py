"""The static variants that could be best for a phase, all of which are tried."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TypeAlias

from ir import (
    Assumption,
    FilterOrder,
    Hint,
    HotKeys,
    KeysInRange,
    Prefetch,
    SelectRows,
    Tier,
    VariantSpec,
)

Statics: TypeAlias = Mapping[str, VariantSpec]


def spec_of(*claims: Assumption | Hint, select: bool = True) -> VariantSpec:
    """A speculative variant that selects rows, or has a branch for each."""
    assumptions = tuple(c for c in claims if isinstance(c, Assumption))
    hints = tuple(c for c in claims if isinstance(c, Hint))
    return VariantSpec(Tier.SPECULATIVE, assumptions, ((SelectRows(), *hints) if select else hints))


def table_variants(high: int, low: int = 0, hot: int | None = None) -> Statics:
    """Every choice of table for keys of a range, with and without what helps large ones."""
    tables: dict[str, tuple[Assumption, ...]] = {
        "hash": (),
        "dense": (KeysInRange(((low, high),)),),
    }
    helps: dict[str, tuple[Hint, ...]] = {"": (), ", prefetch": (Prefetch(),)}
    if hot is not None:
        beside = HotKeys(((hot,),))
        helps |= {", hot key": (beside,), ", hot key, prefetch": (beside, Prefetch())}
    made = {
        f"{table}{help_}": spec_of(*assumed, *hints)
        for table, assumed in tables.items()
        for help_, hints in helps.items()
    }
    made |= {
        f"{table}, branches": spec_of(*assumed, select=False) for table, assumed in tables.items()
    }
    del made["hash"]  # which is the generic variant
    return made


def order_variants(shares: tuple[float, ...]) -> Statics:
    """Orders of filters by what they let pass, with each start that could be best."""
    order = sorted(range(len(shares)), key=lambda number: shares[number])
    made = {}
    for size in range(min(3, len(order)) + 1):
        for first in combinations(order[:3], size):
            then = tuple(number for number in order if number not in first)
            name = f"{_letters(first) or 'none'} together, then {_letters(then) or 'none'}"
            made[name] = spec_of(FilterOrder(tuple(sorted(first)), then))
    made["branches"] = spec_of(select=False)
    return made


def _letters(numbers: tuple[int, ...]) -> str:
    return "".join("abcdefgh"[number] for number in numbers)
