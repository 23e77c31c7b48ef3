"""The engine reads text as times by this machine's rules of regions, also with kept code."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from adaptive import Engine, stream
from adaptive import functions as f
from ir import EvaluationError
from tests.processes import run

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC")
ROWS = [
    (datetime(2024, month, 27, hour, 30, tzinfo=ZoneInfo(zone)), zone)
    for zone in ZONES
    for month in range(1, 13)
    for hour in (0, 5, 14)
]
TEXTS = [f"{time:%Y-%m-%d %H:%M:%S} {zone}" for time, zone in ROWS]
BY_DAY: dict[object, int] = {}
for time, _ in ROWS:
    day = time.astimezone(UTC).date()
    BY_DAY[day] = BY_DAY.get(day, 0) + 1


def counts(threads: int) -> dict[object, int]:
    time = f.col("t").cast("timestamp")
    query = stream({"t": "string"}).group_by(day=time.cast("date")).agg(n=f.count())
    with Engine(query, threads=threads) as engine:
        rows = engine.push(pa.record_batch({"t": TEXTS})).to_pylist()
        rows += engine.finish().to_pylist()
    return {row["day"]: row["n"] for row in rows}


@pytest.mark.parametrize("threads", [0, 2])
def test_regions(threads: int) -> None:
    assert counts(threads) == BY_DAY


def test_no_region() -> None:
    query = stream({"t": "string"}).select(time=f.col("t").cast("timestamp"))
    with (
        Engine(query, threads=0) as engine,
        pytest.raises(EvaluationError, match=r"CAST_INVALID_INPUT.*t = '2024-01-01 0:0:0 X/Y'"),
    ):
        engine.push(pa.record_batch({"t": ["2024-01-01 0:0:0 X/Y"]}))


SCRIPT = """
import json

from adaptive.runtime.kernels import VARIANTS
from tests.adaptive.engine.test_written_times import counts
made = {str(day): n for day, n in counts(0).items()}
print(json.dumps([made, [v.code.from_cache for v in VARIANTS._variants.values()]]))
"""
BARE = """
import pyarrow as pa
from adaptive import Engine, stream
from adaptive import functions as f
query = stream({"t": "string"}).select(time=f.col("t").cast("timestamp").cast("int64"))
with Engine(query, threads=0) as engine:
    for text in ("2024-07-01 12:00:00+01:00", "2024-07-01 12:00:00 EST", "2024-07-01 12:00:00 GB"):
        try:
            print(engine.push(pa.record_batch({"t": [text]})).to_pylist())
        except Exception as problem:
            print(problem)
"""


def test_code_of_another_process_finds_the_table(tmp_path: Path) -> None:
    """Its address is another one there."""
    wanted = {str(day): n for day, n in BY_DAY.items()}
    for from_cache in (False, True):
        made, cached = json.loads(run(SCRIPT, KODIAK_CACHE_DIR=str(tmp_path)))
        assert made == wanted
        assert set(cached) == {from_cache}


def test_a_machine_without_rules(tmp_path: Path) -> None:
    """Only regions need them; the error says what to install."""
    block = "import importlib.util as u\nu.find_spec = lambda name: None\n"
    shown = run(f"{block}{BARE}", PYTHONTZPATH=str(tmp_path)).splitlines()
    assert shown[:2] == ["[{'time': 1719831600}]", "[{'time': 1719853200}]"]
    assert "TIME_ZONE_RULES_MISSING" in shown[2]
    assert "pip install tzdata" in shown[2]
