"""The rules of time zones, from the JVM: the same version of them as Spark has."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import pairwise

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject
from ir import Literal
from ir.calendar import DAY_US, SECOND_US
from ir.regions import UTC, regions_text, written_times_text
from ir.tzdb import read_tzdb
from ir.zones import Zone, ZoneRule, zone_of, zone_text

_UTC = "Z"
_EPOCH = datetime(1970, 1, 1)
_DAY_S = DAY_US // SECOND_US
_SECOND_MIDNIGHT_US = -1_680_483_600 * SECOND_US  # of 1 October 1916 in Berlin
_OFFSET = r"Z|[+-]\d\d:\d\d(?::\d\d)?"
# A list of a hundred changes in one call in place of five calls for each: 1 ms and not 100.
_CHANGE = re.compile(
    rf"Transition\[(?:Gap|Overlap) at (\d{{4}}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)({_OFFSET})"
    rf" to ({_OFFSET})\]"
)


def zone_literal(zone: JavaObject) -> Literal | None:
    """A `java.time.ZoneId` as the constant that functions of `ir.local_times` take; UTC is none."""
    name = str(zone.getId())
    if str(zone.normalized().toString()) == _UTC:
        return None
    return Literal(_zone_text(name), ir.STRING)


def named_zone_literal(name: str) -> Literal | None:
    """The same of a zone by a name that Spark knows, such as that of a session."""
    jvm: JavaObject = SparkSession.active()._jvm
    try:
        zone = jvm.org.apache.spark.sql.catalyst.util.DateTimeUtils.getZoneId(name)
    except (Py4JJavaError, PySparkException):
        raise StaysInSpark(f"{name!r} is not the name of a time zone") from None
    return zone_literal(zone)


def written_times_literal(zone: Literal | None) -> Literal:
    """What times mean that are written as text: in a zone, UTC if none, and in all regions."""
    known = UTC if zone is None else zone_of(zone.value)
    return Literal(written_times_text(known, _regions_text()), ir.STRING)


@lru_cache(1)
def _regions_text() -> str:
    """The rules of all regions as the JVM has them in its home, if it has them from there."""
    jvm: JavaObject = SparkSession.active()._jvm
    home = str(jvm.java.lang.System.getProperty("java.home"))
    try:
        path = jvm.java.io.File(f"{home}/lib/tzdb.dat").toPath()
        data = bytes(jvm.java.nio.file.Files.readAllBytes(path))
        zones = read_tzdb(data)
    except (Py4JJavaError, ir.IrError) as problem:
        raise StaysInSpark(
            f"the rules of time zones in {home}/lib/tzdb.dat cannot be read"
            f" ({str(problem).splitlines()[0]}); use a JVM that has them there"
        ) from None
    ids = str(jvm.java.time.zone.ZoneRulesProvider.getAvailableZoneIds().toString())
    if set(ids.strip("[]").split(", ")) != set(zones):
        raise StaysInSpark(
            "the JVM has regions that its tzdb.dat does not have; leave java.time.zone's"
            " DefaultZoneRulesProvider as it is"
        )
    return regions_text(data, _short_names(jvm))


def _short_names(jvm: JavaObject) -> dict[str, str]:
    """What Java takes three letters for; it depends on its version."""
    pairs = str(jvm.java.time.ZoneId.SHORT_IDS.toString()).strip("{}").split(", ")
    return dict(pair.split("=", 1) for pair in pairs)


@lru_cache(1)
def truncation_keeps_offset() -> bool:
    """Whether this Spark truncates to the second of two midnights that are the start of a month.

    4.3 tries the offset of the time first, for all units; without that it is the first midnight.
    """
    jvm: JavaObject = SparkSession.active()._jvm
    times = jvm.org.apache.spark.sql.catalyst.util.DateTimeUtils
    zone = jvm.java.time.ZoneId.of("Europe/Berlin")
    month = times.parseTruncLevel(jvm.org.apache.spark.unsafe.types.UTF8String.fromString("month"))
    made = times.truncTimestamp(_SECOND_MIDNIGHT_US, month, zone)
    return int(made) == _SECOND_MIDNIGHT_US


@lru_cache(1024)
def _zone_text(name: str) -> str:
    """Rules do not change while a JVM runs."""
    jvm: JavaObject = SparkSession.active()._jvm
    rules = jvm.java.time.ZoneId.of(name).getRules()
    try:
        return zone_text(_zone(name, rules))
    except ir.IrError as problem:
        raise StaysInSpark(f"{problem}; set spark.sql.session.timeZone to UTC") from None


def _zone(name: str, rules: JavaObject) -> Zone:
    if rules.isFixedOffset():
        epoch = SparkSession.active()._jvm.java.time.Instant.EPOCH  # type: ignore[union-attr]
        return Zone(name, (int(rules.getOffset(epoch).getTotalSeconds()),))
    listed = str(rules.getTransitions().toString())
    found = _CHANGE.findall(listed)
    if len(found) != listed.count("Transition["):
        raise ir.IrTypeError(f"zone {name} has changes that are not understood")
    pairs = [(_seconds(before), _seconds(after)) for _, before, after in found]
    if any(one[1] != other[0] for one, other in pairwise(pairs)):
        raise ir.IrTypeError(f"zone {name} has changes that do not follow on one another")
    walls = [(datetime.fromisoformat(wall) - _EPOCH) // timedelta(seconds=1) for wall, *_ in found]
    changes = tuple(wall - before for wall, (before, _) in zip(walls, pairs, strict=True))
    offsets = (pairs[0][0], *(after for _, after in pairs))
    return Zone(name, offsets, changes, tuple(map(_rule, rules.getTransitionRules())))


def _rule(rule: JavaObject) -> ZoneRule:
    weekday = rule.getDayOfWeek()
    before = int(rule.getOffsetBefore().getTotalSeconds())
    ahead = {"UTC": 0, "WALL": before, "STANDARD": int(rule.getStandardOffset().getTotalSeconds())}
    time_s = _DAY_S if rule.isMidnightEndOfDay() else int(rule.getLocalTime().toSecondOfDay())
    return ZoneRule(
        int(rule.getMonth().getValue()),
        int(rule.getDayOfMonthIndicator()),
        0 if weekday is None else int(weekday.getValue()),
        time_s,
        ahead[str(rule.getTimeDefinition().toString())],
        before,
        int(rule.getOffsetAfter().getTotalSeconds()),
    )


def _seconds(offset: str) -> int:
    if offset == _UTC:
        return 0
    hours, minutes, *seconds = map(int, offset[1:].split(":"))
    total = hours * 3600 + minutes * 60 + sum(seconds)
    return -total if offset.startswith("-") else total
