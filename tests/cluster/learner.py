"""The driver of an application whose executors see different data under the same paths.

Each executor has a folder of its own, as machines have disks of their own: the address
`/proc/self/cwd` is another one in each.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from adaptive.spark import StreamHistory, WorkerSwap
from ir.json_form import spec_to_json
from tests.cluster.application import session

MOST_SECONDS = 400


def give_data(spark: SparkSession, cluster: Path, folder: Path) -> None:
    """Executor 0 gets the files with few keys, executor 1 those with many."""
    work = f"work-*/{spark.sparkContext.applicationId}"
    wanted = {"0": "few", "1": "many"}
    until = time.monotonic() + 120
    while wanted and time.monotonic() < until:
        for number in list(wanted):
            for place in cluster.glob(f"{work}/{number}"):
                (place / "data").symlink_to(folder / wanted.pop(number))
        time.sleep(0.1)


def arrive(folder: Path, number: int) -> None:
    """One more file of each kind, under the same name; the driver sees the larger one."""
    for kind, source in {"few": "few", "many": "many", "data": "many"}.items():
        os.link(folder / f"{source}.parquet", folder / kind / f"part-{number:03}.parquet")


def judged(history: StreamHistory) -> dict[str, WorkerSwap]:
    """The last verdict of a trial, by process."""
    swaps = [swap for swap in history.swaps if isinstance(swap, WorkerSwap)]
    return {f"{swap.executor}/{swap.pid}": swap for swap in swaps if swap.signal == "ns/row"}


def main() -> None:
    settings = json.loads(Path(sys.argv[1]).read_text())
    folder = Path(settings["folder"])
    for kind in ("few", "many", "data"):
        (folder / kind).mkdir()
    spark = session(settings)
    give_data(spark, Path(settings["cluster"]), folder)
    stream = spark.readStream.schema("k string, x bigint").option("maxFilesPerTrigger", 2)
    df = stream.parquet("/proc/self/cwd/data").groupBy("k").agg(F.sum("x"))
    query = ad.adaptive(df, mode="always").writeStream.outputMode("update").format("noop").start()
    found, killed, number = dict[str, WorkerSwap](), "", 0
    until = time.monotonic() + MOST_SECONDS
    while time.monotonic() < until:
        arrive(folder, number)
        arrive(folder, number + 1)
        number += 2
        query.processAllAvailable()
        found = judged(ad.history(query))
        executors = [name.split("/")[0] for name in found]
        if not killed and {"0", "1"} <= set(executors):
            killed = next(name for name in found if name.startswith("0/"))
            os.kill(int(killed.split("/")[1]), signal.SIGKILL)
        if executors.count("0") > 1:
            break
    history = ad.history(query)
    result: dict[str, Any] = {
        "killed": killed,
        "judged": {name: spec_to_json(swap.spec) for name, swap in found.items()},
        "swaps": [
            (f"{swap.executor}/{swap.pid}", swap.signal, swap.reason)
            for swap in history.swaps
            if isinstance(swap, WorkerSwap)
        ],
    }
    shared = Path(settings["cluster"]).glob("local-*/**/kodiak/*")
    result["shared"] = sorted({path.name for path in shared})
    query.stop()
    (folder / "result.json").write_text(json.dumps(result))
    spark.stop()


if __name__ == "__main__":
    main()
