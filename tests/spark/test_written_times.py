"""Times as text: in regions, short names, offsets and without a date, as Spark reads them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from adaptive.spark.zone_rules import _regions_text, named_zone_literal, written_times_literal
from ir.calendar import SECOND_US
from ir.parsing_times import parse_timestamp
from ir.regions import WrittenTimes, written_times
from ir.zones import zone_of
from tests.ir.cast_inputs import TEXTS
from tests.spark.comparison import (
    Rows,
    assert_same_batch,
    assert_same_stream,
    reasons,
    session,
    taken_over,
    write_files,
)
from tests.time_texts import REGIONS, moments_of, time_text
from tests.tzdb_file import tzdb_file
from tests.zones import BERLIN

SESSION_ZONE = "spark.sql.session.timeZone"
ZONES = ("UTC", "America/New_York", "Pacific/Apia", "+05:45")


MODES = ("PERMISSIVE", "DROPMALFORMED")
LAWS = ("true", "false", "false", "true")


def some_of(others: Sequence[str], few: Iterable[tuple[str, str]]) -> list[Any]:
    """All pairs with the zones, of which only a few are for every day."""
    pairs, usual = [(zone, other) for zone in ZONES for other in others], set(few)
    return [p if p in usual else pytest.param(*p, marks=pytest.mark.long) for p in pairs]


def again(check: Callable[[], Rows]) -> Rows:
    """Midnight of some zone may be between a query and the same in Spark, but not twice."""
    try:
        return check()
    except AssertionError:
        return check()


def times_in(name: str) -> WrittenTimes:
    return written_times(written_times_literal(named_zone_literal(name)).value)


def random_texts(rng: random.Random, times: WrittenTimes, count: int) -> list[str]:
    """In all regions, around the changes of each, of today only some."""
    names = [*sorted(times.regions.zones), *sorted(times.regions.short_names)]
    made = []
    for _ in range(count):
        name = rng.choice(names)
        zone = times.regions.zone(name) or times.zone
        [moment] = moments_of(rng, rng.choice((zone, times.zone)), 1)
        made.append(time_text(rng, moment, [name, *REGIONS]))
    return made


@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.long)])
def test_the_rules_of_regions(spark: SparkSession, count: int) -> None:
    """What the JVM's file says is what java.time says."""
    zones = times_in("UTC").regions.zones
    ids = spark._jvm.java.time.ZoneId.getAvailableZoneIds()
    assert sorted(zones) == sorted(str(name) for name in ids)
    names = sorted(set(zones) - set(times_in("UTC").regions.short_names))
    for name in random.Random(8).sample(names, min(count, len(names))):
        literal, found = named_zone_literal(name), zones[name]
        wanted = zone_of("UTC;0;;" if literal is None else literal.value)
        assert (found.offsets_s, found.changes_s) == (wanted.offsets_s, wanted.changes_s)
        assert found.rules == wanted.rules, name


@pytest.mark.long
def test_all_regions_against_java(spark: SparkSession) -> None:
    """Texts in each region, around its changes and at random, as java.time has their instants."""
    rng, times = random.Random(9), times_in("UTC")
    time, none = spark._jvm.java.time, spark._jvm.java.time.ZoneOffset.UTC
    for name in sorted(set(times.regions.zones) - set(times.regions.short_names)):
        zone_id = time.ZoneId.of(name)
        for moment in moments_of(rng, times.regions.zones[name], 12):
            second = moment // SECOND_US
            wall = time.LocalDateTime.ofEpochSecond(second, 0, none)
            text = f"{str(wall.toString()).replace('T', ' ')}"
            if len(text) == len("2024-07-01 12:00"):
                text += ":00"
            instant = wall.atZone(zone_id).toEpochSecond()
            assert parse_timestamp(f"{text} {name}", times) == instant * SECOND_US, (text, name)


@pytest.mark.parametrize("zone", ZONES)
def test_the_evaluator(spark: SparkSession, zone: str) -> None:
    """Random texts, each as Spark reads it; the day may change meanwhile."""
    with session(spark, **{SESSION_ZONE: zone, "spark.sql.ansi.enabled": "false"}):
        times = times_in(zone)
        texts = [*TEXTS, *random_texts(random.Random(zone), times, 4_000)]
        table = spark.createDataFrame(pa.table({"v": texts}))
        for _ in range(2):
            found = table.selectExpr("unix_micros(cast(v as timestamp))").toArrow()
            made = [parse_timestamp(text, times) for text in texts]
            wanted = found.column(0).to_pylist()
            if made == wanted:
                break
    assert [x for x in zip(texts, made, wanted, strict=True) if x[1] != x[2]] == []
    assert sum(moment is not None for moment in wanted) > 2_000


@pytest.fixture
def texts(spark: SparkSession, data: Path, request: pytest.FixtureRequest) -> DataFrame:
    """A column of random texts of times, and one of those that are right in all zones."""
    known = [times_in(zone) for zone in ZONES]
    some: list[str | None] = [None, *TEXTS, *random_texts(random.Random(3), known[0], 700)]
    right = [t for t in some if t and None not in [parse_timestamp(t, times) for times in known]]
    few = [right[place % len(right)] for place in range(len(some))]
    write_files(data, [pa.table({"v": some, "w": few, "n": list(range(len(some)))})])
    return spark.read.parquet(str(data))


@pytest.mark.parametrize(
    ("zone", "ansi"), some_of(("true", "false"), zip(ZONES, LAWS, strict=True))
)
def test_casts(spark: SparkSession, texts: DataFrame, zone: str, ansi: str) -> None:
    """In all modes, and by the functions that are a cast."""
    with session(spark, **{SESSION_ZONE: zone, "spark.sql.ansi.enabled": ansi}):
        columns = [
            "unix_micros(try_cast(v as timestamp))",
            "unix_micros(cast(w as timestamp))",
            "unix_micros(to_timestamp(w))",
            "unix_micros(try_to_timestamp(v))",
            "hour(timestamp(w))",
            "unix_date(try_cast(v as date))",
            "unix_micros(cast('2024-07-01 12:00:00 Asia/Tokyo' as timestamp))",
        ]
        if ansi == "false":
            columns += ["unix_micros(cast(v as timestamp))", "unix_micros(to_timestamp(v))"]
        made = texts.selectExpr("n", *(f"{c} as c{place}" for place, c in enumerate(columns)))
        again(lambda: assert_same_batch(made.groupBy(*made.columns).count()))


def test_filters_and_windows(spark: SparkSession, texts: DataFrame) -> None:
    with session(spark, **{SESSION_ZONE: "Asia/Kolkata"}):
        kept = texts.filter("try_cast(v as timestamp) > timestamp'2000-01-01 00:00:00'")
        day = F.date_trunc("month", F.expr("try_cast(v as timestamp)"))
        months = kept.groupBy(F.unix_micros(day).alias("d")).agg(F.count("*"))
        again(lambda: assert_same_batch(months))
        hours = F.window(F.expr("cast(w as timestamp)"), "6 hours")
        counted = texts.filter("w between '1990' and '2030'").groupBy(hours).agg(F.sum("n"))
        assert_same_batch(counted)


def test_an_error_of_ansi(spark: SparkSession, texts: DataFrame) -> None:
    df = texts.groupBy(F.expr("cast(v as timestamp)").alias("t")).count()
    for made in (df, taken_over(df)):
        with pytest.raises(PySparkException, match="CAST_INVALID_INPUT"):
            made.collect()


def test_today_is_not_folded(spark: SparkSession, texts: DataFrame) -> None:
    """Of a stream, it is another day some time."""
    df = texts.groupBy((F.col("n") % 7).alias("k")).agg(F.max(F.expr("cast('12:30' as timestamp)")))
    assert "parse_timestamp" in str(ad.explain(df).tree)
    again(lambda: assert_same_batch(df))
    made = F.expr("cast(cast('12:30' as string) as timestamp) + interval 1 day")
    tomorrow = texts.groupBy(F.expr("n % 7 as k")).agg(F.max(made))
    assert "parse_timestamp" in str(ad.explain(tomorrow).tree)
    again(lambda: assert_same_batch(tomorrow))


LINES = 400


@pytest.mark.parametrize(("zone", "mode"), some_of(MODES, zip(ZONES, MODES * 2, strict=True)))
def test_json_and_csv(spark: SparkSession, data: Path, zone: str, mode: str) -> None:
    """Records whose times are in regions, or of today."""
    rng = random.Random(zone)
    some = [text.strip() for text in random_texts(rng, times_in("UTC"), LINES)]
    some = [text for text in some if text.isprintable() and '"' not in text]
    some += ["2024-07-01 12:00:00 GMTEurope/Berlin", "2024-07-01 12:00:00 GMT1"]
    lines = [json.dumps({"time": text, "n": place}) for place, text in enumerate(some)]
    (data / "part.json").write_text("\n".join(lines))
    (data / "part.csv").write_text("\n".join(f"{text},{n}" for n, text in enumerate(some)))
    with session(spark, **{SESSION_ZONE: zone}):
        reader = spark.read.schema("time timestamp, n int").option("mode", mode)
        for files in (reader.json(str(data / "part.json")), reader.csv(str(data / "part.csv"))):
            time = F.unix_micros("time")
            counted = files.groupBy(time, "n").agg(F.max(F.hour("time")))
            rows = again(partial(assert_same_batch, counted))
            assert sum(row[0] is not None for row in rows) > LINES / 2


def test_a_stream_whose_event_time_is_text(
    spark: SparkSession, texts: DataFrame, data: Path, tmp_path: Path
) -> None:
    with session(spark, **{SESSION_ZONE: "America/New_York"}):
        recent = spark.readStream.schema(texts.schema).parquet(str(data))
        timed = recent.filter("w between '1990' and '2030'").withColumn("t", F.to_timestamp("w"))
        windows = timed.withWatermark("t", "1 day").groupBy(F.window("t", "30 days"))
        assert_same_stream(windows.agg(F.count("*").alias("n")), "update", tmp_path)


def test_a_jvm_without_the_file_of_rules(
    spark: SparkSession, texts: DataFrame, tmp_path: Path
) -> None:
    """Or with another than it has regions: then such casts stay in Spark."""
    system = spark._jvm.java.lang.System
    home = system.getProperty("java.home")
    df = texts.groupBy(F.expr("try_cast(v as timestamp)").alias("t")).count()
    (tmp_path / "lib").mkdir()
    system.setProperty("java.home", str(tmp_path))
    try:
        for content, reason in (
            (None, "cannot be read"),
            (b"\x01\x00\x04TZDB", "cannot be read"),
            (tzdb_file({"Europe/Berlin": BERLIN}), "DefaultZoneRulesProvider"),
        ):
            _regions_text.cache_clear()
            if content is not None:
                (tmp_path / "lib" / "tzdb.dat").write_bytes(content)
            assert reason in reasons(df)
    finally:
        system.setProperty("java.home", home)
        _regions_text.cache_clear()
    again(lambda: assert_same_batch(df.agg(F.count("*"), F.max(F.unix_micros("t")))))
