"""The C programs agree with a computation in plain Python, whatever the data."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive.demo.ysb_data import ysb_batch
from experiments.baselines import c_compiler, c_programs
from experiments.baselines.c_compiler import CompilerError
from experiments.baselines.c_programs import CProgram

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
WINDOW_US = 10_000_000

try:
    PROGRAMS = c_programs.available_programs()
except CompilerError as error:
    pytest.skip(f"the C programs cannot be compiled: {error}", allow_module_level=True)

HASH_PROGRAMS = [p for p in PROGRAMS if p.hashes]
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)

Event = tuple[str, int, int, int]
Sums = dict[tuple[int, int], int]


def batch_of(events: list[Event], dictionary: bool) -> pa.RecordBatch:
    types, keys, times, values = zip(*events, strict=True) if events else ((), (), (), ())
    text = pa.array(types, pa.string())
    columns = [
        text.dictionary_encode() if dictionary else text,
        pa.array(keys, pa.int64()),
        pa.array(times, pa.int64()).cast(pa.timestamp("us", tz="UTC")),
        pa.array(values, pa.int64()),
    ]
    return pa.record_batch(columns, names=["event_type", "campaign_id", "event_time", "value"])


def expected_sums(events: list[Event]) -> Sums:
    sums: Sums = defaultdict(int)
    for kind, key, time_us, value in events:
        if kind == "view":
            sums[time_us // WINDOW_US * WINDOW_US, key] += value
    return dict(sums)


def sums_of(program: CProgram, batch: pa.RecordBatch) -> Sums:
    table, elapsed_ns = c_programs.run(program, batch)
    assert elapsed_ns > 0
    assert table.schema == c_programs.RESULT_SCHEMA
    starts = table["window_start"].cast(pa.int64()).to_pylist()
    groups = list(zip(starts, table["campaign_id"].to_pylist(), strict=True))
    assert len(set(groups)) == len(groups), "a group occurs twice"
    return dict(zip(groups, table["revenue"].to_pylist(), strict=True))


def events_of(batch: pa.RecordBatch) -> list[Event]:
    times = batch["event_time"].cast(pa.int64()).to_pylist()
    columns = (batch["event_type"].to_pylist(), batch["campaign_id"].to_pylist(), times)
    return list(zip(*columns, batch["value"].to_pylist(), strict=True))


@every_program
@pytest.mark.parametrize("dictionary", [True, False], ids=["codes", "strings"])
def test_generated_data(program: CProgram, dictionary: bool) -> None:
    """50,000 rows at 1,000 a second: five windows, several blocks, tables that grow."""
    batch = ysb_batch(50_000, keys=3_000, dictionary=dictionary, rows_per_second=1_000)
    assert sums_of(program, batch) == expected_sums(events_of(batch))


@every_program
@pytest.mark.parametrize("dictionary", [True, False], ids=["codes", "strings"])
def test_a_slice_of_a_batch(program: CProgram, dictionary: bool) -> None:
    batch = ysb_batch(5_000, keys=10, dictionary=dictionary).slice(1_234, 2_345)
    assert sums_of(program, batch) == expected_sums(events_of(batch))


words = st.sampled_from(["view", "click", "", "v", "vie", "views", "View", "wiev", "viewview"])
near = st.integers(-2_000, 2_000)
wide = st.one_of(
    near,
    st.sampled_from([INT64_MIN, INT64_MIN + 1, INT64_MIN + 2, INT64_MAX - 1, INT64_MAX]),
    st.integers(INT64_MIN, INT64_MAX),
)
# Before and after 1970, so that windows need the floor and not the truncated quotient.
times = st.integers(-5 * WINDOW_US, 5 * WINDOW_US)
values = st.integers(-1_000, 1_000)


@settings(max_examples=150, deadline=None)
@given(events=st.lists(st.tuples(words, wide, times, values), max_size=60), coded=st.booleans())
def test_any_key_any_order(events: list[Event], coded: bool) -> None:
    """The keys that mark empty slots are ordinary keys, and time may jump."""
    batch = batch_of(events, coded)
    for program in HASH_PROGRAMS:
        assert sums_of(program, batch) == expected_sums(events), program.name


@settings(max_examples=150, deadline=None)
@given(
    events=st.lists(st.tuples(words, near, times, values), max_size=60),
    base=st.sampled_from([0, INT64_MIN + 2_000, INT64_MAX - 2_000]),
    coded=st.booleans(),
)
def test_dense_arrays_widen_at_both_ends(events: list[Event], base: int, coded: bool) -> None:
    moved = [(kind, base + key, time_us, value) for kind, key, time_us, value in events]
    batch = batch_of(moved, coded)
    for program in PROGRAMS:
        assert sums_of(program, batch) == expected_sums(moved), program.name


@every_program
def test_many_windows_and_keys_in_no_order(program: CProgram) -> None:
    """200 windows visited again and again, 500 keys each: growing happens in each of them."""
    events = [
        ("view", row * 7919 % 500, row * 104_729 % 200 * WINDOW_US, row % 100)
        for row in range(40_000)
    ]
    assert sums_of(program, batch_of(events, True)) == expected_sums(events)


@every_program
def test_no_row_is_a_view(program: CProgram) -> None:
    events = [("click", 1, 0, 5), ("purchase", 2, 0, 5)]
    for dictionary in (True, False):
        assert sums_of(program, batch_of(events, dictionary)) == {}


@every_program
def test_a_sum_of_zero_is_a_group(program: CProgram) -> None:
    assert sums_of(program, batch_of([("view", 3, 0, 0)], True)) == {(0, 3): 0}


def test_keys_too_wide_for_a_dense_array_are_an_error() -> None:
    events = [("view", INT64_MIN, 0, 1), ("view", INT64_MAX, 0, 1)]
    for program in PROGRAMS:
        if not program.hashes:
            with pytest.raises(ValueError, match="keys span more than 64 M"):
                c_programs.run(program, batch_of(events, True))


def test_nulls_are_refused() -> None:
    batch = batch_of([("view", 1, 0, 1)], False)
    nulls = batch.set_column(3, "value", pa.array([None], pa.int64()))
    with pytest.raises(ValueError, match="value has 1"):
        c_programs.run(PROGRAMS[0], nulls)


def test_other_types_are_refused() -> None:
    batch = batch_of([("view", 1, 0, 1)], False)
    narrow = batch.set_column(1, "campaign_id", pa.array([1], pa.int32()))
    with pytest.raises(TypeError, match="campaign_id must be int64, got int32"):
        c_programs.run(PROGRAMS[0], narrow)


def test_a_missing_compiler_names_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(CompilerError, match="sudo apt-get install gcc"):
        c_compiler.find_compiler()


def test_the_library_is_compiled_once(tmp_path: Path) -> None:
    first = c_compiler.compile_library(tmp_path)
    modified_ns = first.stat().st_mtime_ns
    assert c_compiler.compile_library(tmp_path) == first
    assert first.stat().st_mtime_ns == modified_ns
    assert list(tmp_path.iterdir()) == [first]


def test_a_failed_compilation_shows_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.c"
    broken.write_text("int main(void) { return missing; }\n")
    monkeypatch.setattr(c_compiler, "SOURCES", (broken,))
    with pytest.raises(CompilerError, match=r"(?s)-O3.*missing"):
        c_compiler.compile_library(tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []
