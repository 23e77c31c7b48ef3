"""What becomes of corrupt records, by the mode of Spark's reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from adaptive.scan.text_values import Unsure

Row = dict[str, object]


class RecordMode(Enum):
    """The modes of Spark's readers of text."""

    PERMISSIVE = "PERMISSIVE"
    DROPMALFORMED = "DROPMALFORMED"
    FAILFAST = "FAILFAST"

    @classmethod
    def named(cls, name: str | None) -> RecordMode:
        """The mode of a reader option; what Spark does not know is PERMISSIVE."""
        known = {mode.value: mode for mode in cls}
        return known.get((name or "").upper(), cls.PERMISSIVE)


class RecordError(ValueError):
    """A record that ends the query, with Spark's error condition."""


@dataclass(frozen=True, slots=True)
class Record:
    """The rows of a text; a bad one has a field, or all of it, that could not be read."""

    rows: tuple[Row, ...]
    is_bad: bool = False
    text: str | None = None  # where it is not the line as it is


@dataclass(frozen=True)
class CorruptRecords:
    """The mode, and the column that takes the text of corrupt records."""

    mode: RecordMode = RecordMode.PERMISSIVE
    column: str | None = None

    def rows(self, line: bytes, read: Callable[[bytes], Record]) -> Sequence[Row]:
        """The rows of a line; a `RecordError` where Spark would fail, or would be asked in vain."""
        try:
            record = read(line)
        except Unsure as problem:
            raise RecordError(
                f"{problem}, which only Spark can read; use mode='off' for this query: "
                f"{_shown(line)}"
            ) from problem
        if not record.is_bad:
            return record.rows
        if self.mode is RecordMode.DROPMALFORMED:
            return ()
        if self.mode is RecordMode.FAILFAST:
            raise RecordError(
                "[MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION] Malformed records are detected"
                f" in record parsing: {_shown(line)}. Parse Mode: FAILFAST"
            )
        if self.column is None:
            return record.rows
        text = record.text if record.text is not None else text_or_bytes(line)
        return [{**row, self.column: text} for row in record.rows]


def text_or_bytes(data: bytes) -> str | bytes:
    """A text; bytes that are no UTF-8 stay as they are, as Spark keeps them."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


PERMISSIVE = CorruptRecords()


def _shown(line: bytes) -> str:
    return line[:200].decode(errors="replace")
