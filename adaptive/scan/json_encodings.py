"""JSON records in UTF-16 or UTF-32, as Spark's parser (Jackson) finds them by their first bytes.

Text that a program wrote in one of these has them in each line, as far as lines are cut at bytes.
"""

from __future__ import annotations

from typing import Literal

from adaptive.scan.json_tokens import Malformed

Order = Literal["big", "little"]
_MARKS: tuple[tuple[bytes, int, Order], ...] = (
    (b"\x00\x00\xfe\xff", 4, "big"),
    (b"\xff\xfe\x00\x00", 4, "little"),
    (b"\xfe\xff", 2, "big"),
    (b"\xff\xfe", 2, "little"),
)
# Orders of the bytes of UTF-32 that Jackson knows and refuses: their marks, and where the only
# byte that is not zero is.
_REFUSED_MARKS = (b"\x00\x00\xff\xfe", b"\xfe\xff\x00\x00")
_REFUSED_PLACES = (1, 2)
_READ_AT_ONCE = 4000  # characters of UTF-32: one that is none spoils all that are read with it
_REPLACEMENT = 0xFFFD
_BREAK = 1


def narrowed(data: bytes) -> bytes | None:
    """A record in UTF-16 or UTF-32 as UTF-8, None if it is in neither."""
    form = _marked(data[:4]) or _unmarked(data[:4])
    if form is None:
        return None
    begin, width, order = form
    read = _of_utf16 if width == 2 else _of_utf32
    units = "".join(map(chr, read(data[begin:], order)))
    # Halves of a character that meet are one, others have become a question mark in Spark.
    text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text.encode("utf-8", "replace")


def _marked(head: bytes) -> tuple[int, int, Order] | None:
    """Of a text with a mark: where it begins, the bytes of a unit, and their order."""
    if len(head) < 4:
        return None
    if head in _REFUSED_MARKS:
        raise Malformed("bytes of UTF-32 in an unusual order")
    found = [(len(mark), width, order) for mark, width, order in _MARKS if head.startswith(mark)]
    return found[0] if found else None


def _unmarked(head: bytes) -> tuple[int, int, Order] | None:
    """The same of one without, by the zeros around its first character."""
    if len(head) == 4 and head.count(0) >= 3:
        place = max(range(4), key=lambda at: head[at]) if any(head) else 3
        if place in _REFUSED_PLACES:
            raise Malformed("bytes of UTF-32 in an unusual order")
        return 0, 4, "big" if place == 3 else "little"
    if len(head) >= 2 and 0 in head[:2]:
        return 0, 2, "big" if head[0] == 0 else "little"
    return None


def _of_utf16(data: bytes, order: Order) -> list[int]:
    """Units, as Java decodes them: a first half without its second one takes what follows along."""
    units = [int.from_bytes(data[at : at + 2], order) for at in range(0, len(data) - 1, 2)]
    made: list[int] = []
    at = 0
    while at < len(units):
        pair = units[at : at + 2]
        at += 1
        if 0xD800 <= pair[0] < 0xDC00:
            at += 1
            is_one = len(pair) == 2 and 0xDC00 <= pair[1] < 0xE000
            made += pair if is_one else [_REPLACEMENT]
        else:
            is_none = 0xDC00 <= pair[0] < 0xE000
            made.append(_REPLACEMENT if is_none else pair[0])
    if len(data) % 2 and at == len(units):
        made.append(_REPLACEMENT)
    return made


def _of_utf32(data: bytes, order: Order) -> list[int]:
    """Characters up to where reading them fails, which is there as one that no JSON has."""
    units = [int.from_bytes(data[at : at + 4], order) for at in range(0, len(data) - 3, 4)]
    bad = next((at for at, unit in enumerate(units) if unit > 0x10FFFF), None)
    if bad is not None:
        return [*units[: bad - bad % _READ_AT_ONCE], _BREAK]
    return [*units, _BREAK] if len(data) % 4 else units
