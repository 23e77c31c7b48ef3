"""Which variant the threads of an engine run, by a policy and what it has seen."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from adaptive.runtime.binding import BoundBatch
from ir import GENERIC, Tier, VariantSpec
from policies import Policy, Specialize
from profiler import Observation, Profile


class VariantChoice:
    """A profile that all threads add to, and what the policy decides by it."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._lock = threading.Lock()
        self.profile = Profile()

    def spec(self, bound: BoundBatch) -> VariantSpec:
        """The variant for the next morsel."""
        decision = self._policy.decide(self.profile)
        if not isinstance(decision, Specialize):
            return GENERIC
        hints = GENERIC.hints if decision.hints is None else decision.hints
        return VariantSpec(Tier.SPECULATIVE, decision.assumptions, hints)

    @contextmanager
    def timed(self, rows: int) -> Iterator[None]:
        """Around the work on a morsel."""
        begin = time.perf_counter_ns()
        yield
        elapsed_ns = time.perf_counter_ns() - begin
        with self._lock:
            self.profile = self.profile.plus(Observation(rows, {}, elapsed_ns=elapsed_ns))
