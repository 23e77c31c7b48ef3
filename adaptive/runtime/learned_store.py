"""A folder in which the workers of an executor leave what their loops have learned."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from adaptive.loop.events import SiblingLearned
from adaptive.loop.learned import Learned
from adaptive.loop.learned_form import learned_from_json, learned_to_json
from adaptive.runtime.private_folder import check_private, make_private

_FORMAT = 1  # raise it when the meaning of a field changes
_MOST_WORKERS = 8  # of a program, the latest
_OLD_SECONDS = 24 * 3600  # data and bets of yesterday
_MOST_BYTES = 1 << 20
_LOCK = ".lock"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What one worker has learned, and when it wrote that down."""

    pid: int
    at: float
    learned: Learned


class LearnedStore:
    """A small file for each program, in a folder that all workers of an executor share.

    A file is replaced as a whole, under a lock of the folder, so that a reader needs none.
    Whatever goes wrong, a loop starts from nothing, as without a store.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._complained = False

    def read(self, program: str) -> SiblingLearned | None:
        """What a new worker starts from: the latest choice, and the strikes of all.

        A worker that has judged no trial has chosen nothing, but its profile is as good.
        """
        entries = self._entries(program)
        judged = [entry for entry in entries if entry.learned.trials]
        if not entries:
            return None
        last = (judged or entries)[-1]
        failed = dict(last.learned.failed)
        for entry in entries:
            for kinds, count in entry.learned.failed.items():
                failed[kinds] = max(count, failed.get(kinds, 0))
        known = last.learned
        learned = Learned(known.running, known.trials, known.won, failed, known.profile)
        return SiblingLearned(learned, f"process {last.pid}")

    def write(self, program: str, learned: Learned) -> None:
        """Leave what this process has learned, in place of what it left before."""
        mine = _Entry(os.getpid(), time.time(), learned)
        try:
            make_private(self._folder)
            with self._locked():
                others = [e for e in self._entries(program) if e.pid != mine.pid]
                if not others:
                    self._forget_old()
                self._replace(program, [*others, mine][-_MOST_WORKERS:])
        except OSError as error:
            self._complain(error)

    def _entries(self, program: str) -> list[_Entry]:
        """Those of the last day, the latest last."""
        try:
            check_private(self._folder)
            found = _parsed(self._path(program).read_bytes()[: _MOST_BYTES + 1])
        except FileNotFoundError:
            return []
        except OSError as error:
            self._complain(error)
            return []
        except Exception as error:  # another version, or half a disk
            logger.warning("what siblings have learned is not used: %s", error)
            return []
        now = time.time()
        return [entry for entry in found if now - _OLD_SECONDS < entry.at <= now + 1]

    def _replace(self, program: str, entries: list[_Entry]) -> None:
        path = self._path(program)
        unfinished = path.with_suffix(f".{os.getpid()}")
        document = {"format": _FORMAT, "workers": [_as_json(entry) for entry in entries]}
        try:
            unfinished.write_text(json.dumps(document, separators=(",", ":")), "ascii")
            os.replace(unfinished, path)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise

    def _forget_old(self) -> None:
        """Remove files of programs that nobody has run for a day."""
        for path in self._folder.glob("*.*"):
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _OLD_SECONDS and path.name != _LOCK:
                    path.unlink()

    def _path(self, program: str) -> Path:
        return self._folder / f"{sha256(program.encode()).hexdigest()[:32]}.json"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        mode = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(self._folder / _LOCK, mode, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)

    def _complain(self, error: OSError) -> None:
        """Say once why nothing is shared: it costs time only."""
        if not self._complained:
            self._complained = True
            logger.warning("workers do not learn from each other: %s", error)


def _as_json(entry: _Entry) -> dict[str, Any]:
    return {"pid": entry.pid, "at": entry.at, "learned": learned_to_json(entry.learned)}


def _parsed(data: bytes) -> list[_Entry]:
    if len(data) > _MOST_BYTES:
        raise ValueError(f"the file is larger than {_MOST_BYTES} bytes")
    document = json.loads(data)
    if document["format"] != _FORMAT:
        raise ValueError(f"format {document['format']}, this Kodiak reads {_FORMAT}")
    return [
        _Entry(int(one["pid"]), float(one["at"]), learned_from_json(one["learned"]))
        for one in document["workers"]
    ]
