"""Morsels: the ranges of rows that threads take, and how far time has come before each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc

from adaptive.runtime.binding import BoundBatch
from adaptive.runtime.failed_rows import with_values
from codegen_llvm import time_span
from ir import EvaluationError


class QueuedBatch:
    """A batch that waits to be cut into morsels; `bounds` are how each work's kernels see it."""

    def __init__(self, batch: pa.RecordBatch, bounds: list[BoundBatch], row_base: int) -> None:
        self.batch = batch
        self.bounds = bounds
        self.row_base = row_base  # the number of its first row in the stream
        self.rows = int(batch.num_rows)
        self.bytes = 0  # of the queue's limit, which has none without threads
        self.next_row = 0  # of the next morsel
        self.open_morsels = 0  # those that are taken and not done


class Morsel:
    """Rows of a batch, or without one: time goes on to `punctuation`.

    How far time has come is found by whoever needs it first. Threads may do that
    twice; none waits for another. Each looks at its own rows before it asks for those of the
    morsel ahead, which is with another thread: by then, that one mostly has looked.
    """

    def __init__(
        self,
        index: int,
        previous: Morsel | None,
        column: str | None,
        *,
        queued: QueuedBatch | None = None,
        first: int = 0,
        last: int = 0,
        punctuation: int | None = None,
    ) -> None:
        self.index = index
        self.queued, self.first, self.last = queued, first, last
        self._previous = previous
        self._column = column  # the times that count
        self.punctuation = punctuation
        self._settled = False
        self._before: int | None = None
        self._reached: int | None = None
        self._greatest: int | None = None  # of its own times
        self._looked = False
        self.span: tuple[int, int] | None = None  # of the times of its rows, where it is known

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return self.last - self.first

    @property
    def before(self) -> int | None:
        """The greatest time of all that came before it."""
        self._settle()
        return self._before

    @property
    def reached(self) -> int | None:
        """The greatest time of all up to its end."""
        self._settle()
        return self._reached

    def _settle(self) -> None:
        if self._settled:
            return
        self._look()
        chain: list[Morsel] = []
        morsel: Morsel | None = self
        while morsel is not None:
            previous = morsel._previous  # read first: whoever settles a morsel then forgets it
            if morsel._settled:
                break
            chain.append(morsel)
            morsel = previous
        known = None if morsel is None else morsel._reached
        for one in reversed(chain):
            one._look()
            one._before, one._reached = known, later(known, one._greatest)
            one._settled = True
            one._previous = None
            known = one._reached

    def _look(self) -> None:
        """Find the greatest of its own times."""
        if self._looked:
            return
        if self.queued is None:
            self._greatest = self.punctuation
        elif self._column is not None:
            times = self.queued.batch.column(self._column).slice(self.first, self.rows)
            if times.null_count:
                found = pc.max(times)
                self._greatest = int(found.value) if found.is_valid else None
            else:
                self.span = time_span(times.buffers()[1].address + 8 * times.offset, len(times))
                self._greatest = self.span[1]
        self._looked = True


@contextmanager
def rows_of_batch(morsel: Morsel) -> Iterator[pa.RecordBatch]:
    """The rows of a morsel; an error within is told with the row of the whole batch."""
    assert morsel.queued is not None
    try:
        yield morsel.queued.batch.slice(morsel.first, morsel.rows)
    except EvaluationError as error:
        if error.row is None:
            raise
        row = error.row + morsel.first
        raise EvaluationError(error.condition, error.expression, row) from None


def told(error: BaseException, morsel: Morsel) -> BaseException:
    """An error of a morsel's work, with the values of the row that failed."""
    if isinstance(error, EvaluationError) and morsel.queued is not None:
        return with_values(error, morsel.queued.batch)
    return error


def later(left: int | None, right: int | None) -> int | None:
    """The later of two times, of which either may be unknown."""
    if left is None or right is None:
        return right if left is None else left
    return max(left, right)
