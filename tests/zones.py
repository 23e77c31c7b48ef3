"""Time zones for tests: with rules and without, with large changes and small ones, and random."""

from __future__ import annotations

from hypothesis import strategies as st

from ir import STRING, Literal
from ir.calendar import SECOND_US
from ir.zones import Zone, ZoneRule, zone_text

HOUR_US = 3600 * SECOND_US
_DAY_S = 86_400
# The first and last changes of these zones that no rule tells, and what is between where it counts.
NEW_YORK = Zone(
    "America/New_York",
    (-17_762, -18_000, -14_400, -18_000, -14_400, -18_000),
    (-2_717_650_800, -1_633_280_400, -1_615_140_000, 1_173_596_400, 1_194_156_000),
    (
        ZoneRule(3, 8, 7, 7_200, -18_000, -18_000, -14_400),
        ZoneRule(11, 1, 7, 7_200, -14_400, -14_400, -18_000),
    ),
)
BERLIN = Zone(
    "Europe/Berlin",
    (3_208, 3_600, 7_200, 3_600),
    (-2_422_054_408, 828_234_000, 846_378_000),
    (ZoneRule(3, -1, 7, 3_600, 0, 3_600, 7_200), ZoneRule(10, -1, 7, 3_600, 0, 7_200, 3_600)),
)
# Half an hour, in the south: the year begins in summer.
LORD_HOWE = Zone(
    "Australia/Lord_Howe",
    (38_180, 36_000, 37_800, 39_600, 37_800),
    (-2_364_114_980, 352_216_800, 1_191_078_000, 1_207_407_600),
    (
        ZoneRule(4, 1, 7, 7_200, 39_600, 39_600, 37_800),
        ZoneRule(10, 1, 7, 7_200, 37_800, 37_800, 39_600),
    ),
)
KOLKATA = Zone(
    "Asia/Kolkata",
    (21_208, 21_200, 19_270, 19_800),
    (-3_645_237_208, -3_155_694_800, -2_019_705_670),
)
# The 30th of December 2011 is not there.
APIA = Zone(
    "Pacific/Apia",
    (45_184, -41_216, -41_400, -36_000, 50_400, 46_800),
    (-2_445_424_384, -1_861_878_784, 1_316_872_800, 1_325_239_200, 1_333_202_400),
)
# Clocks go forward half an hour before midnight, as in Toronto in 1919.
LATE = Zone("late", (-18_000, -14_400, -18_000), (-1_601_753_400, -1_583_697_600))
FIXED = Zone("+05:45", (20_700,))
ZONES = (NEW_YORK, BERLIN, LORD_HOWE, KOLKATA, APIA, LATE, FIXED)


def literal(zone: Zone) -> Literal:
    """The zone as functions take it."""
    return Literal(zone_text(zone), STRING)


@st.composite
def zones(draw: st.DrawFn) -> Zone:
    """Any zone: changes are days apart, of up to a day, and rules may follow."""
    count = draw(st.integers(0, 12))
    steps = st.integers(2 * _DAY_S, 4_000 * _DAY_S)
    first = draw(st.integers(-4_000_000_000, 1_000_000_000))
    gaps = draw(st.lists(steps, min_size=count, max_size=count))
    changes = tuple(first + sum(gaps[:place]) for place in range(count))
    some = st.sampled_from((-43_200, -36_000, -1_172, 0, 1, 3_600, 5_400, 19_800, 43_200))
    offsets = tuple(draw(st.lists(some, min_size=count + 1, max_size=count + 1)))
    rules = draw(st.booleans()) if count else False
    return Zone("any", offsets, changes, _rules(draw, offsets[-1]) if rules else ())


def _rules(draw: st.DrawFn, before: int) -> tuple[ZoneRule, ...]:
    after = before + draw(st.sampled_from((-5_400, 1_800, 3_600)))
    months = draw(st.sampled_from(((2, 9), (3, 10), (4, 11))))
    days = st.sampled_from((-8, -1, 1, 8, 21))
    made = []
    for month, (one, other) in zip(months, ((before, after), (after, before)), strict=True):
        ahead = draw(st.sampled_from((0, one)))
        time = draw(st.sampled_from((0, 7_200, 84_600, _DAY_S)))
        made.append(ZoneRule(month, draw(days), draw(st.integers(0, 7)), time, ahead, one, other))
    return tuple(made)


def instants(zone: Zone) -> st.SearchStrategy[int]:
    """Times near the changes of a zone, by rules for centuries, and any of 64 bits."""
    changes = list(zone.changes_s)
    if zone.rules:
        for year in (zone.last_year, zone.last_year + 399, 2_500, 9_999, 250_000):
            changes += [when for when, _ in zone.by_rules(year, year + 3)]
    near = st.builds(
        lambda change, by: change * SECOND_US + by,
        st.sampled_from(changes or [0]),
        st.one_of(st.integers(-26 * HOUR_US, 26 * HOUR_US), st.sampled_from((-1, 0, 1))),
    )
    edges = st.sampled_from((-(2**63), 2**63 - 1, -(2**63) + HOUR_US, 2**63 - HOUR_US))
    return st.one_of(near, near, st.integers(-(2**63), 2**63 - 1), edges)
