"""Time zones: local times of instants and the way back, as java.time does both.

A zone is what it does: its offsets, the instants where they change, and the rules by which they
change for ever after. Plans have it as text, so that all who run a plan have the same rules.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import pairwise

from ir.calendar import DAY_US, ERA_DAYS, SECOND_US, civil, days_of
from ir.errors import IrTypeError

# The rules of a zone come again after so long, to the day of the week.
CYCLE_US = ERA_DAYS * DAY_US
_DAY_S = DAY_US // SECOND_US
_MOST_OFFSET_S = 18 * 3600
_END_OF_TIME = 1 << 70


@dataclass(frozen=True, slots=True)
class ZoneRule:
    """A change of clocks that comes every year."""

    month: int
    day: int  # of the month; a negative one counts from its end
    weekday: int  # on or after that day, or before where it is negative; 1 to 7, 0 for any
    time_s: int  # of the day
    ahead_s: int  # what `time_s` is ahead of UTC by
    before_s: int  # the zone's offset before the change
    after_s: int

    def moment_s(self, year: int) -> int:
        """The second since 1970 in which it comes."""
        day = _day_of_rule(self.month, self.day, self.weekday, year)
        return day * _DAY_S + self.time_s - self.ahead_s


@lru_cache(20_000)  # of few rules: those of all regions are taken for 400 years
def _day_of_rule(month: int, day: int, weekday: int, year: int) -> int:
    if day > 0:
        made = _first_of_month(year, month) + day - 1
    else:
        later, before = divmod(month, 12)
        made = _first_of_month(year + later, before + 1) + day
    if not weekday:
        return made
    behind = (made + 3 - (weekday - 1)) % 7  # 1970-01-01 was a Thursday
    return made - behind if day < 0 else made + -behind % 7


@dataclass(frozen=True, slots=True)
class Zone:
    """How far a zone is ahead of UTC: first, from some seconds since 1970 on, and by rules then."""

    name: str
    offsets_s: tuple[int, ...]
    changes_s: tuple[int, ...] = ()
    rules: tuple[ZoneRule, ...] = ()

    def __post_init__(self) -> None:
        if len(self.offsets_s) != len(self.changes_s) + 1:
            raise IrTypeError(f"zone {self.name} needs an offset before and after each change")
        if any(abs(offset) > _MOST_OFFSET_S for offset in self.offsets_s):
            raise IrTypeError(f"zone {self.name} is further from UTC than 18 hours")
        if not self.changes_s and self.rules:
            raise IrTypeError(f"zone {self.name} has rules and nothing before them")
        walls = [when + max(pair) for when, *pair in self._steps()]
        for times in (self.changes_s, walls):
            if any(one >= other for one, other in pairwise(times)):
                raise IrTypeError(f"zone {self.name} has changes that are not one after the other")
        if ";" in self.name:
            raise IrTypeError(f"{self.name!r} is not the name of a zone")

    def _steps(self) -> Iterator[tuple[int, int, int]]:
        return zip(self.changes_s, self.offsets_s, self.offsets_s[1:], strict=False)

    @property
    def last_year(self) -> int:
        """The year of the last change that no rule tells."""
        return civil(self.changes_s[-1] // _DAY_S)[0]

    def by_rules(self, first: int, last: int) -> list[tuple[int, int]]:
        """Changes of some years that rules tell, with the offset behind each."""
        made = sorted(
            (r.moment_s(y), r.after_s) for y in range(first, last + 1) for r in self.rules
        )
        return [one for one in made if one[0] > self.changes_s[-1]]

    def offset_us(self, moment: int) -> int:
        """How far the zone is ahead of UTC at an instant."""
        return self._around(moment, moment)[0][2]

    def instant_us(self, local: int, near_us: int | None = None) -> int:
        """The instant of a local time.

        Where clocks go back, there are two: the one with the offset `near_us` if that is one of
        them, or the first. Where they go forward, there may be none: it is later by what they go.
        """
        spans = self._around(local - DAY_US, local + DAY_US)
        valid = [offset for start, end, offset in spans if start <= local - offset < end]
        if near_us in valid:
            return local - near_us
        if valid:
            return local - valid[0]
        return local - self._before_gap(spans, local)[2]

    def day_start_us(self, day: int, near_us: int | None = None) -> int:
        """Midnight; where a day has none, the instant at which clocks go forward."""
        local = day * DAY_US
        spans = self._around(local - DAY_US, local + DAY_US)
        if any(start <= local - offset < end for start, end, offset in spans):
            return self.instant_us(local, near_us)
        return self._before_gap(spans, local)[1]

    @staticmethod
    def _before_gap(spans: list[tuple[int, int, int]], local: int) -> tuple[int, int, int]:
        return [span for span in spans if span[1] + span[2] <= local][-1]

    def _around(self, low: int, high: int) -> list[tuple[int, int, int]]:
        """Start, end and offset of the spans between changes that touch a range of instants."""
        years = None
        if self.rules and high >= self.changes_s[-1] * SECOND_US:
            first, last = (civil(moment // DAY_US)[0] for moment in (low, high))
            years = max(first - 2, self.last_year), last + 2
        starts, spans = _spans(self, years)
        return spans[bisect_right(starts, low) - 1 : bisect_right(starts, high)]


@lru_cache(512)  # the evaluator reads a text that names a region in 0.4 of the time
def _spans(
    zone: Zone, years: tuple[int, int] | None
) -> tuple[list[int], list[tuple[int, int, int]]]:
    """Where the spans of a zone start, with those that rules tell of some years, and the spans."""
    changes = list(zip(zone.changes_s, zone.offsets_s[1:], strict=True))
    if years is not None:
        changes += zone.by_rules(*years)
    starts = [-_END_OF_TIME, *(when * SECOND_US for when, _ in changes)]
    ends = [*starts[1:], _END_OF_TIME]
    offsets = [zone.offsets_s[0] * SECOND_US, *(o * SECOND_US for _, o in changes)]
    return starts, list(zip(starts, ends, offsets, strict=True))


def zone_text(zone: Zone) -> str:
    """A zone as the constant that plans have: name, first offset, changes and rules."""
    changes = zip(zone.changes_s, zone.offsets_s[1:], strict=True)
    rules = ([str(getattr(rule, f.name)) for f in fields(ZoneRule)] for rule in zone.rules)
    parts = (
        zone.name,
        str(zone.offsets_s[0]),
        " ".join(f"{when}:{offset}" for when, offset in changes),
        " ".join(map(":".join, rules)),
    )
    return ";".join(parts)


@lru_cache(64)
def zone_of(text: object) -> Zone:
    """The zone that `zone_text` wrote."""
    try:
        name, first, changes, rules = str(text).split(";")
        pairs = [tuple(map(int, change.split(":"))) for change in changes.split()]
        return Zone(
            name,
            (int(first), *(offset for _, offset in pairs)),
            tuple(when for when, _ in pairs),
            tuple(ZoneRule(*map(int, rule.split(":"))) for rule in rules.split()),
        )
    except (ValueError, TypeError):
        raise IrTypeError(f"{str(text)[:40]!r} is no zone; write it with ir.zones") from None


def _first_of_month(year: int, month: int) -> int:
    made = days_of(year, month, 1)
    assert made is not None
    return made
