"""The adaptive loop at work: threads ask it before each morsel and tell it what they saw.

Controllers and policies only decide. Here are the threads, the compiler and the clock.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Protocol

from adaptive.loop.controller import Controller
from adaptive.loop.events import (
    Action,
    Compile,
    Compiled,
    CompileFailed,
    Event,
    LayoutChanged,
    MorselDone,
    Profiled,
    SiblingLearned,
    Swap,
)
from adaptive.loop.history import History, SwapRecord, VariantUse
from adaptive.loop.learned import Learned
from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.combine import prepare_combine
from adaptive.runtime.deopt import DeoptManager
from adaptive.runtime.kernels import VARIANTS
from adaptive.runtime.key_dictionary import KeyDictionaries
from adaptive.runtime.meter import Meter, lost_signals
from adaptive.runtime.probes import PROBES
from adaptive.runtime.sampling import SAMPLE_EVERY, Codes, Sampler
from adaptive.runtime.states import code_spec
from codegen_llvm import CompiledVariant, InputLayout, can_be_dense
from ir import GENERIC, INSTRUMENTED, Tier, VariantSpec
from ir.pipelines import RowProgram
from policies import Fixed, Policy, Specialize, default_policy, likely_next
from profiler import DriftMonitor
from profiler.profile import Observation, Profile

_ENOUGH_SAMPLED = 16_384  # rows of a profile: those of 4 M rows at one in 256
_URGENT_EVERY = 64  # rows, of which one is sampled where something has changed: those of 1 M rows
_LEAST_ROWS = 65_536  # what is reported at once: small morsels are added up first
# What is reported at once where morsels are as usual. A report takes some 100 us where kernels
# have filled the caches, 7 per cent of a million rows.
_CALM_ROWS = 4 << 20
_USUAL = 0.12  # how far the time of a row, or the share that passes, may be off
_MOST_LAYOUTS = 8  # ways in which batches lie in memory that are news when they first come
_MOST_RECENT = 64  # variants whose counts are found by identity
_MOST_RECORDS = 10_000  # swaps that a history keeps, the latest


class Adaptation(Protocol):
    """Who says which variant the threads of a pipeline run."""

    def begin(self, kernels: DeoptManager, bound: BoundBatch, first: int, last: int) -> VariantSpec:
        """Take rows of a batch with the variant that is active now."""

    def end(self, worker: int, kernels: DeoptManager, spec: VariantSpec) -> None:
        """A thread has run that variant over a morsel."""

    @property
    def history(self) -> History:
        """What has been done so far."""


class _Use:
    """How a variant has done, found by identity; hashing a spec takes as long as a small morsel."""

    __slots__ = ("elapsed_ns", "guard_exits", "layout", "reason", "rows", "spec")

    def __init__(self, spec: VariantSpec, layout: InputLayout, reason: str) -> None:
        self.spec, self.layout, self.reason = spec, layout, reason
        self.rows = self.elapsed_ns = self.guard_exits = 0

    def told(self) -> VariantUse:
        """The same as part of a history."""
        counts = (self.rows, self.elapsed_ns, self.guard_exits)
        return VariantUse(self.spec, self.layout, self.reason, *counts)


class _Uses:
    """How the variants of a pipeline have done."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._recent: dict[tuple[int, int], _Use] = {}
        self._all: dict[tuple[VariantSpec, InputLayout], VariantUse] = {}

    def add(self, spec: VariantSpec, layout: InputLayout, reason: str, seen: Observation) -> None:
        with self._lock:
            use = self._recent.get((id(spec), id(layout)))
            if use is None:
                if len(self._recent) >= _MOST_RECENT:
                    self._gather()
                use = self._recent[id(spec), id(layout)] = _Use(spec, layout, reason)
            use.rows += seen.rows
            use.elapsed_ns += seen.elapsed_ns
            use.guard_exits += seen.guard_exits

    def all(self) -> list[VariantUse]:
        with self._lock:
            self._gather()
            return list(self._all.values())

    def _gather(self) -> None:
        """Put the same variants together, by their value."""
        for use in self._recent.values():
            key = (use.spec, use.layout)
            known = self._all.get(key)
            self._all[key] = use.told() if known is None else known.plus(use.told())
        self._recent.clear()


class FixedVariant:
    """Asks a policy before each morsel, and profiles nothing: the baseline."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._dictionaries = KeyDictionaries()
        self._uses = _Uses()
        self._rows = 0
        self._decide()

    def begin(self, kernels: DeoptManager, bound: BoundBatch, first: int, last: int) -> VariantSpec:
        """The policy's variant, compiled now if it is new."""
        kernels.begin(bound, first, last, self._dictionaries)
        if type(self._policy) is not Fixed:
            self._decide()
        return self._spec

    def _decide(self) -> None:
        self._decided = self._policy.decide(Profile(self._rows))
        decided = self._decided
        self._spec = decided.spec if isinstance(decided, Specialize) else GENERIC

    def end(self, worker: int, kernels: DeoptManager, spec: VariantSpec) -> None:
        """Count what was done."""
        seen = kernels.take()
        self._rows += seen.rows
        self._uses.add(spec, kernels.layout, self._decided.reason, seen)

    @property
    def history(self) -> History:
        """The variants that ran."""
        return History(self._uses.all())


_NOTHING = Observation(0)


class _Pending:
    """What a thread has seen and not reported yet."""

    def __init__(self) -> None:
        self.spec = GENERIC
        self.layout: InputLayout | None = None
        self.seen = _NOTHING
        self.large = 0  # morsels among it
        self.uncounted = _NOTHING  # what no history has

    def add(self, spec: VariantSpec, layout: InputLayout, seen: Observation) -> None:
        """Another morsel of the same variant."""
        self.spec, self.layout = spec, layout
        self.seen = self.seen.plus(seen) if self.seen.rows else seen
        self.large += seen.rows >= _LEAST_ROWS
        self.uncounted = self.uncounted.plus(seen) if self.uncounted.rows else seen


class AdaptiveLoop:
    """Profiles, speculates, judges and takes back, for the threads of one pipeline.

    `active` is read without a lock: a swap is one store, and nobody waits for it. Events
    are handled by whoever finds that nobody else does.
    """

    def __init__(
        self,
        program: RowProgram,
        policy: Policy | None = None,
        threads: int = 1,
        sibling: SiblingLearned | None = None,
    ) -> None:
        chosen = default_policy(program) if policy is None else policy
        self._looks_ahead = policy is None  # what another one bets on next is not known
        self._program, self._threads = program, threads
        self._dictionaries = KeyDictionaries()
        self._controller = Controller(chosen, DriftMonitor())
        self._inbox: deque[tuple[int, Event]] = deque()
        self._token = threading.Lock()  # of the one who handles events; nobody waits for it
        self._uses = _Uses()
        self._swaps: deque[SwapRecord] = deque(maxlen=_MOST_RECORDS)
        self._events: deque[str] = deque(maxlen=_MOST_RECORDS)
        self._pending: dict[int, _Pending] = {}
        self._kernels: DeoptManager | None = None
        self._layout: InputLayout | None = None
        self._layouts: set[InputLayout] = set()
        self._wanted: set[tuple[VariantSpec, InputLayout]] = set()  # compiled beside the loop
        self._sampler: Sampler | None = None
        self._sampled_beside = INSTRUMENTED  # what runs while rows are sampled
        self._calm = False
        self._level = (0.0, 0.0)  # of what was reported last: time of a row, share that passed
        self._rows = 0
        self._sibling = sibling  # until there is a batch to compile for
        self.active = Swap(GENERIC, "nothing is known yet", "start")

    @property
    def history(self) -> History:
        """The variants that ran, and all swaps but those from turn to turn of a trial."""
        for pending in list(self._pending.values()):
            self._count(pending)
        return History(self._uses.all(), list(self._swaps), list(self._events))

    @property
    def learned(self) -> Learned:
        """What another loop of the program can start from."""
        with self._token:
            found = self._controller.state.learned
        self._handle_all()
        return found

    def begin(self, kernels: DeoptManager, bound: BoundBatch, first: int, last: int) -> VariantSpec:
        """The active variant, or the generic one where the active is not compiled yet."""
        if not isinstance(kernels.meter, Meter):
            kernels.meter = Meter()
        if bound.layout is not self._layout:
            self._see(bound.layout)
        self._kernels = kernels
        kernels.begin(bound, first, last, self._dictionaries)
        spec = self.active.spec
        if spec.tier is Tier.INSTRUMENTED:
            self._sample(kernels, bound, first, last)
            spec = self._sampled_beside
        if spec.tier is Tier.GENERIC or kernels.is_ready(spec, bound.layout):
            return spec
        self._compile_beside(spec, bound.layout)
        return GENERIC

    def _see(self, layout: InputLayout) -> None:
        """A batch lies in memory in another way than the one before; only new ways are news."""
        self._layout = layout
        if layout in self._layouts or len(self._layouts) >= _MOST_LAYOUTS:
            return
        self._layouts.add(layout)
        if len(self._layouts) > 1:
            self._tell(0, LayoutChanged(layout.describe()))

    def end(self, worker: int, kernels: DeoptManager, spec: VariantSpec) -> None:
        """Report what a thread saw, once that is worth it."""
        seen, layout = kernels.take(), kernels.layout
        pending = self._pending.get(worker)
        if pending is None:
            pending = self._pending[worker] = _Pending()
        other = pending.spec is not spec or pending.layout is not layout
        enough = _CALM_ROWS if self._calm and self._is_usual(seen) else _LEAST_ROWS
        if pending.seen.rows and (other or pending.seen.rows >= enough):
            self._report(worker, pending)
        pending.add(spec, layout, seen)
        if pending.seen.rows >= enough:
            self._report(worker, pending)

    def _is_usual(self, seen: Observation) -> bool:
        """Whether a morsel is like the last that were reported."""
        if seen.guard_exits or not seen.rows:
            return False
        ns, share = self._level
        off = abs(seen.ns_per_row - ns), abs(seen.selectivity - share)
        return off[0] <= _USUAL * ns and off[1] <= _USUAL * share

    def _report(self, worker: int, pending: _Pending) -> None:
        self._count(pending)
        seen, pending.seen = pending.seen, _NOTHING
        morsels, pending.large = max(1, pending.large), 0
        self._level = (seen.ns_per_row, seen.selectivity)
        if seen.counters:
            self._events.extend(lost_signals())
        if self._sibling is not None:
            sibling, self._sibling = self._sibling, None
            self._tell(worker, sibling)
        self._tell(worker, MorselDone(pending.spec, seen, worker, morsels))

    def _count(self, pending: _Pending) -> None:
        """Put what a thread has seen into the history."""
        seen, pending.uncounted = pending.uncounted, _NOTHING
        if seen.rows:
            assert pending.layout is not None
            self._uses.add(pending.spec, pending.layout, self.active.reason, seen)

    def _tell(self, worker: int, event: Event) -> None:
        """Leave an event, and handle all there are unless somebody does."""
        self._inbox.append((worker, event))
        self._handle_all()

    def _handle_all(self) -> None:
        while self._inbox and self._token.acquire(blocking=False):
            try:
                while self._inbox:
                    self._handle(*self._inbox.popleft())
            finally:
                self._token.release()

    def _handle(self, worker: int, event: Event) -> None:
        if isinstance(event, MorselDone):
            self._rows += event.seen.rows
        for action in self._controller.on(event):
            self._do(worker, action)
        self._calm = self._controller.state.calm

    def _do(self, worker: int, action: Action) -> None:
        match action:
            case Swap():
                self._swap(worker, action)
            case Compile(spec):
                self._compile(worker, spec)

    def _swap(self, worker: int, swap: Swap) -> None:
        if swap.spec == INSTRUMENTED:
            every = SAMPLE_EVERY if swap.signal == "rows" else _URGENT_EVERY
            self._sampler = Sampler(self._program, every)
            # Probes run beside any kernel: a bet that holds need not stop for a profile.
            running = self.active.spec
            self._sampled_beside = running if running.tier is Tier.SPECULATIVE else INSTRUMENTED
        self.active = swap
        if swap.signal != "trial":
            record = SwapRecord(
                self._rows,
                worker,
                swap.spec,
                swap.reason,
                swap.signal,
                swap.before_ns,
                swap.after_ns,
            )
            self._swaps.append(record)

    def _compile(self, worker: int, spec: VariantSpec) -> None:
        """Ask for a variant for batches like the last one."""
        assert self._kernels is not None
        assert self._layout is not None

        if spec == INSTRUMENTED:
            PROBES.request(self._program, self._layout, lambda why: self._probed(worker, why))
            return
        kernels = self._kernels
        slots, generic = kernels.states.layout_of(spec, self._layout), kernels.states.generic.layout

        def done(variant: CompiledVariant | None, why: str) -> None:
            if variant is None:
                self._events.append(f"not compiled: {why}")
                self._tell(worker, CompileFailed(spec, why))
                return
            if slots != generic:
                # Slices end with groups of both forms: 70 ms of compilation in one push, once.
                merged = kernels.slices_are_keys
                prepare_combine(self._program, (slots, generic), slice_is_key=merged)
            self._tell(worker, Compiled(spec, variant.compile_ns))
            for later in likely_next(spec) if self._looks_ahead else ():
                self._compile_beside(later, layout)

        layout = self._layout
        VARIANTS.request(self._program, layout, slots, code_spec(spec), done)

    def _probed(self, worker: int, why: str) -> None:
        if why:
            self._tell(worker, CompileFailed(INSTRUMENTED, why))
        else:
            self._tell(worker, Compiled(INSTRUMENTED, 0))

    def _compile_beside(self, spec: VariantSpec, layout: InputLayout) -> None:
        """For batches that lie in memory in another way, or for a bet that may be made later."""
        if (spec, layout) in self._wanted:
            return
        self._wanted.add((spec, layout))
        assert self._kernels is not None
        slots = self._kernels.states.layout_of(spec, layout)

        def done(variant: CompiledVariant | None, why: str) -> None:
            if variant is None:
                self._events.append(f"not compiled: {why}")

        VARIANTS.request(self._program, layout, slots, code_spec(spec), done)

    def _sample(self, kernels: DeoptManager, bound: BoundBatch, first: int, last: int) -> None:
        """Run the probe over some rows, until there are enough for a profile."""
        sampler = self._sampler
        probe = PROBES.ready(self._program, bound.layout)
        if sampler is None:
            return
        if probe is None:
            PROBES.request(self._program, bound.layout, lambda why: None)
            return
        kernels.meter.start()
        sampler.add(probe, bound, first, last, self._codes(bound))
        kernels.meter.stop()
        if sampler.rows >= _ENOUGH_SAMPLED or sampler.is_full:
            self._sampler = None
            VARIANTS.later(lambda: self._summarise(sampler))

    def _codes(self, bound: BoundBatch) -> Codes | None:
        """The codes that arrays of groups would have strings by."""
        if not can_be_dense(self._program, bound.layout):
            return None
        return self._dictionaries.codes(self._program, bound)

    def _summarise(self, sampler: Sampler) -> None:
        profile = sampler.profile(self._threads)
        sampler.release()
        self._tell(0, Profiled(profile))


def adaptation(
    program: RowProgram,
    policy: Policy | None,
    threads: int = 1,
    sibling: SiblingLearned | None = None,
) -> FixedVariant | AdaptiveLoop:
    """The loop for a policy; None is the one that a program gets by itself."""
    if isinstance(policy, Fixed):
        return FixedVariant(policy)
    return AdaptiveLoop(program, policy, threads, sibling)
