"""Profiling: what running a pipeline shows about its data and the machine."""

from profiler.counters import CounterAvailability, Rung, counter_availability
from profiler.profile import Observation, Profile

__all__ = ["CounterAvailability", "Observation", "Profile", "Rung", "counter_availability"]
