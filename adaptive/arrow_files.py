"""`read_arrow` and `read_arrow_stream`: Arrow IPC files as Spark DataFrames."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

# Spark is imported only here: Engine users need no JVM, and import no pyspark.


def read_arrow(
    spark: SparkSession, path: str, schema: str | StructType | None = None, **options: str
) -> DataFrame:
    """Arrow IPC files as a table; without a schema, it is that of the first file.

    Columns are found by name, missing ones are null, others are ignored. `options` are those
    of Spark's file sources that say which files are read. The rows are the same whether
    `adaptive` takes the query over or not.
    """
    from adaptive.spark import arrow_files

    return arrow_files.read_arrow(spark, path, schema, **options)


def read_arrow_stream(
    spark: SparkSession, path: str, schema: str | StructType, **options: str
) -> DataFrame:
    """Arrow IPC files as a stream, with the options of Spark's file source."""
    from adaptive.spark import arrow_files

    return arrow_files.read_arrow_stream(spark, path, schema, **options)
