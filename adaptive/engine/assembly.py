"""From the queries of an engine to the work of its threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import ir
from adaptive.engine.downstream import Downstream
from adaptive.engine.flow import Flow, Work
from adaptive.engine.keyed_work import KeyedWork, parts_for
from adaptive.engine.parted_work import PartedWork
from adaptive.engine.projected_work import ProjectedWork
from adaptive.engine.query import QueriesWindows, QueryWindows, Results
from adaptive.engine.sharing import groups_that_share, shared
from adaptive.engine.sliced_work import SlicedWork, Strategy
from adaptive.runtime.adaptation import Adaptation, adaptation
from adaptive.runtime.projection import computed_program
from adaptive.runtime.unsupported import UnsupportedPlan
from codegen_llvm import unsupported_in_engine
from ir.pipelines import Pipeline, RowProgram
from ir.windows import CountWindow, SessionWindow
from policies import Policy


class EngineWork(Work, Protocol):
    """Work on the rows of a query, or of several that share slices."""

    input: ir.Schema  # the columns that it reads
    flow: Flow | None

    @property
    def late_rows(self) -> int:
        """The rows that came when all their windows were closed."""

    @property
    def bytes(self) -> int:
        """The memory of what is in work."""

    def finish(self) -> None:
        """All morsels are done: close what is open."""

    def release(self) -> None:
        """Give the memory back."""


@dataclass(frozen=True)
class Query:
    """A query of an engine: its plan, cut, and where its results go."""

    plan: ir.Sink
    pipelines: tuple[Pipeline, ...]
    watermark: ir.Watermark | None
    results: Results

    @classmethod
    def of(cls, plan: ir.Sink, results: Results) -> Query:
        """Optimise, check and cut a plan."""
        ir.verify(plan)
        optimized = ir.optimize(plan)
        reasons = unsupported_in_engine(optimized)
        if reasons:
            raise UnsupportedPlan("; ".join(reasons))
        watermark = next((n for n in optimized.walk() if isinstance(n, ir.Watermark)), None)
        return cls(plan, ir.cut(optimized), watermark, results)

    @property
    def delay_us(self) -> int:
        """From the greatest time to what is closed."""
        return 0 if self.watermark is None else self.watermark.delay_us + self.watermark.lateness_us


@dataclass
class Assembled:
    """The work of an engine, and for each query what is left to ask it."""

    works: list[EngineWork]
    windows: list[QueryWindows | None]
    work_of: list[int]  # the work of each query
    loops: list[Adaptation] = field(default_factory=list)  # of the works that have one


def assemble(
    queries: Sequence[Query],
    nodes: Sequence[Sequence[int]],
    policy: Policy | None,
    strategy: Strategy,
) -> Assembled:
    """The work of all queries by threads on these nodes; those that can share slices do."""
    workers = sum(map(len, nodes))
    made = Assembled([], [None] * len(queries), [0] * len(queries))
    programs: dict[int, RowProgram] = {}
    for position, query in enumerate(queries):
        alone = _alone(query, workers, policy, made)
        if alone is None:
            programs[position] = ir.flatten(query.pipelines[0])
        else:
            made.work_of[position] = len(made.works)
            made.works.append(alone)
    for group in _groups(queries, programs):
        _add_sliced(made, queries, programs, group, nodes, policy, strategy)
    return made


def _alone(query: Query, workers: int, policy: Policy | None, made: Assembled) -> EngineWork | None:
    """The work of a query that has no slices to share, and its loop to those there are."""
    loops, number = made.loops, len(made.works)
    first, *rest = query.pipelines
    if isinstance(first.end, ir.Sink):
        projection = ir.flatten_projection(first)
        loop = adaptation(computed_program(projection), policy, workers)
        loops.append(loop)
        return ProjectedWork(projection, query.results.add, workers, loop)
    program = ir.flatten(first)
    if isinstance(program.window, SessionWindow | CountWindow):
        above = Downstream(program, rest, query.results.add)
        parts = parts_for(program, above, workers)
        loop = adaptation(program, policy, parts)
        loops.append(loop)
        work = PartedWork if parts > 1 else KeyedWork
        return work(program, query.watermark, above, loop, number=number, parts=parts)
    return None


def _groups(queries: Sequence[Query], programs: dict[int, RowProgram]) -> list[list[int]]:
    """The queries that share slices: of the same rows, and with the same watermark."""
    groups = []
    by_delay: dict[int, list[int]] = {}
    for position in programs:
        by_delay.setdefault(queries[position].delay_us, []).append(position)
    for positions in by_delay.values():
        for group in groups_that_share([programs[p] for p in positions]):
            groups.append([positions[i] for i in group])
    return groups


def _add_sliced(
    made: Assembled,
    queries: Sequence[Query],
    programs: dict[int, RowProgram],
    group: list[int],
    nodes: Sequence[Sequence[int]],
    policy: Policy | None,
    strategy: Strategy,
) -> None:
    union = shared([programs[position] for position in group])
    windows = []
    for position, share in zip(group, union.shares, strict=True):
        query = queries[position]
        one = QueryWindows(
            union.program, share, programs[position], query.pipelines[1:], query.results
        )
        made.windows[position] = one
        made.work_of[position] = len(made.works)
        windows.append(one)
    # Where threads may not choose whether to share groups, no policy should advise them.
    threads = sum(map(len, nodes)) if strategy == "auto" else 1
    loop = adaptation(union.program, policy, threads)
    made.loops.append(loop)
    made.works.append(
        SlicedWork(
            union,
            QueriesWindows(windows),
            nodes,
            loop,
            delay_us=queries[group[0]].delay_us,
            strategy=strategy,
            number=len(made.works),
        )
    )
