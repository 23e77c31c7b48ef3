"""Profiles from sampled rows, against what a look at every row says."""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive.demo.ysb_data import ysb_batch
from adaptive.runtime.binding import BoundBatch, bind
from adaptive.runtime.key_dictionary import NO_CODE
from adaptive.runtime.sampling import RUN_ROWS, SAMPLE_MEMORY, Codes, Sampler
from codegen_llvm.probe import compile_probe, counts_as_integer, sample_layout
from experiments.kernel_ysb import ysb_plan
from ir import (
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    Field,
    Literal,
    Named,
    NamedAggregate,
    Schema,
    Sink,
    Source,
    TumblingWindow,
)
from ir.pipelines import RowProgram, cut, flatten, narrow_nulls
from profiler.profile import ColumnFacts, HotKey, KeyFacts, Profile
from tests.arrow import to_batch
from tests.sampled_rows import Expected, Row, comparable, expect, programs

YSB = flatten(cut(ysb_plan())[0])


def add_all(sampler: Sampler, bound: BoundBatch, codes: Codes | None = None) -> int:
    probe = compile_probe(sampler.program, bound.layout)
    return sampler.add(probe, bound, 0, bound.rows, codes)


def text_keys(batches: list[list[str | None]]) -> tuple[RowProgram, list[BoundBatch]]:
    """A program that groups by a string, and batches with a dictionary each."""
    schema = Schema((Field("s", STRING),))
    keys = (Named("s", Column("s", STRING)),)
    counted = (NamedAggregate("n", AggregateCall("count")),)
    program = flatten(cut(Sink(Aggregate(Source("in", schema), None, keys, counted), "out"))[0])
    coded = frozenset(("s",))
    rows: list[list[Row]] = [[{"s": text} for text in batch] for batch in batches]
    return program, [bind(to_batch(some, schema, coded), schema) for some in rows]


# -- against a look at every row ----------------------------------------------


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=programs(max_size=90), data=st.data())
def test_a_profile_of_all_rows_is_what_the_evaluator_says(
    case: tuple[RowProgram, list[Row]], data: st.DataObject
) -> None:
    """Any program, rows and encodings, in two morsels of one batch."""
    program, rows = case
    names = program.input.names
    coded = frozenset(data.draw(st.sets(st.sampled_from(names)))) if names else frozenset()
    bound = bind(to_batch(rows, program.input, coded), program.input)
    middle = data.draw(st.integers(0, len(rows)))
    sampler = Sampler(program, every=1, most_rows=1024)
    probe = compile_probe(program, bound.layout)
    sampled = [sampler.add(probe, bound, *bounds) for bounds in ((0, middle), (middle, len(rows)))]
    known = program if bound.layout.has_nulls else narrow_nulls(program, frozenset(names))
    seen = [(at, expect(known, row)) for at, row in enumerate(rows)]
    good = [(at, one) for at, one in seen if one is not None]
    if sum(sampled) < len(good):
        return  # a row whose strings are vast: `test_probe` has these
    run_of = {at: (at < middle, (at if at < middle else at - middle) // RUN_ROWS) for at, _ in good}
    expected = profile_of(program, bound, rows, good, run_of)
    assert sampler.profile(threads=3) == expected


def profile_of(
    program: RowProgram,
    bound: BoundBatch,
    rows: list[Row],
    good: list[tuple[int, Expected]],
    run_of: dict[int, Any],
) -> Profile:
    """The same profile, row by row."""
    grouped = [(at, one.keys) for at, one in good if one.keys is not None]
    return Profile(
        rows=len(good),
        outcomes=dict(sorted(Counter(one.outcome for _, one in good).items())),
        filters=len(program.filters),
        keys=tuple(
            key_facts([keys[i] for _, keys in grouped], numbers(program, bound, i))
            for i in range(len(program.keys))
        ),
        hot=hot_of(program, bound, grouped, run_of),
        groups=groups_of(grouped, run_of),
        columns={
            name: column_facts(program, name, [rows[at][name] for at, _ in good], bound)
            for name in program.input.names
        },
        back_in_time=back_in_time(good, run_of),
        dictionaries={name: len(values) for name, values in bound.dictionaries.items()}
        if rows
        else {},
        threads=3,
    )


def numbers(program: RowProgram, bound: BoundBatch, position: int) -> Any:
    """How a key's values become integers, or None."""
    key = program.keys[position].expr
    if counts_as_integer(key.type):
        return int
    if isinstance(key, Column) and key.name in bound.dictionaries:
        return bound.dictionaries[key.name].to_pylist().index
    return None


def key_facts(values: list[Any], number: Any) -> KeyFacts:
    there = [number(value) for value in values if value is not None] if number else []
    nulls = sum(value is None for value in values)
    return KeyFacts(min(there), max(there), nulls) if there else KeyFacts(nulls=nulls)


def column_facts(
    program: RowProgram, name: str, values: list[Any], bound: BoundBatch
) -> ColumnFacts:
    nulls = max(sum(value is None for value in values), min(1, bound.nulls[name]))
    there = [value for value in values if value is not None]
    if name in sample_layout(program).ranged and there:
        return ColumnFacts(min(there), max(there), nulls)
    return ColumnFacts(nulls=nulls)


def by_group(grouped: list[tuple[int, Any]]) -> dict[Any, list[int]]:
    """The rows of each group."""
    groups = defaultdict(list)
    for at, keys in grouped:
        groups[tuple(map(comparable, keys))].append(at)
    return groups


def groups_of(grouped: list[tuple[int, Any]], run_of: dict[int, Any]) -> int:
    in_runs = [len({run_of[at] for at in rows}) for rows in by_group(grouped).values()]
    once, twice = in_runs.count(1), in_runs.count(2)
    return len(in_runs) + once * (once - 1) // (2 * (twice + 1))


def hot_of(
    program: RowProgram, bound: BoundBatch, grouped: list[tuple[int, Any]], run_of: dict[int, Any]
) -> tuple[HotKey, ...]:
    number = [numbers(program, bound, i) for i in range(len(program.keys))]
    if not number or None in number:
        return ()
    found = [
        (
            rows,
            HotKey(
                tuple(n(k) for n, k in zip(number, keys, strict=True)), len(rows) / len(grouped)
            ),
        )
        for keys, rows in by_group(grouped).items()
        if None not in keys
        and len({run_of[at] for at in rows}) >= 4
        and len(rows) >= 0.01 * len(grouped)
    ]
    return tuple(key for _, key in sorted(found, key=lambda one: (-len(one[0]), one[0][0])))


def back_in_time(good: list[tuple[int, Expected]], run_of: dict[int, Any]) -> float:
    timed = [(run_of[at], one.time) for at, one in good if one.time is not None]
    pairs = [(a, b) for (run, a), (other, b) in pairwise(timed) if run == other]
    return sum(b < a for a, b in pairs) / len(pairs) if pairs else 0.0


# -- real data ----------------------------------------------------------------


@pytest.mark.parametrize("dictionary", [True, False])
def test_a_profile_of_one_row_in_256(dictionary: bool) -> None:
    batch = ysb_batch(1_000_000, 1000, 42, dictionary=True)
    if not dictionary:
        batch = batch.set_column(0, "event_type", batch.column("event_type").cast(pa.string()))
    sampler = Sampler(YSB)
    rows = add_all(sampler, bind(batch, YSB.input))
    profile = sampler.profile()
    assert rows == sampler.rows == profile.rows == pytest.approx(1_000_000 / 256, rel=0.01)
    assert profile.selectivity == pytest.approx(1 / 3, abs=0.03)
    assert profile.groups == pytest.approx(1000, rel=0.15)
    (key,) = profile.keys
    assert (key.low, key.high, key.nulls) == pytest.approx((0, 999, 0), abs=12)
    assert profile.columns["value"] == ColumnFacts()
    assert profile.back_in_time == 0.0
    assert profile.hot == ()
    assert profile.dictionaries == ({"event_type": 3} if dictionary else {})


def test_heavy_keys_have_their_share() -> None:
    batch = ysb_batch(1_000_000, 100_000, 42, dictionary=True)
    keys = batch.column("campaign_id").to_numpy().copy()
    luck = np.random.default_rng(7).random(len(keys))
    keys[luck < 0.3], keys[luck > 0.9] = 77, -5
    batch = batch.set_column(1, "campaign_id", pa.array(keys))
    sampler = Sampler(YSB)
    add_all(sampler, bind(batch, YSB.input))
    profile = sampler.profile()
    assert [one.key for one in profile.hot] == [(77,), (-5,)]
    assert [one.share for one in profile.hot] == pytest.approx([0.3, 0.1], abs=0.05)
    assert profile.groups > 20_000


def test_disorder_is_seen_between_neighbours() -> None:
    schema = Schema((Field("t", TIMESTAMP),))
    window = TumblingWindow(Column("t", TIMESTAMP), 1000)
    counted = (NamedAggregate("n", AggregateCall("count")),)
    program = flatten(cut(Sink(Aggregate(Source("in", schema), window, (), counted), "out"))[0])
    times = np.arange(400_000)
    swapped = np.random.default_rng(7).choice(200_000, 20_000, replace=False) * 2
    times[swapped], times[swapped + 1] = times[swapped + 1], times[swapped].copy()
    batch = pa.record_batch([pa.array(times, pa.timestamp("us", tz="UTC"))], ["t"])
    sampler = Sampler(program, every=16)
    add_all(sampler, bind(batch, schema))
    profile = sampler.profile()
    assert profile.back_in_time == pytest.approx(0.05, abs=0.005)
    assert profile.groups == 1  # no key


def test_a_null_that_is_not_sampled_counts() -> None:
    batch = ysb_batch(100_000, 10, 42, dictionary=True)
    values = batch.column("value").to_pylist()
    values[50_001] = None
    batch = batch.set_column(3, "value", pa.array(values, pa.int64()))
    sampler = Sampler(YSB)
    add_all(sampler, bind(batch, YSB.input))
    nulls = {name: facts.nulls for name, facts in sampler.profile().columns.items()}
    assert nulls == {"event_type": 0, "campaign_id": 0, "event_time": 0, "value": 1}


def test_what_is_behind_a_null_is_in_no_range() -> None:
    rows: list[Row] = [
        {"event_type": "view", "campaign_id": key, "event_time": 1, "value": value}
        for key, value in ((5, 70), (None, 80), (9, None), (6, 90))
    ]
    value = Column("value", INT64)
    large = Call("ge", (Call("add", (value, Literal(1, INT64))), Literal(0, INT64)))
    # Rows of which the value is null do not pass.
    program = replace(YSB, filters=(*YSB.filters, Call("or", (large, Call("is_null", (value,))))))
    sampler = Sampler(program, every=1)
    add_all(sampler, bind(to_batch(rows, YSB.input), YSB.input))
    profile = sampler.profile()
    assert profile.keys == (KeyFacts(5, 9, 1),)
    assert profile.columns["value"] == ColumnFacts(70, 90, 1)


# -- codes of dictionaries ----------------------------------------------------


def test_codes_count_while_all_batches_have_one_dictionary() -> None:
    program, (bound,) = text_keys([["a", "b", None, "c", "b"] * 20])
    sampler = Sampler(program, every=1)
    add_all(sampler, bound)
    add_all(sampler, bound)
    profile = sampler.profile()
    assert profile.keys == (KeyFacts(0, 2, 40),)
    assert [(one.key, one.share) for one in profile.hot] == [((1,), 0.4), ((0,), 0.2), ((2,), 0.2)]
    assert profile.dictionaries == {"s": 3}


def test_codes_of_other_dictionaries_are_not_mixed() -> None:
    """Groups are counted by their strings all the same."""
    program, batches = text_keys([["a", "b"] * 40, ["b", "a"] * 40, ["b", "c", "d"] * 40])
    sampler = Sampler(program, every=1)
    for bound in batches:
        add_all(sampler, bound)
    profile = sampler.profile()
    assert profile.keys == (KeyFacts(),)
    assert profile.hot == ()
    assert profile.groups == 4
    assert profile.dictionaries == {"s": 3}


def test_codes_become_those_of_the_runtime() -> None:
    program, batches = text_keys([["a", "b"] * 40, ["c", None, "b"] * 40])
    whole = {"a": 7, "b": 8, "c": 9}
    sampler = Sampler(program, every=1)
    for bound in batches:
        codes = [whole[text] for text in bound.dictionaries["s"].to_pylist()]
        add_all(sampler, bound, {"s": np.array(codes, np.int32)})
    profile = sampler.profile()
    assert profile.keys == (KeyFacts(7, 9, 40),)
    assert [(one.key, one.share) for one in profile.hot] == [
        ((8,), 80 / 200),
        ((7,), 40 / 200),
        ((9,), 40 / 200),
    ]


def test_strings_beyond_the_runtimes_codes_make_no_range() -> None:
    program, (bound,) = text_keys([["a", "b"] * 40])
    sampler = Sampler(program, every=1)
    add_all(sampler, bound, {"s": np.array([5, NO_CODE], np.int32)})
    profile = sampler.profile()
    assert (profile.keys, profile.hot) == ((KeyFacts(),), ())


def test_codes_with_and_without_translation_are_not_mixed() -> None:
    program, (bound,) = text_keys([["a", "b"] * 40])
    sampler = Sampler(program, every=1)
    add_all(sampler, bound)
    add_all(sampler, bound, {"s": np.array([5, 6], np.int32)})
    assert sampler.profile().keys == (KeyFacts(),)


def test_strings_and_codes_of_them_are_the_same_groups() -> None:
    program, (coded,) = text_keys([["a", "b"] * 40])
    plain = bind(to_batch([{"s": "b"}, {"s": "c"}] * 40, program.input), program.input)
    sampler = Sampler(program, every=1)
    add_all(sampler, coded)
    add_all(sampler, plain)
    profile = sampler.profile()
    assert profile.groups == 3
    assert profile.keys == (KeyFacts(),)


# -- how much is sampled ------------------------------------------------------


def test_no_more_rows_than_there_is_room_for() -> None:
    batch = ysb_batch(200_000, 10, 42, dictionary=True)
    sampler = Sampler(YSB, every=16, most_rows=1000)
    bound = bind(batch, YSB.input)
    assert 900 <= add_all(sampler, bound) <= 1000  # thinner, so that all of it is looked at
    assert add_all(sampler, bound) <= 100
    assert add_all(sampler, bound) == 0
    assert sampler.is_full
    assert sampler.profile().rows == sampler.rows <= 1000


def test_of_small_morsels_only_some_are_looked_at() -> None:
    bound = bind(ysb_batch(100_000, 10, 42, dictionary=True), YSB.input)
    probe = compile_probe(YSB, bound.layout)
    sampler = Sampler(YSB)
    sampled = [sampler.add(probe, bound, at, at + 100) for at in range(0, 100_000, 100)]
    assert set(sampled) == {0, RUN_ROWS}
    assert sum(sampled) == pytest.approx(100_000 / 256, rel=0.1)


def test_batches_of_a_row_fill_the_sample_with_rows() -> None:
    bound = bind(ysb_batch(200, 10, 42, dictionary=True), YSB.input)
    probe = compile_probe(YSB, bound.layout)
    sampler = Sampler(YSB, every=1, most_rows=100)
    assert sum(sampler.add(probe, bound, at, at + 1) for at in range(200)) == sampler.rows
    assert sampler.is_full
    assert 100 - RUN_ROWS < sampler.rows <= 100


def test_rows_that_are_left_out_end_the_sample_too() -> None:
    """So that nobody waits for ever for enough of them."""
    schema = Schema((Field("s", STRING),))
    longer = Call("repeat", (Column("s", STRING), Literal(100_000, INT32)))
    counted = (NamedAggregate("n", AggregateCall("count")),)
    plan = Aggregate(Source("in", schema), None, (Named("k", longer),), counted)
    program = flatten(cut(Sink(plan, "out"))[0])
    bound = bind(to_batch([{"s": "x"}, {"s": ""}] * 50, schema), schema)
    sampler = Sampler(program, every=1, most_rows=112)
    assert add_all(sampler, bound) == 50
    assert sampler.is_full


def test_threads_add_to_one_profile() -> None:
    bound = bind(ysb_batch(256_000, 10, 42, dictionary=True), YSB.input)
    probe = compile_probe(YSB, bound.layout)
    together, alone = Sampler(YSB, every=1, most_rows=300_000), Sampler(YSB, 1, 300_000)
    with ThreadPoolExecutor(4) as threads:
        ranges = [(at, at + 4000) for at in range(0, 256_000, 4000)]
        done = list(threads.map(lambda some: together.add(probe, bound, *some), ranges))
    add_all(alone, bound)
    assert sum(done) == 256_000
    ours, theirs = together.profile(), alone.profile()
    assert (ours.rows, ours.outcomes, ours.keys) == (theirs.rows, theirs.outcomes, theirs.keys)
    assert (ours.columns, ours.groups) == (theirs.columns, theirs.groups)
    assert {one.key: one.share for one in ours.hot} == {one.key: one.share for one in theirs.hot}


def test_nothing_sampled_is_a_profile_too() -> None:
    profile = Sampler(YSB).profile()
    assert profile.rows == profile.groups == 0
    assert profile.selectivity is None
    assert profile.keys == (KeyFacts(),)
    assert profile.columns["value"] == ColumnFacts()


def test_a_released_sampler_takes_no_rows() -> None:
    bound = bind(ysb_batch(10_000, 10, 42, dictionary=True), YSB.input)
    sampler = Sampler(YSB)
    assert add_all(sampler, bound)
    sampler.release()
    assert add_all(sampler, bound) == 0
    assert sampler.rows == 0


def test_memory_is_given_back_once_no_thread_writes_to_it() -> None:
    bound = bind(ysb_batch(10_000, 10, 42, dictionary=True), YSB.input)
    probe, kept = compile_probe(YSB, bound.layout), SAMPLE_MEMORY.kept_bytes
    sampler = Sampler(YSB, most_rows=777)  # of a size that no other test has given back

    def released_in_between(*arguments: int) -> int:
        count = probe.run(*arguments)
        sampler.release()
        assert SAMPLE_MEMORY.kept_bytes == kept
        return count

    sampler.add(replace(probe, run=released_in_between), bound, 0, bound.rows)
    assert SAMPLE_MEMORY.kept_bytes > kept
    assert sampler.profile().rows == 0


def test_many_filters_and_keys() -> None:
    """More of each than a word has bits."""
    schema = Schema(tuple(Field(f"c{i}", INT64) for i in range(66)))
    keys = tuple(Named(f"k{i}", Column(f"c{i}", INT64)) for i in range(66))
    plan = Sink(Aggregate(Source("in", schema), None, keys, ()), "out")
    program = flatten(cut(plan)[0])
    rows: list[Row] = [{f"c{i}": None if i == n else i for i in range(66)} for n in (64, 65, 70)]
    sampler = Sampler(program, every=1, most_rows=64)
    add_all(sampler, bind(to_batch(rows, schema), schema))
    profile = sampler.profile()
    assert profile.keys[63:] == (KeyFacts(63, 63, 0), KeyFacts(64, 64, 1), KeyFacts(65, 65, 1))
    assert [profile.columns[f"c{i}"].nulls for i in (63, 64, 65)] == [0, 1, 1]
