"""The tables, ratios and targets of the experiment `engine`, from the speeds of its systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from experiments.findings import Cell, Grid, Target
from experiments.workloads import FAMILIES, YSB, YSB_CODES, Workload

OURS = "Kodiak"
OTHERS = ("C", "DuckDB", "Polars")


@dataclass(frozen=True, slots=True)
class Speed:
    """What the fastest way of a system reached."""

    system: str
    threads: int
    way: str
    million_rows: float  # in a second


@dataclass(frozen=True, slots=True)
class Findings:
    """What the speeds say."""

    grids: tuple[Grid, ...]
    ratios: Mapping[str, float]
    targets: tuple[Target, ...]


Speeds = Mapping[Workload, tuple[Speed, ...]]


def findings(speeds: Speeds, compile_ns: Mapping[str, int | None]) -> Findings:
    """Everything that is printed of a run."""
    table = Lookup(speeds)
    grids = (table.speeds_grid(), table.ratios_grid(), table.ways_grid(compile_ns))
    return Findings(grids, dict(table.ratios()), tuple(table.targets()))


class Lookup:
    """The speeds by workload, system and threads; None where there is none."""

    def __init__(self, speeds: Speeds) -> None:
        self._speeds = speeds
        self._by_key = {
            (workload.name, speed.system, speed.threads): speed
            for workload, all_speeds in speeds.items()
            for speed in all_speeds
        }

    def speed(self, workload: Workload, system: str, threads: int) -> float | None:
        """Million rows in a second."""
        found = self._by_key.get((workload.name, system, threads))
        return None if found is None else found.million_rows

    def ratio(self, workload: Workload, system: str, threads: int) -> float | None:
        """Kodiak's speed over another system's; above 1, Kodiak is faster."""
        return over(self.speed(workload, OURS, threads), self.speed(workload, system, threads))

    def gain(self, workload: Workload, system: str) -> float | None:
        """The speed of two threads over that of one."""
        return over(self.speed(workload, system, 2), self.speed(workload, system, 1))

    def speeds_grid(self) -> Grid:
        """Million rows in a second."""
        sides = [(system, threads) for threads in (1, 2) for system in (OURS, *OTHERS)]
        return Grid(
            "M rows/s, best way and best run of each, by threads",
            ("workload", *(f"{system} {threads}" for system, threads in sides)),
            tuple((w.name, *(self.speed(w, *side) for side in sides)) for w in self._speeds),
        )

    def ratios_grid(self) -> Grid:
        """How many times as fast as the others, and what two threads bring."""
        sides = [(system, threads) for threads in (1, 2) for system in OTHERS]
        rows: list[tuple[Cell, ...]] = []
        for w in self._speeds:
            gains = (self.gain(w, OURS), self.gain(w, "C"))
            rows.append((w.name, *(self.ratio(w, *side) for side in sides), *gains))
        return Grid(
            "Kodiak over the others, by threads; and the gain of two threads",
            ("workload", *(f"/{s} {t}" for s, t in sides), "gain", "C's gain"),
            tuple(rows),
        )

    def ways_grid(self, compile_ns: Mapping[str, int | None]) -> Grid:
        """How the others' queries were written, and how long Kodiak took to start."""
        rows: list[tuple[Cell, ...]] = []
        for w in self._speeds:
            ns = compile_ns.get(w.name)
            ways = (self._ways(w, system) for system in OTHERS)
            rows.append((w.name, None if ns is None else ns / 1e6, *ways))
        columns = ("workload", "Kodiak's first result, ms", *(f"{s}, fastest way" for s in OTHERS))
        return Grid(
            "compilation, and the ways that were fastest on 1 / 2 threads", columns, tuple(rows)
        )

    def ratios(self) -> Iterator[tuple[str, float]]:
        """All ratios by name."""
        for w in self._speeds:
            for threads in (1, 2):
                for system in OTHERS:
                    ratio = self.ratio(w, system, threads)
                    if ratio is not None:
                        yield f"{w.name}, {threads} threads: Kodiak / {system}", ratio

    def targets(self) -> Iterator[Target]:
        """What the engine is to reach."""
        for w in (YSB, YSB_CODES):
            name = f"{w.name}, 1 thread: over the best C program with a hash table"
            yield Target(name, self.ratio(w, "C", 1), 0.8)
        yield Target("plain strings, 1 thread: over DuckDB", self.ratio(YSB, "DuckDB", 1), 4)
        yield Target("plain strings, 1 thread: over Polars", self.ratio(YSB, "Polars", 1), 2)
        one, *_, hundred = FAMILIES["concurrent windows"]
        for threads in (1, 2):
            slowdown = over(self.speed(hundred, OURS, threads), self.speed(one, OURS, threads))
            yield Target(f"100 concurrent windows over 1, threads: {threads}", slowdown, 0.5)
        for w in (YSB, YSB_CODES):
            yield self._gain_target(w)

    def _gain_target(self, workload: Workload) -> Target:
        """Two threads bring 1.7, or 0.85 of what they bring C: memory may be the limit."""
        c_gain = self.gain(workload, "C")
        needed = 1.7 if c_gain is None else min(1.7, 0.85 * c_gain)
        name = f"{workload.name}: 2 threads over 1 (1.7, or 0.85 of C's gain)"
        return Target(name, self.gain(workload, OURS), round(needed, 2))

    def _ways(self, workload: Workload, system: str) -> str | None:
        found = (self._by_key.get((workload.name, system, threads)) for threads in (1, 2))
        ways = [speed.way for speed in found if speed is not None]
        return " / ".join(dict.fromkeys(ways)) or None


def over(left: float | None, right: float | None) -> float | None:
    """A quotient, where both are known."""
    return None if left is None or right is None else left / right
