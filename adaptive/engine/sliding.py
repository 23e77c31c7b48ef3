"""Windows made of slices: combined anew, or carried from one window to the next.

Neighbouring windows share most of their slices. Where every aggregate can take
values out again, one running table gains the new slice and loses the old one
(`SubtractOnEvict`). Where some cannot, two stacks of partial combinations give
each window with one merge (`TwoStacks`). Lists of values only grow by being
combined, so windows of those are combined anew (`Recombine`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from adaptive.runtime.combine import WindowTable
from adaptive.runtime.state import Table
from ir.pipelines import RowProgram

Pieces = list[Table]


class Combination(Protocol):
    """The slices of the window at hand; slices come and go in the order of time."""

    def add(self, start: int, pieces: Pieces) -> None:
        """Pieces of a slice that is in the next window: a new slice, or more rows of an old one."""

    def evict(self, start: int) -> None:
        """The earliest slice is in no window any more."""

    def table(self) -> Table:
        """The groups of all slices; owned by the combination, valid until it changes."""

    @property
    def bytes(self) -> int:
        """The memory of all tables, those of the slices included."""

    def release(self) -> None:
        """Give the memory back."""


class Recombine:
    """Every window is combined from its slices; one of a single piece is that piece."""

    def __init__(self, program: RowProgram) -> None:
        self._program = program
        self._slices: dict[int, Pieces] = {}
        self._made: WindowTable | None = None

    def add(self, start: int, pieces: Pieces) -> None:
        self._slices.setdefault(start, []).extend(pieces)

    def evict(self, start: int) -> None:
        release_all(self._slices.pop(start))

    def table(self) -> Table:
        self._forget()
        pieces = [piece for start in sorted(self._slices) for piece in self._slices[start]]
        if len(pieces) == 1:
            return pieces[0]
        self._made = WindowTable(self._program)
        for piece in pieces:
            self._made.add(piece)
        return self._made.table

    @property
    def bytes(self) -> int:
        return bytes_of(self._slices.values())

    def release(self) -> None:
        self._forget()
        for pieces in self._slices.values():
            release_all(pieces)

    def _forget(self) -> None:
        if self._made is not None:
            self._made.release()
            self._made = None


class SubtractOnEvict:
    """One table that slices are added to and taken out of again, exactly."""

    def __init__(self, program: RowProgram) -> None:
        self._slices: dict[int, Pieces] = {}
        self._running = WindowTable(program)

    def add(self, start: int, pieces: Pieces) -> None:
        self._slices.setdefault(start, []).extend(pieces)
        for piece in pieces:
            self._running.add(piece)

    def evict(self, start: int) -> None:
        pieces = self._slices.pop(start)
        for piece in pieces if self._slices else ():
            self._running.remove(piece)
        if not self._slices:
            self._running.clear()
        release_all(pieces)

    def table(self) -> Table:
        return self._running.table

    @property
    def bytes(self) -> int:
        return self._running.bytes + bytes_of(self._slices.values())

    def release(self) -> None:
        self._running.release()
        for pieces in self._slices.values():
            release_all(pieces)


class TwoStacks:
    """The slices in two parts: of the later part, all together; of the earlier, every suffix.

    A window is the suffix that begins with its first slice, and the later part.
    When the suffixes are used up they are made anew from the later part's slices,
    so each slice is merged about twice, however many windows it is in.
    """

    def __init__(self, program: RowProgram) -> None:
        self._program = program
        self._back_slices: dict[int, Pieces] = {}
        self._back = WindowTable(program)
        self._suffixes: list[tuple[int, WindowTable]] = []  # the longest, earliest one is last
        self._made: WindowTable | None = None

    def add(self, start: int, pieces: Pieces) -> None:
        if self._suffixes and start <= self._suffixes[0][0]:
            self._add_earlier(start, pieces)
            return
        self._back_slices.setdefault(start, []).extend(pieces)
        for piece in pieces:
            self._back.add(piece)

    def _add_earlier(self, start: int, pieces: Pieces) -> None:
        """Rows of a slice in the earlier part go into every suffix that has the slice."""
        if all(first != start for first, _ in self._suffixes):
            shorter = [suffix for first, suffix in self._suffixes if first > start]
            made = WindowTable(self._program)
            made.add(shorter[-1])
            self._suffixes.insert(len(shorter), (start, made))
        for first, suffix in self._suffixes:
            for piece in pieces if first <= start else ():
                suffix.add(piece)
        release_all(pieces)

    def evict(self, start: int) -> None:
        if not self._suffixes:
            self._flip()
        _, suffix = self._suffixes.pop()
        suffix.release()

    def table(self) -> Table:
        self._forget()
        if not self._suffixes:
            return self._back.table
        suffix = self._suffixes[-1][1]
        if not self._back_slices:
            return suffix.table
        self._made = WindowTable(self._program)
        self._made.add(suffix)
        self._made.add(self._back)
        return self._made.table

    @property
    def bytes(self) -> int:
        tables = sum(suffix.bytes for _, suffix in self._suffixes)
        return tables + self._back.bytes + bytes_of(self._back_slices.values())

    def release(self) -> None:
        self._forget()
        self._back.release()
        for _, suffix in self._suffixes:
            suffix.release()
        for pieces in self._back_slices.values():
            release_all(pieces)

    def _flip(self) -> None:
        """Make the suffixes of all slices, from the latest slice on."""
        before: WindowTable | None = None
        for start in sorted(self._back_slices, reverse=True):
            suffix = WindowTable(self._program)
            if before is not None:
                suffix.add(before)
            pieces = self._back_slices.pop(start)
            for piece in pieces:
                suffix.add(piece)
            release_all(pieces)
            self._suffixes.append((start, suffix))
            before = suffix
        self._back.clear()

    def _forget(self) -> None:
        if self._made is not None:
            self._made.release()
            self._made = None


def combination(program: RowProgram, slices_of_a_window: int) -> Combination:
    """What suits the aggregates of a program, by their algebra."""
    if slices_of_a_window == 1 or keeps_values(program):
        return Recombine(program)
    return SubtractOnEvict(program) if subtracts(program) else TwoStacks(program)


def subtracts(program: RowProgram) -> bool:
    """Whether every aggregate can take values out again; slices then count their rows."""
    return all(aggregate.call.invertible for aggregate in program.aggregates)


def keeps_values(program: RowProgram) -> bool:
    """Whether an aggregate keeps all values of a group."""
    return any(aggregate.call.keeps_values for aggregate in program.aggregates)


def release_all(pieces: Iterable[Table]) -> None:
    """Give the memory of tables back."""
    for piece in pieces:
        piece.release()


def bytes_of(slices: Iterable[Pieces]) -> int:
    """The memory of some slices."""
    return sum(piece.bytes for pieces in slices for piece in pieces)
