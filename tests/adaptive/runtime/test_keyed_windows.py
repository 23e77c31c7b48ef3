"""Compiled session and count windows give what the evaluator gives, step by step."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive.engine.downstream import Downstream
from adaptive.engine.keyed_work import parts_for
from adaptive.runtime.binder import Binder
from adaptive.runtime.fixed_variant import FixedVariant
from adaptive.runtime.keyed_split import RowSplitter
from adaptive.runtime.keyed_windows import KeyedWindows, first_layout
from codegen_llvm import unsupported_in_engine
from ir import (
    GENERIC,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Column,
    CountWindow,
    EvalMode,
    EvaluationError,
    Expr,
    Field,
    FilterOrder,
    Literal,
    Named,
    NamedAggregate,
    NoNulls,
    Scalar,
    Schema,
    SelectRows,
    SessionWindow,
    Sink,
    Source,
    Tier,
    VariantSpec,
    Watermark,
    Window,
    cut,
    flatten,
)
from ir.text_form import window_text
from policies import Fixed
from tests.arrow import canonical, from_table, to_batch
from tests.stream_strategies import Punctuation, Rows, Shape, StreamCase, expected, stream_cases
from tests.user_aggregates import DEFINITIONS

Made = list[dict[str, Scalar]]
# The third one leaves its batches to the generic variant where the columns hold nulls.
SPECS = (
    GENERIC,
    VariantSpec(hints=(SelectRows(3),)),
    VariantSpec(Tier.SPECULATIVE, (NoNulls(("a", "c", "k")),), (FilterOrder((1,), (2, 0)),)),
)


def workers_of(plan: Sink, parts: int = 1, spec: VariantSpec = GENERIC) -> list[KeyedWindows]:
    """One for each part of the keys, of as many as an engine would make."""
    program = flatten(cut(plan)[0])
    parts = parts_for(program, Downstream(program, (), lambda batch: None), parts)
    declared = next((n for n in plan.walk() if isinstance(n, Watermark)), None)
    delay_us, lateness_us = (declared.delay_us, declared.lateness_us) if declared else (None, 0)
    return [
        KeyedWindows(
            program,
            delay_us=delay_us,
            lateness_us=lateness_us,
            part=part if parts > 1 else None,
            loop=FixedVariant(Fixed(spec)),
        )
        for part in range(parts)
    ]


def run(case: StreamCase, workers: list[KeyedWindows], dictionary: bool = False) -> list[Made]:
    """What each step makes final, then what the end does."""
    strings = frozenset(case.source.schema.names if dictionary else ())
    delay_us = next((n.delay_us for n in case.plan.walk() if isinstance(n, Watermark)), None)
    made, base = [], 0
    for step in case.steps:
        match step:
            case Rows(rows):
                consume(workers, to_batch(rows, case.source.schema, strings), base)
                base += len(rows)
            case Punctuation(time_us) if delay_us is not None:
                for worker in workers:
                    worker.advance(time_us - delay_us)
        made.append(list(taken(workers)))
    for worker in workers:
        worker.finish()
    made.append(list(taken(workers)))
    for worker in workers:
        worker.release()
    return made


def consume(workers: list[KeyedWindows], batch: pa.RecordBatch, base: int) -> None:
    """Add rows, which are listed first where there are several parts."""
    if len(workers) == 1:
        workers[0].consume(batch, base)
    elif batch.num_rows:
        program, loop = workers[0].program, workers[0]._loop
        slots = first_layout(program, listed=True)
        splitter = RowSplitter(program, slots, len(workers), loop, 0)
        rows = splitter.split(Binder(program.input)(batch), 0, batch.num_rows, base)
        for worker in workers:
            worker.add_listed(rows)
        rows.lists.release()


def taken(workers: list[KeyedWindows]) -> Iterator[dict[str, Scalar]]:
    """The results that the workers have."""
    for worker in workers:
        for batch in worker.take():
            yield from from_table(pa.Table.from_batches([batch]))


def check(case: StreamCase, workers: list[KeyedWindows], dictionary: bool = False) -> None:
    """The same results at the same steps, the same late rows, or an error where there is one."""
    try:
        wanted, late = expected(case)
    except EvaluationError:
        with pytest.raises(EvaluationError):
            run(case, workers, dictionary)
        return
    made = run(case, workers, dictionary)
    assert list(map(canonical, made)) == list(map(canonical, wanted))
    assert sum(worker.late_rows for worker in workers) == late


def only_windows(case: StreamCase) -> StreamCase:
    """The case without what stands above its windows."""
    node = next(n for n in case.plan.walk() if isinstance(n, Aggregate))
    return StreamCase(Sink(node, "out"), case.steps)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    case=stream_cases(Shape(windows=("session", "count"), rounding=False, chained=False)),
    parts=st.sampled_from((1, 1, 2, 3)),
    spec=st.sampled_from(SPECS),
    dictionary=st.booleans(),
)
def test_random_windows(case: StreamCase, parts: int, spec: VariantSpec, dictionary: bool) -> None:
    """Any program, disorder, lateness, split and number of partitions."""
    case = only_windows(case)
    if not unsupported_in_engine(case.plan):
        check(case, workers_of(case.plan, parts, spec), dictionary)


SCHEMA = Schema(
    (
        Field("k", STRING, nullable=True),
        Field("v", INT64, nullable=True),
        Field("s", STRING, nullable=True),
        Field("t", TIMESTAMP, nullable=False),
    )
)
KEY, VALUE, TEXT, TIME = (Column(f.name, f.type, f.nullable) for f in SCHEMA)


def plan_of(window: Window, *calls: AggregateCall, key: Expr = KEY, delay_us: int = 5) -> Sink:
    """A query by key over events."""
    source = Watermark(Source("in", SCHEMA), "t", delay_us)
    named = tuple(NamedAggregate(f"r{i}", call) for i, call in enumerate(calls))
    return Sink(Aggregate(source, window, (Named("k", key),), named), "out")


def events(count: int, keys: int, disorder: int = 0) -> list[dict[str, Scalar]]:
    """Rows with many strings, mostly in order; the same every time."""
    rows = []
    for number in range(count):
        mixed = number * 2_654_435_761 % 2**32
        rows.append(
            {
                "k": None if mixed % keys == 1 else f"key {mixed % keys}" * (1 + mixed % 3),
                "v": None if number % 7 == 0 else mixed - 2**31,
                "s": None if number % 5 == 0 else "x" * (mixed % 91) + str(number),
                "t": number - mixed % (disorder + 1),
            }
        )
    return rows


def in_batches(rows: list[dict[str, Scalar]], size: int) -> tuple[Rows, ...]:
    """The rows in batches."""
    return tuple(Rows(tuple(rows[at : at + size])) for at in range(0, len(rows), size))


TEXTS = tuple(AggregateCall(name, TEXT) for name in ("min", "max", "first", "last"))
LISTS = (AggregateCall("median", VALUE), AggregateCall("count_distinct", TEXT))
MOVING = (
    (SessionWindow(TIME, 7), TEXTS),
    (SessionWindow(TIME, 40), (*TEXTS, *LISTS)),
    (CountWindow(3, 3), TEXTS),
    (CountWindow(6, 4), (*TEXTS, *LISTS)),
    (CountWindow(20, 1), TEXTS),
)


@pytest.mark.parametrize(("window", "calls"), MOVING, ids=[window_text(w) for w, _ in MOVING])
def test_memory_of_strings_is_used_again(
    window: Window, calls: tuple[AggregateCall, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows move to fresh memory again and again; nothing is lost on the way."""
    monkeypatch.setattr("adaptive.runtime.keyed_windows._FEW_STRING_BYTES", 1024)
    monkeypatch.setattr("adaptive.runtime.state._FIRST_ARENA_BYTES", 512)
    monkeypatch.setattr("adaptive.runtime.state._MOST_ARENA_BYTES", 16 * 1024)
    plan = plan_of(window, *calls, AggregateCall("sum", VALUE), AggregateCall("count"))
    moves, moved = list[int](), KeyedWindows._move

    def move(self: KeyedWindows, keys: int) -> None:
        moves.append(keys)
        moved(self, keys)

    monkeypatch.setattr(KeyedWindows, "_move", move)
    check(StreamCase(plan, in_batches(events(1200, 11, 30), 400)), workers_of(plan))
    assert len(moves) > 2


def narrow_case(size: int, values: list[int | None], batch: int) -> StreamCase:
    """Count windows by an integer key, with aggregates that may have no value."""
    calls = [AggregateCall(name, VALUE) for name in ("sum", "min", "avg", "count")]
    calls += [AggregateCall("sum", VALUE, EvalMode.LEGACY), AggregateCall("last", VALUE)]
    key = Call("bit_and", (VALUE, Literal(3, INT64)))
    plan = plan_of(CountWindow(size, size), *calls, key=key)
    rows: Made = [{"k": None, "v": v, "s": None, "t": i} for i, v in enumerate(values)]
    return StreamCase(plan, in_batches(rows, batch))


def test_small_slots_with_and_without_nulls_in_turn() -> None:
    """What an aggregate has seen is known also where a batch has no nulls, or only such."""
    some: list[int | None] = [5, 1, 2, 4, 8, 12]
    none: list[int | None] = [None] * 6
    mixed: list[int | None] = [None, 3, None, 7, 4, None]
    for values in (some + none + some + mixed, none + some + none, mixed + some + none):
        for size in (2, 4, 5):
            case = narrow_case(size, values, 6)
            workers = workers_of(case.plan)
            check(case, workers)
            assert not workers[0]._state.layout.wide


def test_a_sum_that_leaves_small_slots() -> None:
    """A sum outgrows 64 bits for a while, amid windows and nulls; it is exact all the same."""
    values = [None, 2**63 - 1, 4, 2**63 - 4, 8, None, -(2**63), 12, -(2**63) + 4, 0, 4, 3]
    for size in (2, 3, 6, 12):
        case = narrow_case(size, [*values, *values], 5)
        workers = workers_of(case.plan)
        check(case, workers)
        assert workers[0]._state.layout.wide


def test_keys_with_more_rows_than_small_slots_can_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a number overflows, windows go on in larger slots."""
    monkeypatch.setattr("adaptive.runtime.keyed_windows.NARROW_MOST", 20)
    case = narrow_case(3, list(range(100)), 7)
    workers = workers_of(case.plan)
    check(case, workers)
    assert workers[0]._state.layout.wide


def test_keys_without_sessions_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream whose keys never come back takes no more memory than its open sessions."""
    monkeypatch.setattr("adaptive.runtime.keyed_windows._FEW_KEYS", 64)
    plan = plan_of(SessionWindow(TIME, 3), AggregateCall("max", TEXT))
    [worker] = workers_of(plan)
    sizes = []
    for step in in_batches(events(20_000, 10**9), 1000):
        worker.consume(to_batch(step.rows, SCHEMA))
        worker.take()
        sizes.append(worker.state_bytes)
    assert worker.groups < 20
    assert max(sizes[10:]) <= max(sizes[:10])


def test_results_are_in_order() -> None:
    """Sessions by their end, count windows as they were completed."""
    rows = events(600, 5, 12)
    sessions = plan_of(SessionWindow(TIME, 4), AggregateCall("count"))
    made = run(StreamCase(sessions, in_batches(rows, 50)), workers_of(sessions))
    bounds = [(row["window_end"], row["window_start"]) for step in made for row in step]
    assert bounds == sorted(bounds)
    counts = plan_of(CountWindow(4, 2), AggregateCall("last", VALUE))
    case = StreamCase(counts, in_batches(rows, 50))
    assert run(case, workers_of(counts))[:-1] == expected(case)[0][:-1]


def test_an_error_names_expression_and_row() -> None:
    """What fails is the row's own expression; the rows before it were done."""
    failing = Call("add", (VALUE, Call("abs", (VALUE,))), EvalMode.ANSI)
    for window in (SessionWindow(TIME, 5), CountWindow(2, 1), CountWindow(2, 2)):
        [worker] = workers_of(plan_of(window, AggregateCall("max", failing)))
        rows = events(40, 3)
        rows[33]["v"] = 2**63 - 1
        with pytest.raises(EvaluationError, match=r"v \+ abs\(v\)") as raised:
            worker.consume(to_batch(rows, SCHEMA))
        assert raised.value.row == 33


def test_a_late_row_is_not_evaluated() -> None:
    """Neither its keys nor its values can fail: such keys are not divided."""
    failing = Call("add", (VALUE, Call("abs", (VALUE,))), EvalMode.ANSI)
    plan = plan_of(SessionWindow(TIME, 5), AggregateCall("max", failing), key=failing)
    rows = events(40, 3)
    rows[33] = {"k": None, "v": 2**63 - 1, "s": None, "t": 1}
    check(StreamCase(plan, (Rows(tuple(rows)),)), workers_of(plan, 3))


def test_users_aggregates_are_merged() -> None:
    """Sessions that join and windows that overlap merge the states that users have written."""
    [definition] = [one for one in DEFINITIONS if one.name == "products"]
    value, bits = VALUE, Cast(VALUE, INT32, EvalMode.LEGACY)
    call = AggregateCall(definition.name, value, more=(bits,), definition=definition)
    for window in (SessionWindow(TIME, 9), CountWindow(6, 4), CountWindow(4, 4)):
        plan = plan_of(window, call)
        case = StreamCase(plan, in_batches(events(300, 4, 25), 70))
        check(case, workers_of(plan, 2))


def test_a_session_that_ends_after_all_time_fails() -> None:
    """Its end would be no time; the error names the window."""
    [worker] = workers_of(plan_of(SessionWindow(TIME, 10), AggregateCall("count")))
    row = {"k": "a", "v": 1, "s": "", "t": 2**63 - 5}
    batch = pa.RecordBatch.from_pylist(
        [row],
        pa.schema([("k", pa.string()), ("v", pa.int64()), ("s", pa.string()), ("t", pa.int64())]),
    )
    times = batch.column("t").cast(pa.timestamp("us", tz="UTC"))
    batch = batch.set_column(3, "t", times)
    with pytest.raises(EvaluationError, match="session"):
        worker.consume(batch)
