"""What functions of strings and binaries mean; positions count characters, or a binary's bytes.

All of them are null where an argument is, unless `ir.evaluate` says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ir.letter_case import lower, upper

Run = TypeVar("Run", str, bytes)
LONGEST = 2**31 - 1  # the length that `substring` has without one


def substring(text: Run, position: int, length: int = LONGEST) -> Run:
    """From a position on (the first is 1, the last -1), at most so many; 0 counts as 1.

    A position before the beginning uses up length that is not there.
    """
    start = position - 1 if position > 0 else len(text) + position if position < 0 else 0
    return text[max(start, 0) : max(start + length, 0)]


def left(text: Run, length: int) -> Run:
    """The first characters."""
    return text[: max(length, 0)]


def right(text: str, length: int) -> str:
    """The last characters."""
    return text[-length:] if length > 0 else ""


def trim(text: str, chars: str = " ") -> str:
    """Without these characters at both ends."""
    return text.strip(chars) if chars else text


def left_trim(text: str, chars: str = " ") -> str:
    """Without these characters at the beginning."""
    return text.lstrip(chars) if chars else text


def right_trim(text: str, chars: str = " ") -> str:
    """Without these characters at the end."""
    return text.rstrip(chars) if chars else text


def octet_length(text: str | bytes) -> int:
    """The number of bytes."""
    return len(text.encode() if isinstance(text, str) else text)


def bit_length(text: str | bytes) -> int:
    """The number of bits, wrapped to 32 bits as in Spark."""
    bits = 8 * octet_length(text)
    return (bits + 2**31) % 2**32 - 2**31


def repeat(text: str, times: int) -> str:
    """The text so many times, not once for 0 and below."""
    return text * times


def left_pad(text: str, length: int, pad: str) -> str:
    """Exactly `length` characters: filled up in front from the pad's beginning, or cut off."""
    return _filling(text, length, pad) + text[: max(length, 0)]


def right_pad(text: str, length: int, pad: str) -> str:
    """Exactly `length` characters: filled up behind, or cut off."""
    return text[: max(length, 0)] + _filling(text, length, pad)


def _filling(text: str, length: int, pad: str) -> str:
    missing = length - len(text)
    if missing <= 0 or not pad:
        return ""
    return (pad * (missing // len(pad) + 1))[:missing]


def replace(text: str, search: str, instead: str) -> str:
    """Every occurrence from left to right; nothing is found where nothing is searched for."""
    return text.replace(search, instead) if search else text


def instr(text: str, part: str) -> int:
    """The position of the first occurrence, 0 where there is none."""
    return text.find(part) + 1


def locate_from(part: str, text: str, start: int) -> int:
    """The position of the first occurrence from a position on; no text is found at 1."""
    if start < 1:
        return 0
    return text.find(part, start - 1) + 1 if part else 1


def ascii_code(text: str) -> int:
    """The code point of the first character, 0 of no text."""
    return ord(text[0]) if text else 0


def translate(text: str, matching: str, instead: str) -> str:
    """Each character of `matching` as the one at its place, left out where there is none."""
    found = {char: matching.index(char) for char in matching}
    return "".join(
        instead[found[char] : found[char] + 1] if char in found else char for char in text
    )


def substring_index(text: str, delimiter: str, count: int) -> str:
    """What comes before the count-th delimiter, or after it from the end; they may overlap."""
    if not delimiter or count == 0:
        return ""
    place = -1 if count > 0 else len(text) - len(delimiter) + 1
    for _ in range(abs(count)):
        if count > 0:
            place = text.find(delimiter, place + 1)
        else:
            place = text.rfind(delimiter, 0, max(place - 1 + len(delimiter), 0))
        if place < 0:
            return text
    return text[:place] if count > 0 else text[place + len(delimiter) :]


TEXT_MEANINGS: dict[str, Callable[..., str | bytes | int | bool]] = {
    "length": len,
    "octet_length": octet_length,
    "bit_length": bit_length,
    "lower": lower,
    "upper": upper,
    "substring": substring,
    "left": left,
    "right": right,
    "trim": trim,
    "ltrim": left_trim,
    "rtrim": right_trim,
    "reverse": lambda text: text[::-1],
    "repeat": repeat,
    "lpad": left_pad,
    "rpad": right_pad,
    "replace": replace,
    "translate": translate,
    "substring_index": substring_index,
    "startswith": lambda text, part: text.startswith(part),
    "endswith": lambda text, part: text.endswith(part),
    "contains": lambda text, part: part in text,
    "instr": instr,
    "locate_from": locate_from,
    "ascii": ascii_code,
}
