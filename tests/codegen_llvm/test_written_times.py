"""Compiled casts of text to timestamps give what the evaluator gives, in regions of any rules."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive.runtime import Projection
from ir import (
    STRING,
    TIMESTAMP,
    Call,
    Cast,
    Column,
    EvalMode,
    EvaluationError,
    Expr,
    Field,
    Literal,
    Named,
    Project,
    Scalar,
    Schema,
    Sink,
    Source,
    evaluate_expr,
)
from ir.regions import (
    SHORT_IDS,
    UTC,
    local_regions,
    regions_text,
    written_times_text,
)
from ir.zones import Zone, ZoneRule
from tests.arrow import from_table, to_batch
from tests.time_texts import NO_REGIONS, REGIONS, moments_of, time_text
from tests.tzdb_file import tzdb_file
from tests.zones import ZONES, instants, zones

SCHEMA = Schema((Field("t", STRING),))
TEXT = Column("t", STRING)
KNOWN = {zone.name: zone for zone in ZONES if "/" in zone.name}
RULES = regions_text(tzdb_file(KNOWN), {**SHORT_IDS, "PST": "Europe/Berlin"})


def parsed(zone: Zone, mode: EvalMode = EvalMode.TRY, regions: str = RULES) -> Call:
    return Call("parse_timestamp", (Literal(written_times_text(zone, regions), STRING), TEXT), mode)


@cache
def projection(expr: Expr) -> Projection:
    return Projection(Sink(Project(Source("in", SCHEMA), (Named("c", expr),)), "out"))


def assert_same(expr: Expr, texts: list[str | None]) -> None:
    """The day may change between the two."""
    for _ in range(2):
        batch = to_batch([{"t": text} for text in texts], SCHEMA)
        made = [row["c"] for row in from_table(projection(expr).run(batch))]
        wanted = [evaluate_expr(expr, {"t": text}) for text in texts]
        if made == wanted:
            return
    differ = [x for x in zip(texts, made, wanted, strict=True) if x[1] != x[2]]
    raise AssertionError(differ[:5])


@pytest.mark.parametrize("zone", [UTC, *ZONES], ids=lambda zone: zone.name)
def test_known_zones(zone: Zone) -> None:
    """Both as the zone of texts that name none and as regions that texts name."""
    rng = random.Random(zone.name)
    texts: list[str | None] = [None, ""]
    for region in (zone, *KNOWN.values()):
        moments = moments_of(rng, region, 40)
        texts += [time_text(rng, moment, [region.name, *KNOWN]) for moment in moments]
    assert_same(parsed(zone), texts)


@given(data=st.data())
@settings(max_examples=8, suppress_health_check=list(HealthCheck), deadline=None)
def test_any_zone(data: st.DataObject) -> None:
    own, other = data.draw(zones()), data.draw(zones())
    regions = regions_text(tzdb_file({"A/own": own, "B": other, "Berlin": own}), {})
    rng = data.draw(st.randoms(use_true_random=False))
    moments = data.draw(st.lists(instants(own) | instants(other), min_size=1, max_size=60))
    texts: list[str | None] = [time_text(rng, m, ["A/own", "Berlin"]) for m in moments]
    assert_same(parsed(other, regions=regions), texts)


def test_all_regions_of_this_machine() -> None:
    """A cast has the rules of the machine, and no other zone than UTC."""
    rng, regions = random.Random(4), local_regions()
    texts: list[str | None] = []
    for name in rng.sample(sorted(regions.zones), 120):
        moments = moments_of(rng, regions.zones[name], 6)
        texts += [time_text(rng, moment, [name, *REGIONS]) for moment in moments]
    assert_same(Cast(TEXT, TIMESTAMP, EvalMode.TRY), texts)
    assert_same(Cast(TEXT, TIMESTAMP, EvalMode.LEGACY), texts)


@pytest.mark.parametrize("zone", NO_REGIONS)
def test_what_is_no_region_is_an_error(zone: str) -> None:
    row: dict[str, Scalar] = {"t": f"2024-07-01 12:00:00 {zone}"}
    for expr in (Cast(TEXT, TIMESTAMP), parsed(ZONES[0], EvalMode.ANSI)):
        with pytest.raises(EvaluationError, match="CAST_INVALID_INPUT"):
            evaluate_expr(expr, row)
        with pytest.raises(EvaluationError, match="CAST_INVALID_INPUT"):
            projection(expr).run(to_batch([row], SCHEMA))


# Clocks change an hour before all time ends, when they show what 64 bits have no room for.
LATE_CHANGE = Zone(
    "Last/Hour",
    (18_000, 21_600, 18_000),
    (0, 10_000_000),
    (ZoneRule(1, 10, 0, 10_800, 0, 18_000, 21_600), ZoneRule(7, 10, 0, 0, 0, 21_600, 18_000)),
)


CLOCKS = ("0:0:0", "4:0:54.775807", "4:0:54.775808", "8:30:00", "9:30:00", "14:00:00", "23:59:59")


def test_the_ends_of_all_time() -> None:
    """The day is one of 64 bits in a zone, and not in UTC, or the other way around."""
    texts: list[str | None] = [
        f"{day} {clock}{zone}"
        for day in ("294247-01-09", "294247-01-10", "-290308-12-20", "-290308-12-21", "999999-1-1")
        for clock in (
            "00:00:00",
            "09:30:00",
            "08:30:00",
            "04:00:54.775807",
            "04:00:54.775808",
            "14:00:00",
            "23:59:59",
        )
        for zone in ("", " Europe/Berlin", " America/New_York", " Pacific/Apia", " +18:00", "-18")
    ]
    for zone in (*ZONES, LATE_CHANGE):
        assert_same(parsed(zone), texts)
