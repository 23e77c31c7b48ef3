"""Policies: pure functions that decide from a profile what to bet on next."""

from policies.bets import Fixed
from policies.decision import Decision, Generalize, Keep, Policy, Specialize

__all__ = [
    "Decision",
    "Fixed",
    "Generalize",
    "Keep",
    "Policy",
    "Specialize",
]
