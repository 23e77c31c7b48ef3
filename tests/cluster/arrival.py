"""Events that keep arriving as files, some of them late."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

from tests.spark.comparison import EVENTS, write_files

FILES = 8
ROWS = 3_000
_GROUP_ROWS = 500  # several batches a file, each of which may run another variant
_AHEAD = 2  # files that wait, so that new ones arrive before, during and after a fault


def tables() -> list[pa.Table]:
    """Ten seconds of events a file; a tenth of the rows is up to a minute late."""
    rng = np.random.default_rng(11)
    made = []
    for number in range(FILES):
        seconds = 10 * number + rng.uniform(0, 12, ROWS)
        seconds = np.maximum(seconds - rng.choice([0.0, 60.0], ROWS, p=[0.9, 0.1]), 0)
        values = rng.integers(0, 100, ROWS)
        columns = [
            pa.array(rng.choice(["view", "click"], ROWS)),
            pa.array(rng.integers(1, 6, ROWS)),
            pa.array((seconds * 1e6).astype("int64")).cast(EVENTS.field("event_time").type),
            pa.array(values.astype("int32")),
            pa.array(values / 4),
        ]
        made.append(pa.table(columns, schema=EVENTS))
    return made


@contextmanager
def arriving(folder: Path, commits: Path) -> Iterator[None]:
    """One file after the other as a query commits them, until there is one named `_complete`."""
    folder.mkdir()
    ended = threading.Event()

    def write() -> None:
        for number, table in enumerate(tables()):
            while number >= len(list(commits.glob("[0-9]*"))) + _AHEAD:
                if ended.wait(0.05):
                    return
            write_files(folder, [table], first=number, group_rows=_GROUP_ROWS)
        (folder / "_complete").touch()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()
