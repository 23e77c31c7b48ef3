"""Rules of regions, as Java and as systems keep them, and what the names of zones mean."""

from __future__ import annotations

import random
import zoneinfo
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir import (
    STRING,
    TIMESTAMP,
    Call,
    Cast,
    EvalMode,
    EvaluationError,
    IrTypeError,
    Literal,
    evaluate_expr,
)
from ir import conversion as conversions
from ir.calendar import DAY_US, SECOND_US
from ir.parsing_times import needs_today, parse_timestamp, written_zone
from ir.regions import (
    SHORT_IDS,
    Regions,
    WrittenTimes,
    local_regions,
    local_times,
    regions_text,
    written_times,
    written_times_text,
)
from ir.regions import UTC as UTC_ZONE
from ir.rules import fold_constants
from ir.text_form import expr_text
from ir.tzdb import read_tzdb
from ir.zone_files import ZoneFiles, zone_of_file
from ir.zones import Zone, ZoneRule
from tests.time_texts import NO_REGIONS, REGIONS
from tests.tzdb_file import tzdb_file
from tests.zones import BERLIN, NEW_YORK, ZONES, zones

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NO_RULES = Regions({}, SHORT_IDS)


@given(some=st.lists(zones(), min_size=1, max_size=5))
@settings(max_examples=60)
def test_rules_of_java(some: list[Zone]) -> None:
    named = {f"Area/N{place}": zone for place, zone in enumerate(some)}
    read = read_tzdb(tzdb_file(named))
    assert list(read) == list(named)
    for name, zone in named.items():
        found = read[name]
        assert (found.offsets_s, found.changes_s) == (zone.offsets_s, zone.changes_s)
        assert found.rules == zone.rules


def test_what_are_no_rules_of_java() -> None:
    whole = tzdb_file({zone.name: zone for zone in ZONES})
    for data in (b"", b"\x01\x00\x04TZDX", whole[:40], whole[: len(whole) // 2]):
        with pytest.raises(IrTypeError, match=r"tzdb\.dat"):
            read_tzdb(data)
    with pytest.raises(IrTypeError, match=r"ir\.regions"):
        written_times("UTC;0;;\nPST=x\nno")


def test_zone_files_against_zoneinfo() -> None:
    """All regions of this machine, around their changes and at random times."""
    rng, regions = random.Random(6), local_regions()
    assert len(regions.zones) > 400
    for name in regions.zones:
        zone, known = regions.zones[name], zoneinfo.ZoneInfo(name)
        assert all(before != after for before, after in pairwise(zone.offsets_s))
        changes = list(zone.changes_s) + [w for w, _ in zone.by_rules(2037, 2060) if zone.rules]
        seconds = [rng.choice(changes) + step for step in (-1, 0, 3599)] if changes else []
        seconds += [rng.randint(-60_000_000_000, 250_000_000_000) for _ in range(2)]
        for second in seconds:
            if -62_000_000_000 < second < 250_000_000_000:
                ahead = (EPOCH + timedelta(seconds=second)).astimezone(known).utcoffset()
                assert zone.offset_us(second * SECOND_US) == ahead // timedelta(microseconds=1), (
                    name
                )


RULES = {
    "CET-1CEST,M3.5.0,M10.5.0/3": (
        ZoneRule(3, -1, 7, 7_200, 3_600, 3_600, 7_200),
        ZoneRule(10, -1, 7, 10_800, 7_200, 7_200, 3_600),
    ),
    "<-02>2<-01>,M3.5.0/-1,M10.4.6/0:30:15": (
        ZoneRule(3, -1, 7, -3_600, -7_200, -7_200, -3_600),
        ZoneRule(10, 22, 6, 1_815, -3_600, -3_600, -7_200),
    ),
    "<+0330>-3:30<+05>-5,J79/24,J60/26": (
        ZoneRule(3, 20, 0, 86_400, 12_600, 12_600, 18_000),
        ZoneRule(3, 1, 0, 93_600, 18_000, 18_000, 12_600),
    ),
}


@pytest.mark.parametrize("footer", RULES)
def test_rules_of_the_last_line(footer: str) -> None:
    data = (local_regions_file()).rpartition(b"\n")[0].rpartition(b"\n")[0]
    zone = zone_of_file("some", data + b"\n" + footer.encode() + b"\n")
    assert zone.rules == RULES[footer]


def local_regions_file() -> bytes:
    files = local_regions().zones
    assert isinstance(files, ZoneFiles)
    return (files.root / "Europe/Berlin").read_bytes()


def test_damaged_zone_files() -> None:
    whole = local_regions_file()
    for data in (whole[:30], whole[:300], whole[:-1] + b"x\n", whole.replace(b"TZif", b"TZiX")):
        with pytest.raises(IrTypeError, match="some are damaged; install tzdata"):
            zone_of_file("some", data)


def test_names_are_no_way_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "root" / "posix").mkdir(parents=True)
    for name in ("other", "root/Good", "root/posix/Good", "root/Factory"):
        (tmp_path / name).write_bytes(local_regions_file())
    (tmp_path / "root/tzdata.zi").write_text("# version")
    found = ZoneFiles(tmp_path / "root")
    assert list(found) == ["Good"]
    for name in ("../other", str(tmp_path / "other"), "./Good", "posix/../Good", "good", ""):
        assert name not in found
        assert found.get(name) is None


def test_names_of_zones() -> None:
    regions = Regions({"Europe/Berlin": BERLIN, "PST": NEW_YORK, "X/Y": NEW_YORK}, SHORT_IDS)
    assert written_zone(" Europe/Berlin\t", regions) is BERLIN
    assert written_zone("ECT", Regions(local_regions().zones, {"ECT": "Asia/Tokyo"})) is (
        local_regions().zone("Asia/Tokyo")
    )
    assert written_zone("PST", regions) is None  # that of Los Angeles, which there is not
    offsets = {"EST": -18_000, "UT-1": -3_600, "GMT": 0, "+1:2": 3_720, "-05": -18_000}
    for name, offset in offsets.items():
        zone = written_zone(name, regions)
        assert zone is not None
        assert zone.offsets_s == (offset,)
    for name in ("europe/berlin", "UTC+99", "X", "", "Europe", "GMT1"):
        assert written_zone(name, regions) is None


@pytest.mark.parametrize("name", [*REGIONS, *NO_REGIONS])
def test_all_names_are_judged_alike_with_and_without_rules(name: str) -> None:
    """Where rules are missing, what could be a region is an error in all modes."""
    text = f"2024-07-01 12:00:00 {name}"
    known = parse_timestamp(text, local_times())
    assert (known is None) == (name in NO_REGIONS)
    made = conversions.written_timestamp(text, WrittenTimes(UTC_ZONE, NO_RULES))
    assert made in (conversions.INVALID, conversions.NO_RULES) or made == known
    assert known is None or made == conversions.NO_RULES or name in SHORT_IDS


def test_today() -> None:
    """A time without a date is one of the day in its zone, and is not folded."""
    times = WrittenTimes(NEW_YORK, local_regions())
    for text, zone in (("12:30", NEW_YORK), ("T1:2 +18:00", None), ("3:4:5 Asia/Tokyo", None)):
        before = datetime.now(UTC).timestamp() * SECOND_US
        moment = parse_timestamp(text.replace("1:2 ", "1:2:0 "), times)
        assert moment is not None
        assert abs(moment - before) < DAY_US
        assert zone is None or (moment + zone.offset_us(moment)) % DAY_US == 45_000 * SECOND_US
    assert needs_today("T12:30")
    assert not needs_today("2024-07-01 12:30")
    assert fold_constants(Cast(Literal("T12:30", STRING), TIMESTAMP)) is None
    folded = fold_constants(Cast(Literal("2024-07-01 12:00:00 Europe/Berlin", STRING), TIMESTAMP))
    assert folded == Literal(1_719_828_000_000_000, TIMESTAMP)


def test_the_function_of_plans() -> None:
    regions = regions_text(tzdb_file({"Europe/Berlin": BERLIN}), {"PST": "Europe/Berlin"})
    rules = Literal(written_times_text(NEW_YORK, regions), STRING)

    def made(text: str, mode: EvalMode = EvalMode.TRY) -> object:
        return evaluate_expr(Call("parse_timestamp", (rules, Literal(text, STRING)), mode), {})

    assert made("2024-07-01 12:00:00") == made("2024-07-01 16:00:00Z")
    assert made("2024-07-01 12:00:00PST") == made("2024-07-01 10:00:00Z")
    assert made("2024-07-01 12:00:00 Asia/Tokyo") is None
    assert made("2024-07-01 12:00:00 Asia/Tokyo", EvalMode.LEGACY) is None
    with pytest.raises(EvaluationError, match=r"CAST_INVALID_INPUT.*'America/New_York#"):
        made("2024-07-01 12:00:00 Asia/Tokyo", EvalMode.ANSI)
    call = Call("parse_timestamp", (rules, Literal("x", STRING)))
    assert len(expr_text(call)) < 80
    with pytest.raises(IrTypeError, match="no zone"):
        Call("parse_timestamp", (Literal("x", STRING), Literal("x", STRING)))
