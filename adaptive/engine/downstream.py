"""What becomes of results: windows over windows, and a last projection."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pyarrow as pa

from adaptive.engine.order import by_columns, depends_on_order, order_of
from adaptive.engine.stages import Stage, stage_of
from adaptive.runtime.projection import Projection
from ir import Aggregate, Column, Pipeline, ProjectionProgram, flatten, flatten_projection
from ir.pipelines import RowProgram
from ir.streaming import watermark_above
from ir.windows import CountWindow, SessionWindow, Window, time_of

Consumer = Callable[[pa.RecordBatch], None]


@dataclass
class _Link:
    """A stage, and the windows of the one below it."""

    program: RowProgram
    stage: Stage
    below: Window | None


class Downstream:
    """The stages above the first aggregate; used by one thread at a time."""

    def __init__(
        self, first: RowProgram | None, rest: Iterable[Pipeline], consumer: Consumer
    ) -> None:
        self._links: list[_Link] = []
        self._projection: Projection | None = None
        self._consumer = consumer
        below = None if first is None else first.window
        self._first = first
        for pipeline in rest:
            if isinstance(pipeline.end, Aggregate):
                program = flatten(pipeline)
                self._links.append(_Link(program, stage_of(program), below))
                below = program.window
            else:
                projection = flatten_projection(pipeline)
                if not _is_identity(projection):
                    self._projection = Projection(projection)

    @property
    def bytes(self) -> int:
        """The memory of the stages."""
        return sum(link.stage.bytes for link in self._links)

    @property
    def needs_order(self) -> bool:
        """Whether results depend on the order in which those of a window come."""
        return any(depends_on_order(link.program) for link in self._links)

    @property
    def watches_time(self) -> bool:
        """Whether a stage closes windows by what the one below has closed."""
        return bool(self._links)

    def accept(self, batch: pa.RecordBatch, number: int = 0) -> None:
        """Results of the stage below; in order, where that matters."""
        if not batch.num_rows:
            return
        if number == len(self._links):
            self._deliver(batch)
            return
        if depends_on_order(self._links[number].program):
            batch = by_columns(batch, self._order_below(number))
        for made in self._links[number].stage.consume(batch):
            self.accept(made, number + 1)

    def advance(self, closed_to: int, number: int = 0) -> None:
        """All windows of the stage below that end by a time have had their results."""
        if number == len(self._links):
            return
        link = self._links[number]
        watermark = watermark_above(link.below, time_of(link.program.window), closed_to)
        if watermark is None:
            return
        for made in link.stage.advance(watermark):
            self.accept(made, number + 1)
        self.advance(watermark, number + 1)

    def finish(self) -> None:
        """No more results come; stage by stage, what is open becomes final."""
        for number, link in enumerate(self._links):
            for made in link.stage.finish():
                self.accept(made, number + 1)

    def release(self) -> None:
        """Give the memory back."""
        for link in self._links:
            link.stage.release()

    def _deliver(self, batch: pa.RecordBatch) -> None:
        if self._projection is not None:
            batch = self._projection.run(batch)
        if batch.num_rows:
            self._consumer(batch)

    def _order_below(self, number: int) -> list[str]:
        """The order of a stage's results, where they do not come in it anyway."""
        program = self._links[number - 1].program if number else self._first
        if program is None or isinstance(program.window, SessionWindow | CountWindow):
            return []
        return order_of(program)


def _is_identity(program: ProjectionProgram) -> bool:
    """Whether all columns pass as they are and no row is dropped."""
    names = [n.expr.name for n in program.columns if isinstance(n.expr, Column)]
    return not program.filters and names == [*program.output.names]
