"""The adaptive loop at work: threads ask it before each morsel and tell it what they saw.

Controllers and policies only decide. Here are the threads, the compiler and the clock.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from dataclasses import dataclass
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
from adaptive.loop.history import History, SwapRecord
from adaptive.loop.learned import Learned
from adaptive.runtime.alarm import Alarm
from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.deopt import DeoptManager
from adaptive.runtime.fixed_variant import FixedVariant
from adaptive.runtime.journal import JOURNAL
from adaptive.runtime.kernels import VARIANTS, code_spec
from adaptive.runtime.key_dictionary import KeyDictionaries
from adaptive.runtime.meter import Meter, lost_signals
from adaptive.runtime.probes import PROBES
from adaptive.runtime.sampling import SAMPLE_EVERY, Codes, Sampler
from adaptive.runtime.uses import Uses
from codegen_llvm import CompiledVariant, InputLayout, Program, SlotLayout, can_be_dense
from ir import GENERIC, INSTRUMENTED, CountWindow, SessionWindow, Tier, VariantSpec
from ir.pipelines import ProjectionProgram
from policies import Fixed, Policy, default_policy, likely_next
from profiler import DriftMonitor
from profiler.profile import Observation

logger = logging.getLogger(__name__)

_ENOUGH_SAMPLED = 16_384  # rows of a profile: those of 4 M rows at one in 256
_URGENT_EVERY = 64  # rows, of which one is sampled where something has changed: those of 1 M rows
_LEAST_ROWS = 65_536  # what is reported at once: small morsels are added up first
# What is reported at once where morsels are as usual. A report takes some 100 us where kernels
# have filled the caches, 9 per cent of a million rows.
_CALM_ROWS = 16 << 20
_WAITING_ROWS = 4 << 20  # the same while a variant is compiled: what comes says nothing new
# Morsels that are reported together while baselines are learned: one by one, the 40 reports behind
# each trial cost 70 us each, where a morsel of a million rows takes a millisecond.
_UNHURRIED_MORSELS = 4
_USUAL_TIME = 0.25  # how far the time of a row may be off; it wanders on shared machines
_USUAL_SHARE = 0.12  # the same of the rows that pass
_MOST_LAYOUTS = 8  # ways in which batches lie in memory that are news when they first come
_MOST_RECORDS = 10_000  # swaps that a history keeps, the latest


class Adaptation(Protocol):
    """Who says which variant the threads of a pipeline run."""

    def begin(self, kernels: DeoptManager, bound: BoundBatch, first: int, last: int) -> VariantSpec:
        """Take rows of a batch with the variant that is active now."""

    def end(self, worker: int, kernels: DeoptManager, spec: VariantSpec) -> None:
        """A thread has run that variant over a morsel."""

    def leave(self, kernels: DeoptManager) -> None:
        """The kernels are not used for now, and not held on to."""

    @property
    def history(self) -> History:
        """What has been done so far."""


@dataclass(frozen=True)
class _Small:
    """What kernels that are not used any more saw of few rows."""

    spec: VariantSpec
    seen: Observation


class AdaptiveLoop:
    """Profiles, speculates, judges and takes back, for the threads of one pipeline.

    `active` is read without a lock: a swap is one store, and nobody waits for it. Events
    are handled by whoever finds that nobody else does.
    """

    def __init__(
        self,
        program: Program,
        policy: Policy | None = None,
        threads: int = 1,
        sibling: SiblingLearned | None = None,
    ) -> None:
        # Of a program that only writes rows, bets are on which of them pass.
        self._sampled = program.filtering if isinstance(program, ProjectionProgram) else program
        chosen = default_policy(self._sampled) if policy is None else policy
        self._looks_ahead = policy is None  # what another one bets on next is not known
        self._program, self._threads = program, threads
        self._dictionaries = KeyDictionaries()
        self._controller = Controller(chosen, DriftMonitor())
        self._inbox: deque[tuple[int, Event]] = deque()
        self._token = threading.Lock()  # of the one who handles events; nobody waits for it
        self._uses = Uses()
        self._swaps: deque[SwapRecord] = deque(maxlen=_MOST_RECORDS)
        self._events: deque[str] = deque(maxlen=_MOST_RECORDS)
        self._waiting: dict[int, DeoptManager] = {}  # by worker: what they saw is not all reported
        self._small: _Small | None = None
        self._kernels: DeoptManager | None = None
        self._layout: InputLayout | None = None
        self._layouts: set[InputLayout] = set()
        # Compiled beside the loop.
        self._wanted: set[tuple[VariantSpec, InputLayout, SlotLayout | None]] = set()
        self._sampler: Sampler | None = None
        self._sampled_beside = INSTRUMENTED  # what runs while rows are sampled
        self._calm = self._waits = self._unhurried = False
        self._alarm = Alarm()
        self._level = (0.0, 0.0)  # of what was reported last: time of a row, share that passed
        self._rows = 0
        self._sibling = sibling  # until there is a batch to compile for
        self.active = Swap(GENERIC, "nothing is known yet", "start")

    @property
    def history(self) -> History:
        """The variants that ran, and all swaps but those from turn to turn of a trial."""
        uses = self._uses.all([*self._waiting.values()], self.active.reason)
        return History(uses, list(self._swaps), list(self._events))

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
        spec = self.active.spec
        sampled = spec.tier is Tier.INSTRUMENTED
        if sampled:
            spec = self._sampled_beside
        if spec.tier is not Tier.GENERIC and not kernels.is_ready(spec, bound.layout):
            self._compile_beside(spec, bound.layout)
            spec = GENERIC
        running = kernels.running
        if running is None or running[0] is not spec or running[1] is not bound.layout:
            self._settle(kernels)
            kernels.running = spec, bound.layout
        kernels.large += last - first >= _LEAST_ROWS
        kernels.begin(bound, first, last, self._dictionaries)
        if sampled and self._sampler is not None:
            self._sample(self._sampler, kernels, bound, first, last)
        return spec

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
        if self._waiting.get(worker) is not kernels:
            self._wait_for(worker, kernels)
        if not self._calm or self._alarm.rings:
            if self._is_due(kernels):
                self._alarm.reported()
                self._report(kernels)
            return
        if self._is_alarming(kernels):
            if kernels.marked.rows:
                self._tell_of(kernels, kernels.take_marked())
            self._report(kernels)
        elif kernels.rows >= _CALM_ROWS:
            self._report(kernels)
        elif not kernels.is_odd:
            kernels.mark()

    def _is_due(self, kernels: DeoptManager) -> bool:
        """Whether what kernels saw is to be reported, where that is not known to be usual."""
        rows = kernels.rows
        if self._waits or rows < _LEAST_ROWS:
            return rows >= _WAITING_ROWS
        if not self._unhurried or self._alarm.rings or kernels.guard_exits:
            return True
        return kernels.large >= _UNHURRIED_MORSELS or rows >= _WAITING_ROWS

    def leave(self, kernels: DeoptManager) -> None:
        """The kernels are not used for now, and not held on to."""
        self._settle(kernels)
        self._waiting = {n: known for n, known in self._waiting.items() if known is not kernels}

    def _wait_for(self, worker: int, kernels: DeoptManager) -> None:
        """Another worker, or other kernels of one."""
        if worker in self._waiting:
            self._settle(self._waiting[worker])
        kernels.worker = worker
        self._waiting[worker] = kernels

    def _is_alarming(self, kernels: DeoptManager) -> bool:
        """Whether the last morsel was so unusual that the loop should look at once."""
        if self._is_usual(kernels):
            self._alarm.usual()
            return False
        return kernels.guard_exits > 0 or self._alarm.raised()

    def _is_usual(self, kernels: DeoptManager) -> bool:
        """Whether what came behind the mark is like what was reported last.

        One morsel that takes another time is waited for, on a shared machine it says little.
        """
        rows, elapsed_ns, passed = kernels.since_mark()
        if kernels.guard_exits or not rows:
            return False
        ns, share = self._level
        usual_ns, usual_rows = ns * rows, share * rows
        if abs(passed - usual_rows) > _USUAL_SHARE * usual_rows:
            return False
        was_odd = kernels.is_odd
        kernels.is_odd = abs(elapsed_ns - usual_ns) > _USUAL_TIME * usual_ns
        return not (was_odd and kernels.is_odd)

    def _settle(self, kernels: DeoptManager) -> None:
        """Report what kernels saw so far; of few rows, with the next ones."""
        if kernels.running is None or not kernels.rows:
            return
        if kernels.rows >= _LEAST_ROWS:
            self._report(kernels)
            return
        spec, layout = kernels.running
        seen, small = kernels.take(), self._small
        self._uses.add(spec, layout, self.active.reason, seen)
        if small is not None and small.spec == spec:
            seen = small.seen.plus(seen)
        self._small = _Small(spec, seen)
        if seen.rows >= _LEAST_ROWS:
            self._small = None
            self._tell(kernels.worker, MorselDone(spec, seen, kernels.worker, 1))

    def _report(self, kernels: DeoptManager) -> None:
        seen = kernels.take()
        self._level = (seen.ns_per_row, seen.selectivity)
        self._tell_of(kernels, seen)

    def _tell_of(self, kernels: DeoptManager, seen: Observation) -> None:
        assert kernels.running is not None
        spec, layout = kernels.running
        self._uses.add(spec, layout, self.active.reason, seen)
        if seen.counters:
            self._events.extend(lost_signals())
        if self._sibling is not None:
            sibling, self._sibling = self._sibling, None
            self._tell(kernels.worker, sibling)
        waits = int(kernels.rows >= _LEAST_ROWS)  # the morsel behind the mark
        morsels, kernels.large = max(1, kernels.large - waits), waits
        self._tell(kernels.worker, MorselDone(spec, seen, kernels.worker, morsels))

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
        state = self._controller.state
        self._calm, self._waits, self._unhurried = state.calm, state.waits, state.unhurried

    def _do(self, worker: int, action: Action) -> None:
        match action:
            case Swap():
                self._swap(worker, action)
            case Compile(spec):
                self._compile(worker, spec)

    def _swap(self, worker: int, swap: Swap) -> None:
        if swap.spec == INSTRUMENTED:
            every = SAMPLE_EVERY if swap.signal == "rows" else _URGENT_EVERY
            self._sampler = Sampler(self._sampled, every)
            # Probes run beside any kernel: a bet that holds need not stop for a profile.
            running = self.active.spec
            self._sampled_beside = running if running.tier is Tier.SPECULATIVE else INSTRUMENTED
        self.active = swap
        if swap.signal != "trial":
            self._alarm.answered()
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
            PROBES.request(self._sampled, self._layout, lambda why: self._probed(worker, why))
            return
        kernels = self._kernels
        slots = kernels.slots_of(spec, self._layout)

        def prepare() -> None:
            profile = self._controller.state.profile
            kernels.make_ready(spec, layout, 0 if profile is None else profile.groups)
            JOURNAL.prepare()

        def done(variant: CompiledVariant | None, why: str) -> None:
            try:
                if variant is not None:
                    prepare()
            except Exception as error:  # a loop that is told nothing would wait for ever
                logger.exception("a variant was not prepared")
                variant, why = None, str(error) or type(error).__name__
            if variant is None:
                self._events.append(f"not compiled: {why}")
                self._tell(worker, CompileFailed(spec, why))
                return
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
        assert self._kernels is not None
        slots = self._kernels.slots_of(spec, layout)
        if (spec, layout, slots) in self._wanted:
            return
        self._wanted.add((spec, layout, slots))

        def done(variant: CompiledVariant | None, why: str) -> None:
            if variant is None:
                self._events.append(f"not compiled: {why}")

        VARIANTS.request(self._program, layout, slots, code_spec(spec), done)

    def _sample(
        self, sampler: Sampler, kernels: DeoptManager, bound: BoundBatch, first: int, last: int
    ) -> None:
        """Run the probe over some rows, until there are enough for a profile."""
        probe = PROBES.ready(self._sampled, bound.layout)
        if probe is None:
            PROBES.request(self._sampled, bound.layout, lambda why: None)
            return
        kernels.meter.start()
        sampler.add(probe, bound, first, last, self._codes(bound))
        kernels.meter.stop()
        if sampler.rows >= _ENOUGH_SAMPLED or sampler.is_full:
            self._sampler = None
            VARIANTS.later(lambda: self._summarise(sampler))

    def _codes(self, bound: BoundBatch) -> Codes | None:
        """The codes that arrays of groups would have strings by."""
        if not can_be_dense(self._sampled, bound.layout):
            return None
        return self._dictionaries.codes(self._sampled, bound)

    def _summarise(self, sampler: Sampler) -> None:
        profile = sampler.profile(self._threads)
        sampler.release()
        self._tell(0, Profiled(profile))


def adaptation(
    program: Program,
    policy: Policy | None,
    threads: int = 1,
    sibling: SiblingLearned | None = None,
) -> FixedVariant | AdaptiveLoop:
    """The loop for a policy; None is the one that a program gets by itself."""
    if isinstance(policy, Fixed):
        return FixedVariant(policy, threads if _has_groups(program) else 1)
    return AdaptiveLoop(program, policy, threads, sibling)


def _has_groups(program: Program) -> bool:
    """Whether threads could add to the same groups, in any order of rows."""
    if isinstance(program, ProjectionProgram):
        return False
    return not isinstance(program.window, SessionWindow | CountWindow)
