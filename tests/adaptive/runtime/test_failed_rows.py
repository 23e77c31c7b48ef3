"""What an error says of its row."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from adaptive.runtime.failed_rows import with_values
from ir import EvaluationError

BATCH = pa.record_batch(
    {
        "k": pa.array([1, None]),
        "kk": pa.array(["a", "b"]).dictionary_encode(),
        "t": pa.array([0, 2**62], pa.timestamp("us", "UTC")),
        "day": pa.array([3, None], pa.date32()),
        "bytes": pa.array([b"\x00", b""]),
    }
)


@pytest.mark.parametrize(
    ("expression", "row", "values"),
    [
        ("1 / k", 0, "k = 1"),
        ("k + kk", 1, "k = null, kk = 'b'"),
        ("hour(t) / day", 0, "t = 1970-01-01 00:00:00.000000Z, day = 1970-01-04"),
        ("hour(t)", 1, f"t = {2**62}"),
        ("cast(bytes as string)", 0, r"bytes = b'\x00'"),
        ("1 / 0", 0, ""),
        ("1 / k", 2, ""),
        ("sum as k", None, ""),
    ],
)
def test_values(expression: str, row: int | None, values: str) -> None:
    error = with_values(EvaluationError("DIVIDE_BY_ZERO", expression, row), BATCH)
    assert error.values == values
    assert (f", where {values}. " in str(error)) == bool(values)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
