"""The C programs for other aggregates and windows, whatever the data, on one thread and on two."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.baselines import c_compiler, c_windows
from experiments.workloads import FAMILIES, SECOND_US, Stream, Workload, result_schema

try:
    c_compiler.library()
except c_compiler.CompilerError as error:
    pytest.skip(f"the C programs cannot be compiled: {error}", allow_module_level=True)

Event = tuple[str, int, int, int]
Values = dict[tuple[int, int], list[int]]

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
AGGREGATES = ("sum", "avg", "stddev", "median", "mode")
SLIDING = [w for w in FAMILIES["concurrent windows"] if w.size <= 10 * SECOND_US]
COUNTS = [Workload("count 1", "count", 1), Workload("count 3", "count", 3)]

keys = st.one_of(
    st.integers(-20, 20),
    st.sampled_from([INT64_MIN, INT64_MIN + 1, INT64_MIN + 2, INT64_MAX]),
    st.integers(INT64_MIN, INT64_MAX),
)
times = st.integers(-30 * SECOND_US, 30 * SECOND_US)
values = st.one_of(st.integers(-9, 9), st.integers(-(10**6), 10**6))
events = st.lists(st.tuples(st.sampled_from(["view", "click"]), keys, times, values), max_size=80)
threads = st.sampled_from([1, 2, 3])


def stream_of(rows: list[Event], coded: bool, cut: int) -> Stream:
    types, ids, times_us, numbers = zip(*rows, strict=True) if rows else ((), (), (), ())
    text = pa.array(types, pa.string())
    columns = [
        text.dictionary_encode() if coded else text,
        pa.array(ids, pa.int64()),
        pa.array(times_us, pa.int64()).cast(pa.timestamp("us", tz="UTC")),
        pa.array(numbers, pa.int64()),
    ]
    batch = pa.record_batch(columns, ["event_type", "campaign_id", "event_time", "value"])
    return Stream(batch, (batch.slice(0, cut), batch.slice(cut)))


def answers(workload: Workload, stream: Stream, on: int) -> dict[tuple[int, int], float]:
    table, elapsed_ns = c_windows.run(workload, stream, on)
    assert elapsed_ns > 0
    assert table.schema == result_schema(workload)
    starts = table["window_start"].cast(pa.int64()).to_pylist()
    groups = list(zip(starts, table["campaign_id"].to_pylist(), strict=True))
    assert len(set(groups)) == len(groups), "a group occurs twice"
    return dict(zip(groups, table["result"].to_pylist(), strict=True))


def values_by_window(workload: Workload, rows: list[Event], last_end_us: int) -> Values:
    """The values of each window and key, by the plainest loop there is."""
    groups: Values = defaultdict(list)
    seen: Counter[int] = Counter()
    for kind, key, time_us, value in rows:
        if kind != "view":
            continue
        if workload.window == "count":
            groups[seen[key] // workload.size * workload.size, key].append(value)
            seen[key] += 1
            continue
        last = time_us // workload.step * workload.step
        for start in range(last - workload.size + workload.step, last + 1, workload.step):
            if workload.window == "tumbling" or start + workload.size <= last_end_us:
                groups[start, key].append(value)
    return groups


@settings(max_examples=100, deadline=None)
@given(rows=events, coded=st.booleans(), cut=st.integers(0, 80), on=threads)
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_tumbling_windows(
    aggregate: str, rows: list[Event], coded: bool, cut: int, on: int
) -> None:
    workload = replace(FAMILIES["YSB"][0], aggregate=aggregate)
    found = answers(workload, stream_of(rows, coded, cut), on)
    expected = values_by_window(workload, rows, 0)
    assert found.keys() == expected.keys()
    for group, result in found.items():
        assert is_right(aggregate, expected[group], result), (group, result)


def is_right(aggregate: str, of: list[int], result: float) -> bool:
    match aggregate:
        case "sum":
            return result == sum(of)
        case "mode":
            return result == min(value for value in of if of.count(value) == most_frequent(of))
        case "avg":
            return math.isclose(result, sum(of) / len(of), rel_tol=1e-9)
        case "median":
            return result == statistics.median(of)
        case "stddev" if len(of) == 1:
            return math.isnan(result)
    return math.isclose(result, statistics.stdev(of), rel_tol=1e-9, abs_tol=1e-9)


def most_frequent(of: list[int]) -> int:
    return max(Counter(of).values())


@settings(max_examples=100, deadline=None)
@given(rows=events, coded=st.booleans(), cut=st.integers(0, 80), on=threads)
@pytest.mark.parametrize("workload", SLIDING + COUNTS, ids=lambda w: w.name)
def test_sliding_and_count_windows(
    workload: Workload, rows: list[Event], coded: bool, cut: int, on: int
) -> None:
    """Sliding windows in any order of time; those that the last event leaves open are not there."""
    rows = [*rows, ("click", 0, 31 * SECOND_US, 0)]
    stream = stream_of(rows, coded, min(cut, len(rows) - 1))
    expected = values_by_window(workload, rows, stream.last_end_us)
    assert answers(workload, stream, on) == {group: sum(of) for group, of in expected.items()}
