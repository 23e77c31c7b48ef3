"""Workers of one executor learn from each other, and only from each other: no JVM needed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ir
from adaptive.runtime.adaptation import adaptation
from adaptive.spark.executor import LOCAL_DIRS, Siblings, executor_folder
from adaptive.spark.worker import parsed_plan
from ir import (
    Aggregate,
    AggregateCall,
    Column,
    Field,
    Named,
    NamedAggregate,
    Schema,
    Sink,
    Source,
    cut,
    flatten,
)
from policies import Fixed, Keep
from profiler import Profile
from tests.processes import finish, start

SUM = NamedAggregate("a0", AggregateCall("sum", Column("x", ir.INT64)))
KEY = Named("k0", Column("k", ir.STRING))
SOURCE = Source("files", Schema((Field("k", ir.STRING), Field("x", ir.INT64))))
PLAN = ir.to_json(Sink(Aggregate(SOURCE, None, (KEY,), (SUM,)), "partials"))
ROWS = 2_000_000

# A Python worker: one task after the other, until its loop has chosen, or for so many tasks.
WORKER = """
import json, os, sys
import pyarrow as pa
from adaptive.spark.telemetry import parsed_report
from adaptive.spark.worker import FragmentTask, learned
from ir.json_form import spec_to_json

plan, path, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
task = FragmentTask("f", plan, ("a0", "k0"), reports=True)
swaps, sums = [], set()
for _ in range(most):
    table = pa.Table.from_batches(list(task(iter([pa.record_batch({"path": [path]})]))))
    swaps += parsed_report(table["report"].to_pylist()[-1]["text"]).swaps
    sums.add(sum(value for value in table["a0"].to_pylist() if value is not None))
    if learned(plan).loop.learned.trials:
        break
known = learned(plan).loop.learned
print(json.dumps({
    "pid": os.getpid(),
    "running": spec_to_json(known.running),
    "tier": known.running.tier.value,
    "trials": known.trials,
    "sums": list(sums),
    "swaps": [[swap.signal, swap.reason, swap.spec.tier.value] for swap in swaps],
}))
"""


@dataclass(frozen=True)
class Executor:
    """A local directory as Spark makes it, and the data that this executor gets to see."""

    local: Path
    path: Path
    total: int

    def worker(self, most: int = 40) -> Any:
        """What a new Python worker of this executor does."""
        home = {"HOME": str(self.local.parent / "home"), "KODIAK_CACHE_DIR": ""}
        dirs = {LOCAL_DIRS: f"{self.local},/another/disk"}
        process = start(WORKER, PLAN, f"file:{self.path}", most, **home, **dirs)
        found = json.loads(finish(process).splitlines()[-1])
        assert found["sums"] == [self.total]
        return found


def executor(folder: Path, name: str, keys: np.ndarray) -> Executor:
    local, path = folder / f"blockmgr-{name}", folder / f"{name}.parquet"
    local.mkdir()
    numbers = np.arange(ROWS)
    table = pa.table({"k": pa.array(keys.astype(str)), "x": numbers})
    pq.write_table(table, path)
    return Executor(local, path, int(numbers.sum()))


@pytest.mark.long
@pytest.mark.slow
def test_a_new_worker_starts_from_what_its_siblings_know_and_executors_differ(
    tmp_path: Path,
) -> None:
    """Few strings become codes and an array of groups; strings that are all different do not.

    By how much an array wins (2.3 to 3.3 times as fast) is far beyond what a trial asks for.
    """
    rng = np.random.default_rng(5)
    few = executor(tmp_path, "few", rng.integers(0, 500, ROWS))
    many = executor(tmp_path, "many", rng.permutation(ROWS))
    first = few.worker()
    assert first["tier"] == "speculative"
    assert first["swaps"][0][0] == "rows"
    second, other = few.worker(), many.worker(8)
    assert second["running"] == first["running"]
    assert second["swaps"][0][0] == "sibling"
    assert all(tier != "instrumented" for _, _, tier in second["swaps"])
    assert any(f"process {first['pid']}, a sibling" in why for _, why, _ in second["swaps"])
    assert all("sibling" not in signal for signal, _, _ in other["swaps"])
    assert other["running"] != first["running"]
    for folder in ("objects", "runs", "learned"):
        assert (few.local / "kodiak" / folder).is_dir()


def test_the_folder_is_the_executor_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOCAL_DIRS, "/data/1/blockmgr-a,/data/2/blockmgr-b")
    monkeypatch.setenv("KODIAK_CACHE_DIR", "/somewhere")  # for code, not for what is learned
    assert executor_folder() == Path("/data/1/blockmgr-a/kodiak")
    monkeypatch.setenv("KODIAK_CACHE_DIR", "off")
    assert executor_folder() is None
    monkeypatch.setenv("KODIAK_CACHE_DIR", "")
    monkeypatch.delenv(LOCAL_DIRS)
    assert executor_folder() is None


class Nameless:
    """A policy whose text is another one in each process."""

    def decide(self, profile: Profile) -> Keep:
        return Keep("as it is")


def test_what_cannot_be_named_or_has_nothing_to_tell_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LOCAL_DIRS, str(tmp_path))
    program = flatten(cut(parsed_plan(PLAN))[0])
    for policy in (None, Fixed(), Nameless()):
        siblings = Siblings(PLAN, policy)
        assert siblings.known() is None
        siblings.tell(adaptation(program, policy))
    assert not (tmp_path / "kodiak" / "learned").exists()
