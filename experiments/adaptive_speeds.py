"""What the runs of the experiment `adaptive` reached: speeds by phase, and against C."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from experiments.adaptive_baselines import c_name, plain_sum_name
from experiments.adaptive_stream import BATCHES, Course
from experiments.baselines.c_programs import PROGRAMS, CProgram
from experiments.drift_workloads import Drift
from experiments.engine_findings import over
from experiments.findings import Cell, Target
from experiments.measure import Samples

OVER_C, OVER_C_HASH, OVER_PLAIN_SUM = 0.9, 0.8, 0.5


@dataclass(frozen=True, slots=True)
class Measured:
    """All that was measured of one workload."""

    drift: Drift
    phase_rows: int
    adaptive: tuple[Course, ...]
    generic: tuple[Course, ...]
    statics: tuple[dict[str, tuple[Course, ...]], ...]  # by phase and variant
    samples: tuple[Samples, ...]

    def phases(self) -> Iterator[PhaseSpeeds]:
        """What was reached in each phase."""
        for number, phase in enumerate(self.drift.phases):
            statics = {"generic": self.generic} | self.statics[number]
            yield PhaseSpeeds(
                self.drift.name,
                phase.name,
                self.phase_rows,
                _Speed.of(self.adaptive, number),
                _Speed.of(self.generic, number),
                {
                    name: _Speed.of(courses, number if name == "generic" else 0)
                    for name, courses in statics.items()
                },
            )

    @property
    def total_ns(self) -> int:
        """The time of the best adaptive run."""
        return min(course.total_ns for course in self.adaptive)

    @property
    def over_generic(self) -> float:
        """The speed of whole adaptive runs over that of generic ones."""
        return min(course.total_ns for course in self.generic) / self.total_ns

    @property
    def over_generic_by_wall(self) -> float:
        """The same by the wall clock, whatever else ran on the machine."""
        generic_ns = min(course.wall_ns for course in self.generic)
        return generic_ns / min(course.wall_ns for course in self.adaptive)

    @property
    def oracle_ns(self) -> float:
        """The time of one who always runs the best static variant."""
        return sum(phase.oracle_ns for phase in self.phases())

    def beginnings(self, share: float) -> tuple[float, float]:
        """The time of the first part of each phase: of the best adaptive run, and of the oracle."""
        batches = max(1, round(self.adaptive[0].phase_batches * share / BATCHES)) * BATCHES
        phases = range(len(self.drift.phases))
        adaptive_ns = min(
            sum(sum(course.phase(number)[:batches]) for number in phases)
            for course in self.adaptive
        )
        return adaptive_ns, self.oracle_ns * batches / self.adaptive[0].phase_batches

    def sample(self, name: str) -> Samples | None:
        """The samples of that name, if there are any."""
        return next((one for one in self.samples if one.name == name), None)


@dataclass(frozen=True, slots=True)
class _Speed:
    """The nanoseconds of a row in a phase: in its second half, and over all of it."""

    steady_ns: float
    whole_ns: float

    @classmethod
    def of(cls, courses: Sequence[Course], number: int) -> _Speed:
        """The best of some runs, each figure by itself."""
        rows = courses[0].batch_rows * courses[0].phase_batches
        return cls(
            min(course.steady_ns(number) for course in courses),
            min(course.phase_ns(number) for course in courses) / rows,
        )


@dataclass(frozen=True, slots=True)
class PhaseSpeeds:
    """What everyone reached in one phase of a workload."""

    workload: str
    phase: str
    rows: int
    adaptive: _Speed
    generic: _Speed
    statics: Mapping[str, _Speed]  # the generic variant among them

    @property
    def best(self) -> str:
        """The static variant that was fastest in the second half."""
        return min(self.statics, key=lambda name: self.statics[name].steady_ns)

    @property
    def oracle_ns(self) -> float:
        """The time of the phase with the variant that was fastest over all of it."""
        return self.rows * min(speed.whole_ns for speed in self.statics.values())

    @property
    def over_best(self) -> float:
        """The adaptive speed over that of the best static variant, in the second half."""
        return self.statics[self.best].steady_ns / self.adaptive.steady_ns

    @property
    def over_generic(self) -> float:
        """The adaptive speed over the generic one, in the second half."""
        return self.generic.steady_ns / self.adaptive.steady_ns


class YsbSpeeds:
    """The speeds on one form of the benchmark, in million rows a second."""

    def __init__(self, measured: Measured) -> None:
        self._measured = measured
        (self.phase,) = measured.phases()

    @property
    def drift(self) -> Drift:
        """The workload."""
        return self._measured.drift

    @cached_property
    def programs(self) -> dict[CProgram, float]:
        """Of each C program that ran."""
        found = ((p, self._rate(c_name(self.drift, p))) for p in PROGRAMS)
        return {program: rate for program, rate in found if rate is not None}

    @property
    def plain_sum(self) -> float | None:
        """Of the plain sum, where there are codes to sum."""
        return self._rate(plain_sum_name(self.drift))

    @property
    def best_c(self) -> tuple[str, float]:
        """The fastest C program."""
        return self._best(self.programs)

    @property
    def best_hash(self) -> tuple[str, float]:
        """The fastest C program with a hash table."""
        return self._best({p: rate for p, rate in self.programs.items() if p.hashes})

    def targets(self) -> Iterator[Target]:
        """Against C, and against memory bandwidth where there is a bound for it."""
        adaptive, generic = 1e3 / self.phase.adaptive.steady_ns, 1e3 / self.phase.generic.steady_ns
        name = self.drift.name
        yield Target(f"{name}: adaptive over the best C", adaptive / self.best_c[1], OVER_C)
        yield Target(
            f"{name}: generic over the best C with a hash table",
            generic / self.best_hash[1],
            OVER_C_HASH,
        )
        if self.drift.keys == 10_000 and self.plain_sum is not None:
            yield Target(
                f"{name}: adaptive over a plain sum", adaptive / self.plain_sum, OVER_PLAIN_SUM
            )

    def line(self) -> tuple[Cell, ...]:
        """All speeds."""
        phase, (c, c_rate), (_, hash_rate) = self.phase, self.best_c, self.best_hash
        adaptive, generic = 1e3 / phase.adaptive.steady_ns, 1e3 / phase.generic.steady_ns
        static = 1e3 / phase.statics[phase.best].steady_ns
        speeds = (hash_rate, c_rate, c, generic, static, phase.best, adaptive)
        compared = (adaptive / c_rate, generic / hash_rate, over(adaptive, self.plain_sum))
        return (self.drift.name, *speeds, *compared)

    def _rate(self, name: str) -> float | None:
        sample = self._measured.sample(name)
        return None if sample is None else sample.million_rows_per_second(0)

    @staticmethod
    def _best(rates: Mapping[CProgram, float]) -> tuple[str, float]:
        program = max(rates, key=rates.__getitem__)
        return program.name, rates[program]
