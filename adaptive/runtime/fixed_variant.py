"""The variant that a policy names without looking at the data: the baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from adaptive.loop.history import History
from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.deopt import DeoptManager
from adaptive.runtime.key_dictionary import KeyDictionaries
from adaptive.runtime.uses import Uses
from ir import GENERIC, ShareGroups, VariantSpec
from policies import Fixed, Policy, Specialize
from profiler.profile import Profile

if TYPE_CHECKING:
    from adaptive.runtime.group_kernels import GroupKernels

# Groups of one slice in one thread, from which on the generic variant shares them. To merge tables
# of a million groups at every window's end took longer than to fill them: YSB with 1 M keys on two
# threads cost 50 to 65 ns of CPU a row with tables of their own, 27 to 34 with shared ones, and
# 18 to 22 on one thread, on a busy machine. Where sharing begins to pay was not searched for.
MANY_GROUPS = 1 << 17
_AT_FIRST = 4  # times the groups of one thread, for the first shared table
_SHARING = replace(GENERIC, hints=(*GENERIC.hints, ShareGroups()))


class FixedVariant:
    """Asks a policy before each morsel, and profiles nothing.

    Kernels add up what they see; it is taken from them when another variant runs. Where
    the policy bets on nothing and several `threads` may share groups, they share very many.
    """

    def __init__(self, policy: Policy, threads: int = 1) -> None:
        self._policy = policy
        self._is_constant = type(policy) is Fixed
        self._dictionaries = KeyDictionaries()
        self._uses = Uses()
        self._waiting: dict[int, DeoptManager] = {}  # by worker
        self._rows = 0
        self._shares = False
        self._decide()
        self._may_share = threads > 1 and self._is_constant and self._spec == GENERIC

    def begin(self, kernels: DeoptManager, bound: BoundBatch, first: int, last: int) -> VariantSpec:
        """The policy's variant, compiled now if it is new."""
        if not self._is_constant:
            self._decide()
        spec = self._sharing(kernels) if self._may_share else self._spec
        running = kernels.running
        if running is None or running[0] is not spec or running[1] is not bound.layout:
            self.settle(kernels)
            kernels.running = spec, bound.layout
        kernels.begin(bound, first, last, self._dictionaries)
        self._rows += last - first
        return spec

    def end(self, worker: int, kernels: DeoptManager, spec: VariantSpec) -> None:
        """Remember whose counts wait."""
        known = self._waiting.get(worker)
        if known is not kernels:
            if known is not None:
                self.settle(known)
            self._waiting[worker] = kernels

    def settle(self, kernels: DeoptManager) -> None:
        """Count what kernels have seen so far."""
        seen = kernels.take()
        if seen.rows and kernels.running is not None:
            self._uses.add(*kernels.running, self._decided.reason, seen)

    def leave(self, kernels: DeoptManager) -> None:
        """The kernels are not used for now, and not held on to."""
        self.settle(kernels)
        self._waiting = {n: known for n, known in self._waiting.items() if known is not kernels}

    @property
    def history(self) -> History:
        """The variants that ran."""
        return History(self._uses.all([*self._waiting.values()], self._decided.reason))

    def _sharing(self, kernels: DeoptManager) -> VariantSpec:
        """The generic variant over groups that a thread has for itself, or over shared ones."""
        states = cast("GroupKernels", kernels).states
        if self._shares:
            self._shares = states.expected_shared >= MANY_GROUPS // 2
        elif states.generic.current.groups >= MANY_GROUPS and states.shares_cheaply:
            states.expect_shared(_AT_FIRST * states.generic.current.groups)
            self._shares = True
        return _SHARING if self._shares else self._spec

    def _decide(self) -> None:
        self._decided = self._policy.decide(Profile(self._rows))
        decided = self._decided
        self._spec = decided.spec if isinstance(decided, Specialize) else GENERIC
