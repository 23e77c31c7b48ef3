"""The tables, ratios and targets of the experiment `adaptive`, from the courses of its runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from experiments.adaptive_history import history_grid
from experiments.adaptive_speeds import Measured, PhaseSpeeds, YsbSpeeds
from experiments.engine_findings import Findings
from experiments.findings import Cell, Grid, Target

WITHIN = 0.9  # of the best static choice
RECOVERED = 0.97  # of the generic variant's speed
NEVER_SLOWER = 0.97
UNDER_ATTACK = 0.9
MOST_DROP_MS = 100
MOST_REGRET = 1.10
MILLISECOND = 1e6
BEGINNINGS = (1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32)  # of phases, whose regret is told


Families = Mapping[str, Sequence[Measured]]


def findings(measured: Families) -> Findings:
    """Everything that is printed of a run."""
    everyone = [one for family in measured.values() for one in family]
    ysb = [YsbSpeeds(one) for one in measured["ysb"]]
    grids = (
        ysb_grid(ysb),
        phases_grid(measured["drift"]),
        change_grid(measured["drift"]),
        *lengths_grid(measured["drift"]),
        whole_grid((*measured["ysb"], *measured["stationary"], *measured["adversary"])),
        *map(_history, everyone),
    )
    return Findings(grids, dict(ratios(everyone)), tuple(targets(measured, ysb)))


def ratios(everyone: Iterable[Measured]) -> Iterator[tuple[str, float]]:
    """The adaptive speed over that of the others, in each phase and in all."""
    for one in everyone:
        yield f"{one.drift.name}: adaptive / generic, all", one.over_generic
        for phase in one.phases():
            name = f"{phase.workload}, {phase.phase}"
            yield f"{name}: adaptive / generic", phase.over_generic
            yield f"{name}: adaptive / best static", phase.over_best


def targets(measured: Families, ysb: Sequence[YsbSpeeds]) -> Iterator[Target]:
    """What the adaptive loop is to reach."""
    for speeds in ysb:
        yield from speeds.targets()
    by_name = {one.drift.name: one for one in measured["drift"]}
    for name, one in by_name.items():
        if name.startswith("keys grow"):
            yield drop_target(one)
    for name in ("predicates cross", "skew appears"):
        if name in by_name:
            yield from map(static_target, by_name[name].phases())
    for name in ("nulls appear", "disorder appears", "dictionaries grow"):
        if name in by_name:
            yield from recovery_targets(tuple(by_name[name].phases())[-1])
    for one in (*measured["ysb"], *measured["stationary"]):
        yield Target(f"{one.drift.name}: all over generic", one.over_generic, NEVER_SLOWER)
    for one in measured["adversary"]:
        yield Target(f"{one.drift.name}: all over generic", one.over_generic, UNDER_ATTACK)
    if measured["drift"]:
        yield Target("regret of all drifts", regret(measured["drift"]), MOST_REGRET, at_most=True)


def drop_target(one: Measured) -> Target:
    """The middle of the rounds, so that one lucky run is not enough."""
    name = f"{one.drift.name}: ms below 0.9 of the later speed"
    return Target(name, drop_ms(one)[0], MOST_DROP_MS, at_most=True)


def static_target(phase: PhaseSpeeds) -> Target:
    """Nearly as fast as the best static choice."""
    return Target(
        f"{phase.workload}, {phase.phase}: over the best static choice", phase.over_best, WITHIN
    )


def recovery_targets(phase: PhaseSpeeds) -> Iterator[Target]:
    """After the change, as fast as generic at least, and nearly as the best choice."""
    name = f"{phase.workload}, {phase.phase}"
    yield Target(f"{name}: over generic", phase.over_generic, RECOVERED)
    yield static_target(phase)


def drop_ms(one: Measured) -> tuple[float, float]:
    """For how long the second phase was slow: milliseconds of processing, and in all."""
    drops = [course.drop(1) for course in one.adaptive]
    processing, elapsed = zip(*drops, strict=True)
    return median(processing) / MILLISECOND, median(elapsed) / MILLISECOND


def regret(measured: Iterable[Measured]) -> float:
    """The time of the adaptive runs over that of the oracle."""
    chosen = tuple(measured)
    return sum(one.total_ns for one in chosen) / sum(one.oracle_ns for one in chosen)


def ysb_grid(speeds: Sequence[YsbSpeeds]) -> Grid:
    """The benchmark against C."""
    columns = (
        "workload",
        "C, hash",
        "C, best",
        "which",
        "generic",
        "best static",
        "which ",
        "adaptive",
        "adaptive / best C",
        "generic / C hash",
        "adaptive / plain sum",
    )
    title = "YSB, M rows/s in the second half of a stream, and ratios"
    return Grid(title, columns, tuple(one.line() for one in speeds))


def phases_grid(measured: Sequence[Measured]) -> Grid:
    """Both sides of each change."""
    columns = (
        "workload",
        "phase",
        "generic",
        "best static",
        "which",
        "adaptive",
        "/ generic",
        "/ best static",
        "adaptive, whole phase",
    )
    title = "before and after a change, M rows/s in the second half of each phase, and ratios"
    return Grid(title, columns, tuple(_line(p) for one in measured for p in one.phases()))


def _line(phase: PhaseSpeeds) -> tuple[Cell, ...]:
    return (
        phase.workload,
        phase.phase,
        1e3 / phase.generic.steady_ns,
        1e3 / phase.statics[phase.best].steady_ns,
        phase.best,
        1e3 / phase.adaptive.steady_ns,
        phase.over_generic,
        phase.over_best,
        1e3 / phase.adaptive.whole_ns,
    )


def change_grid(measured: Sequence[Measured]) -> Grid:
    """What the change itself cost, and all of the stream against the oracle."""
    columns = (
        "workload",
        "slow, ms of processing",
        "slow, ms by wall clock",
        "adaptive s",
        "oracle s",
        "regret",
        "over generic",
        "by wall clock",
    )
    lines: list[tuple[Cell, ...]] = [
        (
            one.drift.name,
            *drop_ms(one),
            *_totals([one]),
            one.over_generic,
            one.over_generic_by_wall,
        )
        for one in measured
    ]
    if measured:
        lines.append(("all", None, None, *_totals(measured), None, None))
    return Grid("the change, and the whole stream", columns, tuple(lines))


def lengths_grid(measured: Sequence[Measured]) -> Iterator[Grid]:
    """What learning costs where phases are shorter: only the first part of each counts."""
    if not measured:
        return
    names = [one.drift.name for one in measured]
    lines = []
    for share in BEGINNINGS:
        times = [one.beginnings(share) for one in measured]
        adaptive_ns, oracle_ns = map(sum, zip(*times, strict=True))
        phases = sum(len(one.drift.phases) for one in measured)
        regrets = [adaptive / oracle for adaptive, oracle in times]
        lines.append((oracle_ns / phases / 1e9, adaptive_ns / oracle_ns, *regrets))
    columns = ("s of the oracle in a phase", "regret of all", *names)
    yield Grid("the regret by the length of phases", columns, tuple(lines))


def _totals(measured: Sequence[Measured]) -> tuple[float, float, float]:
    adaptive_ns = sum(one.total_ns for one in measured)
    oracle_ns = sum(one.oracle_ns for one in measured)
    return adaptive_ns / 1e9, oracle_ns / 1e9, adaptive_ns / oracle_ns


def whole_grid(measured: Sequence[Measured]) -> Grid:
    """Streams where little or nothing can be won, from the first row to the last."""
    lines = []
    for one in measured:
        rows = one.adaptive[0].rows
        generic_ns = min(course.total_ns for course in one.generic)
        swaps = median(len(course.history.swaps) for course in one.adaptive)
        rates = (rows * 1e3 / generic_ns, rows * 1e3 / one.total_ns)
        compared = (one.over_generic, one.over_generic_by_wall)
        lines.append((one.drift.name, *rates, *compared, round(swaps)))
    columns = ("workload", "generic", "adaptive", "ratio", "by wall clock", "swaps")
    return Grid("whole streams, M rows/s, profiling and trials included", columns, tuple(lines))


def _history(one: Measured) -> Grid:
    """That of the best run."""
    course = min(one.adaptive, key=lambda course: course.total_ns)
    names = [phase.name for phase in one.drift.phases]
    return history_grid(one.drift.name, course.history, names, one.phase_rows)
