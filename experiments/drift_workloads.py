"""Streams whose data change on the way, each with the variants that could be best for its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from adaptive import Stream
from adaptive.demo.ysb_data import EVENT_TYPES
from experiments.adaptive_data import (
    HOT_KEY,
    Array,
    Make,
    Random,
    disordered,
    filtered_columns,
    filters_query,
    halves,
    is_charged,
    is_view,
    of_countries,
    passing,
    priced,
    scattered,
    skewed,
    totals_query,
    uniform,
    with_nulls,
    ysb_columns,
    ysb_query,
)
from experiments.adaptive_variants import Statics, order_variants, spec_of, table_variants
from ir import KeysInRange, NoNulls, ValuesInRange, VariantSpec

TURNS = 12  # of an adversary that takes its time
# Times as long as an adversary's stream: of what learning costs, one can tell how much it is of
# phases of some seconds, and of shorter ones, from the beginnings of these.
LONGER = 3


@dataclass(frozen=True, slots=True, eq=False)
class Phase:
    """A part of a stream whose data are alike; `make` gives the columns of a block's rows.

    Without a column `event_time`, a block's events come in order of time.
    """

    name: str
    make: Make
    statics: Statics = field(default_factory=dict)  # that could pay, beside the generic variant


@dataclass(frozen=True, slots=True, eq=False)
class Drift:
    """A query and the phases of its stream.

    `query` gets the name of the column for the sums. `passes` says by numpy or Arrow which
    rows the query keeps. `universe` has all keys in order, unless they are 0, 1, 2, ... .
    `share` is how much of the usual length of a phase its phases have.
    """

    name: str
    query: Callable[[str], Stream]
    phases: tuple[Phase, ...]
    passes: Callable[[pa.RecordBatch], Array]
    key: str = "campaign_id"
    keys: int = 10_000
    universe: pa.Array | None = None
    window_blocks: int = 1
    share: float = 1.0


def ysb(keys: int, strings: bool) -> Drift:
    """The benchmark itself, without any change."""
    encoding = "strings" if strings else "codes"
    phase = Phase("stationary", ysb_columns(uniform(keys), strings), table_variants(keys - 1))
    name = f"ysb, {keys:,} keys, {encoding}"
    share = 0.5 if keys > 100_000 else 1.0
    return Drift(name, ysb_query(), (phase,), is_view, keys=keys, share=LONGER * share)


def ysb_workloads() -> Iterator[Drift]:
    """The benchmark with few, some and very many keys."""
    return (ysb(keys, strings) for strings in (False, True) for keys in (100, 10_000, 1_000_000))


def growing_keys(few: int = 10_000, window_blocks: int = 1, share: float = 1.0) -> Drift:
    """Ten times as many keys from the middle on."""
    many = 10 * few
    phases = tuple(
        Phase(f"{keys:,} keys", ysb_columns(uniform(keys)), table_variants(keys - 1))
        for keys in (few, many)
    )
    name, query = f"keys grow to {many:,}", ysb_query(window_blocks)
    return Drift(name, query, phases, is_view, keys=many, window_blocks=window_blocks, share=share)


def crossing_predicates() -> Drift:
    """Five predicates, of which the one that keeps most becomes the one that keeps least."""
    names, shares = "abcde", (0.95, 0.7, 0.5, 0.3, 0.02)
    phases = tuple(
        Phase(title, filtered_columns(names, now), order_variants(now))
        for title, now in (("e drops most", shares), ("a drops most", shares[::-1]))
    )
    return Drift("predicates cross", filters_query(names), phases, passing(names), keys=100)


def appearing_skew() -> Drift:
    """A million keys, of which one gets most rows."""
    keys, blocks = 1_000_000, 8
    phases = (
        Phase("uniform", ysb_columns(uniform(keys)), table_variants(keys - 1)),
        Phase("60 % on one key", ysb_columns(skewed(keys)), table_variants(keys - 1, hot=HOT_KEY)),
    )
    query = ysb_query(blocks)
    return Drift("skew appears", query, phases, is_view, keys=keys, window_blocks=blocks, share=0.5)


def appearing_nulls() -> Drift:
    """A twentieth of the values is missing from the middle on."""
    make, variants = ysb_columns(uniform(10_000)), table_variants(9_999)
    free = NoNulls(("event_type", "campaign_id", "event_time"))
    proof = {
        "hash, no other nulls": spec_of(free),
        "dense, no other nulls": spec_of(KeysInRange(((0, 9_999),)), free),
    }
    phases = (
        Phase("no nulls", make, variants),
        Phase("5 % nulls", with_nulls(make), {**variants, **proof}),
    )
    return Drift("nulls appear", ysb_query(), phases, is_view)


def appearing_disorder() -> Drift:
    """A fifth of the rows is late from the middle on, by less than the watermark waits."""
    make, variants = ysb_columns(uniform(10_000)), table_variants(9_999)
    phases = (
        Phase("in order", make, variants),
        Phase("20 % late", disordered(make), variants),
    )
    query = ysb_query(delay="5 seconds")
    return Drift("disorder appears", query, phases, is_view)


def growing_values() -> Drift:
    """Arithmetic of filters that cannot fail with the values seen; one in a hundred grows."""

    def ranges(price: int, other: int) -> VariantSpec:
        bits = {"price": price, "quantity": other, "tax": other, "rebate": other}
        claims = [ValuesInRange(name, -(2**b), 2**b - 1) for name, b in bits.items()]
        return spec_of(*claims)

    phases = (
        Phase(
            "small values", priced(1), {"ranges": ranges(36, 24), "branches": spec_of(select=False)}
        ),
        Phase("1 % grow", priced(2**45, 0.01), {"ranges": ranges(50, 12)}),
    )
    return Drift("values grow", totals_query, phases, is_charged, keys=100)


def growing_dictionaries() -> Drift:
    """Keys and event types that come as codes get values that were not there before."""
    names = tuple(f"country {number:04}" for number in range(1_200))
    phases = tuple(
        Phase(title, of_countries(names[:count], types), table_variants(count - 1))
        for title, count, types in (
            ("1,000 countries", 1_000, EVENT_TYPES),
            ("1,200 countries", 1_200, ("refund", *EVENT_TYPES)),
        )
    )
    query, universe = ysb_query(key="country"), pa.array(names)
    return Drift(
        "dictionaries grow", query, phases, is_view, "country", len(names), universe, share=0.5
    )


def drifts() -> tuple[Drift, ...]:
    """All workloads that change once, where the right choice is another one afterwards or not."""
    made = (
        growing_keys(),
        growing_keys(100_000, window_blocks=8, share=0.5),
        crossing_predicates(),
        appearing_skew(),
        appearing_nulls(),
        appearing_disorder(),
        growing_values(),
        growing_dictionaries(),
    )
    return tuple(replace(drift, share=LONGER * drift.share) for drift in made)


def stationary_workloads() -> tuple[Drift, ...]:
    """Nothing changes, and there is little or nothing to gain."""
    universe = scattered(10_000)

    def keys(rows: int, random: Random) -> Array:
        return universe[random.integers(0, len(universe), rows)]

    plain = Phase("scattered keys", ysb_columns(keys))
    wide = Phase("one predicate", filtered_columns("a", (0.5,)))
    return (
        Drift(
            "stationary, scattered keys",
            ysb_query(),
            (plain,),
            is_view,
            keys=len(universe),
            universe=pa.array(universe),
            share=LONGER,
        ),
        Drift(
            "stationary, one predicate",
            filters_query("a"),
            (wide,),
            passing("a"),
            keys=100,
            share=LONGER,
        ),
    )


def adversaries() -> tuple[Drift, ...]:
    """Two shapes in turns: every two batches, and every four blocks."""
    low, high, far = 10_000, 10_000, 1_000_000_000
    near, away = ysb_columns(uniform(low)), ysb_columns(uniform(high, far))
    universe = pa.array(np.concatenate((np.arange(low), far + np.arange(high))))
    first = filtered_columns("ab", (0.02, 0.9))
    second = filtered_columns("ab", (0.9, 0.02))
    passes, query = passing("ab"), filters_query("ab")

    def ranges(name: str, phases: tuple[Phase, ...], share: float) -> Drift:
        return Drift(
            name, ysb_query(), phases, is_view, keys=low + high, universe=universe, share=share
        )

    return (
        ranges("flips of key ranges, fast", (Phase("both", halves(near, away)),), 1),
        ranges("flips of key ranges, slow", in_turns(near, away), 1 / TURNS),
        Drift(
            "flips of selectivity, fast",
            query,
            (Phase("both", halves(first, second)),),
            passes,
            keys=100,
        ),
        Drift(
            "flips of selectivity, slow",
            query,
            in_turns(first, second),
            passes,
            keys=100,
            share=1 / TURNS,
        ),
    )


def in_turns(one: Make, other: Make) -> tuple[Phase, ...]:
    """Two phases again and again."""
    return (Phase("one", one), Phase("other", other)) * (TURNS // 2)
