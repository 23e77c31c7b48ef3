"""The task that runs in Spark's workers, called directly: no JVM needed."""

from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ir
from adaptive.scan import ScanError
from adaptive.scan.storage import local_path
from adaptive.spark.file_rows import FileRows
from adaptive.spark.worker import FragmentTask
from ir import Aggregate, AggregateCall, Column, Field, Named, NamedAggregate, Schema, Sink, Source

SUM = NamedAggregate("a0", AggregateCall("sum", Column("x", ir.INT64)))
KEY = Named("k0", Column("k", ir.STRING))
SOURCE = Source("files", Schema((Field("k", ir.STRING), Field("x", ir.INT64))))
PLAN = ir.to_json(Sink(Aggregate(SOURCE, None, (KEY,), (SUM,)), "partials"))


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    for number in range(5):
        table = pa.table({"k": ["a", "b", None], "x": [number, 10, None]})
        pq.write_table(table, tmp_path / f"{number}.parquet")
    return [f"file:{tmp_path}/{number}.parquet" for number in range(5)]


def run(task: FragmentTask, paths: list[str]) -> list[pa.RecordBatch]:
    """Two batches of paths, as Spark may cut them."""
    batches = [pa.record_batch({"path": part}) for part in (paths[:2], paths[2:])]
    return list(task(iter(batches)))


def test_partials_leave_once_for_all_files_of_a_task(paths: list[str]) -> None:
    [batch] = run(FragmentTask("f", PLAN, ("a0", "k0")), paths)
    assert batch.schema.names == ["a0", "k0"]
    assert sorted(batch.to_pylist(), key=str) == [
        {"a0": 10, "k0": "a"},
        {"a0": 50, "k0": "b"},
        {"a0": None, "k0": None},
    ]


def test_partials_leave_early_when_the_groups_take_too_much_memory(paths: list[str]) -> None:
    batches = run(FragmentTask("f", PLAN, ("k0", "a0"), most_state_bytes=1), paths)
    assert len(batches) == 5
    assert sum(row["a0"] for b in batches for row in b.to_pylist() if row["k0"] == "a") == 10


def test_a_task_travels_as_data(paths: list[str]) -> None:
    task = pickle.loads(pickle.dumps(FragmentTask("f", PLAN, ("k0",))))
    assert task == FragmentTask("f", PLAN, ("k0",))
    assert task.__name__ == "kodiak_f"
    assert len(run(task, paths)) == 1


def test_reader_options_decide_about_missing_and_broken_files(tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("not Parquet")
    missing, broken = f"file:{tmp_path}/missing", f"file://{tmp_path}/broken"
    with pytest.raises(ScanError, match="FILE_NOT_EXIST"):
        run(FragmentTask("f", PLAN, ("k0",)), [missing])
    with pytest.raises(ScanError, match="cannot be read"):
        run(FragmentTask("f", PLAN, ("k0",)), [broken])
    options = (("ignoreMissingFiles", "true"), ("ignorecorruptfiles", "TRUE"))
    assert run(FragmentTask("f", PLAN, ("k0",), FileRows(options=options)), [missing, broken]) == []


def test_addresses_are_not_percent_encoded() -> None:
    assert local_path("file:/a b/100%25/ü.parquet") == "/a b/100%25/ü.parquet"
    assert local_path("file:///a") == "/a"
