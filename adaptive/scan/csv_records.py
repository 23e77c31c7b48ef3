"""Lines of CSV as rows, exactly as Spark's reader makes them; slow, for what is odd."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import cached_property

import ir
from adaptive.scan.csv_fields import JAVA_SPACES, MOST_FIELDS, split
from adaptive.scan.record_modes import Record, Row
from adaptive.scan.text_values import (
    BadField,
    decimal_of,
    integer_of,
    plain_date_of,
    timestamp_of,
)
from codegen_llvm import CsvForm
from ir.parsing import parse_float
from ir.regions import WrittenTimes

_NUMBERS_OF_WORDS = (math.nan, math.inf, -math.inf)  # as CsvForm has the words
_JAVA_WORDS = re.compile(r"([+-]?)(NaN|Infinity)")
# Half a character of UTF-16: Java has one mark for it, Python one for each byte.
_HALF = re.compile(b"\xed[\xa0-\xbf][\x80-\xbf]?")


@dataclass(frozen=True)
class CsvLines:
    """Reads the fields of a schema from lines; `fields` is how many a line must have, if it must.

    `filters` are those that Spark applies while it converts fields: a row that one drops is not
    looked at any further.
    """

    schema: ir.Schema
    positions: tuple[int, ...]
    form: CsvForm
    fields: int | None = None
    filters: Sequence[ir.Expr] = ()
    times: WrittenTimes | None = None  # those of this machine, in UTC, where none are told

    def read(self, line: bytes) -> Record:
        """The row of one line, and whether it is a corrupt record."""
        text = _decoded(line)
        if not text.strip(JAVA_SPACES) or self._is_comment(text):
            return Record(())
        if not len(self.schema):
            return Record(({},))
        tokens = split(text, self.form, self._read)
        is_bad = self.fields is not None and len(tokens) != self.fields
        row: Row = {}
        done: list[str] = []
        for field, position in zip(self.schema, self.positions, strict=True):
            try:
                if position >= len(tokens) and self.fields is not None:
                    raise BadField("a field is missing")
                token = tokens[position] if position < len(tokens) else None
                row[field.name] = self._value(token, field.type)
            except BadField:
                is_bad = True
                row[field.name] = None
                done.append(field.name)
                continue
            done.append(field.name)
            if self._drops(row, done):
                return Record(())
        return Record((row,), is_bad, text)

    @cached_property
    def _read(self) -> Container[int]:
        return range(MOST_FIELDS) if self.fields is not None else frozenset(self.positions)

    def _is_comment(self, text: str) -> bool:
        return bool(self.form.comment) and text.startswith(self.form.comment)

    def _value(self, token: str | None, type_: ir.DataType) -> object:
        if token is None or token == self.form.null:
            return None
        if isinstance(type_, ir.DecimalType):
            return decimal_of(token, type_)
        if type_ is ir.TIMESTAMP:
            return timestamp_of(token, self.times)
        if type_ in (ir.FLOAT32, ir.FLOAT64) and token in self.form.words:
            return _NUMBERS_OF_WORDS[self.form.words.index(token)]
        return _CONVERTERS[type_](token, type_)

    def _drops(self, row: Row, done: list[str]) -> bool:
        """Filters whose last column was just read."""
        return any(
            ir.evaluate_expr(predicate, row) is not True  # type: ignore[arg-type]
            for predicate in self.filters
            if done[-1] in predicate.columns() and predicate.columns() <= set(done)
        )


def _decoded(line: bytes) -> str:
    """The characters of a line; of what is none, one that stands for it."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return _HALF.sub("\ufffd".encode(), line).decode(errors="replace")


def _boolean(text: str, type_: ir.DataType) -> bool:
    if text.lower() not in ("true", "false"):
        raise BadField(f"{text!r} is no boolean")
    return text.lower() == "true"


def _float(text: str, type_: ir.DataType) -> float:
    """What Java reads as a float."""
    core = text.strip(JAVA_SPACES)
    if found := _JAVA_WORDS.fullmatch(core):
        sign = -1.0 if found.group(1) == "-" else 1.0
        return math.nan if found.group(2) == "NaN" else sign * math.inf
    value = parse_float(text, type_) if any(char.isdigit() for char in core) else None
    if value is None:
        raise BadField(f"{text!r} is no {type_}")
    return value


_CONVERTERS: dict[ir.DataType, Callable[[str, ir.DataType], object]] = {
    ir.BOOL: _boolean,
    **dict.fromkeys((ir.INT8, ir.INT16, ir.INT32, ir.INT64), integer_of),
    **dict.fromkeys((ir.FLOAT32, ir.FLOAT64), _float),
    ir.STRING: lambda text, type_: text,
    ir.DATE: lambda text, type_: plain_date_of(text),
}
