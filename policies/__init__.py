"""Policies: pure functions that decide from a profile what to bet on next."""

from policies.bets import NeverSpecialize, SkipNullChecks
from policies.decision import Decision, Generalize, Keep, Policy, Specialize

__all__ = [
    "Decision",
    "Generalize",
    "Keep",
    "NeverSpecialize",
    "Policy",
    "SkipNullChecks",
    "Specialize",
]
