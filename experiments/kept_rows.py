"""Experiment `kept-rows`: what a filter without an aggregate gains, by how many rows it keeps.

It is taken over whatever it keeps. Where the ratio falls below 1, Spark alone is faster: from
there on, `adaptive.spark.row_verdict` says so of a stream that was taken over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from rich.console import Console

from adaptive.demo.session import local_session
from experiments import spark_data as data
from experiments.progress import progress_on
from experiments.record import Record
from experiments.spark import CORES, measure_workload, record_of
from experiments.spark_workloads import MILLION, YSB_COLUMNS, SparkWorkload

SHARES = (1, 2, 5, 10, 20, 40, 100)  # of a hundred rows, that are kept


def run(scale: float, console: Console, only: Sequence[str] = ()) -> Record:
    """A filter on Spark that keeps 1 to 100 % of the rows, with Kodiak over Spark alone."""
    chosen = [one for one in map(_workload, SHARES) if not only or one.name in only]
    measured = []
    with local_session(CORES) as spark, progress_on(console) as progress:
        task = progress.add_task("", total=len(chosen))
        for workload in chosen:
            progress.update(task, description=workload.name)
            measured.append(measure_workload(workload, scale, spark, lambda what: None))
            progress.console.print(f"{workload.name}: {measured[-1].ratio:.2f}", highlight=False)
            progress.advance(task)
    return replace(record_of(measured, scale), experiment="kept-rows")


def _workload(share: int) -> SparkWorkload:
    """Values are spread evenly below 100."""

    def kept(events: DataFrame) -> DataFrame:
        return events.where(F.col("value") < share)

    name = f"{share} % kept"
    return SparkWorkload(
        name, 0, MILLION, data.ysb, YSB_COLUMNS, kept, output_mode="append", mode="always"
    )


PARTS = tuple(_workload(share).name for share in SHARES)
