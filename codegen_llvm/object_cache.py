"""Machine code of earlier processes, found by everything that it was made from."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import Protocol

import llvmlite
import llvmlite.binding as llvm

# Part of every key; raise it when the passes in `compile.py`, or their options, change.
_FORMAT = 1


class ObjectStore(Protocol):
    """Object files by key; neither call raises, whatever happens to the files."""

    def get(self, key: str) -> bytes | None:
        """The object as it was put, or None."""
        ...

    def put(self, key: str, content: bytes) -> None:
        """Keep an object for other processes, if there is room."""
        ...


class _Current:
    """The store of this process."""

    store: ObjectStore | None = None


def use_object_store(store: ObjectStore | None) -> None:
    """Look for compiled modules there from now on, in all threads; None: compile all of them."""
    _Current.store = store


def find_object(key: str) -> bytes | None:
    """The object that an earlier process, or this one, compiled."""
    store = _Current.store
    return None if store is None else store.get(key)


def keep_object(key: str, content: bytes) -> None:
    """Keep an object for the next process that needs it."""
    store = _Current.store
    if store is not None:
        store.put(key, content)


def object_key(text: str, cpu: str, features: str, speed: int) -> str:
    """The name of what a module's text becomes on a CPU.

    The text before optimisation is made of the plan, the layouts and the spec, and of
    nothing else, so it stands for them. To make it took 8 to 13 ms of the 110 to 200 ms
    of a compilation, and loading the object 2 ms, so a key that needs no text would save
    little: a second process starts ten times as fast with this one.
    """
    parts = (str(_FORMAT), _versions(), cpu, features, str(speed), text)
    return sha256("\0".join(parts).encode()).hexdigest()


@cache
def _versions() -> str:
    numbers = ".".join(map(str, llvm.llvm_version_info))
    return f"LLVM {numbers}, llvmlite {llvmlite.__version__}"
