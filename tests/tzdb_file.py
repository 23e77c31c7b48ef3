"""Writes zones as Java keeps them in `tzdb.dat`, for tests of what reads that."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from ir.zones import Zone, ZoneRule

_QUARTER_S = 900
_FIRST_QUARTER_S = -4_575_744_000
_UTC, _WALL = 0, 1


def tzdb_file(zones: Mapping[str, Zone]) -> bytes:
    """The file; equal zones share their rules."""
    rules = list(dict.fromkeys(map(_rules, zones.values())))
    numbers = [rules.index(_rules(zone)) for zone in zones.values()]
    return b"".join(
        (
            b"\x01",
            _text(b"TZDB"),
            struct.pack(">H", 1),
            _text(b"2030a"),
            struct.pack(">H", len(zones)),
            *(_text(name.encode()) for name in zones),
            struct.pack(">H", len(rules)),
            *map(_text, rules),
            struct.pack(">H", len(zones)),
            *(struct.pack(">HH", place, number) for place, number in enumerate(numbers)),
            struct.pack(">H", 0),  # aliases
        )
    )


def _rules(zone: Zone) -> bytes:
    """A change of standard time is written, too, which readers pass over."""
    return b"".join(
        (
            b"\x01",
            struct.pack(">i", 1) + _moment(-4_000_000_001) + _offset(0) + _offset(3_601),
            struct.pack(">i", len(zone.changes_s)),
            *map(_moment, zone.changes_s),
            *map(_offset, zone.offsets_s),
            struct.pack(">B", len(zone.rules)),
            *map(_rule, zone.rules),
        )
    )


def _rule(rule: ZoneRule) -> bytes:
    """With standard time where that is of whole quarter hours, to see both forms."""
    time_in = _UTC if rule.ahead_s == 0 else _WALL
    assert rule.ahead_s in (0, rule.before_s)
    standard_s = min(rule.before_s, rule.after_s)
    in_hours = rule.time_s % 3600 == 0 and rule.time_s < 31 * 3600
    clock = rule.time_s // 3600 if in_hours else 31
    standard = standard_s // _QUARTER_S + 128 if standard_s % _QUARTER_S == 0 else 255
    steps = [_step(offset, standard_s) for offset in (rule.before_s, rule.after_s)]
    word = rule.month
    parts = ((6, rule.day + 32), (3, rule.weekday), (5, clock), (2, time_in), (8, standard))
    for bits, value in (*parts, (2, steps[0]), (2, steps[1])):
        word = word << bits | value
    rest = [rule.time_s] if clock == 31 else []
    rest += [standard_s] if standard == 255 else []
    offsets = zip(steps, (rule.before_s, rule.after_s), strict=True)
    rest += [offset for step, offset in offsets if step == 3]
    return struct.pack(f">I{len(rest)}i", word, *rest)


def _step(offset: int, standard: int) -> int:
    return (offset - standard) // 1800 if offset - standard in (0, 1800, 3600) else 3


def _moment(second: int) -> bytes:
    quarters = second - _FIRST_QUARTER_S
    if quarters % _QUARTER_S == 0 and 0 <= quarters < 10_413_792_000 - _FIRST_QUARTER_S:
        return struct.pack(">I", quarters // _QUARTER_S)[1:]
    return b"\xff" + struct.pack(">q", second)


def _offset(second: int) -> bytes:
    if second % _QUARTER_S == 0:
        return struct.pack(">b", second // _QUARTER_S)
    return b"\x7f" + struct.pack(">i", second)


def _text(data: bytes) -> bytes:
    return struct.pack(">H", len(data)) + data
