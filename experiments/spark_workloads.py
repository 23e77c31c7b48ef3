"""The queries of the experiment `spark`: what they read, what they ask, what they are to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from experiments import spark_data as data

YSB_COLUMNS = "event_type string, campaign_id bigint, event_time timestamp, value bigint"
MILLION = 1_000_000
# The first triggers of a query of many are for starting up.
STARTING_TRIGGERS = 5


@dataclass(frozen=True, slots=True)
class SparkWorkload:
    """A stream query, the files that it reads, and the ratio over Spark alone that is asked for."""

    name: str
    needed: float
    rows: int  # at a scale of 1
    files: Callable[[int], Path]
    columns: str
    query: Callable[[DataFrame], DataFrame]
    file_format: str = "parquet"
    output_mode: str = "update"
    files_a_trigger: int | None = None  # all, unless it is said
    mode: Literal["auto", "always"] = "auto"  # whether Kodiak decides what it takes over

    def scaled_rows(self, scale: float) -> int:
        """Events at a scale; a workload of many triggers keeps their size, and some of them."""
        rows = max(1, round(self.rows * scale))
        if self.files_a_trigger is None:
            return rows
        triggers = max(STARTING_TRIGGERS + 2, round(rows / data.TRIGGER_ROWS))
        return triggers * data.TRIGGER_ROWS

    def counted_rows(self, scale: float) -> int:
        """Events of the triggers that count."""
        rows = self.scaled_rows(scale)
        return (
            rows if self.files_a_trigger is None else rows - STARTING_TRIGGERS * data.TRIGGER_ROWS
        )

    def events(self, spark: SparkSession, folder: Path) -> DataFrame:
        """The files as a stream."""
        reader = spark.readStream.format(self.file_format).schema(self.columns)
        if self.files_a_trigger is not None:
            reader = reader.option("maxFilesPerTrigger", self.files_a_trigger)
        return reader.load(str(folder))


def revenue(events: DataFrame, key: str = "campaign_id") -> DataFrame:
    """The value of views by campaign in windows of 10 s."""
    return (
        events.where(F.col("event_type") == "view")
        .withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "10 seconds"), key)
        .agg(F.sum("value").alias("revenue"))
    )


def views_of_campaigns(events: DataFrame) -> DataFrame:
    """The benchmark as it was first written: a table says to which campaign an event belongs."""
    table = events.sparkSession.createDataFrame(
        data.ad_campaigns(), "ad_id string, campaign_id string"
    )
    return (
        events.where(F.col("event_type") == "view")
        .select("ad_id", "event_time")
        .withWatermark("event_time", "10 seconds")
        .join(table, "ad_id")
        .groupBy(F.window("event_time", "10 seconds"), "campaign_id")
        .count()
    )


def sliding_revenue(events: DataFrame) -> DataFrame:
    """The value of views by campaign in windows of 60 s that begin every second."""
    return (
        events.where(F.col("event_type") == "view")
        .withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "60 seconds", "1 second"), "campaign_id")
        .agg(F.sum("value").alias("revenue"))
    )


def five_filters(events: DataFrame) -> DataFrame:
    """Four predicates that nine rows in ten pass, and then one for one row in a hundred."""
    for column in ("a", "b", "c", "d"):
        events = events.where(F.col(column) >= data.FILTER_RANGE // 10)
    return events.where(F.col("e") < data.FILTER_RANGE // 100)


WORKLOADS: tuple[SparkWorkload, ...] = (
    SparkWorkload("ysb", 4, 40 * MILLION, data.ysb, YSB_COLUMNS, revenue),
    SparkWorkload(
        "ysb, string keys",
        3,
        20 * MILLION,
        data.texts,
        "event_type string, campaign_id string, event_time timestamp, value bigint",
        revenue,
    ),
    SparkWorkload(
        "ysb, static join",
        4,
        20 * MILLION,
        data.ads,
        "event_type string, ad_id string, event_time timestamp",
        views_of_campaigns,
    ),
    SparkWorkload("json lines", 10, 24 * MILLION, data.json_lines, YSB_COLUMNS, revenue, "json"),
    SparkWorkload(
        "sliding 60 s by 1 s", 5, 4 * MILLION, data.sliding, YSB_COLUMNS, sliding_revenue
    ),
    SparkWorkload(
        "five filters",
        3,
        100 * MILLION,
        data.numbers,
        ", ".join(f"{name} bigint" for name in data.FILTER_COLUMNS),
        five_filters,
        output_mode="append",
    ),
    SparkWorkload(
        "filter keeps 1 %",
        3,
        100 * MILLION,
        data.ysb,
        YSB_COLUMNS,
        lambda events: events.where(F.col("value") == 7),
        output_mode="append",
    ),
    SparkWorkload(
        "filter keeps all",
        0.95,
        40 * MILLION,
        data.ysb,
        YSB_COLUMNS,
        lambda events: events.where(F.col("value") >= 0),
        output_mode="append",
    ),
    SparkWorkload(
        "100,000 rows a trigger",
        0.95,
        20 * data.TRIGGER_ROWS,
        data.small_files,
        YSB_COLUMNS,
        revenue,
        files_a_trigger=1,
    ),
)
