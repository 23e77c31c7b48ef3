"""Durations as Spark writes them, in microseconds."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import TypeAlias

import ir

Duration: TypeAlias = str | timedelta

_SECOND_US = 1_000_000
UNITS_US: dict[str, int] = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": _SECOND_US,
    "minute": 60 * _SECOND_US,
    "hour": 3_600 * _SECOND_US,
    "day": 86_400 * _SECOND_US,
    "week": 7 * 86_400 * _SECOND_US,
}
_PART = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]+)\s*")
_EXAMPLE = "write it as '10 seconds', '500 milliseconds' or '1 hour 30 minutes'"


def duration_us(duration: Duration) -> int:
    """The microseconds of a duration such as "1 hour 30 minutes", or of a timedelta."""
    if isinstance(duration, timedelta):
        return duration // timedelta(microseconds=1)
    if not isinstance(duration, str):
        raise ir.IrTypeError(
            f"a duration is text or a timedelta, got {duration!r}; {_EXAMPLE}, or pass a timedelta"
        )
    text = duration.lower().strip().removeprefix("interval ")
    parts = _PART.findall(text)
    if not parts or _PART.sub("", text):
        raise ir.IrError(f"{duration!r} is not a duration; {_EXAMPLE}")
    return sum(_part_us(Decimal(amount), unit, duration) for amount, unit in parts)


def _part_us(amount: Decimal, unit: str, duration: str) -> int:
    size = UNITS_US.get(unit.removesuffix("s"))
    if size is None:
        why = "months and years differ in length; " if unit[:4] in ("mont", "year") else ""
        known = ", ".join(f"{name}s" for name in UNITS_US)
        raise ir.IrError(f"{duration!r} has the unit {unit!r}; {why}units are {known}")
    exact = amount * size
    if exact != int(exact):
        raise ir.IrError(f"{duration!r} is not a whole number of microseconds; round it")
    return int(exact)
