"""Bets on how the lines of JSON files are written: alike, as a program writes them.

After some megabytes, a few lines are looked at, and a reader for lines of their shape is compiled
in the background. A line of another shape costs it a comparison, and is read as without it. Where
that happens often, the reader is dropped, and the next bet waits longer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import ir
from adaptive.runtime.background import BackgroundThread
from adaptive.scan.json_tokens import JsonTokens, Malformed, Token
from adaptive.scan.text_blocks import Block
from codegen_llvm import CompiledReader, Shape, ShapeField, TimeForm, compile_json_reader
from ir.zones import Zone

SAMPLE_LINES = 16
SAMPLE_BYTES = 64 * 1024
# A reader is compiled in half a second, once for all processes of a machine, and saves 0.2 s of
# the 0.5 s that a gigabyte takes.
LEAST_BYTES = 16 * 1024 * 1024
BACK_OFF = 4  # times as many bytes before the next bet
MOST_MISSED = 0.25
MOST_FIELDS = 100

_BEFORE = re.compile(rb'[ \t]*[{,][ \t]*"([^"\\\x00-\x1f]*)"[ \t]*:[ \t]*')
_END = re.compile(rb"[ \t]*\}[ \t]*")
_LINE_ENDS = re.compile(rb"[\r\n]+")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, cut into its values and what stands between them."""

    names: tuple[str, ...]
    befores: tuple[bytes, ...]
    end: bytes
    values: tuple[bytes, ...]


def shape_of(lines: Iterable[bytes], names: frozenset[str]) -> Shape | None:
    """The shape that at least half of some lines have, for a reader of these names."""
    found = [_cut(line) for line in lines]
    cut = [line for line in found if line is not None]
    if not cut:
        return None
    [(written, count)] = Counter((line.befores, line.end) for line in cut).most_common(1)
    if 2 * count < len(found):
        return None
    alike = [line for line in cut if (line.befores, line.end) == written]
    read = [name for name in alike[0].names if name in names]
    if len(set(read)) != len(read):
        return None
    fields = (_field(alike, number, names) for number in range(len(alike[0].names)))
    return Shape(tuple(fields), alike[0].end)


def _field(lines: Sequence[_Line], number: int, names: frozenset[str]) -> ShapeField:
    name = lines[0].names[number]
    values = [line.values[number] for line in lines]
    forms = Counter(form for form in map(TimeForm.of, values) if form is not None)
    return ShapeField(
        lines[0].befores[number],
        name if name in names else None,
        forms.most_common(1)[0][0] if forms else None,
        b"null" in values,
    )


def _cut(line: bytes) -> _Line | None:
    """A line that is an object, plainly written; None if it is anything else."""
    try:
        places = list(islice(_values(line), MOST_FIELDS + 1))
        between = _between(line, places)
        found = [_BEFORE.fullmatch(part) for part in between[:-1]]
        names = [match[1].decode() for match in found if match is not None]
    except (Malformed, UnicodeDecodeError):
        return None
    is_plain = len(names) == len(places) and _END.fullmatch(between[-1]) is not None
    if not is_plain or not 0 < len(names) <= MOST_FIELDS:
        return None
    values = tuple(line[begin:end] for begin, end in places)
    return _Line(tuple(names), tuple(between[:-1]), between[-1], values)


def _values(line: bytes) -> Iterable[tuple[int, int]]:
    """Where the values of an object begin and end."""
    tokens = JsonTokens(line)
    if tokens.next() is not Token.START_OBJECT:
        raise Malformed("no object")
    while tokens.next_until(Token.END_OBJECT):
        begin = tokens.begin
        if tokens.next() is Token.STRING:
            tokens.text()
        tokens.skip_children()
        yield begin, tokens.at


def _between(line: bytes, places: Sequence[tuple[int, int]]) -> list[bytes]:
    begins = [0, *(end for _, end in places)]
    ends = [*(begin for begin, _ in places), len(line)]
    return [line[begin:end] for begin, end in zip(begins, ends, strict=True)]


def _sample(block: Block) -> list[bytes]:
    """The first lines of a block, of which the last may be cut off."""
    lines = _LINE_ENDS.split(bytes(block.memory[: min(block.size, SAMPLE_BYTES)]))
    return [line for line in lines if line][:SAMPLE_LINES]


_THREAD = BackgroundThread("kodiak-shapes")


class ShapeBet:
    """What this process bets on for the files of one schema, from block to block."""

    def __init__(
        self,
        schema: ir.Schema,
        unread: frozenset[str],
        later: Callable[[Callable[[], None]], None] = _THREAD.add,
        zone: Zone | None = None,
    ) -> None:
        self._schema, self._unread, self._later = schema, unread, later
        self._zone = zone
        self._bytes, self._due = 0, LEAST_BYTES
        self._is_making = False
        self._reader: CompiledReader | None = None

    def reader(self, block: Block) -> CompiledReader | None:
        """The reader of the shape that lines have had so far, if there is one."""
        if self._reader is None and not self._is_making:
            self._bytes += block.size
            if self._bytes >= self._due:
                self._wait_longer()
                self._bet(block)
        return self._reader

    def judge(self, records: int, missed: int) -> None:
        """Drop the reader if too many of the records that it was given had another shape."""
        if missed > MOST_MISSED * records:
            self._reader = None

    def _bet(self, block: Block) -> None:
        shape = shape_of(_sample(block), frozenset(self._schema.names) - self._unread)
        if shape is not None:
            self._is_making = True
            self._later(lambda: self._make(shape))

    def _make(self, shape: Shape) -> None:
        self._reader = compile_json_reader(self._schema, self._unread, shape, self._zone)
        self._is_making = False

    def _wait_longer(self) -> None:
        self._bytes, self._due = 0, self._due * BACK_OFF
