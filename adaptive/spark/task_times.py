"""Where the time of a task goes, measured in its worker and only when the session asks for it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow as pa

SETTING = "spark.kodiak.profile"  # of the session; "true" asks


@dataclass
class TaskTimes:
    """Nanoseconds by part; the clock is always in one of them, or in Spark's hands."""

    ns: dict[str, int] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Add what is done meanwhile to a part."""
        begin = time.perf_counter_ns()
        try:
            yield
        finally:
            self.ns[name] = self.ns.get(name, 0) + time.perf_counter_ns() - begin

    def each(self, name: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches, with the time that it takes to get them."""
        source = iter(batches)
        while True:
            with self.part(name):
                batch = next(source, None)
            if batch is None:
                return
            yield batch


class Unasked(TaskTimes):
    """Measures nothing."""

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Nothing is added."""
        yield

    def each(self, name: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches as they are."""
        return iter(batches)


def task_times(asked: bool) -> TaskTimes:
    """The times of a new task."""
    return TaskTimes() if asked else Unasked()
