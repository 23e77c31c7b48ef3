"""Which variant each thread is running, where the next process can read it after a crash."""

from __future__ import annotations

import atexit
import fcntl
import logging
import mmap
import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from weakref import WeakSet

from adaptive.runtime.private_folder import make_private

_PREFIX = "run-"
_MAGIC = "kodiak-run 1"
_RECORD_BYTES = 128
_RECORDS = 127  # threads of a process; with the header, the file has four pages
_FILE_BYTES = _RECORD_BYTES * (1 + _RECORDS)
_BIRTH_SECONDS = 60  # a file without a header is about to get one

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DeadRun:
    """What a process that is gone had not finished."""

    pid: int
    keys: frozenset[str]


class RunJournal:
    """A file of this process with a record for each of its threads: the key of what it runs.

    The file is mapped, so a record costs two stores and outlives the process. The
    process holds a lock on it, which the system releases whatever ends the process;
    a process id would not do, as containers that share a folder do not share those.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.path: Path | None = None
        self._folder = folder
        self._forget()
        _JOURNALS.add(self)

    def open(self, folder: Path | None) -> None:
        """Write below this folder from now on; None: nowhere."""
        self.close()
        self._folder = folder

    def close(self) -> None:
        """Leave no record behind, as a process that ends well."""
        path, self.path = self.path, None
        self._forget()
        if path is not None:
            with suppress(OSError):
                path.unlink()

    def running(self, key: str) -> _Running:
        """A context in which this thread runs a variant."""
        return _Running(self, key)

    def prepare(self) -> None:
        """Make the file now, where nobody waits for it: that took 2 ms."""
        with self._lock:
            self._open()

    def begin(self, key: str) -> None:
        """This thread is about to run a variant."""
        try:
            record = self._threads.record
        except AttributeError:
            record = self._threads.record = self._new_record()
        if record is not None:
            record.begin(key)

    def end(self) -> None:
        """This thread has come back."""
        record = getattr(self._threads, "record", None)
        if record is not None:
            record.memory[record.start] = 0

    def after_fork(self) -> None:
        """Let go of the parent's file, in the child; the lock on it is the parent's alone."""
        if self._memory is not None:
            self._memory.close()
        self.path = None
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._threads = threading.local()
        self._memory: mmap.mmap | None = None
        self._free = list(range(_RECORDS, 0, -1))
        self._failed = False

    def _new_record(self) -> _Record | None:
        with self._lock:
            memory = self._open()
            return None if memory is None or not self._free else _Record(memory, self._free)

    def _open(self) -> mmap.mmap | None:
        """The file in memory, made if there is none; None where that fails."""
        if self._memory is None and self._folder is not None and not self._failed:
            try:
                self.path, self._memory = _create(self._folder)
            except OSError as error:
                self._failed = True
                logger.warning("a variant that crashes will not be banned: %s", error)
        return self._memory


_JOURNALS: WeakSet[RunJournal] = WeakSet()


class _Running:
    """`RunJournal.begin` and `end` around a block."""

    __slots__ = ("_journal", "_key")

    def __init__(self, journal: RunJournal, key: str) -> None:
        self._journal, self._key = journal, key

    def __enter__(self) -> None:
        self._journal.begin(self._key)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._journal.end()


class _Record:
    """A thread's part of the file: whether something runs, and its key; freed with the thread."""

    def __init__(self, memory: mmap.mmap, free: list[int]) -> None:
        self.memory = memory
        self._free, self._number = free, free.pop()
        self.start = self._number * _RECORD_BYTES
        self._key: str | None = None

    def begin(self, key: str) -> None:
        """Write the key if it is another one than before, then that it runs."""
        if key is not self._key:
            padded = key.encode("ascii").ljust(_RECORD_BYTES - 1, b"\0")
            self.memory[self.start + 1 : self.start + _RECORD_BYTES] = padded
            self._key = key
        self.memory[self.start] = 1

    def __del__(self) -> None:
        self._free.append(self._number)


def dead_runs(folder: Path) -> Iterator[DeadRun]:
    """What processes that are gone had not finished; each is reported to one caller, and removed.

    A process of an earlier boot went down with the machine, so nothing is said of it.
    """
    for path in sorted(folder.glob(f"{_PREFIX}*")):
        with _locked(path) as file:
            if file is None:
                continue
            found = os.fstat(file)
            data = os.read(file, _FILE_BYTES)
            if not data and time.time() - found.st_mtime < _BIRTH_SECONDS:
                continue
            dead = _parsed(data)
            if dead is not None and dead.keys:
                yield dead
            with suppress(FileNotFoundError):
                path.unlink()


@contextmanager
def _locked(path: Path) -> Iterator[int | None]:
    """A file whose process is gone, or None: it is alive, or another process takes care of it."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        yield None
        return
    try:
        yield file if _is_ours(file) else None
    finally:
        os.close(file)


def _is_ours(file: int) -> bool:
    """Whether this process has got the lock on a file that nobody has removed meanwhile."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return os.fstat(file).st_nlink > 0


def _create(folder: Path) -> tuple[Path, mmap.mmap]:
    """A new file of this process, locked and mapped.

    Its blocks are allocated first: a store into a hole of a file ends the process when
    the disk is full. The mapping keeps the lock when the file is closed here.
    """
    make_private(folder)
    path = folder / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        os.posix_fallocate(file, 0, _FILE_BYTES)
        memory = mmap.mmap(file, _FILE_BYTES)
    except BaseException:
        path.unlink()
        raise
    finally:
        os.close(file)
    memory[:_RECORD_BYTES] = _header(os.getpid())
    return path, memory


def _header(pid: int) -> bytes:
    return f"{_MAGIC} {pid} {_boot()}\n".encode().ljust(_RECORD_BYTES, b"\0")


def _boot() -> str:
    """A name for the time since the machine started."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "unknown"


def _parsed(data: bytes) -> DeadRun | None:
    """What a file says, or None if it is not of this boot, or not whole."""
    head = data[:_RECORD_BYTES].rstrip(b"\0").decode("ascii", "replace").split()
    if len(data) != _FILE_BYTES or head[:2] != _MAGIC.split() or len(head) != 4:
        return None
    if not head[2].isdecimal() or head[3] != _boot():
        return None
    records = (data[i : i + _RECORD_BYTES] for i in range(_RECORD_BYTES, len(data), _RECORD_BYTES))
    running = (record[1:].rstrip(b"\0") for record in records if record[0] == 1)
    return DeadRun(int(head[2]), frozenset(key.decode("ascii", "replace") for key in running))


def _close_all() -> None:
    for journal in list(_JOURNALS):
        journal.close()


def _after_fork() -> None:
    for journal in list(_JOURNALS):
        journal.after_fork()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_after_fork)

JOURNAL = RunJournal()
