"""Where files are: addresses as Spark writes them, opened with pyarrow."""

from __future__ import annotations

import os
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import fs


def local_path(address: str) -> str:
    """The path of a `file:` address as Hadoop prints it, which is not percent-encoded."""
    return address.removeprefix("file://").removeprefix("file:")


@dataclass(frozen=True, slots=True)
class Storage:
    """Opens files by address."""

    def open(self, address: str) -> pa.NativeFile:
        """A file to read from any position; FileNotFoundError if it has vanished."""
        return fs.LocalFileSystem().open_input_file(local_path(address))

    def map(self, address: str) -> pa.NativeFile:
        """The same, mapped into memory: what is not asked for is not read."""
        path = local_path(address)
        return pa.memory_map(path) if os.path.getsize(path) else self.open(address)


LOCAL = Storage()
