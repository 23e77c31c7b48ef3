"""Reports of tasks that put out rows: they reach the driver beside these, by an accumulator.

`observe()`, which takes the reports of aggregates, looks at every row: at 8 million rows in one
trigger, of which 2 % were kept, it took 0.19 s of 0.61 s, at 20 % 0.45 s of 1.17 s. Accumulators
cost rows nothing, but a task that is run again adds to them again. So each report says of what
it is, and the last one of a partition of a micro-batch counts.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

from pyspark import SparkContext
from pyspark.accumulators import Accumulator, AccumulatorParam

MOST_RUNS = 1_000  # of queries, whose latest reports wait for a micro-batch to end


class Letter(NamedTuple):
    """A report, and of what it is."""

    run_id: str
    batch_id: int
    fragment_id: str
    partition: int
    text: str


class Mailbox:
    """What has come for micro-batches that have not ended yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, dict[int, dict[tuple[str, int], str]]] = OrderedDict()

    def put(self, letter: Letter) -> None:
        """A task has succeeded; if it is known already, it was run again."""
        with self._lock:
            batches = self._waiting.setdefault(letter.run_id, {})
            self._waiting.move_to_end(letter.run_id)
            found = batches.setdefault(letter.batch_id, {})
            found[letter.fragment_id, letter.partition] = letter.text
            if len(self._waiting) > MOST_RUNS:
                self._waiting.popitem(last=False)

    def take(self, run_id: str, batch_id: int) -> dict[str, list[str]]:
        """The reports of a micro-batch that has ended, by fragment; those before it are dropped."""
        with self._lock:
            batches = self._waiting.pop(run_id, {})
            found = batches.get(batch_id, {})
            later = {number: texts for number, texts in batches.items() if number > batch_id}
            if later:
                self._waiting[run_id] = later
        taken: dict[str, list[str]] = {}
        for (fragment_id, _), text in found.items():
            taken.setdefault(fragment_id, []).append(text)
        return taken


class _Delivery(AccumulatorParam[list[Letter]]):
    """In workers, letters are collected; on the driver, they go into the mailbox at once."""

    def zero(self, value: list[Letter]) -> list[Letter]:
        """No letter."""
        return []

    def addInPlace(self, value1: list[Letter], value2: list[Letter]) -> list[Letter]:
        """Letters and more letters."""
        if not _ACCUMULATORS:  # a worker
            return [*value1, *value2]
        for letter in value2:
            MAILBOX.put(letter)
        return value1


MAILBOX = Mailbox()
_ACCUMULATORS: dict[str, Accumulator[list[Letter]]] = {}  # of the driver, by application
_MAKING = threading.Lock()


def outbox(context: SparkContext) -> Accumulator[list[Letter]]:
    """Where tasks of an application put their letters."""
    with _MAKING:
        application = str(context.applicationId)
        if application not in _ACCUMULATORS:
            _ACCUMULATORS[application] = context.accumulator([], _Delivery())
        return _ACCUMULATORS[application]
