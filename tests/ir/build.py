"""Short ways to write IR in tests."""

from __future__ import annotations

from hypothesis import settings

from ir import (
    BOOL,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    Expr,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Project,
    Scalar,
    Schema,
    Sink,
    Source,
    TumblingWindow,
)

# A busy machine is no failure: no deadline for an example.
patiently = settings(deadline=None)

EVENTS = Source(
    "events",
    Schema(
        (
            Field("event_type", STRING),
            Field("campaign_id", INT64, nullable=False),
            Field("event_time", TIMESTAMP),
            Field("value", INT64),
            Field("flag", BOOL),
        )
    ),
)
EVENT_TYPE = Column("event_type", STRING)
CAMPAIGN = Column("campaign_id", INT64, nullable=False)
TIME = Column("event_time", TIMESTAMP)
VALUE = Column("value", INT64)
FLAG = Column("flag", BOOL)
TRUE, FALSE = Literal(True, BOOL), Literal(False, BOOL)
UNKNOWN = Literal(None, BOOL)


def call(function: str, *args: Expr) -> Call:
    """A call in ANSI mode."""
    return Call(function, args)


def long(value: int | None) -> Literal:
    """An int64 literal."""
    return Literal(value, INT64)


def row(**values: Scalar) -> dict[str, Scalar]:
    """An event, null in the columns that are not given."""
    return {**dict.fromkeys(EVENTS.schema.names, None), **values}


# Fails for a row whose value is 0, and for no other.
RISKY = call("eq", call("int_divide", long(1), VALUE), long(1))

REVENUE = Sink(
    Aggregate(
        Project(
            Filter(EVENTS, call("eq", EVENT_TYPE, Literal("view", STRING))),
            (Named("campaign_id", CAMPAIGN), Named("at", TIME), Named("value", VALUE)),
        ),
        TumblingWindow(Column("at", TIMESTAMP), 10_000_000),
        (Named("campaign_id", CAMPAIGN),),
        (
            NamedAggregate("revenue", AggregateCall("sum", VALUE)),
            NamedAggregate("events", AggregateCall("count")),
        ),
    ),
    "out",
)
