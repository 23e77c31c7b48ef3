"""What tasks put out, without their reports, which Spark's `observe` takes to the driver."""

from __future__ import annotations

from itertools import count

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from adaptive.spark.listener import REPORTS
from adaptive.spark.row_task import RowTask
from adaptive.spark.telemetry import REPORT, REPORT_TYPE
from adaptive.spark.worker import FragmentTask

# Spark refuses a query that has two observations of one name, also from two adaptations.
_OBSERVATIONS = count()


def rows_of_task(listing: DataFrame, task: FragmentTask | RowTask, schema: StructType) -> DataFrame:
    """The columns of the schema, made by tasks of a listing of files."""
    if not task.reports:
        return listing.mapInArrow(task, schema)
    report = StructField(REPORT, from_arrow_type(REPORT_TYPE))
    rows = listing.mapInArrow(task, StructType([*schema.fields, report]))
    name = f"{task.__name__}_{next(_OBSERVATIONS)}"
    return _observed(rows, name, counts_kept=isinstance(task, RowTask))


def _observed(rows: DataFrame, name: str, *, counts_kept: bool) -> DataFrame:
    """The rows alone; what tasks report goes to the listeners of the query."""
    report = F.col(REPORT)
    read = F.sum(report["rows"])
    elapsed_ms = F.max(report["ended_ms"]) - F.min(report["began_ms"])
    metrics = [
        read.alias("rows_in"),
        *([F.sum(report["kept"]).alias("rows_out")] if counts_kept else []),
        (1000 * read / F.greatest(F.lit(1), elapsed_ms)).alias("rows_per_second"),
        F.sum(report["guard_exits"]).alias("guard_exits"),
        F.collect_set(report["variant"]).alias("variants"),
        F.collect_list(report["text"]).alias(REPORTS),
    ]
    return rows.observe(name, *metrics).where(report.isNull()).drop(REPORT)
