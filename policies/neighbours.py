"""What may be bet on next: variants that are worth compiling before anybody asks for them."""

from __future__ import annotations

from dataclasses import replace

from ir.variant import KeysInRange, Prefetch, VariantSpec
from policies.table_bets import ROWS_AHEAD


def likely_next(spec: VariantSpec) -> tuple[VariantSpec, ...]:
    """The variants that a bet turns into when its data grow.

    Ranges are data, so an array for other keys has the same code. One that has outgrown the
    cache is prefetched: compiling that took half of the time that keys took to settle after
    they had grown to ten times as many.
    """
    if spec.find(KeysInRange) is None or spec.find(Prefetch) is not None:
        return ()
    return (replace(spec, hints=(*spec.hints, Prefetch(ROWS_AHEAD))),)
