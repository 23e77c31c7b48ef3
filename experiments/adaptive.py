"""Experiment `adaptive`: the adaptive loop on data that change, against what could be known.

Each workload is a stream of one or more phases. It goes through an engine with the policy
"adaptive", through one with "generic", and, phase by phase, through engines that run one fixed
variant all the time; the fastest of these is the best static choice for that phase, and an
oracle that always makes it is the bound for the regret. A first, short run of each fixed variant
shows which are far behind; the others then take turns with the engines, and the best run of
each counts. Each push is timed on its own, on the caller's thread, so that a phase's second half
can be told from the change before it. What other programs take of the CPU is left out, for
everyone alike; the wall clock's figures stand beside. Every window of every run is compared with
numpy's answer. The generic variant is compiled beforehand. All others are compiled while an
adaptive run goes on: no earlier run leaves any code for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from uuid import uuid4

from rich.console import Console
from rich.progress import Progress

from adaptive.runtime.stores import close_stores, open_stores
from experiments.adaptive_baselines import yardsticks
from experiments.adaptive_findings import findings
from experiments.adaptive_speeds import Measured
from experiments.adaptive_stream import (
    BATCHES,
    Block,
    Course,
    Passage,
    PolicyLike,
    Size,
    blocks_of,
    course_of,
    warm_up,
)
from experiments.drift_workloads import (
    Drift,
    adversaries,
    drifts,
    stationary_workloads,
    ysb_workloads,
)
from experiments.measure import Contestant, Samples, measure
from experiments.progress import progress_on
from experiments.record import Record
from experiments.workloads import SEED
from ir import VariantSpec
from policies import Fixed

FULL = Size(block_rows=4 << 20, blocks=96)  # at a scale of 1
LEAST = Size(block_rows=64 << 10, blocks=6)
ROUNDS = 3
CLOSE_ROUNDS = 6  # where a few hundredths count
QUALIFYING_BLOCKS = 6
STATIC_BLOCKS = 32  # of a phase are enough for a variant that does not change
FAR_BEHIND = 1.1  # times the fastest variant's first run
MOST_FINALISTS = 2

Announce = Callable[[str], None]
Finalists = Sequence[dict[str, VariantSpec]]  # of each phase, static variants by name


def families() -> dict[str, tuple[Drift, ...]]:
    """All workloads, by what is asked of them."""
    return {
        "ysb": tuple(ysb_workloads()),
        "drift": drifts(),
        "stationary": stationary_workloads(),
        "adversary": adversaries(),
    }


def workload_names() -> tuple[str, ...]:
    """The names of all workloads."""
    return tuple(drift.name for members in families().values() for drift in members)


def run(scale: float, console: Console, only: Sequence[str] = ()) -> Record:
    """The adaptive engine on stationary and drifting data, against the best static variants."""
    size = size_of(scale)
    chosen = {
        family: [drift for drift in members if not only or drift.name in only]
        for family, members in families().items()
    }
    measured: dict[str, list[Measured]] = defaultdict(list)
    with progress_on(console) as progress:
        progress.add_task("", total=sum(map(len, chosen.values())))
        for family, members in chosen.items():
            for drift in members:
                measured[family].append(measure_drift(drift, size, family, progress))
                progress.advance(progress.task_ids[0])
    return record_of(measured, scale)


def size_of(scale: float) -> Size:
    """Fewer blocks, and from few on smaller ones."""
    rows = min(FULL.block_rows, round(FULL.block_rows * scale * 4))
    rows -= rows % BATCHES
    return Size(max(LEAST.block_rows, rows), max(LEAST.blocks, round(FULL.blocks * scale)))


@contextmanager
def no_code_of_others() -> Iterator[None]:
    """An empty folder for compiled code, so that everything is compiled in this run."""
    with TemporaryDirectory(prefix="kodiak-experiment-") as folder:
        open_stores(folder)
        try:
            yield
        finally:
            close_stores()


def measure_drift(drift: Drift, size: Size, family: str, progress: Progress) -> Measured:
    """Let everyone take turns on one workload."""

    def announce(name: str) -> None:
        progress.update(progress.task_ids[0], description=name)

    announce(f"{drift.name}: making events")
    field_ = Field(drift, blocks_of(drift, size), size)
    finalists = field_.finalists(announce)
    contestants = [*field_.contestants(finalists)]
    if family == "ysb":
        contestants += yardsticks(drift, field_.blocks[0])
    close = family in ("stationary", "adversary")
    rounds = 1 if size.blocks <= LEAST.blocks else CLOSE_ROUNDS if close else ROUNDS
    samples = measure(contestants, rounds=rounds, warmups=0, announce=announce)
    return field_.measured(finalists, samples)


@dataclass(frozen=True, slots=True)
class Field:
    """Those who run over one workload, and their courses by contestant."""

    drift: Drift
    blocks: tuple[Block, ...]
    size: Size
    courses: dict[str, list[Course]] = field(default_factory=lambda: defaultdict(list))

    def finalists(self, announce: Announce) -> Finalists:
        """Of each phase, the static variants that are not far behind the fastest."""
        warm_up(Passage(self.drift, self.blocks, 1), "result")
        near = []
        for phase, block in zip(self.drift.phases, self.blocks, strict=True):
            passage = Passage(self.drift, (block,), QUALIFYING_BLOCKS)
            first_ns = {}
            for name, spec in phase.statics.items():
                announce(f"{self.drift.name}, {phase.name}: {name}")
                course_of(name, Passage(self.drift, (block,), 1), Fixed(spec))  # compiles
                first_ns[name] = course_of(name, passage, Fixed(spec)).steady_ns(0)
            bound = min(first_ns.values(), default=0) * FAR_BEHIND
            best = sorted(first_ns, key=first_ns.__getitem__)[:MOST_FINALISTS]
            near.append({n: phase.statics[n] for n in best if first_ns[n] <= bound})
        return near

    def contestants(
        self, finalists: Sequence[dict[str, VariantSpec]]
    ) -> Iterator[Contestant[None]]:
        """Both engines over the whole stream, and static variants over their phases."""
        repeats = self.size.blocks_of(self.drift)
        whole = Passage(self.drift, self.blocks, repeats)
        yield self._contestant(f"{self.drift.name}: adaptive", whole, "adaptive")
        yield self._contestant(f"{self.drift.name}: generic", whole, "generic")
        lead = self.drift.window_blocks  # tables have grown by then
        fewer = min(repeats, STATIC_BLOCKS) + lead
        for number, variants in enumerate(finalists):
            alone = Passage(self.drift, (self.blocks[number],), fewer)
            for name, spec in variants.items():
                yield self._contestant(self._title(number, name), alone, Fixed(spec), lead)

    def measured(self, finalists: Finalists, samples: tuple[Samples, ...]) -> Measured:
        """What became of it."""

        def taken(name: str) -> tuple[Course, ...]:
            return tuple(self.courses[name])

        return Measured(
            self.drift,
            self.size.blocks_of(self.drift) * self.size.batch_rows * BATCHES,
            taken(f"{self.drift.name}: adaptive"),
            taken(f"{self.drift.name}: generic"),
            tuple(
                {name: taken(self._title(number, name)) for name in variants}
                for number, variants in enumerate(finalists)
            ),
            samples,
        )

    def _title(self, number: int, variant: str) -> str:
        return f"{self.drift.name}, {self.drift.phases[number].name}: {variant}"

    def _contestant(
        self, name: str, passage: Passage, policy: PolicyLike, lead: int = 0
    ) -> Contestant[None]:
        repeats = len(passage.blocks) * passage.repeats - lead

        def timed() -> tuple[None, int]:
            if policy == "adaptive":
                course = self._cold(name, passage)
            else:
                course = course_of(name, passage, policy).after(lead)
            self.courses[name].append(course)
            return None, course.total_ns

        return Contestant(name, timed, rows=repeats * self.size.batch_rows * BATCHES)

    def _cold(self, name: str, passage: Passage) -> Course:
        """An adaptive run that finds only the generic variant compiled."""
        result = f"result_{uuid4().hex}"  # a program of its own for the process, too
        with no_code_of_others():
            warm_up(passage, result)
            return course_of(name, passage, "adaptive", result)


def record_of(measured: dict[str, list[Measured]], scale: float) -> Record:
    """All workloads as one record."""
    everyone = [one for family in measured.values() for one in family]
    found = findings(measured)
    rows = sum(one.phase_rows * len(one.drift.phases) for one in everyone)
    samples = tuple(sample for one in everyone for sample in one.samples)
    return Record(
        "adaptive", scale, rows, SEED, samples, found.ratios, (), found.grids, found.targets
    )
