"""Sessions in other time zones than UTC: what depends on the zone is native, and as in Spark."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from adaptive.spark.zone_rules import named_zone_literal
from ir.zones import Zone, zone_of
from tests.spark.comparison import (
    EVENTS_DDL,
    assert_same_batch,
    assert_same_stream,
    events,
    reasons,
    session,
    stream,
    write_files,
)

QUICK = ("Europe/Berlin", "Pacific/Apia")
SLOW = ("America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Toronto")
SLOW += ("Africa/Casablanca", "+05:45")
ZONES = (*QUICK, *(pytest.param(zone, marks=pytest.mark.long) for zone in SLOW))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = "date_from_unix_date(cast(floor(unix_seconds(event_time) / 86400) as int))"
# Of each row, as one group: what differs makes another one.
KEYS = (
    "cast(event_time as date)",
    "cast(event_time as string)",
    "year(event_time)",
    "weekofyear(event_time)",
    "hour(event_time)",
    "minute(event_time)",
    "second(event_time)",
    "extract(second from event_time)",
    "date_trunc('minute', event_time)",
    "date_trunc('hour', event_time)",
    "date_trunc('day', event_time)",
    "date_trunc('week', event_time)",
    "date_trunc('quarter', event_time)",
    "date_trunc('fortnight', event_time)",
    f"cast({DAY} as timestamp)",
    f"event_time >= {DAY}",
    "timestampadd(HOUR, value, event_time)",
    "timestampadd(DAY, value, event_time)",
    "timestampadd(MONTH, value, event_time)",
    "timestampdiff(DAY, event_time, timestamp'2021-03-04 05:06:07')",
    "timestampdiff(HOUR, timestamp'2021-03-04 05:06:07', event_time)",
    "event_time + interval '1 02:03:04' day to second",
    "event_time - interval '3 12' day to hour",
    "event_time + interval 5 hours",
    "event_time - interval 7 months",
    "from_utc_timestamp(event_time, 'Australia/Lord_Howe')",
    "to_utc_timestamp(event_time, 'America/Toronto')",
    "to_utc_timestamp(event_time, 'UTC')",
)


def known_zone(name: str) -> Zone:
    """As the JVM knows it."""
    literal = named_zone_literal(name)
    assert literal is not None
    return zone_of(literal.value)


@pytest.fixture
def clicks(spark: SparkSession, data: Path, request: pytest.FixtureRequest) -> DataFrame:
    """Times near the changes of a zone, and of all years that Python has."""
    rng = random.Random(7)
    zone = known_zone(request.param)
    changes = [when for when in zone.changes_s if when > -62_000_000_000]
    if zone.rules:
        changes += [w for year in (2037, 2406, 9000) for w, _ in zone.by_rules(year, year + 2)]
    seconds = [when + rng.choice((-1, 0, 1)) for when in changes]
    seconds += [when + rng.randint(-90_000, 90_000) for when in changes for _ in range(2)]
    seconds += [rng.randint(-62_000_000_000, 250_000_000_000) for _ in range(50)]
    rows = [("view", 1, s + rng.choice((0, 0.25)), rng.randint(-50, 50)) for s in seconds]
    write_files(data, [events([*rows, ("view", 1, None, None)])])
    return spark.read.schema(EVENTS_DDL).parquet(str(data))


@pytest.mark.parametrize("clicks", ZONES, indirect=True)
def test_local_times(
    spark: SparkSession, clicks: DataFrame, request: pytest.FixtureRequest
) -> None:
    zone = request.node.callspec.params["clicks"]
    with session(spark, **{"spark.sql.session.timeZone": zone}):
        keys = [F.expr(text).alias(f"k{place}") for place, text in enumerate(KEYS)]
        assert_same_batch(clicks.groupBy("event_time", *keys).agg(F.count("*")))


@pytest.mark.long
def test_all_zones(spark: SparkSession) -> None:
    """Offsets and the way back, as java.time has them, around changes and at random times."""
    rng = random.Random(3)
    time = spark._jvm.java.time
    for name in sorted(time.ZoneId.getAvailableZoneIds()):
        if not _has_rules(name):
            continue
        zone_id, zone = time.ZoneId.of(name), known_zone(name)
        changes = [*zone.changes_s, *(w for w, _ in zone.by_rules(2037, 2406))]
        seconds = [rng.choice(changes) + step for _ in range(6) for step in (-1, 0, 3_599)]
        seconds += [rng.randint(-60_000_000_000, 250_000_000_000) for _ in range(5)]
        for second in seconds:
            offset = zone_id.getRules().getOffset(time.Instant.ofEpochSecond(second))
            assert zone.offset_us(second * 10**6) == offset.getTotalSeconds() * 10**6, name
            local = second + rng.randint(-50_000, 50_000)
            wall = time.LocalDateTime.ofEpochSecond(local, 0, time.ZoneOffset.UTC)
            instant = wall.atZone(zone_id).toEpochSecond()
            assert zone.instant_us(local * 10**6) == instant * 10**6, name


def _has_rules(name: str) -> bool:
    literal = named_zone_literal(name)
    return literal is not None and bool(zone_of(literal.value).changes_s)


@pytest.mark.parametrize("clicks", ["America/New_York"], indirect=True)
def test_a_stream_of_local_days(
    spark: SparkSession, clicks: DataFrame, data: Path, tmp_path: Path
) -> None:
    """Windows are of UTC also in such a session; what is shown of them is Spark's."""
    with session(spark, **{"spark.sql.session.timeZone": "America/New_York"}):
        by_day = (
            stream(spark, data)
            .withWatermark("event_time", "1 minute")
            .groupBy(F.window("event_time", "6 hours"), F.hour("event_time").alias("hour"))
            .agg(F.count("*").alias("n"))
        )
        assert_same_stream(by_day, "update", tmp_path)


@pytest.mark.parametrize("clicks", ["America/New_York"], indirect=True)
def test_what_stays_in_spark(spark: SparkSession, clicks: DataFrame) -> None:
    with session(spark, **{"spark.sql.session.timeZone": "America/New_York"}):
        apart = "months_between(event_time, timestamp'2020-02-29 01:02:03')"
        assert "session.timeZone to UTC" in reasons(clicks.groupBy(F.expr(apart)).count())
        nowhere = "from_utc_timestamp(event_time, 'Nowhere/Land')"
        assert "not the name" in reasons(clicks.groupBy(F.expr(nowhere)).count())
        some = "from_utc_timestamp(event_time, event_type)"
        assert "constant zone" in reasons(clicks.groupBy(F.expr(some)).count())


def _written(zone_name: str) -> list[str]:
    """Times as text, most without a zone, around the changes of one."""
    rng = random.Random(11)
    zone = known_zone(zone_name)
    changes = [when for when in zone.changes_s if when > -62_000_000_000]
    changes += [when for when, _ in zone.by_rules(2030, 2034)] if zone.rules else []
    texts = ["2026-1-2", "2026-07-02", "2026-07-02 3:4", "2026-07-02 03:04:05 GMT", "x", "1-1-1"]
    texts += ["0001-01-01T00:00:00", "9999-12-31 23:59:59.999999"]
    for change in [when + step for when in changes for step in (0, 0, 3_600, -3_600)]:
        moment = EPOCH + timedelta(seconds=change + rng.randint(-90_000, 90_000))
        written = moment.isoformat(rng.choice("T ")).partition("+")[0]
        texts.append(written + rng.choice(("", "", "", ".5", ".123456", "Z", "+01:00")))
    return texts


@pytest.mark.long
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata", "Pacific/Apia"])
def test_texts_without_a_zone(spark: SparkSession, data: Path, zone: str) -> None:
    """Of JSON in the session's zone, and of CSV in that of an option."""
    texts = _written(zone)
    lines = [f'{{"time":"{text}","n":{place}}}' for place, text in enumerate(texts)]
    (data / "part.json").write_text("\n".join(lines))
    (data / "part.csv").write_text("\n".join(f"{text},{n}" for n, text in enumerate(texts)))
    ddl = "time timestamp, n int"
    with session(spark, **{"spark.sql.session.timeZone": zone}):
        files = spark.read.schema(ddl).json(str(data / "part.json"))
        time = F.unix_micros("time")  # Python has not all of them
        rows = assert_same_batch(files.groupBy(time, "n").agg(F.max(F.hour("time"))))
    assert len(rows) == len(texts)
    files = spark.read.schema(ddl).option("timeZone", zone).csv(str(data / "part.csv"))
    assert_same_batch(files.groupBy(time, "n").agg(F.count("*")))
