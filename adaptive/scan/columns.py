"""Finding the columns of a schema in a file, as Spark does: by name."""

from __future__ import annotations

from collections.abc import Sequence

from adaptive.scan.errors import UNREADABLE, ScanError


def find_column(wanted: str, there: Sequence[str], case_sensitive: bool, path: str) -> str | None:
    """The column's name in the file, or None if the file has none."""
    same = (lambda name: name) if case_sensitive else str.lower
    matches = [name for name in there if same(name) == same(wanted)]
    if len(matches) > 1:
        listed = ", ".join(matches)
        problem = f"column {wanted!r} matches {listed}; rename all but one"
        raise ScanError(UNREADABLE, path, problem)
    return matches[0] if matches else None
