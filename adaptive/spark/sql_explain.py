"""SQL text over Parquet files, explained: the command `adaptive explain`."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import DataFrame, SparkSession

from adaptive.explain import Explanation
from adaptive.spark.adapt import explain_frame


class NotExplained(ValueError):
    """A table or a query that Spark does not read; the text is Spark's first line."""


def explain_sql(
    spark: SparkSession, query: str, tables: Mapping[str, str], stream: bool = False
) -> Explanation:
    """What of a query would be native; nothing is run."""
    # PySpark logs each query that it refuses, with the JVM's stack; one line says it here.
    PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    try:
        for name, path in tables.items():
            _table(spark, path, stream).createOrReplaceTempView(name)
        return explain_frame(spark.sql(query))
    except PySparkException as error:
        raise NotExplained(str(error).strip().splitlines()[0]) from error


def _table(spark: SparkSession, path: str, stream: bool) -> DataFrame:
    """The files as a table, or as a stream of the same columns."""
    files = spark.read.parquet(path)
    return spark.readStream.schema(files.schema).parquet(path) if stream else files
