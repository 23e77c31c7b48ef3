"""Zones by the names of regions that text may have for them, and where their rules come from.

Plans of Spark have the rules of the JVM that planned them, as one text; elsewhere they are those
of this machine. Both are read region by region, when a text first names one.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from ir.errors import IrTypeError
from ir.tzdb import read_tzdb
from ir.zone_files import zone_files
from ir.zones import Zone, zone_of, zone_text

UTC = Zone("UTC", (0,))
# What Java makes of three letters, from its version 1.1 on; newer ones have regions for some more.
SHORT_IDS: dict[str, str] = {
    **{"ACT": "Australia/Darwin", "AET": "Australia/Sydney", "ART": "Africa/Cairo"},
    **{"AGT": "America/Argentina/Buenos_Aires", "AST": "America/Anchorage"},
    **{"BET": "America/Sao_Paulo", "BST": "Asia/Dhaka", "CAT": "Africa/Harare"},
    **{"CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai"},
    **{"EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "JST": "Asia/Tokyo"},
    **{"IET": "America/Indiana/Indianapolis", "IST": "Asia/Kolkata", "MIT": "Pacific/Apia"},
    **{"NET": "Asia/Yerevan", "NST": "Pacific/Auckland", "PLT": "Asia/Karachi"},
    **{"PNT": "America/Phoenix", "PRT": "America/Puerto_Rico", "PST": "America/Los_Angeles"},
    **{"SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh"},
    **{"EST": "-05:00", "MST": "-07:00", "HST": "-10:00"},
}


@dataclass(frozen=True, eq=False)
class Regions:
    """Regions by name, and short names, which may be of offsets and come first."""

    zones: Mapping[str, Zone]
    short_names: Mapping[str, str]

    @property
    def are_known(self) -> bool:
        """Whether there are any rules."""
        return bool(self.zones)

    def zone(self, name: str) -> Zone | None:
        """The zone of a region."""
        return self.zones.get(name)


@dataclass(frozen=True, eq=False)
class WrittenTimes:
    """What times mean that are written as text: the zone of those that name none, and regions."""

    zone: Zone
    regions: Regions


def zone_of_times(times: WrittenTimes | None) -> Zone:
    """The zone of times that name none."""
    return UTC if times is None else times.zone


@cache
def local_regions() -> Regions:
    """Those of this machine; none if it has no rules."""
    return Regions(zone_files(), SHORT_IDS)


@cache
def local_times() -> WrittenTimes:
    """Times in UTC where no zone is written."""
    return WrittenTimes(UTC, local_regions())


def regions_text(tzdb: bytes, short_names: Mapping[str, str]) -> str:
    """The rules of Java, the content of its file `tzdb.dat`, as 50 KB of text."""
    named = " ".join(f"{name}={zone}" for name, zone in sorted(short_names.items()))
    return f"{named}\n{base64.b85encode(zlib.compress(tzdb, 9)).decode()}"


def written_times_text(zone: Zone, regions: str) -> str:
    """The constant that plans have: the zone of times that name none, and `regions_text`."""
    return f"{zone_text(zone)}\n{regions}"


@lru_cache(8)
def written_times(text: object) -> WrittenTimes:
    """What `written_times_text` wrote."""
    zone, _, regions = str(text).partition("\n")
    return WrittenTimes(zone_of(zone), _regions_of(regions))


@lru_cache(8)
def _regions_of(text: str) -> Regions:
    named, _, packed = text.partition("\n")
    try:
        tzdb = zlib.decompress(base64.b85decode(packed))
        short_names = dict(pair.split("=", 1) for pair in named.split())
    except (ValueError, zlib.error, binascii.Error):
        raise IrTypeError(
            f"{text[:40]!r} has no rules of regions; write them with ir.regions"
        ) from None
    return Regions(read_tzdb(tzdb), short_names)
