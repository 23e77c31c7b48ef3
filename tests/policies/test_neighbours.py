"""What is compiled before anybody bets on it."""

from __future__ import annotations

from ir import GENERIC, KeysInRange, Prefetch, Tier, VariantSpec
from policies import likely_next

ARRAY = VariantSpec(Tier.SPECULATIVE, (KeysInRange(((0, 99),)),))


def test_an_array_may_outgrow_the_cache() -> None:
    (grown,) = likely_next(ARRAY)
    assert grown.assumptions == ARRAY.assumptions
    assert grown.find(Prefetch) is not None
    assert grown.block_rows == ARRAY.block_rows


def test_nothing_comes_after_what_is_prefetched_already_or_has_no_array() -> None:
    (grown,) = likely_next(ARRAY)
    assert likely_next(grown) == ()
    assert likely_next(GENERIC) == ()
