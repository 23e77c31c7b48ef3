"""Sums and averages of decimals as Arrow arrays: checked, divided, rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen_llvm import average_decimals
from ir import DecimalType, EvalMode, EvaluationError, NamedAggregate
from ir.aggregates import sum_type

Values = NDArray[Any]
Nulls = NDArray[np.bool_] | None


def decimal_sums(aggregate: NamedAggregate, raw: Values, empty: Nulls) -> tuple[Values, Nulls]:
    """The sums as 16-byte integers, and which are null; a sum with too many digits may fail."""
    assert aggregate.call.argument is not None
    words = np.ascontiguousarray(raw).view(np.int64).reshape(len(raw), raw.itemsize // 8)
    lost = _too_large(words, sum_type(aggregate.call.argument.type))
    kept = np.ascontiguousarray(words[:, :2]).view("V16").reshape(-1)
    return kept, _nulls(aggregate, "ARITHMETIC_OVERFLOW", lost, empty)


def decimal_averages(
    aggregate: NamedAggregate, raw: Values, counts: NDArray[np.int64], empty: Nulls
) -> tuple[Values, Nulls]:
    """The sums divided by the numbers of values, and which are null."""
    call = aggregate.call
    assert call.argument is not None
    assert isinstance(call.type, DecimalType)
    sums, null = decimal_sums(aggregate, raw, empty)
    made, lost = np.empty(len(sums), "V16"), np.empty(len(sums), np.uint8)
    places = (sums.ctypes.data, counts.ctypes.data, made.ctypes.data, lost.ctypes.data)
    average_decimals(sum_type(call.argument.type), call.type, places, len(sums))
    overflow = lost.astype(bool) if null is None else lost.astype(bool) & ~null
    return made, _nulls(aggregate, "NUMERIC_VALUE_OUT_OF_RANGE", overflow, null)


def _too_large(words: NDArray[np.int64], type_: DecimalType) -> NDArray[np.bool_]:
    """Which sums, given as words from the lowest to the highest, have too many digits.

    The second word tells for nearly all; what is near the limit is looked at exactly.
    """
    high, limit = words[:, 1], type_.high >> 64
    doubtful = (high >= limit) | (high < -limit)
    for position in range(2, words.shape[1]):
        doubtful |= words[:, position] != high >> 63
    for row in np.flatnonzero(doubtful):
        value = int.from_bytes(words[row].tobytes(), "little", signed=True)
        doubtful[row] = abs(value) > type_.high
    return doubtful


def _nulls(
    aggregate: NamedAggregate, condition: str, lost: NDArray[np.bool_], empty: Nulls
) -> Nulls:
    """What the mode makes of results that are lost: an error, or more nulls."""
    if not lost.any():
        return empty
    if aggregate.call.mode is EvalMode.ANSI:
        raise EvaluationError(condition, f"{aggregate.call.function} as {aggregate.name}")
    return lost if empty is None else empty | lost
