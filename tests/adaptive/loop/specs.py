"""Variants that tests of the loop bet on."""

from __future__ import annotations

from ir import FilterOrder, KeysInRange, SelectRows, Tier, VariantSpec

NARROW = VariantSpec(Tier.SPECULATIVE, (KeysInRange(((0, 9),)),))
WIDER = VariantSpec(Tier.SPECULATIVE, (KeysInRange(((0, 99),)),))
ORDERED = VariantSpec(Tier.SPECULATIVE, (), (SelectRows(), FilterOrder((1,), (0,))))
REVERSED = VariantSpec(Tier.SPECULATIVE, (), (SelectRows(), FilterOrder((0,), (1,))))
BRANCHES = VariantSpec(Tier.SPECULATIVE, (), ())
BOTH = VariantSpec(Tier.SPECULATIVE, NARROW.assumptions, ORDERED.hints)
