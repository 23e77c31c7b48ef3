"""Dates and times that are written as text, as Spark's casts read them."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from functools import lru_cache

from ir.calendar import DAY_US, SECOND_US, days_of
from ir.parsing import trimmed
from ir.regions import Regions, WrittenTimes
from ir.types import DATE, TIMESTAMP, DataType
from ir.zones import Zone

_DATE_YEAR_DIGITS = (4, 7)
_TIME_YEAR_DIGITS = (4, 6)
_YEAR, _MONTH, _DAY, _HOUR, _MINUTE, _SECOND, _FRACTION = range(7)
_OFFSET = re.compile(
    r"([+-])(?:([0-9])|([0-9]{2})(?::([0-9]{2})(?::([0-9]{2}))?|([0-9]{2})([0-9]{2})?)?)"
)
_REGION = re.compile(r"[A-Za-z][A-Za-z0-9~/._+-]+")
UTC_PREFIXES = ("UTC", "GMT", "UT")
_OFFSET_NAME = re.compile("(?:UTC|GMT|UT)?[+-]")
MOST_OFFSET_S = 18 * 3600


class RulesMissing(ValueError):
    """The zone of a text may be that of a region, and this machine has no rules of regions."""


def parse_date(text: str) -> int | None:
    """The day of `[+-]yyyy[-[m]m[-[d]d]]`, and whatever follows a full date after a space or T."""
    core = trimmed(text)
    sign = -1 if core[:1] == "-" else 1
    core = core[1:] if core[:1] in ("+", "-") else core
    parts, rest = _date_parts(core)
    if len(parts) < 3 and rest:
        return None
    least, most = _DATE_YEAR_DIGITS
    if not least <= len(parts[0]) <= most or not all(1 <= len(p) <= 2 for p in parts[1:]):
        return None
    if not all(map(_is_digits, parts)):
        return None
    numbers = [*map(int, parts), 1, 1][:3]
    day = days_of(sign * numbers[0], numbers[1], numbers[2])
    return day if day is not None and fits(day, DATE) else None


def fits(value: int, type_: DataType) -> bool:
    """Whether a count of days or microseconds fits its type."""
    return -(1 << (type_.bits - 1)) <= value < 1 << (type_.bits - 1)


def parse_timestamp(text: str, times: WrittenTimes) -> int | None:
    """The microsecond of a date, of a date with a time, or of a time of today, each with a zone.

    Java's meaning of local times: one that never comes is later by the gap, of two it is the first.
    """
    parts = _TimestampParts(text)
    if not parts.read():
        return None
    zone = times.zone if parts.zone is None else written_zone(parts.zone, times.regions)
    hour, minute, second, micros = parts.numbers[_HOUR:]
    day = days_of(*parts.numbers[:_HOUR])
    if zone is None or hour > 23 or minute > 59 or second > 59 or day is None:
        return None
    if parts.is_only_time:
        day = today(zone)
    seconds = (hour * 60 + minute) * 60 + second
    moment = zone.instant_us(day * DAY_US + seconds * SECOND_US + micros)
    return moment if fits(moment, TIMESTAMP) else None


def needs_today(text: str) -> bool:
    """Whether a text is a time without a date: it is another moment on another day."""
    parts = _TimestampParts(text)
    return parts.read() and parts.is_only_time


def today(zone: Zone) -> int:
    """The day that calendars show now."""
    now = time.time_ns() // 1_000
    return (now + zone.offset_us(now)) // DAY_US


_JAVA_SPACES = "".join(map(chr, range(0x21)))


@lru_cache(1024)
def written_zone(text: str, regions: Regions) -> Zone | None:
    """The zone that a text means: an offset, UTC with or without one, or a region; None if none."""
    name = text.strip(_JAVA_SPACES)
    name = re.sub(r"([+-])([0-9]):", r"\g<1>0\g<2>:", name, count=1)
    name = re.sub(r"([+-])([0-9][0-9]):([0-9])$", r"\g<1>\g<2>:0\g<3>", name, count=1)
    name = regions.short_names.get(name, name)
    if name in ("Z", *UTC_PREFIXES):
        return _zone_ahead(0)
    offset = _OFFSET_NAME.match(name)
    if offset is not None:
        return _zone_ahead(_fixed_offset(name[offset.end() - 1 :]))
    if not _REGION.fullmatch(name):
        return None
    if not regions.are_known:
        raise RulesMissing(f"the zone {name!r} has rules that this machine does not have")
    return regions.zone(name)


def _zone_ahead(offset_s: int | None) -> Zone | None:
    return None if offset_s is None else Zone("offset", (offset_s,))


def _fixed_offset(text: str) -> int | None:
    found = _OFFSET.fullmatch(text)
    if found is None:
        return None
    sign, digit, hours, minutes, seconds, more_minutes, more_seconds = found.groups()
    parts = (digit or hours, minutes or more_minutes or 0, seconds or more_seconds or 0)
    hour, minute, second = map(int, parts)
    total = (hour * 60 + minute) * 60 + second
    if minute > 59 or second > 59 or total > MOST_OFFSET_S:
        return None
    return -total if sign == "-" else total


def _date_parts(core: str) -> tuple[list[str], str]:
    """What stands between the first two hyphens, and what follows after a space or T."""
    end = min((i for i, char in enumerate(core) if char in " T"), default=len(core))
    return core[:end].split("-", 2), core[end:]


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


@dataclass
class _TimestampParts:
    """The numbers of a written timestamp, read from left to right."""

    text: str
    numbers: list[int] = field(default_factory=lambda: [1, 1, 1, 0, 0, 0, 0])
    zone: str | None = None
    is_only_time: bool = False

    def read(self) -> bool:
        """Whether the text is one; then its parts are here."""
        core = trimmed(self.text)
        if not core:
            return False
        sign = -1 if core[0] == "-" else 1
        signed = core[0] in "+-"
        place = int(signed)
        part = _YEAR
        if self.text[0] == "T":
            self.is_only_time, part, place = True, _HOUR, 1
        while True:
            end = _end_of_digits(core, place)
            digits, separator = core[place:end], core[end : end + 1]
            if part == _YEAR and separator == ":" and not signed:
                self.is_only_time, part = True, _HOUR
            if not self._take(part, digits):
                return False
            if not separator:
                break
            if part in (_SECOND, _FRACTION) and not (part == _SECOND and separator == "."):
                self.zone = core[end:]
                break
            if separator not in _SEPARATORS[part]:
                return False
            part, place = part + 1, end + 1
        self.numbers[_YEAR] *= sign
        return True

    def _take(self, part: int, digits: str) -> bool:
        """Keep the number of a part, if it has as many digits as it may."""
        if part == _FRACTION:
            self.numbers[part] = int(digits[:6].ljust(6, "0"))
            return True
        least, most = _TIME_YEAR_DIGITS if part == _YEAR else (1, 2)
        if not least <= len(digits) <= most:
            return False
        self.numbers[part] = int(digits)
        return True


# What may follow each part.
_SEPARATORS = {
    _YEAR: "-",
    _MONTH: "-",
    _DAY: " T",
    _HOUR: ":",
    _MINUTE: ":",
    _SECOND: ".",
    _FRACTION: "",
}


def _end_of_digits(text: str, start: int) -> int:
    end = start
    while end < len(text) and _is_digits(text[end]):
        end += 1
    return end
