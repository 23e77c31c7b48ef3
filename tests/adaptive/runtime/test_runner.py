"""The runner serves what kernels leave for, and says clearly what it cannot take."""

from __future__ import annotations

import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest

from adaptive.runtime import BatchError, PlanRunner, UnsupportedPlan
from ir import (
    DATE,
    GENERIC,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    DataType,
    EvalMode,
    EvaluationError,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Schema,
    Sink,
    Source,
    TumblingWindow,
    evaluate,
)
from tests.arrow import canonical, from_table, to_batch

K, S, T, V = (
    Column("k", INT64),
    Column("s", STRING),
    Column("t", TIMESTAMP),
    Column("v", INT64),
)
SCHEMA = Schema((Field("k", INT64), Field("s", STRING), Field("t", TIMESTAMP), Field("v", INT64)))
SECOND = 1_000_000


def plan(*keys: Column, window: bool = False, call: AggregateCall | None = None) -> Sink:
    """sum(v), or another aggregate, by keys and one-second windows."""
    source = Source("in", SCHEMA)
    named = tuple(Named(key.name, key) for key in keys)
    made = NamedAggregate("out", call or AggregateCall("sum", V))
    windows = TumblingWindow(T, SECOND) if window else None
    return Sink(Aggregate(source, windows, named, (made,)), "sink")


def batch(rows: int, *, keys: int, slices: int = 1) -> pa.RecordBatch:
    """Rows with `keys` distinct keys, also as strings, over `slices` seconds, shuffled."""
    random = np.random.default_rng(1)
    k = random.integers(0, keys, rows)
    return pa.RecordBatch.from_arrays(
        [
            pa.array(k * 2**40 - 5),
            pa.array([f"key {i} " + "x" * int(i % 70) for i in k]),
            pa.array(random.integers(0, slices * SECOND, rows)).cast(pa.timestamp("us", "UTC")),
            pa.array(random.integers(-100, 100, rows)),
        ],
        names=["k", "s", "t", "v"],
    )


@pytest.mark.parametrize(
    ("keys", "window", "slices"),
    [((K,), False, 1), ((S,), False, 1), ((K, S), True, 5), ((S,), True, 3000), ((), True, 3000)],
)
def test_tables_arenas_and_slices_grow(keys: tuple[Column, ...], window: bool, slices: int) -> None:
    """Thousands of groups, long keys and more slices than get a table of their own."""
    query, data = plan(*keys, window=window), batch(20_000, keys=7000, slices=slices)
    runner = PlanRunner(query)
    runner.consume(data)
    expected = evaluate(query, from_table(pa.Table.from_batches([data])))
    assert runner.groups == len(expected) > 1000
    assert runner.state_bytes > 0
    assert canonical(from_table(runner.finish())) == canonical(expected)


def test_strings_that_keep_growing_move_in_the_arena() -> None:
    """min and max keep the bytes, not the address in a batch that is gone."""
    for function in ("min", "max"):
        query = plan(K, call=AggregateCall(function, S))
        rows = [
            {"k": i % 3, "s": ("a" if function == "max" else "z") * (i % 977), "t": 0, "v": 0}
            for i in range(3000)
        ]
        runner = PlanRunner(query)
        for begin in range(0, len(rows), 500):
            runner.consume(to_batch(rows[begin : begin + 500], SCHEMA))
        assert canonical(from_table(runner.finish())) == canonical(evaluate(query, rows))


def test_draining_starts_again_from_nothing() -> None:
    """What was drained is not counted again."""
    query, data = plan(K), batch(100, keys=10)
    runner = PlanRunner(query)
    runner.consume(data)
    first = runner.finish()
    assert runner.groups == 0
    runner.consume(data)
    assert canonical(from_table(runner.finish())) == canonical(from_table(first))


def test_the_history_counts_rows_and_time() -> None:
    """What is told of a variant is what happened."""
    query = Sink(
        Aggregate(
            Filter(Source("in", SCHEMA), Call("lt", (V, Literal(0, INT64)))),
            None,
            (Named("k", K),),
            (NamedAggregate("n", AggregateCall("count")),),
        ),
        "sink",
    )
    runner = PlanRunner(query)
    runner.consume(batch(1000, keys=10))
    (use,) = runner.history
    assert (use.spec, use.rows, use.guard_exits) == (GENERIC, 1000, 0)
    assert use.ns_per_row > 0


def test_an_overflowing_sum_names_the_aggregate() -> None:
    """ANSI mode raises Spark's condition; legacy mode wraps."""
    rows = [{"k": 1, "s": "", "t": 0, "v": INT64.high}] * 2
    failing = PlanRunner(plan(K))
    failing.consume(to_batch(rows, SCHEMA))
    with pytest.raises(EvaluationError, match=r"ARITHMETIC_OVERFLOW.*out"):
        failing.finish()
    wrapping = PlanRunner(plan(K, call=AggregateCall("sum", V, EvalMode.LEGACY)))
    wrapping.consume(to_batch(rows, SCHEMA))
    assert from_table(wrapping.finish()) == [{"k": 1, "out": -2}]


@pytest.mark.parametrize("mode", [EvalMode.ANSI, EvalMode.TRY])
@pytest.mark.parametrize("most_slices", [1, 1024])
def test_only_the_total_of_a_sum_must_fit(mode: EvalMode, most_slices: int) -> None:
    """Rows in any order, over several slices, each of which leaves 64 bits and comes back."""
    call = AggregateCall("sum", V, mode)
    values = (INT64.high, 5, -7, INT64.low, INT64.low, 3, INT64.high, 1)
    rows = [
        {"k": i % 3, "s": "", "t": i % 2 * SECOND, "v": value} for i in range(6) for value in values
    ]
    query = plan(K, window=True, call=call)
    runner = PlanRunner(query, most_slices=most_slices)
    for begin in range(0, len(rows), 5):
        runner.consume(to_batch(rows[begin : begin + 5], SCHEMA))
    assert runner.spilled
    assert canonical(from_table(runner.finish())) == canonical(evaluate(query, rows))
    assert not runner.spilled


@pytest.mark.parametrize("repeats", range(20, 300, 40))
def test_strings_never_leave_their_memory(repeats: int) -> None:
    """A new key and a new extreme share what is left of it, to the last byte."""
    query = plan(S, call=AggregateCall("max", S))
    rows = [{"k": 0, "s": f"{i:05}" * repeats, "t": 0, "v": 0} for i in range(300)]
    runner = PlanRunner(query)
    for begin in range(0, len(rows), 7):
        runner.consume(to_batch(rows[begin : begin + 7], SCHEMA))
        block = runner.generic.current.block
        assert block.arena_next <= block.arena_end
    assert canonical(from_table(runner.finish())) == canonical(evaluate(query, rows))


def test_a_batch_without_the_column_names_it() -> None:
    """The message says which column is wrong and what is there."""
    runner = PlanRunner(plan(K))
    with pytest.raises(BatchError, match="no column 'v'; it has: k"):
        runner.consume(pa.record_batch({"k": pa.array([1])}))
    with pytest.raises(BatchError, match="column 'v' is double; the query needs int64"):
        runner.consume(pa.record_batch({"k": pa.array([1]), "v": pa.array([1.5])}))


def test_nulls_where_none_are_declared_are_an_error() -> None:
    """A column that lies about its nulls would give a wrong result."""
    source = Source("in", Schema((Field("v", INT64, nullable=False),)))
    total = AggregateCall("sum", Column("v", INT64, nullable=False))
    runner = PlanRunner(Sink(Aggregate(source, None, (), (NamedAggregate("s", total),)), "out"))
    with pytest.raises(BatchError, match="column 'v' has 1 nulls but is declared without"):
        runner.consume(pa.record_batch({"v": pa.array([1, None])}))


@pytest.mark.parametrize(
    "layout",
    [
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.int32(), pa.large_string()),
    ],
)
def test_other_layouts_of_strings_are_converted(layout: pa.DataType) -> None:
    """Arrow has many layouts of strings; a kernel has two."""
    rows = [{"k": 0, "s": s, "t": 0, "v": 1} for s in ("a", None, "b", "a", "")]
    data = to_batch(rows, SCHEMA)
    data = data.set_column(1, "s", data.column("s").cast(layout))
    runner = PlanRunner(plan(S))
    runner.consume(data)
    assert canonical(from_table(runner.finish())) == canonical(evaluate(plan(S), rows))


def test_a_dictionary_with_a_null_or_no_entry() -> None:
    """Both are legal Arrow."""
    with_null = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["a", None]))
    empty = pa.DictionaryArray.from_arrays(
        pa.array([None, None], pa.int32()), pa.array([], pa.string())
    )
    for strings, groups in ((with_null, {"a": 1, None: 1}), (empty, {None: 2})):
        runner = PlanRunner(plan(S, call=AggregateCall("count")))
        rows = [{"k": 0, "s": "", "t": 0, "v": 1}] * 2
        runner.consume(to_batch(rows, SCHEMA).set_column(1, "s", strings))
        assert {r["s"]: r["out"] for r in from_table(runner.finish())} == groups


def test_what_cannot_be_compiled_is_said_before_any_row() -> None:
    """A plan without a kernel is refused with the reason."""
    with pytest.raises(UnsupportedPlan, match="without an aggregate"):
        PlanRunner(Sink(Source("in", SCHEMA), "out"))


def test_other_threads_run_while_a_kernel_does() -> None:
    """The GIL is released: without forced switches, only that lets the other thread count."""
    data = batch(10, keys=3).slice(0, 10)
    big = pa.Table.from_batches([data] * 200_000).combine_chunks().to_batches()[0]
    runner = PlanRunner(plan(K))
    runner.consume(data)
    counted, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)  # gives the GIL back, which nothing else here does

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    other = threading.Thread(target=count)
    try:
        other.start()
        progressed = False
        for _ in range(200):
            before = counted[0]
            runner.consume(big)
            progressed = progressed or counted[0] > before
            if progressed:
                break
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        other.join()
    assert progressed


@pytest.mark.parametrize("type_", [INT64, DATE, INT32], ids=str)
def test_the_keys_that_mark_unused_slots_are_keys_like_any_other(type_: DataType) -> None:
    """Also when groups with null keys and without values were made before."""
    low = -(2 ** (type_.bits - 1))
    schema = Schema((Field("k", type_), Field("v", INT64)))
    query = Sink(
        Aggregate(
            Filter(Source("in", schema), Call("ge", (V, Literal(0, INT64)))),
            None,
            (Named("k", Column("k", type_)),),
            (
                NamedAggregate("total", AggregateCall("sum", V)),
                NamedAggregate("least", AggregateCall("min", V)),
            ),
        ),
        "out",
    )
    keys = [low, low + 1, 0, low + 2, *range(100)]
    plain = [{"k": k, "v": i} for i, k in enumerate(keys * 3)]
    with_nulls = [{"k": None, "v": 1}, {"k": low + 1, "v": None}, {"k": 7, "v": 3}]
    for order in ([plain], [plain, with_nulls, plain], [with_nulls, plain]):
        runner = PlanRunner(query)
        for rows in order:
            runner.consume(to_batch(rows, schema))
        expected = evaluate(query, [row for rows in order for row in rows])
        assert canonical(from_table(runner.finish())) == canonical(expected)


def test_a_key_that_becomes_null_in_a_batch_without_nulls() -> None:
    """Its bits may be those of another key, which is not its group."""
    half = Call("int_divide", (K, V), EvalMode.LEGACY)  # null where v is 0
    query = Sink(
        Aggregate(
            Filter(Source("in", SCHEMA), Call("ge", (K, Literal(0, INT64)))),
            None,
            (Named("half", half),),
            (NamedAggregate("n", AggregateCall("count")),),
        ),
        "out",
    )
    rows = [{"k": k, "s": "", "t": 0, "v": v} for k in range(4) for v in (2, 0, 1)] * 5
    runner = PlanRunner(query)
    for begin in range(0, len(rows), 20):
        runner.consume(to_batch(rows[begin : begin + 20], SCHEMA))
    assert canonical(from_table(runner.finish())) == canonical(evaluate(query, rows))
