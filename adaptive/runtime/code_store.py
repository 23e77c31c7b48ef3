"""A folder of compiled objects that all processes of a user share."""

from __future__ import annotations

import logging
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from adaptive.runtime.private_folder import check_private, make_private

DEFAULT_BYTES = 256 * 1024 * 1024

_MAGIC = b"kodiak object 1\n"
_DIGEST_BYTES = sha256().digest_size
_SUFFIX = ".o"
_UNFINISHED = ".unfinished-"
_TOUCH_SECONDS = 60
_ABANDONED_SECONDS = 3600  # an unfinished file of this age has lost its writer
# What a process may add before it looks at the whole folder again, as a part of the limit:
# a look at 32,000 files takes 0.1 s.
_LOOK_PART = 32
# A look that removes files makes so much room, so that the next one is not at once.
_KEPT_PART = 0.9

logger = logging.getLogger(__name__)


class CodeStore:
    """Objects by key, at most so many bytes of them, the longest unused removed first.

    A file has a checksum over key and content, and appears under its name only when it
    is complete, so that any number of processes may read, write and remove at once.
    Whatever goes wrong, the caller compiles as if there were no store.
    """

    def __init__(self, folder: Path, most_bytes: int = DEFAULT_BYTES) -> None:
        self.folder = folder
        self._most_bytes = most_bytes
        self._unseen_bytes: int | None = None  # put since the last look; None: never looked
        self._complained = False

    def get(self, key: str) -> bytes | None:
        """The object that was put under a key, by any process."""
        path = self._path(key)
        try:
            check_private(self.folder)
            data = _read(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._complain(error)
            return None
        content = _unpacked(key, data)
        if content is None:
            logger.warning("%s is corrupt and was removed; its code is compiled again", path)
            with suppress(OSError):
                path.unlink()
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep an object, in place of what is there under its key."""
        data = _packed(key, content)
        if len(data) > self._most_bytes * _KEPT_PART:
            return
        try:
            make_private(self.folder)
            self._write(self._path(key), data)
            self._make_room(len(data))
        except OSError as error:
            self._complain(error)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"

    def _write(self, path: Path, data: bytes) -> None:
        handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=self.folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise

    def _make_room(self, added: int) -> None:
        if self._unseen_bytes is not None:
            self._unseen_bytes += added
            if self._unseen_bytes * _LOOK_PART < self._most_bytes:
                return
        self._unseen_bytes = 0
        files = sorted(_files(self.folder), key=lambda file: file[1])
        total = sum(size for _, _, size in files)
        if total <= self._most_bytes:
            return
        for path, _, size in files:
            if total <= self._most_bytes * _KEPT_PART:
                return
            with suppress(FileNotFoundError):  # another process makes room too
                path.unlink()
            total -= size

    def _complain(self, error: OSError) -> None:
        """Say once why there is no cache: it costs time only, and a full disk stays full."""
        if not self._complained:
            self._complained = True
            logger.warning("no cache of compiled code: %s", error)


class CodeStores:
    """A store that few processes share, and behind it one that outlives them.

    The one behind may be out of reach, as where executors have no home.
    """

    def __init__(self, near: CodeStore, behind: CodeStore) -> None:
        self.near, self.behind = near, behind

    def get(self, key: str) -> bytes | None:
        """The object from either."""
        content = self.near.get(key)
        if content is None:
            content = self.behind.get(key)
            if content is not None:
                self.near.put(key, content)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep an object in both."""
        self.near.put(key, content)
        self.behind.put(key, content)


def _read(path: Path) -> bytes:
    """A file's bytes; that it is in use is noted in its time, at most once a minute."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            raise PermissionError(f"{path} is no file of this user; remove it")
        data = file.read()
        if time.time() - found.st_mtime > _TOUCH_SECONDS:
            with suppress(OSError):
                os.utime(handle)
    return data


def _packed(key: str, content: bytes) -> bytes:
    return _MAGIC + _checksum(key, content) + content


def _unpacked(key: str, data: bytes) -> bytes | None:
    start = len(_MAGIC) + _DIGEST_BYTES
    content = data[start:]
    whole = data[:start] == _MAGIC + _checksum(key, content)
    return content if whole else None


def _checksum(key: str, content: bytes) -> bytes:
    return sha256(key.encode() + b"\0" + content).digest()


def _files(folder: Path) -> Iterator[tuple[Path, float, int]]:
    """Path, time of last use and size of every file; what no writer will finish is removed."""
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                found = entry.stat(follow_symlinks=False)
                age = time.time() - found.st_mtime
                if entry.name.startswith(_UNFINISHED) and age > _ABANDONED_SECONDS:
                    os.unlink(entry.path)
                elif entry.name.endswith(_SUFFIX):
                    yield Path(entry.path), found.st_mtime, found.st_size
