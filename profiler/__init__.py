"""Profiling: what running a pipeline shows about its data and the machine."""

from profiler.counters import CounterAvailability, Rung, counter_availability
from profiler.drift import Drift, DriftMonitor, PageHinkley, Sensitivity
from profiler.profile import Observation, Profile
from profiler.signals import CounterSource, Reading, ThreadSignals

__all__ = [
    "CounterAvailability",
    "CounterSource",
    "Drift",
    "DriftMonitor",
    "Observation",
    "PageHinkley",
    "Profile",
    "Reading",
    "Rung",
    "Sensitivity",
    "ThreadSignals",
    "counter_availability",
]
