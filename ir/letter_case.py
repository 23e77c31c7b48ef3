"""Letters in lower and upper case, with Unicode's full mappings and no language's own.

A letter may become several, a final sigma differs from others. The tables are Spark's,
so that what is a letter does not depend on the version of Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ir import case_data

CAPITAL_SIGMA, FINAL_SIGMA = "\u03a3", "\u03c2"


def lower(text: str) -> str:
    """All letters in lower case; a capital sigma at the end of a word becomes a final one."""
    mapped = lower_mapping()
    return "".join(
        FINAL_SIGMA if char == CAPITAL_SIGMA and _ends_word(text, place) else mapped.get(char, char)
        for place, char in enumerate(text)
    )


def upper(text: str) -> str:
    """All letters in upper case."""
    mapped = upper_mapping()
    return "".join(mapped.get(char, char) for char in text)


@cache
def lower_mapping() -> dict[str, str]:
    """What each character becomes that has a lower case, wherever it stands."""
    return _mapping(case_data.LOWER, case_data.LOWER_SPECIAL)


@cache
def upper_mapping() -> dict[str, str]:
    """What each character becomes that has an upper case."""
    return _mapping(case_data.UPPER, case_data.UPPER_SPECIAL)


@cache
def cased() -> frozenset[str]:
    """The letters that have a case, but for those that are passed over."""
    return frozenset(_characters(case_data.CASED))


@cache
def ignored() -> frozenset[str]:
    """The characters that are passed over where a word's end is looked for."""
    return frozenset(_characters(case_data.IGNORED))


def _ends_word(text: str, place: int) -> bool:
    """Whether a letter comes before this place and none after it, marks passed over."""
    before, after = reversed(text[:place]), iter(text[place + 1 :])
    return _meets_letter(before) and not _meets_letter(after)


def _meets_letter(chars: Iterator[str]) -> bool:
    return next((char for char in chars if char not in ignored()), "") in cased()


def _mapping(runs: str, specials: str) -> dict[str, str]:
    mapped: dict[str, str] = {}
    for word in runs.split():
        span, _, move = word.partition("/")
        first, last = (int(code, 16) for code in span.split("-"))
        step, distance = int(move[0]), int(move[1:], 16)
        mapped |= {chr(code): chr(code + distance) for code in range(first, last + 1, step)}
    for word in specials.split():
        code, _, made = word.partition("=")
        mapped[chr(int(code, 16))] = "".join(chr(int(one, 16)) for one in made.split(","))
    return mapped


def _characters(ranges: str) -> Iterator[str]:
    for word in ranges.split():
        first, last = (int(code, 16) for code in word.split("-"))
        yield from map(chr, range(first, last + 1))
