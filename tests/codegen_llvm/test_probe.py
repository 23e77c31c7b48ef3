"""Probes write of each sampled row what the evaluator says of it, and nothing of one that fails."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from adaptive.runtime.binding import BoundBatch, bind
from adaptive.runtime.sampling import sample_dtype
from codegen_llvm.abi import KernelArgs
from codegen_llvm.probe import GROUPED, TIMED, compile_probe, counts_as_integer, sample_layout
from ir import (
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    Expr,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Schema,
    Sink,
    Source,
    TumblingWindow,
    Watermark,
)
from ir.pipelines import RowProgram, cut, flatten, narrow_nulls
from tests.arrow import to_batch
from tests.sampled_rows import Expected, Row, comparable, expect, may_outgrow_scratch, programs

A, B = Column("a", INT64), Column("b", INT64)
S, T = Column("s", STRING), Column("t", TIMESTAMP)
SCHEMA = Schema(
    (Field("a", INT64), Field("b", INT64), Field("s", STRING), Field("t", TIMESTAMP)),
)
ROW: Row = {"a": 1, "b": 2, "s": "x", "t": 5}


def run_probe(
    program: RowProgram,
    bound: BoundBatch,
    bounds: tuple[int, int] | None = None,
    step: int = 16,
    run_rows: int = 16,
) -> NDArray[np.void]:
    """The sampled rows; by default all."""
    probe = compile_probe(program, bound.layout)
    first, last = bounds or (0, bound.rows)
    sample = np.zeros(-(-(last - first) // step) * run_rows + 1, sample_dtype(probe.sample))
    scratch = np.empty(4096, np.uint8)
    args = KernelArgs(columns=ctypes.addressof(bound.blocks), row_begin=first, row_end=last)
    args.scratch, args.scratch_end = scratch.ctypes.data, scratch.ctypes.data + len(scratch)
    count = probe.run(ctypes.addressof(args), sample.ctypes.data, step, run_rows)
    assert (args.rows_passed, args.probes, args.state) == (0, 0, 0)
    return sample[:count]


def program_of(
    filters: tuple[Expr, ...],
    keys: tuple[Expr, ...] = (A,),
    window: TumblingWindow | None = None,
    watermark: bool = False,
) -> RowProgram:
    """A program over the columns a, b, s and t that counts rows and sums b."""
    node: Any = Source("in", SCHEMA)
    if watermark:
        node = Watermark(node, "t", 0)
    for predicate in filters:
        node = Filter(node, predicate)
    calls = (AggregateCall("count"), AggregateCall("sum", B))
    named = tuple(NamedAggregate(f"r{i}", call) for i, call in enumerate(calls))
    grouped = tuple(Named(f"k{i}", key) for i, key in enumerate(keys))
    return flatten(cut(Sink(Aggregate(node, window, grouped, named), "out"))[0])


def rows_with(**columns: list[Any]) -> list[Row]:
    """Rows that differ in some columns."""
    pairs = zip(*columns.values(), strict=True)
    return [{**ROW, **dict(zip(columns, values, strict=True))} for values in pairs]


def bits(words: Any) -> int:
    """The bits of a row of words as one integer."""
    return sum(int(word) << (64 * at) for at, word in enumerate(words))


def probed(program: RowProgram, rows: list[Row], dictionary: bool = False) -> NDArray[np.void]:
    """The sample of all rows of a batch."""
    coded = frozenset(program.input.names if dictionary else ())
    return run_probe(program, bind(to_batch(rows, program.input, coded), program.input))


@pytest.mark.long
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=programs(), data=st.data())
def test_a_sampled_row_is_what_the_evaluator_says(
    case: tuple[RowProgram, list[Row]], data: st.DataObject
) -> None:
    """Any program, rows and layout; the rows that are left out are those that fail."""
    program, rows = case
    names = program.input.names
    dictionary = frozenset(data.draw(st.sets(st.sampled_from(names)))) if names else frozenset()
    bound = bind(
        to_batch(rows, program.input, dictionary, data.draw(st.integers(0, 9))), program.input
    )
    sample = run_probe(program, bound)
    # Where nothing is null, an expression may be known not to fail that else might.
    known = program if bound.layout.has_nulls else narrow_nulls(program, frozenset(names))
    expected = [expect(known, row) for row in rows]
    sampled = {int(one["row"]): one for one in sample}
    assert len(sampled) == len(sample)
    for number, wanted in enumerate(expected):
        if wanted is None:
            assert number not in sampled
        elif number in sampled:
            check_row(known, rows[number], sampled[number], wanted)
        else:
            assert may_outgrow_scratch(program)
    check_keys(known, bound, sample, expected)


def check_row(program: RowProgram, row: Row, sampled: np.void, wanted: Expected) -> None:
    """Outcomes, flags, time, nulls and the values by which filters can fail."""
    layout = sample_layout(program)
    assert bits(sampled["outcome"]) == wanted.outcome
    timed = wanted.time is not None
    grouped = wanted.keys is not None
    assert sampled["flags"] == TIMED * timed + GROUPED * grouped
    assert not timed or sampled["time"] == wanted.time
    nulls = [row[name] is None for name in program.input.names]
    assert bits(sampled["column_nulls"]) == sum(null << at for at, null in enumerate(nulls))
    for position, name in enumerate(layout.ranged):
        assert row[name] is None or sampled[f"value{position}"] == row[name]
    if wanted.keys is not None:
        null_keys = sum((key is None) << at for at, key in enumerate(wanted.keys))
        assert bits(sampled["key_nulls"]) == null_keys


def check_keys(
    program: RowProgram,
    bound: BoundBatch,
    sample: NDArray[np.void],
    expected: list[Expected | None],
) -> None:
    """Integers as they are, others by a word that tells them apart, codes of the dictionary."""
    for position, key in enumerate(program.keys):
        words: dict[object, int] = {}
        for one in sample:
            wanted = expected[int(one["row"])]
            assert wanted is not None
            if wanted.keys is None or wanted.keys[position] is None:
                continue
            value, word = wanted.keys[position], int(one[f"key{position}"])
            if counts_as_integer(key.expr.type):
                assert word == int(value)  # type: ignore[arg-type]
            assert words.setdefault(comparable(value), word) == word
            check_code(bound, key.expr, value, one, position)
        assert len(set(words.values())) == len(words)


def check_code(
    bound: BoundBatch, key: Expr, value: object, sampled: np.void, position: int
) -> None:
    """The code of a string column stands for its value."""
    if isinstance(key, Column) and key.name in bound.dictionaries:
        assert bound.dictionaries[key.name][int(sampled[f"code{position}"])].as_py() == value


@settings(max_examples=60, deadline=None)
@given(
    bounds=st.tuples(st.integers(0, 300), st.integers(0, 300)).map(sorted),
    step=st.integers(1, 90),
    run_rows=st.integers(1, 20),
)
def test_a_run_of_neighbours_from_every_step(bounds: list[int], step: int, run_rows: int) -> None:
    first, last = bounds
    run_rows = min(run_rows, step)
    bound = bind(to_batch(rows_with(a=list(range(300))), SCHEMA), SCHEMA)
    program = program_of((), (A, S, T))
    sample = run_probe(program, bound, (first, last), step, run_rows)
    found = [sample["row"][sample["run"] == run] for run in range(-(-(last - first) // step))]
    assert len(sample) == sum(map(len, found))
    for number, rows in enumerate(found):
        begin = first + number * step
        end = min(begin + step, last)
        assert len(rows) == min(run_rows, end - begin)
        assert begin <= rows[0] <= rows[-1] < end
        assert np.array_equal(rows, np.arange(rows[0], rows[0] + len(rows)))
    assert np.array_equal(sample["key0"], sample["row"])


def test_runs_are_at_other_places_from_step_to_step() -> None:
    """So that a period of the data does not hide what is between."""
    bound = bind(to_batch(rows_with(a=[n % 64 for n in range(64_000)]), SCHEMA), SCHEMA)
    sample = run_probe(program_of((), (A, S, T)), bound, None, 64, 1)
    _, counts = np.unique(sample["key0"], return_counts=True)
    assert len(sample) == 1000
    assert len(counts) == 64
    assert counts.max() < 40


def test_all_filters_are_tested_for_all_rows() -> None:
    filters = (Call("gt", (A, Literal(5, INT64))), Call("eq", (S, Literal("x", STRING))))
    sample = probed(program_of(filters), rows_with(a=[1, 9, 1, 9], s=["x", "x", "y", None]))
    assert sample["outcome"][:, 0].tolist() == [0b10, 0b11, 0b00, 0b01]
    assert (sample["flags"] & GROUPED).tolist() == [0, 1, 0, 0]


DIVIDED = Call("int_divide", (Literal(10, INT64), A))


def test_a_filter_that_can_fail_is_tested_for_all_rows_and_not_passed_where_it_fails() -> None:
    """The row with a = 0 would fail, were it not for the first filter; none protects a = 9."""
    filters = (
        Call("ne", (A, Literal(0, INT64))),
        Call("gt", (DIVIDED, Literal(2, INT64))),
        Call("gt", (B, Literal(0, INT64))),
    )
    sample = probed(program_of(filters), rows_with(a=[0, 1, 9, 2], b=[1, 1, 1, -1]))
    assert sample["outcome"][:, 0].tolist() == [0b100, 0b111, 0b101, 0b011]


@pytest.mark.parametrize(
    "program",
    [
        program_of((), (DIVIDED,)),
        program_of((), (S, DIVIDED)),
    ],
)
def test_a_row_that_fails_is_left_out(program: RowProgram) -> None:
    sample = probed(program, rows_with(a=[1, 0, 3, 0, 0, 6]))
    assert sample["row"].tolist() == [0, 2, 5]


LONG = Call("repeat", (S, Literal(3000, INT32)))


@pytest.mark.parametrize(
    "program",
    [
        program_of((Call("gt", (Call("length", (LONG,)), Literal(0, INT32))),)),
        program_of((), (LONG,)),
    ],
)
def test_a_row_with_vast_strings_is_left_out(program: RowProgram) -> None:
    sample = probed(program, rows_with(s=["x", "xxxx", "y", None]))
    assert sample["row"].tolist() == [0, 2, 3]


def test_more_filters_than_a_word_has_bits() -> None:
    filters = tuple(Call("ne", (A, Literal(number, INT64))) for number in range(70))
    sample = probed(program_of(filters), rows_with(a=[-1, 0, 66, None]))
    everything = (1 << 70) - 1
    outcomes = [bits(one) for one in sample["outcome"]]
    assert outcomes == [everything, everything - 1, everything - (1 << 66), 0]


def test_codes_of_string_keys() -> None:
    """A batch of plain strings has none, but the same word for the same string."""
    program = program_of((), (S,))
    rows = rows_with(s=["x", "y", None, "x", "z"])
    codes, plain = probed(program, rows, dictionary=True), probed(program, rows)
    assert codes["code0"].tolist() == [0, 1, 0, 0, 2]
    assert plain["code0"].tolist() == [0] * 5
    assert codes["key_nulls"][:, 0].tolist() == [0, 0, 1, 0, 0]
    assert codes["key0"].tolist() == plain["key0"].tolist()


def test_a_row_without_a_time_is_in_no_group() -> None:
    rows = rows_with(t=[5, None, 7])
    sample = probed(program_of((), window=TumblingWindow(T, 10)), rows)
    assert sample["flags"].tolist() == [TIMED | GROUPED, 0, TIMED | GROUPED]
    assert sample["time"][[0, 2]].tolist() == [5, 7]


def test_the_time_of_the_watermark_where_no_window_has_one() -> None:
    sample = probed(program_of((), watermark=True), rows_with(t=[5, None, 7]))
    assert sample["flags"].tolist() == [TIMED | GROUPED, GROUPED, TIMED | GROUPED]
    assert sample["time"][[0, 2]].tolist() == [5, 7]


def test_an_empty_range_has_no_sample() -> None:
    bound = bind(to_batch([ROW], SCHEMA), SCHEMA)
    assert len(run_probe(program_of((), (A, S, T)), bound, (1, 1))) == 0
