"""The rules of regions as systems keep them: a folder of files in the form TZif (RFC 9636)."""

from __future__ import annotations

import importlib.util
import os
import re
import struct
import zoneinfo
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from ir.errors import IrTypeError
from ir.zones import Zone, ZoneRule

_MAGIC = b"TZif"
_HEADER = struct.Struct(">4sc15x6I")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*")
# Kinds of the same files, and names that Java does not have.
_OTHER_FOLDERS = ("posix", "right")
_NO_REGIONS = frozenset({"Factory", "localtime", "posixrules"})
_DEFAULT_TIME_S = 2 * 3600
# std offset [dst [offset] , start , end]
_FOOTER = re.compile(
    r"(?:<[^>]+>|[A-Za-z]{3,})(?P<std>[+-]?[\d:]+)"
    r"(?:(?:<[^>]+>|[A-Za-z]{3,})(?P<dst>[+-]?[\d:]+)?,(?P<start>[^,]+),(?P<end>[^,]+))?"
)
_RULE = re.compile(r"(?:M(\d+)\.(\d)\.(\d)|J(\d+))(?:/([+-]?[\d:]+))?")
_LAST_WEEK = 5
_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def zone_files() -> Mapping[str, Zone]:
    """The zones of this machine's regions, or of the package `tzdata`; none if it has neither."""
    roots = [Path(root) for root in zoneinfo.TZPATH]
    package = importlib.util.find_spec("tzdata")
    if package is not None and package.submodule_search_locations:
        roots.append(Path(package.submodule_search_locations[0]) / "zoneinfo")
    return next((made for made in map(ZoneFiles, roots) if "Europe/London" in made), {})


class ZoneFiles(Mapping[str, Zone]):
    """Zones by region; each file is read when its region is first asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._made: dict[str, Zone] = {}
        self._by_content: dict[bytes, Zone] = {}

    def __getitem__(self, name: str) -> Zone:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._read(name)
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __bool__(self) -> bool:
        return True  # without a look at the whole folder

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _is_region(name) and _is_zone_file(self.root / name)

    @cached_property
    def _names(self) -> list[str]:
        found = []
        for folder, _, files in os.walk(self.root):
            names = ((Path(folder) / file).relative_to(self.root).as_posix() for file in files)
            found += [name for name in names if name in self]
        return sorted(found)

    def _read(self, name: str) -> Zone:
        """Files of one content, of which there are many, are understood once."""
        if name not in self:
            raise KeyError(name)
        data = (self.root / name).read_bytes()
        if data not in self._by_content:
            self._by_content[data] = zone_of_file(name, data)
        return self._by_content[data]


def _is_region(name: str) -> bool:
    return (
        _NAME.fullmatch(name) is not None
        and name not in _NO_REGIONS
        and name.partition("/")[0] not in _OTHER_FOLDERS
    )


def _is_zone_file(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def zone_of_file(name: str, data: bytes) -> Zone:
    """The zone of a file: its changes of 64 bits, and the rule at its end for all later ones."""
    try:
        changes, offsets, footer = _content(data)
        after_s, rules = _rules(footer, offsets[-1])
    except (struct.error, IndexError, ValueError):
        raise IrTypeError(f"the rules of {name} are damaged; install tzdata anew") from None
    if not changes:
        return Zone(name, (after_s,), (), rules)
    kept = [
        (when, after)
        for when, (before, after) in zip(changes, pairwise(offsets), strict=True)
        if before != after
    ]
    return Zone(name, (offsets[0], *(o for _, o in kept)), tuple(w for w, _ in kept), rules)


def _content(data: bytes) -> tuple[list[int], list[int], str]:
    """Instants of changes, the offsets before the first and behind each, and the last line."""
    place = _HEADER.size + _size(data, 0, 4)
    _, version, _, _, _, times, types, _ = _HEADER.unpack_from(data, place)
    if version < b"2":
        raise ValueError("no times of 64 bits")
    end = place + _HEADER.size + _size(data, place, 8)
    place += _HEADER.size
    changes = list(struct.unpack_from(f">{times}q", data, place))
    numbers = data[place + 8 * times : place + 9 * times]
    ahead = [struct.unpack_from(">i", data, place + 9 * times + 6 * n)[0] for n in range(types)]
    offsets = [ahead[0], *(ahead[number] for number in numbers)]
    return changes, offsets, data[end:].strip(b"\n").decode("ascii")


def _size(data: bytes, place: int, time_bytes: int) -> int:
    """The size of a block whose header is at a place."""
    magic, _, universal, standard, leaps, times, types, letters = _HEADER.unpack_from(data, place)
    if magic != _MAGIC:
        raise ValueError("no TZif")
    return int(
        times * (time_bytes + 1)
        + types * 6
        + letters
        + leaps * (time_bytes + 4)
        + standard
        + universal
    )


def _rules(footer: str, last_s: int) -> tuple[int, tuple[ZoneRule, ...]]:
    """The offset for ever, or the rules by which it changes."""
    if not footer:
        return last_s, ()
    found = _FOOTER.fullmatch(footer)
    if found is None:
        raise ValueError(footer)
    standard_s = -_clock_s(found["std"])
    if found["start"] is None:
        return standard_s, ()
    summer_s = standard_s + 3600 if found["dst"] is None else -_clock_s(found["dst"])
    start = _rule(found["start"], standard_s, summer_s)
    return standard_s, (start, _rule(found["end"], summer_s, standard_s))


def _rule(text: str, before_s: int, after_s: int) -> ZoneRule:
    """A day of a month by its week and weekday, or a day of the year; the clock is the old one."""
    found = _RULE.fullmatch(text)
    if found is None:
        raise ValueError(text)
    month, week, weekday, day_of_year, clock = found.groups()
    time_s = _DEFAULT_TIME_S if clock is None else _clock_s(clock)
    if day_of_year is not None:
        first, day = _day_of(int(day_of_year))
        return ZoneRule(first, day, 0, time_s, before_s, before_s, after_s)
    first = -1 if int(week) == _LAST_WEEK else 7 * int(week) - 6
    return ZoneRule(int(month), first, int(weekday) or 7, time_s, before_s, before_s, after_s)


def _day_of(number: int) -> tuple[int, int]:
    """Month and day of a day of the year, 29 February not counted."""
    for month, length in enumerate(_MONTHS, 1):
        if number <= length:
            return month, number
        number -= length
    raise ValueError(number)


def _clock_s(text: str) -> int:
    hours, *rest = text.lstrip("+-").split(":")
    minutes, seconds = ([int(part) for part in rest] + [0, 0])[:2]
    size = int(hours) * 3600 + minutes * 60 + seconds
    return -size if text.startswith("-") else size
