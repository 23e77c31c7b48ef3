"""The queries over streams that change, and the columns of their events, made by numpy.

All queries add up `value` by window and one key, so that one reference fits all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adaptive import Stream, stream
from adaptive import functions as f
from adaptive.demo.ysb_data import EVENT_TYPES
from experiments.workloads import SECOND_US

BLOCK_US = 10 * SECOND_US
LATE_US = 3 * SECOND_US
PASSES = 50  # a column's value from which on the predicates over it hold
LEAST_TOTAL, MOST_OFF = 1_000_000, 1_000  # half of the rows with small prices pass each
HOT_KEY = 123_456
HOT_SHARE = 0.6
NULL_SHARE = 0.05
LATE_SHARE = 0.2

Array: TypeAlias = np.ndarray[Any, Any]
Columns: TypeAlias = dict[str, Any]
Random: TypeAlias = np.random.Generator
Keys: TypeAlias = Callable[[int, Random], Array]
Make: TypeAlias = Callable[[int, Random], Columns]  # so many rows


def ysb_query(
    window_blocks: int = 1, delay: str = "0 seconds", key: str = "campaign_id"
) -> Callable[[str], Stream]:
    """Views, added up by window and key."""
    columns = {
        "event_type": "string",
        key: "string" if key == "country" else "int64",
        "event_time": "timestamp",
        "value": "int64",
    }

    def query(result: str) -> Stream:
        events = stream(columns).watermark("event_time", delay)
        return _summed(events.filter(f.col("event_type") == "view"), window_blocks, key, result)

    return query


def filters_query(names: str) -> Callable[[str], Stream]:
    """A predicate for each of some columns, all to be passed, in this order."""
    columns = dict.fromkeys((*names, "campaign_id", "value"), "int64")

    def query(result: str) -> Stream:
        events = stream({**columns, "event_time": "timestamp"})
        events = events.watermark("event_time", "0 seconds")
        for name in names:
            events = events.filter(f.col(name) >= PASSES)
        return _summed(events, 1, "campaign_id", result)

    return query


def totals_query(result: str) -> Stream:
    """Predicates on what is computed of columns, which fails where it leaves 64 bits."""
    names = ("price", "quantity", "tax", "rebate", "campaign_id", "value")
    events = stream({**dict.fromkeys(names, "int64"), "event_time": "timestamp"})
    events = events.watermark("event_time", "0 seconds")
    price, quantity, tax = f.col("price"), f.col("quantity"), f.col("tax")
    for predicate in (
        price * quantity + tax >= LEAST_TOTAL,
        tax + f.col("rebate") < MOST_OFF,
        f.abs(tax - f.col("rebate")) < MOST_OFF // 2,
    ):
        events = events.filter(predicate)
    return _summed(events, 1, "campaign_id", result)


def is_charged(batch: pa.RecordBatch) -> Array:
    """Which rows pass these predicates."""
    names = ("price", "quantity", "tax", "rebate")
    price, quantity, tax, rebate = (batch.column(name).to_numpy() for name in names)
    found: Array = price * quantity + tax >= LEAST_TOTAL
    found &= (tax + rebate < MOST_OFF) & (np.abs(tax - rebate) < MOST_OFF // 2)
    return found


def priced(most: int, share: float = 0.0) -> Make:
    """Small prices, but in a share of the rows such up to `most`."""

    def make(rows: int, random: Random) -> Columns:
        price = random.integers(0, 100_000, rows)
        is_high = random.random(rows) < share
        return {
            "price": np.where(is_high, random.integers(0, most, rows), price),
            "quantity": random.integers(1, 50, rows),
            "tax": random.integers(0, 1_000, rows),
            "rebate": random.integers(0, 1_000, rows),
            "campaign_id": random.integers(0, 100, rows),
            "value": random.integers(0, 100, rows),
        }

    return make


def _summed(events: Stream, window_blocks: int, key: str, result: str) -> Stream:
    window = f.window("event_time", f"{window_blocks * BLOCK_US} microseconds")
    return events.group_by(window, key).agg(**{result: f.sum("value")})


def is_view(batch: pa.RecordBatch) -> Array:
    """Which rows are views."""
    found: Array = pc.equal(batch.column("event_type"), "view").to_numpy(zero_copy_only=False)
    return found


def passing(names: str) -> Callable[[pa.RecordBatch], Array]:
    """Which rows pass the predicates over some columns."""

    def passes(batch: pa.RecordBatch) -> Array:
        found = np.ones(batch.num_rows, bool)
        for name in names:
            found &= batch.column(name).to_numpy() >= PASSES
        return found

    return passes


def ysb_columns(keys: Keys, strings: bool = False) -> Make:
    """Events of the benchmark with keys of some kind."""

    def make(rows: int, random: Random) -> Columns:
        types = coded(random.integers(0, len(EVENT_TYPES), rows), EVENT_TYPES)
        return {
            "event_type": types.cast(pa.string()) if strings else types,
            "campaign_id": keys(rows, random),
            "value": random.integers(0, 100, rows),
        }

    return make


def uniform(count: int, low: int = 0) -> Keys:
    """Keys from a range, all as frequent."""
    return lambda rows, random: random.integers(low, low + count, rows)


def skewed(count: int) -> Keys:
    """Keys from a range of which one has most rows."""

    def keys(rows: int, random: Random) -> Array:
        drawn = random.integers(0, count, rows)
        drawn[random.random(rows) < HOT_SHARE] = HOT_KEY
        return drawn

    return keys


def scattered(count: int) -> Array:
    """Keys from all of int64, in order."""
    return np.sort(np.random.default_rng(7).integers(-(2**63), 2**63 - 1, count))


def filtered_columns(names: str, shares: tuple[float, ...]) -> Make:
    """Columns of which each passes its predicate in a share of the rows."""

    def make(rows: int, random: Random) -> Columns:
        columns: Columns = {
            name: random.integers(0, PASSES, rows) + PASSES * (random.random(rows) < share)
            for name, share in zip(names, shares, strict=True)
        }
        columns["campaign_id"] = random.integers(0, 100, rows)
        columns["value"] = random.integers(0, 100, rows)
        return columns

    return make


def with_nulls(make: Make) -> Make:
    """The same columns with a value missing here and there."""

    def made(rows: int, random: Random) -> Columns:
        columns = make(rows, random)
        missing = random.random(rows) < NULL_SHARE
        return {**columns, "value": pa.array(columns["value"], mask=missing)}

    return made


def disordered(make: Make) -> Make:
    """The same columns with a share of the rows up to some seconds late."""

    def made(rows: int, random: Random) -> Columns:
        late = random.random(rows) < LATE_SHARE
        times = in_order(rows) - late * random.integers(0, LATE_US, rows)
        return {**make(rows, random), "event_time": times}

    return made


def of_countries(countries: tuple[str, ...], types: tuple[str, ...]) -> Make:
    """Events with a string for a key, and dictionaries that have exactly these values."""

    def make(rows: int, random: Random) -> Columns:
        return {
            "event_type": coded(random.integers(0, len(types), rows), types),
            "country": coded(random.integers(0, len(countries), rows), countries),
            "value": random.integers(0, 100, rows),
        }

    return make


def in_order(rows: int) -> Array:
    """Times that spread the rows of a block evenly."""
    return np.arange(rows, dtype=np.int64) * BLOCK_US // rows


def coded(codes: Array, names: tuple[str, ...]) -> Any:
    """Strings as codes of a dictionary."""
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(names))


def halves(one: Make, other: Make) -> Make:
    """The first half of each block by one, the second half by the other."""

    def make(rows: int, random: Random) -> Columns:
        parts = one(rows // 2, random), other(rows - rows // 2, random)
        return {name: _joined(parts[0][name], parts[1][name]) for name in parts[0]}

    return make


def _joined(first: Any, second: Any) -> Any:
    """Both after one another; codes of the same dictionary stay codes."""
    chunks = [pa.array(part) if isinstance(part, np.ndarray) else part for part in (first, second)]
    return pa.concat_arrays(chunks)
