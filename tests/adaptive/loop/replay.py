"""A controller that is fed events, with a policy and a monitor that say what a test wants."""

from __future__ import annotations

from dataclasses import dataclass, field

from adaptive.loop.controller import Controller
from adaptive.loop.events import Action, Compiled, Event, MorselDone, Profiled, Swap
from adaptive.loop.settings import LoopSettings
from ir import GENERIC, INSTRUMENTED, VariantSpec
from policies import Decision, Generalize, Specialize
from profiler.profile import Observation, Profile
from tests.adaptive.loop.simulated import Drift

ROWS = 1000
# A unit of waiting is ten morsels.
SETTINGS = LoopSettings(
    base_rows=10 * ROWS, base_morsels=10, first_profile_morsels=2, again_units=1 << 40
)
PROFILE = Profile(rows=500)


@dataclass
class Script:
    """A policy and a monitor that say what the test tells them to."""

    decision: Decision = field(default_factory=lambda: Generalize("nothing to bet on"))
    drift: Drift | None = None
    asked: list[Profile] = field(default_factory=list)
    resets: int = 0

    def decide(self, profile: Profile) -> Decision:
        self.asked.append(profile)
        return self.decision

    def bet(self, spec: VariantSpec) -> None:
        self.decision = Specialize(spec.assumptions, "a good bet", spec.hints)

    def add(self, observation: Observation) -> Drift | None:
        found, self.drift = self.drift, None
        return found

    def reset(self) -> None:
        self.resets += 1


@dataclass
class Replay:
    """A controller that is fed, and all that it wanted."""

    script: Script = field(default_factory=Script)
    settings: LoopSettings = SETTINGS
    actions: list[Action] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.controller = Controller(self.script, self.script, self.settings)
        self.current = GENERIC

    def send(self, *events: Event) -> tuple[Action, ...]:
        """The actions of the last one."""
        actions: tuple[Action, ...] = ()
        for event in events:
            actions = self.controller.on(event)
            self.actions += actions
            for action in actions:
                if isinstance(action, Swap):
                    self.current = action.spec
        return actions

    def morsels(self, count: int, ns: float = 1.0, exits: int = 0) -> tuple[Action, ...]:
        """Morsels of whatever is to run; the actions of the first that has any."""
        for _ in range(count):
            actions = self.send(done(self.current, ns, exits))
            if actions:
                return actions
        return ()

    def profiled(self, spec: VariantSpec) -> tuple[Action, ...]:
        """From the start to the decision for a variant."""
        self.script.bet(spec)
        self.morsels(SETTINGS.first_profile_morsels)
        self.send(Compiled(INSTRUMENTED, 1))
        return self.send(Profiled(PROFILE))

    def trial(self, times: dict[VariantSpec, float]) -> Swap:
        """Morsels until the trial is judged."""
        for _ in range(200):
            for action in self.send(done(self.current, times[self.current])):
                assert isinstance(action, Swap)
                if action.signal != "trial":
                    return action
        raise AssertionError("the trial does not end")

    def adopted(self, spec: VariantSpec) -> Swap:
        """From the start until a variant has won its trial."""
        self.profiled(spec)
        self.send(Compiled(spec, 1))
        return self.trial({GENERIC: 1.0, spec: 0.5})


def done(spec: VariantSpec, ns: float = 1.0, exits: int = 0, rows: int = ROWS) -> MorselDone:
    left = rows // 2 if exits else 0
    seen = Observation(rows, guard_exits=exits, generic_rows=left, elapsed_ns=round(ns * rows))
    return MorselDone(spec, seen)
