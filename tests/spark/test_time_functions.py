"""Functions of dates, timestamps and numbers inside whole queries, natively and in Spark."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.spark.comparison import (
    EVENTS_DDL,
    assert_same_batch,
    events,
    reasons,
    session,
    write_files,
)

# As keys: what differs makes another group.
KEYS = (
    "date_trunc('hour', event_time)",
    "date_trunc('MON', event_time)",
    "date_trunc('fortnight', event_time)",
    "to_date(event_time)",
    "year(event_time)",
    "dayofyear(event_time)",
    "weekday(event_time)",
    "event_time > date'2001-02-03'",
    "cast(date_from_unix_date(value) as timestamp)",
    "hour(event_time)",
    "minute(event_time)",
    "second(event_time)",
    "months_between(event_time, timestamp'2020-02-29 01:02:03')",
    "unix_seconds(event_time)",
    "unix_timestamp(event_time)",
    "timestampadd(MONTH, value, event_time)",
    "timestampadd(HOUR, value, event_time)",
    "timestampdiff(DAY, event_time, timestamp'2021-03-04 05:06:07')",
    "event_time + interval '1 02:03:04' day to second",
    "event_time - interval 90 minutes",
    "event_time + interval 1 year",
    "timestamp_seconds(campaign_id * 1000)",
    "timestamp_seconds(price)",
    "timestamp_millis(value)",
    "date_add(date_from_unix_date(value), value)",
    "add_months(date_from_unix_date(value), 7)",
    "last_day(date_from_unix_date(value * 100))",
    "weekofyear(date_from_unix_date(value * 100))",
    "extract(yearofweek from date_from_unix_date(value * 100))",
    "dayofmonth(make_date(2020, 1 + abs(value) % 12, 28))",
    "trunc(date_from_unix_date(value), 'quarter')",
    "next_day(date_from_unix_date(value), 'fri')",
    "datediff(date_from_unix_date(value), date'2020-01-01')",
    "round(value, -1)",
    "bround(value, -1)",
    "round(price, 1)",
    "pmod(value, 7)",
    "shiftleft(value, 3) + shiftrightunsigned(value, 28)",
)
MEASURES = ("round(price)", "bround(price, 1)", "log2(value)", "sin(price)", "cbrt(price)")


@pytest.fixture
def clicks(spark: SparkSession, data: Path) -> DataFrame:
    rng = random.Random(3)
    rows = [
        ("view", rng.randint(-5, 5), rng.uniform(-2e9, 2e9), rng.randint(-500, 500))
        for _ in range(400)
    ]
    write_files(data, [events([*rows, ("view", 1, None, None)])])
    return spark.read.schema(EVENTS_DDL).parquet(str(data))


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, len(KEYS), 8))
def test_keys(clicks: DataFrame, first: int) -> None:
    keys = [F.expr(text).alias(f"k{i}") for i, text in enumerate(KEYS[first : first + 8])]
    assert_same_batch(clicks.groupBy(*keys).agg(F.count("*")))


def test_measures(clicks: DataFrame) -> None:
    sums = [F.sum(F.expr(text)).alias(f"s{i}") for i, text in enumerate(MEASURES)]
    assert_same_batch(clicks.groupBy("campaign_id").agg(*sums))


def test_what_is_the_same_in_every_zone(spark: SparkSession, clicks: DataFrame) -> None:
    keys = ("unix_micros(event_time)", "timestampadd(MINUTE, 5, event_time)")
    keys += ("date_trunc('second', event_time)", "event_time - interval 5 hours")
    with session(spark, **{"spark.sql.session.timeZone": "America/New_York"}):
        assert_same_batch(clicks.groupBy(*map(F.expr, keys)).count())


def test_reasons(spark: SparkSession, clicks: DataFrame) -> None:
    by_unit = clicks.groupBy(F.expr("date_trunc(event_type, event_time)")).count()
    assert "needs a constant" in reasons(by_unit)
    with session(spark, **{"spark.sql.ansi.enabled": "false"}):
        made = clicks.groupBy(F.expr("make_date(value, 1, 1)")).count()
        assert "only in ANSI mode" in reasons(made)
