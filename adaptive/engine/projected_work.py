"""A query without an aggregate: rows are filtered and computed, and come out in order."""

from __future__ import annotations

import threading

import pyarrow as pa

from adaptive.engine.downstream import Consumer
from adaptive.engine.flow import Flow
from adaptive.engine.morsel import Morsel, rows_of_batch
from adaptive.runtime.adaptation import Adaptation
from adaptive.runtime.projection import Projection
from ir import ProjectionProgram


class ProjectedWork:
    """Threads that project morsels; whoever has the next one in order delivers."""

    late_rows = 0
    everyone = False
    needs_time = False

    def __init__(
        self, program: ProjectionProgram, consumer: Consumer, workers: int, loop: Adaptation
    ) -> None:
        self.input = program.input
        self.flow: Flow | None = None
        self._projections = [
            Projection(program, loop=loop, worker=worker) for worker in range(workers)
        ]
        self._consumer = consumer
        self._made: dict[int, pa.RecordBatch | None] = {}
        self._next = 0
        self._token = threading.Lock()  # of the one who delivers; nobody waits for it

    @property
    def bytes(self) -> int:
        """The memory of results that wait for earlier ones."""
        return sum(batch.nbytes for batch in list(self._made.values()) if batch is not None)

    def attend(self, worker: int, morsel: Morsel) -> None:
        """Project the rows of a morsel."""
        made = None
        if morsel.queued is not None:
            with rows_of_batch(morsel) as rows:
                made = self._projections[worker].run(rows)
        self._made[morsel.index] = made
        self.settle()

    def rest(self, worker: int) -> None:
        """Nothing is held back."""

    def settle(self) -> None:
        """Deliver what is next in order, unless somebody else does."""
        while self._next in self._made and self._token.acquire(blocking=False):
            try:
                while self._next in self._made:
                    batch = self._made.pop(self._next)
                    self._next += 1
                    if batch is not None and batch.num_rows:
                        self._consumer(batch)
            finally:
                self._token.release()

    def finish(self) -> None:
        """All morsels are done and delivered."""

    def release(self) -> None:
        """There is nothing to give back."""
