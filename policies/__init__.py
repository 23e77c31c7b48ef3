"""Policies: pure functions that decide from a profile what to bet on next."""

from policies.bets import Fixed, NarrowKeys, NoNulls
from policies.composition import Hysteresis, Together
from policies.decision import Decision, Generalize, Keep, Policy, Specialize
from policies.defaults import default_policy
from policies.filters import FilterFacts, PredicateOrder, filter_facts
from policies.neighbours import likely_next
from policies.ranges import Domain, domain_of
from policies.table_bets import HeavyHitters, LargeTables, ManyKeys
from policies.value_bets import NarrowValues, ProvenFilters

__all__ = [
    "Decision",
    "Domain",
    "FilterFacts",
    "Fixed",
    "Generalize",
    "HeavyHitters",
    "Hysteresis",
    "Keep",
    "LargeTables",
    "ManyKeys",
    "NarrowKeys",
    "NarrowValues",
    "NoNulls",
    "Policy",
    "PredicateOrder",
    "ProvenFilters",
    "Specialize",
    "Together",
    "default_policy",
    "domain_of",
    "filter_facts",
    "likely_next",
]
