"""Where files are: addresses as Spark writes them, opened with pyarrow."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import lru_cache

import pyarrow as pa
from pyarrow import fs

from adaptive.scan.remote import RemoteFiles, Unreachable, remote_files


def local_path(address: str) -> str:
    """The path of a `file:` address as Hadoop prints it, which is not percent-encoded."""
    return address.removeprefix("file://").removeprefix("file:")


@dataclass(frozen=True, slots=True)
class Storage:
    """Opens files by address; holds what remote file systems ask for, and does not show it."""

    settings: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def open(self, address: str) -> pa.NativeFile:
        """A file to read from any position; FileNotFoundError if it has vanished."""
        scheme, authority, path = parts(address)
        if scheme == "file":
            return pa.OSFile(path)
        remote, files = _connected(scheme, authority, self.settings)
        return files.open_input_file(remote.prefix + path)

    def map(self, address: str) -> pa.NativeFile:
        """The same; a local file is mapped into memory: what is not asked for is not read."""
        scheme, _, path = parts(address)
        if scheme == "file" and os.path.getsize(path):
            return pa.memory_map(path)
        return self.open(address)

    def is_local(self, address: str) -> bool:
        """Whether reading many small parts of a file is cheap."""
        return parts(address)[0] == "file"

    def check(self, address: str) -> None:
        """Raise `Unreachable` if files at this address cannot be opened."""
        scheme, authority, _ = parts(address)
        if scheme != "file":
            _connected(scheme, authority, self.settings)


LOCAL = Storage()


def parts(address: str) -> tuple[str, str, str]:
    """Scheme, authority and path of an address; without a scheme it is a local path."""
    scheme, separator, rest = address.partition("://")
    if not separator or scheme == "file":
        return "file", "", local_path(address)
    authority, slash, path = rest.partition("/")
    return scheme, authority, slash + path


@lru_cache(maxsize=16)
def _connected(
    scheme: str, authority: str, settings: tuple[tuple[str, str], ...]
) -> tuple[RemoteFiles, fs.FileSystem]:
    """A file system; made once in a process."""
    remote = remote_files(scheme, authority, dict(settings))
    try:
        kind = getattr(fs, remote.kind)
    except ImportError as error:
        raise Unreachable(f"this pyarrow has no {remote.kind}: {error}") from error
    try:
        return remote, kind(**dict(remote.arguments))
    except OSError as error:
        reason = str(error).partition("\n")[0]
        raise Unreachable(f"pyarrow's {remote.kind} does not start: {reason}") from error
