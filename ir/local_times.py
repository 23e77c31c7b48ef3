"""Functions of timestamps in a time zone, which is their first argument."""

from __future__ import annotations

from collections.abc import Callable

from ir.arithmetic import fits
from ir.calendar import DAY_US
from ir.conversion import Lost, written_timestamp
from ir.errors import Unrepresentable
from ir.regions import written_times
from ir.types import INT64
from ir.zones import zone_of


def local_date(zone: object, moment: int) -> int:
    """The day that calendars show."""
    return (moment + zone_of(zone).offset_us(moment)) // DAY_US


def local_time(zone: object, moment: int) -> int:
    """The time that clocks show, as one of 1970-01-01."""
    return (moment + zone_of(zone).offset_us(moment)) % DAY_US


def to_local(zone: object, moment: int) -> int:
    """What calendars and clocks show, as if that were UTC.

    It fails hours before the end of 64 bits, where Java still has a local time.
    """
    return _in_range(moment + zone_of(zone).offset_us(moment))


def from_local(zone: object, local: int, near: int | None = None) -> int:
    """The instant of what calendars and clocks show; of two, rather with the offset of another."""
    return _in_range(zone_of(zone).instant_us(local, _offset(zone, near)))


def day_start(zone: object, day: int, near: int | None = None) -> int:
    """Midnight; of two, rather with the offset of another instant."""
    return _in_range(zone_of(zone).day_start_us(day, _offset(zone, near)))


def parse_timestamp(times: object, text: str) -> int:
    """The moment that a text means, where the first argument says what regions and no zone mean."""
    moment = written_timestamp(text, written_times(times))
    if isinstance(moment, Lost):
        raise Unrepresentable(moment.condition)
    return moment


def _offset(zone: object, moment: int | None) -> int | None:
    return None if moment is None else zone_of(zone).offset_us(moment)


def _in_range(moment: int) -> int:
    if not fits(moment, INT64):
        raise Unrepresentable("DATETIME_OVERFLOW")
    return moment


LOCAL_MEANINGS: dict[str, Callable[..., int]] = {
    "local_date": local_date,
    "local_time": local_time,
    "to_local": to_local,
    "from_local": from_local,
    "day_start": day_start,
    "parse_timestamp": parse_timestamp,
}
