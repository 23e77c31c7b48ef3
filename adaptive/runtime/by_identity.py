"""Remembering what was made of an immutable object, without hashing it.

Plans, layouts and schemas are deep; to hash one takes longer than what is kept for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

_MOST = 256
K = TypeVar("K")
V = TypeVar("V")


def by_identity(make: Callable[[K], V]) -> Callable[[K], V]:
    """The function, which is asked once for each of the objects that came lately."""
    known: dict[int, tuple[K, V]] = {}  # keeps the objects alive, so that ids stay theirs

    @wraps(make)
    def remembered(one: K) -> V:
        found = known.get(id(one))
        if found is None:
            if len(known) >= _MOST:
                known.clear()
            found = known[id(one)] = (one, make(one))
        return found[1]

    return remembered
