"""Profiling: what running a pipeline shows about its data and the machine."""

from profiler.profile import Observation, Profile

__all__ = ["Observation", "Profile"]
