"""Queries that are built in Python: the plans that they make, and what they say when wrong."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta

import pyarrow as pa
import pytest

import ir
from adaptive import functions as f
from adaptive import stream
from adaptive.api import Stream
from adaptive.api.durations import duration_us
from ir import (
    FLOAT64,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Column,
    CountWindow,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Project,
    Schema,
    SessionWindow,
    Sink,
    SlidingWindow,
    Source,
    TumblingWindow,
    Watermark,
)

EVENTS = stream(
    {"event_type": "string", "campaign_id": "int64", "event_time": "timestamp", "value": "int64"}
)
SOURCE = Source(
    "events",
    Schema(
        (
            Field("event_type", STRING),
            Field("campaign_id", INT64),
            Field("event_time", TIMESTAMP),
            Field("value", INT64),
        )
    ),
)
TYPE = Column("event_type", STRING)
CAMPAIGN = Named("campaign_id", Column("campaign_id", INT64))
TIME = Column("event_time", TIMESTAMP)
VALUE = Column("value", INT64)
SECOND = 1_000_000


def test_a_query_is_the_plan_that_one_would_write() -> None:
    query = (
        EVENTS.watermark("event_time", "10 seconds", lateness="1 minute")
        .filter(f.col("event_type") == "view")
        .group_by(f.window("event_time", "10 seconds"), "campaign_id")
        .agg(revenue=f.sum("value"), events=f.count())
    )
    watched = Watermark(SOURCE, "event_time", 10 * SECOND, 60 * SECOND)
    kept = Filter(watched, Call("eq", (TYPE, Literal("view", STRING))))
    made = (
        NamedAggregate("revenue", AggregateCall("sum", VALUE)),
        NamedAggregate("events", AggregateCall("count")),
    )
    window = TumblingWindow(TIME, 10 * SECOND)
    assert query.plan == Sink(Aggregate(kept, window, (CAMPAIGN,), made), "results")
    ir.verify(query.plan)


def test_queries_are_immutable() -> None:
    base = EVENTS.filter(f.col("value") > 0)
    base.select("value")
    base.group_by("campaign_id").agg(n=f.count())
    assert base.columns == EVENTS.columns


def test_the_text_of_a_query_is_its_plan() -> None:
    query = EVENTS.filter(f.col("value") > 0).select("value", twice=f.col("value") * 2)
    assert str(query) == repr(query)
    assert str(query) == (
        "sink results: value: int64?, twice: int64?\n"
        "  project value, twice = value * 2\n"
        "    filter value > 0\n"
        "      source events: event_type: string?, campaign_id: int64?,"
        " event_time: timestamp?, value: int64?"
    )


def test_the_schema_is_of_the_results() -> None:
    query = EVENTS.group_by(f.window("event_time", "1 hour"), "event_type").agg(mean=f.avg("value"))
    time = pa.timestamp("us", tz="UTC")
    assert query.schema == pa.schema(
        [
            pa.field("window_start", time, nullable=False),
            pa.field("window_end", time, nullable=False),
            pa.field("event_type", pa.string()),
            pa.field("mean", pa.float64()),
        ]
    )


def test_a_stream_from_an_arrow_schema() -> None:
    schema = pa.schema(
        [
            pa.field("a", pa.int32(), nullable=False),
            ("b", pa.dictionary(pa.int32(), pa.string())),
            ("c", pa.timestamp("us", tz="Europe/Berlin")),
            ("d", pa.large_string()),
            ("e", pa.date32()),
        ]
    )
    assert str(stream(schema, "rides").node.schema) == (
        "a: int32, b: string?, c: timestamp?, d: string?, e: date?"
    )


def test_types_by_sparks_names() -> None:
    written = {"a": "bigint not null", "b": "double", "c": "INT", "d": "boolean", "e": "float"}
    assert (
        str(stream(written).node.schema)
        == "a: int64, b: float64?, c: int32?, d: bool?, e: float32?"
    )


def test_sliding_session_and_count_windows() -> None:
    def window(of: object) -> ir.Window | None:
        node = EVENTS.group_by(of, "campaign_id").agg(n=f.count()).node  # type: ignore[arg-type]
        assert isinstance(node, Aggregate)
        return node.window

    assert window(
        f.window("event_time", "10 seconds", slide="1 second", offset="1500 milliseconds")
    ) == (SlidingWindow(TIME, 10 * SECOND, SECOND, SECOND // 2))
    assert window(f.window("event_time", "1 minute", slide="1 minute")) == (
        TumblingWindow(TIME, 60 * SECOND)
    )
    assert window(f.window("event_time", timedelta(seconds=5), offset="-1 second")) == (
        TumblingWindow(TIME, 5 * SECOND, 4 * SECOND)
    )
    assert window(f.session_window("event_time", "5 minutes")) == SessionWindow(TIME, 300 * SECOND)
    assert window(f.count_window(100, slide=10)) == CountWindow(100, 10)
    assert window(f.count_window(100)) == CountWindow(100, 100)


def test_windows_over_windows() -> None:
    query = (
        EVENTS.group_by(f.window("event_time", "1 second"), "campaign_id")
        .agg(n=f.count())
        .having(f.col("n") > 1)
        .group_by(f.window("window_end", "1 minute"))
        .agg(most=f.max("n"))
    )
    node = query.node
    assert isinstance(node, Aggregate)
    assert node.window == TumblingWindow(Column("window_end", TIMESTAMP, False), 60 * SECOND)
    assert isinstance(node.source, Filter)
    assert isinstance(node.source.source, Aggregate)


def test_processing_time_is_a_column_of_the_source() -> None:
    query = (
        EVENTS.filter(f.col("value") > 0)
        .select("campaign_id")
        .group_by(f.window(f.processing_time(), "10 seconds"), "campaign_id")
        .agg(n=f.count())
    )
    *_, watermark, source = query.plan.walk()
    assert source.schema[ir.ARRIVAL] == Field(ir.ARRIVAL, TIMESTAMP, nullable=False)
    assert watermark == Watermark(source, ir.ARRIVAL, 0)
    assert query.columns == ("window_start", "window_end", "campaign_id", "n")
    session = EVENTS.group_by(f.session_window(f.processing_time(), "1 second")).agg(n=f.count())
    assert ir.ARRIVAL in str(session)


def test_results_that_are_computed_from_aggregates() -> None:
    query = EVENTS.group_by("campaign_id").agg(
        share=f.sum("value") / f.count(), total=f.sum("value"), again=f.sum("value")
    )
    node = query.node
    assert isinstance(node, Project)
    assert isinstance(node.source, Aggregate)
    assert [one.call for one in node.source.aggregates] == [
        AggregateCall("sum", VALUE),
        AggregateCall("count"),
    ]
    rows = [{"event_type": "", "campaign_id": 1, "event_time": 0, "value": v} for v in (1, 2)]
    assert ir.evaluate(query.plan, rows) == [
        {"campaign_id": 1, "share": 1.5, "total": 3, "again": 3}
    ]


def test_aggregates_of_some_rows() -> None:
    is_view = f.col("event_type") == "view"
    query = EVENTS.agg(
        views=f.count().where(is_view), value=f.sum("value").filter(is_view), all=f.count()
    )
    types = ("view", "click", None, "view")
    rows = [{"event_type": t, "campaign_id": 1, "event_time": 0, "value": 2} for t in types]
    assert ir.evaluate(query.plan, rows) == [{"views": 2, "value": 4, "all": 4}]


def test_columns_are_added_replaced_renamed_and_dropped() -> None:
    query = (
        EVENTS.with_column("half", f.col("value") / 2)
        .with_column("value", f.col("value") + 1)
        .rename({"event_type": "kind"})
        .drop("event_time")
    )
    assert query.columns == ("kind", "campaign_id", "value", "half")
    row = {"event_type": "a", "campaign_id": 1, "event_time": 0, "value": 3}
    assert ir.evaluate(query.plan, [row]) == [
        {"kind": "a", "campaign_id": 1, "value": 4, "half": 1.5}
    ]


def test_keys_may_be_expressions() -> None:
    query = EVENTS.group_by(f.col("value") % 2, bucket=f.col("campaign_id") // 10).agg(n=f.count())
    assert query.columns == ("value % 2", "bucket", "n")


def test_aggregates_without_a_name_are_named_by_their_text() -> None:
    query = EVENTS.agg(f.sum("value"), f.count(), f.max("value").alias("most"))
    assert query.columns == ("sum(value)", "count(*)", "most")


@pytest.mark.parametrize(
    ("written", "microseconds"),
    [
        ("10 seconds", 10 * SECOND),
        ("1 second", SECOND),
        ("500 milliseconds", 500_000),
        ("1 hour 30 minutes", 5_400 * SECOND),
        ("2 days", 172_800 * SECOND),
        ("1 week", 604_800 * SECOND),
        ("INTERVAL 1 Minute", 60 * SECOND),
        ("1.5 seconds", 1_500_000),
        ("-3 microseconds", -3),
        (timedelta(minutes=2), 120 * SECOND),
    ],
)
def test_durations(written: str | timedelta, microseconds: int) -> None:
    assert duration_us(written) == microseconds


def test_nothing_of_spark_is_imported() -> None:
    code = (
        "import sys; from adaptive import stream, functions as f;"
        "stream({'a': 'int64'}).group_by('a').agg(n=f.count()).plan;"
        "assert not {'pyspark', 'py4j'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def fails(build: Callable[[], object], error: type[Exception], *parts: str) -> None:
    with pytest.raises(error) as caught:
        build()
    for part in parts:
        assert part in str(caught.value)


WRONG: list[tuple[Callable[[], object], type[Exception], tuple[str, ...]]] = [
    (
        lambda: EVENTS.filter(f.col("valeu") > 0),
        ir.IrSchemaError,
        ("no column 'valeu'", "did you mean 'value'?", "campaign_id, event_time"),
    ),
    (lambda: EVENTS.select("nope"), ir.IrSchemaError, ("no column 'nope'", "f.lit")),
    (lambda: EVENTS.drop("nope"), ir.IrSchemaError, ("no column 'nope'",)),
    (lambda: EVENTS.watermark("time", "1 second"), ir.IrSchemaError, ("no column 'time'",)),
    (lambda: EVENTS.watermark("value", "1 second"), ir.IrTypeError, ("needs a timestamp",)),
    (
        lambda: EVENTS.filter(f.col("value") > 0).watermark("event_time", "1 second"),
        ir.IrError,
        ("right after the source",),
    ),
    (
        lambda: EVENTS.filter(f.col("event_time") > 3),
        ir.IrTypeError,
        ("event_time", "timestamp, int32", "cast"),
    ),
    (lambda: EVENTS.filter(f.col("value")), ir.IrTypeError, ("bool predicate, got int64",)),
    (lambda: EVENTS.filter(True), ir.IrTypeError, ("f.col('value') > 0",)),  # type: ignore[arg-type]
    (
        lambda: EVENTS.filter(f.col("value") > 0 and f.col("value") < 9),
        ir.IrTypeError,
        ("& and |",),
    ),
    (
        lambda: EVENTS.filter((f.col("value") & 1) == 1),
        ir.IrTypeError,
        ("needs bool", "bitwise_and"),
    ),
    (lambda: EVENTS.select(f.sum("value")), ir.IrError, ("sum is an aggregate", ".agg(sum=...)")),
    (lambda: EVENTS.agg(f.sum(f.max("value"))), ir.IrError, ("max inside sum", "second")),
    (lambda: EVENTS.agg(x=f.col("value")), ir.IrError, ("f.sum('value')", "group by")),
    (lambda: EVENTS.agg(f.sum("value") + 1), ir.IrError, ("needs a name", "agg(name=...)")),
    (
        lambda: EVENTS.agg(x=f.sum("event_type")),
        ir.IrTypeError,
        ("sum needs a number, got string",),
    ),
    (lambda: EVENTS.group_by().agg(), ir.IrError, ("a window, a key or an aggregate",)),
    (lambda: EVENTS.having(f.col("value") > 0), ir.IrError, ("use .filter",)),
    (lambda: EVENTS.select(), ir.IrError, ("at least one column",)),
    (lambda: EVENTS.select(f.lit(None).alias("x")), ir.IrTypeError, ("null has no type", "cast(")),
    (
        lambda: EVENTS.group_by(f.window("value", "1 second")).agg(n=f.count()),
        ir.IrTypeError,
        ("needs a timestamp, got int64",),
    ),
    (
        lambda: EVENTS.group_by(f.count_window(1), f.count_window(2)),
        ir.IrError,
        ("one window", "window_end"),
    ),
    (lambda: f.window("event_time", "10 secs"), ir.IrError, ("'10 secs'", "seconds")),
    (lambda: f.window("event_time", "ten seconds"), ir.IrError, ("'ten seconds'", "10 seconds")),
    (lambda: f.window("event_time", "1 month"), ir.IrError, ("'1 month'", "differ in length")),
    (lambda: f.window("event_time", 10), ir.IrTypeError, ("10", "timedelta")),  # type: ignore[arg-type]
    (
        lambda: EVENTS.group_by(f.window("event_time", "1 second", "2 seconds")).agg(n=f.count()),
        ir.IrError,
        ("slide by at most the size",),
    ),
    (
        lambda: EVENTS.group_by(f.window("event_time", "0 seconds")).agg(n=f.count()),
        ir.IrError,
        ("positive size",),
    ),
    (lambda: EVENTS.select(t=f.processing_time()), ir.IrError, ("the time of a window",)),
    (
        lambda: (
            EVENTS.watermark("event_time", "0 seconds")
            .group_by(f.window(f.processing_time(), "1 second"))
            .agg(n=f.count())
        ),
        ir.IrError,
        ("leave the watermark out",),
    ),
    (
        lambda: (
            stream({"arrival_time": "int64"})
            .group_by(f.window(f.processing_time(), "1 second"))
            .agg(n=f.count())
        ),
        ir.IrSchemaError,
        ("rename",),
    ),
    (
        lambda: (
            EVENTS.group_by("value")
            .agg(n=f.count())
            .group_by(f.window(f.processing_time(), "1 second"))
            .agg(n=f.count())
        ),
        ir.IrError,
        ("f.window('window_end'",),
    ),
    (lambda: EVENTS.groupBy("value"), AttributeError, ("write group_by",)),
    (lambda: EVENTS.group_by("value").filter, AttributeError, ("first aggregate",)),
    (lambda: stream({"a": "int63"}), ir.IrTypeError, ("column 'a'", "int63", "int64")),
    (
        lambda: stream(pa.schema([("a", pa.list_(pa.int8()))])),
        ir.IrTypeError,
        ("column 'a'", "list"),
    ),
    (
        lambda: stream(pa.schema([("a", pa.timestamp("ns"))])),
        ir.IrTypeError,
        ("microseconds", "timestamp('us')"),
    ),
    (lambda: stream(["a"]), ir.IrTypeError, ("a dict of names and types",)),  # type: ignore[arg-type]
    (
        lambda: EVENTS.group_by("value", value=f.col("campaign_id")).agg(n=f.count()),
        ir.IrSchemaError,
        ("occurs twice",),
    ),
]


@pytest.mark.parametrize(("build", "error", "parts"), WRONG)
def test_errors_name_the_fix(
    build: Callable[[], object], error: type[Exception], parts: tuple[str, ...]
) -> None:
    fails(build, error, *parts)


def test_streams_are_what_functions_on_queries_take_and_give() -> None:
    """A user's own step is a function of a stream."""

    def views(events: Stream) -> Stream:
        return events.where(f.col("event_type") == "view")

    node = views(EVENTS).select(x=f.col("value").cast("double")).node
    assert isinstance(node, Project)
    assert node.columns == (Named("x", Cast(VALUE, FLOAT64)),)
    assert Literal(2, INT32) == f.lit(2).bind(EVENTS.node.schema)
