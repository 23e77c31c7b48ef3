"""Joins with a small table below an aggregate: the rows of Spark, in the same micro-batches."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from tests.spark.comparison import (
    Rows,
    assert_same_batch,
    assert_same_stream,
    reasons,
    rows_of,
    session,
    stream,
    taken_over,
    write_files,
)

COLUMNS = pa.schema(
    [
        pa.field("event_type", pa.string()),
        pa.field("ad_id", pa.string()),
        pa.field("number", pa.int32()),
        pa.field("event_time", pa.timestamp("us", tz="UTC")),
        pa.field("price", pa.float64()),
    ]
)
DDL = "event_type string, ad_id string, number int, event_time timestamp, price double"
NAN = float("nan")
Batches = list[tuple[int, Rows]]


def clicks(
    *rows: tuple[str | None, str | None, int | None, float | None, float | None],
) -> pa.Table:
    """Events from (type, ad, number, seconds, price)."""
    kinds, ads, numbers, seconds, prices = zip(*rows, strict=True)
    times = [None if s is None else round(s * 1_000_000) for s in seconds]
    return pa.table([kinds, ads, numbers, times, prices], schema=COLUMNS)


# "z" has no campaign, "b" has two; the third file is late in part, and only ads that have no
# campaign take the watermark there.
FILES = [
    clicks(("view", "a", 1, 1, 0.0), ("view", "b", 2, 2, -0.0), ("click", "a", 1, 3, 1.0)),
    clicks(("view", "a", 1, 12, NAN), ("view", None, 2, 14, 2.0), ("view", "c", 3, 31, None)),
    clicks(("view", "z", 7, 95, 0.5), ("view", "a", 1, 27, 1.0), ("view", "b", 1, 3, 1.0)),
    clicks(("view", "c", 1, 46, 0.0), ("view", "b", None, 61, 3.0), ("view", "a", 2, 64, 0.0)),
    clicks(("view", "a", 1, 99, 1.0), ("view", "c", 3, 70, 1.0), ("view", "a", 1, 141, 0.0)),
]
ADS = [
    *(("a", "first", 1, 10), ("b", "second", 2, 20), ("b", "first", 2, None)),
    *(("c", None, 3, 30), (None, "nobody", None, 99), ("unused", "third", 9, 0)),
]


@pytest.fixture
def ads(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Ads and their campaigns, in files."""
    names = ("ad", "campaign", "number", "bid")
    folder = tmp_path / "ads"
    folder.mkdir()
    table = pa.table(dict(zip(names, zip(*ADS, strict=True), strict=True)))
    pq.write_table(table, folder / "part-0.parquet")
    return spark.read.parquet(str(folder))


def counted(joined: DataFrame, *more: str) -> DataFrame:
    windows = F.window("event_time", "10 seconds")
    return joined.groupBy(windows, "campaign", *more).agg(
        F.count("*").alias("rows"), F.sum("bid").alias("bids"), F.max("price").alias("price")
    )


def views(df: DataFrame) -> DataFrame:
    return df.where(F.col("event_type") == "view")


@pytest.mark.long
@pytest.mark.parametrize("order", ["before", "behind"])
def test_the_watermark_before_and_behind_the_join(
    spark: SparkSession, data: Path, tmp_path: Path, ads: DataFrame, order: str
) -> None:
    """Before the join, rows without a campaign move the watermark; behind it they do not.

    Nor is the watermark moved by fewer rows where only one campaign, or one ad, is asked for:
    Spark looks for campaigns in the table, and for ads before the watermark.
    """
    write_files(data, FILES, group_rows=2)
    events = views(stream(spark, data, DDL))
    if order == "before":
        events = events.withWatermark("event_time", "10 seconds")
    joined = events.join(ads, F.col("ad_id") == F.col("ad"))
    if order == "behind":
        joined = joined.withWatermark("event_time", "10 seconds")
    native = assert_same_stream(counted(joined), "append", tmp_path / "all")
    assert sum(len(rows) for _, rows in native) > 3
    some = counted(joined, "ad_id").where("campaign = 'first' and ad_id = 'a'")
    assert_same_stream(some, "append", tmp_path / "some")


def test_a_left_join_behind_the_watermark(
    spark: SparkSession, data: Path, tmp_path: Path, ads: DataFrame
) -> None:
    """No row is lost; a filter on the campaign makes an inner join of it, before the watermark."""
    write_files(data, FILES)
    events = views(stream(spark, data, DDL)).withWatermark("event_time", "10 seconds")
    joined = events.join(ads, F.col("ad_id") == F.col("ad"), "left")
    assert_same_stream(counted(joined).where("rows > 0"), "append", tmp_path)
    assert "behind withWatermark tells Spark" in reasons(
        counted(joined).where("campaign = 'second'")
    )


def test_a_filter_on_what_rows_are_joined_by(
    spark: SparkSession, data: Path, ads: DataFrame
) -> None:
    """Spark knows that the rows have the same value, and drops others before the watermark."""
    write_files(data, FILES[:1])
    events = stream(spark, data, DDL).withWatermark("event_time", "10 seconds")
    joined = events.join(ads, F.col("ad_id") == F.col("ad"))
    assert "`ad` from a join behind withWatermark" in reasons(
        counted(joined, "ad").where("ad = 'a'")
    )
    taken_over(counted(joined, "ad_id", "campaign").where("ad_id = 'a' and campaign = 'first'"))


def test_kinds_of_joins_and_keys(spark: SparkSession, data: Path, ads: DataFrame) -> None:
    """Zeros, NaN, nulls and duplicates among the keys; one key or several; tables of all kinds."""
    write_files(data, FILES)
    events = spark.read.schema(DDL).parquet(str(data))
    by_ad = F.col("ad_id") == F.col("ad")
    totals = [F.count("*").alias("rows"), F.sum("price").alias("price")]
    for kind in ("left_semi", "left_anti"):
        assert_same_batch(events.join(ads, by_ad, kind).groupBy("ad_id").agg(*totals))
    for kind in ("inner", "left"):
        joined = events.join(ads, by_ad & (ads.number == events.number), kind)
        assert_same_batch(joined.groupBy("campaign", "bid").agg(*totals, F.sum("bid")))
    prices = spark.createDataFrame(
        [(-0.0, "zero"), (NAN, "nan"), (1.0, None)], "p double, n string"
    )
    named = events.join(prices, F.col("price") == F.col("p"))
    assert len(assert_same_batch(named.groupBy("n").agg(*totals))) == 3
    # The rows on the right, a computed table, a further condition, a key that is computed.
    bids = ads.where("bid > 5").groupBy("campaign").agg(F.max("bid").alias("best"))
    chained = F.broadcast(ads).join(
        events, (F.upper("ad") == F.upper("ad_id")) & (F.col("bid") > F.col("price"))
    )
    chained = chained.join(F.broadcast(bids), "campaign").where("best > 10 or bid is null")
    assert_same_batch(chained.groupBy(F.concat("campaign", "ad_id")).agg(*totals, F.max("best")))
    nothing = spark.sql("select * from values ('a', 'b') t(ad, campaign) where ad = 'x'")
    assert_same_batch(events.join(nothing, by_ad, "left").groupBy("campaign").agg(*totals))


def test_a_table_that_changes_while_the_stream_runs(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """A file that is replaced is read anew in the next micro-batch, one that vanishes fails it."""
    write_files(data, FILES[:3])
    seen = []
    for name in ("native", "adapted"):
        folder = tmp_path / name
        folder.mkdir()
        write_campaigns(folder, "old")
        table = spark.read.parquet(str(folder))
        df = stream(spark, data, DDL).join(table, F.col("ad_id") == F.col("ad"))
        df = df.groupBy("campaign").count()
        batches: Batches = []

        def receive(
            out: DataFrame, number: int, folder: Path = folder, batches: Batches = batches
        ) -> None:
            batches.append((number, rows_of(out)))
            if number == 0:
                write_campaigns(folder, "new")
            else:
                (folder / "part-0.parquet").unlink()

        adapted = taken_over(df) if name == "adapted" else df
        query = adapted.writeStream.outputMode("update").foreachBatch(receive)
        query = query.option("checkpointLocation", str(tmp_path / f"{name}-checkpoint"))
        with pytest.raises(StreamingQueryException, match="FILE_NOT_EXIST"):
            query.trigger(availableNow=True).start().awaitTermination()
        seen.append(batches)
    assert seen[0] == seen[1] == [(0, [("old", 2)]), (1, [("new", 1)])]


def write_campaigns(folder: Path, campaign: str) -> None:
    pq.write_table(pa.table({"ad": ["a"], "campaign": [campaign]}), folder / "part-0.parquet")


def test_what_is_said_and_what_stays_in_spark(
    spark: SparkSession, data: Path, ads: DataFrame
) -> None:
    write_files(data, FILES[:1])
    events = stream(spark, data, DDL)
    by_ad = F.col("ad_id") == F.col("ad")
    text = str(ad.explain(events.join(ads, by_ad).groupBy("campaign").count()))
    assert "join with table0 by ad_id: campaign; found0 where it has a partner" in text
    assert "compute table0 anew in each run, send it to the tasks" in text

    def why(joined: DataFrame) -> str:
        return reasons(joined.groupBy("ad_id").count())

    assert "joins by no equal columns" in why(events.join(ads, F.col("ad_id") < F.col("ad")))
    assert "beside equal columns" in why(
        events.join(ads, by_ad & (F.col("bid") > F.col("price")), "left")
    )
    assert "can fail" in why(events.join(ads, F.col("ad_id").cast("int") == ads.number))
    marked = events.withWatermark("event_time", "1 second")
    assert "put withWatermark behind the join" in why(marked.join(ads, by_ad, "left_semi"))
    assert "has a stream where it needs a table" in why(ads.join(events, by_ad, "left"))
    late = events.join(ads, by_ad).withWatermark("event_time", "1 second")
    assert "before withWatermark" in why(late.where("event_time > timestamp'1970-01-01'"))
    with session(spark, **{"spark.sql.autoBroadcastJoinThreshold": "10"}):
        assert "bytes by Spark's estimate" in why(events.join(ads, by_ad))
        taken_over(events.join(F.broadcast(ads), by_ad).groupBy("ad_id").count())
