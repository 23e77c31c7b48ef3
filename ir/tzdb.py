"""The rules of regions as Java keeps them, in the file `lib/tzdb.dat` of its home.

Everything in it is big-endian. A text and a rule have their size before them as 16 bits; times
of quarter hours take 3 bytes, offsets of quarter hours one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ir.errors import IrTypeError
from ir.zones import Zone, ZoneRule

_MAGIC = b"\x01\x00\x04TZDB"
_ZONE_RULES = 1  # what kind of object follows
_QUARTER_S = 900
_FIRST_QUARTER_S = -4_575_744_000  # 1825
_BIG_TIME, _BIG_OFFSET, _BIG_CLOCK, _BIG_STANDARD, _BIG_STEP = 255, 127, 31, 255, 3
_HOUR_S, _DAY_S = 3_600, 86_400
_UTC, _WALL, _STANDARD = range(3)  # what the time of a rule is in


def read_tzdb(data: bytes) -> Mapping[str, Zone]:
    """The zones of all regions; each is made when it is first asked for."""
    try:
        return _TzdbZones(*_index(_Reader(data)))
    except (struct.error, IndexError, UnicodeDecodeError):
        raise IrTypeError("the rules of regions end early; they are Java's tzdb.dat") from None


def _index(file: _Reader) -> tuple[dict[str, int], list[bytes]]:
    """The number of each region's rules, and the rules."""
    if not file.data.startswith(_MAGIC):
        raise IrTypeError("the rules of regions are not those of Java's tzdb.dat")
    file.place = len(_MAGIC)
    versions = [file.block() for _ in range(file.take("H"))]
    names = [file.block().decode() for _ in range(file.take("H"))]
    rules = [file.block() for _ in range(file.take("H"))]
    numbers: dict[str, int] = {}
    for _ in versions:  # the last one counts
        numbers = {}
        for _ in range(file.take("H")):
            name = names[file.take("H")]
            numbers[name] = file.take("H")
    return numbers, rules


class _TzdbZones(Mapping[str, Zone]):
    """Zones by region; those with the same rules are made once."""

    def __init__(self, numbers: dict[str, int], rules: list[bytes]) -> None:
        self._numbers, self._rules = numbers, rules
        self._made: dict[int, Zone] = {}

    def __getitem__(self, name: str) -> Zone:
        number = self._numbers[name]
        if number not in self._made:
            self._made[number] = _zone(name, _Reader(self._rules[number]))
        return self._made[number]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers


def _zone(name: str, rules: _Reader) -> Zone:
    """Standard time is left out: what clocks show is said apart from it."""
    if rules.take("B") != _ZONE_RULES:
        raise IrTypeError(f"region {name} has rules of another kind than Java's ZoneRules")
    standard = rules.take("i")
    for _ in range(standard):
        rules.moment()
    for _ in range(standard + 1):
        rules.offset()
    count = rules.take("i")
    changes = tuple(rules.moment() for _ in range(count))
    offsets = tuple(rules.offset() for _ in range(count + 1))
    return Zone(name, offsets, changes, tuple(_rule(rules) for _ in range(rules.take("B"))))


def _rule(rules: _Reader) -> ZoneRule:
    """All but what is unusual is in 32 bits."""
    bits = _Bits(rules.take("I"))
    month, day, weekday = bits.upper(4), bits.upper(6) - 32, bits.upper(3)
    clock, time_in, standard = bits.upper(5), bits.upper(2), bits.upper(8)
    before, after = bits.upper(2), bits.upper(2)
    time_s = rules.take("i") if clock == _BIG_CLOCK else clock * _HOUR_S
    standard_s = rules.take("i") if standard == _BIG_STANDARD else (standard - 128) * _QUARTER_S
    before_s, after_s = (
        rules.take("i") if step == _BIG_STEP else standard_s + step * 2 * _QUARTER_S
        for step in (before, after)
    )
    ahead_s = {_UTC: 0, _WALL: before_s, _STANDARD: standard_s}[time_in]
    return ZoneRule(month, day, weekday, time_s, ahead_s, before_s, after_s)


@dataclass
class _Bits:
    """A word of 32 bits, taken from the highest on."""

    word: int
    left: int = 32

    def upper(self, count: int) -> int:
        """The next bits as a number."""
        self.left -= count
        return self.word >> self.left & ((1 << count) - 1)


@dataclass
class _Reader:
    """Bytes that are taken from the front."""

    data: bytes
    place: int = 0

    def take(self, form: str) -> int:
        """A number, in a form of `struct`."""
        (made,) = struct.unpack_from(f">{form}", self.data, self.place)
        self.place += struct.calcsize(form)
        return int(made)

    def block(self) -> bytes:
        """A size and as many bytes."""
        size = self.take("H")
        self.place += size
        if self.place > len(self.data):
            raise IndexError(self.place)
        return self.data[self.place - size : self.place]

    def moment(self) -> int:
        """Seconds since 1970."""
        high = self.take("B")
        if high == _BIG_TIME:
            return self.take("q")
        return (high << 16 | self.take("H")) * _QUARTER_S + _FIRST_QUARTER_S

    def offset(self) -> int:
        """Seconds ahead of UTC."""
        quarters = self.take("b")
        return self.take("i") if quarters == _BIG_OFFSET else quarters * _QUARTER_S
