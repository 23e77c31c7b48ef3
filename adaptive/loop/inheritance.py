"""What a new loop makes of what another one has learned."""

from __future__ import annotations

from dataclasses import replace

from adaptive.loop.events import SiblingLearned
from adaptive.loop.learned import data_text
from ir import GENERIC, VariantSpec
from policies import Policy, Specialize


def proposal(event: SiblingLearned, policy: Policy) -> tuple[VariantSpec, str]:
    """The variant that a sibling has chosen, or the bet on what it saw; and why."""
    known = event.learned
    spec, why = known.running, "has chosen it"
    if not known.trials and known.profile is not None:
        decision = policy.decide(replace(known.profile, running=GENERIC))
        if isinstance(decision, Specialize):
            spec, why = decision.spec, decision.reason
    data = "" if known.profile is None else f", with {data_text(known.profile)}"
    return spec, f"{event.worker}, a sibling: {why}{data}"
