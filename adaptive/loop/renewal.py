"""A bet that held for long, until its data outgrew it: it is made again without a trial."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from adaptive.loop.events import MorselDone
from ir import Tier, VariantSpec

_LEFT = 0.1  # of the rows of such a morsel, at most, are not generic's


@dataclass(slots=True)
class Renewal:
    """What the guards ended after long, and how fast the generic variant is since then.

    A trial of keys that had grown to ten times as many took two thirds of the time for which
    the stream was slow. The variant that bets on the same for other values is as likely to pay
    as the one before it, and it is proven against these times while it runs.
    """

    outgrown: VariantSpec
    generic_ns: float = inf  # of a row, in the fastest morsel: others fill tables that are new

    def add(self, event: MorselDone) -> None:
        """Take what a thread has seen; a morsel that left at its beginning counts as generic's."""
        seen = event.seen
        left = seen.rows - seen.generic_rows
        is_generic = event.spec.tier is not Tier.SPECULATIVE or left <= _LEFT * seen.rows
        if seen.rows and is_generic:
            self.generic_ns = min(self.generic_ns, seen.ns_per_row)

    def is_for(self, candidate: VariantSpec) -> bool:
        """Whether a variant assumes the same, of other values, and can be proven."""
        return self.generic_ns < inf and _assumed(candidate) == _assumed(self.outgrown)


def _assumed(spec: VariantSpec) -> frozenset[type]:
    return frozenset(map(type, spec.assumptions))
