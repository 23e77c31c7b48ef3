"""The experiments by name; the first line of each function's docstring describes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from experiments import (
    adaptive,
    engine,
    kept_rows,
    kernel_ysb,
    latency,
    memory,
    spark,
    spark_profile,
    strategies,
)
from experiments.record import Record
from experiments.spark_workloads import WORKLOADS


@dataclass(frozen=True, slots=True)
class Experiment:
    """A measurement at a scale; `unit` says what a scale of 1 is."""

    run: Callable[..., Record]  # of the scale and a console; with parts, also `only` some of them
    scale: float
    unit: str = "million rows"
    parts: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """What it measures, in one line."""
        return (self.run.__doc__ or "").partition("\n")[0]


EXPERIMENTS: Mapping[str, Experiment] = {
    "kernel-ysb": Experiment(kernel_ysb.run, 10),
    "engine": Experiment(engine.run, 10),
    "latency": Experiment(latency.run, 1, "a million rows for each size of buffers, or fewer"),
    "memory": Experiment(memory.run, 1, "500 million rows"),
    "adaptive": Experiment(
        adaptive.run,
        1,
        "1,200 million rows for each phase, 400 million of adversaries, or fewer",
        adaptive.workload_names(),
    ),
    "spark": Experiment(
        spark.run,
        1,
        "40 million rows of YSB, fewer of the others",
        tuple(workload.name for workload in WORKLOADS),
    ),
    "spark-profile": Experiment(spark_profile.run, 1, "40 million rows"),
    "kept-rows": Experiment(kept_rows.run, 8, parts=kept_rows.PARTS),
    "strategies": Experiment(strategies.run, 5),
}
