"""Patterns of LIKE: % is any text, _ any character, and a backslash makes either plain."""

from __future__ import annotations

import re
from enum import Enum

ESCAPE = "\\"
ESCAPE_AT_THE_END = "INVALID_FORMAT.ESC_AT_THE_END"
ESCAPE_IN_THE_MIDDLE = "INVALID_FORMAT.ESC_IN_THE_MIDDLE"


class Wildcard(Enum):
    """A part of a pattern that is no plain character."""

    ANY_TEXT = ".*"
    ANY_CHARACTER = "."


Part = str | Wildcard


class BadPattern(Exception):
    """A pattern with an escape that escapes nothing; `condition` is Spark's."""

    def __init__(self, condition: str) -> None:
        super().__init__(condition)
        self.condition = condition


def parts_of(pattern: str, escape: str = ESCAPE) -> list[Part]:
    """The characters and wildcards of a pattern; the escape comes before any other meaning."""
    parts: list[Part] = []
    chars = iter(pattern)
    for char in chars:
        if char == escape:
            parts.append(_escaped(next(chars, ""), escape))
        elif char == "%":
            parts.append(Wildcard.ANY_TEXT)
        else:
            parts.append(Wildcard.ANY_CHARACTER if char == "_" else char)
    return parts


def _escaped(char: str, escape: str) -> str:
    if not char:
        raise BadPattern(ESCAPE_AT_THE_END)
    if char not in ("%", "_", escape):
        raise BadPattern(ESCAPE_IN_THE_MIDDLE)
    return char


def is_pattern(pattern: str) -> bool:
    """Whether every escape escapes something."""
    try:
        parts_of(pattern)
    except BadPattern:
        return False
    return True


def with_backslash(pattern: str, escape: str) -> str:
    """The same pattern with a backslash as its escape."""
    written = {Wildcard.ANY_TEXT: "%", Wildcard.ANY_CHARACTER: "_"}
    special = ("%", "_", ESCAPE)
    return "".join(
        written[part] if isinstance(part, Wildcard) else ESCAPE + part if part in special else part
        for part in parts_of(pattern, escape)
    )


def matches(text: str, pattern: str) -> bool:
    """Whether the whole text is like the pattern."""
    shown = (
        part.value if isinstance(part, Wildcard) else re.escape(part) for part in parts_of(pattern)
    )
    return re.fullmatch("".join(shown), text, re.DOTALL) is not None


def plain_pieces(pattern: str) -> list[str] | None:
    """The texts between the %, or None where a character is left open; one is all of it."""
    pieces = [""]
    for part in parts_of(pattern):
        match part:
            case Wildcard.ANY_CHARACTER:
                return None
            case Wildcard.ANY_TEXT:
                pieces.append("")
            case _:
                pieces[-1] += part
    return [pieces[0], *filter(None, pieces[1:-1]), pieces[-1]] if len(pieces) > 1 else pieces
