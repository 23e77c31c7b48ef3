"""The driver of an application on a cluster: one stream in append mode and one in update mode.

Run with the path of a JSON file of settings; a second start goes on from the checkpoints.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import adaptive as ad

EVENTS = "event_type string, campaign_id bigint, event_time timestamp, value int, price double"
MODES = ("append", "update")


def revenue(events: DataFrame) -> DataFrame:
    """By window, with a watermark: rows leave once."""
    return (
        events.where("event_type = 'view'")
        .withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "10 seconds"), "campaign_id")
        .agg(F.sum("value").alias("revenue"), F.count("*").alias("n"))
        .select(F.unix_timestamp("window.start").alias("start"), "campaign_id", "revenue", "n")
    )


def totals(events: DataFrame) -> DataFrame:
    """By campaign, without end: rows leave again and again."""
    return (
        events.where("event_type = 'view'")
        .groupBy("campaign_id")
        .agg(F.sum("value").alias("revenue"), F.count("*").alias("n"))
    )


class Run:
    """Both queries, natively or through `adaptive`, with their sinks and checkpoints."""

    def __init__(self, spark: SparkSession, folder: Path, data: str, name: str) -> None:
        self._spark, self._data = spark, data
        self._out, self._checkpoints = folder / f"{name}-out", folder / f"{name}-checkpoints"

    def start(self, policy: Any, until_all: bool) -> list[StreamingQuery]:
        """Start both; `policy` None is Spark alone."""
        queries = {"append": revenue(self._stream()), "update": totals(self._stream())}
        if policy is not None:
            adapted = {
                mode: ad.adaptive(df, mode="always", policy=policy) for mode, df in queries.items()
            }
            queries = adapted
        return [self._started(df, mode, until_all) for mode, df in queries.items()]

    def rows(self) -> dict[str, list[Any]]:
        """What the sinks hold, duplicates included."""
        appended = self._spark.read.parquet(str(self._out / "append"))
        updated = self._spark.read.parquet(
            str(self._out / "update")
        )  # with the number of the batch
        return {
            "append": sorted(map(list, appended.collect())),
            "update": sorted(map(list, updated.collect())),
        }

    def _stream(self) -> DataFrame:
        reader = self._spark.readStream.schema(EVENTS).option("maxFilesPerTrigger", 1)
        return reader.parquet(self._data)

    def _started(self, df: DataFrame, mode: str, until_all: bool) -> StreamingQuery:
        place = str(self._out / mode)
        writer = df.writeStream.outputMode(mode).option(
            "checkpointLocation", str(self._checkpoints / mode)
        )
        if until_all:
            writer = writer.trigger(availableNow=True)
        if mode == "append":
            return writer.format("parquet").option("path", place).start()
        return writer.foreachBatch(Overwritten(place)).start()


class Overwritten:
    """A sink for update mode that is exactly-once: a batch that comes again replaces itself."""

    def __init__(self, place: str) -> None:
        self._place = place

    def __call__(self, rows: DataFrame, batch: int) -> None:
        if not rows.isEmpty():
            rows.coalesce(1).write.mode("overwrite").parquet(f"{self._place}/batch={batch}")


def session(settings: dict[str, Any]) -> SparkSession:
    """A session on the cluster, on loopback addresses."""
    options = {
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        # Whether a micro-batch without a file comes between two depends on their times, and rows
        # are late by the watermark of the batch before: without such batches, all drop the same.
        "spark.sql.streaming.noDataMicroBatches.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(settings["master"]).appName("kodiak-cluster-tests")
    for name, value in options.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    if "package" in settings:
        spark.sparkContext.addPyFile(ad.package(settings["package"]))
    return spark


def policy_of(settings: dict[str, Any]) -> Any:
    """Wrong bets and a kill, or what users get."""
    if "victim" not in settings:
        return "adaptive"
    from tests.cluster.faults import VARIANTS, KillOnce

    folder, victim = settings["folder"], settings["victim"]
    return KillOnce(variants=VARIANTS, seed=3, victim=victim, folder=folder, after_rows=4_000)


def told(query: StreamingQuery) -> dict[str, Any]:
    """What the history says, as JSON."""
    history = ad.history(query)
    return {
        "rows": history.rows,
        "guard_exits": sum(use.guard_exits for use in history),
        "variants": len({use.spec for use in history}),
        "executors": sorted({use.executor for use in history}),
        "workers": sorted({use.pid for use in history}),
        "batches": [batch.batch_id for batch in history.batches],
    }


def main() -> None:
    settings = json.loads(Path(sys.argv[1]).read_text())
    folder = Path(settings["folder"])
    (folder / "driver.pid").write_text(str(os.getpid()))
    spark = session(settings)
    run = Run(spark, folder, settings["data"], "adapted")
    queries = run.start(policy_of(settings), until_all=False)
    while not Path(settings["data"], "_complete").exists():
        time.sleep(0.1)
    for query in queries:
        query.processAllAvailable()
    result = {"adapted": run.rows(), "history": dict(zip(MODES, map(told, queries), strict=True))}
    for query in queries:
        query.stop()
    if settings.get("native"):
        native = Run(spark, folder, settings["data"], "native")
        for query in native.start(None, until_all=True):
            query.awaitTermination()
        result["native"] = native.rows()
    (folder / "result.json").write_text(json.dumps(result))
    spark.stop()


if __name__ == "__main__":
    main()
