"""Short ways to write profiles in tests."""

from __future__ import annotations

from profiler.profile import HotKey, KeyFacts, Profile


def keyed(
    *ranges: tuple[int | None, int | None],
    groups: int = 100,
    hot: tuple[HotKey, ...] = (),
    threads: int = 1,
    rows: int = 10_000,
) -> Profile:
    """Rows that all passed, by what their keys are."""
    keys = tuple(KeyFacts(low, high) for low, high in ranges)
    return Profile(
        rows=rows, outcomes={0: rows}, keys=keys, groups=groups, hot=hot, threads=threads
    )


def filtered(outcomes: dict[str, int]) -> Profile:
    """Rows by which filters passed, written as one digit a filter, the first filter first."""
    filters = len(next(iter(outcomes)))
    masks = {sum(1 << n for n, c in enumerate(k) if c == "1"): v for k, v in outcomes.items()}
    return Profile(rows=sum(outcomes.values()), outcomes=masks, filters=filters)
