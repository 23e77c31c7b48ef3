"""The controller: a state machine from events to actions, without clock, thread or compiler.

Generic, then instrumented for a profile, then a trial of what the policy bets on, then
the winner, watched for drift and failing guards, either of which leads to another profile.
"""

from __future__ import annotations

from dataclasses import replace

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
from adaptive.loop.guards import RecentExits
from adaptive.loop.inheritance import proposal
from adaptive.loop.monitor import OF_DATA, Change, Monitor
from adaptive.loop.phases import NEVER, Awaiting, LoopState, Profiling, Watching
from adaptive.loop.proof import Proof
from adaptive.loop.race import Arm, Race
from adaptive.loop.record import title
from adaptive.loop.renewal import Renewal
from adaptive.loop.settings import LoopSettings
from ir import GENERIC, INSTRUMENTED, Tier, VariantSpec
from policies import Generalize, Keep, Policy, Specialize
from profiler.profile import Profile


class Controller:
    """Decides from what happens which variant runs next; the caller does what it says.

    Events come one at a time, in whatever order threads report. A variant is swapped in only
    after it was compiled; GENERIC can always run.
    """

    def __init__(
        self, policy: Policy, monitor: Monitor, settings: LoopSettings | None = None
    ) -> None:
        self._policy = policy
        self._monitor = monitor
        self._settings = settings or LoopSettings()
        self.state = LoopState.start(self._settings)

    def on(self, event: Event) -> tuple[Action, ...]:
        """What is to be done because of this event."""
        match event:
            case MorselDone():
                return self._on_morsel(event)
            case Profiled(profile):
                return self._on_profiled(profile)
            case Compiled(spec):
                return self._on_compiled(spec)
            case CompileFailed(spec, reason):
                return self._on_compile_failed(spec, reason)
            case LayoutChanged(layout):
                return self._on_layout(layout)
            case SiblingLearned():
                return self._on_sibling(event)

    def _on_morsel(self, event: MorselDone) -> tuple[Action, ...]:
        state = self.state
        state.rows += event.seen.rows
        state.morsels += event.morsels
        if state.outgrown is not None:
            state.outgrown.add(event)
        phase = state.phase
        if isinstance(phase, Watching):
            return self._watch(phase, event)
        if isinstance(phase, Race):
            return self._judge(phase) if phase.add(event) else self._take_turns(phase)
        if isinstance(phase, Profiling) and state.rows >= phase.until_rows:
            return self._give_up_profile(phase)
        return ()

    def _on_layout(self, layout: str) -> tuple[Action, ...]:
        """The running variant has no code for such batches yet, and other bets may pay now."""
        state = self.state
        if not isinstance(state.phase, Watching) or state.blind or not state.profiled_at:
            return ()
        if state.settled:
            state.record.held(state.running)
        state.record.renew()
        return self._profile("layout", f"batches are {layout} from now on")

    def _on_sibling(self, event: SiblingLearned) -> tuple[Action, ...]:
        """Start with the variant that a sibling has chosen, or with the bet on what it saw."""
        state, known = self.state, event.learned
        if state.trials or not isinstance(state.phase, Watching):
            return ()  # this loop knows better
        state.record.take_over(known.failed, state.rows, state.unit)
        state.won.update(known.won)
        spec, why = proposal(event, self._policy)
        if spec == GENERIC or state.record.allowed(spec, state.rows) != spec:
            return ()
        state.inherited = spec
        return self._try(spec, why, "sibling")

    # Watching

    def _watch(self, phase: Watching, event: MorselDone) -> tuple[Action, ...]:
        state = self.state
        if event.spec is not state.running and event.spec != state.running:
            return ()  # a thread has ended what it began before the swap
        phase.reports += 1
        if phase.exits.add(event.seen, event.morsels):
            return self._deoptimise(phase.exits, event)
        proof = phase.proof
        if proof is not None:
            if proof.fails(event.seen):
                return self._disprove(proof)
            phase.proof = None if proof.over else proof
        if state.rows >= phase.profile_at_rows or state.morsels >= phase.profile_at_morsels:
            return self._profile("rows", f"{state.rows} rows done")
        if event.seen.guard_exits:
            return ()  # its time is partly that of the generic variant
        change = self._monitor.add(event.seen)
        return () if change is None else self._on_drift(change)

    def _deoptimise(self, exits: RecentExits, event: MorselDone) -> tuple[Action, ...]:
        """Guards fail too often: generic at once, and a profile, if the bet held for long."""
        state, spec = self.state, self.state.running
        reason = f"guards of {title(spec)} fail in {exits.share:.0%} of what it runs"
        again: int | None = state.rows
        settled = state.settled
        if settled:
            state.record.held(spec)
            state.outgrown = Renewal(spec)
            state.outgrown.add(event)
        else:
            again = state.record.refuted(spec, state.rows, state.unit)
            reason = f"{reason}; {state.record.says(spec)}"
        state.won.pop(spec, None)
        self._choose(GENERIC, again)
        swap = self._swap(GENERIC, reason, "guard exits")
        if not settled or state.blind:
            return (swap,)
        return (swap, *self._profile("guard exits", f"guards of {title(spec)} fail"))

    def _disprove(self, proof: Proof) -> tuple[Action, ...]:
        """The winner of a trial is no faster than generic was: undone, and counted as lost."""
        state, spec = self.state, self.state.running
        if spec == state.untried:
            return self._race(spec, "it is no faster than generic was", "ns/row")
        reason = f"{title(spec)} does not keep what its trial promised"
        again: int | None = state.rows
        if state.settled:  # it did for long: the data have changed
            state.record.held(spec)
        else:
            again = state.record.lost(spec, state.rows, state.unit)
            reason = f"{reason}; {state.record.says(spec)}"
            state.fruitless += 1
        state.won.pop(spec, None)
        self._choose(GENERIC, again)
        swap = self._swap(GENERIC, reason, "ns/row", proof.generic_ns, proof.ns_per_row)
        return (swap,)

    def _on_drift(self, change: Change) -> tuple[Action, ...]:
        """Profile again, or, if that was done lately, ask only whether the variant still pays."""
        state = self.state
        self._monitor.reset()
        reason = f"{change.signal} from {change.before:.3g} to {change.after:.3g}"
        if state.settled:
            state.record.held(state.running)
        weak = self._is_weak(change)
        waits = state.patience * (self._settings.idle_units if weak else 1)
        # A profile that was made because it was time for one does not keep from another now.
        since = state.profiled_at if weak else state.alarmed_at
        if not state.blind and state.rows - since >= waits:
            state.alarmed_at = state.rows
            return self._profile(change.signal, reason)
        fell = change.signal not in OF_DATA and change.after <= change.before
        if fell or state.running == GENERIC:
            if isinstance(state.phase, Watching) and not state.blind:
                due = state.profiled_at + waits
                state.phase.profile_at_rows = min(state.phase.profile_at_rows, due)
            return ()
        return self._try(self._known_winner(), reason, change.signal)

    def _is_weak(self, change: Change) -> bool:
        """Whether the machine may be the reason, and not the data: nothing is urgent then.

        On a shared virtual machine, times of the same work wander by a fifth for seconds.
        """
        if change.signal in OF_DATA:
            return False
        is_slower = change.after >= self._settings.clear_rise * change.before
        return change.signal != "ns/row" or not is_slower

    def _known_winner(self) -> VariantSpec:
        """The last other variant that has won a trial and may be tried, or generic."""
        state = self.state
        for spec in reversed(state.won):
            if spec != state.running and state.record.allowed(spec, state.rows) == spec:
                return spec
        return GENERIC

    # Profiling

    def _profile(self, signal: str, reason: str) -> tuple[Action, ...]:
        state = self.state
        state.profiled_at = state.rows
        ready = INSTRUMENTED in state.ready
        phase = state.phase
        reports = phase.reports if isinstance(phase, Watching) and signal == "rows" else 0
        state.phase = Profiling(signal, reason, ready, reports=reports)
        if not ready:
            return (Compile(INSTRUMENTED, f"to profile: {reason}"),)
        return self._start_profile(state.phase)

    def _start_profile(self, phase: Profiling) -> tuple[Action, ...]:
        state = self.state
        phase.started = True
        phase.until_rows = state.rows + self._settings.profile_units * state.unit
        return (self._swap(INSTRUMENTED, f"to profile: {phase.reason}", phase.signal),)

    def _give_up_profile(self, phase: Profiling) -> tuple[Action, ...]:
        rows = self.state.rows - self.state.profiled_at
        return self._rest(f"no profile in {rows} rows")

    def _on_profiled(self, profile: Profile) -> tuple[Action, ...]:
        state = self.state
        if not isinstance(state.phase, Profiling):
            return ()
        state.profile = profile
        state.record.groups = profile.groups
        decision = self._policy.decide(replace(profile, running=state.running))
        if isinstance(decision, Keep) and state.phase.signal == "rows":
            if state.running == state.untried:
                return self._race(state.running, decision.reason, "profile")
            return self._rest(decision.reason)
        if isinstance(decision, Generalize) and state.running != GENERIC:
            state.running, state.phase.reports = GENERIC, 0
        if not isinstance(decision, Specialize):
            return self._try(GENERIC, decision.reason, "profile")
        if decision.spec == state.running and state.phase.signal == "rows":
            return self._rest(f"nothing has changed: {decision.reason}")
        # What was not seen to fail goes on until the new variant is there.
        meanwhile = state.running if state.phase.signal == "rows" else GENERIC
        return self._try(decision.spec, decision.reason, "profile", meanwhile)

    # Trials

    def _try(
        self, spec: VariantSpec, reason: str, signal: str, until_then: VariantSpec = GENERIC
    ) -> tuple[Action, ...]:
        """Compile a variant, or race it against what runs and generic, or rest without any."""
        state = self.state
        candidate = state.record.allowed(spec, state.rows) if spec != state.running else spec
        if spec != GENERIC and candidate == GENERIC:
            reason = f"{title(spec)} must wait or has ended: {reason}"
        if candidate == GENERIC and state.running == GENERIC:
            return self._rest(reason)
        if candidate in state.ready:
            return self._race(candidate, reason, signal)
        known = self._known_reports() if until_then == state.running else 0
        state.phase = Awaiting(candidate, reason, known)
        meanwhile = f"while {title(candidate)} is compiled"
        return (self._swap(until_then, meanwhile, signal), Compile(candidate, reason))

    def _on_compiled(self, spec: VariantSpec) -> tuple[Action, ...]:
        state = self.state
        state.remember(spec)
        match state.phase:
            case Profiling(started=False) if spec == INSTRUMENTED:
                return self._start_profile(state.phase)
            case Awaiting(candidate, reason) if spec == candidate:
                signal = "sibling" if spec == state.inherited else "profile"
                return self._race(candidate, reason, signal)
        return ()

    def _on_compile_failed(self, spec: VariantSpec, reason: str) -> tuple[Action, ...]:
        """Without the instrumented variant, nothing is profiled; without another, less is bet."""
        state = self.state
        match state.phase:
            case Profiling(started=False) if spec == INSTRUMENTED:
                state.blind = True
                return self._rest(f"cannot profile: {reason}")
            case Awaiting(candidate) if spec == candidate == state.inherited:
                state.inherited = None
                self._choose(GENERIC, state.rows)
                return (self._swap(GENERIC, reason, "compile"),)
            case Awaiting(candidate, why) if spec == candidate:
                if spec.assumptions:
                    state.record.refuted(spec, state.rows, state.unit)
                    return self._try(spec, f"{why}, but {reason}", "compile")
                state.record.lost(spec, state.rows, state.unit)
                return self._try(GENERIC, reason, "compile")
        return ()

    def _race(self, candidate: VariantSpec, reason: str, signal: str) -> tuple[Action, ...]:
        state = self.state
        renewal, state.outgrown, state.untried = state.outgrown, None, None
        if renewal is not None and renewal.is_for(candidate):
            return self._renew(candidate, renewal, reason)
        specs = dict.fromkeys((GENERIC, state.running, candidate))
        if candidate in state.won:
            reason = f"it took {state.won[candidate]:.2f} of generic's time before; {reason}"
        arms = tuple(map(Arm, specs))
        known = self._known_reports()
        race = Race(self._settings, arms, state.running, reason, state.morsels, known)
        state.phase = race
        names = " and ".join(map(title, specs))
        return (self._swap(race.next(), f"trial of {names}: {reason}", signal),)

    def _renew(self, spec: VariantSpec, renewal: Renewal, reason: str) -> tuple[Action, ...]:
        """Run a variant at once, against what generic took since its forerunner ended."""
        self.state.untried = spec
        self._choose(spec, None, Proof(self._settings, renewal.generic_ns))
        reason = f"{title(renewal.outgrown)} held until its guards failed; {reason}"
        return (self._swap(spec, reason, "renewal", renewal.generic_ns),)

    def _take_turns(self, race: Race) -> tuple[Action, ...]:
        spec = race.next()
        if spec == self.state.current:
            return ()
        return (self._swap(spec, "trial", "trial"),)

    def _judge(self, race: Race) -> tuple[Action, ...]:
        """Keep the winner, and remember who failed."""
        state, winner = self.state, race.winner()
        changed = winner.spec != race.incumbent
        before = race.ns_of(race.incumbent)
        after = winner.median_ns if changed else race.rival_ns(winner)
        failures, again = self._count_failures(race, winner)
        if changed and not failures:
            again = max(state.rows, state.profiled_at + state.patience)
        state.trials += 1
        if state.inherited is not None and winner.spec != state.inherited:
            again = state.rows  # the data differ from what the sibling saw
            state.won.pop(state.inherited, None)
        state.inherited = None
        state.fruitless = 0 if changed and winner.spec != GENERIC else state.fruitless + 1
        self._remember_winner(race, winner)
        generic, proof = race.arms[0], None
        if winner is not generic and generic.samples:
            proof = Proof(self._settings, generic.median_ns)
        self._choose(winner.spec, again, proof, 0 if changed else race.reports)
        reason = "; ".join((race.times(), *failures, race.reason))
        return (self._swap(winner.spec, reason, "ns/row", before, after),)

    def _count_failures(self, race: Race, winner: Arm) -> tuple[list[str], int | None]:
        """Strikes for those that failed, and when the first of them may be tried again."""
        state = self.state
        remarks, waits = [], []
        for arm in race.arms:
            if arm is winner or arm.spec == GENERIC or not self._has_failed(arm, race):
                continue
            waits.append(self._strike(arm))
            remarks.append(f"{title(arm.spec)}: {state.record.says(arm.spec)}")
        return remarks, min((wait for wait in waits if wait is not None), default=None)

    def _strike(self, arm: Arm) -> int | None:
        state = self.state
        if arm.refuted:
            return state.record.refuted(arm.spec, state.rows, state.unit)
        return state.record.lost(arm.spec, state.rows, state.unit, 2 if arm.hopeless else 1)

    def _remember_winner(self, race: Race, winner: Arm) -> None:
        generic_ns = race.ns_of(GENERIC)
        self.state.won.pop(winner.spec, None)
        if winner.spec != GENERIC and generic_ns:
            self.state.won[winner.spec] = winner.median_ns / generic_ns

    def _has_failed(self, arm: Arm, race: Race) -> bool:
        """A new bet that lost, or an old one that did not hold for long; not a sibling's bet."""
        if arm.spec == self.state.inherited:
            return False
        return arm.spec != race.incumbent or not self.state.settled

    # What is common

    def _rest(self, reason: str) -> tuple[Action, ...]:
        """Nothing to try: the chosen variant goes on, and what is known of it stays known."""
        state = self.state
        state.fruitless += 1
        self._choose(state.running, None, reports=self._known_reports())
        return (self._swap(state.running, reason, "profile"),)

    def _known_reports(self) -> int:
        """How many reports of the running variant the monitor has, and still has."""
        phase = self.state.phase
        return phase.reports if isinstance(phase, Profiling | Awaiting) else 0

    def _choose(
        self,
        spec: VariantSpec,
        profile_at: int | None,
        proof: Proof | None = None,
        reports: int = 0,
    ) -> None:
        """Watch a variant from now on; generic is given up at a time, or after an idle while.

        `reports` of it were watched before, from which the monitor knows it.
        """
        state = self.state
        if spec != state.running:
            state.running, state.adopted_at = spec, state.rows
        if state.blind:
            profile_at = NEVER
        elif spec != GENERIC:
            profile_at = state.rows + self._settings.again_units * state.patience
        elif profile_at is None:
            profile_at = state.rows + self._settings.idle_units * state.patience
        state.phase = Watching(RecentExits(self._settings), proof, profile_at, reports=reports)
        if not reports:
            self._monitor.reset()

    def _swap(
        self,
        spec: VariantSpec,
        reason: str,
        signal: str,
        before_ns: float | None = None,
        after_ns: float | None = None,
    ) -> Swap:
        assert spec in self.state.ready or spec.tier is Tier.GENERIC
        self.state.current = spec
        return Swap(spec, reason, signal, before_ns, after_ns)
