"""How many rows a morsel has: many for throughput, few where somebody waits for the result.

Kernels go through a morsel in blocks that fit the cache, so its size is only a
matter of what taking one costs and of how long nothing else can run. YSB with
dictionary codes on 2 threads ran at 62, 156, 326, 437 and 494 M rows/s with
morsels of 4, 16, 64, 256 and 1024 thousand rows: a morsel costs about 0.1 ms
beside its rows when threads take turns. So without a latency target, a batch is
cut only for threads to have a share each, where there are not enough batches.
"""

from __future__ import annotations

import math

_FIXED_NS = 100_000  # what a morsel costs beside its rows, among several threads
_FIXED_ALONE_NS = 17_000
_LATENCY_SHARE = 0.25  # a row waits for the morsel ahead, its own, those of others, the merge
_MOST_BUSY = 0.9  # of the time of all threads: with more, queues grow
_LEAST_ROWS, _MOST_ROWS = 64, 1 << 20
_LEAST_SHARE = 65_536  # of a batch that several threads share
_FIRST_ROWS = 4_096  # for a latency, while it is not known what a row costs
_DECAY = 0.8  # how much an observation weighs when the next one comes


class _Mean:
    """A ratio of sums in which what came long ago counts little."""

    def __init__(self) -> None:
        self._over = self._under = 0.0

    def add(self, over: float, under: float) -> None:
        self._over = _DECAY * self._over + over
        self._under = _DECAY * self._under + under

    @property
    def value(self) -> float | None:
        """The ratio, once something was observed."""
        return self._over / self._under if self._under else None


class MorselSizes:
    """Chooses the rows of the next morsel by what was observed; it has no clock of its own.

    `latency_s` is the time that a result may take from the last row that is in it.
    It is kept as long as the threads keep up with the input: where they would not,
    morsels grow, because rows that queue wait longer than any morsel takes.
    """

    def __init__(self, threads: int, latency_s: float | None = None) -> None:
        if latency_s is not None and not latency_s > 0:
            raise ValueError(
                f"latency is a time in seconds, not {latency_s}; leave it out for none"
            )
        self._threads = max(1, threads)
        self._latency_ns = None if latency_s is None else latency_s * 1e9
        self._fixed_ns = _FIXED_NS if threads > 1 else _FIXED_ALONE_NS
        self._row_ns = _Mean()
        self._rows_per_ns = _Mean()

    @property
    def learn(self) -> bool:
        """Only a latency makes sizes depend on what was observed."""
        return self._latency_ns is not None

    def arrived(self, rows: int, elapsed_ns: int) -> None:
        """A batch came, so long after the one before it."""
        self._rows_per_ns.add(rows, max(1, elapsed_ns))

    def done(self, rows: int, elapsed_ns: int) -> None:
        """A thread took so long for the rows of a morsel, and for taking it."""
        if rows:
            # At least a tenth is for the rows: what taking a morsel costs is an estimate.
            self._row_ns.add(max(elapsed_ns - self._fixed_ns, elapsed_ns / 10), rows)

    def rows(self, batch_rows: int, waiting: int = 1) -> int:
        """How many rows of a batch the next morsel should have; more than there are means all.

        Where as many batches wait as there are threads, each can have one: YSB on two
        threads ran 1.1 times as fast with batches of a million rows than with halves.
        """
        sharing = 1 if waiting >= self._threads else self._threads
        share = max(-(-batch_rows // sharing), _LEAST_SHARE)
        if self._latency_ns is None:
            return min(share, _MOST_ROWS)
        wanted = min(float(share), self._in_time(self._latency_ns))
        return round(min(max(wanted, _LEAST_ROWS), _MOST_ROWS))

    def _in_time(self, latency_ns: float) -> float:
        """The rows that take a share of the target, or as many as it takes to keep up."""
        known = self._row_ns.value
        if known is None:
            return _FIRST_ROWS
        row_ns = max(known, 0.01)
        in_time = (_LATENCY_SHARE * latency_ns - self._fixed_ns) / row_ns
        return max(in_time, self._to_keep_up(row_ns))

    def _to_keep_up(self, row_ns: float) -> float:
        """The least rows with which the threads do what comes in; infinite if none suffice."""
        rate = self._rows_per_ns.value
        if rate is None:
            return 0.0
        spare_ns = _MOST_BUSY * self._threads / rate - row_ns  # for a row, beside its own cost
        return self._fixed_ns / spare_ns if spare_ns > 0 else math.inf
