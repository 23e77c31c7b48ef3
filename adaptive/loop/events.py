"""What the adaptive loop is told, and what it wants done: plain data without a clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from adaptive.loop.learned import Learned
from ir import VariantSpec
from profiler.profile import Observation, Profile


@dataclass(frozen=True, slots=True)
class MorselDone:
    """A thread has run a variant over a morsel, or over several small ones in a row."""

    spec: VariantSpec
    seen: Observation
    worker: int = 0
    morsels: int = 1  # large ones, that were told as one


@dataclass(frozen=True, slots=True)
class Profiled:
    """The instrumented variant has sampled enough rows."""

    profile: Profile


@dataclass(frozen=True, slots=True)
class Compiled:
    """A variant that was asked for can run."""

    spec: VariantSpec
    compile_ns: int


@dataclass(frozen=True, slots=True)
class CompileFailed:
    """A variant that was asked for cannot run: it is banned here, or has no such form."""

    spec: VariantSpec
    reason: str


@dataclass(frozen=True, slots=True)
class LayoutChanged:
    """Batches lie in memory in a way that was not seen before, for example with nulls."""

    layout: str  # in a few words


@dataclass(frozen=True, slots=True)
class SiblingLearned:
    """Another worker of the executor, which may be gone, has run the same program before."""

    learned: Learned
    worker: str  # its name


Event: TypeAlias = MorselDone | Profiled | Compiled | CompileFailed | LayoutChanged | SiblingLearned


@dataclass(frozen=True, slots=True)
class Compile:
    """Make a variant ready, on a background thread; nothing waits for it."""

    spec: VariantSpec
    reason: str


@dataclass(frozen=True, slots=True)
class Swap:
    """Run this variant from the next morsel on.

    `signal` names what caused it: "profile", "guard exits", "ns/row", "selectivity", ... .
    `before_ns` and `after_ns` are the times of a row that it was judged by, where it was.
    """

    spec: VariantSpec
    reason: str
    signal: str
    before_ns: float | None = None
    after_ns: float | None = None


Action: TypeAlias = Compile | Swap
