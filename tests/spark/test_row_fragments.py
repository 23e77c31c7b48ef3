"""Filters and projections without an aggregate: the rows of Spark, where few of them pass."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from adaptive.spark import row_verdict
from adaptive.spark.mailbox import MOST_RUNS, Letter, Mailbox
from adaptive.spark.row_verdict import VALID_SECONDS, RowCounts, Verdict, Verdicts, known_verdict
from adaptive.spark.telemetry import TaskReport
from ir import GENERIC, FilterOrder, NoNulls, SelectRows, Tier, VariantSpec
from policies import Fixed
from tests.bets import Erratic
from tests.spark.comparison import (
    EVENTS_DDL,
    Received,
    assert_same_batch,
    assert_same_rows,
    assert_same_stream,
    events,
    reasons,
    rows_of,
    stream,
    taken_over,
    write_files,
)

FILES = [
    events([("view", n % 5, n / 3, n) for n in range(90)]),
    events([(None, 1, None, None), ("click", None, 40, 2), ("view", 3, 2, -7)]),
    events([("view", 1, 3, 100)]),
]


def selected(df: DataFrame) -> DataFrame:
    doubled = df.where("try_divide(value, 2) > 10 or event_type is null").withColumn(
        "twice", F.col("price") * 2
    )
    named = doubled.select(
        "event_type",
        "event_time",
        "twice",
        F.upper("event_type").alias("shout"),
        F.lit(1).alias("o"),
    )
    return named.where("twice < 40 or twice is null")


def test_streams(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """The rows of each micro-batch; one of them has none."""
    write_files(data, FILES)
    native = assert_same_stream(selected(stream(spark, data)), "append", tmp_path)
    assert [len(rows) for _, rows in native][:2] == [59, 1]


def test_tables(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """Below a sort and a limit of Spark's; with partition columns, by which files are left out."""
    for day in range(2):
        (data / f"day={day}").mkdir()
        write_files(data / f"day={day}", FILES[day : day + 2], first=day)
    table = spark.read.schema(EVENTS_DDL + ", day int").parquet(str(data))
    assert_same_batch(selected(table).orderBy("event_time", "twice").limit(20))
    some = table.where("day = 1 and value < 50").select("day", "value", F.col("day") + 1)
    assert len(assert_same_batch(some)) == 2
    # A file without the partition is not even opened.
    (data / "day=0" / "part-000.parquet").write_bytes(b"not Parquet")
    assert len(rows_of(taken_over(some))) == 2


def test_whether_it_pays_is_found_out_from_a_few_rows(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Few rows pass, all do, or nothing is known; the filter that drops most comes first."""
    write_files(data, [events([("view", n % 5, n, n % 200) for n in range(1000)])])
    df = stream(spark, data)
    text = str(ad.explain(df.where("value >= 0 and value < 2")))
    assert "the filters keep 1.0% of a sample of 1,000 rows" in text
    # The tree has what comes first at the bottom.
    assert text.index("filter value >= int32 0") < text.index("filter value < int32 2")
    assert "keep 100.0% of a sample" in reasons(df.where("value >= 0"))
    assert "keep 3.0% of a sample" in reasons(df.where("value < 6"))
    assert "no row passes" in reasons(df.where("value > 500"))
    few = df.where("value < 2").select("value")
    assert "fewer than 4 columns" in reasons(few)
    assert ad.explain(few.where("value < 2 and upper(event_type) like 'V%'")).is_native
    assert "neither an aggregate nor a filter" in reasons(df.select("value"))
    assert "can fail" in reasons(df.where("1 / value > 5"))
    assert "filters right above files alone" in reasons(df.join(df, "value").where("value = 1"))
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no rows yet" in reasons(stream(spark, empty).where("value = 1"))
    nested = pa.table({"k": [1, 2], "s": [{"a": 1}, {"a": 2}]})
    pq.write_table(nested, tmp_path / "nested.parquet")
    table = spark.read.parquet(str(tmp_path / "nested.parquet"))
    assert "has type struct<a:bigint>" in reasons(table.where("k = 1"))
    assert len(assert_same_batch(table.where("k = 1").select("k"))) == 1


WRONG = (
    VariantSpec(Tier.SPECULATIVE, (NoNulls(("event_type", "campaign_id")),), GENERIC.hints),
    VariantSpec(Tier.SPECULATIVE, (), (SelectRows(7), FilterOrder((1,), (0,)))),
    VariantSpec(Tier.SPECULATIVE, (), ()),
)


@pytest.mark.parametrize("policy", [Fixed(WRONG[0]), Erratic(variants=WRONG)], ids=["one", "turns"])
def test_wrong_bets_and_reports_change_no_row(
    spark: SparkSession, data: Path, tmp_path: Path, policy: Fixed
) -> None:
    """Nor does a report, whatever the mode of the sink."""
    write_files(data, FILES)
    kept = selected(stream(spark, data))
    for mode, df in (("append", kept), ("update", kept.dropDuplicates(["shout", "o"]))):
        native = Received(df, mode, tmp_path / f"native-{mode}").batches()
        found = Received(taken_over(df, policy), mode, tmp_path / f"adapted-{mode}").batches()
        assert [number for number, _ in found] == [number for number, _ in native]
        if mode == "append":  # which of duplicates is kept may differ
            for (_, actual), (_, expected) in zip(found, native, strict=True):
                assert_same_rows(actual, expected)
        else:
            assert [len(rows) for _, rows in found] == [len(rows) for _, rows in native]


def test_the_history_has_rows_read_and_kept(spark: SparkSession, data: Path) -> None:
    """By micro-batch, one without a row that passes among them."""
    write_files(data, [*FILES, events([("click", 1, 1, 1)] * 7)])
    df = taken_over(selected(stream(spark, data)), Fixed(WRONG[0]))
    query = df.writeStream.format("noop").trigger(availableNow=True).start()
    query.awaitTermination()
    history = ad.history(query)
    assert [(b.rows, b.kept) for b in history.batches] == [(90, 59), (3, 1), (1, 0), (7, 0)]
    assert history.batches_to_arrow()["kept"].to_pylist() == [59, 1, 0, 0]
    assert {use.spec for use in history} == {WRONG[0]}
    assert history.batches[1].guard_exits == 1  # the null
    assert [p["sink"]["numOutputRows"] for p in query.recentProgress] == [59, 1, 0, 0]


def test_the_last_report_of_a_task_counts() -> None:
    """One that is run again reports again; micro-batches that never end are forgotten."""
    box = Mailbox()
    for batch, partition, text in (
        (0, 0, "lost"),
        (1, 0, "a"),
        (1, 1, "b"),
        (1, 0, "c"),
        (2, 0, "d"),
    ):
        box.put(Letter("run", batch, "f", partition, text))
    box.put(Letter("run", 1, "g", 0, "e"))
    assert box.take("run", 1) == {"f": ["c", "b"], "g": ["e"]}
    assert box.take("run", 1) == {}
    assert box.take("run", 2) == {"f": ["d"]}
    assert box.take("other", 2) == {}
    for number in range(MOST_RUNS + 5):
        box.put(Letter(f"run {number}", 0, "f", 0, "x"))
    assert len(box._waiting) == MOST_RUNS


def test_what_the_first_rows_show_is_told_and_decides_the_next_time(
    spark: SparkSession, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream that begins with few rows that pass and goes on with many; its plan stays."""
    monkeypatch.setenv("KODIAK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(row_verdict, "FIRST_ROWS", 1_000)
    write_files(data, [events([("view", n % 5, n, n % 200) for n in range(1_000)])])
    df = stream(spark, data).where("value < 2")
    adapted = ad.adaptive(df)
    assert adapted is not df
    write_files(data, [events([("view", 1, 1, n % 4) for n in range(3_000)])], first=1)

    def run(frame: DataFrame, name: str) -> list[str]:
        writer = frame.writeStream.format("noop").option("checkpointLocation", tmp_path / name)
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        return [event for event in ad.history(query).events if "filters keep" in event]

    monkeypatch.setattr(row_verdict, "STRETCH_ROWS", 2_000)
    first, second = run(adapted, "one")
    assert "keep 1.0% of 1,000 rows (the filters keep 1.0% of a sample of 1,000 rows)" in first
    assert "taking them over pays" in first
    assert "keep 50.0% of 3,000 rows" in second
    assert "stays there when it is started again" in second
    assert "in an earlier run, the filters kept 50.0% of 3,000 rows" in reasons(df)
    # Whoever forces it gets it measured again, and other filters are another query.
    assert "keep 1.0% of 1,000 rows" in run(ad.adaptive(df, mode="always"), "two")[0]
    assert "of a sample of" in reasons(df.where("value < 3"))


def test_a_stream_without_files_is_decided_by_an_earlier_run(
    spark: SparkSession, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KODIAK_CACHE_DIR", str(tmp_path / "cache"))
    df = stream(spark, data).where("value < 2")
    assert "start it again when there are some" in reasons(df)
    forced = ad.adaptive(df, mode="always")
    taken = list(row_verdict.VERDICTS._taken.values())[-1]
    row_verdict.keep(taken.key, Verdict(1_000_000, 10_000, 5, 1, time.time()))
    assert forced is not df
    assert "in an earlier run, the filters kept 1.0% of 1,000,000 rows" in str(ad.explain(df))
    assert "fewer than 4 columns" in reasons(df.select("value"))


def test_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told when they change; kept for a time; broken ones are none."""
    monkeypatch.setenv("KODIAK_CACHE_DIR", str(tmp_path / "cache"))
    verdicts = Verdicts()
    verdicts.took("f", row_verdict.Taken("a query", "because"))

    def judged(rows: int, kept: int, fragment: str = "f") -> str:
        report = TaskReport("1", 1, 0, rows, counts=RowCounts(kept, 100, 25))
        return verdicts.judge("run", fragment, [report]) or ""

    assert judged(100_000, 0, "an aggregate") == ""
    assert judged(60_000, 600) == ""
    assert "keep 1.0% of 120,000 rows (because): taking them over pays" in judged(60_000, 600)
    assert judged(5_000_000, 50_000) == ""
    assert known_verdict("another query") is None
    assert known_verdict("a query") is not None
    told = judged(5_000_000, 4_000_000)
    assert "handing them to Spark takes 25% of the tasks' time" in told
    assert "about as fast" in judged(5_000_000, 150_000)
    kept = known_verdict("a query")
    assert kept is not None
    assert (kept.kept, kept.gains, kept.loses) == (150_000, False, False)
    row_verdict.keep("a query", Verdict(1, 1, at=time.time() - VALID_SECONDS))
    assert known_verdict("a query") is None
    [file] = (tmp_path / "cache" / "verdicts").iterdir()
    file.write_text("{")
    assert known_verdict("a query") is None
    monkeypatch.setenv("KODIAK_CACHE_DIR", "off")
    row_verdict.keep("a query", Verdict(1, 1))
    assert known_verdict("a query") is None
