"""Whether taking over filters without an aggregate was worth it, as their micro-batches show.

The plan of a running stream does not change. So what its first rows show is told in its history,
and kept for the next time that the same query over the same folder is adapted.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from adaptive.runtime.private_folder import check_private, make_private
from adaptive.runtime.stores import folder_setting
from adaptive.spark.telemetry import RowCounts, TaskReport

FIRST_ROWS = 65_536  # that are read before the first verdict: as many as are sampled of one place
STRETCH_ROWS = 4 << 20  # of each later one: what passes may change
MOST_KEPT = 0.02  # the share of rows that pass, up to which native filters surely gain
LOSES_ABOVE = 0.05  # where Spark alone is faster
VALID_SECONDS = 7 * 24 * 3600  # then a sample of the files decides again
_MOST_KNOWN = 1_000
_MOST_BYTES = 4096

_K = TypeVar("_K")
_V = TypeVar("_V")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What filters kept of rows, and how long their tasks took."""

    rows: int = 0
    kept: int = 0
    elapsed_ns: int = 0
    given_ns: int = 0  # of that, in which Spark took the rows that passed
    at: float = 0.0  # seconds since the epoch

    @property
    def share(self) -> float:
        """The share of rows that passed."""
        return self.kept / max(1, self.rows)

    @property
    def gains(self) -> bool:
        """Whether so few rows pass that Spark alone is slower."""
        return self.share <= MOST_KEPT

    @property
    def loses(self) -> bool:
        """Whether so many rows pass that Spark alone is faster."""
        return self.share > LOSES_ABOVE

    def plus(self, rows: int, counts: RowCounts) -> Verdict:
        """The same with another task."""
        return Verdict(
            self.rows + rows,
            self.kept + counts.kept,
            self.elapsed_ns + counts.elapsed_ns,
            self.given_ns + counts.given_ns,
        )

    def describe(self) -> str:
        """What was seen, in words."""
        return f"{self.share:.1%} of {self.rows:,} rows"

    def told(self, before: str) -> str:
        """What it means, for a history; `before` is why the filters were taken over."""
        given = self.given_ns / max(1, self.elapsed_ns)
        seen = f"the filters keep {self.describe()} ({before})"
        if self.loses:
            return (
                f"{seen}; handing them to Spark takes {given:.0%} of the tasks' time. Spark alone"
                " would be faster: the query stays there when it is started again"
            )
        worth = "taking them over pays" if self.gains else "Spark alone would be about as fast"
        return f"{seen}: {worth}"


@dataclass(frozen=True, slots=True)
class Taken:
    """A query that was taken over: how it is known again, and why it was."""

    key: str
    said: str


@dataclass(slots=True)
class _Stretch:
    """What is judged next of a running stream, and what was told last."""

    seen: Verdict
    told: tuple[bool, bool] | None = None

    @property
    def wanted_rows(self) -> int:
        return FIRST_ROWS if self.told is None else STRETCH_ROWS


class Verdicts:
    """The queries that this process has taken over, and what their micro-batches have shown."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: OrderedDict[str, Taken] = OrderedDict()
        self._running: OrderedDict[tuple[str, str], _Stretch] = OrderedDict()

    def took(self, fragment_id: str, taken: Taken) -> None:
        """A fragment is part of a plan from now on."""
        with self._lock:
            _put(self._taken, fragment_id, taken)

    def judge(self, run_id: str, fragment_id: str, reports: Sequence[TaskReport]) -> str | None:
        """What there is to tell of a run after one more micro-batch; kept as well."""
        with self._lock:
            taken = self._taken.get(fragment_id)
            if taken is None:  # an aggregate
                return None
            stretch = self._running.get((run_id, fragment_id)) or _Stretch(Verdict())
            _put(self._running, (run_id, fragment_id), stretch)
            for report in reports:
                if report.counts is not None:
                    stretch.seen = stretch.seen.plus(report.rows, report.counts)
            if stretch.seen.rows < stretch.wanted_rows:
                return None
            verdict, stretch.seen = stretch.seen, Verdict()
            meaning = verdict.gains, verdict.loses
            if meaning == stretch.told:
                return None
            stretch.told = meaning
        keep(taken.key, replace(verdict, at=time.time()))
        return verdict.told(taken.said)


def _put(known: OrderedDict[_K, _V], key: _K, value: _V) -> None:
    known[key] = value
    known.move_to_end(key)
    if len(known) > _MOST_KNOWN:
        known.popitem(last=False)


VERDICTS = Verdicts()


def known_verdict(key: str) -> Verdict | None:
    """What an earlier run of a query has shown, if that is not too long ago."""
    path = _path(key)
    if path is None:
        return None
    try:
        check_private(path.parent)
        found = Verdict(**json.loads(path.read_bytes()[:_MOST_BYTES]))
        is_young = 0 <= time.time() - found.at < VALID_SECONDS
    except FileNotFoundError:
        return None
    except Exception as error:  # another version, or half a disk
        logger.warning("what earlier runs have shown is not used: %s", error)
        return None
    return found if is_young else None


def keep(key: str, verdict: Verdict) -> None:
    """Leave a verdict for later processes of this user; without a cache, it is only told."""
    path = _path(key)
    if path is None:
        return
    unfinished = path.with_suffix(f".{os.getpid()}")
    try:
        make_private(path.parent)
        unfinished.write_text(json.dumps(asdict(verdict)), "ascii")
        os.replace(unfinished, path)
    except OSError as error:
        logger.warning("what a stream has shown is not kept: %s", error)
        with suppress(OSError):
            unfinished.unlink()


def _path(key: str) -> Path | None:
    folder = folder_setting(os.environ)
    name = sha256(key.encode()).hexdigest()[:32]
    return None if folder is None else folder / "verdicts" / f"{name}.json"
