"""Variants that are not run again, because a process did not survive them."""

from __future__ import annotations

import fcntl
import logging
import os
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from weakref import WeakSet

from adaptive.runtime.journal import DeadRun, dead_runs
from adaptive.runtime.private_folder import make_private
from codegen_llvm import InputLayout, Program, SlotLayout
from ir import Tier, VariantSpec

# A process that is killed while it runs a variant looks like one that the variant has
# crashed, and Spark kills workers whenever a query stops. So the first time bans for long
# enough that a task is retried without the variant, and only the second one for longer.
FIRST_BAN_SECONDS = 600
REPEATED_BAN_SECONDS = 24 * 3600

_FILE = "bans"
_MOST_FILE_BYTES = 64 * 1024  # beyond that, bans that are over are left out
_LOOK_SECONDS = 1.0
_LINE = re.compile(r"ban (\d{1,10}) (\d{1,10}) ([a-z]+-[0-9a-f]{64})")

logger = logging.getLogger(__name__)


class VariantBanned(Exception):
    """A variant must not run here; the generic one does the same."""


class _Ban(NamedTuple):
    at: int  # seconds since the epoch
    pid: int
    key: str


def variant_key(
    program: Program, layout: InputLayout, slots: SlotLayout | None, spec: VariantSpec
) -> str:
    """The name of a variant in journals and bans, the same in every process."""
    text = "\n".join(map(_stable_text, (program, layout, slots, spec)))
    return f"{spec.tier.value}-{sha256(text.encode()).hexdigest()}"


def _stable_text(value: object) -> str:
    """A text that depends on the value alone; that of a set would depend on its history."""
    match value:
        case None | bool() | int() | float() | str() | bytes():
            return repr(value)
        case Enum():
            return f"{type(value).__name__}.{value.name}"
        case tuple():
            return f"({','.join(map(_stable_text, value))})"
        case frozenset():
            return f"{{{','.join(sorted(map(_stable_text, value)))}}}"
    if not is_dataclass(value):
        raise TypeError(f"a variant with a {type(value).__name__} has no name; add a case here")
    parts = (_stable_text(getattr(value, field.name)) for field in fields(value))
    return f"{type(value).__name__}({','.join(parts)})"


class BanList:
    """The bans of all processes that share a folder.

    A look for processes that ended in a variant, and for bans of others, is taken at
    most once a second, by whoever asks.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._lock = threading.Lock()
        self.open(folder)
        _BAN_LISTS.add(self)

    def open(self, folder: Path | None) -> None:
        """Share bans with the processes that use this folder; None: with nobody."""
        with self._lock:
            self._folder = folder
            self._bans: dict[str, list[_Ban]] = {}
            self._version: tuple[int, ...] | None = None
            self._next_look = 0.0
            self._complained = False

    def is_banned(self, key: str) -> str | None:
        """Why a variant must not run, if so."""
        self._look()
        bans = self._bans.get(key)
        if not bans:
            return None
        until = _end(bans)
        if until <= time.time():
            return None
        last = bans[-1]
        return (
            f"process {last.pid} ended while running it at {_clock(last.at)};"
            f" banned until {_clock(until)}"
        )

    def ban(self, key: str, pid: int) -> None:
        """Ban a variant in all processes; the generic one is what others fall back to."""
        if key.startswith(f"{Tier.GENERIC.value}-"):
            logger.error(
                "process %d ended while running %s, the generic variant, which has no substitute;"
                " if it crashed rather than being killed, report it with the query",
                pid,
                key,
            )
            return
        logger.warning("process %d ended while running %s, which is banned now", pid, key)
        if self._folder is not None:
            make_private(self._folder)
            _append(self._folder / _FILE, _Ban(int(time.time()), pid, key))

    def renew_lock(self) -> None:
        """In a forked child: the thread that may have held the lock is not here."""
        self._lock = threading.Lock()

    def _look(self) -> None:
        if self._folder is None or time.monotonic() < self._next_look:
            return
        with self._lock:
            if self._folder is None or time.monotonic() < self._next_look:
                return
            try:
                for dead in dead_runs(self._folder):
                    self._ban_all(dead)
                self._read(self._folder / _FILE)
            except OSError as error:
                if not self._complained:
                    self._complained = True
                    logger.warning("bans of variants are not read: %s", error)
            self._next_look = time.monotonic() + _LOOK_SECONDS

    def _ban_all(self, dead: DeadRun) -> None:
        for key in sorted(dead.keys):
            if _LINE.fullmatch(f"ban 0 0 {key}"):
                self.ban(key, dead.pid)

    def _read(self, path: Path) -> None:
        """The bans in the file, if it has changed since the last time."""
        try:
            found = path.stat()
        except FileNotFoundError:
            return
        version = (found.st_ino, found.st_size, found.st_mtime_ns)
        if version == self._version:
            return
        bans: dict[str, list[_Ban]] = {}
        latest = time.time() + _LOOK_SECONDS  # what the future has banned is damaged
        for ban in _parsed(_content(path)):
            if ban.at <= latest:
                bans.setdefault(ban.key, []).append(ban)
        self._bans, self._version = bans, version


_BAN_LISTS: WeakSet[BanList] = WeakSet()


def _end(bans: list[_Ban]) -> int:
    """When the last of the bans of a variant is over."""
    repeated = len(bans) > 1 and bans[-2].at > bans[-1].at - REPEATED_BAN_SECONDS
    return bans[-1].at + (REPEATED_BAN_SECONDS if repeated else FIRST_BAN_SECONDS)


def _content(path: Path) -> bytes:
    """A file's bytes, while nobody makes it shorter."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        return file.read()


def _append(path: Path, ban: _Ban) -> None:
    """Add a line; a file that has become long loses the lines that no longer count."""
    mode = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(path, mode, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        data = os.pread(file, 16 * _MOST_FILE_BYTES, 0)
        lines = _line(ban)
        if len(data) > _MOST_FILE_BYTES:
            oldest = ban.at - 2 * REPEATED_BAN_SECONDS
            lines = "".join(_line(old) for old in _parsed(data) if old.at > oldest) + lines
            os.ftruncate(file, 0)
        elif data and not data.endswith(b"\n"):
            lines = "\n" + lines
        os.write(file, lines.encode())
    finally:
        os.close(file)


def _line(ban: _Ban) -> str:
    return f"ban {ban.at} {ban.pid} {ban.key}\n"


def _parsed(data: bytes) -> Iterator[_Ban]:
    """The bans in a file's lines, without those that are damaged."""
    for line in data.decode("ascii", "replace").splitlines():
        match = _LINE.fullmatch(line)
        if match is not None:
            yield _Ban(int(match[1]), int(match[2]), match[3])


def _clock(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(" ")


def _after_fork() -> None:
    for bans in list(_BAN_LISTS):
        bans.renew_lock()


os.register_at_fork(after_in_child=_after_fork)

BAN_LIST = BanList()
