"""The time at which rows come: a column that the engine itself fills."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa

import ir

Clock = Callable[[], int]


def wall_clock_us() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


class Arrival:
    """Stamps batches with the time of their arrival, where a query goes by it."""

    def __init__(self, plans: list[ir.Sink], clock: Clock) -> None:
        sources = (node for plan in plans for node in plan.walk() if isinstance(node, ir.Source))
        self.is_used = any(ir.ARRIVAL in source.schema for source in sources)
        self._clock = clock
        self._last = 0
        # Held from the look at the clock until what it says is queued: else time could go on
        # in between, and the rows would be late.
        self.order = threading.Lock()

    def now(self) -> int:
        """The time, which never goes back."""
        self._last = max(self._last, self._clock())
        return self._last

    def stamped(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with the time of its arrival."""
        if not self.is_used:
            return batch
        times = pa.array(np.full(batch.num_rows, self.now(), np.int64))
        return batch.append_column(ir.ARRIVAL, times.cast(pa.timestamp("us", tz="UTC")))


TICK_S = 0.02


class Ticker:
    """Calls something every now and then on a thread of its own, until it is stopped."""

    def __init__(self, tick: Callable[[], None], period_s: float = TICK_S) -> None:
        self._tick, self._period_s = tick, period_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="kodiak-clock", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """No call comes after this."""
        self._ended.set()
        self._thread.join()

    def _loop(self) -> None:
        while not self._ended.wait(self._period_s):
            try:
                self._tick()
            except Exception:  # the engine tells its caller of what its workers failed with
                return
