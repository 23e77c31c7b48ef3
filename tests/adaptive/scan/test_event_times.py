"""Event times are left out where nobody can tell, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive.runtime import PlanRunner
from adaptive.scan import ParquetScan, Piece, time_use, timed_rows
from ir import (
    INT64,
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
    Operator,
    Schema,
    Sink,
    Source,
    TumblingWindow,
)

K, T, V = Column("k", INT64), Column("t", TIMESTAMP), Column("v", INT64)
SCHEMA = Schema((Field("k", INT64), Field("t", TIMESTAMP), Field("v", INT64)))
SIZE = 100
LATEST = AggregateCall("max", T)
PASSES = Call("gt", (V, Literal(0, INT64)))


def plan(*calls: AggregateCall, where: tuple[Expr, ...] = (PASSES,), key: Expr = K) -> Sink:
    """Rows that pass, by key and window of 100 us."""
    rows: Operator = Source("files", SCHEMA)
    for predicate in where:
        rows = Filter(rows, predicate)
    named = tuple(NamedAggregate(f"a{i}", call) for i, call in enumerate(calls))
    return Sink(Aggregate(rows, TumblingWindow(T, SIZE), (Named("k", key),), named), "partials")


def write(path: Path, rows: list[tuple[int, int | None, int]], group_rows: int) -> str:
    """A file of (key, time, value) in row groups."""
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    times = pa.array(columns[1], pa.int64()).cast(pa.timestamp("us", "UTC"))
    table = pa.table({"k": pa.array(columns[0], pa.int64()), "t": times, "v": columns[2]})
    table = table.set_column(2, "v", table.column("v").cast(pa.int64()))
    pq.write_table(table, path, row_group_size=group_rows)
    return str(path)


def test_what_a_plan_needs_of_its_times() -> None:
    """Only the window, or only the window and the peak, or all of it."""
    total = AggregateCall("sum", V)
    use = time_use(plan(total))
    assert use is not None
    assert use.peak is None
    use = time_use(plan(total, LATEST))
    assert use is not None
    assert use.peak is not None
    with_presence = (PASSES, Call("is_not_null", (T,)))
    assert time_use(plan(total, LATEST, where=with_presence)) is not None
    later = Call("gt", (T, Literal(0, TIMESTAMP)))
    for needy in (
        plan(total, where=(later,)),
        plan(total, key=T),
        plan(total, AggregateCall("min", T)),
        plan(AggregateCall("count", T)),
    ):
        assert time_use(needy) is None


def test_only_the_latest_row_groups_are_decoded(tmp_path: Path) -> None:
    """Of three row groups in one window the last; all of those across two windows."""
    rows = [(1, t, 1) for t in range(0, 60)]
    path = write(tmp_path / "a.parquet", rows, group_rows=20)
    use = time_use(plan(AggregateCall("sum", V), LATEST))
    assert use is not None
    batches = list(timed_rows([ParquetScan(SCHEMA).open(Piece(path))], use))
    times = [batch.column("t").cast(pa.int64()).to_pylist() for batch in batches]
    assert times == [list(range(40, 60)), [0] * 20, [20] * 20]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.one_of(st.integers(-250, 250), st.integers(-250, 250), st.none()),
            st.integers(-2, 2),
        ),
        max_size=60,
    ),
    ordered=st.booleans(),
    group_rows=st.integers(1, 15),
    files=st.integers(1, 3),
    asks_for_peak=st.booleans(),
)
def test_windows_sums_and_the_peak_are_exact(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, int | None, int]],
    ordered: bool,
    group_rows: int,
    files: int,
    asks_for_peak: bool,
) -> None:
    """Against reading every time: all columns but the greatest time, and its greatest."""
    if ordered:
        rows.sort(key=lambda row: -300 if row[1] is None else row[1])
    folder = tmp_path_factory.mktemp("times")
    scan = ParquetScan(SCHEMA)
    paths = [
        write(
            folder / f"{i}.parquet",
            rows[i * len(rows) // files : (i + 1) * len(rows) // files],
            group_rows,
        )
        for i in range(files)
    ]
    calls = (AggregateCall("sum", V), AggregateCall("count"), *([LATEST] * asks_for_peak))
    query = plan(*calls)
    use = time_use(query)
    assert use is not None
    exact, skipping = PlanRunner(query), PlanRunner(query)
    for path in paths:
        for batch in scan.read(Piece(path)):
            exact.consume(batch)
    for batch in timed_rows([scan.open(Piece(path)) for path in paths], use):
        skipping.consume(batch)
    expected, found = (
        r.finish().sort_by([("window_start", "ascending"), ("k", "ascending")])
        for r in (exact, skipping)
    )
    names = [name for name in expected.column_names if name != "a2"]
    assert found.select(names) == expected.select(names)
    if asks_for_peak:
        tops = [table.column("a2").cast(pa.int64()).to_pylist() for table in (expected, found)]
        assert max(tops[0], default=None) == max(tops[1], default=None)
        starts = found.column("window_start").cast(pa.int64()).to_pylist()
        assert all(s <= t < s + SIZE for s, t in zip(starts, tops[1], strict=True))
