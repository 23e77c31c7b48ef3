"""Random times as text, with zones of all kinds, some of which are wrong."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ir.calendar import DAY_US, SECOND_US, civil
from ir.zones import Zone

OFFSETS = (
    *("Z", "UTC", "GMT", "UT", "+01:00", "-8", "+0530", "UTC+3", "GMT-03:30", "UT+1:5", "+18:00"),
    *("+18:01", "-19", "GMT+1", "UTC+99", "+1:2:3", "z", "utc", "+"),
)
SHORT = ("EST", "MST", "HST", "PST", "IST", "CST", "ECT", "BST", "AST", "JST", "est")
REGIONS = (
    *("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Cairo"),
    *("America/Sao_Paulo", "Pacific/Apia", "America/St_Johns", "Asia/Tehran", "Europe/Dublin"),
    *("Africa/Casablanca", "America/Nuuk", "Pacific/Chatham", "Antarctica/Troll", "Etc/GMT+9"),
    *("US/Pacific", "GB", "Zulu", "GMT0", "CET", "EST5EDT", "Asia/Jerusalem", "Etc/UTC"),
)
NO_REGIONS = (
    *("Europe/berlin", "Nowhere/Land", "Europe", "Berlin", "X", "Europe/Berlin/", "GMT1", "é"),
    *("../Europe/Berlin", "posixrules", "Europe/Berlin x", "Etc/GMT+99", "UTC/Berlin", "A~b"),
)


def time_text(rng: random.Random, moment: int, names: Sequence[str] = REGIONS) -> str:
    """A time around a moment of microseconds, usually with a region."""
    day, of_day = divmod(moment, DAY_US)
    year, month, day_of_month = civil(day)
    second, micros = divmod(of_day, SECOND_US)
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    clock += rng.choice(("", "", f".{micros:06}", f".{micros // 1000:03}", "."))
    zone = _zone(rng, names)
    if rng.random() < 0.1:
        return f"{rng.choice(('T', '', ' '))}{clock}{zone}"
    date = f"{'-' if year < 0 else ''}{abs(year):04}-{month:02}-{day_of_month:02}"
    return f"{date}{rng.choice((' ', 'T'))}{clock}{zone}"


def _zone(rng: random.Random, names: Sequence[str]) -> str:
    kinds: tuple[Sequence[str], ...] = (names, names, names, SHORT, OFFSETS, ("",), NO_REGIONS)
    zone = rng.choice(rng.choice(kinds))
    return rng.choice(("", " ", "  ", "\t")) + zone + rng.choice(("", "", " ", "\n"))


def moments_of(rng: random.Random, zone: Zone, count: int) -> list[int]:
    """Local times: most around the changes of a zone, also of centuries ahead."""
    changes = list(zone.changes_s)
    if zone.rules:
        changes += [
            w for year in (2024, 2037, 2399, 2500, 9000) for w, _ in zone.by_rules(year, year)
        ]
    made = []
    for _ in range(count):
        if changes and rng.random() < 0.8:
            second = rng.choice(changes) + rng.choice(zone.offsets_s) + rng.choice((-1, 0, 1, 1800))
        else:
            second = rng.randint(-62_000_000_000, 250_000_000_000)
        made.append(second * SECOND_US + rng.choice((0, 250_000, rng.randrange(SECOND_US))))
    return made
