"""Fixtures that several test folders share."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The same examples every time, so that a verdict is one about the change: `make fuzz` has others.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

ROOT = Path(__file__).resolve().parent.parent
# Not the user's: what tests compile is kept for the next run, and for the other test process.
os.environ.setdefault("KODIAK_CACHE_DIR", str(ROOT / ".pytest_cache" / "kodiak"))


def spark_environment() -> dict[str, str]:
    """What Spark's processes need to find this Python and this checkout."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": path,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@pytest.fixture
def fuzz_seeds(request: pytest.FixtureRequest) -> Iterator[int]:
    """New seeds until this test has had its share of KODIAK_FUZZ_MINUTES; each is printed."""
    tests = [item for item in request.session.items if item.get_closest_marker("fuzz")]
    minutes = float(os.environ.get("KODIAK_FUZZ_MINUTES", "1"))
    first = int(os.environ.get("KODIAK_FUZZ_SEED", time.time_ns() % 2**32))
    return _seeds(first, time.monotonic() + 60 * minutes / len(tests))


def _seeds(number: int, end: float) -> Iterator[int]:
    while time.monotonic() < end:
        print(f"KODIAK_FUZZ_SEED={number}", flush=True)
        yield number
        number += 1


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A small local Spark session, one for each test process."""
    os.environ.update(spark_environment())
    from pyspark.sql import SparkSession

    home = tmp_path_factory.mktemp("spark")
    session = (
        SparkSession.builder.master("local[2]")
        .appName("kodiak-tests")
        .config("spark.driver.memory", "1g")
        .config(
            "spark.driver.extraJavaOptions",
            "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m",
        )
        .config("spark.local.dir", str(home / "local"))
        .config("spark.sql.warehouse.dir", str(home / "warehouse"))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
