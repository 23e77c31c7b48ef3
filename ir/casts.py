"""What is known about a cast without evaluating it: whether it is one, null results, failures.

Which pairs of types there are depends on the mode, as in Spark: LEGACY takes some that
ANSI and TRY refuse.
"""

from __future__ import annotations

from ir.signatures import EvalMode
from ir.types import (
    BINARY,
    BOOL,
    DATE,
    INT64,
    STRING,
    TIMESTAMP,
    DataType,
    DecimalType,
)

# Seconds since 1970 of any timestamp have at most so many digits before the point.
_SECOND_DIGITS = 13


def can_cast(source: DataType, target: DataType, mode: EvalMode = EvalMode.ANSI) -> bool:
    """Whether a mode has a cast between these types."""
    if source == target or target is STRING or source is STRING:
        return True
    if mode is EvalMode.LEGACY and _is_legacy_only(source, target):
        return True
    if target is TIMESTAMP:
        return source.is_numeric or source is DATE
    if target is DATE:
        return source is TIMESTAMP
    if target.is_numeric:
        return source.is_numeric or source in (BOOL, TIMESTAMP)
    return target is BOOL and source.is_numeric


def refusal(source: DataType, target: DataType, mode: EvalMode) -> str:
    """Why there is no such cast, and what to write instead."""
    problem = f"cannot cast {source} to {target}"
    if mode is not EvalMode.LEGACY and can_cast(source, target, EvalMode.LEGACY):
        problem += f" in {mode.value} mode, only in legacy mode"
    steps = (TIMESTAMP, INT64, STRING)
    for step in steps:
        if step not in (source, target) and _leads(source, step, target, mode):
            return f"{problem}; cast to {step} first"
    return f"{problem}; a column of another type is needed"


def cast_can_lose(source: DataType, target: DataType) -> bool:
    """Whether some value of `source` has no counterpart in `target`."""
    if source == target or target.is_bytes:
        return False
    if source is STRING:
        return True
    if target.is_integer:
        return _exceeds_integer(source, target)
    if isinstance(target, DecimalType):
        return source.is_float or _whole_digits(source, target) > target.precision - target.scale
    return target is TIMESTAMP and (source is DATE or source.is_float)


def cast_can_fail(source: DataType, target: DataType, mode: EvalMode) -> bool:
    """Whether some value makes the cast raise an error."""
    if (source, target) == (STRING, TIMESTAMP):
        return True  # in every mode where a machine has no rules of time zones
    if (source, target) == (DATE, TIMESTAMP):
        # Java's arithmetic raises, whatever the mode.
        return mode not in (EvalMode.TRY, EvalMode.EXACT)
    return mode is EvalMode.ANSI and cast_can_lose(source, target)


def cast_can_be_null(source: DataType, target: DataType, mode: EvalMode) -> bool:
    """Whether some value that is not null gives null."""
    if source.is_float and target.is_decimal:
        return True  # NaN and the infinities, in every mode
    if mode is EvalMode.TRY:
        return cast_can_lose(source, target)
    return mode is EvalMode.LEGACY and _legacy_is_null(source, target)


def is_always_null(source: DataType, target: DataType) -> bool:
    """Whether no value has a counterpart: a date is no number, but LEGACY lets it be cast."""
    return source is DATE and (target is BOOL or target.is_numeric)


def _is_legacy_only(source: DataType, target: DataType) -> bool:
    if target is BINARY:
        return source.is_integer
    if source is DATE:
        return target is BOOL or target.is_numeric
    return {source, target} == {BOOL, TIMESTAMP}


def _leads(source: DataType, step: DataType, target: DataType, mode: EvalMode) -> bool:
    return can_cast(source, step, mode) and can_cast(step, target, mode)


def _exceeds_integer(source: DataType, target: DataType) -> bool:
    if isinstance(source, DecimalType):
        # A decimal with many digits may be rounded up to the next power of ten on the way.
        return bool(10 ** (source.precision - source.scale) > target.high)
    if source is TIMESTAMP:
        return target is not INT64
    return source.is_float or (source.is_integer and source.bits > target.bits)


def _whole_digits(source: DataType, target: DecimalType) -> int:
    """How many digits before the point a value may have, once rounded to the target's scale."""
    if isinstance(source, DecimalType):
        return source.precision - source.scale + (source.scale > target.scale)
    if source is TIMESTAMP:
        return _SECOND_DIGITS  # of which the first is no 9, so that none is added by rounding
    return 1 if source is BOOL else len(str(source.high))


def _legacy_is_null(source: DataType, target: DataType) -> bool:
    if is_always_null(source, target):
        return True
    wraps = target.is_integer and source not in (STRING, TIMESTAMP)
    return cast_can_lose(source, target) and not wraps and source is not DATE
